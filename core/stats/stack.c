/* stack.c - see stack.h. */
#include "core/stats/stack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/file.h"
#include "core/sys/status.h"

void sl_stack_release(struct sl_stack *s)
{
    for (int i = 0; i < s->tables; i++)
        sl_table_release(&s->table[i]);
    free(s->table);
    free(s->value);
}

double *sl_stack_at(const struct sl_stack *s, int member, int row, int col)
{
    return &s->value[((size_t)member * (size_t)s->nrow + (size_t)row) * (size_t)s->ncol +
                     (size_t)col];
}

int sl_stack_find(const struct sl_stack *s, const char *column)
{
    int c = sl_table_find(&s->table[0], column);
    return c < s->ncol ? c : -1;
}

/* The first ncol values of a table at x, between its rows; of a run that has its start alone, those
 * of the start. */
static void interpolate(const struct sl_table *t, double x, int ncol, double *out)
{
    int r = t->nrow > 1, before = 0;
    while (r < t->nrow - 1 && *sl_table_at(t, r, 0) < x)
        before = r++;
    double x0 = *sl_table_at(t, before, 0), x1 = *sl_table_at(t, r, 0);
    double part = x1 > x0 ? (x - x0) / (x1 - x0) : 1;
    for (int c = 0; c < ncol; c++)
        out[c] = (1 - part) * *sl_table_at(t, before, c) + part * *sl_table_at(t, r, c);
    out[0] = x;
}

/* Later versions of sluice add columns at the end: those that all members have. */
static int common_columns(struct sl_stack *s, const char *name)
{
    s->ncol = s->table[0].ncol;
    for (int i = 1; i < s->n; i++) {
        if (s->table[i].ncol < s->ncol) s->ncol = s->table[i].ncol;
        for (int c = 0; c < s->ncol; c++)
            SL_CHECK(strcmp(s->table[i].column[c].name, s->table[0].column[c].name) == 0, SL_EINPUT,
                     "%s has column %s in one member and %s in another", name,
                     s->table[0].column[c].name, s->table[i].column[c].name);
    }
    return SL_OK;
}

/* Rows of the first member, as far as all members reach when between rows is allowed. */
static int common_rows(struct sl_stack *s, const char *name, bool between)
{
    s->nrow = s->table[0].nrow;
    for (int i = 1; i < s->n; i++) {
        const struct sl_table *t = &s->table[i];
        SL_CHECK(t->nrow > 0 || !between, SL_EINPUT, "%s has no rows", name);
        SL_CHECK(between || t->nrow == s->nrow, SL_EINPUT,
                 "%s has %d rows in one member and %d in another: means are over rows, whose first "
                 "column, %s, must be the same in all members",
                 name, s->nrow, t->nrow, t->column[0].name);
        if (!between) continue;
        double end = *sl_table_at(t, t->nrow - 1, 0);
        while (s->nrow > 1 && *sl_table_at(&s->table[0], s->nrow - 1, 0) > end * (1 + 1e-9))
            s->nrow--;
    }
    return SL_OK;
}

static int fill_stack(struct sl_stack *s, const char *name, bool between)
{
    for (int i = 0; i < s->n; i++)
        for (int r = 0; r < s->nrow; r++) {
            const struct sl_table *t = &s->table[i];
            double x = *sl_table_at(&s->table[0], r, 0), *out = sl_stack_at(s, i, r, 0);
            double own = r < t->nrow ? *sl_table_at(t, r, 0) : INFINITY;
            bool same = fabs(own - x) <= 1e-9 * fabs(x) + 1e-300;
            SL_CHECK(same || between, SL_EINPUT,
                     "row %d of %s has %s %g in one member, %g in another: means are over rows, "
                     "whose first column must be the same in all members",
                     r + 1, name, t->column[0].name, x, own);
            if (same)
                memcpy(out, sl_table_at(t, r, 0), (size_t)s->ncol * sizeof *out);
            else
                interpolate(t, x, s->ncol, out);
        }
    return SL_OK;
}

bool sl_stack_is_against_time(const char *file)
{
    static const char *const those[] = {"decay.csv",  "energies.csv", "expansion.csv",
                                        "growth.csv", "levels.csv",   "level_shares.csv"};
    for (size_t i = 0; i < sizeof those / sizeof those[0]; i++)
        if (strcmp(file, those[i]) == 0) return true;
    return false;
}

/* Puts the mean of the members of each realisation in the place of the first ones. */
static void join_pairs(const struct sl_realisations *c, struct sl_stack *s)
{
    size_t values = (size_t)s->nrow * (size_t)s->ncol;
    for (int u = 0; u < c->units && c->units < c->n; u++) {
        int members = 0;
        double *to = s->value + (size_t)u * values;
        for (int i = u; i < c->n; i++) { /* the first of a later unit is further on */
            const double *from = s->value + (size_t)i * values;
            if (c->unit[i] != u) continue;
            members++;
            for (size_t k = 0; k < values && from != to; k++)
                to[k] = members == 1 ? from[k] : to[k] + (from[k] - to[k]) / members;
        }
    }
    s->n = c->units;
}

static int read_tables(const struct sl_realisations *c, const char *file, struct sl_stack *s)
{
    char stats[SL_PATH_MAX], path[SL_PATH_MAX];
    bool between = sl_stack_is_against_time(file);
    s->table = calloc((size_t)c->n, sizeof *s->table);
    SL_CHECK(s->table, SL_EMEM, "out of memory");
    for (int i = 0; i < c->n; i++) {
        SL_TRY(sl_path_join(stats, c->member[i], "stats"));
        SL_TRY(sl_path_join(path, stats, file));
        SL_TRY(sl_table_read_csv(path, &s->table[i]));
        s->n = s->tables = i + 1;
    }
    SL_TRY(common_columns(s, file));
    SL_TRY(common_rows(s, file, between));
    s->value = malloc(((size_t)s->n * (size_t)s->nrow * (size_t)s->ncol + 1) * sizeof *s->value);
    SL_CHECK(s->value, SL_EMEM, "out of memory");
    SL_TRY(fill_stack(s, file, between));
    join_pairs(c, s);
    return SL_OK;
}

int sl_stack_read(const struct sl_realisations *of, const char *file, struct sl_stack *out)
{
    struct sl_stack s = {.n = 0};
    int code = read_tables(of, file, &s);
    if (code == SL_OK)
        *out = s;
    else
        sl_stack_release(&s);
    return code;
}
