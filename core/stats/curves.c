/* curves.c - see curves.h. */
#include "core/stats/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure/fit.h"
#include "core/stats/ensemble.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

/* The same table of all members of a group, brought to common rows. */
struct stack {
    int n, nrow, ncol;
    int tables;             /* that were read: n, or more where pairs were joined */
    struct sl_table *table; /* owned, [tables] */
    double *value;          /* owned, [n][nrow][ncol] */
};

static void stack_release(struct stack *s)
{
    for (int i = 0; i < s->tables; i++)
        sl_table_release(&s->table[i]);
    free(s->table);
    free(s->value);
}

static double *stack_at(const struct stack *s, int member, int row, int col)
{
    return &s->value[((size_t)member * (size_t)s->nrow + (size_t)row) * (size_t)s->ncol +
                     (size_t)col];
}

/* Values of a table at x, between its rows; of a run that has its start alone, those of the
 * start. */
static void interpolate(const struct sl_table *t, double x, double *out)
{
    int r = t->nrow > 1, before = 0;
    while (r < t->nrow - 1 && *sl_table_at(t, r, 0) < x)
        before = r++;
    double x0 = *sl_table_at(t, before, 0), x1 = *sl_table_at(t, r, 0);
    double part = x1 > x0 ? (x - x0) / (x1 - x0) : 1;
    for (int c = 0; c < t->ncol; c++)
        out[c] = (1 - part) * *sl_table_at(t, before, c) + part * *sl_table_at(t, r, c);
    out[0] = x;
}

static int same_columns(const struct stack *s, const char *name)
{
    for (int i = 1; i < s->n; i++) {
        SL_CHECK(s->table[i].ncol == s->ncol, SL_EINPUT,
                 "%s has %d columns in one member and %d in another", name, s->ncol,
                 s->table[i].ncol);
        for (int c = 0; c < s->ncol; c++)
            SL_CHECK(strcmp(s->table[i].column[c].name, s->table[0].column[c].name) == 0, SL_EINPUT,
                     "%s has column %s in one member and %s in another", name,
                     s->table[0].column[c].name, s->table[i].column[c].name);
    }
    return SL_OK;
}

/* Rows of the first member, as far as all members reach when between rows is allowed. */
static int common_rows(struct stack *s, const char *name, bool between)
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

static int fill_stack(struct stack *s, const char *name, bool between)
{
    for (int i = 0; i < s->n; i++)
        for (int r = 0; r < s->nrow; r++) {
            const struct sl_table *t = &s->table[i];
            double x = *sl_table_at(&s->table[0], r, 0), *out = stack_at(s, i, r, 0);
            double own = r < t->nrow ? *sl_table_at(t, r, 0) : INFINITY;
            bool same = fabs(own - x) <= 1e-9 * fabs(x) + 1e-300;
            SL_CHECK(same || between, SL_EINPUT,
                     "row %d of %s has %s %g in one member, %g in another: means are over rows, "
                     "whose first column must be the same in all members",
                     r + 1, name, t->column[0].name, x, own);
            if (same)
                memcpy(out, sl_table_at(t, r, 0), (size_t)s->ncol * sizeof *out);
            else
                interpolate(t, x, out);
        }
    return SL_OK;
}

static bool is_against_time(const char *file)
{
    static const char *const those[] = {"decay.csv",  "energies.csv", "expansion.csv",
                                        "growth.csv", "levels.csv",   "level_shares.csv"};
    for (size_t i = 0; i < sizeof those / sizeof those[0]; i++)
        if (strcmp(file, those[i]) == 0) return true;
    return false;
}

/* Puts the mean of the members of each realisation in the place of the first ones. */
static void join_pairs(const struct sl_curves *c, struct stack *s)
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

static int stack_read(const struct sl_curves *c, const char *file, struct stack *s)
{
    char stats[SL_PATH_MAX], path[SL_PATH_MAX];
    bool between = is_against_time(file);
    s->table = calloc((size_t)c->n, sizeof *s->table);
    SL_CHECK(s->table, SL_EMEM, "out of memory");
    for (int i = 0; i < c->n; i++) {
        SL_TRY(sl_path_join(stats, c->member[i], "stats"));
        SL_TRY(sl_path_join(path, stats, file));
        SL_TRY(sl_table_read_csv(path, &s->table[i]));
        s->n = s->tables = i + 1;
    }
    s->ncol = s->table[0].ncol;
    SL_TRY(same_columns(s, file));
    SL_TRY(common_rows(s, file, between));
    s->value = malloc(((size_t)s->n * (size_t)s->nrow * (size_t)s->ncol + 1) * sizeof *s->value);
    SL_CHECK(s->value, SL_EMEM, "out of memory");
    SL_TRY(fill_stack(s, file, between));
    join_pairs(c, s);
    return SL_OK;
}

