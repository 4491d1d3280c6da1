/* level_clock.c - levels that take shorter steps know what time it is, and clean the field no
 * faster than each of them bears.
 *
 * Gas whose density changes along a line, carried along at one speed and pressure, is solved to
 * rounding; what flows in through a fixed boundary is that of the time of a step of the level
 * there, in the midst of one of the root as well.
 *
 * ranks: 1
 * optimised: 1
 */
#include "core/mesh/hierarchy.h"
#include "core/step/ratio.h"
#include "core/step/work.h"
#include "tests/law.h"

static const double speed = 0.75, slope = 0.5;

static void ramp(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data;
    prim[0] = 2 + slope * (0.5 * (lo[0] + hi[0]) - speed * t);
    prim[1] = speed;
    prim[4] = 1;
}

/* The largest error of density in the leaves of a level. */
static double error_of(const struct sl_sim *s)
{
    const struct sl_mesh *m = s->state.mesh;
    double worst = 0, dx = m->blocks[0].dx[0];
    for (int b = 0; b < m->nleaf; b++)
        for (int i = 0; i < m->n[0]; i++) {
            double x = ((double)(m->blocks[b].at[0] * m->n[0] + i) + 0.5) * dx;
            double rho =
                (double)s->state.u[sl_mesh_at(m, s->state.layout.nvar, b, 0, 0, 0, i + m->g[0])];
            worst = fmax(worst, fabs(rho - 2 - slope * (x - speed * s->root->state.time)));
        }
    return worst;
}

static void keeps_time(const char *scheme)
{
    char recipe[512];
    struct fluid *f;
    snprintf(recipe, sizeof recipe,
             "mesh: {cells: [32], block: 8, boundary: fixed, levels: 2}\ntime.levels: each\n"
             "mesh.refine: [{by: sphere, center: [0.03], radius: 0.01}]\n%s",
             scheme);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, ramp, &f), SL_OK);
    assert_true(f->sim->finer && f->sim->finer->finer);
    assert_int_equal(sl_ratio_of(f->sim).steps[2], 4);
    law_advance(f, 4);
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    for (const struct sl_sim *s = f->sim; s; s = s->finer)
        if (!(error_of(s) < 64 * law_rounding()))
            fail_msg("level %d is off by %g\n%s", s->state.mesh->level, error_of(s), recipe);
    fluid_free(f);
}

static void inflow(void **unused)
{
    (void)unused;
    keeps_time("");
    keeps_time("fluid: {integrator: rk3, theta: 2}\n");
}

static void cleans(const char *levels)
{
    char recipe[512];
    struct fluid *f;
    double least = HUGE_VAL;
    snprintf(recipe, sizeof recipe,
             "mesh: {cells: [32, 32], block: 8, levels: 2}\nfluid.mhd: glm\ntime.levels: %s\n"
             "mesh.refine: [{by: sphere, center: [0.3, 0.3], radius: 0.1}]\n",
             levels);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, law_waves, &f), SL_OK);
    assert_non_null(f->sim->finer->finer);
    struct sl_ratio c = sl_ratio_of(f->sim);
    for (const struct sl_sim *s = f->sim; s; s = s->finer)
        least = fmin(least, sl_step_cleaning_speed(s, c.dt / c.steps[s->state.mesh->level]));
    law_advance(f, 1);
    for (const struct sl_sim *s = f->sim; s; s = s->finer)
        assert_true(s->work->scheme.gas.ch == (sl_real)least);
    fluid_free(f);
}

static void cleaning(void **unused)
{
    (void)unused;
    cleans("one");
    cleans("each");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(inflow), cmocka_unit_test(cleaning)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
