/* flat.c - see flat.h. */
#include "pipeline/base/flat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct sl_flat *line, const char *text, size_t n)
{
    const size_t tail = 2; /* room for the closing brace and the newline */
    if (line->used + n + tail > sizeof line->text) return;
    memcpy(line->text + line->used, text, n);
    line->used += n;
}

static void put_key(struct sl_flat *line, const char *key)
{
    if (line->text[line->used - 1] != '{') put(line, ",", 1);
    put(line, "\"", 1);
    put(line, key, strlen(key));
    put(line, "\":", 2);
}

void sl_flat_begin(struct sl_flat *line)
{
    line->used = 0;
    put(line, "\n{", 2);
}

void sl_flat_int(struct sl_flat *line, const char *key, long long value)
{
    char text[32];
    put_key(line, key);
    put(line, text, (size_t)snprintf(text, sizeof text, "%lld", value));
}

void sl_flat_real(struct sl_flat *line, const char *key, double value)
{
    char text[40];
    put_key(line, key);
    put(line, text, (size_t)snprintf(text, sizeof text, "%.15g", value));
}

/* Length of a well-formed UTF-8 character at s, 0 when there is none. */
static int utf8(const unsigned char *s)
{
    int n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : 0;
    if (s[0] >= 0xf0 && s[0] < 0xf5) n = 4;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    return n;
}

void sl_flat_text(struct sl_flat *line, const char *key, const char *value)
{
    const size_t longest = 6, quote = 1; /* \u00ff and the closing quote */
    char escaped[8];
    put_key(line, key);
    put(line, "\"", 1);
    for (const unsigned char *s = (const unsigned char *)value; *s;) {
        if (line->used + longest + quote + 2 > sizeof line->text) break;
        int n = utf8(s);
        if (n == 1 && (*s < ' ' || *s == '"' || *s == '\\' || *s == 0x7f))
            put(line, escaped, (size_t)snprintf(escaped, sizeof escaped, "\\u%04x", *s));
        else if (n)
            put(line, (const char *)s, (size_t)n);
        else
            put(line, "?", 1); /* not text: a program's broken output */
        s += n ? n : 1;
    }
    put(line, "\"", 1);
}

void sl_flat_end(struct sl_flat *line)
{
    memcpy(line->text + line->used, "}\n", 2);
    line->used += 2;
}

static char *utf8_put(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* Character after a backslash at *from; moves *from behind it. */
static char *escape(char *to, char **from)
{
    static const char codes[] = "n\nt\tr\rb\bf\f";
    char c = *(*from)++;
    if (c == 'u') {
        char hex[5] = {0}, *end;
        for (int i = 0; i < 4 && **from; i++)
            hex[i] = *(*from)++;
        unsigned code = (unsigned)strtoul(hex, &end, 16);
        return end == hex + 4 && code ? utf8_put(to, code) : NULL;
    }
    if (c == '"' || c == '\\' || c == '/') {
        *to++ = c;
        return to;
    }
    for (const char *p = codes; *p; p += 2)
        if (*p == c) {
            *to++ = p[1];
            return to;
        }
    return NULL;
}

/* Text between quotes, decoded in place; *at is moved behind the closing quote. NULL: not a text.
 */
static char *quoted(char **at)
{
    if (**at != '"') return NULL;
    char *from = *at + 1, *start = from, *to = from;
    while (*from && *from != '"') {
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        from++;
        if (!*from || !(to = escape(to, &from))) return NULL;
    }
    if (*from != '"') return NULL;
    *at = from + 1;
    *to = '\0';
    return start;
}

/* A number or a word; *end receives the character that followed it. */
static char *bare(char **at, char *end)
{
    char *start = *at;
    size_t n = strcspn(start, ",}");
    if (n == 0 || strcspn(start, "{[\"") < n) return NULL;
    *at = start + n;
    *end = **at;
    **at = '\0';
    return start;
}

int sl_flat_parse(char *line, void (*each)(const char *key, const char *value, void *user),
                  void *user)
{
    char *p = line;
    if (*p++ != '{') return -1;
    if (strcmp(p, "}") == 0) return 0;
    for (;;) {
        char end = '\0', *key = quoted(&p);
        if (!key || *p++ != ':') return -1;
        char *value = *p == '"' ? quoted(&p) : bare(&p, &end);
        if (!value) return -1;
        if (!end) end = *p;
        if (!end) return -1;
        each(key, value, user);
        p++;
        if (end == '}') return *p ? -1 : 0;
        if (end != ',') return -1;
    }
}
