/* time_step.c - the step that uniform gas allows, which is known: cells of three widths, a velocity
 * oblique to them. The smaller of fluid.cfl over the fastest axis and of one over the sum of the
 * axes; ctu needs no sum, and a step of tvd goes over each axis twice. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/step/work.h"
#include "tests/fluid.h"

static const double speed[3] = {0.5, -0.7, 0.2}, rho = 1.5, p = 0.9;

static void uniform(const void *data, const double lo[3], const double hi[3], double t, double *w)
{
    (void)data, (void)lo, (void)hi, (void)t;
    w[0] = rho, w[4] = p;
    for (int d = 0; d < 3; d++)
        w[1 + d] = speed[d];
}

static void allowed(const char *integrator, double cfl, int sums, int sweeps)
{
    const double dx[3] = {1. / 8, 0.8 / 8, 0.6 / 8}, c = sqrt(5 / 3. * p / rho);
    double fastest = 0, sum = 0, want;
    char recipe[512];
    struct fluid *f;
    snprintf(recipe, sizeof recipe,
             "mesh.cells: [8, 8, 8]\nmesh.box: [[0, 1], [0, 0.8], [0, 0.6]]\n"
             "mesh.boundary: periodic\nfluid.integrator: %s\nfluid.cfl: %g\n",
             integrator, cfl);
    for (int d = 0; d < 3; d++) {
        fastest = fmax(fastest, (fabs(speed[d]) + c) / dx[d]);
        sum += (fabs(speed[d]) + c) / dx[d];
    }
    want = sweeps * cfl / fastest;
    if (sums) want = fmin(want, 1 / sum);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, uniform, &f), SL_OK);
    if (!(fabs(f->sim->state.dt / want - 1) < 1e-13))
        fail_msg("%s, cfl %g: step %.17g, not %.17g", integrator, cfl, f->sim->state.dt, want);
    fluid_free(f);
}

static void steps(void **unused)
{
    (void)unused;
    allowed("rk2", 0.2, 1, 1);
    allowed("rk2", 0.9, 1, 1); /* the sum is what holds it back */
    allowed("vl2", 0.9, 1, 1);
    allowed("rk3", 0.9, 1, 1);
    allowed("tvd", 0.4, 0, 2);
}

static void step_of_ctu(void **unused)
{
    (void)unused;
    const double c = sqrt(5 / 3. * p / rho), fastest = fmax(speed[0] + c, -speed[1] + c) * 8;
    struct fluid *f;
    assert_int_equal(fluid_new(MPI_COMM_WORLD,
                               "mesh.cells: [8, 8]\nmesh.box: [[0, 1], [0, 1]]\n"
                               "mesh.boundary: periodic\nfluid.integrator: ctu\nfluid.cfl: 0.9\n",
                               uniform, &f),
                     SL_OK);
    assert_true(fabs(f->sim->state.dt * fastest / 0.9 - 1) < 1e-13);
    fluid_free(f);
}

/* The last step before an output ends there, the one before it leaves half: no sliver is left. */
static void no_sliver(void **unused)
{
    (void)unused;
    struct fluid *f;
    assert_int_equal(fluid_new(MPI_COMM_WORLD, "mesh.cells: [8]\n", uniform, &f), SL_OK);
    double until = f->sim->state.time + 1;
    assert_true(sl_step_clip(f->sim, 0.4, until) == 0.4);
    assert_true(sl_step_clip(f->sim, 0.6, until) == 0.5);
    assert_true(sl_step_clip(f->sim, 1, until) == 1 && sl_step_clip(f->sim, 2, until) == 1);
    fluid_free(f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps),
        cmocka_unit_test(step_of_ctu),
        cmocka_unit_test(no_sliver),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
