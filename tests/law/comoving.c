/* comoving.c - what the expansion of the universe does to magnetic fields and to gas with another
 * gamma than 5/3: uniform gas on levels that come and go, an Alfven wave, a pancake with a field
 * across it, the balance of energies, an opening that is taken back, the same bits for any ranks,
 * blocks and restarts.
 * ranks: 2
 * optimised: 1
 */
#include "core/cosmo/expansion.h"
#include "core/io/history.h"
#include "core/mesh/hierarchy.h"
#include "core/run/totals.h"
#include "core/step/source.h"
#include "tests/law_source.h"

#define EDS                                                                                        \
    "campaign: c\nic.redshift: 20\ntime.unit: redshift\n"                                          \
    "cosmology: {omega_m: 1, t_cmb: 0, h: 0.5, field: "

static struct sl_sim *sim_of(struct sl_config *cfg, const char *recipe)
{
    struct sl_sim *sim;
    assert_int_equal(sl_config_parse("test", recipe, strlen(recipe), NULL, 0, cfg), SL_OK);
    assert_int_equal(sl_sim_new(MPI_COMM_WORLD, cfg, &sim), SL_OK);
    if (sl_sim_start(sim) != SL_OK) fail_msg("%s", sl_error_text());
    return sim;
}

static void step_on(struct sl_sim *sim)
{
    if (sl_sim_step(sim, sim->state.end) != SL_OK) fail_msg("%s", sl_error_text());
}

static void to_end(struct sl_sim *sim)
{
    while (sim->state.time < sim->state.end)
        step_on(sim);
}

static double measured(const struct sl_sim *sim, const char *name)
{
    struct sl_measures m = {.n = 0};
    assert_int_equal(sim->state.problem->measure(sim->state.problem_data, &sim->state, &m), SL_OK);
    for (int i = 0; i < m.n; i++)
        if (strcmp(m.row[i].name, name) == 0) return m.row[i].value;
    fail_msg("%s was not measured", name);
    return 0;
}

static void is_small(const char *what, double value, double limit, const char *recipe)
{
    if (!(value < limit)) fail_msg("%s is %g, not below %g:\n%s", what, value, limit, recipe);
}

/* ---- uniform gas ---- */

#define UNIFORM                                                                                    \
    EDS "[1e-9, 2e-9, 3e-9]}\nproblem: expanding_box\n"                                            \
        "expanding_box: {temperature: 1000, velocity: [1500, 300, 0]}\n"
#define FLIPS                                                                                      \
    "mesh: {cells: [16, 16], block: 8, box: [[0, 1], [0, 1]], levels: 2, buffer: 1, "              \
    "derefine_after: 1, refine: [{by: value, of: scalar1, above: 0.6}]}\nfluid.scalars: 1\n"

/* Temperature, field and velocity from z = 20 to 4, of gas that blocks of three levels come and go
 * with. */
static void uniform(void **unused)
{
    (void)unused;
    static const char *const how[] = {
        "fluid: {mhd: glm, gamma: 1.4}\ntime.levels: one\n" FLIPS,
        "fluid: {mhd: ct, gamma: 1.4}\ntime.levels: each\n" FLIPS,
        "fluid: {mhd: ct, gamma: 1.1, dual_energy: true, integrator: vl2}\ntime.levels: "
        "each\n" FLIPS,
        "fluid: {mhd: glm, gamma: 5/3}\nmesh: {cells: [16, 8, 8], block: 8}\n",
        "fluid: {mhd: ct, gamma: 2}\nmesh: {cells: [16, 8, 8], block: 8}\n",
        "fluid: {gamma: 1.4, integrator: tvd, dual_energy: true}\nmesh: {cells: [16]}\n"};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        static struct sl_config cfg;
        char recipe[1024];
        int flips = 0;
        bool field = strstr(how[i], "mhd");
        snprintf(recipe, sizeof recipe, "%stime.end: 4\n%s",
                 field ? UNIFORM : EDS "[0, 0, 0]}\nproblem: expanding_box\n", how[i]);
        struct sl_sim *sim = sim_of(&cfg, recipe);
        while (sim->state.time < sim->state.end) {
            const int64_t *count = sim->state.hierarchy->count, before = count[2];
            step_on(sim);
            flips += sim->state.hierarchy->count[2] != before;
        }
        if (strstr(how[i], "levels"))
            is_small("20 over the number of flips", 20.0 / flips, 1, recipe);
        assert_int_equal(sl_sim_pull(sim), SL_OK);
        is_small("heating", measured(sim, "heating"), 1e-7, recipe);
        is_small("density_error", measured(sim, "density_error"), 1e-11, recipe);
        is_small("velocity_error", measured(sim, "velocity_error"), 1e-12, recipe);
        if (field) is_small("field_error", measured(sim, "field_error"), 1e-12, recipe);
        sl_sim_free(sim);
    }
}

