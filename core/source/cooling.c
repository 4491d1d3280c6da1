/* cooling.c - optically thin cooling and heating: what core/cell/cooling.h does to a cell, for a
 * power law of the recipe or a table of a file.
 *
 * The table is read as core/cosmo/cooling_curve.h says; between its rows Lambda is a power law of
 * T, above the last row that of the last interval, and below the first row nothing cools.
 * Temperatures are p / rho, and an ideal gas loses rho^2 Lambda of energy per volume and time: all
 * in code units, to which a table in K and erg cm^3/s is brought by units.*. Cooling is no linear
 * change: it goes on from what is there and is not taken back (source.h). It has no error of its
 * own for any step, with heating, too; cooling.step limits the step for what it does to the flow.
 *
 * History: cooling_energy, the energy that the gas has lost since the start, what heating gave
 * taken off.
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EINPUT for a table that makes no sense, SL_EIO, SL_EMEM, SL_EMPI
 * Owns    its parameters and the table
 * MPI     collective over mesh->comm, as source.h says
 * Where   host and device
 * Refs    Townsend 2009
 * Tests   tests/law/cooling.c
 */
#include "core/step/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/cell/cooling.h"
#include "core/config/bcast.h"
#include "core/cosmo/columns.h"
#include "core/cosmo/cooling_curve.h"
#include "core/step/sim.h"
#include "core/step/source_body.h"
#include "core/sys/agree.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

#define SL_COOLING_UNITS_LIST(X)                                                                   \
    X(auto, "as its numbers tell: Lambda below 1e-15 is in erg cm^3/s, between -60 and -15 log10 " \
            "of that; else code units")                                                            \
    X(code, "code units")                                                                          \
    X(cgs, "K and erg cm^3/s, or their log10")

#define SL_COOLING_PER_LIST(X)                                                                     \
    X(hydrogen, "n_H^2 (Schure et al. 2009, Lambda_hd)")                                           \
    X(electrons_hydrogen, "n_e n_H (Gnat & Sternberg 2007), the gas fully ionised")                \
    X(electrons_ions, "n_e n_i (Sutherland & Dopita 1993, normalised), the gas fully ionised")     \
    X(particles, "n^2, n of all particles, by units.weight")

/* clang-format off */
SL_SOURCE(cooling, "cooling.*", cfg->cooling_rate > 0 || cfg->cooling_table[0] || cfg->cooling_heating > 0)
SL_SOURCE_WORDS(cooling, "The gas loses and gains heat by optically thin cooling and heating, integrated exactly (Townsend 2009).")
SL_SOURCE_COST(cooling, 1, 0, INFINITY)
SL_SOURCE_WITH(cooling, all & ~expansion)
SL_REAL_KEY(cooling_rate, "cooling.rate", "0", 0, 1e300, none, "Lambda at cooling.temperature: gas loses density^2 Lambda(T) of energy per volume and time, T = pressure / density, in code units; 0: no cooling, or as cooling.table says")
SL_REAL_KEY(cooling_slope, "cooling.slope", "0.5", -20, 20, none, "Lambda is cooling.rate (T / cooling.temperature)^slope")
SL_REAL_KEY(cooling_temperature, "cooling.temperature", "1", 1e-300, 1e300, none, "T, pressure / density in code units, at which Lambda is cooling.rate")
SL_TEXT_KEY(cooling_table, "cooling.table", "", path, "file of columns, T and Lambda, T rising, instead of the power law; power laws between its rows, nothing cools below the first; curves of the literature are read as published, log10, D exponents, comments and further columns, too")
SL_ENUM_KEY(cooling_units, "cooling.units", "auto", SL_COOLING_UNITS_LIST, "units of cooling.table; K and erg cm^3/s need units.*")
SL_INT_KEY(cooling_column, "cooling.column", "0", 0, 64, none, "column of Lambda in cooling.table, T is the first; 0: the first that can be Lambda in erg cm^3/s, else 2")
SL_ENUM_KEY(cooling_per, "cooling.per", "hydrogen", SL_COOLING_PER_LIST, "number densities of which Lambda in erg cm^3/s is the rate: the gas loses their product times Lambda")
SL_REAL_KEY(cooling_hydrogen, "cooling.hydrogen", "0.76", 1e-6, 1, none, "part of the mass that is hydrogen, the rest helium, for cooling.per")
SL_REAL_KEY(cooling_heating, "cooling.heating", "0", 0, 1e300, none, "energy that the gas gets per mass and time, in code units")
SL_REAL_KEY(cooling_floor, "cooling.floor", "1e-10", 1e-300, 1e300, none, "T, pressure / density in code units, below which nothing cools")
SL_REAL_KEY(cooling_step, "cooling.step", "0.25", 0, 1e30, none, "largest step, over the time in which cooling less heating would change the energy of a cell by as much as it has; 0: no limit, as both are exact for any step")
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_cooling), fluid_eos, cfg->fluid_eos == SL_EOS_ideal, "cooling and heating need an energy; nearest: ideal")
SL_RULE_SOURCE(cfg->cooling_table[0], cooling_rate, cfg->cooling_rate == 0, "%g and cooling.table both give the cooling: give one; nearest: 0", cfg->cooling_rate)
SL_SOURCE_BODY(cooling, rate)
SL_SOURCE_BODY(cooling, bound)
SL_SOURCE_BODY(cooling, radiate)
SL_SOURCE_BODY(cooling, inside)
/* clang-format on */

