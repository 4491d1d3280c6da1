/* diffusion.c - viscosity, conduction of heat and resistivity: mass, momentum, energy and flux of
 * the field are kept to rounding, div B with constrained transport, too; what the flow and the
 * field lose is what the history says; uniform gas keeps its bits; super time steps far beyond the
 * explicit limit stay close to the exact decay, to second order in time; the same bits however a
 * problem lies in the box, for any ranks, blocks and restarts; what is refused. Orders in space are
 * rows of `sluice verify` (pipeline/suite/suite.def).
 *
 * ranks: 4
 * optimised: 1 2
 */
#include "core/run/totals.h"
#include "core/step/source.h"
#include "tests/law_source.h"

#define GLM     "fluid.mhd: glm\nfluid.riemann: hlld\n"
#define CT      "fluid.mhd: ct\nfluid.riemann: hlld\n"
#define COLD    "fluid.eos: isothermal\n"
#define VISCOUS "diffusion.viscosity: 0.02\n"
#define WARM    VISCOUS "diffusion.heat: 0.03\n"
#define ALL     WARM "diffusion.resistivity: 0.01\n"

static void waves(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double twopi = 2 * acos(-1), x[3];
    (void)data, (void)t;
    for (int d = 0; d < 3; d++)
        x[d] = twopi * 0.5 * (lo[d] + hi[d]);
    prim[0] = 1 + 0.5 * sin(x[0] + x[1]) * cos(x[2]);
    prim[1] = 0.3 + sin(x[0] + x[1]);
    prim[2] = 0.2 + cos(x[2] - x[0]);
    prim[3] = 0.1 + sin(x[1]);
    prim[4] = 2 + 0.5 * cos(x[0]);
    prim[SL_PRIM_SCALAR] = 0.5;
    prim[SL_PRIM_B] = 0.4 + 0.5 * sin(x[1]);
    prim[SL_PRIM_B + 1] = 0.3 - 0.5 * sin(2 * x[0]);
    prim[SL_PRIM_B + 2] = -0.2 + 0.3 * cos(x[0] + x[1]);
}

static struct fluid *thick(MPI_Comm comm, const char *recipe, fluid_state *state)
{
    struct fluid *f;
    assert_int_equal(fluid_new(comm, recipe, state, &f), SL_OK);
    assert_non_null(sl_sources_find(f->sim, "diffusion"));
    return f;
}

static const char *const schemes[] = {
    "mesh.cells: [64]\nmesh.block: [16]\n" WARM,
    "mesh.cells: [64]\nmesh.block: [16]\n" ALL CT,
    "mesh.cells: [32, 24]\nmesh.block: [8]\n" WARM,
    "mesh.cells: [32, 24]\nmesh.block: [8]\n" VISCOUS COLD "fluid.integrator: ctu\n",
    "mesh.cells: [32, 24]\nmesh.block: [8]\n" ALL GLM "fluid.scalars: 1\n",
    "mesh.cells: [32, 24]\nmesh.block: [8]\n" ALL CT "fluid.integrator: vl2\n",
    "mesh.cells: [16, 8, 16]\nmesh.block: [8]\n" ALL GLM,
    "mesh.cells: [16, 8, 16]\nmesh.block: [8]\n" ALL CT,
    "mesh.cells: [16, 8, 16]\nmesh.block: [8]\ndiffusion.resistivity: 0.03\n" CT COLD,
};
enum { N_SCHEMES = sizeof schemes / sizeof *schemes };

/* ---- sums ----------------------------------------------------------------------------------- */

static void conservation(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_SCHEMES; i++) {
        struct fluid *f = thick(MPI_COMM_WORLD, schemes[i], waves);
        law_conserves(f, 6, schemes[i]);
        if (f->sim->state.layout.face >= 0) assert_true(law_totals(f).divergence_max < 1e-12);
        fluid_free(f);
    }
}

