/* cold_flow.c - dual energy: cold gas that expands keeps its entropy, on one level, with levels at
 * rest, and with levels that come and go again and again. The kinetic energy of its motion inside a
 * cell is a thousand times its heat. Gas that is torn apart goes on with levels that jump.
 *
 * ranks: 3
 * optimised: 1
 */
#include "core/mesh/hierarchy.h"
#include "core/run/start.h"
#include "tests/law.h"

static const char *const boxes[] = {"", "mesh.cells: [64]\nmesh.block: [8]\n",
                                    "mesh.cells: [32, 32]\nmesh.block: [8]\n",
                                    "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n"};
static const char *const centers[] = {"", "0.3", "0.3, 0.3", "0.3, 0.3, 0.3"};

enum course { UNIFORM, AT_REST, JUMPING };
static const char *const courses[] = {"one level", "levels at rest", "levels that jump"};

static struct sl_config cfg;

static struct sl_sim *start(int dim, enum course course, const char *scheme)
{
    char recipe[1024], levels[512] = "";
    struct sl_sim *sim;
    if (course != UNIFORM)
        snprintf(levels, sizeof levels,
                 "mesh.levels: 2\nmesh.refine: [{by: sphere, center: [%s], radius: 0.04}]\n"
                 "mesh.regrid: 1\nmesh.derefine_after: 1\n",
                 centers[dim]);
    snprintf(recipe, sizeof recipe,
             "campaign: c\nproblem: hubble_flow\n%s%smesh.boundary: fixed\ntime.end: 3\n"
             "fluid.dual_energy: true\n%s",
             boxes[dim], levels, scheme);
    assert_int_equal(sl_config_parse("test", recipe, strlen(recipe), NULL, 0, &cfg), SL_OK);
    assert_int_equal(sl_sim_new(MPI_COMM_WORLD, &cfg, &sim), SL_OK);
    assert_int_equal(sl_sim_start(sim), SL_OK);
    return sim;
}

static double heating(const struct sl_sim *sim)
{
    struct sl_measures m = {.n = 0};
    assert_int_equal(sim->state.problem->measure(sim->state.problem_data, &sim->state, &m), SL_OK);
    assert_int_equal(m.n, 1);
    return m.row[0].value;
}

/* Until lengths are twice as large. */
static void expands(int dim, enum course course, const char *scheme, double most)
{
    struct sl_sim *sim = start(dim, course, scheme);
    int changes = 0;
    while (sim->state.time < 1) {
        const struct sl_hierarchy *was_on = sim->state.hierarchy;
        for (int d = 0; d < dim && course == JUMPING; d++)
            cfg.mesh_refine[0].lo[d] = changes % 4 < 2 ? 0.7 : 0.3;
        assert_int_equal(sl_sim_step(sim, sim->state.end), SL_OK);
        changes += sim->state.hierarchy != was_on;
    }
    double off = heating(sim);
    if (course == JUMPING && changes < 20) fail_msg("%d changes of the mesh", changes);
    if (!(off < most))
        fail_msg("%dD, %s: off by %g after %d changes\n%s", dim, courses[course], off, changes,
                 scheme);
    sl_sim_free(sim);
}

/* The second is for schemes with one flux at half of the step, whose steps are the larger error on
 * one level, too. */
static const double bound = 1e-3, bound_half = 1e-2;

static void each(enum course course)
{
    expands(1, course, "", bound);
    expands(1, course, "time.levels: each\n", bound);
    expands(2, course, "", bound);
    expands(2, course, "fluid: {reconstruct: ppm, integrator: rk3, riemann: hllc}\n", bound);
    expands(2, course, "fluid: {mhd: glm, riemann: hlld}\n", bound);
    expands(2, course, "fluid.integrator: vl2\n", bound_half);
    expands(2, course, "fluid: {mhd: ct, integrator: vl2}\n", bound_half);
}

static void one_level(void **unused)
{
    (void)unused;
    each(UNIFORM);
    expands(3, UNIFORM, "", 4 * bound); /* half as many cells along an axis */
    expands(2, UNIFORM, "fluid.integrator: ctu\n", bound_half);
    /* no more gas leaves the cells in which the speed changes its sign than others */
    expands(1, UNIFORM, "fluid.integrator: ctu\n", 0.1 * bound);
    expands(1, UNIFORM, "fluid: {integrator: ctu, reconstruct: ppm}\n", 0.1 * bound);
}

static void levels_at_rest(void **unused)
{
    (void)unused;
    each(AT_REST);
}

static void levels_that_jump(void **unused)
{
    (void)unused;
    each(JUMPING);
}

/* Thin gas between dense streams that meet or part, where levels jump: no cell gets a velocity that
 * none of them has. */
static void torn(int dim, const char *scheme)
{
    char recipe[1024];
    struct fluid *f;
    snprintf(recipe, sizeof recipe,
             "%smesh.levels: 2\nmesh.refine: [{by: sphere, center: [%s], radius: 0.06}]\n"
             "mesh.regrid: 1\nmesh.buffer: 0\nmesh.derefine_after: 1\nfluid.dual_energy: true\n%s",
             boxes[dim], centers[dim], scheme);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, law_torn, &f), SL_OK);
    for (int i = 0; i < (dim == 3 ? 2 : 6); i++) {
        for (int d = 0; d < 3; d++)
            f->cfg.mesh_refine[0].lo[d] = i % 2 ? 0.3 : 0.62;
        law_advance(f, 1);
    }
    fluid_free(f);
}

static void torn_apart(void **unused)
{
    (void)unused;
    torn(2, "");
    torn(2, "fluid: {theta: 2, cfl: 0.9, riemann: roe}\ntime.levels: each\n");
    torn(2, "fluid: {reconstruct: ppm, integrator: rk3}\n");
    torn(3, "");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_level),
        cmocka_unit_test(levels_at_rest),
        cmocka_unit_test(levels_that_jump),
        cmocka_unit_test(torn_apart),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
