/* potential.c - gas in an external potential: core/cell/potential.h in kicks before and after a
 * step.
 *
 * A kick changes the energy of a cell by what it does to its kinetic energy, and the gas gets no
 * heat. The sum of the energy of the gas and of the potential energy is kept to second order in
 * space and time. The step is limited as in core/step/kick.h by the largest acceleration, of cells
 * of the finest level.
 *
 * The table of potential.kind: table is read as core/cosmo/potential_table.h says.
 *
 * History: energy_external, the integral of rho phi over the box.
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EINPUT for a table that makes no sense, SL_EIO, SL_EMEM, SL_EMPI
 * Owns    its parameters and the table
 * MPI     collective over mesh->comm, as source.h says
 * Where   host and device
 * Refs    Strang 1968
 * Tests   tests/law/potential.c, tests/gpu/same.c
 */
#include "core/step/source.h"

#include <math.h>
#include <stdlib.h>

#include "core/cell/potential.h"
#include "core/config/bcast.h"
#include "core/cosmo/columns.h"
#include "core/cosmo/potential_table.h"
#include "core/step/kick.h"
#include "core/step/sim.h"
#include "core/step/source_body.h"
#include "core/sys/agree.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

#define SL_POTENTIAL_VALUES_LIST(X)                                                                \
    X(potential, "phi, of code speeds squared")                                                    \
    X(acceleration, "g = d phi / d r, the acceleration towards the centre; phi is 0 far away")

/* clang-format off */
SL_SOURCE(potential, "potential.*", cfg->potential_kind != SL_POTENTIAL_none)
SL_SOURCE_WORDS(potential, "The gas moves in an external potential ({potential.kind}).")
SL_SOURCE_COST(potential, 1, 0, INFINITY)
SL_SOURCE_WITH(potential, all & ~expansion)
SL_ENUM_KEY(potential_kind, "potential.kind", "none", SL_POTENTIAL_LIST, "an external potential that acts on the gas in addition to its own gravity")
SL_REAL_KEY(potential_strength, "potential.strength", "0", -1e30, 1e30, none, "k of potential.kind in code units: a number by which a table is multiplied, G M of a point or of hernquist, 4 pi G rho_s s^3 of nfw, the acceleration far from a plane, the square of the frequency of a harmonic one, of the speed of a logarithmic one; below 0 it pushes away")
SL_REAL_KEY(potential_softening, "potential.softening", "0", 0, 1e30, length, "s of potential.kind: below it a point, a plane or a logarithmic one pulls less; for a Plummer sphere, nfw and hernquist the scale radius")
SL_REALS_KEY(potential_center, "potential.center", "[0.5, 0.5, 0.5]", 3, -1e30, 1e30, length, "place of the potential; along a periodic axis the nearest image acts")
SL_ENUM_KEY(potential_axis, "potential.axis", "x", SL_AXIS_LIST, "axis across a plane")
SL_TEXT_KEY(potential_table, "potential.table", "", path, "file of columns for potential.kind: table, r rising and phi or g, in code units; cubics between its rows, a point beyond the last one; lines that begin with # are comments")
SL_ENUM_KEY(potential_values, "potential.values", "potential", SL_POTENTIAL_VALUES_LIST, "what the second column of potential.table is")
SL_RULE_SOURCE(cfg->potential_kind == SL_POTENTIAL_table, potential_table, cfg->potential_table[0], "potential.kind: table needs a file of r and phi")
SL_RULE_SOURCE(cfg->potential_table[0], potential_kind, cfg->potential_kind == SL_POTENTIAL_table, "%s: potential.table is of another kind; nearest: table", sl_choice_name("potential.kind", cfg->potential_kind))
SL_RULE_SOURCE(cfg->potential_kind != SL_POTENTIAL_none, potential_strength, cfg->potential_strength != 0, "0: a potential (potential.kind) has a strength; nearest: 1")
SL_RULE_SOURCE(cfg->potential_kind == SL_POTENTIAL_plane, potential_axis, cfg->potential_axis < cfg->mesh_cells_n, "the grid does not have this axis; nearest: x")
SL_RULE_SOURCE(cfg->potential_kind == SL_POTENTIAL_nfw || cfg->potential_kind == SL_POTENTIAL_hernquist, potential_softening, cfg->potential_softening > 0, "0: a halo (potential.kind: %s) has a scale radius; nearest: 1", sl_choice_name("potential.kind", cfg->potential_kind))
SL_RULE_SOURCE(cfg->potential_kind == SL_POTENTIAL_point || cfg->potential_kind == SL_POTENTIAL_logarithmic, potential_softening, cfg->potential_softening > 0, "0: the potential has no bound at its centre; nearest: a cell, %g", (cfg->mesh_box[1] - cfg->mesh_box[0]) / (double)cfg->mesh_cells[0])
SL_SOURCE_BODY(potential, pull)
SL_SOURCE_BODY(potential, kick)
SL_SOURCE_BODY(potential, bound)
SL_SOURCE_BODY(potential, energy)
/* clang-format on */

