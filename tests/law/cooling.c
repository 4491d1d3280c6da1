/* cooling.c - gas that cools and is heated: the exact solution at constant density for any step,
 * of power laws and tables, with heating, too, its equilibrium among them; tables in K and erg
 * cm^3/s as the literature has them; what the gas loses is what the history says; second order with
 * the flow; the same bits for any ranks, blocks and restarts; what is refused.
 *
 * ranks: 1 2
 */
#include "core/run/totals.h"
#include "core/step/source.h"
#include "tests/law_source.h"

static void uniform(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    (void)data, (void)lo, (void)hi, (void)t;
    prim[0] = 2;
    prim[1] = 0.5;
    prim[4] = 3;
    prim[SL_PRIM_B] = 0.5;
}

static void lumpy(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double twopi = 2 * acos(-1), x = twopi * 0.5 * (lo[0] + hi[0]),
           y = twopi * 0.5 * (lo[1] + hi[1]);
    (void)data, (void)t;
    prim[0] = 1 + 0.5 * sin(x) * cos(y);
    prim[1] = 0.3 * cos(y) + 0.4 * sin(x);
    prim[2] = 0.2 * sin(x);
    prim[4] = 1;
    prim[SL_PRIM_B] = 0.5;
    prim[SL_PRIM_B + 1] = 0.1 * cos(x);
}

static struct fluid *gas(MPI_Comm comm, const char *recipe, fluid_state *state)
{
    struct fluid *f;
    assert_int_equal(fluid_new(comm, recipe, state, &f), SL_OK);
    assert_non_null(sl_sources_find(f->sim, "cooling"));
    return f;
}

static void until(struct fluid *f, double end, int steps)
{
    for (int i = 1; i <= steps; i++)
        while (f->sim->state.time < end * i / steps)
            if (sl_sim_step(f->sim, end * i / steps) != SL_OK) fail_msg("%s", sl_error_text());
}

static struct sl_totals totals(const struct sl_sim *sim)
{
    struct sl_totals t;
    assert_int_equal(sl_run_totals(sim, &t), SL_OK);
    return t;
}

/* ---- constant density ---- */

/* T = p / rho of a uniform gas of rho 2, T 1.5, gamma 5/3, at t = 0.5. */
static double temperature(const char *recipe)
{
    char text[1024];
    snprintf(text, sizeof text, "mesh.cells: [16]\nmesh.block: [8]\nfluid.gamma: %.17g\n%s",
             5.0 / 3, recipe);
    struct fluid *f = gas(MPI_COMM_WORLD, text, uniform);
    struct sl_totals before = totals(f->sim), after;
    until(f, 0.5, 1);
    after = totals(f->sim);
    assert_true(fabs(after.velocity_rms - 0.5) < 1e-14);
    double lost = sl_history_source(&f->sim->state, &after, "cooling_energy");
    assert_true(fabs(before.energy_total - after.energy_total - lost) < 1e-11);
    fluid_free(f);
    return after.pressure_min / 2;
}

static void is(const char *recipe, double want)
{
    double got = temperature(recipe);
    if (!(fabs(got / want - 1) < 1e-12)) fail_msg("T %.15g, not %.15g:\n%s", got, want, recipe);
}

/* dT/dt = -(2/3) 2 Lambda: closed forms of power laws, with the step of the flow and with many
 * more. */
static void power_laws(void **unused)
{
    (void)unused;
    static const char *const steps[] = {"cooling.step: 0\n", "cooling.step: 0.01\n"};
    double g = 4.0 / 3 * 0.5;
    for (int i = 0; i < 2; i++) {
        char text[512];
        static const double slope[] = {0, 0.5, 2, -1, -0.6};
        for (int k = 0; k < 5; k++) {
            double a = 1 - slope[k], rate = 0.4;
            snprintf(text, sizeof text, "%scooling: {rate: %g, slope: %g, temperature: 3}\n",
                     steps[i], rate, slope[k]);
            is(text, pow(pow(1.5, a) - a * rate * g * pow(3, -slope[k]), 1 / a));
        }
        snprintf(text, sizeof text, "%scooling: {rate: 0.4, slope: 1}\n", steps[i]);
        is(text, 1.5 * exp(-0.4 * g));
        snprintf(text, sizeof text,
                 "%scooling: {rate: 0.4, slope: 1}\nfluid: {dual_energy: true, dual_eta: 0.99}\n",
                 steps[i]);
        is(text, 1.5 * exp(-0.4 * g));
        snprintf(text, sizeof text, "%scooling: {rate: 40, floor: 0.7}\n", steps[i]);
        is(text, 0.7);
    }
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Three intervals, slopes 2, -1 and 1/2; T goes through all of them, or to the end of the table. */
static void tables(void **unused)
{
    (void)unused;
    char dir[256], path[300], text[512];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, "cooling");
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/table", dir);
    if (rank == 0) put(path, "# T Lambda\n0.5 0.25\n\n  1 1\n1.25 0.8\n5 1.6\n");
    MPI_Barrier(MPI_COMM_WORLD);
    /* In units of (4/3) t: 1.5 to 1.25 takes 2 sqrt(1.25) (sqrt(1.5) - sqrt(1.25)) / 0.8, to 1
     * (1.25^2 - 1) / 2. */
    double g = 4.0 / 3 * 0.5, first = 2 * sqrt(1.25) / 0.8 * (sqrt(1.5) - sqrt(1.25)),
           second = 0.28125, left = g - first - second;
    assert_true(left > 0 && left < 1);
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "cooling.table: %s\ncooling.step: %s\n", path,
                 i ? "0.02" : "0");
        is(text, 1 / (1 + left));
    }
    if (rank == 0) put(path, "0.5 25\n1 100\n1.25 80\n5 160\n");
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(text, sizeof text, "cooling.table: %s\ncooling.step: 0\n", path);
    is(text, 0.5);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) scratch_remove(dir);
}