/* In a short time kinetic and magnetic energy fall by what the history says, but for what its
 * square brings. */
static void losses(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_SCHEMES; i++) {
        double dt = 1e-7;
        struct fluid *f = thick(MPI_COMM_WORLD, schemes[i], waves);
        struct sl_totals a = law_totals(f), b;
        double flow = sl_history_source(&f->sim->state, &a, "dissipation_viscous");
        double field = sl_history_source(&f->sim->state, &a, "dissipation_ohmic");
        assert_int_equal(sl_sources_open(f->sim, 2 * dt), SL_OK);
        b = law_totals(f);
        double lost = (a.energy_kinetic - b.energy_kinetic) / dt;
        if (!(fabs(lost - flow) <= 1e-5 * flow))
            fail_msg("the flow loses %g, not %g:\n%s", lost, flow, schemes[i]);
        lost = (a.energy_magnetic - b.energy_magnetic) / dt;
        double close =
            f->sim->state.layout.face >= 0 ? 0.1 : 1e-5; /* faces have another energy than cells */
        if (!(fabs(lost - field) <= close * field))
            fail_msg("the field loses %g, not %g:\n%s", lost, field, schemes[i]);
        assert_true(flow + field > 0.01);
        fluid_free(f);
    }
}

/* A velocity and a field along axis `across` that change along axis `along`. */
struct sheet {
    int along, across;
};
static const double wave = 2 * 3.14159265358979323846;

static void sheet(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sheet *s = data;
    double low = wave * lo[s->along], high = wave * hi[s->along];
    (void)t;
    prim[0] = prim[4] = 1;
    prim[1 + s->across] = 0.5 * (cos(low) - cos(high)) / (high - low);
    prim[SL_PRIM_B + s->across] = 0.5 * (sin(high) - sin(low)) / (high - low);
}

/* Largest difference between the heat that cells got in dt and nu (dv/dx)^2 + eta (dB/dx)^2, over
 * the largest of that; a velocity along x brings 4/3 of it. */
static double heat_error(const struct fluid *f, const struct sheet *s, double dt)
{
    const struct sl_sim *sim = f->sim;
    const struct sl_mesh *m = sim->state.mesh;
    double worst = 0, nu = sim->state.cfg->diffusion_viscosity,
           eta = sim->state.cfg->diffusion_resistivity;
    if (s->along == s->across) nu *= 4.0 / 3;
    for (int b = 0; b < m->nblock; b++)
        for (int j = 0; j < m->n[1]; j++)
            for (int i = 0; i < m->n[0]; i++) {
                double lo[3], hi[3];
                size_t at =
                    sl_mesh_at(m, sim->state.layout.nvar, b, 0, m->g[2], j + m->g[1], i + m->g[0]);
                struct sl_prim w = sl_cell_prim(&sim->state.gas, &sim->state.layout,
                                                sim->state.u + at, m->block_cells);
                sl_mesh_cell(m, b, m->g[2], j + m->g[1], i + m->g[0], lo, hi);
                double x = 0.5 * wave * (lo[s->along] + hi[s->along]);
                double want = nu * pow(cos(x), 2) + eta * pow(sin(x), 2);
                double got = (double)w.p - 1;
                got /= dt * ((double)sim->state.gas.gamma - 1) * pow(0.5 * wave, 2);
                worst = fmax(worst, fabs(got - want));
            }
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, m->comm);
    return worst / fmax(nu, eta);
}

/* What is lost becomes heat where it is lost: work and Poynting's flux carry the rest of the energy
 * to where it belongs. */
