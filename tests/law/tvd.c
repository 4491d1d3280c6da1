/* tvd.c - laws of the relaxing TVD scheme: sums are kept, scalars stay in bounds, the same bits for
 * any ranks and blocks, along any axis, for the mirror image and after a restart; a violent start
 * is repaired without loss.
 *
 * ranks: 3
 * optimised: 1 2
 */
#include "core/cell/relax.h"
#include "core/io/checkpoint.h"
#include "core/run/restore.h"
#include "tests/law.h"
#include "tests/scratch.h"

static struct fluid *start(MPI_Comm comm, const char *recipe, const char *block, fluid_state *state)
{
    char text[1024];
    struct fluid *f;
    snprintf(text, sizeof text, "fluid.integrator: tvd\nmesh.block: %s\n%s", block, recipe);
    assert_int_equal(fluid_new(comm, text, state, &f), SL_OK);
    return f;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static void conserves(const char *recipe, const char *block)
{
    struct fluid *f = start(MPI_COMM_WORLD, recipe, block, law_waves);
    law_conserves(f, 50, recipe);
    fluid_free(f);
}

static void conservation(void **unused)
{
    (void)unused;
    conserves("mesh.cells: [64]\nfluid.scalars: 1\n", "[16]");
    conserves("mesh.cells: [32, 32]\nfluid.scalars: 1\n", "[8]");
    conserves("mesh.cells: [32, 32]\nfluid.eos: isothermal\n", "[16]");
    conserves("mesh.cells: [16, 16, 16]\nfluid.scalars: 1\n", "[8]");
}

/* ---- scalars -------------------------------------------------------------------------------- */

/* Largest distance of a fraction from [0, 1]. */
static double beyond(const struct sl_sim *sim)
{
    const struct sl_mesh *m = sim->state.mesh;
    double most = 0;
    for (int b = 0; b < m->nblock; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++)
                for (int i = 0; i < m->n[0]; i++) {
                    const sl_real *u =
                        sim->state.u + sl_mesh_at(m, sim->state.layout.nvar, b, 0, k + m->g[2],
                                                  j + m->g[1], i + m->g[0]);
                    double x =
                        (double)(u[(size_t)sim->state.layout.scalar0 * m->block_cells] / u[0]);
                    most = fmax(most, fmax(-x, x - 1));
                }
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, m->comm);
    return most;
}

/* Gas that is marked stays between what it was, across shocks and where streams part. */
static void bounded(const char *recipe, fluid_state *state)
{
    struct fluid *f = start(MPI_COMM_WORLD, recipe, "[8]", state);
    for (int i = 0; i < 60; i++) {
        law_advance(f, 1);
        double by = beyond(f->sim);
        if (by > 1e-13) fail_msg("step %d: a scalar is %g beyond [0, 1]:\n%s", i + 1, by, recipe);
    }
    fluid_free(f);
}

static void scalars(void **unused)
{
    (void)unused;
    bounded("mesh.cells: [64]\nfluid.scalars: 1\n", law_waves);
    bounded("mesh.cells: [32, 32]\nfluid.scalars: 1\n", law_waves);
    bounded("mesh.cells: [16, 16, 16]\nfluid.scalars: 1\nfluid.eos: isothermal\n", law_waves);
}

/* ---- ranks and blocks ----------------------------------------------------------------------- */

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    struct fluid *f = start(comm, recipe, block, law_waves);
    law_advance(f, 4);
    return f;
}

