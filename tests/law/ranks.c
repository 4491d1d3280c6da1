/* ranks.c - the same bits for any number of ranks and any size of blocks, for every scheme and with
 * every extra variable.
 *
 * The hash that one rank gets with one block is computed by the first one alone (MPI_COMM_SELF) and
 * compared with what all ranks get together with smaller blocks.
 * ranks: 3
 * optimised: 1 2
 */
#include "tests/law.h"

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double twopi = 2 * acos(-1), x[3];
    for (int d = 0; d < 3; d++)
        x[d] = twopi * 0.5 * (lo[d] + hi[d]);
    prim[0] = 1 + 0.3 * sin(x[0] + 2 * x[1]) * cos(x[2]);
    prim[1] = 2 * cos(x[0] + x[2]);
    prim[2] = sin(x[1] - x[0]);
    prim[3] = 0.5 + sin(x[2]);
    prim[4] = x[0] < 2 ? 1 : 0.1;
    prim[5] = 0.5 + 0.5 * sin(x[1]);
    prim[6] = 0.1;
}

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    struct fluid *f;
    snprintf(text, sizeof text, "%smesh.block: %s\n", recipe, block);
    assert_int_equal(fluid_new(comm, text, state, &f), SL_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(sl_sim_step(f->sim, 0.1), SL_OK);
    return f;
}

static const char *const methods[] = {"constant", "plm", "ppm", "wenoz"};
static const char *const solvers[] = {"llf", "hlle", "hllc", "roe"};

static void schemes(void **unused)
{
    (void)unused;
    static const char *const blocks[] = {"[32]", "[16]", "[8]", NULL};
    for (int i = 0; i < 4; i++)
        for (int e = 0; e < 2; e++) {
            char recipe[512];
            snprintf(recipe, sizeof recipe,
                     "mesh.cells: [32, 32]\nfluid.reconstruct: %s\nfluid.riemann: %s\n"
                     "fluid.eos: %s\nfluid.integrator: %s\nfluid.scalars: 2\n",
                     methods[i], solvers[(i + 2 * e) % 4], e ? "isothermal" : "ideal",
                     i % 2 ? "rk2" : "rk3");
            law_same(run, recipe, "[32]", blocks);
        }
}

static void cube(void **unused)
{
    (void)unused;
    static const char *const blocks[] = {"[16]", "[8]", "[8, 4, 16]", NULL};
    law_same(run, "mesh.cells: [16, 16, 16]\nfluid.dual_energy: true\n", "[16]", blocks);
    law_same(run,
             "mesh.cells: [16, 16, 16]\nmesh.boundary: [outflow, reflecting, periodic]\n"
             "fluid.reconstruct: ppm\nfluid.integrator: rk3\nfluid.shocks: flatten\n",
             "[16]", blocks);
    law_same(run, "mesh.cells: [16, 16, 16]\nfluid.riemann: lhllc\nfluid.theta: 2\n", "[16]",
             blocks);
    law_same(run,
             "mesh.cells: [16, 16, 16]\nfluid.riemann: lhllc\nfluid.reconstruct: constant\n"
             "mesh.boundary: [outflow, reflecting, periodic]\n",
             "[16]", blocks);
}

static void line(void **unused)
{
    (void)unused;
    static const char *const blocks[] = {"[128]", "[32]", "[8]", NULL};
    law_same(run, "mesh.cells: [128]\nmesh.boundary: fixed\n", "[128]", blocks);
}

/* Blocks so large that a sweep cuts them into tiles. */
static void tiles(void **unused)
{
    (void)unused;
    static const char *const blocks[] = {"[512, 8, 8]", "[64, 64, 8]", "[256, 16, 4]", NULL};
    law_same(run, "mesh.cells: [512, 64, 8]\n", "[512, 64, 8]", blocks);
    law_same(run, "mesh.cells: [512, 64, 8]\nfluid.riemann: lhllc\n", "[512, 64, 8]", blocks);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemes),
        cmocka_unit_test(cube),
        cmocka_unit_test(line),
        cmocka_unit_test(tiles),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
