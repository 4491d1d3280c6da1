/* levels.c - adaptive levels on a device: the processor's bits, with levels that move and take
 * steps of their own, in 1, 2 and 3 dimensions, on any number of ranks, through repairs, and with
 * faces of the box. Steps of the root grid are few: each is up to four of the finest level, with
 * two regrids.
 *
 * ranks: 1 2 4
 * emulated at length: 1 2
 * emulated: 2
 */
#include "core/mesh/hierarchy.h"
#include "tests/gpu/same.h"

/* A hot ball beside the middle of the box, in gas that streams and carries a field. */
static void ball(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double r2 = 0;
    (void)data, (void)t;
    for (int d = 0; d < 3; d++)
        if (hi[d] - lo[d] < 0.5) r2 += pow(0.5 * (lo[d] + hi[d]) - 0.4 - 0.05 * d, 2);
    double hot = exp(-r2 / 0.01);
    prim[0] = 1 + 0.2 * hot;
    prim[1] = 0.5, prim[2] = -0.25, prim[3] = 0.1;
    prim[4] = 0.6 + 10 * hot;
    prim[SL_PRIM_SCALAR] = hot > 0.5;
    for (int d = 0; d < 3; d++)
        prim[SL_PRIM_B + d] = 0.3 - 0.1 * d;
}

/* It runs at a hundred times the speed of sound. */
static void cold_ball(const void *data, const double lo[3], const double hi[3], double t,
                      double *prim)
{
    ball(data, lo, hi, t, prim);
    prim[1] *= 200, prim[2] *= 200;
}

/* A ball a hundred times as dense and eight times as fast as the rest. */
static void gust(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    ball(data, lo, hi, t, prim);
    double hot = (prim[0] - 1) / 0.2;
    prim[0] += 100 * hot;
    prim[1] += 4 * hot;
    prim[4] += 400 * hot;
}

#define REFINE(of, above)                                                                          \
    "mesh.refine: [{by: gradient, of: " of ", above: " above "}]\nmesh.regrid: 2\n"
#define PRESSURE REFINE("pressure", "0.1")
#define HALF     "mesh.refine: [{by: box, lo: [0, 0], hi: [0.3, 0.6], level: 1}]\n"
#define FAR      "mesh.refine: [{by: box, lo: [0.8, 0.8], hi: [0.95, 0.95], level: 2}]\n"
#define LINE     "mesh.cells: [64]\nmesh.block: [8]\nmesh.levels: 2\n"
#define PLANE    "mesh.cells: [32, 32]\nmesh.block: [8]\nmesh.levels: 2\n"
#define SPACE    "mesh.cells: [16, 16, 16]\nmesh.block: [8]\nmesh.levels: 1\n"
#define EACH     "time.levels: each\n"
#define ONE      "time.levels: one\n"

/* Runs have levels, which move. */
static void has_levels(const char *recipe, fluid_state *state, int n)
{
    struct fluid *f;
    int64_t first, moved = 0;
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, state, &f), SL_OK);
    if (f->sim->state.hierarchy->nlevel < 2) fail_msg("no levels:\n%s", recipe);
    first = f->sim->state.hierarchy->nleaf_global;
    for (int i = 0; i < n; i++) {
        steps(f->sim, 1, recipe);
        moved += f->sim->state.hierarchy->nleaf_global != first;
    }
    if (moved == 0) fail_msg("levels do not move:\n%s", recipe);
    fluid_free(f);
}

static void bits(void **unused)
{
    (void)unused;
    has_levels(PLANE PRESSURE EACH, ball, 6);
    same(LINE PRESSURE EACH "fluid.scalars: 1\n", ball, 8);
    same(PLANE PRESSURE EACH "fluid.scalars: 1\n", ball, 6);
    same(PLANE PRESSURE ONE "fluid.reconstruct: ppm\nfluid.integrator: rk3\n", ball, 4);
    same(PLANE PRESSURE EACH PLASMA "fluid.integrator: vl2\n", ball, 4);
    same(PLANE PRESSURE EACH "potential: {kind: point, strength: 3, softening: 0.1}\n", ball, 4);
    same(SPACE PRESSURE EACH, ball, 2);
}

/* Source terms, whose sums are over the leaves alone, dual energy and wenoz. */
static void more(void **unused)
{
    (void)unused;
    same(PLANE PRESSURE EACH "gravity.acceleration: [3, -2]\nfluid.reconstruct: wenoz\n", ball, 2);
    same(PLANE PRESSURE EACH "driving: {acceleration: 20, kmin: 1, kmax: 3, correlation: 0.1}\n",
         ball, 2);
    same(PLANE PRESSURE EACH "fluid.dual_energy: true\n", cold_ball, 4);
    same_totals(PLANE PRESSURE EACH "cooling: {rate: 2, heating: 0.3}\n", ball, 2);
    same_totals(PLANE HALF EACH PLASMA, waves, 1); /* the divergence reads beyond edges of levels */
}

/* Schemes that look along the faces or take more of the line across them, where fluxes are kept. */
static void open_schemes(void **unused)
{
    (void)unused;
    same(PLANE HALF EACH "fluid.riemann: lhllc\n", waves, 2);
    same(PLANE HALF ONE "fluid.mhd: ct\nfluid.riemann: lhlld\nfluid.characteristic: true\n", ball,
         2);
    same(PLANE HALF EACH "fluid.reconstruct: ppm\nfluid.shocks: flatten\n", waves, 2);
    same("mesh.cells: [16, 16, 16]\nmesh.block: [8]\nmesh.levels: 1\n" ONE
         "mesh.refine: [{by: box, lo: [0, 0, 0], hi: [0.3, 0.3, 0.3]}]\nfluid.riemann: lhllc\n",
         waves, 1);
}

