/* drive.c - a driven gas: the force is the sum of its modes, the box gets no momentum, the gas no
 * heat, the work is what the energy shows, second order in time, the same bits for any blocks,
 * ranks and restarts; so it is on levels.
 * ranks: 3
 * optimised: 1 2
 */
#include "core/drive/modes.h"
#include "core/io/checkpoint.h"
#include "core/io/history.h"
#include "core/run/restore.h"
#include "core/run/totals.h"
#include "core/step/source.h"
#include "tests/law_source.h"
#include "tests/lumps.h"

#define LEVELS                                                                                     \
    "mesh.levels: 1\nmesh.regrid: 2\nmesh.refine: [{by: gradient, of: density, above: 0.4}]\n"
#define DRIVEN   "driving.correlation: 0.2\n"
#define STRONG   DRIVEN "driving.acceleration: 20\n"
#define POWERFUL DRIVEN "driving.power: 30\n"

static void uniform(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    (void)data, (void)lo, (void)hi, (void)t;
    prim[0] = prim[4] = 1;
}

static struct fluid *driven(MPI_Comm comm, const char *recipe, fluid_state *state)
{
    struct fluid *f;
    assert_int_equal(fluid_new(comm, recipe, state, &f), SL_OK);
    assert_non_null(sl_sources_find(f->sim, "driving"));
    return f;
}

static void steps(struct fluid *f, int n, double until)
{
    for (int i = 0; i < n && f->sim->state.time < until; i++)
        assert_int_equal(sl_sim_step(f->sim, until), SL_OK);
}

/* Force at a place, mode by mode. */
static void direct(const struct sl_drive_modes *m, double (*a)[3][2], const double x[3],
                   double sum[3])
{
    for (int c = 0; c < 3; c++)
        sum[c] = 0;
    for (int i = 0; i < m->count; i++) {
        double angle = 0;
        for (int d = 0; d < m->spec.dim; d++)
            angle += 2 * acos(-1) * m->mode[i].n[d] * x[d] / m->spec.length[d];
        for (int c = 0; c < 3; c++)
            sum[c] += 2 * (a[i][c][0] * cos(angle) - a[i][c][1] * sin(angle));
    }
}

static double worst_cell(const struct sl_sim *sim, const struct sl_drive_modes *m,
                         double (*a)[3][2], double lambda)
{
    const struct sl_mesh *mesh = sim->state.mesh;
    double worst = 0, lo[3], hi[3], x[3] = {0}, want[3];
    for (int b = 0; b < mesh->nblock; b++)
        for (int k = mesh->g[2]; k < mesh->g[2] + mesh->n[2]; k++)
            for (int j = mesh->g[1]; j < mesh->g[1] + mesh->n[1]; j++)
                for (int i = mesh->g[0]; i < mesh->g[0] + mesh->n[0]; i++) {
                    sl_mesh_cell(mesh, b, k, j, i, lo, hi);
                    for (int d = 0; d < mesh->dim; d++)
                        x[d] = 0.5 * (lo[d] + hi[d]) - mesh->spec.lo[d];
                    direct(m, a, x, want);
                    for (int c = 0; c < 3; c++) {
                        size_t at = sl_mesh_at(mesh, sim->state.layout.nvar, b, SL_MX + c, k, j, i);
                        worst = fmax(worst, fabs((double)sim->state.u[at] / lambda - want[c]));
                    }
                }
    return worst;
}

/* One half kick of a uniform gas at rest is the force itself, whose mean is 0. */
static void force(void **unused)
{
    (void)unused;
    static const char *const grids[] = {
        "cells: [16, 8, 12], box: [[-1, 1], [0.5, 1.5], [0, 1.5]], block: [8, 4, 4]",
        "cells: [16, 24], box: [[0, 1], [0, 2]], block: [8, 8]", "cells: [64], block: [16]"};
    static const char *const keys[] = {"", "driving.kmax: 5", "driving.solenoidal: 0"};
    for (int g = 0; g < 3; g++) {
        char recipe[512];
        struct sl_drive_modes m;
        double bound;
        snprintf(recipe, sizeof recipe, "mesh: {%s}\nseed: 3\n%s\n" STRONG, grids[g], keys[g]);
        struct fluid *f = driven(MPI_COMM_WORLD, recipe, uniform);
        struct sl_drive_spec spec = {.seed = 3,
                                     .dim = f->sim->state.mesh->dim,
                                     .kmin = 1,
                                     .kmax = (int)f->cfg.driving_kmax,
                                     .solenoidal = f->cfg.driving_solenoidal,
                                     .correlation = 0.2,
                                     .steady = true};
        for (int d = 0; d < spec.dim; d++)
            spec.length[d] = f->sim->state.mesh->spec.hi[d] - f->sim->state.mesh->spec.lo[d];
        assert_int_equal(sl_drive_modes_init(&spec, &m), SL_OK);
        double(*a)[3][2] = calloc((size_t)m.count, sizeof *a);
        sl_drive_modes_at(&m, 0, a, &bound);
        assert_int_equal(sl_sources_open(f->sim, 0.25), SL_OK);
        assert_true(worst_cell(f->sim, &m, a, 20 * 0.125) < 1e-13);
        free(a);
        sl_drive_modes_release(&m);
        fluid_free(f);
    }
}