static void ranks(void **unused)
{
    (void)unused;
    static const char *const line[] = {"[32]", "[8]", "[4]", NULL};
    static const char *const plane[] = {"[32]", "[16, 8]", "[4]", NULL};
    static const char *const cube[] = {"[16]", "[8]", "[8, 4, 16]", NULL};
    static const char *const large[] = {"[512, 8, 4]", "[64, 16, 4]", NULL};
    law_same(run, "mesh.cells: [128]\nmesh.boundary: fixed\n", "[128]", line);
    law_same(run, "mesh.cells: [32, 32]\nfluid.scalars: 2\n", "[32]", plane);
    law_same(run, "mesh.cells: [32, 32]\nfluid.eos: isothermal\n", "[32]", plane);
    law_same(run, "mesh.cells: [16, 16, 16]\nfluid.dual_energy: true\nfluid.scalars: 1\n", "[16]",
             cube);
    law_same(run, "mesh.cells: [16, 16, 16]\nmesh.boundary: [outflow, reflecting, periodic]\n",
             "[16]", cube);
    law_same(run, "mesh.cells: [512, 16, 4]\n", "[512, 16, 4]",
             large); /* more than one chunk of pencils */
}

/* ---- restart -------------------------------------------------------------------------------- */

/* A run that goes on from a checkpoint ends with the bits of one that never stopped. */
static void restart(void **unused)
{
    (void)unused;
    static const char *const recipe = "mesh.cells: [16, 16, 16]\nfluid.scalars: 1\n";
    char dir[256];
    int64_t seq = -1;
    uint64_t hash = 0, want = 1;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, "tvd");
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    struct fluid *f = start(MPI_COMM_WORLD, recipe, "[8]", law_waves);
    law_advance(f, 3);
    assert_int_equal(sl_checkpoint_write(&f->sim->state, dir, 2, &seq), SL_OK);
    law_advance(f, 3);
    assert_int_equal(sl_sim_hash(f->sim, &want), SL_OK);
    fluid_free(f);
    f = start(MPI_COMM_WORLD, recipe, "[8]", law_waves);
    assert_int_equal(sl_sim_restore(f->sim, dir, &seq), SL_OK);
    assert_int_equal(f->sim->state.step, 3);
    law_advance(f, 3);
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    fluid_free(f);
    if (rank == 0) scratch_remove(dir);
    assert_true(hash == want);
}

/* ---- axes and mirror ------------------------------------------------------------------------ */

static void symmetry(void **unused)
{
    (void)unused;
    law_axes("fluid.integrator: tvd\nfluid.gamma: 1.4\n", law_tube, 5, 1);
    law_axes("fluid.integrator: tvd\nfluid.eos: isothermal\n", law_tube, 5, 1);
}

/* ---- repairs -------------------------------------------------------------------------------- */

static uint64_t survives(MPI_Comm comm, const char *block, int64_t *repaired)
{
    struct fluid *f = start(comm, "mesh.cells: [16, 16, 16]\nfluid.cfl: 0.8\n", block, law_violent);
    uint64_t hash = law_survives(f, repaired);
    fluid_free(f);
    return hash;
}

static void repairs(void **unused)
{
    (void)unused;
    int64_t alone, together;
    uint64_t hash = survives(MPI_COMM_SELF, "[16]", &alone);
    print_message("%lld cells repaired\n", (long long)alone);
    assert_true(alone > 0);
    assert_true(survives(MPI_COMM_WORLD, "[8]", &together) == hash);
    assert_int_equal(alone, together);
}

/* Of scalars 0, 1, 2, 3 a part of the mass of a cell takes the mean of what leaves it, from
 * whichever side. */
static void carried(void **unused)
{
    (void)unused;
    const sl_real part = (sl_real)0.25;
    assert_true(sl_relax_carried_limited(2, part, part, 0, 1, 2, 3) == (sl_real)(2 * 1.375));
    assert_true(sl_relax_carried_limited(-2, -part, -part, 0, 1, 2, 3) == (sl_real)(-2 * 1.625));
    assert_true(sl_relax_carried_limited(2, 1, 1, 0, 1, 2, 3) == 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carried), cmocka_unit_test(conservation), cmocka_unit_test(scalars),
        cmocka_unit_test(ranks),   cmocka_unit_test(restart),      cmocka_unit_test(symmetry),
        cmocka_unit_test(repairs),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
