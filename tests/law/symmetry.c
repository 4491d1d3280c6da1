/* symmetry.c - a problem along x, y and z gives the same bits, and so do a problem and its mirror
 * image, for every method, limiter, solver and gas; so does the transpose of a problem in a plane.
 *
 * ranks: 1 2
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/fluid.h"

enum { N = 32, STEPS = 20 };

/* How the present problem lies in the box. */
static int axis, mirrored;

static double height(double x)
{
    return x < 0.5 ? 1 : 0.2;
}

/* A shock tube with smooth structure and a flow along the diaphragm. */
static void tube(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double x = 0.5 * (lo[axis] + hi[axis]);
    if (mirrored) x = 1 - x;
    prim[0] = height(x) + 0.125 * floor(8 * x) / 8;
    prim[1] = prim[2] = prim[3] = 0;
    prim[1 + axis] = (mirrored ? -1 : 1) * (x < 0.25 ? 0.5 : -0.25);
    prim[1 + (axis + 1) % 3] = x < 0.5 ? 0.25 : -0.5;
    prim[4] = height(x);
}

/* Values along the axis of all variables, in the order of a problem along x and not mirrored. */
static void profile(const struct sl_sim *sim, double *out)
{
    const struct sl_mesh *m = sim->mesh;
    int nvar = sim->layout.nvar;
    for (int i = 0; i < N * nvar; i++)
        out[i] = -HUGE_VAL;
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < nvar; v++)
            for (int i = 0; i < m->n[axis]; i++) {
                int at[3] = {m->g[0], m->g[1], m->g[2]}, to = v;
                at[axis] += i;
                int x = (int)m->blocks[b].at[axis] * m->n[axis] + i;
                if (mirrored) x = N - 1 - x;
                if (v >= SL_MX && v <= SL_MZ) to = SL_MX + (v - SL_MX - axis + 3) % 3;
                double value = (double)sim->u[sl_mesh_at(m, nvar, b, v, at[2], at[1], at[0])];
                out[to * N + x] = mirrored && to == SL_MX ? -value : value;
            }
    MPI_Allreduce(MPI_IN_PLACE, out, N * nvar, MPI_DOUBLE, MPI_MAX, m->comm);
}

static void run(int dim, int along, int mirror, const char *scheme, double *out)
{
    char recipe[512];
    const char *cells[3][3] = {
        {"[32]", "", ""}, {"[32, 4]", "[4, 32]", ""}, {"[32, 4, 4]", "[4, 32, 4]", "[4, 4, 32]"}};
    const char *blocks[3] = {"[8]", "[4]", "[4]"};
    struct fluid *f;
    axis = along;
    mirrored = mirror;
    snprintf(recipe, sizeof recipe, "mesh.cells: %s\nmesh.block: %s\nmesh.boundary: outflow\n%s",
             cells[dim - 1][along], blocks[dim - 1], scheme);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, tube, &f), SL_OK);
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(sl_sim_step(f->sim, 1), SL_OK);
    profile(f->sim, out);
    fluid_free(f);
}

static void compare(const char *scheme, const char *what, const double *a, const double *b)
{
    for (int v = 0; v < 4; v++)
        for (int i = 0; i < N; i++)
            if (a[v * N + i] != b[v * N + i])
                fail_msg("%s differs in variable %d of cell %d by %g:\n%s", what, v, i,
                         a[v * N + i] - b[v * N + i], scheme);
}

static void check(const char *scheme)
{
    static double first[SL_MAX_VAR * N], other[SL_MAX_VAR * N];
    static const char *const names[] = {"x", "y", "z"};
    run(1, 0, 0, scheme, first);
    run(1, 0, 1, scheme, other);
    compare(scheme, "the mirror image", first, other);
    for (int dim = 2; dim <= 3; dim++)
        for (int along = 0; along < dim; along++) {
            run(dim, along, 0, scheme, other);
            compare(scheme, names[along], first, other);
        }
    run(3, 2, 1, scheme, other);
    compare(scheme, "the mirror image along z", first, other);
}

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
            check(scheme);
        }
    check("fluid.riemann: lhllc\n");
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
    struct fluid *f;
    static double rho[N * N];
    char recipe[256];
    snprintf(recipe, sizeof recipe,
             "mesh.cells: [32, 32]\nmesh.block: [8]\nmesh.boundary: reflecting\n"
             "fluid.gamma: 1.4\nfluid.riemann: %s\n",
             solver);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, implosion, &f), SL_OK);
    for (int i = 0; i < 200; i++)
        assert_int_equal(sl_sim_step(f->sim, 10), SL_OK);
    const struct sl_mesh *m = f->sim->mesh;
    for (int i = 0; i < N * N; i++)
        rho[i] = 0;
    for (int b = 0; b < m->nblock; b++)
        for (int j = 0; j < m->n[1]; j++)
            for (int i = 0; i < m->n[0]; i++) {
                size_t x = (size_t)(m->blocks[b].at[0] * m->n[0] + i);
                size_t y = (size_t)(m->blocks[b].at[1] * m->n[1] + j);
                rho[y * N + x] = (double)f->sim->u[sl_mesh_at(m, f->sim->layout.nvar, b, SL_RHO, 0,
                                                              j + m->g[1], i + m->g[0])];
            }
    MPI_Allreduce(MPI_IN_PLACE, rho, N * N, MPI_DOUBLE, MPI_SUM, m->comm);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            if (rho[j * N + i] != rho[i * N + j]) fail_msg("cells %d, %d are not symmetric", i, j);
    fluid_free(f);
}

static void transpose(void **unused)
{
    (void)unused;
    transpose_with("hllc");
    transpose_with("lhllc");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_axis),
        cmocka_unit_test(transpose),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