/* Energy that the box has more is the work; momentum stays; a kick brings no heat. */
static void conserves(const char *recipe, int nsteps)
{
    struct fluid *f = driven(MPI_COMM_WORLD, recipe, lumps_in_plane);
    struct sl_totals a = law_totals(f), b;
    steps(f, nsteps, 1);
    b = law_totals(f);
    double size = b.mass * b.velocity_rms;
    assert_true(fabs(b.momentum_x - a.momentum_x) < 1e-14 * size);
    assert_true(fabs(b.momentum_y - a.momentum_y) < 1e-14 * size);
    assert_true(fabs(b.momentum_z - a.momentum_z) < 1e-14 * size);
    assert_true(fabs(b.mass - a.mass) < 1e-14 * a.mass);
    assert_true(sl_history_source(&f->sim->state, &b, "driving_energy") > 0.1);
    if (f->sim->state.layout.energy >= 0)
        assert_true(fabs(b.energy_total - a.energy_total -
                         sl_history_source(&f->sim->state, &b, "driving_energy")) <
                    1e-13 * b.energy_total);
    if (f->cfg.driving_power > 0)
        assert_true(fabs(sl_history_source(&f->sim->state, &b, "driving_energy") /
                             (f->cfg.driving_power * f->sim->state.time) -
                         1) < 1e-12);
    a = law_totals(f);
    assert_int_equal(sl_sources_open(f->sim, 0.01), SL_OK);
    b = law_totals(f);
    assert_true(fabs(b.energy_kinetic - a.energy_kinetic) > 1e-3 * a.energy_kinetic);
    assert_true(fabs(b.energy_thermal - a.energy_thermal) < 1e-13 * b.energy_total);
    assert_int_equal(sl_sources_open(f->sim, 0), SL_OK);
    assert_true(fabs(law_totals(f).energy_kinetic - a.energy_kinetic) < 1e-13 * a.energy_kinetic);
    fluid_free(f);
}

static void conservation(void **unused)
{
    (void)unused;
    conserves("mesh.cells: [32, 32]\nmesh.block: [16]\n" STRONG, 30);
    conserves("mesh.cells: [32, 32]\nmesh.block: [16]\nfluid.dual_energy: true\n" POWERFUL, 30);
    conserves("mesh.cells: [32, 32]\nmesh.block: [8]\nfluid.eos: isothermal\n" POWERFUL, 30);
    conserves("mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.mhd: glm\nfluid.riemann: hlld\n"
              "fluid.integrator: rk3\n" STRONG,
              10);
    conserves("mesh.cells: [32, 32]\nmesh.block: [8]\ntime.levels: each\n" LEVELS STRONG, 24);
    conserves("mesh.cells: [32, 32]\nmesh.block: [8]\nfluid.mhd: ct\nfluid.riemann: hlld\n" LEVELS
                  POWERFUL,
              10);
}

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    snprintf(text, sizeof text, "%smesh.block: %s\n", recipe, block);
    struct fluid *f = driven(comm, text, lumps_in_plane);
    steps(f, 6, 1);
    return f;
}

static void bits(void **unused)
{
    (void)unused;
    static const char *const square[] = {"[32]", "[16]", "[8, 16]", "[16, 4]", NULL};
    static const char *const cube[] = {"[16]", "[8]", "[8, 4, 16]", NULL};
    static const char *const levels[] = {"[8]", NULL};
    law_same(run, "mesh.cells: [32, 32]\nfluid.dual_energy: true\n" POWERFUL, "[32]", square);
    law_same(run, "mesh.cells: [16, 16, 16]\nfluid.eos: isothermal\n" POWERFUL, "[16]", cube);
    law_same(run,
             "mesh.cells: [16, 16, 16]\nfluid.mhd: glm\nfluid.riemann: hlld\nfluid.integrator: "
             "rk3\n" STRONG,
             "[16]", cube);
    law_same(run, "mesh.cells: [32, 32]\ntime.levels: each\n" LEVELS STRONG, "[8]", levels);
    law_same(run, "mesh.cells: [32, 32]\nfluid.mhd: ct\nfluid.riemann: hlld\n" LEVELS POWERFUL,
             "[8]", levels);
}