struct potential {
    struct sl_potential cell;
    struct sl_potential_table table;
    double square; /* largest |g| / h along an axis */
    double opened; /* time of the opening kick of the step that is under way */
};

/* ---- the table ------------------------------------------------------------------------------ */

static int read_table(const struct sl_config *cfg, struct sl_potential_table *out)
{
    char *text;
    size_t n;
    SL_TRY(sl_file_read(cfg->potential_table, SL_COLUMNS_BYTES, &text, &n));
    int code =
        sl_potential_table_parse(cfg->potential_table, text, n,
                                 cfg->potential_values == SL_POTENTIAL_VALUES_acceleration, out);
    free(text);
    return code;
}

/* Rank 0 reads. */
static int share_table(MPI_Comm comm, const struct sl_config *cfg, struct sl_potential_table *table)
{
    int rank, code = SL_OK;
    char *rows = NULL;
    size_t size = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        code = read_table(cfg, table);
        size = (size_t)table->n * SL_POTENTIAL_ROW * sizeof *table->row;
        rows = (char *)table->row;
    }
    SL_TRY(sl_bytes_bcast(comm, code, &rows, &size));
    table->row = (double *)(void *)rows;
    table->n = (int)(size / (SL_POTENTIAL_ROW * sizeof *table->row));
    return SL_OK;
}

static int make(struct sl_sim *sim, void **data)
{
    struct potential *w = calloc(1, sizeof *w);
    SL_TRY(
        sl_agree(sim->state.mesh->comm, w ? SL_OK : SL_FAIL(SL_EMEM, "no memory for a potential")));
    w->cell = sl_config_potential(sim->state.cfg);
    *data = w;
    if (w->cell.kind == SL_POTENTIAL_table)
        SL_TRY(share_table(sim->state.mesh->comm, sim->state.cfg, &w->table));
    w->cell.n = w->table.n;
    return SL_OK;
}

static void release(void *data)
{
    struct potential *w = data;
    if (w) sl_potential_table_release(&w->table);
    free(w);
}

/* ---- in a step ------------------------------------------------------------------------------ */

static struct sl_source_args args_of(const struct potential *w)
{
    return (struct sl_source_args){.of = &w->cell,
                                   .size = sizeof w->cell,
                                   .table = w->table.row,
                                   .ntable = (size_t)w->table.n * SL_POTENTIAL_ROW};
}

static int measure_pull(struct sl_sim *sim, void *data)
{
    struct potential *w = data;
    struct sl_source_args args = args_of(w);
    return sl_source_most(sim, SL_SOURCE_BODY_potential_pull, &args, &w->square);
}

static int start(struct sl_sim *sim, void *data)
{
    struct potential *w = data;
    w->opened = 0;
    return measure_pull(sim, data);
}

static void forget(void *data)
{
    struct potential *w = data;
    w->opened = 0;
}

static int kick(struct sl_sim *sim, struct potential *w, double time)
{
    if (time == 0) return SL_OK;
    w->cell.time = time;
    struct sl_source_args args = args_of(w);
    return sl_source_change(sim, SL_SOURCE_BODY_potential_kick, &args);
}

static int open_step(struct sl_sim *sim, void *data, double dt)
{
    struct potential *w = data;
    SL_TRY(kick(sim, w, 0.5 * dt - w->opened));
    w->opened = 0.5 * dt;
    return SL_OK;
}

static int close_step(struct sl_sim *sim, void *data, double dt)
{
    struct potential *w = data;
    w->opened = 0;
    return kick(sim, w, 0.5 * dt);
}

static double limit(const struct sl_sim *sim, const void *data, double dt)
{
    const struct potential *w = data;
    return sl_kick_limit(dt, w->square / sim->state.cfg->fluid_cfl);
}

static int measure(const struct sl_sim *sim, void *data, double *out)
{
    const struct potential *w = data;
    struct sl_sim *of = sim->root; /* the bodies change nothing */
    struct sl_source_sum here;
    struct sl_source_args args = args_of(w);
    double bound;
    SL_TRY(sl_source_most(of, SL_SOURCE_BODY_potential_bound, &args, &bound));
    SL_TRY(sl_source_add(of, SL_SOURCE_BODY_potential_energy, &args, bound, &here));
    return sl_source_total(of, 1, &here, out);
}

static size_t size(const void *data)
{
    (void)data;
    return 1;
}

static void save(const void *data, double *state)
{
    const struct potential *w = data;
    state[0] = w->square;
}

static void load(struct sl_sim *sim, void *data, const double *state)
{
    struct potential *w = data;
    (void)sim;
    w->square = state[0];
}

const struct sl_source sl_source_potential = {
    .make = make,
    .free = release,
    .start = start,
    .forget = forget,
    .open = open_step,
    .close = close_step,
    .remesh = measure_pull,
    .limit = limit,
    .column = {{"energy_external", "code energy",
                "integral of rho phi over the box, phi the external potential"}},
    .measure = measure,
    .size = size,
    .save = save,
    .load = load};