/* Any step gives the same as any other. */
static void is_for_all_steps(const char *recipe, double want)
{
    static const char *const steps[] = {"0", "0.25", "1"};
    for (int i = 0; i < 3; i++) {
        char text[700];
        snprintf(text, sizeof text, "%scooling.step: %s\n", recipe, steps[i]);
        is(text, want);
    }
}

/* dT/dt = w - c T^s, w = (2/3) heating, c = (4/3) rate: closed forms for s = 1, 2 and 0, and the
 * time in which a temperature is reached for s = -1 and 1/2. */
static void heating(void **unused)
{
    (void)unused;
    double t0 = 1.5, end = 0.5, w = 2.0 / 3 * 0.3, c = 4.0 / 3 * 0.7, to;
    is_for_all_steps("cooling.heating: 0.3\n", t0 + w * end);
    is_for_all_steps("cooling: {rate: 0.7, slope: 0, heating: 0.3}\n", t0 + (w - c) * end);
    is_for_all_steps("cooling: {rate: 0.7, slope: 1, heating: 0.3}\n",
                     w / c + (t0 - w / c) * exp(-c * end));
    is_for_all_steps("cooling: {rate: 0.07, slope: 1, heating: 30}\n",
                     100 * w / (0.1 * c) + (t0 - 100 * w / (0.1 * c)) * exp(-0.1 * c * end));
    double fixed = sqrt(w / c), tau = 1 / sqrt(w * c);
    is_for_all_steps("cooling: {rate: 0.7, slope: 2, heating: 0.3}\n",
                     fixed / tanh(end / tau + atanh(fixed / t0)));
    /* slope -1: t = ((T - T0) + (c/w) log((w T - c) / (w T0 - c))) / w */
    c = 4.0 / 3 * 0.7, w = 2.0 / 3 * 0.5, to = 1.1;
    double time = ((to - t0) + c / w * log((w * to - c) / (w * t0 - c))) / w;
    char text[300];
    snprintf(text, sizeof text, "cooling: {rate: %.17g, slope: -1, heating: %.17g}\n",
             0.7 * time / end, 0.5 * time / end);
    is_for_all_steps(text, to);
}

/* rho Lambda = Gamma: gas goes there however fast, and stays, whatever the slope and the step; also
 * beyond the ends of a table: above its last row Lambda goes on, at its first nothing cools. */
static void equilibria(void **unused)
{
    (void)unused;
    char dir[256], path[300], text[500];
    int rank;
    is_for_all_steps("cooling: {rate: 5e4, slope: 2, heating: 121e3}\n", 1.1);
    is_for_all_steps("cooling: {rate: 5e4, slope: 0.5, heating: 2e5}\n", 4);
    is_for_all_steps("cooling: {rate: 5e4, slope: 12, heating: 1e5}\n", 1);
    is_for_all_steps("cooling: {rate: 5e4, slope: 2, heating: 225e3}\n", 1.5);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, "equilibria");
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/table", dir);
    if (rank == 0) put(path, "1 1e4\n4 4e4\n16 64e4\n");
    MPI_Barrier(MPI_COMM_WORLD);
    static const double want[][2] = {{4e4, 2},    {8e4, 4},    {32e4, 8},
                                     {128e4, 16}, {512e4, 32}, {1e4, 1}};
    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof text, "cooling: {table: %s, heating: %g}\n", path, want[i][0]);
        is_for_all_steps(text, want[i][1]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) scratch_remove(dir);
}