struct cooling {
    struct sl_cooling cell;
    struct sl_cooling_curve curve;
    double lost, rate; /* energy since the start; largest sl_cooling_rate */
    int nsum;          /* passes of the step whose energy is not yet in `lost` */
    struct sl_source_sum sum[SL_SOURCE_SUMS];
};

/* ---- the table ------------------------------------------------------------------------------ */

static void make_slopes(struct sl_cooling_curve *c)
{
    for (int k = 0; k + 1 < c->n; k++) {
        double *row = c->row + SL_CURVE_ROW * k, *next = row + SL_CURVE_ROW;
        row[2] = sl_power_log(next[1] / row[1]) / sl_power_log(next[0] / row[0]);
    }
    c->row[SL_CURVE_ROW * (c->n - 1) + 2] = c->row[SL_CURVE_ROW * (c->n - 2) + 2];
}

static int read_curve(const struct sl_config *cfg, struct sl_cooling_curve *curve)
{
    const char *path = cfg->cooling_table;
    struct sl_findings f = {.n = 0};
    char *text;
    size_t n;
    SL_TRY(sl_file_read(path, SL_COLUMNS_BYTES, &text, &n));
    int code = sl_cooling_curve_parse(cfg, path, text, n, &f, curve);
    free(text);
    for (int i = 0; i < f.n; i++)
        sl_log(SL_LOG_WARN, "%s: %s", path, f.item[i].text);
    if (code == SL_OK) make_slopes(curve);
    return code;
}

/* Rank 0 reads. */
static int share_curve(MPI_Comm comm, const struct sl_config *cfg, struct sl_cooling_curve *curve)
{
    int rank, code = SL_OK;
    char *rows = NULL;
    size_t size = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        code = read_curve(cfg, curve);
        size = (size_t)curve->n * SL_CURVE_ROW * sizeof *curve->row;
        rows = (char *)curve->row;
    }
    SL_TRY(sl_bytes_bcast(comm, code, &rows, &size));
    code = MPI_Bcast(&curve->kelvin, 1, MPI_DOUBLE, 0, comm);
    curve->row = (double *)(void *)rows;
    curve->n = (int)(size / (SL_CURVE_ROW * sizeof *curve->row));
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot tell the ranks the table of cooling");
    return SL_OK;
}

static int make(struct sl_sim *sim, void **data)
{
    const struct sl_config *cfg = sim->state.cfg;
    struct cooling *w = calloc(1, sizeof *w);
    SL_TRY(sl_agree(sim->state.mesh->comm, w ? SL_OK : SL_FAIL(SL_EMEM, "no memory for cooling")));
    *data = w;
    w->cell.n = 1;
    w->cell.law[SL_COOLING_T] = cfg->cooling_temperature;
    w->cell.law[SL_COOLING_LAMBDA] = cfg->cooling_rate;
    w->cell.law[SL_COOLING_SLOPE] = cfg->cooling_slope;
    if (cfg->cooling_table[0]) {
        SL_TRY(share_curve(sim->state.mesh->comm, cfg, &w->curve));
        w->cell.n = w->curve.n;
    }
    w->cell.heating = cfg->cooling_heating;
    w->cell.floor = cfg->cooling_floor;
    return SL_OK;
}

