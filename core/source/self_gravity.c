/* self_gravity.c - the gas attracts itself: lap phi = 4 pi G (rho - mean) in a periodic box, with
 * nothing around it lap phi = 4 pi G rho (core/gravity/poisson.h); on levels one problem over all
 * leaves (core/gravity/composite.h).
 *
 * A kick changes the momentum of a cell by rho g dt / 2 and its energy by exactly the change of
 * the kinetic energy: the box gets no momentum but by rounding, the gas no heat. After the step the
 * work of gravity on the mass that crossed the faces of the cell takes the place of that change
 * (core/cell/mass_flux.h): of one level the sum of total and potential energy is kept to rounding,
 * on levels but for the edges. A potential serves the closing kick of a step and the opening one of
 * the next: one solution per step.
 *
 * Change of the sum over the potential energy, with kicks alone and so: the collapse of Evrard at
 * t = 1.2, 32^3 0.28 and 3e-5, 32^3 + 1 0.10 and 1.5e-4, with dual energy 0.29 and 0.02; a cold
 * ball of 4 cells that has come out again 0.74 and 0.04, with dual energy 0.78 and 0.07; what
 * Layzer and Irvine miss of gas in 100 Mpc/h at z = 0 (recipes/cosmology-gas.yaml), 32^3 0.046 and
 * 0.008, 64^3 0.088 and 0.014, 128^3 - and 0.026. At t = 0.8, when no mesh of 48^3 cells has the
 * core, Evrard's thermal energy is 0.06 of the potential one too small, which the energy that kicks
 * made had hidden (0.002); at t = 1.5, 32^3, it is off by 0.014 (kicks 0.18).
 *
 * What Layzer and Irvine miss there is, to 5e-4, the part of that work that is not believed with
 * dual energy (mass_flux.h): of 32^3 cells -0.0070, of 64^3 +0.0140 of the potential energy. Gains
 * left out are -0.0252 and -0.0148; losses that nothing paid +0.0175 and +0.0285, of these +0.0032
 * and +0.0159 in cells whose energy and entropy agree; energy raised to the heat of the entropy
 * +0.0005 and +0.0008. So it grows with the cells because losses in shocked gas do, and gains do
 * not. Four times as many steps (time.max_expansion: 0.0025, 32^3) make it -0.0083. The sum over
 * lines of the history (one for each step: 3e-5 between the trapezoid and powers), what the flow
 * does to cold gas (output.balance, 32^3: +0.0001), repairs and floors (none) have no part in it.
 * Without dual energy, gas of 1e6 K at the start, 32^3, it is +0.0124: of cells that would lose
 * more than half of their heat.
 *
 * Two ways out, tried; N is the energy of motion that a cell does not resolve (mass_flux.h). Gains
 * kept where gas contracts, up to N / 16, N / 4, all: 32^3 -0.0039, +0.0077, +0.0103, and gas of
 * 0.3 to 1 times the mean density is 1.1, 110 and 1500 times as hot in its median; of 64^3 cells
 * 4000 times, with N / 16 and the second way together. Losses believed whole in cells whose energy
 * and entropy agree and that have more heat than N / 4: 32^3 -0.0086, 64^3 +0.0071; voids stay as
 * they are, gas of 10 to 100 times the mean is 9 % colder, all heat 5 % less, and Evrard's collapse
 * misses as much as before.
 *
 * On levels coarse and fine cells do not agree on the pull through the faces between them: kicks
 * alone give the box 1e-4 of the sum of m |v| in the collapse of Evrard beside the middle of the
 * box, and no better potential makes that less. It is taken back from all gas at the end of a step
 * of the root grid (core/step/net_force.h), which changes the frame, not what parts of the gas see
 * of each other: where one body has nearly all mass, gas at rest far away moves as fast as the body
 * would have. With gravity.keep_momentum: false velocities are what the forces make of them.
 *
 * Levels that take the same step (time.levels: one) are kicked together. With time.levels: each a
 * level is kicked by half of each of its own steps before and after it. The closing kick waits
 * until all finer levels have come to its time; the potential is then that of all leaves at this
 * time. The density of coarser leaves, which are ahead, lies on the line between those before and
 * after their step. Such a solution need not be better than gravity.between. Covered blocks are
 * kicked like the leaves beside which they are stepped. Between its two kicks gas has its true
 * velocity in the midst of the step alone: gas in the ghost cells of a level, made of a coarser
 * one, is kicked from the midst of the coarser step to that of the finer one.
 *
 * A solution on levels begins with the last two, carried on to its time (composite.h), which are
 * part of a checkpoint; the first, and the first on another mesh, with nothing.
 *
 * Each solution between steps is one of all leaves. One of the finer levels alone, with the coarser
 * potential given in time beyond their edges, is not built. User time in s on one core with one
 * step, with steps of their own, and what solutions between steps took of the latter at 1e-6:
 * recipes/evrard-adaptive.yaml to t = 0.6 7.3, 9.1, 4.3; collapse.yaml to 4.06 7.4, 7.6, 4.1;
 * bertschinger.yaml to z = 2 5.8, 10.0, 1.9; cosmology-adaptive.yaml to z = 2 17, 30, 5.0. Reckoned
 * by the cells of each level it would leave a half of that in the first and two fifths in the
 * second, in all 7 and 31 % less than with one step; in the others gas alone takes longer with
 * steps of its own. All this was before solutions began with the last two. Cycles between steps
 * with gravity.between at 1e-6, 1e-4 and 1e-3 were then 258, 152 and 115 in the first, 512, 273 and
 * 254 in the second.
 *
 * With nothing around a root grid of more than 256^3 cells, or with gravity.isolated: screened, its
 * potential is found by screening charges (core/gravity/screen.h), else by transforms of twice the
 * cells.
 *
 * With time.unit: redshift 4 pi G is 3/2 Omega_m a of the supercomoving variables of
 * core/cosmo/expansion.h.
 *
 * The step is limited as in core/step/kick.h by the largest acceleration, as in Enzo (Bryan et al.
 * 2014) and GAMER, and by time.max_expansion, the largest growth of the scale factor (0.01 as in
 * both). The history holds half the integral of rho phi over the box, phi with a mean of 0, or
 * 0 far away, the largest acceleration, and what the solution on levels took and left.
 *
 * Shapes  as in core/step/sim.h
 * Units   code units
 * Errors  SL_EINPUT for a universe whose mean density is not 1, SL_EMEM, SL_EMPI
 * Owns    the potential of the last snapshot that holds it, one sl_real for each own cell; with
 *         levels, once a checkpoint was written or read, the last two of own leaves on the host; on
 *         the processor what poisson.h, planes.h and potential_blocks.h own, with levels the
 *         accelerations of the own cells, 3 sl_real each, where gas has energy 6, and what
 *         composite.h owns; a device has the potential alone (core/step/gravity.h), with levels
 *         also the accelerations
 * MPI     collective over mesh->comm, as source.h says
 * Where   where the state is
 * Refs    Schive, Tsai & Chiueh 2010, section 2
 * Tests   tests/law/self_gravity.c, tests/law/potential_field.c, tests/law/isolated.c,
 *         tests/law/warm.c, tests/gpu/gravity.c
 */
