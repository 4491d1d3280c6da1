/* colliding.c - gas that runs together head-on along an axis has the density behind its two shocks,
 * and does not stay in one cell: from Mach 1.5 to 50, with the diaphragm on a face of the mesh and
 * within a cell, with and without a magnetic field along the shocks. The bits are the same along
 * every axis.
 */
#include "tests/law.h"

enum { N = 32 };

/* The case that runs: Mach number of each stream, field, ratio of specific heats (1: isothermal),
 * place of the diaphragm. Sound speed and density of the streams are 1. */
static struct {
    double mach, field, gamma, x0;
} now;

static void streams(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    (void)data, (void)t;
    double left = fmin(1, fmax(0, (now.x0 - lo[0]) / (hi[0] - lo[0])));
    prim[0] = 1;
    prim[1] = now.mach * (2 * left - 1);
    prim[4] = 1 / now.gamma;
    prim[SL_PRIM_B + 1] = now.field;
}

/* What mass, momentum and energy lack when the density between the shocks is r: it falls through
 * zero at the exact one. */
static double lacking(double r)
{
    double m = 0.5 * now.field * now.field, p1 = 1 / now.gamma;
    double p2 = p1 + m * (1 - r * r) + now.mach * now.mach * r / (r - 1);
    if (now.gamma == 1) return p2 - r;
    return (p2 / r - p1) / (now.gamma - 1) + m * (r - 1) -
           0.5 * (p1 + m + p2 + r * r * m) * (1 - 1 / r);
}

static double density(void)
{
    double lo = 1 + 1e-9, hi = now.gamma > 1 ? (now.gamma + 1) / (now.gamma - 1) : 1e6;
    for (int i = 0; i < 200; i++) {
        double r = 0.5 * (lo + hi);
        if (lacking(r) > 0)
            lo = r;
        else
            hi = r;
    }
    return lo;
}

static double largest(const struct sl_sim *sim, const struct law_pose *pose)
{
    struct law_values v = law_values_of(sim, pose);
    double most = 0;
    for (int i = 0; i < N; i++)
        most = fmax(most, v.at[i]);
    free(v.at);
    return most;
}

/* While each shock moves from its eighth to its tenth cell the largest density is the exact one but
 * for a share. */
static void collide(const char *scheme, double share)
{
    char recipe[1024];
    static struct law_pose pose = {{0, 1, 2}, 0, streams};
    double exact = density(), per_cell = (exact - 1) / (now.mach * N), worst = 0;
    struct fluid *f;
    snprintf(recipe, sizeof recipe, "mesh.cells: [%d]\nmesh.boundary: fixed\n%s\n%s%.17g\n", N,
             scheme, now.gamma == 1 ? "fluid.eos: isothermal\n#" : "fluid.gamma: ", now.gamma);
    assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, law_posed, &pose, &f), SL_OK);
    while (f->sim->state.time < 10 * per_cell) {
        law_advance(f, 1);
        if (f->sim->state.time > 8 * per_cell)
            worst = fmax(worst, fabs(largest(f->sim, &pose) / exact - 1));
    }
    fluid_free(f);
    if (!(worst < share))
        fail_msg("Mach %g, gamma %g, diaphragm at %g, field %g: off by %g of %g\n%s", now.mach,
                 now.gamma, now.x0, now.field, worst, exact, scheme);
}

static void all(const char *scheme, double field, double share)
{
    static const double machs[] = {1.5, 4, 20}, gammas[] = {1, 1.1, 5.0 / 3};
    static const double places[] = {0.5, 0.5 + 0.5 / N, 0.5 + 0.2 / N};
    now.field = field;
    for (int g = 0; g < 3; g++)
        for (int m = 0; m < 3; m++)
            for (int p = 0; p < 3; p++) {
                now.gamma = gammas[g], now.mach = machs[m], now.x0 = places[p];
                if (now.mach > 10 && g == 0) now.mach = 8; /* 20: thousands of steps */
                collide(scheme, share);
            }
}

static void gas(void **unused)
{
    (void)unused;
    all("", 0, 0.11);
    all("fluid.limiter: vanleer", 0, 0.11);
    all("fluid.integrator: vl2", 0, 0.1);
    all("fluid.integrator: ctu", 0, 0.11);
    all("fluid.integrator: rk3\nfluid.reconstruct: ppm", 0, 0.1);
    all("fluid.integrator: rk3\nfluid.reconstruct: wenoz", 0, 0.11);
    all("fluid.integrator: rk3\nfluid.reconstruct: wenoz\nfluid.shocks: flatten", 0, 0.11);
    all("fluid.characteristic: true", 0, 0.1);
}

static void field(void **unused)
{
    (void)unused;
    all("fluid.mhd: glm\nfluid.riemann: hlld", 0.5, 0.1);
    all("fluid.mhd: ct\nfluid.riemann: hlld", 0.5, 0.1);
}

static void hypersonic(void **unused)
{
    (void)unused;
    now.field = 0, now.mach = 50, now.gamma = 1.4;
    for (int p = 0; p < 4; p++) {
        now.x0 = 0.5 + 0.25 * p / N;
        collide("", 0.1);
        collide("fluid.reconstruct: ppm", 0.1);
    }
}

static void axes(void **unused)
{
    (void)unused;
    now.mach = 4, now.field = 0, now.gamma = 1.4, now.x0 = 0.5 + 0.5 / LAW_TUBE;
    law_axes("fluid.gamma: 1.4\n", streams, 8, 1);
    law_axes("fluid.eos: isothermal\nfluid.reconstruct: ppm\n", streams, 8, 1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gas),
        cmocka_unit_test(field),
        cmocka_unit_test(hypersonic),
        cmocka_unit_test(axes),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