static void heat(void **unused)
{
    (void)unused;
    static const char *const fields[] = {"diffusion.viscosity: 0.1\n", ALL GLM, ALL CT};
    static const struct sheet sheets[] = {{0, 1}, {1, 0}, {0, 2}, {1, 2}, {0, 0}, {1, 1}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < (i == 0 ? 6 : 4); k++) {
            struct sheet s = sheets[k];
            struct fluid *f;
            double dt = 1e-7;
            char recipe[256];
            snprintf(recipe, sizeof recipe, "mesh.cells: [64, 64]\nmesh.block: [16]\n%s",
                     fields[i]);
            assert_int_equal(fluid_new_with(MPI_COMM_WORLD, recipe, sheet, &s, &f), SL_OK);
            double was = heat_error(f, &s, 1);
            assert_int_equal(sl_sources_open(f->sim, 2 * dt), SL_OK);
            double error = heat_error(f, &s, dt);
            if (!(was > 0.5 && error < 0.02))
                fail_msg("heat off by %g along %d, %d:\n%s", error, s.along, s.across, recipe);
            fluid_free(f);
        }
}

/* ---- super time steps ----------------------------------------------------------------------- */

/* A sheared velocity across x. */
static void shear(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    prim[0] = prim[4] = 1;
    prim[2] = 1e-3 * sin(acos(-1) * (lo[0] + hi[0]));
}

/* The amplitude of the shear after so many half steps alone, over that of an exact solution in
 * time. */
static double shrunk(int steps)
{
    enum { N = 128 };
    double nu = 0.05, end = 0.2, pi = acos(-1), rate = nu * pow(2 * N * sin(pi / N), 2);
    struct fluid *f =
        thick(MPI_COMM_WORLD,
              "mesh.cells: [128]\nmesh.block: [32]\ndiffusion.viscosity: 0.05\n" COLD, shear);
    const struct sl_source_use *use = sl_sources_find(f->sim, "diffusion");
    double before = law_totals(f).energy_kinetic;
    for (int i = 0; i < steps; i++)
        assert_int_equal(use->row->advance(f->sim, use->data, end / steps), SL_OK);
    double left = sqrt(law_totals(f).energy_kinetic / before);
    fluid_free(f);
    return fabs(left / exp(-rate * end) - 1);
}

/* One step of 0.2 is 330 explicit ones. */
static void stages(void **unused)
{
    (void)unused;
    double one = shrunk(1), two = shrunk(2), four = shrunk(4);
    if (!(one < 5e-3 && one / two > 3.5 && two / four > 3.5))
        fail_msg("errors %g, %g and %g", one, two, four);
}

static void drifting(const void *data, const double lo[3], const double hi[3], double t,
                     double *prim)
{
    (void)data, (void)lo, (void)hi, (void)t;
    prim[0] = 1.1;
    prim[1] = 0.7, prim[2] = -0.3;
    prim[4] = 0.9;
    prim[SL_PRIM_B] = 0.6, prim[SL_PRIM_B + 2] = 0.1;
}

/* Uniform gas keeps its bits through a super step of many stages. */
static void uniform(void **unused)
{
    uint64_t before, after;
    struct fluid *f =
        thick(MPI_COMM_WORLD, "mesh.cells: [32, 16]\nmesh.block: [8]\n" ALL GLM, drifting);
    const struct sl_source_use *use = sl_sources_find(f->sim, "diffusion");
    (void)unused;
    assert_int_equal(sl_sim_hash(f->sim, &before), SL_OK);
    assert_int_equal(use->row->advance(f->sim, use->data, 10), SL_OK);
    assert_int_equal(sl_sim_hash(f->sim, &after), SL_OK);
    if (before != after) fail_msg("uniform gas has other bits");
    fluid_free(f);
}

/* resources.backend: auto takes a device where there is one. */
static void devices(void **unused)
{
    struct fluid *f = thick(MPI_COMM_WORLD, "mesh.cells: [32]\nmesh.block: [8]\n" WARM, drifting);
    (void)unused;
    assert_null(sl_sources_no_device(f->sim->state.cfg));
    fluid_free(f);
}

/* Where a density jumps by 1e6 the shortest waves stay damped: the velocity does not leave its
 * range. */