#include "core/step/source.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/cosmo/expansion.h"
#include "core/gravity/composite.h"
#include "core/gravity/lattice_green.h"
#include "core/gravity/poisson.h"
#include "core/gravity/potential_blocks.h"
#include "core/gravity/potential_kept.h"
#include "core/gravity/screen.h"
#include "core/grid/planes.h"
#include "core/particles/push.h"
#include "core/step/backend.h"
#include "core/step/gravity.h"
#include "core/step/kick.h"
#include "core/step/level_ghosts.h"
#include "core/step/mass_work.h"
#include "core/step/net_force.h"
#include "core/step/sim.h"
#include "core/step/work.h"
#include "core/sweep/lanes.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* clang-format off */
SL_SOURCE(self_gravity, "gravity.four_pi_g or time.unit: redshift", cfg->gravity_four_pi_g > 0 || sl_config_expands(cfg))
SL_SOURCE_WORDS(self_gravity, "Gravity is found by Fourier transforms (Hockney & Eastwood 1981) with FFTW (Frigo & Johnson 2005)[mesh.levels:, on levels by multigrid with matched fluxes (Almgren et al. 1998)].")
/* Time: of a step over that of the gas alone, by `sluice bench --gravity` (2026-12-01, processor
 * time of a core of a machine that others kept busy): 64^3 1.2 to 1.4, 128^3 1.5; with nothing
 * around it 64^3 2.1 to 2.3; on levels, 32^3 and 64^3 with one or two in blocks of 8^3 and 16^3,
 * with solutions from nothing in four or five cycles, 2.7 to 3.0, with steps of their own 2.1 to
 * 3.4, where each step of the finest takes a potential of all leaves. Those that begin with the
 * last two take two or three cycles, by which it is reckoned now: whole runs take 0.8 (Evrard's
 * collapse, 32^3 and two levels, to t = 1.2) and 0.7 (a polytrope at rest; a collapse through eight
 * levels, also with steps of their own) of the time. On a device as in tests/perf/gpu.md: 256^3
 * 1.9, padded 3.0, levels 3.4 and 3.8. Bytes: the potential with a layer around blocks and, of
 * several ranks, messages of it and of the density, or with levels accelerations, three fields with
 * ghost cells and three of cycles, in single precision (core/gravity/potential_level.h), both
 * potentials as checkpoints hold them, and what the transform of the root grid takes; where gas has
 * energy, the mass that crosses faces and what kicks gave, with levels how accelerations bend; of
 * devices what crosses between them of that grid, where it goes through the host; of both the
 * potential for snapshots. */
SL_SOURCE_COST(self_gravity, cfg->mesh_levels > 0 ? 1 + (device ? 2.1 : 1.2) * passes : device ? (sl_config_isolated(cfg) ? 3.0 : 1.9) : sl_config_isolated(cfg) ? 2.1 : 1.4, (device ? (ranks > 1 ? real * ((double)root[0] * root[1] * root[2]) : 0) + (cfg->fluid_eos == SL_EOS_ideal ? (cfg->mesh_levels > 0 ? 7 : 4) * real * cells : 0) : (cfg->mesh_levels > 0 ? 13 * real : ranks > 1 ? 2 * real + 8 * 4.5 : 8 * 1.5) * cells + (cfg->fluid_eos == SL_EOS_ideal ? (cfg->mesh_levels > 0 ? 8 : 5) * real * cells : 0) + 8 * sl_potential_most(root, sl_config_around(cfg), ranks)) + (cfg->mesh_levels > 0 ? 2 * real * cells : 0) + (cfg->output_potential ? real * cells : 0), INFINITY)
SL_SOURCE_WITH(self_gravity, all)
SL_REAL_KEY(gravity_tolerance, "gravity.tolerance", "1e-6", 1e-12, 0.01, none, "of a mesh with levels: the largest residual of the potential over the largest of 4 pi G (density - mean)")
SL_REAL_KEY(gravity_between, "gravity.between", "1e-4", 1e-12, 0.01, none, "with time.levels: each: gravity.tolerance of the potentials between steps of the root grid, where it is the larger")
SL_BOOL_KEY(gravity_keep_momentum, "gravity.keep_momentum", "true", "of a mesh with levels: momentum that gravity gives to the box as a whole, by errors at edges of levels, is taken back from all gas after each step of the root grid, the same change of all velocities; false: velocities are what the forces make of them")
SL_INT_KEY(gravity_cycles, "gravity.cycles", "30", 1, 1000, none, "of a mesh with levels: cycles of multigrid after which a potential that does not reach gravity.tolerance ends the run")
SL_RULE_SOURCE(cfg->output_potential, output_potential, sl_config_wants(cfg, SL_SOURCE_self_gravity) && sl_config_has_gas(cfg), "true: there is no potential without gas that attracts itself (gravity.four_pi_g or time.unit: redshift); nearest: false")
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_self_gravity) && !sl_config_isolated(cfg), gravity_boundary, periodic(cfg), "periodic: the potential needs a box whose sides are all periodic; nearest: mesh.boundary: periodic, or isolated")
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_self_gravity) && sl_config_isolated(cfg), gravity_boundary, !sl_config_expands(cfg), "isolated: an expanding universe (time.unit: redshift) has no edge; nearest: periodic, with mesh.boundary: periodic")
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_self_gravity) && sl_config_isolated(cfg), gravity_boundary, periodic_sides(cfg) == 0, "isolated: the potential of the gas is periodic along all axes or along none, but mesh.boundary has %d periodic sides of %d; nearest: mesh.boundary: %s", periodic_sides(cfg), 2 * cfg->mesh_cells_n, cfg->gravity_boundary == SL_GRAVITY_BOUNDARY_isolated ? "outflow" : "periodic")
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_self_gravity) && sl_config_isolated(cfg), gravity_boundary, cfg->mesh_cells_n == 3, "isolated: only in three dimensions a potential is 0 far away; nearest: mesh.boundary: periodic")
SL_RULE_SOURCE(cfg->gravity_isolated != SL_GRAVITY_ISOLATED_auto, gravity_isolated, sl_config_wants(cfg, SL_SOURCE_self_gravity) && sl_config_isolated(cfg), "%s: it is about self-gravity (gravity.four_pi_g) with nothing around it (gravity.boundary: isolated); nearest: auto", sl_choice_name("gravity.isolated", cfg->gravity_isolated))
SL_RULE_SOURCE(sl_config_wants(cfg, SL_SOURCE_self_gravity) && cfg->mesh_levels > 0, resources_precision, cfg->resources_precision != SL_PRECISION_single, "single: self-gravity (gravity.four_pi_g) on levels (mesh.levels) needs more digits; nearest: double")
SL_SOURCE_BODY(collapse, density)
SL_SOURCE_BODY(collapse, jeans)
/* clang-format on */

