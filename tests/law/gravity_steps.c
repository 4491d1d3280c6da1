/* gravity_steps.c - levels under the gravity of their gas that take steps of their own
 * (time.levels: each): the velocities of ghost cells are those of the time of the finer step,
 * energies are those of levels with one step, each level has a limit of its own, what opened a step
 * is taken back, potentials between steps of the root grid need not be as good as those at their
 * ends; the same bits for any ranks and restarts. With either kind of steps the box gets no mass,
 * and no momentum.
 *
 * ranks: 3
 * optimised: 1 2
 */
#include "core/io/checkpoint.h"
#include "core/run/restore.h"
#include "core/step/level_ghosts.h"
#include "core/step/net_force.h"
#include "core/step/ratio.h"
#include "core/step/source.h"
#include "core/step/work.h"
#include "tests/law.h"
#include "tests/lumps.h"
#include "tests/scratch.h"

#define HEAVY "gravity.four_pi_g: 30\n"
#define EACH  "time.levels: each\n"
#define LEVELS(n)                                                                                  \
    "mesh.levels: " #n                                                                             \
    "\nmesh.regrid: 4\nmesh.buffer: 1\nmesh.refine: [{by: value, of: density, above: "             \
    "1.5}]\n"

/* ---- the gas ---- */

static double fall(double x)
{
    double twopi = 2 * acos(-1);
    return -15 * sin(twopi * x) / twopi;
}

static struct fluid *heavy(MPI_Comm comm, const char *recipe, fluid_state *state)
{
    struct fluid *f;
    assert_int_equal(fluid_new(comm, recipe, state, &f), SL_OK);
    return f;
}

static struct fluid *wave(MPI_Comm comm)
{
    return heavy(comm,
                 "mesh: {cells: [64], block: 8, levels: 1, refine: [{by: box, lo: [0.19], hi: "
                 "[0.31]}]}\nfluid: {limiter: mc, cfl: 0.3}\n" EACH HEAVY,
                 lumps_at_rest);
}

/* ---- ghost cells ---- */

/* Beyond the edges of the finer level the gas has fallen for so long. */
static void fallen(const struct sl_sim *fine, double time)
{
    const struct sl_mesh *m = fine->state.mesh;
    double h = sl_mesh_cell_size(m, 0, 1);
    assert_true(fine->nest->nfine > 0);
    for (int i = 0; i < fine->nest->nfine; i++) {
        const struct sl_flux_register_side *s = &fine->nest->fine[i];
        int ghost = s->upper ? m->n[0] : -1;
        const sl_real *u = fine->state.u + sl_mesh_at(m, fine->state.layout.nvar, s->block, 0, 0, 0,
                                                      m->g[0] + ghost);
        double x = (m->blocks[s->block].at[0] * m->n[0] + ghost + 0.5) * h,
               v = (double)u[SL_MX * m->block_cells] / (double)u[0], want = fall(x) * time;
        if (!(fabs(v / want - 1) < 0.03))
            fail_msg("at %g: a velocity of %g, not of %g", x, v, want);
    }
}

/* All blocks of a level have fallen, covered ones too. */
static void fallen_blocks(const struct sl_sim *s, double time)
{
    const struct sl_mesh *m = s->state.mesh;
    double h = sl_mesh_cell_size(m, 0, m->level);
    for (int b = 0; b < m->nblock; b++)
        for (int i = 0; i < m->n[0]; i++) {
            const sl_real *u =
                s->state.u + sl_mesh_at(m, s->state.layout.nvar, b, 0, 0, 0, m->g[0] + i);
            double x = (m->blocks[b].at[0] * m->n[0] + i + 0.5) * h,
                   v = (double)u[SL_MX * m->block_cells] / (double)u[0], want = fall(x) * time;
            if (!(fabs(v - want) < 0.03 * time))
                fail_msg("at %g: a velocity of %g, not of %g", x, v, want);
        }
}

/* A step of the coarser level and both of the finer one. */
static void ghosts(void **unused)
{
    (void)unused;
    const double dt = 1e-3;
    struct fluid *f = wave(MPI_COMM_SELF);
    struct sl_sim *fine = f->sim->finer;
    assert_int_equal(sl_sources_open_level(f->sim, dt), SL_OK);
    fallen_blocks(f->sim, 0.5 * dt);
    assert_int_equal(sl_step_level(f->sim, &(double){dt}, dt), SL_OK);
    assert_int_equal(sl_level_ghosts_fill(f->sim, SL_GHOSTS_PROLONG), SL_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sl_sources_open_level(fine, 0.5 * dt), SL_OK);
        assert_int_equal(sl_level_ghosts_fill(fine, SL_GHOSTS_ALL), SL_OK);
        fallen(fine, (0.25 + 0.5 * i) * dt);
        assert_int_equal(sl_step_level(fine, &(double){0.5 * dt}, 0.5 * (i + 1) * dt), SL_OK);
        if (i == 0) assert_int_equal(sl_sources_meet(fine), SL_OK);
    }
    assert_int_equal(sl_sources_close(f->sim, dt), SL_OK);
    assert_int_equal(sl_level_ghosts_cover(f->sim), SL_OK);
    assert_int_equal(sl_level_ghosts_fill(f->sim, SL_GHOSTS_ALL), SL_OK);
    assert_int_equal(sl_level_ghosts_fill(fine, SL_GHOSTS_ALL), SL_OK);
    fallen(fine, dt);
    fluid_free(f);
}