/* Of the members that have a number there: shells of profiles may be empty. */
static void mean_and_error(const struct stack *s, int row, int col, double *mean, double *error)
{
    double sum = 0, square = 0;
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        double x = *stack_at(s, i, row, col);
        if (isnan(x)) continue;
        sum += x;
        n++;
    }
    *mean = sum / n;
    for (int i = 0; i < s->n; i++) {
        double x = *stack_at(s, i, row, col);
        if (!isnan(x)) square += pow(x - *mean, 2);
    }
    *error = n > 1 ? sqrt(square / (n - 1) / n) : NAN;
}

static int mean_table(const struct sl_curves *curves, const struct stack *s)
{
    const struct sl_table *like = &s->table[0];
    struct sl_table *t;
    SL_TRY(sl_tables_add(curves->tables, like->name, s->nrow, 2 * s->ncol - 1, &t,
                         "mean over %d members and its standard error of: %.400s", s->n,
                         like->about));
    sl_table_column(t, 0, like->column[0].name, like->column[0].unit);
    for (int c = 1; c < s->ncol; c++) {
        char name[SL_TABLE_NAME];
        snprintf(name, sizeof name, "%.50s_mean", like->column[c].name);
        sl_table_column(t, 2 * c - 1, name, like->column[c].unit);
        snprintf(name, sizeof name, "%.50s_error", like->column[c].name);
        sl_table_column(t, 2 * c, name, like->column[c].unit);
    }
    for (int r = 0; r < s->nrow; r++) {
        *sl_table_at(t, r, 0) = *stack_at(s, 0, r, 0);
        for (int c = 1; c < s->ncol; c++)
            mean_and_error(s, r, c, sl_table_at(t, r, 2 * c - 1), sl_table_at(t, r, 2 * c));
    }
    sl_table_note(t, "members", s->n);
    return SL_OK;
}

static const char *usable(const struct sl_curves *c, double hartlap)
{
    if (c->tied)
        return "of members with fixed amplitudes or shared modes: not the covariance of the field, "
               "do "
               "not use it as one";
    return hartlap > 0 ? "multiply its inverse by hartlap_factor"
                       : "singular or nearly so (n <= p + 2): do not invert it";
}

/* Covariance of a column between the rows of a spectrum; what: end of its name. */
static int covariance_table(const struct sl_curves *c, const struct stack *s, int column,
                            const char *what)
{
    char name[SL_TABLE_NAME];
    int p = s->nrow;
    struct sl_table *t;
    double hartlap = c->tied ? 0 : sl_ensemble_hartlap(s->n, p);
    snprintf(name, sizeof name, "covariance_%s", what);
    SL_TRY(sl_tables_add(c->tables, name, p, p, &t,
                         "covariance, with 1 / (n - 1), of the shells k = 1 .. %d of %s; %s", p,
                         s->table[0].name, usable(c, hartlap)));
    t->matrix = true;
    snprintf(name, sizeof name, "(%.44s)^2", s->table[0].column[column].unit);
    sl_table_column(t, 0, "map", name);
    double *x = malloc((size_t)s->n * (size_t)p * sizeof *x);
    SL_CHECK(x, SL_EMEM, "out of memory");
    for (int i = 0; i < s->n; i++)
        for (int r = 0; r < p; r++)
            x[i * p + r] = *stack_at(s, i, r, column);
    sl_ensemble_covariance(s->n, p, x, t->value);
    free(x);
    sl_table_note(t, "members", s->n);
    sl_table_note(t, "hartlap_factor", hartlap);
    return SL_OK;
}

/* Variance of the power over that of a Gaussian field of the mean power, 2 P^2 / modes. */
static int scatter_table(const struct sl_curves *c, const struct stack *s, int column)
{
    char name[SL_TABLE_NAME];
    int modes = sl_table_find(&s->table[0], "modes");
    struct sl_table *t;
    snprintf(name, sizeof name, "scatter_%.50s", s->table[0].name);
    SL_TRY(sl_tables_add(c->tables, name, s->nrow, 3, &t,
                         "variance of the power between %d members over that of a Gaussian field, "
                         "2 P^2 / modes, which is uncertain by sqrt(2 / (n - 1))%s",
                         s->n, c->tied ? "; their amplitudes are fixed or modes are shared" : ""));
    sl_table_column(t, 0, s->table[0].column[0].name, s->table[0].column[0].unit);
    sl_table_column(t, 1, "ratio", "1");
    sl_table_column(t, 2, "uncertainty", "1");
    for (int r = 0; r < s->nrow; r++) {
        double mean, error;
        mean_and_error(s, r, column, &mean, &error);
        *sl_table_at(t, r, 0) = *stack_at(s, 0, r, 0);
        *sl_table_at(t, r, 1) =
            error * error * s->n * *stack_at(s, 0, r, modes) / (2 * mean * mean);
        *sl_table_at(t, r, 2) = sqrt(2.0 / (s->n - 1));
    }
    return SL_OK;
}

