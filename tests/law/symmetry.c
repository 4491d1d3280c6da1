/* symmetry.c - a problem along x, y and z gives the same bits, and so do a problem and its mirror
 * image, for every method, limiter, solver and gas; so does the transpose of a problem in a plane, and a problem without
 * any symmetry in all six orders of its axes in space, with and without a field.
 *
 * ranks: 1 2
 */
#include "tests/law.h"

static void one_axis(void **unused)
{
    (void)unused;
    static const char *const methods[] = {"plm\nfluid.limiter: minmod",
                                          "plm\nfluid.limiter: mc",
                                          "plm\nfluid.limiter: vanleer",
                                          "ppm",
                                          "wenoz",
                                          "constant",
                                          "ppm\nfluid.flatten: true"};
    static const char *const solvers[] = {"hllc", "roe", "hlle", "llf"};
    for (int i = 0; i < 7; i++)
        for (int e = 0; e < 2; e++) {
            char scheme[256];
            snprintf(scheme, sizeof scheme,
                     "fluid.reconstruct: %s\nfluid.riemann: %s\nfluid.eos: %s\n"
                     "fluid.integrator: %s\n",
                     methods[i], solvers[(i + e) % 4], e ? "isothermal" : "ideal",
                     i % 2 ? "rk3" : "rk2");
            law_axes(scheme, law_tube, 20, 1);
        }
    law_axes("fluid.riemann: lhllc\n", law_tube, 20, 1);
    law_axes("fluid.characteristic: true\nfluid.limiter: mc\n", law_tube, 20, 1);
}

/* The implosion of Liska & Wendroff: symmetric about the diagonal of a closed box. */
static void implosion(const void *data, const double lo[3], const double hi[3], double t,
                      double *prim)
{
    (void)data, (void)t;
    int low = lo[0] + lo[1] + hi[0] + hi[1] < 1;
    prim[0] = low ? 0.125 : 1;
    prim[1] = prim[2] = prim[3] = 0;
    prim[4] = low ? 0.14 : 1;
}

static void transpose_with(const char *solver)
{
    static struct law_pose upright = {{0, 1, 2}, 0, implosion}, turned = {{1, 0, 2}, 0, implosion};
    struct fluid *f;
    char recipe[256];
    snprintf(recipe, sizeof recipe,
             "mesh.cells: [32, 32]\nmesh.block: [8]\nmesh.boundary: reflecting\n"
             "fluid.gamma: 1.4\nfluid.riemann: %s\n",
             solver);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, implosion, &f), SL_OK);
    law_advance(f, 200);
    struct law_values one = law_values_of(f->sim, &upright), other = law_values_of(f->sim, &turned);
    law_compare(&one, &other, solver);
    free(one.at);
    free(other.at);
    fluid_free(f);
}

static void transpose(void **unused)
{
    (void)unused;
    transpose_with("hllc");
    transpose_with("lhllc");
}

static void six(void **unused)
{
    (void)unused;
    static const char *const gas[] = {"hllc", "roe", "hlle", "llf", "lhllc"};
    static const char *const field[] = {"hlld", "roe", "hlle", "llf", "lhlld"};
    static const char *const rest[] = {
        "plm\nfluid.scalars: 1\n", "ppm\nfluid.integrator: rk3\nfluid.flatten: true\n",
        "wenoz\nfluid.integrator: rk3\nfluid.eos: isothermal\n",
        "constant\nfluid.integrator: vl2\n", "plm\nfluid.dual_energy: true\n"};
    static const char *const fields[] = {"none", "glm", "ct"};
    for (int i = 0; i < 5; i++)
        for (int b = 0; b < 3; b++) {
            char scheme[256];
            snprintf(scheme, sizeof scheme,
                     "fluid.mhd: %s\nfluid.riemann: %s\nfluid.reconstruct: %s", fields[b],
                     b ? field[i] : gas[i], rest[i]);
            law_turns(scheme, law_waves, 8);
        }
    law_turns("fluid.mhd: ct\nfluid.riemann: hlld\nfluid.dual_energy: true\n", law_waves, 8);
    law_turns("fluid.theta: 2\n", law_violent, 6);
    law_turns("fluid.mhd: glm\nfluid.riemann: hlld\nfluid.characteristic: true\n", law_waves, 8);
    law_turns("fluid.mhd: ct\nfluid.riemann: roe\nfluid.integrator: vl2\nfluid.reconstruct: ppm\n"
              "fluid.characteristic: true\n",
              law_waves, 8);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_axis),
        cmocka_unit_test(transpose),
        cmocka_unit_test(six),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