/* ---- tables of the literature ---- */

/* What a table of one power law, Lambda = 1e-22 (T / 1e5 K)^2, comes to after 0.5 in units of 1 pc,
 * 2e-24 g/cm^3, 1 km/s, 1.27 m_H, where T = 1.5 are 231 K; per: n_1 n_2 over (rho / m_H)^2. */
static double published(double per)
{
    double hydrogen = 1.6735328e-24, v = 1e5, kelvin = 1.27 / 8.2501e-3;
    double lambda = per * 2e-24 / (hydrogen * hydrogen) * 3.0856775814913673e18 / (v * v * v) *
                    1e-22 * pow(kelvin / 1e5, 2);
    return 1.5 / (1 + 4.0 / 3 * 0.5 * 1.5 * lambda);
}

static void literature(void **unused)
{
    (void)unused;
    enum { ROWS = 10000 };
    static const char *const tables[] = {
        "",
        "10 1e-30\n1e5 1e-22\n1e6 1e-20\n",
        "! log T\n1.0 -30.0\n5.0 -22.0\n6.0 -20.0\n",
        "Title: of\nsome 2 authors\n 1- 10 A10 K T\n10 1D-30 0.7\n1D5 1.0D-22 3\n1E+06 1d-20 4\n",
        " log(T)\tne\tnH\tnt\tnet\tnorm\n1 1 1 1 -29 -30 7 7 7 7 7 7\n6 1 1 1 -2 -20 7 7 7 7 7 7\n",
        "% logT solar half\n1 -30 -31\n6 -20 -21\n",
    };
    static const char *const keys[] = {
        "",
        "",
        ", per: electrons_hydrogen",
        ", per: particles",
        ", per: electrons_ions, hydrogen: 0.5",
        ", column: 2",
    };
    static const double per[] = {
        0, 0.76 * 0.76, 0.76 * 0.88, 1 / (1.27 * 1.27), 0.75 * 0.625, 0.76 * 0.76};
    char dir[256], path[300], text[700];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, "published");
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/table", dir);
    for (int i = 1; i < 7; i++) {
        FILE *f = NULL;
        if (rank == 0 && i < 6) put(path, tables[i]);
        if (rank == 0 && i == 6) {
            f = fopen(path, "w");
            for (int k = 0; k < ROWS; k++)
                fprintf(f, "%.9f %.9f 0\n", 1 + 5. * k / (ROWS - 1), -30 + 10. * k / (ROWS - 1));
            fclose(f);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        snprintf(text, sizeof text,
                 "cooling: {table: %s, step: 0%s}\nunits: {length: 1 pc, density: 2e-24, velocity: "
                 "1 km/s, weight: 1.27}\n",
                 path, i < 6 ? keys[i] : "");
        double got = temperature(text), want = published(i < 6 ? per[i] : 0.76 * 0.76);
        if (!(fabs(got / want - 1) < (i < 6 ? 1e-9 : 1e-6) && want < 1.4))
            fail_msg("table %d: T %.12g, not %.12g", i, got, want);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) scratch_remove(dir);
}

/* ---- with the flow ---- */

static void conserves(const char *recipe)
{
    char text[1024];
    snprintf(text, sizeof text,
             "mesh.cells: [24, 24]\nmesh.block: [12]\ncooling: {rate: 2, heating: 0.3}\n%s",
             recipe);
    struct fluid *f = gas(MPI_COMM_WORLD, text, lumpy);
    struct sl_totals a = totals(f->sim), b;
    law_advance(f, 20);
    b = totals(f->sim);
    double lost = sl_history_source(&f->sim->state, &b, "cooling_energy");
    assert_true(lost > 0.05);
    if (!(fabs(a.energy_total - b.energy_total - lost) < 1e-13))
        fail_msg("%g was lost, not %g:\n%s", a.energy_total - b.energy_total, lost, recipe);
    assert_true(fabs(a.mass - b.mass) < 1e-14 && fabs(a.momentum_x - b.momentum_x) < 1e-14);
    fluid_free(f);
}

static void conservation(void **unused)
{
    (void)unused;
    conserves("");
    conserves("fluid.dual_energy: true\n");
    conserves("fluid.mhd: ct\nfluid.riemann: hlld\nfluid.integrator: vl2\n");
    conserves("fluid.mhd: glm\nfluid.riemann: hlld\nfluid.integrator: rk3\n");
    conserves("fluid.integrator: ctu\n");
}

