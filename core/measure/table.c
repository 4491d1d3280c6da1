/* table.c - see table.h. */
#include "core/measure/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/h5.h"
#include "core/io/hdf.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

enum { FILE_CAP = 1 << 29 };

int sl_tables_add(struct sl_tables *tables, const char *name, int nrow, int ncol,
                  struct sl_table **out, const char *about, ...)
{
    if (tables->n == tables->room) {
        int room = 2 * tables->room + 16;
        struct sl_table *more = realloc(tables->table, (size_t)room * sizeof *more);
        SL_CHECK(more, SL_EMEM, "out of memory");
        tables->table = more;
        tables->room = room;
    }
    struct sl_table *t = &tables->table[tables->n];
    memset(t, 0, sizeof *t);
    t->nrow = nrow;
    t->ncol = ncol;
    t->column = calloc((size_t)ncol, sizeof *t->column);
    t->value = calloc((size_t)nrow * (size_t)ncol + 1, sizeof *t->value);
    if (!t->column || !t->value) {
        sl_table_release(t);
        return SL_FAIL(SL_EMEM, "out of memory for a table of %d x %d", nrow, ncol);
    }
    snprintf(t->name, sizeof t->name, "%s", name);
    va_list args;
    va_start(args, about);
    vsnprintf(t->about, sizeof t->about, about, args);
    va_end(args);
    tables->n++;
    *out = t;
    return SL_OK;
}

void sl_table_release(struct sl_table *t)
{
    free(t->column);
    free(t->value);
    t->column = NULL;
    t->value = NULL;
}

void sl_tables_release(struct sl_tables *tables)
{
    for (int i = 0; i < tables->n; i++)
        sl_table_release(&tables->table[i]);
    free(tables->table);
    *tables = (struct sl_tables){0, 0, NULL};
}

void sl_table_column(struct sl_table *t, int column, const char *name, const char *unit)
{
    snprintf(t->column[column].name, sizeof t->column[column].name, "%s", name);
    snprintf(t->column[column].unit, sizeof t->column[column].unit, "%s", unit);
}

void sl_table_note(struct sl_table *t, const char *key, double value)
{
    if (t->nnote == SL_TABLE_NOTES) SL_BUG("table %s has too many notes", t->name);
    snprintf(t->note[t->nnote].key, sizeof t->note[t->nnote].key, "%s", key);
    t->note[t->nnote++].value = value;
}

double sl_table_noted(const struct sl_table *t, const char *key)
{
    for (int i = 0; i < t->nnote; i++)
        if (!strcmp(t->note[i].key, key)) return t->note[i].value;
    return 0;
}

int sl_table_find(const struct sl_table *t, const char *column)
{
    for (int c = 0; c < t->ncol; c++)
        if (strcmp(t->column[c].name, column) == 0) return c;
    return -1;
}

/* ---- CSV out ---- */

static void print_head(const struct sl_table *t, FILE *out)
{
    fprintf(out, "# %s\n", t->about);
    for (int i = 0; i < t->nnote; i++)
        fprintf(out, "# %s: %.17g\n", t->note[i].key, t->note[i].value);
    if (t->matrix) {
        double lo = INFINITY, hi = -INFINITY;
        for (size_t i = 0; i < (size_t)t->nrow * (size_t)t->ncol; i++) {
            lo = fmin(lo, t->value[i]);
            hi = fmax(hi, t->value[i]);
        }
        fprintf(out, "# unit: %s\n# range %.10g %.10g\n", t->column[0].unit, lo, hi);
        return;
    }
    for (int c = 0; c < t->ncol; c++)
        fprintf(out, "# unit %s: %s\n", t->column[c].name, t->column[c].unit);
    for (int c = 0; c < t->ncol; c++)
        fprintf(out, "%s%s", c ? "," : "", t->column[c].name);
    fputc('\n', out);
}

/* Ids and counts keep all their digits. */
static void print_number(double x, FILE *out)
{
    bool whole = fabs(x) >= 1e10 && fabs(x) <= 0x1p53 && floor(x) == x;
    fprintf(out, whole ? "%.0f" : "%.10g", x);
}

static void print_table(const void *arg, FILE *out)
{
    const struct sl_table *t = arg;
    print_head(t, out);
    for (int r = 0; r < t->nrow; r++) {
        for (int c = 0; c < t->ncol; c++) {
            if (c) fputc(',', out);
            print_number(*sl_table_at(t, r, c), out);
        }
        fputc('\n', out);
    }
}

/* What print writes becomes the file, complete or not at all. */
static int replace(const char *path, void (*print)(const void *, FILE *), const void *arg,
                   enum sl_durable durable)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    SL_CHECK(out, SL_EMEM, "out of memory for %s", path);
    print(arg, out);
    int bad = ferror(out);
    bad |= fclose(out);
    int code = bad ? SL_FAIL(SL_EMEM, "out of memory for %s", path)
                   : sl_file_replace(path, text, size, durable);
    free(text);
    return code;
}