/* The most that a potential is carried on by its last change. */
#define FURTHEST 2

struct gravity {
    const struct sl_gravity_on *on;     /* NULL: the processor; the next eight are its own */
    struct sl_poisson *poisson;         /* owned; of one level */
    struct sl_planes *planes;           /* owned; likewise */
    struct sl_potential_blocks *blocks; /* owned; likewise */
    struct sl_composite *composite;     /* owned; of levels, made anew when they change */
    sl_real *row;                       /* owned; [2][component][n0] of a block */
    double *most;                       /* owned; [2][n0] of a block */
    /* owned; of each of many levels [block][n2][n1][component][n0], 0 along axes that are not there
     */
    sl_real *g[SL_LEVELS];
    sl_real *bend[SL_LEVELS];  /* owned; of the same shape (core/cell/mass_flux.h), where gas has
                                  energy */
    sl_real *shown[SL_LEVELS]; /* owned; the potential as snapshots hold it, NULL: none did yet */
    double volume;             /* of a cell */
    double opened;             /* lambda of the opening kick of the step that is under way */
    bool levels;               /* there may be some */
    bool each;                 /* levels take steps of their own; opened is then that of each: */
    double opened_level[SL_LEVELS];
    bool solved;                    /* g is that of the present density */
    double square;                  /* largest |g| / h along an axis */
    double square_level[SL_LEVELS]; /* the same of each level */
    double pull;                    /* largest |g|^2 */
    double energy, mean;            /* potential energy; density */
    double residual, cycles;        /* of the last solution on levels */
    struct sl_net_force net;        /* of levels */
    struct sl_potential_kept kept;  /* the last two on levels, where nothing else has them */
    double times[2];                /* of these: of the last, of the one before; */
    int known;                      /* so many of them are potentials of this mesh */
};

/* Transforms solve on a uniform mesh, multigrid where levels may come. */
static bool has_levels(const struct sl_sim *sim)
{
    return sim->state.cfg->mesh_levels > 0;
}

static bool has_gas(const struct sl_sim *sim)
{
    return sim->state.layout.nvar > 0;
}

/* ---- making --------------------------------------------------------------------------------- */

static size_t row_at(const struct sl_mesh *m, int block, int k, int j)
{
    return (((size_t)block * (size_t)m->n[2] + (size_t)k) * (size_t)m->n[1] + (size_t)j) * 3 *
           (size_t)m->n[0];
}

static int make_pulls(const struct sl_sim *s, struct gravity *w)
{
    const struct sl_mesh *m = s->state.mesh;
    bool works = s->work->keeps_mass;
    size_t values = row_at(m, m->nblock, 0, 0) + 1;
    w->g[m->level] = sl_field_new(values);
    if (works) w->bend[m->level] = sl_field_new(values);
    SL_CHECK(w->g[m->level] && (w->bend[m->level] || !works), SL_EMEM,
             "no memory for the accelerations of %d blocks", m->nblock);
    return SL_OK;
}

/* What goes with the levels of the mesh. */
static void drop_levels(struct gravity *w)
{
    for (int l = 0; l < SL_LEVELS; l++) {
        free(w->g[l]);
        free(w->bend[l]);
        w->g[l] = w->bend[l] = NULL;
    }
    sl_net_force_drop(&w->net);
    sl_composite_free(w->composite);
    w->composite = w->kept.from = NULL;
}

/* An output that reads it outlives regrids. */
static void drop_shown(struct gravity *w)
{
    for (int l = 0; l < SL_LEVELS; l++) {
        free(w->shown[l]);
        w->shown[l] = NULL;
    }
}

static int make_levels(const struct sl_sim *sim, struct gravity *w)
{
    int code = SL_OK;
    for (const struct sl_sim *s = sim; s && code == SL_OK; s = s->finer)
        code = make_pulls(s, w);
    SL_TRY(sl_agree(sim->state.mesh->comm, code));
    return sl_composite_new(sim->state.hierarchy, sl_config_around(sim->state.cfg), &w->composite);
}

static void release(void *data)
{
    struct gravity *w = data;
    if (!w) return;
    sl_planes_free(w->planes);
    sl_potential_blocks_free(w->blocks);
    sl_poisson_free(w->poisson);
    drop_levels(w);
    sl_potential_kept_clear(&w->kept);
    drop_shown(w);
    free(w->row);
    free(w->most);
    free(w);
}

static int make_on_processor(const struct sl_sim *sim, struct gravity *w)
{
    const struct sl_mesh *m = sim->state.mesh;
    double length[3] = {1, 1, 1};
    for (int d = 0; d < m->dim; d++)
        length[d] = m->spec.hi[d] - m->spec.lo[d];
    SL_TRY(sl_poisson_new(m->comm, m->dim, sl_config_around(sim->state.cfg), m->spec.cells, length,
                          &w->poisson));
    if (!has_gas(sim)) return SL_OK;
    SL_TRY(sl_potential_blocks_new(m, w->poisson, &w->blocks));
    return sl_planes_new(m, sl_poisson_pencil(w->poisson), &w->planes);
}

static int make_on_device(struct sl_sim *sim, struct gravity *w)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct sl_lattice_green *green = NULL;
    struct sl_screen *screen = NULL;
    struct sl_screen_tables tables;
    struct sl_gravity_grid grid = {
        .dim = m->dim, .h = {1, 1, 1}, .isolated = sl_config_around(sim->state.cfg)};
    int code = SL_OK;
    for (int d = 0; d < 3; d++) {
        grid.cells[d] = d < m->dim ? m->spec.cells[d] : 1;
        if (d < m->dim) grid.h[d] = (m->spec.hi[d] - m->spec.lo[d]) / grid.cells[d];
    }
    if (grid.isolated == SL_AROUND_padded && !w->on->has(sim))
        code = sl_lattice_green_new(grid.cells, grid.h, &green);
    if (grid.isolated == SL_AROUND_screened && !w->on->has(sim))
        code = sl_screen_new(grid.cells, grid.h, &screen);
    code = sl_agree(m->comm, code);
    if (screen) tables = sl_screen_tables_of(screen), grid.screen = &tables;
    for (int d = 0; d < 3 && green; d++)
        grid.green[d] = sl_lattice_green_axis(green, d, &grid.places);
    if (code == SL_OK) code = w->on->make(sim, &grid);
    sl_lattice_green_free(green);
    sl_screen_free(screen);
    return code;
}

