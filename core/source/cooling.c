/* cooling.c - optically thin cooling and heating: what core/cell/cooling.h does to a cell, for a
 * power law of the recipe or a table of a file.
 *
 * The table has two columns of numbers, T and Lambda, at least two rows of rising T, lines that
 * begin with # left out; in between Lambda is a power law of T, above the last row that of the
 * last interval, and below the first row nothing cools. Temperatures are p / rho, and an ideal gas
 * loses rho^2 Lambda of energy per volume and time: all in code units. Cooling is no linear
 * change: it goes on from what is there and is not taken back (source.h). It has no error of its
 * own for any step; cooling.step limits the step for what it does to the flow.
 *
 * History: cooling_energy, the energy that the gas has lost since the start, what heating gave
 * taken off.
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EINPUT for a table that makes no sense, SL_EIO, SL_EMEM, SL_EMPI
 * Owns    its parameters
 * MPI     collective over mesh->comm, as source.h says
 * Where   host and device
 * Refs    Townsend 2009
 * Tests   tests/law/cooling.c
 */
#include "core/step/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/cooling.h"
#include "core/step/sim.h"
#include "core/step/source_body.h"
#include "core/sys/agree.h"
#include "core/sys/bcast.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

/* clang-format off */
SL_SOURCE(cooling, "cooling.*", cfg->cooling_rate > 0 || cfg->cooling_table[0] || cfg->cooling_heating > 0)
SL_SOURCE_WORDS(cooling, "The gas loses and gains heat by optically thin cooling and heating, integrated exactly (Townsend 2009).")
SL_REAL_KEY(cooling_rate, "cooling.rate", "0", 0, 1e300, none, "Lambda at cooling.temperature: gas loses density^2 Lambda(T) of energy per volume and time, T = pressure / density, in code units; 0: no cooling, or as cooling.table says")
SL_REAL_KEY(cooling_slope, "cooling.slope", "0.5", -20, 20, none, "Lambda is cooling.rate (T / cooling.temperature)^slope")
SL_REAL_KEY(cooling_temperature, "cooling.temperature", "1", 1e-300, 1e300, none, "T, pressure / density in code units, at which Lambda is cooling.rate")
SL_TEXT_KEY(cooling_table, "cooling.table", "", path, "file of two columns, T and Lambda in code units, T rising, instead of the power law; power laws between its rows, nothing cools below the first")
SL_REAL_KEY(cooling_heating, "cooling.heating", "0", 0, 1e300, none, "energy that the gas gets per mass and time, in code units")
SL_REAL_KEY(cooling_floor, "cooling.floor", "1e-10", 1e-300, 1e300, none, "T, pressure / density in code units, below which nothing cools")
SL_REAL_KEY(cooling_step, "cooling.step", "0.25", 0, 1e30, none, "largest step, over the time in which cooling or heating alone would change the energy of a cell by as much as it has; 0: no limit, as cooling is exact for any step")
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_cooling), fluid_eos, cfg->fluid_eos == SL_EOS_ideal, "cooling and heating need an energy; nearest: ideal")
SL_RULE_SOURCE(cfg->cooling_table[0], cooling_rate, cfg->cooling_rate == 0, "%g beside cooling.table: give one of them; nearest: 0", cfg->cooling_rate)
SL_RULE_SOURCE(sl_config_expands(cfg), cooling_rate, cfg->cooling_rate == 0, "not with time.unit: redshift; nearest: 0")
SL_RULE_SOURCE(sl_config_expands(cfg), cooling_table, !cfg->cooling_table[0], "not with time.unit: redshift; nearest: no table")
SL_RULE_SOURCE(sl_config_expands(cfg), cooling_heating, cfg->cooling_heating == 0, "not with time.unit: redshift; nearest: 0")
SL_SOURCE_BODY(cooling, rate)
SL_SOURCE_BODY(cooling, bound)
SL_SOURCE_BODY(cooling, radiate)
/* clang-format on */

enum { TABLE_CAP = 1 << 20 };

struct cooling {
    struct sl_cooling cell;
    double lost, rate; /* energy since the start; largest sl_cooling_rate */
    int nsum;          /* passes of the step whose energy is not yet in `lost` */
    struct sl_source_sum sum[SL_SOURCE_SUMS];
};

