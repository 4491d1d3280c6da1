/* expansion.c - see expansion.h. */
#include "core/stats/expansion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/sys/status.h"

/* ---- energies ---- */

enum { A, TOTAL, KINETIC, THERMAL, POTENTIAL, MASS, NEEDED, MAGNETIC = NEEDED, KNOWN };

static bool look(const struct sl_series *s, int column[KNOWN])
{
    static const char *const name[KNOWN] = {"scale_factor",   "energy_total",     "energy_kinetic",
                                            "energy_thermal", "energy_potential", "mass",
                                            "energy_magnetic"};
    bool gas = true;
    for (int i = 0; i < KNOWN; i++)
        column[i] = sl_series_find(s, name[i]);
    for (int i = TOTAL; i < NEEDED; i++)
        gas &= i == POTENTIAL || column[i] >= 0;
    bool any = gas || sl_series_find(s, "particle_energy_kinetic") >= 0;
    return any && column[A] >= 0 && column[POTENTIAL] >= 0;
}

/* 0 of what the run does not have. */
static double value_at(const struct sl_series *s, int r, int column)
{
    return column < 0 ? 0 : sl_series_at(s, r, column);
}

bool sl_expansion_is_recorded(const struct sl_series *series)
{
    int column[KNOWN];
    return look(series, column);
}

/* Integral of a power of x through two values over d ln x; of values of other signs by the
 * trapezoid. */
static double piece(double from, double to, double step)
{
    double ratio = to / from;
    if (!(ratio > 0) || fabs(ratio - 1) < 1e-6) return 0.5 * (from + to) * step;
    return (to - from) / log(ratio) * step;
}

/* Kinetic energy of particles, where there are any. */
static double particles_at(const struct sl_series *s, int r)
{
    return value_at(s, r, sl_series_find(s, "particle_energy_kinetic"));
}

/* What field and heat get of the expansion per d ln a (core/source/comoving.c). */
static double source_at(const struct sl_series *s, int r, const int column[KNOWN], double gamma)
{
    double heat = 5 - 3 * gamma;
    return value_at(s, r, column[MAGNETIC]) +
           (fabs(heat) > 3e-12 ? heat * value_at(s, r, column[THERMAL]) : 0);
}

/* Integrals over d ln a since the start: of the potential energy, and of what the expansion gives
 * to field and heat. */
struct integrals {
    double potential, given;
};

static void energy_row(const struct sl_series *s, const int column[KNOWN], int r,
                       struct integrals sums, double *row)
{
    double a = sl_series_at(s, r, column[A]), first = particles_at(s, 0), now = particles_at(s, r);
    const int sum[] = {TOTAL, POTENTIAL};
    for (int i = 0; i < 2; i++) {
        first += value_at(s, 0, column[sum[i]]);
        now += value_at(s, r, column[sum[i]]);
    }
    double begun = value_at(s, 0, column[MASS]);
    const double all[] = {a,
                          1 / a - 1,
                          value_at(s, r, column[KINETIC]) + particles_at(s, r),
                          value_at(s, r, column[THERMAL]),
                          value_at(s, r, column[POTENTIAL]),
                          now - first - sums.given,
                          sums.potential,
                          begun > 0 ? value_at(s, r, column[MASS]) / begun - 1 : 0,
                          value_at(s, r, column[MAGNETIC]),
                          sums.given};
    memcpy(row, all, sizeof all);
}

enum { POTENTIAL_NOW = 4, GAINED, INTEGRAL, MASS_DRIFT, ENERGY_COLUMNS = 10 };

/* Adds what the time from the line before line r brings. */
static void integrate(const struct sl_series *s, const int column[KNOWN], int r, double gamma,
                      struct integrals *sums)
{
    int before = r > 0 ? r - 1 : 0;
    double step = log(sl_series_at(s, r, column[A]) / sl_series_at(s, before, column[A]));
    sums->potential += piece(sl_series_at(s, before, column[POTENTIAL]),
                             sl_series_at(s, r, column[POTENTIAL]), step);
    sums->given += piece(source_at(s, before, column, gamma), source_at(s, r, column, gamma), step);
}