static double thermal(const char *integrator, int steps)
{
    char text[512];
    snprintf(text, sizeof text,
             "mesh.cells: [32, 32]\nmesh.block: [16]\nfluid.limiter: vanleer\n"
             "cooling: {rate: 2, slope: -0.5, step: 0}\nfluid.integrator: %s\n",
             integrator);
    struct fluid *f = gas(MPI_COMM_WORLD, text, lumpy);
    until(f, 0.1, steps);
    double energy = totals(f->sim).energy_total;
    fluid_free(f);
    return energy;
}

/* The energy lost converges with the square of the step. */
static void order(void **unused)
{
    (void)unused;
    double e[3];
    for (int i = 0; i < 3; i++)
        e[i] = thermal("rk2", 32 << i);
    double ratio = (e[0] - e[1]) / (e[1] - e[2]);
    if (!(fabs(e[0] - e[1]) > 1e-8 && ratio > 3.4))
        fail_msg("energies differ by %g, ratio %g", e[0] - e[1], ratio);
}

static void cool(struct sl_state *s, sl_real share)
{
    size_t energy = (size_t)s->layout.energy * s->mesh->block_cells;
    for (int b = 0; b < s->mesh->nblock; b++)
        for (size_t i = 0; i < s->mesh->block_cells; i++)
            s->u[sl_mesh_at(s->mesh, s->layout.nvar, b, 0, 0, 0, 0) + energy + i] *= share;
}

/* A step that was tried twice as long has cooled for all of its time before it; the next one is
 * limited by the state that it leaves. */
static void shorter_steps(void **unused)
{
    (void)unused;
    struct fluid *f = gas(MPI_COMM_WORLD, "mesh.cells: [16]\ncooling: {rate: 2}\n", uniform);
    assert_int_equal(sl_sources_open(f->sim, 0.02), SL_OK);
    cool(&f->sim->state, (sl_real)0.7);
    assert_int_equal(sl_sources_open(f->sim, 0.01), SL_OK);
    f->sim->state.time += 0.01;
    assert_int_equal(sl_sources_close(f->sim, 0.01), SL_OK);
    double limit = sl_sources_limit(f->sim, 1), lost = 0;
    assert_int_equal(sl_sources_measure(f->sim, &lost), SL_OK);
    assert_true(lost > 0);
    assert_int_equal(sl_sources_start(f->sim), SL_OK);
    assert_true(limit < 1 && limit == sl_sources_limit(f->sim, 1));
    fluid_free(f);
}

/* ---- bits ---- */

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    snprintf(text, sizeof text,
             "mesh.cells: [32, 32]\ncooling: {rate: 2, heating: 0.3}\n%smesh.block: %s\n", recipe,
             block);
    struct fluid *f = gas(comm, text, lumpy);
    law_advance(f, 6);
    return f;
}

static void bits(void **unused)
{
    (void)unused;
    static const char *const square[] = {"[32]", "[16]", "[8, 16]", NULL};
    law_same(run, "", "[32]", square);
    law_same(run, "fluid.dual_energy: true\n", "[32]", square);
}

static void restarts(void **unused)
{
    (void)unused;
    law_restarts(run, "", "[16]", "cooling");
}

/* ---- what is refused ---- */

static void refused(const char *recipe, const char *what)
{
    law_refused(recipe, uniform, what);
}

static void nonsense(void **unused)
{
    (void)unused;
    static const char *const tables[][2] = {{"1 1\n", "two rows or more, not 1"},
                                            {"1 1\n2\n", ":2: 1 columns, the lines before have 2"},
                                            {"1 1\n1 2\n", ":2: T 1 does not rise"},
                                            {"1 1\n2 -3\n", ":2: T 2 and Lambda -3"},
                                            {"4 -22\n5 -21\n", "has no physical units"},
                                            {"1 1 1\n2 3 3\n", "said by cooling.column"}};
    char dir[256], path[300], text[400];
    refused("fluid.eos: isothermal\ncooling.rate: 1\n",
            "test:5:12: fluid.eos: cooling and heating");
    refused("cooling: {rate: 1, table: x}\n", "and cooling.table both");
    scratch_make(dir, "cooling");
    snprintf(path, sizeof path, "%s/table", dir);
    snprintf(text, sizeof text, "cooling.table: %s\n", path);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        put(path, tables[i][0]);
        refused(text, tables[i][1]);
    }
    scratch_remove(dir);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_laws),    cmocka_unit_test(tables),
        cmocka_unit_test(heating),       cmocka_unit_test(equilibria),
        cmocka_unit_test(literature),    cmocka_unit_test(conservation),
        cmocka_unit_test(order),         cmocka_unit_test(bits),
        cmocka_unit_test(restarts),      cmocka_unit_test(nonsense),
        cmocka_unit_test(shorter_steps),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
