/* mhd.c - laws of MHD runs, with cleaning and with constrained transport: sums are kept, the same
 * bits for any ranks and blocks and along any axis and for the mirror image, positive and finite
 * where the gas is cold, errors of div B leave. What only constrained transport promises: ct.c.
 *
 * ranks: 3
 * optimised: 1 2
 */
#include "core/io/history.h"
#include "core/run/totals.h"
#include "tests/law.h"

static const char *kind; /* fluid.mhd of the present runs */

/* ---- sums ----------------------------------------------------------------------------------- */

static void conserves(const char *recipe)
{
    struct fluid *f;
    char text[1024];
    snprintf(text, sizeof text, "fluid.mhd: %s\nfluid.scalars: 1\n%s", kind, recipe);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, text, law_waves, &f), SL_OK);
    law_conserves(f, 60, recipe);
    fluid_free(f);
}

static void conservation(void **unused)
{
    (void)unused;
    conserves("mesh.cells: [64]\nmesh.block: [16]\nfluid.riemann: hlld\n");
    conserves(
        "mesh.cells: [32, 32]\nmesh.block: [16]\nfluid.riemann: hlle\nfluid.eos: isothermal\n");
    conserves("mesh.cells: [32, 32]\nmesh.block: [8]\nfluid.riemann: hlld\nfluid.reconstruct: ppm\n"
              "fluid.integrator: rk3\n");
    conserves("mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.riemann: llf\n"
              "fluid.reconstruct: wenoz\nfluid.integrator: rk3\n");
}

/* ---- ranks and blocks ----------------------------------------------------------------------- */

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    struct fluid *f;
    snprintf(text, sizeof text, "fluid.mhd: %s\n%smesh.block: %s\n", kind, recipe, block);
    assert_int_equal(fluid_new(comm, text, law_waves, &f), SL_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(sl_sim_step(f->sim, 0.1), SL_OK);
    return f;
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
            law_same(run, recipe, "[32]", plane);
        }
    law_same(run, "mesh.cells: [16, 16, 16]\nfluid.riemann: hlld\nfluid.dual_energy: true\n",
             "[16]", cube);
    law_same(run,
             "mesh.cells: [16, 16, 16]\nfluid.riemann: hlld\nfluid.reconstruct: ppm\n"
             "mesh.boundary: [outflow, symmetric, periodic]\n",
             "[16]", cube);
}

/* ---- axes and mirror ------------------------------------------------------------------------ */

static void tube(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double x = 0.5 * (lo[0] + hi[0]);
    int left = x < 0.5;
    prim[0] = (left ? 1 : 0.2) + 0.125 * floor(8 * x) / 8;
    prim[1] = left ? 0.3 : -0.7;
    prim[2] = left ? 0.25 : -0.55;
    prim[3] = left ? -0.1 : 0.35;
    prim[4] = left ? 1 : 0.2;
    prim[SL_PRIM_B] = left || kind[0] == 'c' ? 0.7 : 0.9;
    prim[SL_PRIM_B + 1] = left ? 0.6 : -0.45;
    prim[SL_PRIM_B + 2] = left ? 0.15 : 0.95;
}