/* The device has the accelerations, too. */
static int make_levels_on_device(struct sl_sim *sim, struct gravity *w)
{
    SL_TRY(make_on_device(sim, w));
    return sl_composite_new_on(sim->state.hierarchy, sl_config_around(sim->state.cfg),
                               w->on->levels, sim, &w->composite);
}

static int make_rows(const struct sl_mesh *m, struct gravity *w)
{
    SL_TRY(sl_alloc("rows of accelerations", 6 * (size_t)m->n[0], sizeof *w->row, &w->row));
    return sl_alloc("rows of accelerations", 2 * (size_t)m->n[0], sizeof *w->most, &w->most);
}

static int make(struct sl_sim *sim, void **data)
{
    const struct sl_mesh *m = sim->state.mesh;
    struct gravity *w = calloc(1, sizeof *w);
    SL_TRY(sl_agree(m->comm, w ? SL_OK : SL_FAIL(SL_EMEM, "no memory for gravity")));
    w->kept.isolated = sl_config_around(sim->state.cfg);
    w->levels = has_levels(sim);
    w->each = has_levels(sim) && sim->state.cfg->time_levels == SL_TIME_LEVELS_each;
    w->volume = 1;
    for (int d = 0; d < m->dim; d++)
        w->volume *= (m->spec.hi[d] - m->spec.lo[d]) / m->spec.cells[d];
    if (sl_sim_on_device(sim)) w->on = &sl_gravity_cuda;
    int code = sl_agree(m->comm, make_rows(m, w));
    if (code == SL_OK && !has_levels(sim)) /* there are no levels yet */
        code = w->on ? make_on_device(sim, w) : make_on_processor(sim, w);
    if (code == SL_OK)
        *data = w;
    else
        release(w);
    return code;
}

/* ---- the potential -------------------------------------------------------------------------- */

struct move {
    const struct sl_sim *sim;
    struct gravity *w;
};

static sl_real *state_row(const struct sl_sim *sim, int block, int k, int j)
{
    const struct sl_mesh *m = sim->state.mesh;
    return sim->state.u +
           sl_mesh_at(m, sim->state.layout.nvar, block, SL_RHO, k + m->g[2], j + m->g[1], m->g[0]);
}

static void density_from_block(void *context, int block, int k, int j, void *row)
{
    const struct move *a = context;
    sl_real *to = row;
    const sl_real *rho = state_row(a->sim, block, k, j);
    for (int i = 0; i < a->sim->state.mesh->n[0]; i++)
        to[i] = rho[i];
}

static void density_to_plane(void *context, int k, int j, int i, int n, void *row)
{
    const struct move *a = context;
    const sl_real *rho = row;
    double *to = sl_poisson_row(a->w->poisson, k, j) + i;
    for (int q = 0; q < n; q++)
        to[q] = (double)rho[q];
}

/* 4 pi G at the time of a level, in an expanding universe that of supercomoving variables. */
static double strength(const struct sl_sim *sim)
{
    const struct sl_expansion *e = sim->root->state.expansion;
    return e ? sl_expansion_four_pi_g(e, sim->state.time) : sim->state.cfg->gravity_four_pi_g;
}

/* Of row k, j of a block. */
static const sl_real *pull_of(const struct gravity *w, const struct sl_mesh *m, int block, int k,
                              int j)
{
    if (!w->blocks) return w->g[m->level] + row_at(m, block, k, j);
    sl_potential_blocks_pull(w->blocks, block, k, j, w->row);
    return w->row;
}

static const sl_real *bend_of(const struct gravity *w, const struct sl_mesh *m, int block, int k,
                              int j)
{
    sl_real *bend = w->row + 3 * m->n[0];
    if (!w->blocks) return w->bend[m->level] + row_at(m, block, k, j);
    sl_potential_blocks_bend(w->blocks, block, k, j, bend);
    return bend;
}

/* Raises the largest |g| / h along an axis, and the largest |g|^2, of each place in a row. */
static void raise_row(const sl_real *g, int n, const double per_h[3], double *restrict square,
                      double *restrict pull)
{
    SL_SIMD
    for (int i = 0; i < n; i++) {
        double x = (double)g[i], y = (double)g[n + i], z = (double)g[2 * n + i];
        double a = fabs(x) * per_h[0], b = fabs(y) * per_h[1], c = fabs(z) * per_h[2];
        double ab = a > b ? a : b, abc = ab > c ? ab : c, all = x * x + y * y + z * z;
        square[i] = abc > square[i] ? abc : square[i];
        pull[i] = all > pull[i] ? all : pull[i];
    }
}

/* Of the own leaves of a level. */
static void largest_pulls(const struct sl_mesh *m, const struct gravity *w, double *square,
                          double *pull)
{
    double per_h[3];
    for (int d = 0; d < 3; d++)
        per_h[d] = 1 / sl_mesh_cell_size(m, d, m->level);
    memset(w->most, 0, 2 * (size_t)m->n[0] * sizeof *w->most);
    for (int b = 0; b < m->nleaf; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++)
                raise_row(pull_of(w, m, b, k, j), m->n[0], per_h, w->most, w->most + m->n[0]);
    for (int i = 0; i < m->n[0]; i++) {
        *square = fmax(*square, w->most[i]);
        *pull = fmax(*pull, w->most[m->n[0] + i]);
    }
}

/* Of a device, which has it. */
static struct sl_potential_level *level_of(const struct sl_sim *s, const struct gravity *w)
{
    return sl_composite_level(w->composite, s->state.mesh->level);
}

/* Sets the largest |g| / h of a level and raises the largest |g|^2. */
static int raise_most(const struct sl_sim *s, const struct gravity *w, double *square, double *pull)
{
    double two[2] = {0, *pull};
    int code = SL_OK;
    if (w->on)
        code = w->on->level_most(s, level_of(s, w), two);
    else
        largest_pulls(s->state.mesh, w, &two[0], &two[1]);
    *square = two[0], *pull = two[1];
    return code;
}

/* The force on the own leaves of a level, and the largest of them. */
static int find_force(const struct sl_sim *s, struct gravity *w, double bound[3])
{
    int l = s->state.mesh->level, code = SL_OK;
    if (w->on)
        code = w->on->level_force(s, level_of(s, w), w->net.line[l]);
    else
        sl_net_force_lines(s, w->g[l], w->net.line[l]);
    sl_net_force_bound(s, &w->net, bound);
    return code;
}