int sl_expansion_energies(const struct sl_series *series, double gamma, struct sl_tables *tables,
                          struct sl_summary *summary)
{
    static const char *const name[ENERGY_COLUMNS] = {
        "scale_factor",          "redshift",   "kinetic",  "thermal", "potential", "gained",
        "integral_of_potential", "mass_drift", "magnetic", "given"};
    int column[KNOWN];
    struct sl_table *t;
    struct integrals sums = {0, 0};
    double worst = 0, most = 0, longest = 0;
    if (!look(series, column)) return SL_OK;
    SL_TRY(
        sl_tables_add(tables, "expansion", series->nrow, ENERGY_COLUMNS, &t,
                      "energies against the scale factor: of motion and heat, potential, what "
                      "all have gained since the start, the field too, beside what the expansion "
                      "gave, and the integral of the potential "
                      "energy over d ln a, which that is (Layzer and Irvine); mass over that of "
                      "the start - 1; energy of the field, and what the expansion gave to it and "
                      "to heat: the integral of M + (5 - 3 gamma) U over d ln a"));
    for (int i = 0; i < ENERGY_COLUMNS; i++) {
        bool ratio = i < 2 || i == MASS_DRIFT;
        bool sum = i == GAINED || i == INTEGRAL || i == ENERGY_COLUMNS - 1;
        sl_table_column(t, i, name[i], ratio ? "1" : sum ? "a^2 code energy" : "code energy");
    }
    for (int r = 0; r < series->nrow; r++) {
        int before = r > 0 ? r - 1 : 0;
        double step =
            log(sl_series_at(series, r, column[A]) / sl_series_at(series, before, column[A]));
        longest = fmax(longest, step);
        integrate(series, column, r, gamma, &sums);
        energy_row(series, column, r, sums, sl_table_at(t, r, 0));
        worst = fmax(worst, fabs(*sl_table_at(t, r, GAINED) - sums.potential));
        most = fmax(most, fmax(fabs(*sl_table_at(t, r, POTENTIAL_NOW)), fabs(sums.given)));
    }
    if (most > 0 && longest <= SL_EXPANSION_STEP)
        sl_summary_add(summary, "layzer_irvine", worst / most, 0, "1");
    return SL_OK;
}

/* ---- growth ---- */

static bool begins(const struct sl_table *t, const char *kind)
{
    return !strncmp(t->name, kind, strlen(kind));
}

/* Whose power tells the growth: the first of these that is known. */
static const char *kind_of(const struct sl_tables *tables)
{
    static const char *const kind[] = {"matter_total_", "matter_gas_", "matter_particles_"};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < tables->n; i++)
            if (begins(&tables->table[i], kind[k])) return kind[k];
    return kind[2];
}

/* The next table on from `from` that tells that power at a scale factor, NULL when there is
 * none. */
static const struct sl_table *next_power(const struct sl_tables *tables, int *from)
{
    const char *kind = kind_of(tables);
    for (; *from < tables->n; (*from)++) {
        const struct sl_table *t = &tables->table[*from];
        if (begins(t, kind) && sl_table_noted(t, "scale_factor") > 0 && t->nrow >= SL_GROWTH_SHELLS)
            return &tables->table[(*from)++];
    }
    return NULL;
}

static void growth_row(const struct sl_linear *linear, const struct sl_table *first,
                       const struct sl_table *now, double *row)
{
    int power = sl_table_find(now, "power");
    double a0 = sl_table_noted(first, "scale_factor"), a = sl_table_noted(now, "scale_factor");
    row[0] = a;
    row[1] = 1 / a - 1;
    row[2] = sl_linear_growth(linear, a) / sl_linear_growth(linear, a0);
    for (int i = 0; i < SL_GROWTH_SHELLS; i++)
        row[3 + i] = sqrt(*sl_table_at(now, i, power) / *sl_table_at(first, i, power));
}

static void growth_columns(struct sl_table *t)
{
    static const char *const name[] = {"scale_factor", "redshift", "linear"};
    for (int i = 0; i < 3 + SL_GROWTH_SHELLS; i++) {
        char shell[32];
        snprintf(shell, sizeof shell, "shell_%d", i - 2);
        sl_table_column(t, i, i < 3 ? name[i] : shell, "1");
    }
}

int sl_expansion_growth(const struct sl_linear *linear, struct sl_tables *tables)
{
    int rows = 0, from = 0, last = tables->n;
    struct sl_table *t;
    while (next_power(tables, &from))
        rows++;
    if (rows < 2) return SL_OK;
    SL_TRY(sl_tables_add(
        tables, "growth", rows, 3 + SL_GROWTH_SHELLS, &t,
        "growth since the first snapshot: linear, D(a) / D(start) of all matter, "
        "and sqrt(P / P(start)) of the lowest shells of all matter where its P(k) is measured, "
        "else of the gas, else of the particles"));
    growth_columns(t);
    const struct sl_tables old = {last, last, tables->table};
    from = 0;
    const struct sl_table *first = next_power(&old, &from), *now = first;
    for (int r = 0; now; r++, now = next_power(&old, &from))
        growth_row(linear, first, now, sl_table_at(t, r, 0));
    return SL_OK;
}
