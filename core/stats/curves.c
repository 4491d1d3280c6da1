/* curves.c - see curves.h. */
#include "core/stats/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure/fit.h"
#include "core/stats/ensemble.h"
#include "core/stats/stack.h"
#include "core/sys/status.h"

/* Of the members that have a number there: shells of profiles may be empty. */
static void mean_and_error(const struct sl_stack *s, int row, int col, double *mean, double *error)
{
    double sum = 0, square = 0;
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        double x = *sl_stack_at(s, i, row, col);
        if (isnan(x)) continue;
        sum += x;
        n++;
    }
    *mean = sum / n;
    for (int i = 0; i < s->n; i++) {
        double x = *sl_stack_at(s, i, row, col);
        if (!isnan(x)) square += pow(x - *mean, 2);
    }
    *error = n > 1 ? sqrt(square / (n - 1) / n) : NAN;
}

static int mean_table(const struct sl_curves *curves, const struct sl_stack *s)
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
        *sl_table_at(t, r, 0) = *sl_stack_at(s, 0, r, 0);
        for (int c = 1; c < s->ncol; c++)
            mean_and_error(s, r, c, sl_table_at(t, r, 2 * c - 1), sl_table_at(t, r, 2 * c));
    }
    sl_table_note(t, "members", s->n);
    return SL_OK;
}

/* What the first rows of a table are. */
static const char *rows_are(const struct sl_stack *s)
{
    return strncmp(s->table[0].name, "halo_", 5) == 0 ? "bins 1" : "shells k = 1";
}

/* A matrix of the first p rows of a table. */
static int matrix_add(const struct sl_curves *c, const struct sl_stack *s, int p, const char *name,
                      const char *unit, double **out, const char *about)
{
    struct sl_table *t;
    SL_TRY(sl_tables_add(c->tables, name, p, p, &t, "%.300s of the %s .. %d of %s", about,
                         rows_are(s), p, s->table[0].name));
    t->matrix = true;
    sl_table_column(t, 0, "map", unit);
    sl_table_note(t, "members", s->n);
    *out = t->value;
    return SL_OK;
}

/* The standard error of each element of a covariance, and its correlation matrix. */
static int beside_covariance(const struct sl_curves *c, const struct sl_stack *s, int p,
                             const char *unit, const double *covariance, const char *what)
{
    char name[SL_TABLE_NAME];
    double *error, *correlation;
    snprintf(name, sizeof name, "covariance_error_%.46s", what);
    SL_TRY(matrix_add(c, s, p, name, unit, &error,
                      "standard error, sqrt((C_ij^2 + C_ii C_jj) / (n - 1)) as of Gaussian members "
                      "(Wishart; Taylor, Joachimi & Kitching 2013), of each element of the "
                      "covariance"));
    sl_ensemble_covariance_error(s->n, p, covariance, error);
    snprintf(name, sizeof name, "correlation_matrix_%.44s", what);
    SL_TRY(matrix_add(c, s, p, name, "1", &correlation,
                      "correlation matrix, C_ij / sqrt(C_ii C_jj), each uncertain by (1 - r^2) / "
                      "sqrt(n - 1),"));
    sl_ensemble_correlation(p, covariance, correlation);
    return SL_OK;
}

/* x[realisation][row] of the first p rows of a column; owned by the caller, NULL without memory. */
static double *column_of(const struct sl_stack *s, int p, int column)
{
    double *x = malloc(((size_t)s->n * (size_t)p + 1) * sizeof *x);
    for (int i = 0; i < s->n && x; i++)
        for (int r = 0; r < p; r++)
            x[i * p + r] = *sl_stack_at(s, i, r, column);
    return x;
}

/* Covariance of a column between the first p rows of a table; what: end of its name. None of
 * members that are tied. */
static int covariance_table(struct sl_curves *c, const struct sl_stack *s, int p, int column,
                            const char *what)
{
    char name[SL_TABLE_NAME], unit[SL_TABLE_UNIT];
    struct sl_table *t;
    double hartlap = sl_ensemble_hartlap(s->n, p);
    c->refused += c->tied;
    if (c->tied) return SL_OK;
    snprintf(name, sizeof name, "covariance_%.52s", what);
    SL_TRY(sl_tables_add(c->tables, name, p, p, &t,
                         "covariance, with 1 / (n - 1), of the %s .. %d of %s; %s", rows_are(s), p,
                         s->table[0].name,
                         hartlap > 0 ? "multiply its inverse by hartlap_factor"
                                     : "singular or nearly so (n <= p + 2): do not invert it"));
    t->matrix = true;
    snprintf(unit, sizeof unit, "(%.43s)^2", s->table[0].column[column].unit);
    sl_table_column(t, 0, "map", unit);
    sl_table_note(t, "members", s->n);
    sl_table_note(t, "hartlap_factor", hartlap);
    double *x = column_of(s, p, column), *covariance = t->value;
    SL_CHECK(x, SL_EMEM, "out of memory");
    sl_ensemble_covariance(s->n, p, x, covariance);
    free(x);
    return beside_covariance(c, s, p, unit, covariance, what);
}