/* Of a level and all finer ones on this rank: the largest |g|^2, |g| / h of each, and, where forces
 * are asked for, those. */
static int largest_here(const struct sl_sim *sim, struct gravity *w, double *pull, double *square,
                        double (*force)[3])
{
    int code = SL_OK, n = 0;
    for (const struct sl_sim *s = sim; s && code == SL_OK; s = s->finer, n++) {
        code = raise_most(s, w, &square[n], pull);
        if (code == SL_OK && force) code = find_force(s, w, force[n]);
    }
    return w->on ? sl_agree(sim->state.mesh->comm, code) : code;
}

/* What the pulls at a level and at all finer ones allow, and the force that they are on the gas:
 * one reduction compares all numbers of which the largest is wanted. */
static int compare_pulls(const struct sl_sim *sim, struct gravity *w, struct sl_gravity_sums *out)
{
    double most[1 + SL_LEVELS * (1 + 3)] = {0}, *square = &most[1];
    bool forces = has_levels(sim) && sim->state.cfg->gravity_keep_momentum;
    int levels = 0;
    for (const struct sl_sim *s = sim; s; s = s->finer)
        levels++;
    double(*force)[3] = forces ? (double(*)[3])(square + levels) : NULL;
    SL_TRY(largest_here(sim, w, &most[0], square, force));
    int n = 1 + levels * (forces ? 1 + 3 : 1),
        code = MPI_Allreduce(MPI_IN_PLACE, most, n, MPI_DOUBLE, MPI_MAX, sim->state.mesh->comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the accelerations of the ranks");
    out->square = 0, out->pull = most[0];
    for (int l = 0; l < levels; l++) {
        w->square_level[sim->state.mesh->level + l] = square[l];
        out->square = fmax(out->square, square[l]);
    }
    return forces ? sl_net_force_take(sim, force, &w->net) : SL_OK;
}

static double *row_of(const void *poisson, int k, int j)
{
    return sl_poisson_row(poisson, k, j);
}

static void clear_density(const struct sl_particle_planes *planes)
{
    const struct sl_pencil *p = planes->pencil;
    for (int k = 0; k < p->nz; k++)
        for (int j = 0; j < p->ny; j++)
            memset(planes->row(planes->of, k, j), 0, (size_t)p->n[0] * sizeof(double));
}

/* The density of gas and particles. */
static int lay_density(struct move *move, const struct sl_particle_planes *planes)
{
    const struct sl_sim *sim = move->sim;
    if (has_gas(sim))
        SL_TRY(sl_planes_gather(move->w->planes, density_from_block, density_to_plane, move));
    else
        clear_density(planes);
    return sim->state.particles ? sl_particles_deposit(sim->state.particles, planes) : SL_OK;
}

static int solve_on_processor(const struct sl_sim *sim, struct gravity *w,
                              struct sl_gravity_sums *out)
{
    struct move move = {.sim = sim, .w = w};
    struct sl_poisson_sums sums;
    const struct sl_particle_planes planes = {sl_poisson_pencil(w->poisson), row_of, w->poisson};
    SL_TRY(lay_density(&move, &planes));
    SL_TRY(sl_poisson_solve(w->poisson, strength(sim), &sums));
    if (has_gas(sim)) SL_TRY(sl_potential_blocks_take(w->blocks));
    *out = (struct sl_gravity_sums){.mean = sums.mean, .product = sums.product * w->volume};
    if (has_gas(sim)) SL_TRY(compare_pulls(sim, w, out));
    if (!sim->state.particles) return SL_OK;
    return sl_particles_gather(sim->state.particles, &planes);
}

static int give_density(struct sl_sim *s, struct gravity *w)
{
    const struct sl_mesh *m = s->state.mesh;
    if (w->on) return w->on->level_density(s, level_of(s, w));
    for (int b = 0; b < m->nleaf; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++)
                memcpy(sl_composite_density(w->composite, m->level, b, k, j), state_row(s, b, k, j),
                       (size_t)m->n[0] * sizeof(sl_real));
    return SL_OK;
}

/* Of a level and all finer ones. */
static int give_densities(struct sl_sim *sim, struct gravity *w)
{
    int code = SL_OK;
    for (struct sl_sim *s = sim; s && code == SL_OK; s = s->finer)
        code = give_density(s, w);
    return w->on ? sl_agree(sim->state.mesh->comm, code) : code;
}

static void give_density_on_line(const struct sl_sim *s, struct gravity *w, sl_real share)
{
    const struct sl_mesh *m = s->state.mesh;
    const struct sl_transfer_level t = sl_step_transfer_level(s);
    for (int b = 0; b < m->nleaf; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++) {
                sl_real *to = sl_composite_density(w->composite, m->level, b, k, j);
                size_t at = sl_mesh_at(m, s->state.layout.nvar, b, SL_RHO, k + m->g[2], j + m->g[1],
                                       m->g[0]);
                SL_SIMD
                for (int i = 0; i < m->n[0]; i++)
                    to[i] = (1 - share) * t.old[at + (size_t)i] + share * t.now[at + (size_t)i];
            }
}

/* Of a level and all coarser ones, at a time between those before and after their last steps. */
static int give_densities_between(struct sl_sim *sim, struct gravity *w, double time)
{
    int code = SL_OK;
    for (struct sl_sim *s = sim; s && code == SL_OK; s = s->coarser) {
        double share = (time - s->began) / (s->state.time - s->began);
        if (w->on)
            code = w->on->level_density_between(s, level_of(s, w), share);
        else
            give_density_on_line(s, w, (sl_real)share);
    }
    return w->on ? sl_agree(sim->root->state.mesh->comm, code) : code;
}

/* Than that of the last potential, of which there is one; again for the same time it is found from
 * nothing. */
static bool is_later(const struct gravity *w, double time)
{
    return w->known > 0 && time > w->times[0];
}

/* How far a time is from that of the last potential, over what lay between the last two. */
static double ahead_of(const struct gravity *w, double time)
{
    if (w->known < 2) return 0;
    return fmin((time - w->times[0]) / (w->times[0] - w->times[1]), FURTHEST);
}

static struct sl_composite_how how_of(const struct sl_sim *sim, const struct gravity *w)
{
    const struct sl_config *cfg = sim->state.cfg;
    struct sl_composite_how how = {.factor = strength(sim),
                                   .tolerance = cfg->gravity_tolerance,
                                   .cycles = (int)cfg->gravity_cycles,
                                   .warm = is_later(w, sim->state.time),
                                   .ahead = ahead_of(w, sim->state.time)};
    if (sim->coarser) how.tolerance = fmax(how.tolerance, cfg->gravity_between);
    return how;
}

static int make_composite(struct sl_sim *sim, struct gravity *w)
{
    drop_levels(w);
    SL_TRY(sl_agree(sim->state.mesh->comm, sl_net_force_make(sim, &w->net)));
    return w->on ? make_levels_on_device(sim, w) : make_levels(sim, w);
}

/* The accelerations of a level and of all finer ones. */
static int pull_levels(struct sl_sim *sim, struct gravity *w, struct sl_gravity_sums *out)
{
    for (const struct sl_sim *s = sim; s; s = s->finer) {
        int l = s->state.mesh->level;
        SL_TRY(sl_composite_pull(w->composite, l, w->g[l], w->bend[l]));
        if (w->each && !w->on) sl_composite_pull_covered(w->composite, l, w->g[l]);
    }
    return compare_pulls(sim, w, out);
}

/* The potential of a time is there. */
static void know(struct gravity *w, double time)
{
    w->known = is_later(w, time) ? 2 : 1;
    w->times[1] = w->times[0], w->times[0] = time;
    w->kept.from = w->composite;
}

/* Of the level and of all finer ones, which have its time; coarser ones are ahead. */
static int solve_on_levels(struct sl_sim *sim, struct gravity *w, struct sl_gravity_sums *out)
{
    struct sl_composite_result result;
    if (!w->composite) {
        SL_TRY(make_composite(sim, w));
        w->known = 0;
    }
    const struct sl_composite_how how = how_of(sim, w);
    if (sim->coarser) SL_TRY(give_densities_between(sim->coarser, w, sim->state.time));
    SL_TRY(give_densities(sim, w));
    SL_TRY(sl_composite_solve(w->composite, &how, &result));
    know(w, sim->state.time);
    out->mean = result.mean, out->product = result.product;
    w->residual = result.residual, w->cycles = result.cycles;
    sim->root->cycles += result.cycles;
    return pull_levels(sim, w, out);
}

/* Whether the potential of the present leaves came from a checkpoint, or of other ranks: then
 * nothing is solved, and all is as after the solution that found it. */
static int take_kept(struct sl_sim *sim, struct gravity *w, bool *taken)
{
    struct sl_gravity_sums sums;
    int whole = sl_potential_kept_whole(&w->kept);
    *taken = false;
    if (!has_levels(sim) || w->composite || w->known == 0) return SL_OK;
    whole = whole && w->times[0] == sim->state.time; /* not that of an older checkpoint */
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, &whole, 1, MPI_INT, MPI_MIN, sim->state.mesh->comm) ==
                 MPI_SUCCESS,
             SL_EMPI, "ranks cannot compare what they have of the potential");
    if (!whole) return SL_OK;
    SL_TRY(make_composite(sim, w));
    SL_TRY(sl_composite_take(w->composite, &w->kept));
    w->kept.from = w->composite;
    SL_TRY(pull_levels(sim, w, &sums));
    w->square = sums.square, w->pull = sums.pull;
    *taken = w->solved = true;
    return SL_OK;
}