int sl_table_write_csv(const struct sl_table *t, const char *dir, enum sl_durable durable)
{
    char path[SL_PATH_MAX], file[SL_TABLE_NAME + 8];
    snprintf(file, sizeof file, "%s.csv", t->name);
    SL_TRY(sl_path_join(path, dir, file));
    return replace(path, print_table, t, durable);
}

/* ---- HDF5 out ---- */

static int write_columns(const struct sl_table *t, hid_t group)
{
    hsize_t n = (hsize_t)t->nrow;
    double *column = malloc(((size_t)t->nrow + 1) * sizeof *column);
    SL_CHECK(column, SL_EMEM, "out of memory");
    int code = SL_OK;
    for (int c = 0; c < t->ncol && code == SL_OK; c++) {
        for (int r = 0; r < t->nrow; r++)
            column[r] = *sl_table_at(t, r, c);
        code = sl_hdf_dataset(group, t->column[c].name, 1, &n, column, t->column[c].unit, t->about);
    }
    free(column);
    return code;
}

int sl_table_write_hdf(const struct sl_table *t, hid_t parent)
{
    hid_t group = sl_h5_group(parent, t->name);
    SL_CHECK(group >= 0, SL_EIO, "cannot write the group %s", t->name);
    hsize_t size[2] = {(hsize_t)t->nrow, (hsize_t)t->ncol};
    int code = t->matrix
                   ? sl_hdf_dataset(group, "map", 2, size, t->value, t->column[0].unit, t->about)
                   : write_columns(t, group);
    if (code == SL_OK) code = sl_h5_put_text(group, "description", t->about);
    for (int i = 0; i < t->nnote && code == SL_OK; i++)
        code = sl_hdf_real(group, t->note[i].key, t->note[i].value);
    H5Gclose(group);
    return code;
}

/* ---- CSV in ---- */

/* Splits a line at commas into at most room pieces, in place; returns how many there are. */
static int split(char *line, char **piece, int room)
{
    int n = 0;
    for (char *at = line; at; n++) {
        if (n < room) piece[n] = at;
        at = strchr(at, ',');
        if (at) *at++ = '\0';
    }
    return n;
}

static char *next_line(char **at)
{
    char *line = *at;
    if (!*line) return NULL;
    char *end = line + strcspn(line, "\n");
    *at = end + (*end == '\n');
    *end = '\0';
    if (end > line && end[-1] == '\r') end[-1] = '\0';
    return line;
}

static int number(const char *path, int line, const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    SL_CHECK(end > text && *end == '\0', SL_EINPUT, "%s:%d: not a number: %.40s", path, line, text);
    return SL_OK;
}

static void read_comment(const char *line, int number_of_line, struct sl_table *t)
{
    const char *text = line + 1 + (line[1] == ' ');
    const char *colon = strstr(text, ": ");
    if (number_of_line == 1) snprintf(t->about, sizeof t->about, "%s", text);
    if (number_of_line == 1 || !colon || strncmp(text, "unit", 4) == 0) return;
    char *end, key[SL_TABLE_NAME];
    double value = strtod(colon + 2, &end);
    snprintf(key, sizeof key, "%.*s", (int)(colon - text), text);
    if (*end == '\0' && t->nnote < SL_TABLE_NOTES) sl_table_note(t, key, value);
}

/* "# unit <column>: <unit>" lines stand before the names: looked up again once those are known. */
static void read_units(const char *text, struct sl_table *t)
{
    for (int c = 0; c < t->ncol; c++) {
        char key[SL_TABLE_NAME + 16];
        snprintf(key, sizeof key, "# unit %s: ", t->column[c].name);
        const char *at = strstr(text, key);
        if (!at) continue;
        at += strlen(key);
        snprintf(t->column[c].unit, sizeof t->column[c].unit, "%.*s", (int)strcspn(at, "\n"), at);
    }
}

static int read_names(const char *path, int line, char *text, struct sl_table *t)
{
    enum { ROOM = 4096 };
    char **piece = malloc(ROOM * sizeof *piece);
    SL_CHECK(piece, SL_EMEM, "out of memory");
    t->ncol = split(text, piece, ROOM);
    int code = t->ncol <= ROOM ? SL_OK : SL_FAIL(SL_EINPUT, "%s:%d: too many columns", path, line);
    if (code == SL_OK) t->column = calloc((size_t)t->ncol, sizeof *t->column);
    if (code == SL_OK && !t->column) code = SL_FAIL(SL_EMEM, "out of memory");
    for (int c = 0; c < t->ncol && code == SL_OK; c++)
        sl_table_column(t, c, piece[c], "");
    free(piece);
    return code;
}