/* ---- the table ------------------------------------------------------------------------------ */

static int take_row(struct sl_cooling *c, const char *path, int line, const char *text)
{
    double t, lambda;
    char rest;
    SL_CHECK(sscanf(text, "%lf %lf %c", &t, &lambda, &rest) == 2, SL_EINPUT,
             "%s:%d: a row is two numbers, T and Lambda", path, line);
    SL_CHECK(t > 0 && lambda > 0 && isfinite(t) && isfinite(lambda), SL_EINPUT,
             "%s:%d: T %g and Lambda %g must be above 0", path, line, t, lambda);
    SL_CHECK(c->n == 0 || t > c->t[c->n - 1], SL_EINPUT, "%s:%d: T %g does not rise", path, line,
             t);
    SL_CHECK(c->n < SL_COOLING_ROWS, SL_EINPUT, "%s:%d: more than %d rows", path, line,
             SL_COOLING_ROWS);
    c->t[c->n] = t;
    c->lambda[c->n++] = lambda;
    return SL_OK;
}

static int take_rows(struct sl_cooling *c, const char *path, char *text)
{
    int line = 1;
    for (char *at = text, *end; at; at = end ? end + 1 : NULL, line++) {
        end = strchr(at, '\n');
        if (end) *end = '\0';
        at += strspn(at, " \t\r");
        if (*at && *at != '#') SL_TRY(take_row(c, path, line, at));
    }
    SL_CHECK(c->n >= 2, SL_EINPUT, "%s: a table of cooling has two rows or more, not %d", path,
             c->n);
    for (int k = 0; k + 1 < c->n; k++)
        c->slope[k] =
            sl_power_log(c->lambda[k + 1] / c->lambda[k]) / sl_power_log(c->t[k + 1] / c->t[k]);
    c->slope[c->n - 1] = c->slope[c->n - 2];
    return SL_OK;
}

/* Rank 0 reads. */
static int read_table(MPI_Comm comm, const char *path, struct sl_cooling *c)
{
    int rank, code = SL_OK;
    char *text = NULL;
    size_t n = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) code = sl_file_read(path, TABLE_CAP, &text, &n);
    if (rank == 0 && code == SL_OK) code = take_rows(c, path, text);
    free(text);
    SL_TRY(sl_agree(comm, code));
    code = MPI_Bcast(c, sizeof *c, MPI_BYTE, 0, comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot tell the ranks the table of cooling");
    return SL_OK;
}

static int make(struct sl_sim *sim, void **data)
{
    const struct sl_config *cfg = sim->state.cfg;
    struct cooling *w = calloc(1, sizeof *w);
    SL_TRY(sl_agree(sim->state.mesh->comm, w ? SL_OK : SL_FAIL(SL_EMEM, "no memory for cooling")));
    *data = w;
    w->cell = (struct sl_cooling){.n = 1,
                                  .t = {cfg->cooling_temperature},
                                  .lambda = {cfg->cooling_rate},
                                  .slope = {cfg->cooling_slope}};
    if (cfg->cooling_table[0]) {
        w->cell.n = 0;
        SL_TRY(read_table(sim->state.mesh->comm, cfg->cooling_table, &w->cell));
    }
    w->cell.heating = cfg->cooling_heating;
    w->cell.floor = cfg->cooling_floor;
    return SL_OK;
}

/* ---- in a step ------------------------------------------------------------------------------ */

static int measure_rate(struct sl_sim *sim, struct cooling *w)
{
    if (!(sim->state.cfg->cooling_step > 0)) return SL_OK;
    return sl_source_most(sim, SL_SOURCE_BODY_cooling_rate, &w->cell, sizeof w->cell, &w->rate);
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
    SL_TRY(sl_source_most(sim, SL_SOURCE_BODY_cooling_bound, &w->cell, sizeof w->cell, &bound));
    return sl_source_add(sim, SL_SOURCE_BODY_cooling_radiate, &w->cell, sizeof w->cell, bound,
                         &w->sum[w->nsum++]);
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
    .free = free,
    .start = start,
    .advance = advance,
    .close = close_step,
    .limit = limit,
    .column = {{"cooling_energy", "code energy",
                "energy that the gas has lost since the start, less what heating gave"}},
    .measure = measure,
    .size = size,
    .save = save,
    .load = load};
