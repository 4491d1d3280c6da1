/* mhd.c - laws of MHD runs, with cleaning and with constrained transport: sums are kept, the same bits for any
 * ranks and blocks and along any axis and for the mirror image, positive and finite where the gas is cold, errors
 * of div B leave. What only constrained transport promises: ct.c.
 *
 * ranks: 1 2 3
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/io/history.h"
#include "tests/fluid.h"

static const char *kind; /* fluid.mhd of the present runs */

/* ---- sums ----------------------------------------------------------------------------------- */

/* Smooth and with a jump of pressure; the field is that of a vector potential along z, and uniform. */
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
    prim[SL_PRIM_SCALAR] = x[0] < 2 ? 1 : 0;
    prim[SL_PRIM_B] = 0.4 + 0.5 * sin(x[1]);
    prim[SL_PRIM_B + 1] = 0.3 - 0.5 * sin(2 * x[0]);
    prim[SL_PRIM_B + 2] = -0.2 + 0.3 * cos(x[0] + x[1]);
}

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

static void kept(const char *recipe)
{
    struct fluid *f;
    double before[SL_MAX_VAR], after[SL_MAX_VAR];
    char text[1024];
    snprintf(text, sizeof text, "fluid.mhd: %s\nfluid.scalars: 1\n%s", kind, recipe);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, text, waves, &f), SL_OK);
    sums(f->sim, before);
    for (int i = 0; i < 60; i++)
        assert_int_equal(sl_sim_step(f->sim, 100), SL_OK);
    sums(f->sim, after);
    for (int v = 0; v < f->sim->layout.nvar; v++) {
        if (f->sim->layout.face < 0 && v == f->sim->layout.magnetic + 3) continue; /* psi: damped */
        double change = fabs(after[v] - before[v]) / before[0];
        if (!(change < 2e-14)) fail_msg("variable %d changed by %g:\n%s", v, change, recipe);
    }
    fluid_free(f);
}

static void conservation(void **unused)
{
    (void)unused;
    kept("mesh.cells: [64]\nmesh.block: [16]\nfluid.riemann: hlld\n");
    kept("mesh.cells: [32, 32]\nmesh.block: [16]\nfluid.riemann: hlle\nfluid.eos: isothermal\n");
    kept("mesh.cells: [32, 32]\nmesh.block: [8]\nfluid.riemann: hlld\nfluid.reconstruct: ppm\n"
         "fluid.integrator: rk3\n");
    kept("mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.riemann: llf\n"
         "fluid.reconstruct: wenoz\nfluid.integrator: rk3\n");
}

/* ---- ranks and blocks ----------------------------------------------------------------------- */