/* What limits the step of a source and bounds its sums may be on another level than the finest. */
static void coarse_extremes(void **unused)
{
    (void)unused;
    same(PLANE FAR EACH "driving: {acceleration: 20, kmin: 1, kmax: 3, correlation: 0.1}\n", gust,
         3);
    same_totals(PLANE FAR EACH "cooling: {rate: 20, heating: 0.3}\n", gust, 3);
    same_totals(PLANE FAR EACH "potential: {kind: point, strength: 300, softening: 0.1}\n", gust,
                3);
}

/* Sweeps along one axis, which go over all levels. */
static void split(void **unused)
{
    (void)unused;
    same(LINE PRESSURE "fluid.integrator: tvd\nfluid.scalars: 1\n", ball, 4);
    same(PLANE PRESSURE "fluid.integrator: tvd\nfluid.dual_energy: true\n", ball, 3);
    same(PLANE PRESSURE "fluid.integrator: tvd\nmesh.boundary: reflecting\n"
                        "gravity.acceleration: [3, -2]\n",
         ball, 3);
    same(SPACE PRESSURE "fluid.integrator: tvd\n", ball, 2);
    assert_true(same("mesh.cells: [16, 16]\nmesh.block: [8]\nmesh.levels: 2\n" HALF
                     "fluid.integrator: tvd\nfluid.cfl: 0.4\n",
                     law_violent, 6)
                    .repaired > 0);
}

static void boundaries(void **unused)
{
    (void)unused;
    same(PLANE PRESSURE EACH "mesh.boundary: outflow\nfluid.riemann: roe\n", ball, 4);
    same(PLANE PRESSURE EACH "mesh.boundary: reflecting\n", ball, 4);
    same("mesh.cells: [32, 16]\nmesh.block: [8]\nmesh.levels: 3\n" EACH
         "mesh.boundary: [fixed, fixed, periodic, periodic]\n" PRESSURE,
         ball, 4);
}

static void staggered(void **unused)
{
    (void)unused;
    same(LINE PRESSURE EACH STAGGERED, ball, 4);
    same(PLANE PRESSURE EACH STAGGERED "fluid.scalars: 1\n", ball, 6);
    same(PLANE PRESSURE ONE STAGGERED "fluid.reconstruct: ppm\nfluid.integrator: rk3\n", ball, 3);
    same(PLANE PRESSURE EACH STAGGERED "mesh.boundary: outflow\nfluid.integrator: vl2\n", ball, 4);
    same("mesh.cells: [24, 16, 8]\nmesh.block: [8]\nmesh.levels: 1\n" PRESSURE EACH STAGGERED
         "mesh.boundary: [outflow, outflow, outflow, outflow, periodic, periodic]\n",
         ball, 2);
    same(PLANE EACH STAGGERED
         "mesh.boundary: [outflow, outflow, periodic, periodic]\nfluid.eos: isothermal\n" REFINE(
             "density", "0.02"),
         ball, 3);
    same(SPACE PRESSURE EACH STAGGERED, ball, 2);
}

static void criteria(void **unused)
{
    static const char *const rules[] = {
        "{by: loehner, of: density}",          "{by: jump, of: temperature, above: 0.05}",
        "{by: vorticity, above: 0.01}",        "{by: shear, above: 0.02}",
        "{by: compression, above: 0.02}",      "{by: value, of: scalar1, above: 0.5}",
        "{by: gradient, of: mach, above: 0.1}"};
    (void)unused;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe,
                 PLANE EACH "fluid.scalars: 1\nmesh.regrid: 1\nmesh.refine: [%s]\n", rules[i]);
        same(recipe, ball, 2);
    }
    same(PLANE EACH PLASMA "mesh.regrid: 1\nmesh.refine: [{by: current, above: 0.02}]\n", ball, 2);
}

static void repairs(void **unused)
{
    static const char *const schemes[] = {
        "fluid.theta: 2\n", "fluid.reconstruct: ppm\nfluid.scalars: 1\n",
        ("fluid.theta: 2\n" PLASMA), ("fluid.theta: 2\n" STAGGERED)};
    (void)unused;
    for (int i = 0; i < 4; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: [16, 16]\nmesh.block: [8]\nmesh.levels: 2\n" HALF EACH "%s",
                 schemes[i]);
        assert_true(same(recipe, i < 3 ? law_violent : law_violent_staggered, 6).repaired > 0);
    }
    if (sizeof(sl_real) < sizeof(double))
        return; /* the kinetic energy of torn gas leaves its pressure to rounding then */
    same(PLANE "mesh.refine: [{by: sphere, center: [0.3, 0.3], radius: 0.06}]\n" EACH
               "fluid.theta: 2\nfluid.cfl: 0.9\n",
         law_torn, 3);
    same(PLANE "mesh.refine: [{by: sphere, center: [0.3, 0.3], radius: 0.06}]\n" EACH
               "fluid.theta: 2\nfluid.cfl: 0.9\nfluid.dual_energy: true\n",
         law_torn, 3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits),         cmocka_unit_test(more),
        cmocka_unit_test(open_schemes), cmocka_unit_test(coarse_extremes),
        cmocka_unit_test(boundaries),   cmocka_unit_test(staggered),
        cmocka_unit_test(criteria),     cmocka_unit_test(repairs),
        cmocka_unit_test(split),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
