/* sample_points.c - see sample_points.h. */
#include "core/sys/sample_points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/file.h"

enum { NUMBERS_MAX = SL_YAML_MAX_NODES - 10000 }; /* the rest of a recipe has nodes, too */

void sl_sample_points_free(struct sl_sample_points *p)
{
    if (!p) return;
    free(p->column);
    free(p->cell);
    free(p->path);
    free(p->text);
    free(p);
}

/* ---- lines ----------------------------------------------------------------------------------- */

struct line {
    char *at, *next; /* next: the one after it, NULL at the end */
    int number;
};

static bool is_blank(const char *s)
{
    s += strspn(s, " \t\r");
    return *s == '\0' || *s == '#';
}

/* The next line that says something, cut off from the rest; false at the end. */
static bool next_line(struct line *l)
{
    while (l->next && *l->next) {
        l->at = l->next;
        char *end = strchr(l->at, '\n');
        if (end) *end = '\0';
        l->next = end ? end + 1 : NULL;
        l->number++;
        if (!is_blank(l->at)) return true;
    }
    return false;
}

/* Cuts the cell at *from off and moves there behind it; NULL when the line has no more. */
static char *next_cell(char **from)
{
    char *cell = *from;
    if (!cell) return NULL;
    char *comma = strchr(cell, ',');
    *from = comma ? comma + 1 : NULL;
    if (comma) *comma = '\0';
    cell += strspn(cell, " \t");
    for (size_t n = strlen(cell); n > 0 && strchr(" \t\r", cell[n - 1]); n--)
        cell[n - 1] = '\0';
    return cell;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int count_commas(const char *s)
{
    int n = 0;
    for (; *s; s++)
        n += *s == ',';
    return n;
}

static int take_names(struct sl_sample_points *p, struct line *l)
{
    char *from = l->at;
    p->columns = count_commas(from) + 1;
    p->column = calloc((size_t)p->columns, sizeof *p->column);
    SL_CHECK(p->column, SL_EMEM, "no memory for the points");
    for (int c = 0; c < p->columns; c++) {
        struct sl_mark at = {p->path, l->number, (int)(from - l->at) + 1};
        p->column[c] = (struct sl_node){.kind = SL_NODE_LIST, .at = at, .name_at = at};
        p->column[c].name = next_cell(&from);
        for (int before = 0; before < c; before++)
            if (strcmp(p->column[before].name, p->column[c].name) == 0)
                return SL_FAIL_AT(at, "'%s' heads two columns", sl_quote(p->column[c].name).text);
    }
    return SL_OK;
}

static int take_row(struct sl_sample_points *p, const struct line *l, int rows)
{
    char *from = l->at;
    int cells = count_commas(from) + 1;
    if (cells != p->columns)
        return SL_FAIL_AT(((struct sl_mark){p->path, l->number, 1}),
                          "%d values in a row below %d names", cells, p->columns);
    for (int c = 0; c < p->columns; c++) {
        struct sl_node *cell = &p->cell[(size_t)c * (size_t)rows + (size_t)p->rows];
        struct sl_mark at = {p->path, l->number, (int)(from - l->at) + 1};
        *cell = (struct sl_node){.kind = SL_NODE_SCALAR, .at = at, .text = next_cell(&from)};
        if (!*cell->text || strchr("\"'[{", *cell->text))
            return SL_FAIL_AT(at, "%s: '%s' is no plain value", p->column[c].name,
                              sl_quote(cell->text).text);
        if (p->rows) cell[-1].next = cell;
        if (!p->rows) p->column[c].first = cell;
    }
    p->rows++;
    return SL_OK;
}

static int count_rows(struct line l)
{
    int n = 0;
    for (const char *s = l.next; s && *s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL) {
        size_t blank = strspn(s, " \t\r");
        n += s[blank] != '\0' && s[blank] != '\n' && s[blank] != '#';
    }
    return n;
}

static int take_table(struct sl_sample_points *p)
{
    struct line l = {.next = p->text};
    struct sl_mark at = {p->path, 1, 1};
    if (!next_line(&l)) return SL_FAIL_AT(at, "no line of names: of keys, with commas between");
    SL_TRY(take_names(p, &l));
    int rows = count_rows(l);
    if (rows == 0) return SL_FAIL_AT(at, "no point below the names");
    if ((double)rows * p->columns > NUMBERS_MAX)
        return SL_FAIL_AT(at, "%d points of %d keys: more than %d values", rows, p->columns,
                          NUMBERS_MAX);
    p->cell = calloc((size_t)rows * (size_t)p->columns, sizeof *p->cell);
    SL_CHECK(p->cell, SL_EMEM, "no memory for the points");
    while (next_line(&l))
        SL_TRY(take_row(p, &l, rows));
    for (int c = 0; c < p->columns; c++)
        p->column[c].count = p->rows;
    return SL_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static int path_of(const char *path, struct sl_mark at, char **out)
{
    char folder[4096];
    bool plain = *path == '/' || access(at.file, F_OK) != 0;
    if (!plain) SL_TRY(sl_path_parent(folder, at.file));
    int n = plain || strcmp(folder, ".") == 0 ? asprintf(out, "%s", path)
                                              : asprintf(out, "%s/%s", folder, path);
    if (n < 0) *out = NULL;
    SL_CHECK(*out, SL_EMEM, "no memory for the points");
    return SL_OK;
}

static int load(struct sl_sample_points *p, struct sl_mark from)
{
    size_t size;
    char why[600];
    if (sl_yaml_load(p->path, &p->text, &size) != SL_OK) {
        p->text = NULL;
        snprintf(why, sizeof why, "%s", sl_error_text());
        return SL_FAIL_AT(from, "sample.file: %s", why);
    }
    struct sl_mark at = {p->path, 1, 1};
    const char *wrong = sl_text_check(p->text, size, &at);
    if (wrong) return SL_FAIL_AT(at, "%s", wrong);
    return take_table(p);
}

int sl_sample_points_read(const char *path, struct sl_mark at, struct sl_sample_points **out)
{
    struct sl_sample_points *p = calloc(1, sizeof *p);
    SL_CHECK(p, SL_EMEM, "no memory for the points");
    int code = path_of(path, at, &p->path);
    if (code == SL_OK) code = load(p, at);
    if (code == SL_OK)
        *out = p;
    else
        sl_sample_points_free(p);
    return code;
}
