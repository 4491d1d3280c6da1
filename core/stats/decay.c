/* decay.c - see decay.h. */
#include "core/stats/decay.h"

#include <math.h>
#include <stdlib.h>

#include "core/stats/fit.h"
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
    COLUMNS
};

struct view {
    const struct sl_series *h;
    int column[COLUMNS];
    bool magnetic; /* there is a field */
};

static int look(struct view *v)
{
    static const char *const name[COLUMNS] = {
        "time",     "time_unit", "energy_kinetic", "energy_thermal", "energy_total",
        "mach_rms", "mass",      "cells_repaired", "cells_floored",  "energy_magnetic"};
    for (int i = 0; i < NEEDED; i++)
        SL_TRY(sl_series_column(v->h, name[i], &v->column[i]));
    v->column[MAGNETIC] = sl_series_find(v->h, name[MAGNETIC]);
    v->magnetic = v->column[MAGNETIC] >= 0;
    return SL_OK;
}

static double at(const struct view *v, int row, int what)
{
    return sl_series_at(v->h, row, v->column[what]);
}

static int decay_table(const struct view *v, struct sl_tables *tables)
{
    static const char *const text[][2] = {{"time_unit", "time.unit of the recipe"},
                                          {"time", "code time"},
                                          {"kinetic_energy_ratio", "1"},
                                          {"thermal_energy", "code energy"},
                                          {"mach_rms", "1"},
                                          {"magnetic_energy", "code energy"},
                                          {"magnetic_energy_ratio", "1"}};
    struct sl_table *t;
    int columns = v->magnetic ? 7 : 5;
    double start = at(v, 0, KINETIC);
    SL_TRY(sl_tables_add(
        tables, "decay", v->h->nrow, columns, &t,
        "kinetic energy over that of the start, thermal energy and rms Mach "
        "number (volume weighted) against time; with a field its energy, also over the "
        "kinetic energy of the start"));
    for (int c = 0; c < columns; c++)
        sl_table_column(t, c, text[c][0], text[c][1]);
    for (int r = 0; r < v->h->nrow; r++) {
        *sl_table_at(t, r, 0) = at(v, r, TIME_UNIT);
        *sl_table_at(t, r, 1) = at(v, r, TIME);
        *sl_table_at(t, r, 2) = start > 0 ? at(v, r, KINETIC) / start : 0;
        *sl_table_at(t, r, 3) = at(v, r, THERMAL);
        *sl_table_at(t, r, 4) = at(v, r, MACH);
        if (!v->magnetic) continue;
        *sl_table_at(t, r, 5) = at(v, r, MAGNETIC);
        *sl_table_at(t, r, 6) = start > 0 ? at(v, r, MAGNETIC) / start : 0;
    }
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

static int fit(const struct view *v, struct sl_summary *summary)
{
    int n = v->h->nrow, used = 0;
    double *t = malloc(2 * (size_t)n * sizeof *t);
    SL_CHECK(t, SL_EMEM, "out of memory");
    double *e = t + n, from = SL_DECAY_FROM * at(v, n - 1, TIME_UNIT);
    for (int r = 0; r < n; r++) {
        t[r] = at(v, r, TIME_UNIT);
        e[r] = at(v, r, KINETIC);
        used += t[r] >= from && t[r] > 0 && e[r] > 0;
    }
    struct sl_power_law law;
    int code = used >= 3 ? sl_power_fit(n, t, e, from, INFINITY, &law) : SL_OK;
    if (used >= 3 && code == SL_OK)
        sl_summary_add(summary, "decay_exponent", -law.exponent, law.error, "1");
    free(t);
    return code;
}

static double drift(const struct view *v, int what)
{
    double start = at(v, 0, what);
    return start > 0 ? at(v, v->h->nrow - 1, what) / start - 1 : 0;
}

int sl_decay_measure(const struct sl_series *series, struct sl_tables *tables,
                     struct sl_summary *summary)
{
    struct view v = {.h = series};
    int last = series->nrow - 1;
    SL_TRY(look(&v));
    SL_TRY(decay_table(&v, tables));
    sl_summary_add(summary, "mach_rms_start", at(&v, 0, MACH), 0, "1");
    sl_summary_add(summary, "mach_rms_end", at(&v, last, MACH), 0, "1");
    sl_summary_add(summary, "mass_drift", drift(&v, MASS), 0, "1");
    sl_summary_add(summary, "energy_drift", drift(&v, TOTAL), 0, "1");
    sl_summary_add(summary, "cells_repaired", at(&v, last, REPAIRED), 0, "1");
    sl_summary_add(summary, "cells_floored", at(&v, last, FLOORED), 0, "1");
    if (v.magnetic)
        sl_summary_add(summary, "magnetic_energy", at(&v, last, MAGNETIC), 0, "code energy");
    if (!(at(&v, 0, KINETIC) > 0)) return SL_OK;
    sl_summary_add(summary, "kinetic_energy", at(&v, last, KINETIC) / at(&v, 0, KINETIC), 0, "1");
    double half = half_life(&v);
    if (half > 0) sl_summary_add(summary, "half_life", half, 0, "time.unit of the recipe");
    return fit(&v, summary);
}