static void jump(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double x = 0.5 * (lo[0] + hi[0]), y = 0.5 * (lo[1] + hi[1]);
    (void)data, (void)t;
    prim[0] = fabs(x - 0.5) < 0.25 && fabs(y - 0.5) < 0.2 ? 1e6 : 1;
    prim[3] = ((int)(32 * x) + (int)(32 * y)) % 2 ? 1 : -1;
    prim[4] = 1;
}

static void contrast(void **unused)
{
    (void)unused;
    struct fluid *f =
        thick(MPI_COMM_WORLD,
              "mesh.cells: [32, 32]\nmesh.block: [8]\ndiffusion.viscosity: 0.1\n" COLD, jump);
    const struct sl_source_use *use = sl_sources_find(f->sim, "diffusion");
    for (int i = 0; i < 20; i++)
        assert_int_equal(use->row->advance(f->sim, use->data, 0.1), SL_OK);
    double rms = law_totals(f).velocity_rms;
    if (!(rms < 0.5)) fail_msg("rms velocity %g", rms);
    fluid_free(f);
}

/* ---- bits ----------------------------------------------------------------------------------- */

static void turns(void **unused)
{
    (void)unused;
    law_turns(WARM, law_waves, 3);
    law_turns(ALL GLM, law_waves, 3);
    law_turns(ALL CT, law_waves, 3);
}

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    snprintf(text, sizeof text, "%smesh.block: %s\n", recipe, block);
    struct fluid *f = thick(comm, text, waves);
    law_advance(f, 4);
    return f;
}

static void bits(void **unused)
{
    (void)unused;
    static const char *const line[] = {"[32]", "[8]", NULL};
    static const char *const square[] = {"[16]", "[8, 16]", NULL};
    static const char *const cube[] = {"[8]", "[8, 4, 16]", NULL};
    law_same(run, "mesh.cells: [64]\nmesh.boundary: outflow\n" WARM, "[64]", line);
    law_same(run, "mesh.cells: [32, 32]\n" ALL GLM, "[32]", square);
    law_same(run, "mesh.cells: [32, 32]\n" ALL CT, "[32]", square);
    law_same(run, "mesh.cells: [32, 32]\nmesh.boundary: outflow\n" ALL CT, "[32]", square);
    law_same(run, "mesh.cells: [16, 16, 16]\n" ALL CT, "[16]", cube);
    law_same(run, "mesh.cells: [16, 16, 16]\nmesh.boundary: reflecting\n" VISCOUS COLD, "[16]",
             cube);
}

static void restarts(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {"mesh.cells: [32, 32]\n" WARM,
                                          "mesh.cells: [32, 32]\n" ALL CT};
    for (int i = 0; i < 2; i++)
        law_restarts(run, recipes[i], "[8]", "diffusion");
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void refused(const char *recipe, const char *what)
{
    law_refused(recipe, waves, what);
}

static void nonsense(void **unused)
{
    (void)unused;
    refused(COLD "diffusion.heat: 1\n", "nearest: ideal");
    refused("diffusion.resistivity: 1\n", "nearest: glm or ct");
    refused(VISCOUS "fluid.dual_energy: true\n", "nearest: false");
    refused(VISCOUS
            "mesh.levels: 1\nmesh.block: 8\nmesh.refine: [{by: value, of: density, above: 1}]\n",
            "does not work with levels (mesh.levels); nearest: 0, or mesh.levels: 0");
    refused("diffusion.viscosity: -1\n", "diffusion.viscosity");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conservation), cmocka_unit_test(losses),   cmocka_unit_test(heat),
        cmocka_unit_test(stages),       cmocka_unit_test(uniform),  cmocka_unit_test(devices),
        cmocka_unit_test(contrast),     cmocka_unit_test(turns),    cmocka_unit_test(bits),
        cmocka_unit_test(restarts),     cmocka_unit_test(nonsense),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