/* The largest acceleration in the leaves of a level. */
static double largest(const struct sl_sim *s)
{
    const struct sl_mesh *m = s->state.mesh;
    double most = 0, h = sl_mesh_cell_size(m, 0, m->level);
    for (int b = 0; b < m->nleaf; b++)
        for (int i = 0; i < m->n[0]; i++)
            most = fmax(most, fabs(fall((m->blocks[b].at[0] * m->n[0] + i + 0.5) * h)));
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, m->comm);
    return most;
}

/* Gas at rest without pressure falls through cfl of a cell of its level, (cfl h / g)^(1/2). */
static void limits(void **unused)
{
    (void)unused;
    struct fluid *f = wave(MPI_COMM_WORLD);
    double h = 1.0 / 64;
    for (const struct sl_sim *s = f->sim; s; s = s->finer, h *= 0.5) {
        double want = sqrt(0.3 * h / largest(s));
        if (!(fabs(s->state.allowed / want - 1) < 0.01))
            fail_msg("level %d: steps of %g, not of %g", s->state.mesh->level, s->state.allowed,
                     want);
    }
    double want = fmin(f->sim->state.allowed, 1.9 * f->sim->finer->state.allowed);
    if (!(fabs(f->sim->state.dt / want - 1) < 1e-12))
        fail_msg("a step of %g, not of %g", f->sim->state.dt, want);
    fluid_free(f);
}

/* The largest momentum on this rank. */
static double fastest(const struct sl_sim *root)
{
    double most = 0;
    for (const struct sl_sim *s = root; s; s = s->finer)
        for (int b = 0; b < s->state.mesh->nblock; b++)
            for (int i = 0; i < s->state.mesh->n[0]; i++)
                most = fmax(
                    most,
                    fabs((double)s->state.u[sl_mesh_at(s->state.mesh, s->state.layout.nvar, b,
                                                       SL_MX, 0, 0, s->state.mesh->g[0] + i)]));
    return most;
}

static void taken_back(void **unused)
{
    (void)unused;
    struct fluid *f = wave(MPI_COMM_SELF);
    assert_int_equal(sl_sources_open_level(f->sim, 0.1), SL_OK);
    assert_int_equal(sl_sources_open_level(f->sim->finer, 0.05), SL_OK);
    assert_true(fastest(f->sim) > 0.05);
    assert_int_equal(sl_sources_open(f->sim, 0), SL_OK);
    assert_true(fastest(f->sim) < 50 * law_rounding());
    fluid_free(f);
}

/* ---- beside levels with one step ---- */

struct energies {
    double kinetic, thermal, potential, rest[4]; /* rest: mass and momenta */
    double motion;                               /* the sum of m |v| */
    int64_t steps;
};

/* Sums over the leaves of all levels. */
static struct energies energies_of(const struct sl_sim *root)
{
    struct energies e = {.steps = root->state.step};
    double sum[7] = {0}, w[SL_SOURCE_COLUMNS];
    for (const struct sl_sim *s = root; s; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        double volume = 1;
        for (int d = 0; d < m->dim; d++)
            volume *= sl_mesh_cell_size(m, d, m->level);
        for (int b = 0; b < m->nleaf; b++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++) {
                        const sl_real *u =
                            s->state.u + sl_mesh_at(m, s->state.layout.nvar, b, 0, k + m->g[2],
                                                    j + m->g[1], i + m->g[0]);
                        struct sl_cons c = sl_gas_of(&s->state.layout, u, m->block_cells);
                        double p[3] = {(double)c.mx, (double)c.my, (double)c.mz};
                        sum[0] += volume * (double)c.rho;
                        for (int d = 0; d < 3; d++) {
                            sum[1 + d] += volume * p[d];
                            sum[4] += volume * 0.5 * p[d] * p[d] / (double)c.rho;
                        }
                        sum[5] += volume * (double)c.en;
                        sum[6] += volume * sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
                    }
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 7, MPI_DOUBLE, MPI_SUM, root->state.mesh->comm);
    assert_int_equal(sl_sources_measure(root, w), SL_OK);
    memcpy(e.rest, sum, sizeof e.rest);
    e.kinetic = sum[4], e.thermal = sum[5] - sum[4], e.potential = w[0], e.motion = sum[6];
    return e;
}

