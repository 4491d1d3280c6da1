/* conservation.c - mass, momentum, energy and passive scalars keep their sums to round-off over 100
 * steps in a periodic box, in 1, 2 and 3 dimensions; a resting contact keeps every bit.
 *
 * ranks: 1 2
 */
#include "tests/law.h"

/* A jump across each axis that there is. */
static void contact(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    (void)data, (void)hi, (void)t;
    prim[0] = (lo[0] > 0.4) + (lo[1] > 0.4) == 1 ? 1.4 : 1.0;
    prim[1] = prim[2] = prim[3] = 0;
    prim[4] = 1;
    prim[5] = lo[0] > 0.4;
}

static struct fluid *start(const char *recipe, fluid_state *state)
{
    struct fluid *f;
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, state, &f), SL_OK);
    return f;
}

static void conserves(const char *recipe)
{
    struct fluid *f = start(recipe, law_waves);
    law_conserves(f, 100, recipe);
    fluid_free(f);
}

static void conservation(void **unused)
{
    (void)unused;
    conserves("mesh.cells: [64]\nmesh.block: [16]\nfluid.scalars: 1\n");
    conserves("mesh.cells: [64]\nmesh.block: [16]\nfluid.riemann: roe\nfluid.reconstruct: ppm\n"
              "fluid.integrator: rk3\nfluid.scalars: 1\n");
    conserves("mesh.cells: [32, 32]\nmesh.block: [16]\nfluid.riemann: hlle\nfluid.scalars: 1\n");
    conserves("mesh.cells: [32, 32]\nmesh.block: [16]\nfluid.eos: isothermal\n");
    conserves("mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.scalars: 1\n");
    conserves("mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.riemann: llf\n"
              "fluid.reconstruct: wenoz\nfluid.integrator: rk3\n");
}

static void rests(const char *recipe)
{
    struct fluid *f = start(recipe, contact);
    size_t size = sl_mesh_size(f->sim->state.mesh, f->sim->state.layout.nvar), different = 0;
    sl_real *before = malloc(size * sizeof *before + 1);
    assert_non_null(before);
    memcpy(before, f->sim->state.u, size * sizeof *before);
    law_advance(f, 50);
    /* ghost cells are filled by then; the interior is what counts */
    const struct sl_mesh *m = f->sim->state.mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < f->sim->state.layout.nvar; v++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++) {
                        size_t at = sl_mesh_at(m, f->sim->state.layout.nvar, b, v, k + m->g[2],
                                               j + m->g[1], i + m->g[0]);
                        different += before[at] != f->sim->state.u[at];
                    }
    free(before);
    fluid_free(f);
    if (different) fail_msg("%zu values of a resting contact changed:\n%s", different, recipe);
}

#define LINE "mesh.cells: [64]\nmesh.block: [16]\nmesh.boundary: outflow\n"

static void contacts(void **unused)
{
    (void)unused;
    rests(LINE "fluid.gamma: 1.4\nfluid.scalars: 1\n");
    rests(LINE "fluid.riemann: roe\n");
    rests(LINE "fluid.characteristic: true\n");
    rests("mesh.cells: [16, 16]\nmesh.block: [8]\nfluid.reconstruct: ppm\n");
    rests("mesh.cells: [8, 8, 8]\nfluid.reconstruct: wenoz\nfluid.integrator: rk3\n");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conservation),
        cmocka_unit_test(contacts),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
