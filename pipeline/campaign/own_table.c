/* own_table.c - see own_table.h. */
#include "pipeline/campaign/own_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t\r";

/* Of a cell; NAN where it holds something else. */
static double number_of(const char *cell)
{
    char *end;
    double x = strtod(cell, &end);
    return end == cell || end[strspn(end, blanks)] ? NAN : x;
}

static int count_cells(const char *line)
{
    int n = 1;
    for (; *line; line++)
        n += *line == ',';
    return n;
}

/* Cuts a line into its names, which must be as many as there are columns. */
static int take_names(struct sl_own_table *t, const char *line)
{
    int n = 0;
    t->names = strdup(line);
    t->name = calloc((size_t)t->columns, sizeof *t->name);
    SL_CHECK(t->names && t->name, SL_EMEM, "no memory for a table");
    char *save = t->names;
    for (char *name; n < t->columns && (name = strsep(&save, ",")); n++) {
        name += strspn(name, blanks);
        for (size_t end = strlen(name); end > 0 && strchr(blanks, name[end - 1]); end--)
            name[end - 1] = '\0';
        t->name[n] = name;
    }
    return SL_OK;
}

/* The line of names as text: the first row, or the last comment where all rows are numbers. NULL:
 * there is none. */
static char *find_names(const struct sl_csv *c, bool in_row)
{
    struct sl_buffer line = {.s = NULL};
    const char *comment = c->comments > 0 ? c->comment[c->comments - 1] : "";
    if (!in_row) return count_cells(comment) == c->columns ? strdup(comment) : NULL;
    for (int i = 0; i < c->columns; i++)
        sl_buffer_add(&line, "%s%s", i ? "," : "", sl_csv_text(c, 0, i));
    return line.s;
}

static int take_numbers(struct sl_own_table *t, long first)
{
    t->rows = t->text.rows - first;
    t->number = calloc((size_t)(t->rows * t->columns), sizeof *t->number);
    SL_CHECK(t->number, SL_EMEM, "no memory for a table");
    for (long row = 0; row < t->rows; row++)
        for (int i = 0; i < t->columns; i++)
            t->number[row * t->columns + i] = number_of(sl_csv_text(&t->text, row + first, i));
    for (long row = 0; row < t->rows; row++)
        SL_CHECK(!isnan(sl_own_number(t, row, 0)), SL_EINPUT,
                 "row %ld does not begin with a number", row + 1);
    return SL_OK;
}

static int parse(struct sl_own_table *t)
{
    struct sl_csv *c = &t->text;
    t->columns = c->columns;
    SL_CHECK(c->rows > 0 && c->columns > 1, SL_EINPUT, "it has not two columns");
    bool in_row = isnan(number_of(sl_csv_text(c, 0, 0)));
    SL_CHECK(c->rows > in_row, SL_EINPUT, "it has no numbers");
    char *line = find_names(c, in_row);
    SL_CHECK(line, SL_EINPUT, "its columns have no names");
    int code = take_names(t, line);
    free(line);
    if (code == SL_OK) code = take_numbers(t, in_row);
    sl_csv_release(c); /* the means hold the tables of all members at once */
    return code;
}

int sl_own_table_read(struct sl_own_table *t, const char *path)
{
    *t = (struct sl_own_table){.rows = 0};
    int code = sl_csv_read(&t->text, path, SL_CSV_MATRIX);
    if (code == SL_OK) code = parse(t);
    if (code != SL_OK) sl_own_table_release(t);
    return code;
}

void sl_own_table_release(struct sl_own_table *t)
{
    sl_csv_release(&t->text);
    free(t->names);
    free(t->name);
    free(t->number);
    *t = (struct sl_own_table){.rows = 0};
}

bool sl_own_table_has(const struct sl_own_table *t, int column)
{
    for (long row = 0; row < t->rows; row++)
        if (isfinite(sl_own_number(t, row, column))) return true;
    return false;
}

bool sl_own_table_alike(const struct sl_own_table *a, const struct sl_own_table *b)
{
    static const double rounding = 1e-9; /* of what was written with some ten digits */
    if (a->rows != b->rows || a->columns != b->columns) return false;
    for (int i = 0; i < a->columns; i++)
        if (strcmp(a->name[i], b->name[i]) != 0) return false;
    for (long row = 0; row < a->rows; row++) {
        double x = sl_own_number(a, row, 0), y = sl_own_number(b, row, 0);
        if (fabs(x - y) > rounding * fmax(fabs(x), fabs(y))) return false;
    }
    return true;
}
