/* gravity.c - gas that attracts itself, on a device: the processor's state but for the rounding of
 * transforms, in 1, 2 and 3 dimensions, periodic and isolated, in an expanding universe, with each
 * kind of field; the same bits for any ranks, blocks and restarts; the box gets no momentum.
 *
 * ranks: 1 2 4
 * emulated: 1 2
 */
#include "core/io/checkpoint.h"
#include "core/run/restore.h"
#include "core/step/backend.h"
#include "core/step/source.h"
#include "core/step/work.h"
#include "tests/gpu/same.h"
#include "tests/scratch.h"

#define HEAVY "gravity.four_pi_g: 30\n"
#define ALONE HEAVY "mesh.boundary: outflow\n"

/* Lumps in motion. */
static void lumpy(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double twopi = 2 * acos(-1), x = twopi * 0.5 * (lo[0] + hi[0]),
           y = twopi * 0.5 * (lo[1] + hi[1]), z = twopi * 0.5 * (lo[2] + hi[2]);
    (void)data, (void)t;
    prim[0] = 1 + 0.5 * sin(x) * cos(2 * y) + 0.3 * cos(x - z);
    prim[1] = 0.3 * cos(y);
    prim[2] = 1 + 0.2 * sin(x);
    prim[4] = 1;
    prim[SL_PRIM_SCALAR] = 0.5;
    prim[SL_PRIM_B] = 0.5;
    prim[SL_PRIM_B + 1] = 0.1 * cos(x);
}

static struct fluid *run_on(MPI_Comm comm, const char *backend, const char *recipe, int n)
{
    char text[1024];
    struct fluid *f;
    snprintf(text, sizeof text, "resources.backend: %s\n%s", backend, recipe);
    if (fluid_new(comm, text, lumpy, &f) != SL_OK) fail_msg("%s: %s", text, sl_error_text());
    steps(f->sim, n, text);
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    return f;
}

/* The largest difference over all cells of own blocks, over the largest value. */
static double apart(const struct sl_sim *a, const struct sl_sim *b)
{
    const struct sl_mesh *m = a->state.mesh;
    double most[2] = {0, 0};
    for (int q = 0; q < m->nblock; q++)
        for (int v = 0; v < a->state.layout.nvar; v++)
            for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
                for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
                    for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                        size_t at = sl_mesh_at(m, a->state.layout.nvar, q, v, k, j, i);
                        double x = (double)a->state.u[at], y = (double)b->state.u[at];
                        most[0] = fmax(most[0], fabs(x - y));
                        most[1] = fmax(most[1], fabs(x));
                    }
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most[0] / most[1];
}

static void alike(const char *recipe)
{
    struct fluid *a = run_on(MPI_COMM_WORLD, "cpu", recipe, 4),
                 *b = run_on(MPI_COMM_WORLD, "cuda", recipe, 4);
    double w[2][2], off = apart(a->sim, b->sim);
    assert_string_equal(b->sim->work->backend->name, "cuda");
    if (!(off < 1e4 * law_rounding())) fail_msg("off by %g:\n%s", off, recipe);
    assert_int_equal(sl_sources_measure(a->sim, w[0]), SL_OK);
    assert_int_equal(sl_sources_measure(b->sim, w[1]), SL_OK);
    for (int i = 0; i < 2; i++)
        if (!(fabs(w[0][i] - w[1][i]) < 1e4 * law_rounding() * fabs(w[0][i])))
            fail_msg("column %d of the history: %.17g and %.17g:\n%s", i, w[0][i], w[1][i], recipe);
    assert_true(fabs(a->sim->state.dt / b->sim->state.dt - 1) < 1e4 * law_rounding());
    fluid_free(a);
    fluid_free(b);
}

