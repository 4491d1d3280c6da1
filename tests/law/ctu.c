/* ctu.c - laws of corner transport upwind: the same bits for any ranks and blocks, and when x and y
 * change places; sums are kept; div B stays at round-off, also where fluxes are replaced.
 *
 * ranks: 3
 * optimised: 1 2
 */
#include "core/io/history.h"
#include "core/run/totals.h"
#include "tests/law.h"

static double strength = 1; /* of the velocity */

/* Stays the same when x and y change places, with the components of vectors. */
static void even(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double twopi = 2 * acos(-1), x = twopi * 0.5 * (lo[0] + hi[0]),
           y = twopi * 0.5 * (lo[1] + hi[1]);
    double both = sin(x) * sin(y);
    prim[0] = 1 + 0.5 * both;
    prim[1] = strength * (0.3 + sin(x) * cos(y));
    prim[2] = strength * (0.3 + sin(y) * cos(x));
    prim[3] = 0.2 * (cos(x) * cos(y));
    prim[4] = both > 0 ? 1 : 0.3;
    prim[SL_PRIM_SCALAR] = both > 0.3;
    prim[SL_PRIM_B] = 0.4 + 0.5 * sin(2 * y);
    prim[SL_PRIM_B + 1] = 0.4 + 0.5 * sin(2 * x);
    prim[SL_PRIM_B + 2] = 0.3 * both;
}

static struct fluid *start(MPI_Comm comm, const char *recipe, const char *block)
{
    struct fluid *f;
    char text[2048];
    snprintf(text, sizeof text, "fluid.integrator: ctu\nmesh.block: %s\n%s", block, recipe);
    assert_int_equal(fluid_new(comm, text, even, &f), SL_OK);
    return f;
}

#define PLANE "mesh.cells: [32, 32]\n"
#define GAS   PLANE "fluid.riemann: roe\n"
#define FIELD GAS "fluid.mhd: ct\n"

/* ---- ranks and blocks ----------------------------------------------------------------------- */

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    struct fluid *f = start(comm, recipe, block);
    law_advance(f, 5);
    return f;
}

static void same(const char *whole, const char *recipe)
{
    static const char *const blocks[] = {"[16]", "[8]", NULL};
    law_same(run, recipe, whole, blocks);
}

static void ranks(void **unused)
{
    (void)unused;
    same("[64]", "mesh.cells: [64]\nmesh.boundary: fixed\n");
    same("[64]", "mesh.cells: [64]\nfluid.mhd: ct\nfluid.riemann: hlld\nfluid.eos: isothermal\n");
    same("[32]", GAS "fluid.scalars: 1\nfluid.dual_energy: true\nmesh.boundary: outflow\n");
    same("[32]", GAS "fluid.reconstruct: ppm\nfluid.eos: isothermal\n");
    same("[32]", GAS "fluid.characteristic: true\nfluid.scalars: 2\n");
    same("[32]", FIELD "fluid.scalars: 1\nfluid.reconstruct: wenoz\n");
    same("[32]", FIELD "fluid.dual_energy: true\nmesh.boundary: [symmetric, outflow]\n");
    same("[32]", FIELD "fluid.eos: isothermal\nmesh.boundary: [fixed, periodic]\n");
    same("[32]", PLANE "fluid.riemann: lhllc\nmesh.boundary: outflow\n");
    same("[32]", PLANE "fluid.riemann: lhlld\nfluid.mhd: ct\n");
    same("[32]", FIELD "fluid.reconstruct: constant\n");
}

/* ---- x and y -------------------------------------------------------------------------------- */

enum { N = 32 };

static void turns(const char *recipe)
{
    static struct law_pose upright = {{0, 1, 2}, 0, even}, turned = {{1, 0, 2}, 0, even};
    struct fluid *f = start(MPI_COMM_WORLD, recipe, "[8]");
    law_advance(f, 40);
    struct law_values one = law_values_of(f->sim, &upright), other = law_values_of(f->sim, &turned);
    law_compare(&one, &other, recipe);
    free(one.at);
    free(other.at);
    fluid_free(f);
}

static void symmetry(void **unused)
{
    (void)unused;
    turns(GAS "fluid.limiter: vanleer\n");
    turns(FIELD "fluid.limiter: mc\n");
    turns(FIELD "fluid.characteristic: true\n");
    turns(PLANE "fluid.riemann: hlld\nfluid.mhd: ct\nfluid.eos: isothermal\n");
    turns(PLANE "fluid.riemann: lhllc\n");
    turns(PLANE "fluid.riemann: lhlld\nfluid.mhd: ct\n");
}

/* ---- sums and divergence -------------------------------------------------------------------- */

static double change(double after, double before, double scale)
{
    return fabs(after - before) / scale;
}

/* Number of cells repaired on the way. */
static int64_t conserves(int steps, const char *recipe)
{
    struct fluid *f = start(MPI_COMM_WORLD, recipe, "[8]");
    struct sl_totals a, b;
    assert_int_equal(sl_run_totals(f->sim, &a), SL_OK);
    for (int i = 0; i < steps; i++) {
        if (sl_sim_step(f->sim, 10) != SL_OK) fail_msg("%s:\n%s", sl_error_text(), recipe);
        assert_int_equal(sl_run_totals(f->sim, &b), SL_OK);
        if (!(b.divergence_max / N < 2e-14 * sqrt(i + 10)))
            fail_msg("div B is %g after step %d:\n%s", b.divergence_max, i + 1, recipe);
    }
    double worst = change(b.mass, a.mass, a.mass);
    worst = fmax(worst, change(b.energy_total, a.energy_total, a.energy_total));
    worst = fmax(worst, change(b.momentum_x, a.momentum_x, a.mass));
    worst = fmax(worst, change(b.magnetic_flux_x, a.magnetic_flux_x, a.mass));
    worst = fmax(worst, change(b.magnetic_flux_z, a.magnetic_flux_z, a.mass));
    if (!(worst < 1e-13)) fail_msg("a sum changed by %g:\n%s", worst, recipe);
    int64_t repaired = f->sim->state.cells_repaired;
    assert_int_equal(f->sim->state.cells_floored, 0);
    fluid_free(f);
    return repaired;
}

static void sums(void **unused)
{
    (void)unused;
    conserves(30, GAS);
    conserves(30, FIELD "fluid.cfl: 0.8\n");
    conserves(30, FIELD "fluid.reconstruct: ppm\n");
    strength = 10;
    int64_t repaired = conserves(60, FIELD) + conserves(60, GAS "fluid.reconstruct: ppm\n");
    strength = 1;
    assert_true(repaired > 0);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void refuse(const char *recipe, const char *hint)
{
    char text[512];
    struct sl_config cfg;
    snprintf(text, sizeof text, "campaign: a\nproblem: sod\ntime.end: 1\nfluid.integrator: ctu\n%s",
             recipe);
    assert_int_equal(sl_config_parse("r.yaml", text, strlen(text), NULL, 0, &cfg), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "r.yaml:4:"));
    assert_non_null(strstr(sl_error_text(), hint));
}

static void refusals(void **unused)
{
    (void)unused;
    refuse("mesh.cells: [16, 16, 16]\n", "nearest: rk2");
    refuse("mesh.cells: [16]\nfluid.mhd: glm\nfluid.riemann: hlld\n", "nearest: rk2");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks),
        cmocka_unit_test(symmetry),
        cmocka_unit_test(sums),
        cmocka_unit_test(refusals),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