/* Variance of the power over that of a Gaussian field of the mean power, 2 P^2 / modes. */
static int scatter_table(const struct sl_curves *c, const struct sl_stack *s, int column)
{
    char name[SL_TABLE_NAME];
    int modes = sl_stack_find(s, "modes");
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
        *sl_table_at(t, r, 0) = *sl_stack_at(s, 0, r, 0);
        *sl_table_at(t, r, 1) =
            error * error * s->n * *sl_stack_at(s, 0, r, modes) / (2 * mean * mean);
        *sl_table_at(t, r, 2) = sqrt(2.0 / (s->n - 1));
    }
    return SL_OK;
}

/* Covariances of monopole and quadrupole of the table multipoles_<rest>. */
static int pole_tables(struct sl_curves *c, const struct sl_stack *s, const char *rest)
{
    static const char *const pole[] = {"monopole", "quadrupole"};
    for (int i = 0; i < 2; i++) {
        char what[SL_TABLE_NAME];
        int column = sl_stack_find(s, pole[i]);
        snprintf(what, sizeof what, "%s_%.40s", pole[i], rest);
        if (column >= 0) SL_TRY(covariance_table(c, s, s->nrow, column, what));
    }
    return SL_OK;
}

/* Of the bins before the first one in which no member has a halo. */
static int mass_function_table(struct sl_curves *c, const struct sl_stack *s)
{
    int column = sl_stack_find(s, "dn_dlnm"), p = 0;
    bool any = column >= 0;
    for (; p < s->nrow && any; p += any) {
        any = false;
        for (int i = 0; i < s->n; i++)
            any |= *sl_stack_at(s, i, p, column) > 0;
    }
    return p > 0 ? covariance_table(c, s, p, column, s->table[0].name) : SL_OK;
}

static int spectrum_tables(struct sl_curves *c, const struct sl_stack *s)
{
    const char *name = s->table[0].name;
    if (strncmp(name, "multipoles_", 11) == 0) return pole_tables(c, s, name + 11);
    if (strncmp(name, "halo_mass_function_", 19) == 0) return mass_function_table(c, s);
    int total = sl_stack_find(s, "total"), power = sl_stack_find(s, "power");
    if (strncmp(name, "spectrum_", 9) == 0 && total >= 0)
        return covariance_table(c, s, s->nrow, total, name + 9);
    if (strncmp(name, "matter_", 7) != 0 || power < 0) return SL_OK;
    SL_TRY(covariance_table(c, s, s->nrow, power, name));
    return strncmp(name, "matter_cross_", 13) == 0 ? SL_OK : scatter_table(c, s, power);
}

/* From when to when the first member was fitted, as its table notes; nowhere if it was not. */
static void fit_range(const struct sl_stack *s, double range[2])
{
    const struct sl_table *t = &s->table[0];
    range[0] = range[1] = INFINITY;
    for (int i = 0; i < t->nnote; i++) {
        if (strcmp(t->note[i].key, "fit_from") == 0) range[0] = t->note[i].value;
        if (strcmp(t->note[i].key, "fit_to") == 0) range[1] = t->note[i].value;
    }
}

/* Exponent of the mean of all members but one (skip < 0: of all). */
static int mean_exponent(const struct sl_stack *s, int column, int skip, double *work, double *out)
{
    double range[2];
    double *t = work, *e = work + s->nrow;
    struct sl_power_law law = {.points = 0};
    for (int r = 0; r < s->nrow; r++) {
        t[r] = *sl_stack_at(s, 0, r, 0);
        e[r] = 0;
        for (int i = 0; i < s->n; i++)
            if (i != skip) e[r] += *sl_stack_at(s, i, r, column);
    }
    fit_range(s, range);
    SL_TRY(sl_power_fit(s->nrow, t, e, range[0], range[1], &law));
    *out = -law.exponent;
    return SL_OK;
}

/* The exponent of the mean curve is not a mean over members: its error is a jackknife. */
static int jackknife_exponent(const struct sl_curves *c, const struct sl_stack *s)
{
    int column = sl_stack_find(s, "kinetic_energy_ratio");
    double all, sum = 0, square = 0, range[2];
    int used = 0;
    fit_range(s, range);
    for (int r = 0; r < s->nrow && column >= 0; r++) {
        used += sl_power_within(*sl_stack_at(s, 0, r, 0), range[0], range[1]) &&
                *sl_stack_at(s, 0, r, column) > 0;
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

int sl_curves_reduce(struct sl_curves *c, const char *file)
{
    struct sl_stack s;
    SL_TRY(sl_stack_read(&c->of, file, &s));
    int code = mean_table(c, &s);
    if (code == SL_OK) code = spectrum_tables(c, &s);
    if (code == SL_OK && strcmp(file, "decay.csv") == 0) code = jackknife_exponent(c, &s);
    sl_stack_release(&s);
    return code;
}