static uint64_t hash_of(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    struct fluid *f;
    uint64_t hash = 0;
    snprintf(text, sizeof text, "fluid.mhd: %s\n%smesh.block: %s\n", kind, recipe, block);
    assert_int_equal(fluid_new(comm, text, waves, &f), SL_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(sl_sim_step(f->sim, 0.1), SL_OK);
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    fluid_free(f);
    return hash;
}

static void same(const char *recipe, const char *whole, const char *const *blocks)
{
    uint64_t alone = hash_of(MPI_COMM_SELF, recipe, whole);
    for (; *blocks; blocks++)
        if (hash_of(MPI_COMM_WORLD, recipe, *blocks) != alone)
            fail_msg("blocks %s differ from one block:\n%s", *blocks, recipe);
}

static const char *const methods[] = {"constant", "plm", "ppm", "wenoz"};
static const char *const steps[] = {"rk3", "rk2", "vl2", "rk2"};
static const char *const solvers[] = {"llf", "hlle", "hlld", "roe"};

static void ranks(void **unused)
{
    (void)unused;
    static const char *const plane[] = {"[32]", "[16]", "[8]", NULL};
    static const char *const cube[] = {"[16]", "[8]", "[8, 4, 16]", NULL};
    for (int i = 0; i < 4; i++)
        for (int e = 0; e < 2; e++) {
            char recipe[512];
            snprintf(recipe, sizeof recipe,
                     "mesh.cells: [32, 32]\nfluid.reconstruct: %s\nfluid.riemann: %s\n"
                     "fluid.eos: %s\nfluid.integrator: %s\nfluid.scalars: 2\n",
                     methods[i], solvers[(i + e) % 4], e ? "isothermal" : "ideal", steps[i]);
            same(recipe, "[32]", plane);
        }
    same("mesh.cells: [16, 16, 16]\nfluid.riemann: hlld\nfluid.dual_energy: true\n", "[16]", cube);
    same("mesh.cells: [16, 16, 16]\nfluid.riemann: hlld\nfluid.reconstruct: ppm\n"
         "mesh.boundary: [outflow, reflecting, periodic]\n",
         "[16]", cube);
}

/* ---- axes and mirror ------------------------------------------------------------------------ */

enum { N = 32, STEPS = 20 };

static int axis, mirrored, planar; /* how the present problem lies in the box */

/* The n-th axis after `axis`: in cyclic order; in a plane x and y change places, as there z is another than them for
 * constrained transport. */
static int after(int n)
{
    if (planar) return n == 0 ? axis : n == 1 ? 1 - axis : 2;
    return (axis + n) % 3;
}

static void tube(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double x = 0.5 * (lo[axis] + hi[axis]);
    if (mirrored) x = 1 - x;
    int left = x < 0.5, y = after(1), z = after(2);
    prim[0] = (left ? 1 : 0.2) + 0.125 * floor(8 * x) / 8;
    prim[1 + axis] = (mirrored ? -1 : 1) * (left ? 0.3 : -0.7);
    prim[1 + y] = left ? 0.25 : -0.55;
    prim[1 + z] = left ? -0.1 : 0.35;
    prim[4] = left ? 1 : 0.2;
    prim[SL_PRIM_B + axis] = (mirrored ? -1 : 1) * (left || kind[0] == 'c' ? 0.7 : 0.9);
    prim[SL_PRIM_B + y] = left ? 0.6 : -0.45;
    prim[SL_PRIM_B + z] = left ? 0.15 : 0.95;
}

/* Where variable v of a problem along `axis` stands in one along x. */
static int turned(const struct sl_layout *l, int v)
{
    for (int n = 0; n < 3; n++) {
        if (v == SL_MX + after(n)) return SL_MX + n;
        if (v == l->magnetic + after(n)) return l->magnetic + n;
    }
    return v;
}

static void profile(const struct sl_sim *sim, double *out)
{
    const struct sl_mesh *m = sim->mesh;
    int nvar = sim->layout.nvar, nflow = sim->layout.nflow;
    for (int i = 0; i < N * nflow; i++)
        out[i] = -HUGE_VAL;
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < nflow; v++)
            for (int i = 0; i < m->n[axis]; i++) {
                int at[3] = {m->g[0], m->g[1], m->g[2]}, to = turned(&sim->layout, v);
                at[axis] += i;
                int x = (int)m->blocks[b].at[axis] * m->n[axis] + i;
                if (mirrored) x = N - 1 - x;
                double value = (double)sim->u[sl_mesh_at(m, nvar, b, v, at[2], at[1], at[0])];
                int flip = mirrored && (to == SL_MX || to == sim->layout.magnetic);
                out[to * N + x] = flip ? -value : value;
            }
    MPI_Allreduce(MPI_IN_PLACE, out, N * nflow, MPI_DOUBLE, MPI_MAX, m->comm);
}

