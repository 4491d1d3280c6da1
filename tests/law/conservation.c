/* conservation.c - mass, momentum, energy and passive scalars keep their sums to round-off over 100
 * steps in a periodic box, in 1, 2 and 3 dimensions; a resting contact keeps every bit.
 *
 * ranks: 1 2
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/fluid.h"

static void waves(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double twopi = 2 * acos(-1), x[3];
    for (int d = 0; d < 3; d++)
        x[d] = twopi * 0.5 * (lo[d] + hi[d]);
    prim[0] = 1 + 0.5 * sin(x[0] + x[1]) * cos(x[2]);
    prim[1] = 0.3 + sin(x[0] + x[1]);
    prim[2] = 0.2 + cos(x[2] - x[0]);
    prim[3] = 0.1 + sin(x[1]);
    prim[4] = x[0] < 3 ? 1 : 0.2;
    prim[5] = x[0] < 2 ? 1 : 0;
}

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

/* Sums over the box, one per variable. */
static void sums(const struct sl_sim *sim, double *out)
{
    const struct sl_mesh *m = sim->mesh;
    int nvar = sim->layout.nvar;
    memset(out, 0, SL_MAX_VAR * sizeof *out);
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < nvar; v++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++)
                        out[v] += (double)sim->u[sl_mesh_at(m, nvar, b, v, k + m->g[2], j + m->g[1],
                                                            i + m->g[0])];
    MPI_Allreduce(MPI_IN_PLACE, out, SL_MAX_VAR, MPI_DOUBLE, MPI_SUM, m->comm);
}

static struct fluid *start(const char *recipe, fluid_state *state)
{
    struct fluid *f;
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, state, &f), SL_OK);
    return f;
}

static void kept(const char *recipe)
{
    struct fluid *f = start(recipe, waves);
    double before[SL_MAX_VAR], after[SL_MAX_VAR];
    sums(f->sim, before);
    for (int i = 0; i < 100; i++)
        assert_int_equal(sl_sim_step(f->sim, 100), SL_OK);
    sums(f->sim, after);
    for (int v = 0; v < f->sim->layout.nvar; v++) {
        double change = fabs(after[v] - before[v]) / before[0];
        if (!(change < 2e-14)) fail_msg("variable %d changed by %g:\n%s", v, change, recipe);
    }
    fluid_free(f);
}

static void conservation(void **unused)
{
    (void)unused;
    kept("mesh.cells: [64]\nmesh.block: [16]\nfluid.scalars: 1\n");
    kept("mesh.cells: [64]\nmesh.block: [16]\nfluid.riemann: roe\nfluid.reconstruct: ppm\n"
         "fluid.integrator: rk3\nfluid.scalars: 1\n");
    kept("mesh.cells: [32, 32]\nmesh.block: [16]\nfluid.riemann: hlle\nfluid.scalars: 1\n");
    kept("mesh.cells: [32, 32]\nmesh.block: [16]\nfluid.eos: isothermal\n");
    kept("mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.scalars: 1\n");
    kept("mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.riemann: llf\n"
         "fluid.reconstruct: wenoz\nfluid.integrator: rk3\n");
}

static void rests(const char *recipe)
{
    struct fluid *f = start(recipe, contact);
    size_t size = sl_mesh_size(f->sim->mesh, f->sim->layout.nvar), different = 0;
    sl_real *before = malloc(size * sizeof *before + 1);
    assert_non_null(before);
    memcpy(before, f->sim->u, size * sizeof *before);
    for (int i = 0; i < 50; i++)
        assert_int_equal(sl_sim_step(f->sim, 100), SL_OK);
    /* ghost cells are filled by then; the interior is what counts */
    const struct sl_mesh *m = f->sim->mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < f->sim->layout.nvar; v++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++) {
                        size_t at = sl_mesh_at(m, f->sim->layout.nvar, b, v, k + m->g[2],
                                               j + m->g[1], i + m->g[0]);
                        different += before[at] != f->sim->u[at];
                    }
    free(before);
    fluid_free(f);
    if (different) fail_msg("%zu values of a resting contact changed:\n%s", different, recipe);
}

static void contacts(void **unused)
{
    (void)unused;
    rests("mesh.cells: [64]\nmesh.boundary: outflow\nfluid.gamma: 1.4\nfluid.scalars: 1\n");
    rests("mesh.cells: [64]\nmesh.boundary: outflow\nfluid.riemann: roe\n");
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