static int read_row(const char *path, int line, char *text, struct sl_table *t)
{
    enum { ROOM = 4096 };
    char *piece[ROOM];
    int n = split(text, piece, ROOM);
    SL_CHECK(n == t->ncol, SL_EINPUT, "%s:%d: %d values expected, %d found", path, line, t->ncol,
             n);
    for (int c = 0; c < n; c++)
        SL_TRY(number(path, line, piece[c], sl_table_at(t, t->nrow, c)));
    t->nrow++;
    return SL_OK;
}

static int parse(const char *path, char *text, size_t lines, struct sl_table *t)
{
    char *at = text, *line;
    for (int number_of_line = 1; (line = next_line(&at)); number_of_line++) {
        if (*line == '#') {
            read_comment(line, number_of_line, t);
        } else if (!t->column) {
            SL_TRY(read_names(path, number_of_line, line, t));
            t->value = malloc(lines * (size_t)t->ncol * sizeof *t->value);
            SL_CHECK(t->value, SL_EMEM, "out of memory for %s", path);
        } else {
            SL_TRY(read_row(path, number_of_line, line, t));
        }
    }
    SL_CHECK(t->column, SL_EINPUT, "%s has no line of names", path);
    return SL_OK;
}

int sl_table_read_csv(const char *path, struct sl_table *out)
{
    struct sl_table t = {.nrow = 0};
    char *text = NULL;
    size_t n = 0, lines = 1;
    SL_TRY(sl_file_read(path, FILE_CAP, &text, &n));
    char *copy = strdup(text);
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    int code = copy ? parse(path, text, lines, &t) : SL_FAIL(SL_EMEM, "out of memory");
    if (code == SL_OK) {
        const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
        snprintf(t.name, sizeof t.name, "%.*s", (int)strcspn(base, "."), base);
        read_units(copy, &t);
        *out = t;
    } else {
        sl_table_release(&t);
    }
    free(copy);
    free(text);
    return code;
}

/* ---- summary ---- */

void sl_summary_add(struct sl_summary *s, const char *name, double value, double error,
                    const char *unit)
{
    if (s->n == SL_QUANTITIES) SL_BUG("too many quantities in a summary");
    struct sl_quantity *q = &s->row[s->n++];
    snprintf(q->name, sizeof q->name, "%s", name);
    snprintf(q->unit, sizeof q->unit, "%s", unit);
    q->value = value;
    q->error = error;
}

const struct sl_quantity *sl_summary_find(const struct sl_summary *s, const char *name)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->row[i].name, name) == 0) return &s->row[i];
    return NULL;
}

static void print_summary(const void *arg, FILE *out)
{
    const struct sl_summary *s = arg;
    fprintf(out, "# one number per quantity of this run; error 0: none is known\n"
                 "quantity,value,error,unit\n");
    for (int i = 0; i < s->n; i++)
        fprintf(out, "%s,%.17g,%.10g,%s\n", s->row[i].name, s->row[i].value, s->row[i].error,
                s->row[i].unit);
}

int sl_summary_write_csv(const struct sl_summary *s, const char *path)
{
    return replace(path, print_summary, s, SL_DURABLE);
}

int sl_summary_write_hdf(const struct sl_summary *s, hid_t parent)
{
    hsize_t one = 1;
    hid_t group = sl_h5_group(parent, "summary");
    SL_CHECK(group >= 0, SL_EIO, "cannot write the group summary");
    int code = SL_OK;
    for (int i = 0; i < s->n && code == SL_OK; i++)
        code = sl_hdf_dataset(group, s->row[i].name, 1, &one, &s->row[i].value, s->row[i].unit,
                              "one number for this run");
    H5Gclose(group);
    return code;
}

static int parse_summary(const char *path, char *text, struct sl_summary *s)
{
    char *at = text, *line, *piece[4];
    int names = 0;
    for (int n = 1; (line = next_line(&at)); n++) {
        if (*line == '#') continue;
        SL_CHECK(split(line, piece, 4) == 4, SL_EINPUT, "%s:%d: four values expected", path, n);
        if (names++ == 0) continue;
        double value, error;
        SL_TRY(number(path, n, piece[1], &value));
        SL_TRY(number(path, n, piece[2], &error));
        SL_CHECK(s->n < SL_QUANTITIES, SL_EINPUT, "%s: more than %d quantities", path,
                 SL_QUANTITIES);
        sl_summary_add(s, piece[0], value, error, piece[3]);
    }
    SL_CHECK(names > 0, SL_EINPUT, "%s has no line of names", path); /* nothing may be measured */
    return SL_OK;
}

int sl_summary_read_csv(const char *path, struct sl_summary *out)
{
    char *text = NULL;
    size_t n = 0;
    struct sl_summary *s = calloc(1, sizeof *s);
    SL_CHECK(s, SL_EMEM, "out of memory");
    int code = sl_file_read(path, FILE_CAP, &text, &n);
    if (code == SL_OK) code = parse_summary(path, text, s);
    if (code == SL_OK) *out = *s;
    free(text);
    free(s);
    return code;
}
