/* symmetry.c - a problem along x, y and z gives the same bits, and so do a problem and its mirror
 * image, for every method, limiter, solver and gas; so does the transpose of a problem in a plane,
 * and a problem without any symmetry in all six orders of its axes in space, with and without a
 * field; a problem that half a turn about the middle of the box leaves alone stays so.
 *
 * ranks: 2
 * optimised: 1
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
                                          "ppm\nfluid.shocks: flatten"};
    static const char *const solvers[] = {"hllc", "roe", "hlle", "llf"};
    for (int i = 0; i < 7; i++)
        for (int e = 0; e < 2; e++) {
            char scheme[256];
            snprintf(scheme, sizeof scheme,
                     "fluid.reconstruct: %s\nfluid.riemann: %s\nfluid.eos: %s\n"
                     "fluid.integrator: %s\n",
                     methods[i], solvers[(i + e) % 4], e ? "isothermal" : "ideal",
                     i % 2 ? "rk3" : "rk2");
            law_axes(scheme, law_tube, 8, 1);
        }
    law_axes("fluid.riemann: lhllc\n", law_tube, 8, 1);
    law_axes("fluid.characteristic: true\nfluid.limiter: mc\n", law_tube, 8, 1);
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
        "plm\nfluid.scalars: 1\n", "ppm\nfluid.integrator: rk3\nfluid.shocks: flatten\n",
        "wenoz\nfluid.integrator: rk3\nfluid.eos: isothermal\n",
        "constant\nfluid.integrator: vl2\n", "plm\nfluid.dual_energy: true\n"};
    static const char *const fields[] = {"none", "glm", "ct"};
    for (int i = 0; i < 5; i++)
        for (int b = 0; b < 3; b++) {
            char scheme[256];
            snprintf(scheme, sizeof scheme,
                     "fluid.mhd: %s\nfluid.riemann: %s\nfluid.reconstruct: %s", fields[b],
                     b ? field[i] : gas[i], rest[i]);
            law_turns(scheme, law_waves, 4);
        }
    law_turns("fluid.mhd: ct\nfluid.riemann: hlld\nfluid.dual_energy: true\n", law_waves, 4);
    law_turns("fluid.theta: 2\n", law_violent, 6);
    law_turns("fluid.mhd: glm\nfluid.riemann: hlld\nfluid.characteristic: true\n", law_waves, 4);
    law_turns("fluid.mhd: ct\nfluid.riemann: roe\nfluid.integrator: vl2\nfluid.reconstruct: ppm\n"
              "fluid.characteristic: true\n",
              law_waves, 4);
}

/* ---- half a turn ---------------------------------------------------------------------------- */

/* Stays the same when all axes change sign about the middle of the box: a hot ball in a flow and a
 * field, with jumps that call for repairs. */
static void ball(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double pi = acos(-1), x[3], r2 = 0;
    for (int d = 0; d < 3; d++) {
        x[d] = hi[d] - lo[d] < 1 ? lo[d] + hi[d] : 0; /* twice the distance */
        r2 += x[d] * x[d];
    }
    prim[0] = 1 + 0.5 * cos(pi * x[0]) * cos(pi * (x[1] - x[2]));
    prim[1] = sin(pi * (x[0] + x[1]));
    prim[2] = 3 * sin(pi * (x[1] + x[2] - x[0]));
    prim[3] = 0.2 * sin(pi * x[0]);
    prim[4] = r2 < 0.1 ? 100 : 0.1;
    prim[SL_PRIM_SCALAR] = r2 < 0.1;
    prim[SL_PRIM_B] = 2 + cos(pi * x[1]);
    prim[SL_PRIM_B + 1] = 3;
    prim[SL_PRIM_B + 2] = cos(pi * (x[0] + x[1]));
}

static int turns_over(const struct sl_layout *l, int v)
{
    int psi = l->magnetic >= 0 && l->face < 0 && v == l->magnetic + 3;
    return (v >= SL_MX && v <= SL_MZ) || psi;
}