/* ---- the wave ---- */

/* By of the wave at the end, of steps in which the scale factor grows by so much. */
static void wave_end(double step, double by[32])
{
    static struct sl_config cfg;
    char recipe[1024];
    snprintf(recipe, sizeof recipe,
             EDS "[5e-9, 0, 0]}\nproblem: expanding_box\nexpanding_box: {temperature: 1e4, wave: "
                 "0.5}\ntime.end: 5\ntime.max_expansion: %g\nmesh: {cells: [32], box: [[0, 1]]}\n"
                 "fluid: {mhd: ct, gamma: 1.4, reconstruct: ppm, integrator: rk3}\n",
             step);
    struct sl_sim *sim = sim_of(&cfg, recipe);
    const struct sl_mesh *m = sim->state.mesh;
    to_end(sim);
    for (int i = 0; i < 32; i++)
        by[i] = 0;
    for (int b = 0; b < m->nleaf; b++)
        for (int i = 0; i < m->n[0]; i++)
            by[m->blocks[b].at[0] * m->n[0] + i] =
                (double)sim->state
                    .u[sl_mesh_at(m, sim->state.layout.nvar, b, sim->state.layout.magnetic + 1,
                                  m->g[2], m->g[1], m->g[0] + i)];
    MPI_Allreduce(MPI_IN_PLACE, by, 32, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sl_sim_free(sim);
}

/* Steps that expansion bounds, on one grid: their error falls by four where they are half as
 * long, order 1.9 at least. */
static void order(void **unused)
{
    (void)unused;
    double by[4][32], apart[3] = {0, 0, 0};
    for (int i = 0; i < 4; i++)
        wave_end(0.04 / (1 << i), by[i]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 32; k++)
            apart[i] += fabs(by[i + 1][k] - by[i][k]);
    for (int i = 0; i < 2; i++)
        if (!(log2(apart[i] / apart[i + 1]) > 1.9))
            fail_msg("steps of half the length differ by %g, %g, %g", apart[0], apart[1], apart[2]);
}

/* Beside the solution of its equation, which knows no source and no steps. */
static void wave(void **unused)
{
    (void)unused;
    static const char *const how[] = {"glm", "ct"};
    for (int i = 0; i < 2; i++) {
        static struct sl_config cfg;
        char recipe[1024];
        snprintf(recipe, sizeof recipe,
                 EDS "[2e-8, 0, 0]}\nproblem: expanding_box\nexpanding_box: {temperature: 1e6, "
                     "wave: 0.5}\ntime.end: 5\nmesh: {cells: [64], box: [[0, 1]]}\n"
                     "fluid: {mhd: %s, gamma: 1.4, limiter: mc}\n",
                 how[i]);
        struct sl_sim *sim = sim_of(&cfg, recipe);
        to_end(sim);
        is_small("field_error", measured(sim, "field_error"), 1e-3, recipe);
        is_small("velocity_error", measured(sim, "velocity_error"), 4e-3, recipe);
        sl_sim_free(sim);
    }
}

/* ---- the pancake ---- */

#define PANCAKE                                                                                    \
    "problem: pancake\nmesh.box: [[0, 64]]\ntime.end: 2\nfluid: {dual_energy: true, limiter: mc"   \
    ", "

static void pancake(void **unused)
{
    (void)unused;
    static const char *const how[] = {"mhd: glm}\n", "mhd: ct}\n", "mhd: ct, gamma: 1.4}\n"};
    for (int i = 0; i < 3; i++) {
        static struct sl_config cfg;
        struct sl_totals t;
        char recipe[1024];
        snprintf(recipe, sizeof recipe,
                 EDS "[0, 1e-14, 2e-14]}\n" PANCAKE "%smesh: {cells: [128], block: 16}\n", how[i]);
        struct sl_sim *sim = sim_of(&cfg, recipe);
        to_end(sim);
        assert_int_equal(sl_run_totals(sim, &t), SL_OK);
        is_small("entropy_error", measured(sim, "entropy_error"), 1e-4, recipe);
        is_small("density_error", measured(sim, "density_error"), 6e-3, recipe);
        is_small("frozen_error", measured(sim, "frozen_error"), 1e-3, recipe);
        is_small("divergence", t.divergence_max, 1e-20, recipe);
        sl_sim_free(sim);
    }
}

/* ---- energies ---- */

/* d(T + U + M + W) / d ln a = W + M + (5 - 3 gamma) U: what is left of it over the potential
 * energy, of a wave whose field and heat matter. */
static double balance(int cells, double step)
{
    static struct sl_config cfg;
    double sum = 0, before[2], now[2] = {0, 0}, first = 0, a = 0;
    struct sl_totals t;
    char recipe[1024];
    snprintf(recipe, sizeof recipe,
             EDS "[0, 1e-7, 1e-7]}\n" PANCAKE
                 "mhd: ct, gamma: 1.4}\nmesh: {cells: [%d], block: 16}\ntime.max_expansion: %g\n"
                 "pancake.temperature: 3e7\n",
             cells, step);
    struct sl_sim *sim = sim_of(&cfg, recipe);
    for (;;) {
        assert_int_equal(sl_run_totals(sim, &t), SL_OK);
        memcpy(before, now, sizeof now);
        now[0] = t.energy_total + t.source[0];
        now[1] = t.source[0] + t.energy_magnetic + (5 - 3 * 1.4) * t.energy_thermal;
        if (a > 0)
            sum += 0.5 * (before[1] + now[1]) * log(t.scale_factor / a);
        else
            first = now[0];
        a = t.scale_factor;
        if (!(sim->state.time < sim->state.end)) break;
        step_on(sim);
    }
    sl_sim_free(sim);
    is_small("gravity over field", -0.1 * t.source[0] / t.energy_magnetic, 1, recipe);
    is_small("gravity over heat", -0.1 * t.source[0] / t.energy_thermal, 1, recipe);
    return fabs(now[0] - first - sum) / fabs(t.source[0]);
}

static void energies(void **unused)
{
    (void)unused;
    double coarse = balance(64, 0.02), fine = balance(128, 0.01);
    if (!(fine < 2e-3 && coarse / fine > 2))
        fail_msg("energies are off by %g and %g of the potential one", coarse, fine);
}

/* ---- bits ---- */

#define CUBE                                                                                       \
    "mesh.cells: [16, 16, 16]\nic.redshift: 30\ntime.unit: redshift\nfluid.gamma: 1.4\n"           \
    "fluid.dual_energy: true\ncosmology: {omega_m: 0.3, t_cmb: 0, h: 0.7}\n"
#define ON_LEVELS                                                                                  \
    "mesh: {levels: 1, regrid: 2, refine: [{by: value, of: density, above: 1.2}]}\n"               \
    "time.levels: each\n"

/* Lumps of mean density 1 in a field without divergence. */
static void lumpy(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double twopi = 2 * acos(-1), x = twopi * 0.5 * (lo[0] + hi[0]),
           y = twopi * 0.5 * (lo[1] + hi[1]), z = twopi * 0.5 * (lo[2] + hi[2]);
    (void)data, (void)t;
    prim[0] = 1 + 0.3 * sin(x) * cos(2 * y) + 0.2 * cos(x - z);
    prim[1] = 0.01 * cos(y);
    prim[2] = 0.02 * sin(z);
    prim[4] = 1e-4;
    prim[SL_PRIM_B] = 0.01 + 0.01 * cos(y);
    prim[SL_PRIM_B + 1] = 0.02 + 0.01 * sin(z);
    prim[SL_PRIM_B + 2] = 0.01 * sin(x);
}

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    struct fluid *f;
    snprintf(text, sizeof text, "%smesh.block: %s\n", recipe, block);
    assert_int_equal(fluid_new(comm, text, lumpy, &f), SL_OK);
    law_advance(f, 6);
    return f;
}

