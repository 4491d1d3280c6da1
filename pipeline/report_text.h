/* report_text.h - a growing text, its escapes, and whole files in and out.
 *
 * Additions do not report failure one by one: once memory is short, `failed` stays set and
 * sl_text_write refuses.
 *
 * Shapes  s[0..n), always ended by a zero byte once something was added
 * Units   bytes
 * Errors  SL_EIO, SL_EMEM
 * Owns    s
 * MPI     none
 * Where   host
 * Refs    RFC 4648 (base64)
 * Tests   tests/unit/report.c
 */
#ifndef SL_PIPELINE_REPORT_TEXT_H
#define SL_PIPELINE_REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/sys/status.h"

struct sl_text {
    char *s; /* owned */
    size_t n, room;
    bool failed;
};

void sl_text_release(struct sl_text *t);
void sl_text_bytes(struct sl_text *t, const char *bytes, size_t n);
void sl_text_add(struct sl_text *t, const char *fmt, ...) SL_PRINTF(2, 3);
/* As the text of an element or the value of an attribute; control characters become spaces. */
void sl_text_html(struct sl_text *t, const char *s);
void sl_text_base64(struct sl_text *t, const unsigned char *bytes, size_t n);

/* Appends a file of at most max bytes. */
int sl_text_read(struct sl_text *t, const char *path, size_t max);
/* Writes the text as a file that appears complete, by rename. */
int sl_text_write(const struct sl_text *t, const char *path);

#endif
