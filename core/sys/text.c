/* text.c - see text.h. */
#include "core/sys/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int sl_fail_at(const char *source, int source_line, struct sl_mark at, const char *fmt, ...)
{
    char text[900];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return sl_fail(source, source_line, SL_EINPUT, "%s:%d:%d: %s", at.file, at.line, at.column,
                   text);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

int sl_text_distance(const char *a, const char *b)
{
    enum { MAX = 64 };
    int na = (int)strnlen(a, MAX), nb = (int)strnlen(b, MAX);
    int row[3][MAX + 1]; /* the row before the last, the last, the present one */
    for (int j = 0; j <= nb; j++)
        row[1][j] = j;
    for (int i = 1; i <= na; i++) {
        int *before = row[(i + 2) % 3], *last = row[i % 3], *now = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            now[j] = least(least(last[j], now[j - 1]) + 1, last[j - 1] + (ca != cb));
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
    }
    return row[(na + 1) % 3][nb];
}

void sl_nearest_try(struct sl_nearest *search, const char *candidate)
{
    int length = (int)strlen(search->word), limit = length < 3 ? length / 2 : length / 3;
    int distance = sl_text_distance(search->word, candidate);
    if (distance > limit || (search->best && distance >= search->distance)) return;
    search->best = candidate;
    search->distance = distance;
}

struct sl_quoted sl_quote(const char *text)
{
    enum { SHOWN = 60 };
    char head[SHOWN + 1];
    size_t size = strnlen(text, SHOWN);
    bool cut = text[size] != '\0';
    while (cut && size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
        size--;
    memcpy(head, text, size);
    head[size] = '\0';
    struct sl_quoted out;
    sl_text_escape(head, false, out.text, sizeof out.text - 4);
    if (cut) memcpy(out.text + strlen(out.text), "...", 4);
    return out;
}

/* Length of the UTF-8 character at p (n bytes left) and its code; 0 when it is not valid. */
static size_t utf8(const unsigned char *p, size_t n, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = *p < 0x80 ? 1 : *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;
    if (size == 0 || size > n) return 0;
    *code = size == 1 ? *p : *p & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (p[i] & 0x3fu);
    }
    if (size > 1 && *code < smallest[size]) return 0;
    return *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : size;
}

static const char *refuse(uint32_t c)
{
    if (c == 0) return "a zero byte: is this a binary file?";
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || (c >= 0x7f && c < 0xa0))
        return "a control character";
    if (c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
        (c >= 0x2066 && c <= 0x2069))
        return "a character that changes the direction of text: what you see is not what is read";
    if (c == 0x200b || c == 0x2060 || c == 0xfeff) return "an invisible character";
    if (c == 0x2028 || c == 0x2029 || c == 0x85) return "a line separator that editors do not show";
    if ((c & 0xfffe) == 0xfffe) return "a code that is no character";
    return NULL;
}

/* Length of the character at p that may be shown as it is; 0: its first byte must not. */
static size_t shown(const char *p, bool lines)
{
    uint32_t code;
    size_t n = utf8((const unsigned char *)p, strnlen(p, 4), &code);
    if (n == 0 || code == '\t' || code == '\r' || (code == '\n' && !lines)) return 0;
    return refuse(code) ? 0 : n;
}

void sl_text_escape(const char *text, bool lines, char *out, size_t size)
{
    size_t used = 0;
    while (*text) {
        size_t n = shown(text, lines);
        if (used + (n ? n : 4) >= size) break;
        if (n)
            memcpy(out + used, text, n);
        else
            snprintf(out + used, size - used, "\\x%02x", (unsigned char)*text);
        used += n ? n : 4;
        text += n ? n : 1;
    }
    out[used] = '\0';
}

void sl_text_clean(char *text)
{
    for (size_t n; *text; text += n ? n : 1)
        if ((n = shown(text, false)) == 0) *text = isspace((unsigned char)*text) ? ' ' : '?';
}

const char *sl_text_check(const char *bytes, size_t size, struct sl_mark *at)
{
    const unsigned char *p = (const unsigned char *)bytes;
    while (size > 0) {
        uint32_t code;
        size_t n = utf8(p, size, &code);
        if (n == 0) return "bytes that are not UTF-8 text";
        const char *wrong = refuse(code);
        if (wrong) return wrong;
        at->column++;
        if (code == '\n') at->line++, at->column = 1;
        p += n, size -= n;
    }
    return NULL;
}
