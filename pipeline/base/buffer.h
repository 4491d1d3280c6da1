/* buffer.h - a growing text, its escapes, and whole files in and out.
 *
 * Additions do not report failure one by one: once memory is short, `failed` stays set and
 * sl_buffer_write and sl_buffer_put refuse.
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
#ifndef SL_PIPELINE_BASE_BUFFER_H
#define SL_PIPELINE_BASE_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/sys/status.h"

struct sl_buffer {
    char *s; /* owned */
    size_t n, capacity;
    bool failed;
};

void sl_buffer_release(struct sl_buffer *t);
void sl_buffer_bytes(struct sl_buffer *t, const char *bytes, size_t n);
void sl_buffer_add(struct sl_buffer *t, const char *fmt, ...) SL_PRINTF(2, 3);
void sl_buffer_list(struct sl_buffer *t, const char *fmt, va_list args) SL_PRINTF(2, 0);
/* As the text of an element or the value of an attribute; control characters become spaces. */
void sl_buffer_html(struct sl_buffer *t, const char *s);
/* The first n bytes of s, likewise. */
void sl_buffer_html_part(struct sl_buffer *t, const char *s, size_t n);
void sl_buffer_base64(struct sl_buffer *t, const unsigned char *bytes, size_t n);

/* Appends a file of at most max bytes. */
int sl_buffer_read(struct sl_buffer *t, const char *path, size_t max);
/* Writes the text as a file that appears complete, by rename; put: one that a person named
 * (sl_file_put). */
int sl_buffer_write(const struct sl_buffer *t, const char *path);
int sl_buffer_put(const struct sl_buffer *t, const char *path);

#endif
