/* buffer.c - see buffer.h. */
#include "pipeline/base/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/file.h"

void sl_buffer_release(struct sl_buffer *t)
{
    free(t->s);
    *t = (struct sl_buffer){0};
}

/* Room for n more bytes and the zero at the end. */
static bool grow(struct sl_buffer *t, size_t n)
{
    if (t->failed || n >= (size_t)-1 / 2 - t->n) return t->failed = true, false;
    if (t->n + n + 1 <= t->capacity) return true;
    size_t capacity = 2 * (t->n + n + 1);
    char *s = realloc(t->s, capacity);
    if (!s) return t->failed = true, false;
    t->s = s;
    t->capacity = capacity;
    return true;
}

void sl_buffer_bytes(struct sl_buffer *t, const char *bytes, size_t n)
{
    if (!grow(t, n)) return;
    if (n) memcpy(t->s + t->n, bytes, n);
    t->n += n;
    t->s[t->n] = '\0';
}

void sl_buffer_add(struct sl_buffer *t, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    sl_buffer_list(t, fmt, args);
    va_end(args);
}

void sl_buffer_list(struct sl_buffer *t, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    if (n < 0) t->failed = true;
    if (n >= 0 && grow(t, (size_t)n)) {
        vsnprintf(t->s + t->n, (size_t)n + 1, fmt, again);
        t->n += (size_t)n;
    }
    va_end(again);
}

static const char *escape_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return (unsigned char)c < 32 && c != '\n' && c != '\t' ? " " : NULL;
    }
}

void sl_buffer_html_part(struct sl_buffer *t, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *as = escape_of(s[i]);
        sl_buffer_bytes(t, as ? as : s + i, as ? strlen(as) : 1);
    }
}

void sl_buffer_html(struct sl_buffer *t, const char *s)
{
    sl_buffer_html_part(t, s, strlen(s));
}

void sl_buffer_base64(struct sl_buffer *t, const unsigned char *bytes, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        unsigned v = (unsigned)bytes[i] << 16;
        if (left > 1) v |= (unsigned)bytes[i + 1] << 8;
        if (left > 2) v |= bytes[i + 2];
        char out[4] = {digit[v >> 18], digit[v >> 12 & 63], digit[v >> 6 & 63], digit[v & 63]};
        if (left < 3) out[3] = '=';
        if (left < 2) out[2] = '=';
        sl_buffer_bytes(t, out, 4);
    }
}

int sl_buffer_read(struct sl_buffer *t, const char *path, size_t max)
{
    char *text;
    size_t n;
    SL_TRY(sl_file_read(path, max, &text, &n));
    sl_buffer_bytes(t, text, n);
    free(text);
    SL_CHECK(!t->failed, SL_EMEM, "no memory for %s", path);
    return SL_OK;
}

int sl_buffer_write(const struct sl_buffer *t, const char *path)
{
    SL_CHECK(!t->failed, SL_EMEM, "no memory for %s", path);
    return sl_file_replace(path, t->s ? t->s : "", t->n, SL_DURABLE);
}

int sl_buffer_put(const struct sl_buffer *t, const char *path)
{
    SL_CHECK(!t->failed, SL_EMEM, "no memory for %s", path);
    return sl_file_put(path, t->s ? t->s : "", t->n);
}