static struct energies after(const char *recipe, const char *steps, double time)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s", recipe, steps);
    struct fluid *f = heavy(MPI_COMM_WORLD, text, lumps);
    while (f->sim->state.time < time)
        assert_int_equal(sl_sim_step(f->sim, time), SL_OK);
    struct energies e = energies_of(f->sim);
    fluid_free(f);
    return e;
}

static const char nested[] =
    "mesh: {cells: [32, 32], block: 8, levels: 2, refine: [{by: box, lo: [0.1, 0.3], hi: [0.4, "
    "0.7], level: 1}, {by: box, lo: [0.2, 0.4], hi: [0.3, 0.6]}]}\nfluid.limiter: mc\n" HEAVY;

static void beside(void **unused)
{
    (void)unused;
    struct energies first = after(nested, EACH, 0), one = after(nested, "time.levels: one\n", 0.2),
                    each = after(nested, EACH, 0.2);
    double given = fabs(one.potential - first.potential);
    assert_true(each.steps < one.steps);
    assert_true(given > 0.02);
    if (!(fabs(each.kinetic - one.kinetic) < 2e-3 * given &&
          fabs(each.thermal - one.thermal) < 2e-3 * given &&
          fabs(each.potential - one.potential) < 2e-3 * given))
        fail_msg("energies of %.8g, %.8g, %.8g, not of %.8g, %.8g, %.8g; given %g", each.kinetic,
                 each.thermal, each.potential, one.kinetic, one.thermal, one.potential, given);
    assert_true(fabs(each.rest[0] / first.rest[0] - 1) < 1e-13);
}

/* ---- momentum ---- */

/* Two cold balls of gas in all but empty space, which pass each other. */
static void balls(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    static const double at[2][3] = {{0.3, 0.35, 0.4}, {0.7, 0.6, 0.55}}, mass[2] = {1, 0.4};
    double r2[2] = {0, 0}, ball[2];
    (void)data, (void)t;
    for (int q = 0; q < 2; q++) {
        for (int d = 0; d < 3; d++)
            r2[q] += pow(0.5 * (lo[d] + hi[d]) - at[q][d], 2);
        ball[q] = mass[q] * exp(-r2[q] / 0.005);
    }
    prim[0] = 1e-6 + ball[0] + ball[1];
    prim[1] = 4 * (ball[0] - ball[1]) / prim[0];
    prim[2] = ball[0] / prim[0];
    prim[4] = 0.01 * prim[0];
}

/* What the box has after n steps that it had not before, of the sum of m |v|. */
static double gained(const char *recipe, const char *steps, fluid_state *state, int n)
{
    char text[1024];
    double most = 0;
    snprintf(text, sizeof text, "%s%s", recipe, steps);
    struct fluid *f = heavy(MPI_COMM_WORLD, text, state);
    assert_true(f->sim->state.hierarchy->nlevel == 3);
    struct energies first = energies_of(f->sim);
    law_advance(f, n);
    struct energies last = energies_of(f->sim);
    for (int d = 1; d <= 3; d++)
        most = fmax(most, fabs(last.rest[d] - first.rest[d]) / last.motion);
    fluid_free(f);
    return most;
}

/* Edges cut through the gas, nowhere in its midst. */
static void momentum(void **unused)
{
    (void)unused;
#define BALLS                                                                                      \
    "mesh: {cells: [16, 16, 16], block: 8, levels: 2, refine: [{by: box, lo: [0.1, 0.1, 0.1], "    \
    "hi: "                                                                                         \
    "[0.35, 0.45, 0.4], level: 1}, {by: value, of: density, above: 0.3}]}\ngravity.four_pi_g: "    \
    "300\n"
    static const struct {
        const char *recipe;
        fluid_state *state;
        double limit;
    } c[] = {{nested, lumps, 1e-13},
             {"mesh.cells: [40, 40]\nmesh.block: [20]\n" LEVELS(2) HEAVY, lumps, 1e-13},
             {BALLS, balls, 1e-13},
             {BALLS "mesh.boundary: outflow\n", balls, 1e-9}}; /* open sides: gas enters */
    for (size_t i = 0; i < sizeof c / sizeof *c; i++)
        for (int each = 0; each < 2; each++) {
            double got = gained(c[i].recipe, each ? EACH : "time.levels: one\n", c[i].state,
                                (c[i].state == balls ? 1 : 3) * (each ? 1 : 2));
            if (!(got < c[i].limit))
                fail_msg("%s levels with %s: the gas pulls itself by %g", c[i].recipe,
                         each ? "steps of their own" : "one step", got);
        }
}