static int run(int dim, int along, int mirror, const char *scheme, double *out)
{
    char recipe[512];
    const char *cells[3][3] = {
        {"[32]", "", ""}, {"[32, 4]", "[4, 32]", ""}, {"[32, 4, 4]", "[4, 32, 4]", "[4, 4, 32]"}};
    const char *blocks[3] = {"[8]", "[4]", "[4]"};
    struct fluid *f;
    axis = along;
    mirrored = mirror;
    planar = dim == 2;
    snprintf(recipe, sizeof recipe,
             "fluid.mhd: %s\nmesh.cells: %s\nmesh.block: %s\nmesh.boundary: outflow\n"
             "mesh.box: [[0, 1], [0, 1], [0, 1]]\n%s",
             kind, cells[dim - 1][along], blocks[dim - 1], scheme);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, tube, &f), SL_OK);
    for (int i = 0; i < STEPS; i++)
        assert_int_equal(sl_sim_step(f->sim, 1), SL_OK);
    profile(f->sim, out);
    int nvar = f->sim->layout.nflow;
    fluid_free(f);
    return nvar;
}

static void compare(const char *scheme, const char *what, int nvar, const double *a,
                    const double *b)
{
    for (int v = 0; v < nvar; v++)
        for (int i = 0; i < N; i++)
            if (a[v * N + i] != b[v * N + i])
                fail_msg("%s differs in variable %d of cell %d by %g:\n%s", what, v, i,
                         a[v * N + i] - b[v * N + i], scheme);
}

static void symmetry(void **unused)
{
    (void)unused;
    static double first[SL_MAX_VAR * N], other[SL_MAX_VAR * N];
    for (int i = 0; i < 4; i++)
        for (int e = 0; e < 2; e++) {
            char scheme[256];
            snprintf(scheme, sizeof scheme,
                     "fluid.reconstruct: %s\nfluid.riemann: %s\nfluid.eos: %s\n"
                     "fluid.integrator: %s\n",
                     methods[i], solvers[(i + e) % 4], e ? "isothermal" : "ideal",
                     i % 2 ? "rk3" : "rk2");
            run(1, 0, 0, scheme, first);
            int nvar = run(1, 0, 1, scheme, other);
            compare(scheme, "the mirror image", nvar, first, other);
            run(2, 0, 0, scheme, first);
            run(2, 1, 0, scheme, other);
            compare(scheme, "2D along y", nvar, first, other);
            run(3, 0, 0, scheme, first);
            for (int along = 1; along < 3; along++) {
                run(3, along, 0, scheme, other);
                compare(scheme, along == 1 ? "along y" : "along z", nvar, first, other);
            }
            run(3, 2, 1, scheme, other);
            compare(scheme, "the mirror image along z", nvar, first, other);
        }
}

/* ---- cold gas ------------------------------------------------------------------------------- */

static double strength; /* velocities of twice, fields of this many sound speeds */

static void cold(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double twopi = 2 * acos(-1), x = twopi * 0.5 * (lo[0] + hi[0]),
           y = twopi * 0.5 * (lo[1] + hi[1]);
    prim[0] = 1 + 0.9 * sin(x) * sin(y);
    prim[1] = 2 * strength * sin(y);
    prim[2] = -2 * strength * sin(2 * x);
    prim[4] = 0.6;
    prim[SL_PRIM_B] = strength * (1 + 0.5 * sin(3 * y));
    prim[SL_PRIM_B + 1] = 0.5 * strength * sin(2 * x);
}

/* Cells that were repaired; at most so many were floored. */
static int64_t survives(double size, int64_t most, const char *recipe)
{
    struct fluid *f;
    double before[SL_MAX_VAR], after[SL_MAX_VAR];
    char text[1024];
    snprintf(text, sizeof text,
             "mesh.cells: [32, 32]\nmesh.block: [8]\nfluid.mhd: %s\nfluid.riemann: hlld\n%s", kind,
             recipe);
    strength = size;
    assert_int_equal(fluid_new(MPI_COMM_WORLD, text, cold, &f), SL_OK);
    sums(f->sim, before);
    for (int i = 0; i < 150; i++)
        if (sl_sim_step(f->sim, 10) != SL_OK) fail_msg("%s:\n%s", sl_error_text(), recipe);
    sums(f->sim, after);
    if (f->sim->cells_floored > most)
        fail_msg("%lld cells floored:\n%s", (long long)f->sim->cells_floored, recipe);
    assert_true(fabs(after[0] - before[0]) < 1e-13 * before[0]);
    struct sl_totals t;
    assert_int_equal(sl_history_totals(f->sim, &t), SL_OK);
    assert_true(t.density_min > 0 && t.pressure_min > 0);
    int64_t repaired = f->sim->cells_repaired;
    fluid_free(f);
    return repaired;
}

