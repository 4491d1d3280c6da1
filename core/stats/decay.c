/* decay.c - see decay.h. */
#include "core/stats/decay.h"

#include <math.h>
#include <stdlib.h>

#include "core/measure/fit.h"
#include "core/sys/status.h"

enum {
    TIME,
    TIME_UNIT,
    KINETIC,
    THERMAL,
    TOTAL,
    MACH,
    MASS,
    REPAIRED,
    FLOORED,
    NEEDED,
    MAGNETIC = NEEDED,
    WORK,
    GRAVITY,
    EXTERNAL,
    COLUMNS
};

struct view {
    const struct sl_series *h;
    int column[COLUMNS];
    bool magnetic, driven, bound, expands; /* there is a field, a force, a potential, a universe */
};

static int look(struct view *v)
{
    static const char *const name[COLUMNS] = {
        "time",           "time_unit",       "energy_kinetic", "energy_thermal",
        "energy_total",   "mach_rms",        "mass",           "cells_repaired",
        "cells_floored",  "energy_magnetic", "driving_energy", "energy_potential",
        "energy_external"};
    for (int i = 0; i < NEEDED; i++)
        SL_TRY(sl_series_column(v->h, name[i], &v->column[i]));
    v->expands = sl_series_find(v->h, "scale_factor") >= 0;
    if (v->expands) SL_TRY(sl_series_column(v->h, "scale_factor", &v->column[TIME_UNIT]));
    for (int i = NEEDED; i < COLUMNS; i++)
        v->column[i] = sl_series_find(v->h, name[i]);
    v->magnetic = v->column[MAGNETIC] >= 0;
    v->driven = v->column[WORK] >= 0;
    v->bound = !v->expands && (v->column[GRAVITY] >= 0 || v->column[EXTERNAL] >= 0);
    return SL_OK;
}

static double at(const struct view *v, int row, int what)
{
    return sl_series_at(v->h, row, v->column[what]);
}

/* Columns of the table; those of a field, of a force and of a potential are there with them. */
enum need { ALWAYS, FIELD, FORCE, MOVED, PULL }; /* MOVED: by a force or in a potential */
static const struct {
    const char *name, *unit;
    enum need need;
} columns[] = {{"time_unit", "time.unit of the recipe, or scale factor", ALWAYS},
               {"time", "code time", ALWAYS},
               {"kinetic_energy_ratio", "1", ALWAYS},
               {"thermal_energy", "code energy", ALWAYS},
               {"mach_rms", "1", ALWAYS},
               {"magnetic_energy", "code energy", FIELD},
               {"magnetic_energy_ratio", "1", FIELD},
               {"alfven_mach", "1", FIELD},
               {"kinetic_energy", "code energy", MOVED},
               {"driving_energy", "code energy", FORCE},
               {"dissipated_energy", "code energy", FORCE},
               {"potential_energy", "code energy", PULL},
               {"energy_with_potential", "code energy", PULL}};
enum { NCOLUMN = sizeof columns / sizeof *columns };

static bool there(const struct view *v, int c)
{
    const bool has[] = {[ALWAYS] = true,
                        [FIELD] = v->magnetic,
                        [FORCE] = v->driven,
                        [MOVED] = v->driven || v->bound,
                        [PULL] = v->bound};
    return has[columns[c].need];
}

/* What motion and field have lost beyond what a force put in. */
static double dissipated(const struct view *v, int r)
{
    double gained = at(v, r, KINETIC) - at(v, 0, KINETIC);
    if (v->magnetic) gained += at(v, r, MAGNETIC) - at(v, 0, MAGNETIC);
    return at(v, r, WORK) - gained;
}

/* In the gas's own gravity and in an external potential; of a universe expansion.h has it. */
static double potential(const struct view *v, int r)
{
    double sum = v->column[GRAVITY] >= 0 ? at(v, r, GRAVITY) : 0;
    return v->column[EXTERNAL] >= 0 ? sum + at(v, r, EXTERNAL) : sum;
}

/* Root of the kinetic over the magnetic energy; 0 where there is none yet. */
static double alfven_mach(const struct view *v, int r)
{
    double field = at(v, r, MAGNETIC);
    return field > 0 ? sqrt(at(v, r, KINETIC) / field) : 0;
}

static void decay_row(const struct view *v, int r, double *value)
{
    double start = at(v, 0, KINETIC), share = start > 0 ? 1 / start : 0;
    const double all[NCOLUMN] = {at(v, r, TIME_UNIT),
                                 at(v, r, TIME),
                                 at(v, r, KINETIC) * share,
                                 at(v, r, THERMAL),
                                 at(v, r, MACH),
                                 v->magnetic ? at(v, r, MAGNETIC) : 0,
                                 v->magnetic ? at(v, r, MAGNETIC) * share : 0,
                                 v->magnetic ? alfven_mach(v, r) : 0,
                                 at(v, r, KINETIC),
                                 v->driven ? at(v, r, WORK) : 0,
                                 v->driven ? dissipated(v, r) : 0,
                                 v->bound ? potential(v, r) : 0,
                                 v->bound ? at(v, r, TOTAL) + potential(v, r) : 0};
    for (int c = 0; c < NCOLUMN; c++)
        if (there(v, c)) *value++ = all[c];
}