static void processor(void **unused)
{
    (void)unused;
    alike("mesh.cells: [64]\nmesh.block: [16]\n" HEAVY);
    alike("mesh.cells: [24, 16]\nmesh.block: [8]\nmesh.box: [[0, 1], [0, 2]]\n" HEAVY);
    alike("mesh.cells: [24, 16]\nmesh.block: [8]\nfluid.integrator: ctu\n" HEAVY);
    alike("mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.eos: isothermal\n" HEAVY);
    alike("mesh.cells: [16, 8, 24]\nmesh.block: [8]\nfluid.dual_energy: true\n" HEAVY);
    alike("mesh.cells: [16, 8, 24]\nmesh.block: [8]\nfluid.integrator: tvd\n" HEAVY);
    alike("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" STAGGERED HEAVY);
    alike("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" ALONE);
    alike("mesh.cells: [16, 8, 24]\nmesh.block: [8]\nmesh.box: [[0, 1], [0, 2], [0, 1]]\n" ALONE);
}

/* A sum of densities of 1 in an expanding universe; lumpy has that mean. */
static void universe(void **unused)
{
    (void)unused;
    alike("mesh.cells: [16, 16, 16]\nmesh.block: [8]\ntime.unit: redshift\n"
          "ic.redshift: 9\nfluid.dual_energy: true\n");
}

static struct fluid *on_device(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    snprintf(text, sizeof text, "%smesh.block: %s\n", recipe, block);
    return run_on(comm, "cuda", text, 4);
}

static void bits(void **unused)
{
    (void)unused;
    static const char *const cube[] = {"[8]", "[8, 8, 16]", NULL}, *const square[] = {"[8]", NULL};
    law_same(on_device, "mesh.cells: [16, 16, 16]\n" HEAVY, "[16]", cube);
    law_same(on_device, "mesh.cells: [16, 16, 16]\n" ALONE, "[16]", cube);
    law_same(on_device, "mesh.cells: [32, 16]\n" HEAVY, "[32, 16]", square);
}

/* A kick moves the gas and gives it no momentum. */
static void momentum(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {"mesh.cells: [16, 8, 24]\nmesh.block: [8]\n" HEAVY,
                                          "mesh.cells: [16, 8, 24]\nmesh.block: [8]\n" ALONE};
    for (int q = 0; q < 2; q++) {
        struct fluid *f = run_on(MPI_COMM_WORLD, "cuda", recipes[q], 0);
        double before[SL_MAX_VAR], after[SL_MAX_VAR];
        law_sums(f->sim, before);
        assert_int_equal(sl_sources_open(f->sim, 0.1), SL_OK);
        assert_int_equal(sl_sim_pull(f->sim), SL_OK);
        law_sums(f->sim, after);
        for (int v = SL_MX; v <= SL_MZ; v++)
            if (!(fabs(after[v] - before[v]) < 100 * law_rounding() * before[0]))
                fail_msg("momentum %d changed by %g", v, (after[v] - before[v]) / before[0]);
        assert_true(fabs(after[4] / before[4] - 1) > 1e-4);
        fluid_free(f);
    }
}

/* Stopped after three steps, gone on with from a checkpoint on one rank. */
static void restarts(void **unused)
{
    (void)unused;
    static const char recipe[] = "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" HEAVY;
    char dir[256];
    int rank;
    int64_t seq;
    uint64_t want, got;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, "gpu_gravity");
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    struct fluid *a = run_on(MPI_COMM_WORLD, "cuda", recipe, 3);
    assert_int_equal(sl_checkpoint_write(&a->sim->state, dir, 2, &seq), SL_OK);
    struct fluid *b = run_on(MPI_COMM_SELF, "cuda", recipe, 0);
    assert_int_equal(sl_sim_restore(b->sim, dir, &seq), SL_OK);
    steps(a->sim, 4, recipe);
    steps(b->sim, 4, recipe);
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
        cmocka_unit_test(processor), cmocka_unit_test(universe), cmocka_unit_test(bits),
        cmocka_unit_test(momentum),  cmocka_unit_test(restarts),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