static int solve(struct sl_sim *sim, struct gravity *w)
{
    struct sl_gravity_sums sums;
    bool taken;
    SL_TRY(take_kept(sim, w, &taken));
    if (taken) return SL_OK;
    sim->root->potentials++;
    if (has_levels(sim)) {
        SL_TRY(solve_on_levels(sim, w, &sums));
    } else if (w->on) {
        SL_TRY(w->on->solve(sim, strength(sim), &sums));
        sums.product *= w->volume;
    } else {
        SL_TRY(solve_on_processor(sim, w, &sums));
    }
    w->square = sums.square, w->pull = sums.pull;
    w->energy = 0.5 * sums.product;
    w->mean = sums.mean;
    if (sim->state.particles) sim->state.particles->potential = w->energy;
    w->solved = true;
    return SL_OK;
}

/* After a restart it is solved again, or taken, when it is first asked for. */
static int ready(struct sl_sim *sim, struct gravity *w)
{
    return w->solved ? SL_OK : solve(sim, w);
}

/* ---- kicks ---------------------------------------------------------------------------------- */

/* What the pull at the present time gives from one time to another, of which it is one: particles
 * and the gas beside them get the exact integral of the expansion. */
static double lambda_of(const struct sl_sim *sim, double from, double to)
{
    const struct sl_expansion *e = sim->state.expansion;
    if (!e || !sim->state.particles) return to - from;
    double now = sim->state.time;
    return sl_expansion_kick(e, now + from, now + to) / sl_expansion_a(e, now);
}

/* What a kick does, and the work that takes its place once the step has been: of the potential that
 * is there, on the mass of the last step of the level. Cells are visited once for both. */
enum { KICK = 1, WORK = 2 };

struct act {
    struct sl_sim *s;
    const struct gravity *w;
    int what;
    struct sl_kick kick;
    struct sl_mass_work work;
};

static void act_on_row(const struct act *a, int block, int k, int j)
{
    struct sl_sim *s = a->s;
    const struct sl_mesh *m = s->state.mesh;
    const sl_real *g = pull_of(a->w, m, block, k, j);
    sl_real *given = block < m->nleaf ? sl_mass_work_kicked(s, block, k, j) : NULL;
    if (a->what & KICK)
        sl_kick_row(&a->kick, &s->state.layout, m->block_cells, m->n[0], g,
                    state_row(s, block, k, j), given);
    if (a->what & WORK)
        sl_mass_work_row(s, &a->work, block, k, j, g, bend_of(a->w, m, block, k, j));
}

/* Of the first blocks of a level: its leaves, or all of them; on the processor. */
static void act_on_blocks(struct sl_sim *s, const struct gravity *w, double time, int what,
                          int blocks)
{
    const struct sl_mesh *m = s->state.mesh;
    struct act a = {.s = s, .w = w, .what = what, .kick = {.lambda = (sl_real)time}};
    if (what & WORK) a.work = sl_mass_work_of_level(s, time / (s->state.time - s->began));
    for (int b = 0; b < blocks; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++)
                act_on_row(&a, b, k, j);
}

static int act_on_level(struct sl_sim *s, struct gravity *w, double time, int what)
{
    struct sl_potential_level *level = w->composite ? level_of(s, w) : NULL;
    if (!s->work->keeps_mass) what &= ~WORK;
    if (time == 0 || what == 0) return SL_OK;
    if (what & KICK) sl_net_force_kicked(&w->net, s->state.mesh->level, time);
    if (!w->on) {
        act_on_blocks(s, w, time, what, s->state.mesh->nleaf);
        return SL_OK;
    }
    double share = what & WORK ? time / (s->state.time - s->began) : 0;
    if (what == (KICK | WORK) && !level) return w->on->close(s, time, share);
    if (what & KICK)
        SL_TRY(level ? w->on->level_kick(s, level, false, time) : w->on->kick(s, time));
    return what & WORK ? w->on->work(s, level, share) : SL_OK;
}