static void positivity(void **unused)
{
    (void)unused;
    survives(10, 0, "fluid.dual_energy: true\n");
    survives(10, 0, "fluid.reconstruct: ppm\nfluid.integrator: rk3\nfluid.dual_energy: true\n");
    survives(5, 0, "fluid.eos: isothermal\n");
    int64_t repaired = survives(1.5, 0, "");
    repaired += survives(1.5, 0, "fluid.reconstruct: ppm\nfluid.integrator: rk3\n");
    assert_true(repaired > 0);
}

/* The solver that looks along the faces. */
static void calm(void **unused)
{
    (void)unused;
    static const char *const cube[] = {"[16]", "[8]", "[8, 4, 16]", NULL};
    same("mesh.cells: [16, 16, 16]\nfluid.riemann: lhlld\n", "[16]", cube);
}

/* Without dual energy heat is lost to rounding and div B: few cells need floors. */
static void floors(void **unused)
{
    (void)unused;
    assert_true(survives(10, 400, "fluid.max_floored: 0.01\n") > 0);
}

/* ---- divergence ----------------------------------------------------------------------------- */

/* A peak of B_x alone (Dedner et al. 2002, 5.1): div B is not 0 at the start. */
static void peak(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double x = 0.5 * (lo[0] + hi[0]) - 0.5, y = 0.5 * (lo[1] + hi[1]) - 0.5;
    double s = 32 * (x * x + y * y);
    prim[0] = 1;
    prim[4] = 6;
    prim[SL_PRIM_B] = s < 1 ? (1 - s) * (1 - s) : 0;
    prim[SL_PRIM_B + 2] = 1;
}

static double mean_divergence(const char *recipe, double *start)
{
    struct fluid *f;
    struct sl_totals t;
    char text[1024];
    snprintf(text, sizeof text,
             "mesh.cells: [32, 32]\nmesh.block: [8]\nfluid.mhd: glm\nfluid.riemann: hlld\n%s",
             recipe);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, text, peak, &f), SL_OK);
    assert_int_equal(sl_history_totals(f->sim, &t), SL_OK);
    *start = t.divergence_mean;
    while (f->sim->time < 0.5)
        assert_int_equal(sl_sim_step(f->sim, 0.5), SL_OK);
    assert_int_equal(sl_history_totals(f->sim, &t), SL_OK);
    fluid_free(f);
    return t.divergence_mean;
}

static void divergence(void **unused)
{
    (void)unused;
    double start, damped = mean_divergence("", &start);
    double spread = mean_divergence("fluid.glm_alpha: 0\n", &start);
    if (!(damped < 0.1 * start && damped < 0.7 * spread))
        fail_msg("div B %g, without damping %g, at the start %g", damped, spread, start);
}

static int cleaning(void **unused)
{
    (void)unused;
    kind = "glm";
    return 0;
}

static int transport(void **unused)
{
    (void)unused;
    kind = "ct";
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(conservation, cleaning),
        cmocka_unit_test_setup(ranks, cleaning),
        cmocka_unit_test_setup(symmetry, cleaning),
        cmocka_unit_test_setup(positivity, cleaning),
        cmocka_unit_test_setup(floors, cleaning),
        cmocka_unit_test_setup(calm, cleaning),
        cmocka_unit_test_setup(divergence, cleaning),
        cmocka_unit_test_setup(conservation, transport),
        cmocka_unit_test_setup(ranks, transport),
        cmocka_unit_test_setup(symmetry, transport),
        cmocka_unit_test_setup(positivity, transport),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
