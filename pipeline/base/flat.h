/* flat.h - one line of JSON without nesting: written and read fast, because a journal of 10,000
 * members has 60,000 of them and `sluice status` may take half a second.
 *
 * Shapes  texts of at most a line's length; longer ones are cut
 * Units   none
 * Errors  sl_flat_parse: -1 for anything but {"key":scalar,...}
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    RFC 8259
 * Tests   tests/unit/journal.c
 */
#ifndef SL_PIPELINE_BASE_FLAT_H
#define SL_PIPELINE_BASE_FLAT_H

#include <stddef.h>

enum { SL_FLAT_MAX = 4096 };

struct sl_flat {
    char text[SL_FLAT_MAX]; /* begins with a newline, ends with one */
    size_t used;
};

void sl_flat_begin(struct sl_flat *line);
void sl_flat_int(struct sl_flat *line, const char *key, long long value);
void sl_flat_real(struct sl_flat *line, const char *key, double value);
void sl_flat_text(struct sl_flat *line, const char *key, const char *value);
void sl_flat_end(struct sl_flat *line);

/* Changes line; key and value live until each() returns; numbers come as their text. */
int sl_flat_parse(char *line, void (*each)(const char *key, const char *value, void *user),
                  void *user);

#endif