/* Of all levels, which took the same step. */
static int act(struct sl_sim *sim, struct gravity *w, double time, int what)
{
    int code = SL_OK;
    for (struct sl_sim *s = sim; s && has_gas(s) && code == SL_OK; s = s->finer)
        code = act_on_level(s, w, time, what);
    if (w->on) SL_TRY(sl_agree(sim->state.mesh->comm, code));
    return sim->state.particles && what & KICK && time != 0
               ? sl_particles_kick(sim->state.particles, time)
               : SL_OK;
}

/* ---- levels that take steps of their own ---------------------------------------------------- */

/* What the level may take as its next step. */
static void shorten_steps(struct sl_sim *sim, const struct gravity *w)
{
    for (struct sl_sim *s = sim; s; s = s->finer)
        s->state.allowed = sl_kick_limit(s->state.allowed, w->square_level[s->state.mesh->level] /
                                                               s->state.cfg->fluid_cfl);
}

/* Opens the next step of a level, or takes back what did: of all its blocks. */
static int open_blocks(struct sl_sim *s, struct gravity *w, double lambda)
{
    double *opened = &w->opened_level[s->state.mesh->level];
    int code = SL_OK;
    if (lambda != *opened && w->on)
        code = w->on->level_kick(s, level_of(s, w), true, lambda - *opened);
    else if (lambda != *opened)
        act_on_blocks(s, w, lambda - *opened, KICK, s->state.mesh->nblock);
    sl_net_force_kicked(&w->net, s->state.mesh->level, lambda - *opened);
    *opened = lambda;
    return w->on ? sl_agree(s->state.mesh->comm, code) : code;
}

/* Ghost cells of the step dt of a level that begins now. */
static void lead_ghosts(const struct sl_sim *s, const struct gravity *w, double dt)
{
    const struct sl_sim *coarse = s->coarser;
    if (!coarse) return;
    coarse->work->pull =
        w->on ? w->on->level_pulled(level_of(coarse, w)) : w->g[coarse->state.mesh->level];
    coarse->work->pull_time = s->state.time + 0.5 * dt - 0.5 * (coarse->began + coarse->state.time);
}

static int open_level(struct sl_sim *s, void *data, double dt)
{
    struct gravity *w = data;
    if (!w->each) return SL_OK;
    SL_TRY(open_blocks(s, w, 0.5 * dt));
    lead_ghosts(s, w, dt);
    return SL_OK;
}

/* What their opening kicks gave, before the potential changes. */
static int work_on_levels(struct sl_sim *sim, struct gravity *w)
{
    int code = SL_OK;
    for (struct sl_sim *s = sim; s && code == SL_OK; s = s->finer)
        code = act_on_level(s, w, w->opened_level[s->state.mesh->level], WORK);
    return w->on ? sl_agree(sim->state.mesh->comm, code) : code;
}

static int close_level(struct sl_sim *s, struct gravity *w)
{
    double *opened = &w->opened_level[s->state.mesh->level], time = *opened;
    *opened = 0;
    s->work->pull_time = 0;
    return act_on_level(s, w, time, KICK | WORK);
}

/* Closes the steps of a level and of all finer ones with the accelerations of their time. */
static int close_levels(struct sl_sim *sim, struct gravity *w)
{
    int code = SL_OK;
    for (struct sl_sim *s = sim; s && code == SL_OK; s = s->finer)
        code = close_level(s, w);
    if (w->on) code = sl_agree(sim->state.mesh->comm, code);
    if (code == SL_OK) shorten_steps(sim, w);
    return code;
}

