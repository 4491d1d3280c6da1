/* report_text.c - see report_text.h. */
#include "pipeline/report_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void sl_text_release(struct sl_text *t)
{
    free(t->s);
    *t = (struct sl_text){0};
}

/* Room for n more bytes and the zero at the end. */
static bool grow(struct sl_text *t, size_t n)
{
    if (t->failed || n >= (size_t)-1 / 2 - t->n) return t->failed = true, false;
    if (t->n + n + 1 <= t->room) return true;
    size_t room = 2 * (t->n + n + 1);
    char *s = realloc(t->s, room);
    if (!s) return t->failed = true, false;
    t->s = s;
    t->room = room;
    return true;
}

void sl_text_bytes(struct sl_text *t, const char *bytes, size_t n)
{
    if (!grow(t, n)) return;
    if (n) memcpy(t->s + t->n, bytes, n);
    t->n += n;
    t->s[t->n] = '\0';
}

void sl_text_add(struct sl_text *t, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
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

void sl_text_html(struct sl_text *t, const char *s)
{
    for (; *s; s++) {
        const char *as = escape_of(*s);
        sl_text_bytes(t, as ? as : s, as ? strlen(as) : 1);
    }
}

void sl_text_base64(struct sl_text *t, const unsigned char *bytes, size_t n)
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
        sl_text_bytes(t, out, 4);
    }
}

int sl_text_read(struct sl_text *t, const char *path, size_t max)
{
    FILE *f = fopen(path, "rb");
    if (!f) return SL_FAIL(SL_EIO, "cannot open %s: %s", path, strerror(errno));
    char part[16384];
    size_t n, total = 0;
    sl_text_bytes(t, "", 0);
    while ((n = fread(part, 1, sizeof part, f)) > 0 && (total += n) <= max)
        sl_text_bytes(t, part, n);
    bool bad = ferror(f);
    fclose(f);
    SL_CHECK(!bad, SL_EIO, "cannot read %s: %s", path, strerror(errno));
    SL_CHECK(total <= max, SL_EINPUT, "%s is larger than the %zu bytes expected", path, max);
    SL_CHECK(!t->failed, SL_EMEM, "no memory for %s", path);
    return SL_OK;
}

int sl_text_write(const struct sl_text *t, const char *path)
{
    char temporary[4096];
    SL_CHECK(!t->failed, SL_EMEM, "no memory for %s", path);
    int n = snprintf(temporary, sizeof temporary, "%s.%ld.new", path, (long)getpid());
    SL_CHECK(n > 0 && (size_t)n < sizeof temporary, SL_EINPUT, "path too long: %s", path);
    FILE *f = fopen(temporary, "wb");
    if (!f) return SL_FAIL(SL_EIO, "cannot write %s: %s", temporary, strerror(errno));
    bool ok = fwrite(t->s ? t->s : "", 1, t->n, f) == t->n && !fflush(f) && !fsync(fileno(f));
    int why = errno;
    ok = !fclose(f) && ok && !rename(temporary, path);
    if (ok) return SL_OK;
    unlink(temporary);
    return SL_FAIL(SL_EIO, "cannot write %s: %s", path, strerror(why ? why : errno));
}