static void free_cooling(void *data)
{
    struct cooling *w = data;
    if (w) sl_cooling_curve_release(&w->curve);
    free(w);
}

static struct sl_source_args args_of(const struct cooling *w)
{
    return (struct sl_source_args){.of = &w->cell,
                                   .size = sizeof w->cell,
                                   .table = w->curve.row,
                                   .ntable = (size_t)w->curve.n * SL_CURVE_ROW};
}

/* ---- in a step ------------------------------------------------------------------------------ */

static int measure_rate(struct sl_sim *sim, struct cooling *w)
{
    if (!(sim->state.cfg->cooling_step > 0)) return SL_OK;
    struct sl_source_args args = args_of(w);
    return sl_source_most(sim, SL_SOURCE_BODY_cooling_rate, &args, &w->rate);
}

/* A table that says nothing of any of the gas is of other units, as a rule. */
static int remark(struct sl_sim *sim, void *data, char text[SL_SOURCE_REMARK])
{
    const struct cooling *w = data;
    const struct sl_config *cfg = sim->state.cfg;
    const double *first = w->curve.row, *last = first + SL_CURVE_ROW * (w->curve.n - 1);
    struct sl_source_args args = args_of(w);
    double inside, kelvin = w->curve.kelvin > 0 ? w->curve.kelvin : 1;
    if (w->curve.n == 0) return SL_OK;
    SL_TRY(sl_source_most(sim, SL_SOURCE_BODY_cooling_inside, &args, &inside));
    if (inside > 0) return SL_OK;
    snprintf(text, SL_SOURCE_REMARK,
             "cooling.table: %s is of T = %.4g to %.4g%s, and none of the gas has such a T: other "
             "units (cooling.units, units.*)?",
             cfg->cooling_table, first[0] * kelvin, last[0] * kelvin,
             w->curve.kelvin > 0 ? " K" : " in code units");
    return SL_OK;
}

static int start(struct sl_sim *sim, void *data)
{
    struct cooling *w = data;
    w->lost = 0;
    w->nsum = 0;
    return measure_rate(sim, w);
}

/* The energy of the passes so far, in their order. */
static int add_up(struct sl_sim *sim, struct cooling *w)
{
    double lost[SL_SOURCE_SUMS];
    SL_TRY(sl_source_total(sim, w->nsum, w->sum, lost));
    for (int i = 0; i < w->nsum; i++)
        w->lost += lost[i];
    w->nsum = 0;
    return SL_OK;
}

static int advance(struct sl_sim *sim, void *data, double dt)
{
    struct cooling *w = data;
    double bound;
    w->cell.dt = dt;
    struct sl_source_args args = args_of(w);
    SL_TRY(sl_source_most(sim, SL_SOURCE_BODY_cooling_bound, &args, &bound));
    return sl_source_add(sim, SL_SOURCE_BODY_cooling_radiate, &args, bound, &w->sum[w->nsum++]);
}

static int close_step(struct sl_sim *sim, void *data, double dt)
{
    (void)dt;
    SL_TRY(add_up(sim, data));
    return measure_rate(sim, data);
}

static double limit(const struct sl_sim *sim, const void *data, double dt)
{
    const struct cooling *w = data;
    double step = sim->state.cfg->cooling_step;
    return step > 0 && w->rate > 0 ? fmin(dt, step / w->rate) : dt;
}

/* ---- history and checkpoints ---------------------------------------------------------------- */

static int measure(const struct sl_sim *sim, void *data, double *out)
{
    const struct cooling *w = data;
    (void)sim;
    out[0] = w->lost;
    return SL_OK;
}

static size_t size(const void *data)
{
    (void)data;
    return 2;
}

static void save(const void *data, double *state)
{
    const struct cooling *w = data;
    state[0] = w->lost;
    state[1] = w->rate;
}

static void load(struct sl_sim *sim, void *data, const double *state)
{
    struct cooling *w = data;
    (void)sim;
    w->lost = state[0];
    w->rate = state[1];
    w->nsum = 0;
}

const struct sl_source sl_source_cooling = {
    .place = -2,
    .make = make,
    .free = free_cooling,
    .start = start,
    .remark = remark,
    .advance = advance,
    .close = close_step,
    .limit = limit,
    .column = {{"cooling_energy", "code energy",
                "energy that the gas has lost since the start, less what heating gave"}},
    .measure = measure,
    .size = size,
    .save = save,
    .load = load};