static int meet(struct sl_sim *sim, void *data)
{
    struct gravity *w = data;
    struct sl_gravity_sums sums;
    if (!w->each) return SL_OK;
    SL_TRY(work_on_levels(sim, w));
    SL_TRY(solve_on_levels(sim, w, &sums));
    SL_TRY(close_levels(sim, w));
    return sl_level_ghosts_cover(sim);
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* What the kicks of a step gave to the box of levels, from all of its gas. */
static int return_momentum(struct sl_sim *sim, struct gravity *w)
{
    const int *cells = sim->state.mesh->spec.cells;
    double push[3], mass = w->mean * w->volume;
    int code = SL_OK;
    if (!sim->state.cfg->gravity_keep_momentum) return SL_OK;
    for (int d = 0; d < sim->state.mesh->dim; d++)
        mass *= cells[d];
    sl_net_force_return(&w->net, mass, push);
    for (struct sl_sim *s = sim; s && code == SL_OK; s = s->finer)
        if (w->on)
            code = w->on->level_push(s, level_of(s, w), push);
        else
            sl_net_force_push(s, push);
    return w->on ? sl_agree(sim->state.mesh->comm, code) : code;
}

static int start(struct sl_sim *sim, void *data)
{
    struct gravity *w = data;
    w->opened = 0;
    sl_net_force_forget(&w->net);
    drop_levels(w); /* the mesh may be another */
    sl_potential_kept_clear(&w->kept);
    SL_TRY(solve(sim, w));
    SL_CHECK(!sim->state.expansion || fabs(w->mean - 1) < 1e-3, SL_EINPUT,
             "the mean density is %g: with time.unit: redshift densities are over the mean of all "
             "matter, gas and particles",
             w->mean);
    if (w->each) shorten_steps(sim, w);
    return SL_OK;
}

static void forget(void *data)
{
    struct gravity *w = data;
    w->solved = false;
    w->opened = 0;
    memset(w->opened_level, 0, sizeof w->opened_level);
    sl_net_force_forget(&w->net);
    if (w->composite) drop_levels(w);
}

/* The limit of the next step wants accelerations of the new cells. */
static int remesh(struct sl_sim *sim, void *data)
{
    struct gravity *w = data;
    drop_levels(w);
    SL_TRY(solve(sim, w));
    if (w->each) shorten_steps(sim, w);
    return SL_OK;
}

static int open_step(struct sl_sim *sim, void *data, double dt)
{
    struct gravity *w = data;
    if (sim->state.particles && sim->state.particles->leap.on) return SL_OK;
    if (w->each) {
        for (struct sl_sim *s = sim; s && dt == 0; s = s->finer)
            SL_TRY(open_blocks(s, w, 0));
        return dt > 0 ? ready(sim, w) : SL_OK; /* before a root without leaves has gone on */
    }
    SL_TRY(ready(sim, w));
    double lambda = lambda_of(sim, 0, 0.5 * dt);
    SL_TRY(act(sim, w, lambda - w->opened, KICK));
    w->opened = lambda;
    return SL_OK;
}

/* Particles are in the midst of their step: what is found there is the potential of no time that a
 * run stands at. */
static int leap(struct sl_sim *sim, struct gravity *w)
{
    SL_TRY(solve(sim, w));
    w->solved = false;
    return sl_particles_leap(sim->state.particles);
}

static int close_step(struct sl_sim *sim, void *data, double dt)
{
    struct gravity *w = data;
    double opened = w->opened, closing = lambda_of(sim, -0.5 * dt, 0);
    w->opened = 0;
    if (sim->state.particles && sim->state.particles->leap.on) return leap(sim, w);
    SL_TRY(w->each ? work_on_levels(sim, w) : act(sim, w, opened, WORK));
    SL_TRY(solve(sim, w));
    SL_TRY(w->each ? close_levels(sim, w) : act(sim, w, closing, KICK | WORK));
    if (has_levels(sim)) return return_momentum(sim, w);
    return sim->state.particles ? sl_particles_look(sim->state.particles) : SL_OK;
}

static double limit(const struct sl_sim *sim, const void *data, double dt)
{
    const struct gravity *w = data;
    const struct sl_expansion *e = sim->state.expansion;
    const struct sl_particles *p = sim->state.particles;
    double square = w->each ? 0 : w->square;
    if (p) square = fmax(square, p->pull);
    dt = sl_kick_limit(
        dt, square / (has_gas(sim) ? sim->state.cfg->fluid_cfl : sim->state.cfg->particles_step));
    if (!e) return dt;
    double rate = sl_expansion_rate(e, sl_expansion_a(e, sim->state.time));
    return fmin(dt, sim->state.cfg->time_max_expansion / rate);
}

static int measure(const struct sl_sim *sim, void *data, double *out)
{
    struct gravity *w = data;
    SL_TRY(ready((struct sl_sim *)(uintptr_t)sim, w)); /* its state does not change */
    out[0] = w->energy;
    out[1] = sqrt(w->pull);
    out[2] = w->residual;
    out[3] = w->cycles;
    return SL_OK;
}

static const char *lacks(const struct sl_config *cfg)
{
    (void)cfg;
    return &sl_gravity_cuda ? sl_gravity_cuda.lacks() : NULL;
}

/* ---- checkpoints ---------------------------------------------------------------------------- */

/* A restart goes on with both potentials, and does not solve for the last one again: what belongs
 * to it is kept beside it. */
enum { NUMBERS = 7 };

static size_t size(const void *data)
{
    const struct gravity *w = data;
    return w->levels ? NUMBERS : 0;
}

static void save(const void *data, double *state)
{
    const struct gravity *w = data;
    const double number[NUMBERS] = {w->known,  w->times[0], w->times[1], w->residual,
                                    w->cycles, w->energy,   w->mean};
    if (w->levels) memcpy(state, number, sizeof number);
}

static void load(struct sl_sim *sim, void *data, const double *state)
{
    struct gravity *w = data;
    (void)sim;
    if (!w->levels) return;
    w->known = (int)state[0], w->times[0] = state[1], w->times[1] = state[2];
    w->residual = state[3], w->cycles = state[4], w->energy = state[5], w->mean = state[6];
}

static void part(void *data, struct sl_block_part *out)
{
    struct gravity *w = data;
    if (!w->levels) return;
    *out = (struct sl_block_part){.name = "potential",
                                  .of = &w->kept,
                                  .keep = sl_potential_kept_keep,
                                  .open = sl_potential_kept_open,
                                  .bytes = sl_potential_kept_bytes,
                                  .save = sl_potential_kept_save,
                                  .load = sl_potential_kept_load,
                                  .lose = sl_potential_kept_lose};
}

/* ---- snapshots ------------------------------------------------------------------------------ */

static void show_row(const struct sl_sim *s, const struct gravity *w, int block, int k, int j,
                     sl_real *to)
{
    const struct sl_mesh *m = s->state.mesh;
    const double *phi = w->blocks ? sl_potential_blocks_row(w->blocks, block, k, j) : NULL;
    if (!phi)
        memcpy(to, sl_composite_potential(w->composite, m->level, block, k, j),
               (size_t)m->n[0] * sizeof *to);
    for (int i = 0; i < m->n[0] && phi; i++)
        to[i] = (sl_real)phi[i];
}

static void show_blocks(const struct sl_sim *s, const struct gravity *w)
{
    const struct sl_mesh *m = s->state.mesh;
    sl_real *to = w->shown[m->level];
    for (int b = 0; b < m->nblock; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++, to += m->n[0])
                show_row(s, w, b, k, j, to);
}

static int make_shown(const struct sl_sim *sim, struct gravity *w)
{
    int code = SL_OK;
    drop_shown(w);
    for (const struct sl_sim *s = sim; s && code == SL_OK; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        size_t cells = (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
        code = sl_alloc("the potential", (size_t)m->nblock * cells + 1, sizeof **w->shown,
                        &w->shown[m->level]);
    }
    return sl_agree(sim->state.mesh->comm, code);
}

static int show_level(struct sl_sim *s, struct gravity *w)
{
    struct sl_potential_level *level = w->composite ? level_of(s, w) : NULL;
    if (w->on) return w->on->potential(s, level, w->shown[s->state.mesh->level]);
    show_blocks(s, w);
    return SL_OK;
}

static int show(struct sl_sim *sim, void *data)
{
    struct gravity *w = data;
    if (!sim->state.cfg->output_potential) return SL_OK;
    SL_TRY(ready(sim, w));
    SL_TRY(make_shown(sim, w));
    for (struct sl_sim *s = sim; s; s = s->finer) {
        SL_TRY(sl_agree(sim->state.mesh->comm, show_level(s, w)));
        s->state.potential = w->shown[s->state.mesh->level];
    }
    return SL_OK;
}

const struct sl_source sl_source_self_gravity = {
    .lacks = lacks,
    .make = make,
    .free = release,
    .start = start,
    .forget = forget,
    .open = open_step,
    .close = close_step,
    .open_level = open_level,
    .meet = meet,
    .remesh = remesh,
    .limit = limit,
    .column = {{"energy_potential", "code energy",
                "half the integral of rho phi over the box, phi the potential of the gas"},
               {"gravity_max", "code acceleration",
                "largest acceleration of the gas by its own gravity"},
               {"gravity_residual", "1",
                "largest residual of the potential over that of 4 pi G (rho - mean); 0 of one "
                "level, where transforms leave none"},
               {"gravity_cycles", "1", "cycles of multigrid of this potential; 0 of one level"}},
    .measure = measure,
    .show = show,
    .size = size,
    .save = save,
    .load = load,
    .part = part};
