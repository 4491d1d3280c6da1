/* csv.c - see csv.h. */
#include "pipeline/base/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/base/disk.h"

enum { LARGEST = 256 << 20, COLUMNS_MAX = 65536 };

void sl_csv_release(struct sl_csv *t)
{
    sl_buffer_release(&t->text);
    free(t->cell);
    free(t->name);
    free(t->comment);
    *t = (struct sl_csv){0};
}

/* Ends the line at *s, moves *s behind it; NULL when the text is over. */
static char *line_next(char **s)
{
    if (!**s) return NULL;
    char *line = *s, *end = strchr(line, '\n');
    *s = end ? end + 1 : line + strlen(line);
    if (end) *end = '\0';
    if (end && end > line && end[-1] == '\r') end[-1] = '\0';
    return line;
}

static int cells_of(const char *line, char separator)
{
    int n = 1;
    for (; *line; line++)
        n += *line == separator;
    return n;
}

/* Cuts a line into n cells; those it lacks are "". */
static void line_cut(char *line, char separator, int n, const char **cell)
{
    for (int i = 0; i < n; i++) {
        cell[i] = line ? line : "";
        char *end = line ? strchr(line, separator) : NULL;
        if (end) *end = '\0';
        line = end ? end + 1 : NULL;
    }
}

/* Counts lines of the text: comments, others. */
static void count(const char *s, long *comments, long *others)
{
    *comments = *others = 0;
    while (*s) {
        if (*s == '#')
            ++*comments;
        else if (*s != '\n')
            ++*others;
        s = strchr(s, '\n');
        if (!s) return;
        s++;
    }
}

static int names_set(struct sl_csv *t, char *line, char separator)
{
    t->columns = cells_of(line, separator);
    if (t->columns > COLUMNS_MAX) return SL_FAIL(SL_EINPUT, "too many columns");
    t->name = calloc((size_t)t->columns, sizeof *t->name);
    SL_CHECK(t->name, SL_EMEM, "no memory for a table");
    line_cut(line, separator, t->columns, t->name);
    return SL_OK;
}

static int row_add(struct sl_csv *t, char *line, char separator, long rows)
{
    if (!t->columns) t->columns = cells_of(line, separator);
    if (!t->cell) {
        if (t->columns > COLUMNS_MAX) return SL_FAIL(SL_EINPUT, "too many columns");
        t->cell = calloc((size_t)rows * (size_t)t->columns, sizeof *t->cell);
        SL_CHECK(t->cell, SL_EMEM, "no memory for a table");
    }
    line_cut(line, separator, t->columns, t->cell + t->rows++ * t->columns);
    return SL_OK;
}

/* Older programs wrote the names of a history as its last comment. */
static bool names_in_comment(const struct sl_csv *t)
{
    return t->comments > 0 && strchr(t->comment[t->comments - 1], '\t');
}

static int parse(struct sl_csv *t, enum sl_csv_kind kind)
{
    char separator = kind == SL_CSV_HISTORY ? '\t' : ',';
    long comments, others;
    count(t->text.s, &comments, &others);
    t->comment = calloc((size_t)comments + 1, sizeof *t->comment);
    SL_CHECK(t->comment, SL_EMEM, "no memory for a table");
    char *s = t->text.s;
    for (char *line; (line = line_next(&s));) {
        if (*line == '#')
            t->comment[t->comments++] = line + (line[1] == ' ' ? 2 : 1);
        else if (*line && kind == SL_CSV_NAMED && !t->name)
            SL_TRY(names_set(t, line, separator));
        else if (*line) {
            bool own = kind == SL_CSV_HISTORY && !t->name && !names_in_comment(t);
            if (kind == SL_CSV_HISTORY && !t->name)
                SL_TRY(names_set(t, own ? line : (char *)t->comment[--t->comments], separator));
            if (!own) SL_TRY(row_add(t, line, separator, others));
        }
    }
    return SL_OK;
}

int sl_csv_read(struct sl_csv *t, const char *path, enum sl_csv_kind kind)
{
    *t = (struct sl_csv){0};
    int code = sl_buffer_read(&t->text, path, LARGEST);
    if (!code && strlen(t->text.s) != t->text.n) code = SL_FAIL(SL_EINPUT, "%s: not a text", path);
    if (!code) code = parse(t, kind);
    if (code) sl_csv_release(t);
    return code;
}

int sl_csv_try(struct sl_csv *t, const char *path, enum sl_csv_kind kind)
{
    int code = sl_csv_read(t, path, kind);
    return code == SL_EINPUT || (code == SL_EIO && sl_disk_missing(path)) ? SL_OK : code;
}

int sl_csv_column(const struct sl_csv *t, const char *name)
{
    size_t n = strlen(name);
    for (int i = 0; t->name && i < t->columns; i++)
        if (!strncmp(t->name[i], name, n) && (!t->name[i][n] || t->name[i][n] == '[')) return i;
    return -1;
}

long sl_csv_row(const struct sl_csv *t, const char *key)
{
    for (long i = 0; i < t->rows; i++)
        if (!strcmp(sl_csv_text(t, i, 0), key)) return i;
    return -1;
}

const char *sl_csv_note_text(const struct sl_csv *t, const char *key)
{
    size_t n = strlen(key);
    for (int i = 0; i < t->comments; i++) {
        const char *s = t->comment[i];
        if (!strncmp(s, key, n) && s[n] == ':') return s + n + 1 + strspn(s + n + 1, " ");
    }
    return "";
}

double sl_csv_note(const struct sl_csv *t, const char *key)
{
    const char *text = sl_csv_note_text(t, key);
    return *text ? strtod(text, NULL) : NAN;
}

const char *sl_csv_text(const struct sl_csv *t, long row, int column)
{
    if (row < 0 || row >= t->rows || column < 0 || column >= t->columns) return "";
    return t->cell[row * t->columns + column];
}

double sl_csv_number(const struct sl_csv *t, long row, int column)
{
    const char *s = sl_csv_text(t, row, column);
    char *end;
    double v = strtod(s, &end);
    return end == s || *end ? NAN : v;
}

int sl_csv_any(const struct sl_csv *t, const char *name)
{
    int c = sl_csv_column(t, name);
    for (long i = 0; i < t->rows && c >= 0; i++)
        if (isfinite(sl_csv_number(t, i, c))) return c;
    return -1;
}
