/* cold_flow.c - dual energy: cold gas that expands keeps its entropy, on one level, with levels at rest, and with levels
 * that come and go at every step. What total energy and momentum tell of heat is a thousand times as much there.
 *
 * ranks: 1 3
 */
#include "core/exact/whole.h"
#include "core/mesh/hierarchy.h"
#include "tests/law.h"

/* Hubble flow: v = x / (1 + t) from the middle of the box, with Mach numbers of up to a thousand. Adiabatic gas has
 * rho = (1 + t)^-dim and p = p0 (1 + t)^(-5 dim / 3), whatever the mesh. */
static const double cold = 1e-7;

static void hubble(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    int dim = *(const int *)data;
    prim[0] = pow(1 + t, -dim);
    for (int d = 0; d < dim; d++)
        prim[1 + d] = (0.5 * (lo[d] + hi[d]) - 0.5) / (1 + t);
    prim[4] = cold * pow(1 + t, -5. / 3 * dim);
}

/* Largest relative error of p / rho of all cells. */
static double heated(const struct fluid *f, int dim)
{
    struct sl_whole w;
    double worst = 0, exact = cold * pow(1 + f->sim->state.time, -2. / 3 * dim);
    assert_int_equal(sl_whole_init(&f->sim->state, &w), SL_OK);
    for (int k = 0; k < w.n[2]; k++)
        for (int j = 0; j < w.n[1]; j++)
            for (int i = 0; i < w.n[0]; i++) {
                double t = sl_whole_at(&w, 4, k, j, i) / sl_whole_at(&w, 0, k, j, i);
                worst = fmax(worst, fabs(t / exact - 1));
            }
    sl_whole_release(&w);
    return worst;
}

static const char *const boxes[] = {"", "mesh.cells: [64]\nmesh.block: [8]\n",
                                    "mesh.cells: [32, 32]\nmesh.block: [8]\n"};
static const char *const centers[] = {"", "0.3", "0.3, 0.3"};

enum course { UNIFORM, AT_REST, JUMPING };

static int axes[] = {0, 1, 2};

static struct fluid *start(int dim, enum course course, const char *scheme)
{
    char recipe[1024], levels[512] = "";
    struct fluid *f;
    if (course != UNIFORM)
        snprintf(levels, sizeof levels,
                 "mesh.levels: 2\nmesh.refine: [{by: sphere, center: [%s], radius: 0.04}]\n"
                 "mesh.regrid: 1\nmesh.derefine_after: 1\n",
                 centers[dim]);
    snprintf(recipe, sizeof recipe, "%s%smesh.boundary: fixed\nfluid.dual_energy: true\n%s",
             boxes[dim], levels, scheme);
    assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, hubble, &axes[dim], &f), SL_OK);
    f->sim->state.end = 3;
    return f;
}

/* Until lengths are twice as large. */
static void expands(int dim, enum course course, const char *scheme, double most)
{
    struct fluid *f = start(dim, course, scheme);
    int changes = 0;
    while (f->sim->state.time < 1) {
        const struct sl_hierarchy *was_on = f->sim->state.hierarchy;
        for (int d = 0; d < dim && course == JUMPING; d++)
            f->cfg.mesh_refine[0].lo[d] = changes % 4 < 2 ? 0.7 : 0.3;
        law_advance(f, 1);
        changes += f->sim->state.hierarchy != was_on;
    }
    double off = heated(f, dim);
    if (course == JUMPING && changes < 20) fail_msg("%d changes of the mesh", changes);
    if (!(off < most))
        fail_msg("%dD, course %d: off by %g after %d changes\n%s", dim, course, off, changes,
                 scheme);
    fluid_free(f);
}

static void each(enum course course, double most, double most_vl2)
{
    expands(1, course, "", most);
    expands(1, course, "time.levels: each\n", most);
    expands(2, course, "", most);
    expands(2, course, "fluid: {reconstruct: ppm, integrator: rk3, riemann: hllc}\n", most);
    expands(2, course, "fluid.integrator: vl2\n", most_vl2);
    expands(2, course, "fluid: {mhd: ct, integrator: vl2}\n", most_vl2);
    expands(2, course, "fluid: {mhd: glm, riemann: hlld}\n", most);
}

static void one_level(void **unused)
{
    (void)unused;
    each(UNIFORM, 1e-3, 1e-2);
}

static void levels_at_rest(void **unused)
{
    (void)unused;
    each(AT_REST, 1e-3, 1e-2);
}

static void levels_that_change(void **unused)
{
    (void)unused;
    each(JUMPING, 1e-3, 1e-2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_level),
        cmocka_unit_test(levels_at_rest),
        cmocka_unit_test(levels_that_change),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