/* Covariances of monopole and quadrupole of the table multipoles_<rest>. */
static int pole_tables(const struct sl_curves *c, const struct stack *s, const char *rest)
{
    static const char *const pole[] = {"monopole", "quadrupole"};
    for (int i = 0; i < 2; i++) {
        char what[SL_TABLE_NAME];
        int column = sl_table_find(&s->table[0], pole[i]);
        snprintf(what, sizeof what, "%s_%.40s", pole[i], rest);
        if (column >= 0) SL_TRY(covariance_table(c, s, column, what));
    }
    return SL_OK;
}

static int spectrum_tables(const struct sl_curves *c, const struct stack *s)
{
    const char *name = s->table[0].name;
    if (strncmp(name, "multipoles_", 11) == 0) return pole_tables(c, s, name + 11);
    int total = sl_table_find(&s->table[0], "total"), power = sl_table_find(&s->table[0], "power");
    if (strncmp(name, "spectrum_", 9) == 0 && total >= 0)
        return covariance_table(c, s, total, name + 9);
    if (strncmp(name, "matter_", 7) != 0 || power < 0) return SL_OK;
    SL_TRY(covariance_table(c, s, power, name));
    return strncmp(name, "matter_cross_", 13) == 0 ? SL_OK : scatter_table(c, s, power);
}

/* From when to when the first member was fitted, as its table notes; nowhere if it was not. */
static void fit_range(const struct stack *s, double range[2])
{
    const struct sl_table *t = &s->table[0];
    range[0] = range[1] = INFINITY;
    for (int i = 0; i < t->nnote; i++) {
        if (strcmp(t->note[i].key, "fit_from") == 0) range[0] = t->note[i].value;
        if (strcmp(t->note[i].key, "fit_to") == 0) range[1] = t->note[i].value;
    }
}

/* Exponent of the mean of all members but one (skip < 0: of all). */
static int mean_exponent(const struct stack *s, int column, int skip, double *work, double *out)
{
    double range[2];
    double *t = work, *e = work + s->nrow;
    struct sl_power_law law = {.points = 0};
    for (int r = 0; r < s->nrow; r++) {
        t[r] = *stack_at(s, 0, r, 0);
        e[r] = 0;
        for (int i = 0; i < s->n; i++)
            if (i != skip) e[r] += *stack_at(s, i, r, column);
    }
    fit_range(s, range);
    SL_TRY(sl_power_fit(s->nrow, t, e, range[0], range[1], &law));
    *out = -law.exponent;
    return SL_OK;
}

/* The exponent of the mean curve is not a mean over members: its error is a jackknife. */
static int jackknife_exponent(const struct sl_curves *c, const struct stack *s)
{
    int column = sl_table_find(&s->table[0], "kinetic_energy_ratio");
    double all, sum = 0, square = 0, range[2];
    int used = 0;
    fit_range(s, range);
    for (int r = 0; r < s->nrow && column >= 0; r++) {
        used += sl_power_within(*stack_at(s, 0, r, 0), range[0], range[1]) &&
                *stack_at(s, 0, r, column) > 0;
    }
    if (column < 0 || used < 3 || s->n < 3) return SL_OK;
    double *work = malloc((2 * (size_t)s->nrow + (size_t)s->n) * sizeof *work);
    SL_CHECK(work, SL_EMEM, "out of memory");
    double *without = work + 2 * s->nrow;
    int code = mean_exponent(s, column, -1, work, &all);
    for (int i = 0; i < s->n && code == SL_OK; i++) {
        code = mean_exponent(s, column, i, work, &without[i]);
        sum += without[i] / s->n;
    }
    for (int i = 0; i < s->n; i++)
        square += (without[i] - sum) * (without[i] - sum);
    if (code == SL_OK)
        sl_summary_add(c->jackknife, "decay_exponent_of_mean", all,
                       sqrt(square * (s->n - 1) / s->n), "1");
    free(work);
    return code;
}

int sl_curves_reduce(const struct sl_curves *c, const char *file)
{
    struct stack s = {.n = 0};
    int code = stack_read(c, file, &s);
    if (code == SL_OK) code = mean_table(c, &s);
    if (code == SL_OK) code = spectrum_tables(c, &s);
    if (code == SL_OK && strcmp(file, "decay.csv") == 0) code = jackknife_exponent(c, &s);
    stack_release(&s);
    return code;
}
