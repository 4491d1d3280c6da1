/* series.c - see series.h. */
#include "core/stats/series.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/file.h"
#include "core/sys/status.h"

enum { FILE_CAP = 1 << 30 };

/* "time[code] step[1] mass[2e33 g] ...", of older programs with "# " before it */
static void set_names(const char *line, size_t length, struct sl_series *h)
{
    const char *at = line + (*line == '#'), *end = line + length;
    h->ncol = 0;
    while (at < end && h->ncol < SL_SERIES_COLUMNS) {
        while (at < end && strchr(" \t", *at))
            at++;
        size_t n = 0;
        for (bool unit = false; at + n < end && (unit || !strchr(" \t", at[n])); n++)
            unit = at[n] == '[' || (unit && at[n] != ']');
        size_t bare = 0;
        while (bare < n && at[bare] != '[')
            bare++;
        if (bare > 0 && bare < SL_SERIES_NAME) {
            memcpy(h->name[h->ncol], at, bare);
            h->name[h->ncol++][bare] = '\0';
        }
        at += n;
    }
}

static int add_row(const char *path, int number, const char *line, const char *end,
                   struct sl_series *h)
{
    double *row = h->value + (size_t)h->nrow * (size_t)h->ncol;
    const char *at = line;
    SL_CHECK(h->ncol > 0, SL_EINPUT, "%s:%d: numbers before the line of names", path, number);
    for (int c = 0; c < h->ncol; c++) {
        char *next;
        row[c] = strtod(at, &next);
        SL_CHECK(next > at && next <= end, SL_EINPUT, "%s:%d: %d numbers expected, %d found", path,
                 number, h->ncol, c);
        at = next;
    }
    while (h->nrow > 0 && h->value[(size_t)(h->nrow - 1) * (size_t)h->ncol] >= row[0])
        h->nrow--;
    memmove(h->value + (size_t)h->nrow * (size_t)h->ncol, row, (size_t)h->ncol * sizeof *row);
    h->nrow++;
    return SL_OK;
}

static int parse(const char *path, const char *text, struct sl_series *h)
{
    int number = 1;
    SL_CHECK(strncmp(text, "time[", 5) == 0 || strncmp(text, "# sluice history 1", 18) == 0,
             SL_EINPUT, "%s is not a history: its first line does not begin with \"time[\"", path);
    for (const char *at = text; *at; number++) {
        const char *end = at + strcspn(at, "\n");
        if ((strncmp(at, "# time[", 7) == 0 || strncmp(at, "time[", 5) == 0) && h->nrow == 0)
            set_names(at, (size_t)(end - at), h);
        else if (*at != '#' && end > at)
            SL_TRY(add_row(path, number, at, end, h));
        at = end + (*end == '\n');
    }
    SL_CHECK(h->nrow > 0, SL_EINPUT, "%s has no lines of numbers", path);
    return SL_OK;
}

/* Room for every line at the largest number of columns that the bytes can hold. */
static int allocate(const char *text, size_t n, struct sl_series *h)
{
    size_t lines = 1;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    h->value = malloc((lines + 1) * SL_SERIES_COLUMNS * sizeof *h->value);
    SL_CHECK(h->value, SL_EMEM, "out of memory for a history of %zu lines", lines);
    return SL_OK;
}

int sl_series_read(const char *path, struct sl_series *out)
{
    char *text = NULL;
    size_t n = 0;
    SL_CHECK(access(path, R_OK) == 0, sl_file_status(errno), "cannot read the history %s: %s", path,
             strerror(errno));
    struct sl_series *h = calloc(1, sizeof *h);
    SL_CHECK(h, SL_EMEM, "out of memory");
    int code = sl_file_read(path, FILE_CAP, &text, &n);
    if (code == SL_OK) code = allocate(text, n, h);
    if (code == SL_OK) code = parse(path, text, h);
    if (code == SL_OK)
        *out = *h;
    else
        sl_series_release(h);
    free(text);
    free(h);
    return code;
}

void sl_series_release(struct sl_series *h)
{
    free(h->value);
    h->value = NULL;
}

int sl_series_find(const struct sl_series *h, const char *name)
{
    for (int c = 0; c < h->ncol; c++)
        if (strcmp(h->name[c], name) == 0) return c;
    return -1;
}

int sl_series_column(const struct sl_series *h, const char *name, int *column)
{
    int found = sl_series_find(h, name);
    SL_CHECK(found >= 0, SL_EINPUT, "the history has no column %s", name);
    *column = found;
    return SL_OK;
}