static int decay_table(const struct view *v, struct sl_tables *tables, struct sl_table **out)
{
    struct sl_table *t;
    int n = 0;
    for (int c = 0; c < NCOLUMN; c++)
        n += there(v, c);
    SL_TRY(sl_tables_add(
        tables, "decay", v->h->nrow, n, &t,
        "kinetic energy over that of the start, thermal energy and rms Mach "
        "number (volume weighted) against time; with a field its energy, also over the "
        "kinetic energy of the start, and the Alfven Mach number, the root of the kinetic over it; "
        "with driving its work and what is dissipated; with gravity or a potential the potential "
        "energy, also with all others"));
    n = 0;
    for (int c = 0; c < NCOLUMN; c++)
        if (there(v, c)) sl_table_column(t, n++, columns[c].name, columns[c].unit);
    for (int r = 0; r < v->h->nrow; r++)
        decay_row(v, r, sl_table_at(t, r, 0));
    *out = t;
    return SL_OK;
}

/* Time at which half of the kinetic energy is left, 0 when the run ends before. */
static double half_life(const struct view *v)
{
    double half = 0.5 * at(v, 0, KINETIC);
    for (int r = 1; r < v->h->nrow; r++) {
        double before = at(v, r - 1, KINETIC), after = at(v, r, KINETIC);
        if (after > half) continue;
        double part = (before - half) / (before - after);
        return at(v, r - 1, TIME_UNIT) + part * (at(v, r, TIME_UNIT) - at(v, r - 1, TIME_UNIT));
    }
    return 0;
}

/* From when to when: what was asked for, or as decay.h says. */
static void fit_range(const struct view *v, const double asked[2], double half, double *from,
                      double *to)
{
    double end = at(v, v->h->nrow - 1, TIME_UNIT);
    *from = asked[0] > 0 ? asked[0] : half > 0 ? half : INFINITY;
    *to = asked[1] > 0 ? asked[1] : asked[0] > 0 ? end : fmin(end, SL_DECAY_TO * half);
}

static int fit(const struct view *v, const double asked[2], double half, struct sl_table *table,
               struct sl_summary *summary)
{
    int n = v->h->nrow, used = 0;
    double *t = malloc(2 * (size_t)n * sizeof *t), from, to;
    SL_CHECK(t, SL_EMEM, "out of memory");
    double *e = t + n;
    fit_range(v, asked, half, &from, &to);
    for (int r = 0; r < n; r++) {
        t[r] = at(v, r, TIME_UNIT);
        e[r] = at(v, r, KINETIC);
        used += sl_power_within(t[r], from, to) && t[r] > 0 && e[r] > 0;
    }
    struct sl_power_law law;
    bool own = asked[0] > 0 || asked[1] > 0, reached = own || to >= SL_DECAY_LEAST * from;
    int code = used >= 3 && reached ? sl_power_fit(n, t, e, from, to, &law) : SL_OK;
    bool decays = used >= 3 && reached && code == SL_OK && law.exponent < 0;
    if (used >= 3 && reached && code == SL_OK &&
        (own || (decays && law.scatter <= SL_DECAY_SCATTER))) {
        sl_summary_add(summary, "decay_exponent", -law.exponent, law.error, "1");
        sl_table_note(table, "fit_from", from);
        sl_table_note(table, "fit_to", to);
    }
    free(t);
    return code;
}

static double drift(const struct view *v, int what)
{
    double start = at(v, 0, what);
    return start > 0 ? at(v, v->h->nrow - 1, what) / start - 1 : 0;
}

static void add_field(const struct view *v, int last, struct sl_summary *summary)
{
    double field = at(v, last, MAGNETIC), start = at(v, 0, MAGNETIC);
    int divergence = sl_series_find(v->h, "divergence_max");
    sl_summary_add(summary, "magnetic_energy", field, 0, "code energy");
    if (start > 0 && !v->expands)
        sl_summary_add(summary, "magnetic_energy_left", field / start, 0, "1");
    if (field > 0) sl_summary_add(summary, "alfven_mach", alfven_mach(v, last), 0, "1");
    if (divergence >= 0)
        sl_summary_add(summary, "divergence_max", sl_series_at(v->h, last, divergence), 0,
                       "code field / code length");
}

int sl_decay_measure(const struct sl_series *series, const double fitted[2],
                     struct sl_tables *tables, struct sl_summary *summary)
{
    struct sl_table *table;
    struct view v = {.h = series};
    int last = series->nrow - 1;
    SL_TRY(look(&v));
    SL_TRY(decay_table(&v, tables, &table));
    sl_summary_add(summary, "mach_rms_start", at(&v, 0, MACH), 0, "1");
    sl_summary_add(summary, "mach_rms_end", at(&v, last, MACH), 0, "1");
    sl_summary_add(summary, "mass_drift", drift(&v, MASS), 0, "1");
    if (!v.expands) sl_summary_add(summary, "energy_drift", drift(&v, TOTAL), 0, "1");
    sl_summary_add(summary, "cells_repaired", at(&v, last, REPAIRED), 0, "1");
    sl_summary_add(summary, "cells_floored", at(&v, last, FLOORED), 0, "1");
    if (v.magnetic) add_field(&v, last, summary);
    if (v.expands || !(at(&v, 0, KINETIC) > 0)) return SL_OK;
    sl_summary_add(summary, "kinetic_energy", at(&v, last, KINETIC) / at(&v, 0, KINETIC), 0, "1");
    double half = half_life(&v);
    if (half > 0) sl_summary_add(summary, "half_life", half, 0, "time.unit of the recipe");
    return fit(&v, fitted, half, table, summary);
}
