/* positivity.c - a violent start from uniform density: bad cells are repaired by first-order fluxes
 * without losing mass, momentum or energy, with the same bits for any blocks and ranks; what cannot
 * be repaired stops the run with the state as it was.
 *
 * ranks: 1 3
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/fluid.h"

/* Velocities of up to 50 sound speeds that change sign from cell to cell. */
static void violent(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    (void)data, (void)hi, (void)t;
    double phase = 0;
    for (int d = 0; d < 3; d++)
        phase += (d + 1) * floor(16 * lo[d] + 0.5);
    prim[0] = 1;
    for (int d = 0; d < 3; d++)
        prim[1 + d] = 50 * sin(1.7 * phase * (d + 1) + d);
    prim[4] = 0.6;
    prim[5] = 0.5;
}

static void total(const struct sl_sim *sim, double sum[5])
{
    const struct sl_mesh *m = sim->mesh;
    memset(sum, 0, 5 * sizeof *sum);
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < 5; v++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++)
                        sum[v] += (double)sim->u[sl_mesh_at(m, sim->layout.nvar, b, v, k + m->g[2],
                                                            j + m->g[1], i + m->g[0])];
    MPI_Allreduce(MPI_IN_PLACE, sum, 5, MPI_DOUBLE, MPI_SUM, m->comm);
}

/* Runs 12 steps; the hash, and what was repaired. */
static uint64_t run(MPI_Comm comm, const char *scheme, const char *block, int64_t *repaired)
{
    char recipe[512];
    struct fluid *f;
    uint64_t hash;
    double before[5], after[5];
    snprintf(recipe, sizeof recipe, "mesh.cells: [16, 16, 16]\nmesh.block: %s\n%s", block, scheme);
    assert_int_equal(fluid_new(comm, recipe, violent, &f), SL_OK);
    total(f->sim, before);
    for (int i = 0; i < 12; i++) {
        int code = sl_sim_step(f->sim, 1);
        if (code != SL_OK) fail_msg("%s: %s", scheme, sl_error_text());
    }
    total(f->sim, after);
    assert_int_equal(f->sim->cells_floored, 0);
    for (int v = 0; v < 5; v++) {
        double change = fabs(after[v] - before[v]) / before[v > 0 ? 4 : 0];
        if (!(change < 1e-13)) fail_msg("%s: variable %d changed by %g", scheme, v, change);
    }
    *repaired = f->sim->cells_repaired;
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    fluid_free(f);
    return hash;
}

static void repairs(void **unused)
{
    (void)unused;
    static const char *const schemes[] = {
        "fluid.riemann: hllc\nfluid.theta: 2\n",
        "fluid.riemann: roe\nfluid.limiter: vanleer\nfluid.scalars: 1\n",
        "fluid.riemann: lhllc\nfluid.theta: 2\n",
        "fluid.riemann: hllc\nfluid.reconstruct: ppm\nfluid.integrator: rk3\n",
        "fluid.riemann: roe\nfluid.reconstruct: wenoz\nfluid.integrator: rk3\n",
    };
    for (int i = 0; i < 5; i++) {
        int64_t alone, together;
        uint64_t hash = run(MPI_COMM_SELF, schemes[i], "[16]", &alone);
        print_message("%lld cells repaired: %s", (long long)alone, schemes[i]);
        assert_true(alone > 0);
        assert_true(run(MPI_COMM_WORLD, schemes[i], "[8]", &together) == hash);
        assert_int_equal(alone, together);
    }
}

/* Without first-order fluxes only floors are left, and none is allowed. */
static void diverges(void **unused)
{
    (void)unused;
    struct fluid *f;
    int code = SL_OK;
    assert_int_equal(fluid_new(MPI_COMM_WORLD,
                               "mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.max_floored: 0\n"
                               "fluid.positivity: false\nfluid.cfl: 1\nfluid.theta: 2\n",
                               violent, &f),
                     SL_OK);
    uint64_t before = 0, after = 1;
    int64_t step = 0;
    for (int i = 0; i < 50 && code == SL_OK; i++) {
        assert_int_equal(sl_sim_hash(f->sim, &before), SL_OK);
        step = f->sim->step;
        code = sl_sim_step(f->sim, 1);
    }
    assert_int_equal(code, SL_EDIVERGED);
    assert_non_null(strstr(sl_error_text(), "without density or pressure"));
    assert_int_equal(sl_sim_hash(f->sim, &after), SL_OK);
    assert_true(before == after);
    assert_int_equal(step, f->sim->step);
    fluid_free(f);
}

/* The same with floors allowed goes on, and says how many cells it changed. */
static void floors(void **unused)
{
    (void)unused;
    struct fluid *f;
    assert_int_equal(fluid_new(MPI_COMM_WORLD,
                               "mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.max_floored: 1\n"
                               "fluid.positivity: false\nfluid.cfl: 1\nfluid.theta: 2\n",
                               violent, &f),
                     SL_OK);
    for (int i = 0; i < 10; i++)
        assert_int_equal(sl_sim_step(f->sim, 1), SL_OK);
    assert_true(f->sim->cells_floored > 0);
    assert_int_equal(f->sim->cells_repaired, 0);
    fluid_free(f);
}

static void bad_start(const void *data, const double lo[3], const double hi[3], double t,
                      double *prim)
{
    violent(data, lo, hi, t, prim);
    if (lo[0] > 0.7) prim[4] = -0.1;
}

static void refused(void **unused)
{
    (void)unused;
    struct fluid *f;
    int code =
        fluid_new(MPI_COMM_WORLD, "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n", bad_start, &f);
    assert_int_equal(code, SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "must be positive"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repairs),
        cmocka_unit_test(diverges),
        cmocka_unit_test(floors),
        cmocka_unit_test(refused),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