static void bits(void **unused)
{
    (void)unused;
    static const char *const cube[] = {"[16]", "[8]", "[8, 4, 16]", NULL};
    static const char *const eight[] = {"[8]", NULL};
    law_same(run, CUBE "fluid.mhd: glm\n", "[16]", cube);
    law_same(run, CUBE "fluid.mhd: ct\n", "[16]", cube);
    law_same(run, CUBE ON_LEVELS "fluid.mhd: glm\n", "[8]", eight);
    law_same(run, CUBE ON_LEVELS "fluid.mhd: ct\n", "[8]", eight);
}

/* On other ranks. */
static void restarts(void **unused)
{
    (void)unused;
    law_restarts(run, CUBE "fluid.mhd: ct\n", "[8]", "comoving");
    law_restarts(run, CUBE ON_LEVELS "fluid.mhd: ct\n", "[8]", "comoving");
}

/* ---- openings ---- */

/* Sums of all variables after openings of these lengths. */
static void opened(struct fluid *f, const double *dt, int n, double sum[SL_MAX_VAR])
{
    for (int i = 0; i < n; i++)
        assert_int_equal(sl_sources_open(f->sim, dt[i]), SL_OK);
    law_sums(f->sim, sum);
}

/* A shorter one in the place of a longer one, and none at all, which leaves what there was. */
static void taken_back(void **unused)
{
    (void)unused;
    double was[SL_MAX_VAR], once[SL_MAX_VAR], twice[SL_MAX_VAR], none[SL_MAX_VAR];
    struct fluid *f = run(MPI_COMM_WORLD, CUBE "fluid.mhd: ct\n", "[16]"),
                 *g = run(MPI_COMM_WORLD, CUBE "fluid.mhd: ct\n", "[16]");
    const double dt = f->sim->state.dt;
    int energy = f->sim->state.layout.energy, field = f->sim->state.layout.magnetic;
    law_sums(f->sim, was);
    opened(f, (const double[]){0.5 * dt}, 1, once);
    opened(g, (const double[]){dt, 0.5 * dt}, 2, twice);
    opened(f, (const double[]){0}, 1, none);
    assert_true(once[field] / was[field] > 1 + 1e-5 && once[energy] > was[energy]);
    for (int v = 0; v < f->sim->state.layout.nvar; v++) {
        assert_true(fabs(twice[v] - once[v]) <= 1e-14 * fabs(was[0]));
        assert_true(fabs(none[v] - was[v]) <= 1e-14 * fabs(was[0]));
    }
    fluid_free(f);
    fluid_free(g);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform),  cmocka_unit_test(order),      cmocka_unit_test(wave),
        cmocka_unit_test(pancake),  cmocka_unit_test(energies),   cmocka_unit_test(bits),
        cmocka_unit_test(restarts), cmocka_unit_test(taken_back),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