static void look_turned(const struct sl_sim *sim, const char *recipe)
{
    static const struct law_pose upright = {{0, 1, 2}, 0, ball};
    struct law_values a = law_values_of(sim, &upright);
    int x[3];
    for (int v = 0; v < a.nvar; v++)
        for (x[2] = 0; x[2] < a.n[2]; x[2]++)
            for (x[1] = 0; x[1] < a.n[1]; x[1]++)
                for (x[0] = 0; x[0] < a.n[0]; x[0]++) {
                    int y[3] = {a.n[0] - 1 - x[0], a.n[1] - 1 - x[1], a.n[2] - 1 - x[2]};
                    double one = *law_value(&a, v, x), other = *law_value(&a, v, y);
                    if (turns_over(&sim->state.layout, v)) other = -other;
                    if (one != other)
                        fail_msg("variable %d of cell (%d, %d, %d) differs by %g:\n%s", v, x[0],
                                 x[1], x[2], one - other, recipe);
                }
    free(a.at);
}

/* Boxes about 0, with numbers of cells that leave rounding errors in their coordinates. */
#define SQUARE "mesh.cells: [27, 36]\nmesh.box: [[-0.5, 0.5], [-0.5, 0.5]]\n"
#define CUBE   "mesh.cells: [18, 18, 18]\nmesh.box: [[-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5]]\n"

/* Number of cells repaired. */
static int64_t turned(const char *cells, const char *scheme)
{
    struct fluid *f;
    char recipe[512];
    snprintf(recipe, sizeof recipe, "%smesh.block: [9]\n%s", cells, scheme);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, ball, &f), SL_OK);
    law_advance(f, 30);
    look_turned(f->sim, recipe);
    int64_t repaired = f->sim->state.cells_repaired;
    fluid_free(f);
    return repaired;
}

static void half_turn(void **unused)
{
    (void)unused;
    static const char *const gas[] = {
        "fluid.riemann: hllc\nfluid.limiter: mc\nfluid.scalars: 1\n",
        ("fluid.riemann: roe\nfluid.reconstruct: ppm\nfluid.integrator: rk3\n"
         "fluid.shocks: flatten\n"),
        "fluid.riemann: hlle\nfluid.reconstruct: wenoz\nfluid.dual_energy: true\n",
        "fluid.riemann: lhllc\nfluid.characteristic: true\n",
        "fluid.integrator: vl2\nfluid.riemann: roe\nfluid.limiter: mc\n",
        "fluid.integrator: tvd\n",
    };
    static const char *const field[] = {
        "fluid.riemann: hlld\nfluid.limiter: mc\nfluid.scalars: 1\n",
        "fluid.riemann: roe\nfluid.limiter: mc\n",
        "fluid.riemann: roe\nfluid.integrator: vl2\nfluid.limiter: mc\n",
        "fluid.riemann: hlle\nfluid.reconstruct: ppm\nfluid.integrator: rk3\n",
        "fluid.riemann: hlld\nfluid.reconstruct: wenoz\nfluid.dual_energy: true\n",
        "fluid.riemann: lhlld\nfluid.characteristic: true\n",
    };
    static const char *const kinds[] = {"glm", "ct"};
    int64_t repaired = 0;
    for (int i = 0; i < 6; i++) {
        turned(SQUARE, gas[i]);
        for (int k = 0; k < 2; k++) {
            char scheme[256];
            snprintf(scheme, sizeof scheme, "fluid.mhd: %s\n%s", kinds[k], field[i]);
            repaired += turned(SQUARE, scheme);
        }
    }
    turned(CUBE, "fluid.mhd: ct\nfluid.riemann: roe\n");
    turned(CUBE, "fluid.mhd: glm\nfluid.riemann: hlld\n");
    turned(SQUARE, "fluid.integrator: ctu\nfluid.riemann: roe\nfluid.limiter: mc\n");
    repaired += turned(SQUARE, "fluid.integrator: ctu\nfluid.mhd: ct\nfluid.riemann: roe\n"
                               "fluid.limiter: mc\n");
    assert_true(repaired > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_axis),
        cmocka_unit_test(transpose),
        cmocka_unit_test(six),
        cmocka_unit_test(half_turn),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