/* Stopped after three steps, gone on with from a checkpoint on other ranks: the same state, the
 * same work. */
static void restarts(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {
        "mesh.cells: [32, 32]\nmesh.block: [8]\n" STRONG,
        "mesh.cells: [32, 32]\nmesh.block: [8]\ndriving.steady: false\n" STRONG,
        "mesh.cells: [32, 32]\nmesh.block: [8]\nfluid.mhd: glm\nfluid.riemann: hlle\n" POWERFUL,
        "mesh.cells: [32, 32]\nmesh.block: [8]\ntime.levels: each\n" LEVELS STRONG};
    for (int i = 0; i < 4; i++) {
        char dir[256];
        int rank;
        int64_t seq;
        uint64_t want, got;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        if (rank == 0) scratch_make(dir, "drive");
        MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
        struct fluid *a = driven(MPI_COMM_WORLD, recipes[i], lumps_in_plane);
        steps(a, 3, 1);
        assert_int_equal(sl_checkpoint_write(&a->sim->state, dir, 2, &seq), SL_OK);
        steps(a, 40, 0.3);
        struct fluid *b = driven(MPI_COMM_SELF, recipes[i], lumps_in_plane);
        assert_int_equal(sl_sim_restore(b->sim, dir, &seq), SL_OK);
        assert_int_equal(b->sim->state.step, 3);
        steps(b, 40, 0.3);
        assert_int_equal(sl_sim_hash(a->sim, &want), SL_OK);
        assert_int_equal(sl_sim_hash(b->sim, &got), SL_OK);
        assert_true(want == got);
        assert_true(law_totals(a).source[0] == law_totals(b).source[0]);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) scratch_remove(dir);
        fluid_free(a);
        fluid_free(b);
    }
}

/* Mean |difference| of the momenta of two runs. */
static double apart(const struct fluid *a, const struct fluid *b)
{
    const struct sl_mesh *m = a->sim->state.mesh;
    double sum = 0;
    for (int k = 0; k < m->nblock; k++)
        for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
            for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                size_t at = sl_mesh_at(m, a->sim->state.layout.nvar, k, SL_MX, 0, j, i);
                sum += fabs((double)a->sim->state.u[at] - (double)b->sim->state.u[at]);
            }
    return sum;
}

/* On one grid with ever shorter steps: the difference falls by four. (First order: by two.) */
static void order(void **unused)
{
    (void)unused;
    static const char *const sizes[] = {"0.4", "0.2", "0.1"};
    struct fluid *f[3];
    for (int i = 0; i < 3; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: [32, 32]\nmesh.block: [32]\nfluid.reconstruct: wenoz\n"
                 "fluid.integrator: rk3\ndriving.acceleration: 1\ndriving.correlation: 0.5\n"
                 "driving.kmax: 2\nfluid.cfl: %s\n",
                 sizes[i]);
        f[i] = driven(MPI_COMM_SELF, recipe, uniform);
        steps(f[i], 10000, 0.3);
    }
    double ratio = apart(f[0], f[1]) / apart(f[1], f[2]);
    if (!(ratio > 3.3 && ratio < 5.5)) fail_msg("differences fall by %g, not by 4", ratio);
    for (int i = 0; i < 3; i++)
        fluid_free(f[i]);
}

static void refused(const char *recipe, const char *what)
{
    struct fluid *f;
    assert_int_equal(fluid_new(MPI_COMM_SELF, recipe, uniform, &f), SL_EINPUT);
    if (!strstr(sl_error_text(), what)) fail_msg("%s: %s", what, sl_error_text());
}

static void nonsense(void **unused)
{
    (void)unused;
    refused("mesh.cells: [16, 16]\ndriving.power: 1\ndriving.acceleration: 1\n", "give one");
    refused("mesh.cells: [16, 16]\nmesh.boundary: [outflow, periodic]\ndriving.power: 1\n",
            "periodic");
    refused("mesh.cells: [16, 4]\ndriving.kmax: 2\ndriving.power: 1\n", "nearest: 1");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(force),    cmocka_unit_test(conservation), cmocka_unit_test(bits),
        cmocka_unit_test(restarts), cmocka_unit_test(order),        cmocka_unit_test(nonsense),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