static void symmetry(void **unused)
{
    (void)unused;
    for (int i = 0; i < 4; i++)
        for (int e = 0; e < 2; e++) {
            char scheme[256];
            snprintf(scheme, sizeof scheme,
                     "fluid.mhd: %s\nfluid.reconstruct: %s\nfluid.riemann: %s\nfluid.eos: %s\n"
                     "fluid.integrator: %s\n",
                     kind, methods[i], solvers[(i + e) % 4], e ? "isothermal" : "ideal",
                     i % 2 ? "rk3" : "rk2");
            law_axes(scheme, tube, 5, 0);
            snprintf(scheme + strlen(scheme), sizeof scheme - strlen(scheme),
                     "fluid.characteristic: true\n");
            if (i > 0 && e == 0) law_axes(scheme, tube, 5, 0);
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
    law_sums(f->sim, before);
    for (int i = 0; i < 100; i++)
        if (sl_sim_step(f->sim, 10) != SL_OK) fail_msg("%s:\n%s", sl_error_text(), recipe);
    law_sums(f->sim, after);
    if (f->sim->state.cells_floored > most)
        fail_msg("%lld cells floored:\n%s", (long long)f->sim->state.cells_floored, recipe);
    assert_true(fabs(after[0] - before[0]) < 1e-13 * before[0]);
    struct sl_totals t;
    assert_int_equal(sl_run_totals(f->sim, &t), SL_OK);
    assert_true(t.density_min > 0 && t.pressure_min > 0);
    int64_t repaired = f->sim->state.cells_repaired;
    fluid_free(f);
    return repaired;
}

static void positivity(void **unused)
{
    (void)unused;
    survives(10, 0, "fluid.dual_energy: true\n");
    survives(10, 0, "fluid.reconstruct: ppm\nfluid.integrator: rk3\nfluid.dual_energy: true\n");
    survives(10, 0, "fluid.characteristic: true\nfluid.dual_energy: true\n");
    survives(5, 0, "fluid.eos: isothermal\n");
    int64_t repaired = survives(1.5, 0, "");
    repaired += survives(1.5, 0, "fluid.reconstruct: ppm\nfluid.integrator: rk3\n");
    assert_true(repaired > 0);
}

/* The solver that looks along the faces. */
static void along_faces(void **unused)
{
    (void)unused;
    static const char *const cube[] = {"[16]", "[8]", "[8, 4, 16]", NULL};
    law_same(run, "mesh.cells: [16, 16, 16]\nfluid.riemann: lhlld\n", "[16]", cube);
    law_same(run, "mesh.cells: [16, 16, 16]\nfluid.riemann: lhlld\nfluid.integrator: vl2\n", "[16]",
             cube);
}

/* Without dual energy heat is lost to rounding and div B: few cells need floors. */
static void floors(void **unused)
{
    (void)unused;
    assert_true(survives(10, 400, "fluid.max_floored: 0.01\n") > 0);
}

/* Constrained transport needs none: where first-order fluxes do not do, the energy follows the
 * field. */
static void no_floors(void **unused)
{
    (void)unused;
    assert_true(survives(10, 0, "") > 0);
    assert_true(survives(10, 0, "fluid.integrator: vl2\nfluid.limiter: mc\n") > 0);
}

/* A field of a thousand times the pressure, in flows of Mach 60: the run ends, and says what would
 * have helped. */
static void too_cold(void **unused)
{
    (void)unused;
    static const char *const scheme = "fluid.reconstruct: ppm\nfluid.integrator: rk3\n";
    struct fluid *f;
    char text[512];
    int code = SL_OK;
    snprintf(text, sizeof text,
             "mesh.cells: [32, 32]\nmesh.block: [8]\nfluid.mhd: ct\nfluid.riemann: hlld\n%s",
             scheme);
    strength = 30;
    assert_int_equal(fluid_new(MPI_COMM_WORLD, text, cold, &f), SL_OK);
    for (int i = 0; i < 150 && code == SL_OK; i++)
        code = sl_sim_step(f->sim, 10);
    assert_int_equal(code, SL_EDIVERGED);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) assert_non_null(strstr(sl_error_text(), "fluid.dual_energy: true keeps heat"));
    fluid_free(f);
    snprintf(text, sizeof text, "%sfluid.dual_energy: true\n", scheme);
    survives(30, 0, text);
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
    assert_int_equal(sl_run_totals(f->sim, &t), SL_OK);
    *start = t.divergence_mean;
    while (f->sim->state.time < 0.5)
        assert_int_equal(sl_sim_step(f->sim, 0.5), SL_OK);
    assert_int_equal(sl_run_totals(f->sim, &t), SL_OK);
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
        cmocka_unit_test_setup(along_faces, cleaning),
        cmocka_unit_test_setup(divergence, cleaning),
        cmocka_unit_test_setup(conservation, transport),
        cmocka_unit_test_setup(ranks, transport),
        cmocka_unit_test_setup(symmetry, transport),
        cmocka_unit_test_setup(positivity, transport),
        cmocka_unit_test_setup(along_faces, transport),
        cmocka_unit_test_setup(no_floors, transport),
        cmocka_unit_test_setup(too_cold, transport),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