/* What takes the momentum back changes velocities of leaves and no heat, and nothing else. */
static void push(void **unused)
{
    (void)unused;
    static const double by[3] = {0.5, -0.25, 0.125};
    struct fluid *f = heavy(MPI_COMM_WORLD, nested, lumps);
    struct energies first = energies_of(f->sim);
    double before = first.rest[0];
    for (struct sl_sim *s = f->sim; s; s = s->finer)
        sl_net_force_push(s, by);
    struct energies last = energies_of(f->sim);
    for (int d = 0; d < 3; d++)
        if (!(fabs(last.rest[1 + d] - first.rest[1 + d] - before * by[d]) < 1e-13 * before))
            fail_msg("momentum %d changed by %g of the mass", d,
                     (last.rest[1 + d] - first.rest[1 + d]) / before);
    assert_true(fabs(last.kinetic - first.kinetic) > 0.01 * before);
    assert_true(fabs(last.thermal - first.thermal) < 1e-13 * before);
    assert_true(last.rest[0] == before);
    fluid_free(f);
}

static double apart(const struct energies *a, const struct energies *b)
{
    double most = fmax(fabs(a->kinetic - b->kinetic), fabs(a->thermal - b->thermal));
    most = fmax(most, fabs(a->potential - b->potential));
    for (int d = 1; d <= 3; d++)
        most = fmax(most, fabs(a->rest[d] - b->rest[d]));
    return most;
}

/* What potentials between steps of the root grid leave is far less than what the steps do, but of
 * the roughest. */
static void between(void **unused)
{
    (void)unused;
    struct energies fine = after(nested, EACH "gravity.between: 1e-6\n", 0.2),
                    some = after(nested, EACH, 0.2),
                    rough = after(nested, EACH "gravity.between: 0.01\n", 0.2);
    double usual = apart(&some, &fine), most = apart(&rough, &fine);
    if (!(usual > 0 && usual < 4e-9 && most > 5e-8))
        fail_msg("energies and momenta are %g and %g away", usual, most);
}

/* ---- bits ---- */

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    snprintf(text, sizeof text, "%smesh.block: %s\n", recipe, block);
    struct fluid *f = heavy(comm, text, lumps);
    law_advance(f, 4);
    assert_true(f->sim->state.hierarchy->count[f->sim->state.hierarchy->nlevel - 2] > 0);
    assert_true(sl_ratio_of(f->sim).steps[1] == 2);
    return f;
}

static void bits(void **unused)
{
    (void)unused;
    static const char *const boxes[] = {
        "mesh.cells: [32, 32]\n" LEVELS(2) HEAVY EACH,
        "mesh.cells: [24, 24, 24]\nmesh.boundary: outflow\nfluid.dual_energy: true\n" LEVELS(1)
            HEAVY EACH};
    static const char *const block[] = {"[8]", NULL};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        law_same(run, boxes[i], "[8]", block);
}

/* Stopped after two steps, gone on with from a checkpoint on other ranks. */
static void restart(void **unused)
{
    static const char recipe[] =
        "mesh.cells: [32, 32]\nmesh.block: [8]\nfluid.mhd: glm\n" LEVELS(2) HEAVY EACH;
    (void)unused;
    char dir[256];
    int rank;
    int64_t seq;
    uint64_t want, got;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, "gravity_steps");
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    struct fluid *a = heavy(MPI_COMM_WORLD, recipe, lumps);
    law_advance(a, 2);
    assert_int_equal(sl_checkpoint_write(&a->sim->state, dir, 2, &seq), SL_OK);
    struct fluid *b = heavy(MPI_COMM_SELF, recipe, lumps);
    assert_int_equal(sl_sim_restore(b->sim, dir, &seq), SL_OK);
    assert_int_equal(b->sim->state.step, 2);
    law_advance(a, 4);
    law_advance(b, 4);
    assert_int_equal(sl_sim_hash(a->sim, &want), SL_OK);
    assert_int_equal(sl_sim_hash(b->sim, &got), SL_OK);
    assert_true(want == got);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) scratch_remove(dir);
    fluid_free(a);
    fluid_free(b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ghosts),  cmocka_unit_test(limits),   cmocka_unit_test(taken_back),
        cmocka_unit_test(beside),  cmocka_unit_test(between),  cmocka_unit_test(bits),
        cmocka_unit_test(restart), cmocka_unit_test(momentum), cmocka_unit_test(push),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
