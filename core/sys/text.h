/* text.h - small helpers for text that people write and read: the nearest valid word, quoting of
 * untrusted text for messages, refusal of bytes that have no place in a text file.
 *
 * Shapes  texts end with NUL
 * Units   none
 * Errors  sl_text_check returns what is wrong, NULL when nothing is
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Damerau 1964 (distance with swapped neighbours); Trojan Source, CVE-2021-42574 (bidi)
 * Tests   tests/unit/yaml.c, tests/unit/config.c
 */
#ifndef SL_SYS_TEXT_H
#define SL_SYS_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/sys/status.h"

/* A place in a file, counted from 1; file is borrowed. */
struct sl_mark {
    const char *file;
    int line, column;
};

/* Fails with SL_EINPUT and the text "file:line:column: ...". */
#define SL_FAIL_AT(mark, ...) sl_fail_at(__FILE__, __LINE__, (mark), __VA_ARGS__)
int sl_fail_at(const char *source, int source_line, struct sl_mark at, const char *fmt, ...)
    SL_PRINTF(4, 5);

/* Search for the word nearest to `word`: start with {.word = w}, show it every valid word, read
 * best: NULL when none is near enough to be what was meant. */
struct sl_nearest {
    const char *word;
    const char *best;
    int distance;
};
void sl_nearest_try(struct sl_nearest *search, const char *candidate);

/* Number of insertions, deletions, replacements and swaps of neighbours between two texts; letters
 * differ by case count as equal. Texts beyond 64 bytes are cut. */
int sl_text_distance(const char *a, const char *b);

/* `text` for a message: cut to about 60 bytes, control characters shown as \xNN. */
enum { SL_QUOTE_MAX = 264 };
struct sl_quoted {
    char text[SL_QUOTE_MAX];
};
struct sl_quoted sl_quote(const char *text);

/* Copies text to out (size bytes). All that sl_text_check refuses, and tabs, are shown as \xNN per
 * byte, without cutting inside an escape; keeps newlines when `lines`. */
void sl_text_escape(const char *text, bool lines, char *out, size_t size);
/* Replaces each of these bytes in place: tabs and line ends by a space, others by a question mark.
 */
void sl_text_clean(char *text);

/* What a recipe may not hold: bytes that are not UTF-8, control characters other than tab and line
 * end, characters that change the direction of text. Moves *at to the place. Returns NULL for a
 * good text. */
const char *sl_text_check(const char *bytes, size_t size, struct sl_mark *at);

#endif
