/* columns.c - see columns.h. */
#include "core/cosmo/columns.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"
#include "core/sys/text.h"

#define BLANKS " \t\r\v\f"

/* Copies n bytes, with ? for all that is not plain text: what a message may show. */
static void copy_plain(char *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (char)(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
    out[n] = '\0';
}

struct parser {
    struct sl_columns *out;
    int line, row_room;
    size_t comment_size;
};

/* ---- names of columns ---- */

static void set_name(struct sl_columns *c, int column, const char *text, size_t n)
{
    while (n > 0 && strchr(BLANKS, text[n - 1]))
        n--;
    if (n >= SL_COLUMN_NAME) n = SL_COLUMN_NAME - 1;
    copy_plain(c->name[column], text, n);
}

/* Where "<number>:" stands as a word of its own, NULL when nowhere. */
static const char *numbered(const char *text, int number)
{
    char mark[16];
    int n = snprintf(mark, sizeof mark, "%d:", number);
    for (const char *p = text; (p = strstr(p, mark)); p++)
        if (p == text || strchr(BLANKS, p[-1])) return p + n;
    return NULL;
}

/* CLASS: "1:k (h/Mpc)  2:d_g ...". */
static int names_numbered(struct sl_columns *c, const char *text)
{
    int n = 0;
    const char *at = numbered(text, 1);
    for (; at && n < SL_COLUMNS_MAX; n++) {
        const char *next = numbered(at, n + 2);
        size_t length = next ? (size_t)(next - at) : strlen(at);
        for (size_t i = length; next && i > 0 && !strchr(BLANKS, at[i - 1]); i--)
            length = i - 1; /* the number that stands before the next colon */
        set_name(c, n, at, length);
        at = next;
    }
    return n;
}

/* CAMB: words, of which the first is k/h. */
static int names_in_words(struct sl_columns *c, const char *text)
{
    int n = 0;
    text += strspn(text, BLANKS);
    if (strncmp(text, "k/h", 3) != 0 || !strchr(BLANKS, text[3])) return 0;
    while (*text && n < SL_COLUMNS_MAX) {
        size_t length = strcspn(text, BLANKS);
        set_name(c, n++, text, length);
        text += length;
        text += strspn(text, BLANKS);
    }
    return n > 1 ? n : 0;
}

static int take_comment(struct parser *p, const char *text, size_t n)
{
    struct sl_columns *c = p->out;
    char *more = realloc(c->comment, p->comment_size + n + 2);
    SL_CHECK(more, SL_EMEM, "out of memory for the comments of %s", c->path);
    memcpy(more + p->comment_size, text, n);
    more[p->comment_size + n] = '\0';
    c->comment = more;
    const char *body = more + p->comment_size + strspn(more + p->comment_size, "# \t");
    int names = n > 8192 ? 0 : names_numbered(c, body);
    if (names == 0 && n <= 8192) names = names_in_words(c, body);
    if (names > 0) c->nname = names;
    more[p->comment_size + n] = '\n';
    more[p->comment_size + n + 1] = '\0';
    p->comment_size += n + 1;
    return SL_OK;
}

/* ---- numbers ---- */

static int take_number(const struct parser *p, const char *word, size_t n, double *out)
{
    char text[64], *end;
    const char *path = p->out->path;
    if (n >= sizeof text) n = sizeof text - 1;
    copy_plain(text, word, n);
    SL_CHECK(n > 0 && !strchr(text, '*'), SL_EINPUT,
             "%s:%d: %s is what Fortran prints when a number does not fit its format", path,
             p->line, sl_quote(text).text);
    for (char *d = text; *d; d++)
        if (*d == 'd' || *d == 'D') *d = 'e';
    double value = strtod(text, &end);
    SL_CHECK(*end == '\0' && strspn(text, "+-.0123456789eE") == n, SL_EINPUT,
             "%s:%d: %s is not a number%s", path, p->line, sl_quote(text).text,
             (*end == '-' || *end == '+') && end > text
                 ? "; Fortran leaves the E out when an exponent has three digits"
                 : "");
    SL_CHECK(isfinite(value), SL_EINPUT, "%s:%d: %s is too large", path, p->line,
             sl_quote(text).text);
    *out = value;
    return SL_OK;
}

static int grow(struct parser *p)
{
    struct sl_columns *c = p->out;
    if (c->nrow < p->row_room) return SL_OK;
    int room = p->row_room ? 2 * p->row_room : 1024;
    double *value = realloc(c->value, (size_t)room * (size_t)c->ncol * sizeof *value);
    if (value) c->value = value;
    int *line = realloc(c->line, (size_t)room * sizeof *line);
    if (line) c->line = line;
    SL_CHECK(value && line, SL_EMEM, "out of memory for %d lines of %s", room, c->path);
    p->row_room = room;
    return SL_OK;
}

static int take_row(struct parser *p, const char *text, size_t size)
{
    double row[SL_COLUMNS_MAX];
    int n = 0;
    struct sl_columns *c = p->out;
    const char *end = text + size;
    for (;;) {
        while (text < end && strchr(BLANKS, *text))
            text++;
        if (text == end) break;
        const char *word = text;
        while (text < end && *text && !strchr(BLANKS, *text))
            text++;
        SL_CHECK(n < SL_COLUMNS_MAX, SL_EINPUT, "%s:%d: more than %d columns", c->path, p->line,
                 SL_COLUMNS_MAX);
        SL_TRY(take_number(p, word, (size_t)(text - word), &row[n]));
        n++;
    }
    if (n == 0) return SL_OK;
    if (c->ncol == 0) c->ncol = n;
    SL_CHECK(n == c->ncol, SL_EINPUT, "%s:%d: %d columns, the lines before have %d", c->path,
             p->line, n, c->ncol);
    SL_TRY(grow(p));
    memcpy(c->value + (size_t)c->nrow * (size_t)n, row, (size_t)n * sizeof row[0]);
    c->line[c->nrow++] = p->line;
    return SL_OK;
}

/* ---- the file ---- */

static int take_line(struct parser *p, const char *text, size_t n)
{
    size_t first = 0;
    p->line++;
    SL_CHECK(!memchr(text, '\0', n), SL_EINPUT, "%s:%d: a zero byte: this is not a text file",
             p->out->path, p->line);
    while (first < n && strchr(BLANKS, text[first]))
        first++;
    if (first < n && text[first] == '#') return take_comment(p, text, n);
    return take_row(p, text, n);
}

static int take_all(struct parser *p, const char *bytes, size_t size)
{
    struct sl_columns *c = p->out;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(bytes + at, '\n', size - at);
        size_t n = end ? (size_t)(end - bytes) - at : size - at;
        SL_TRY(take_line(p, bytes + at, n));
        at += n + 1;
    }
    SL_CHECK(c->nrow > 0, SL_EINPUT, "%s: no numbers in it", c->path);
    SL_CHECK(c->nname == 0 || c->nname == c->ncol, SL_EINPUT,
             "%s: its header names %d columns, its lines have %d", c->path, c->nname, c->ncol);
    return SL_OK;
}

int sl_columns_parse(const char *path, const char *bytes, size_t size, struct sl_columns *out)
{
    struct sl_columns c = {.path = path};
    struct parser p = {.out = &c};
    SL_CHECK(size < 8 || memcmp(bytes, "\x89HDF\r\n\x1a\n", 8) != 0, SL_EINPUT,
             "%s: an HDF5 file, not a table of numbers", path);
    int code = take_all(&p, bytes, size);
    if (code != SL_OK) {
        sl_columns_release(&c);
        return code;
    }
    *out = c;
    return SL_OK;
}

void sl_columns_release(struct sl_columns *c)
{
    free(c->value);
    free(c->line);
    free(c->comment);
    *c = (struct sl_columns){.path = NULL};
}

int sl_columns_find(const struct sl_columns *c, const char *name)
{
    for (int i = 0; i < c->nname; i++)
        if (strcmp(c->name[i], name) == 0) return i;
    return -1;
}
