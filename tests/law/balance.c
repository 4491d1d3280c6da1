/* balance.c - output.balance: what gravity, other sources and regrids give is all that the energy
 * of the gas changes by, on one level and on levels that come and go; gravity gives what the
 * potential loses; what a regrid of cold gas gives is what the energy changes by; the same after a
 * restart and on any ranks.
 *
 * ranks: 3
 * optimised: 1
 */
#include "core/run/totals.h"
#include "core/step/source.h"
#include "tests/law_source.h"

#define HEAVY "output.balance: true\ngravity.four_pi_g: 20\nmesh.block: [8]\n"
#define LEVELS                                                                                     \
    "mesh: {levels: 1, regrid: 1, derefine_after: 1, buffer: 0, refine: [{by: sphere, center: "    \
    "[0.3, 0.3, 0.3], radius: 0.15}]}\n"

static void lumpy(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double twopi = 2 * acos(-1), x[3];
    (void)data, (void)t;
    for (int d = 0; d < 3; d++)
        x[d] = twopi * 0.5 * (lo[d] + hi[d]);
    prim[0] = 1 + 0.8 * sin(x[0]) * cos(x[1]) * cos(x[2]);
    prim[1] = 0.3 * cos(x[1]);
    prim[2] = 0.4 * sin(x[0]);
    prim[4] = 1;
}

/* A hundred times faster than sound. */
static void cold(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    lumpy(data, lo, hi, t, prim);
    prim[1] *= 30, prim[2] *= 30;
    prim[4] = 0.01;
}

static struct fluid *held(MPI_Comm comm, const char *recipe, fluid_state *state)
{
    struct fluid *f;
    if (fluid_new(comm, recipe, state, &f) != SL_OK) fail_msg("%s", sl_error_text());
    return f;
}

struct columns {
    double gravity, sources, regrid, potential, total, kinetic, floored;
};

static struct columns columns_of(const struct fluid *f)
{
    struct sl_totals t;
    const struct sl_state *s = &f->sim->state;
    assert_int_equal(sl_run_totals(f->sim, &t), SL_OK);
    return (struct columns){sl_history_source(s, &t, "energy_gravity"),
                            sl_history_source(s, &t, "energy_sources"),
                            sl_history_source(s, &t, "energy_regrid"),
                            sl_history_source(s, &t, "energy_potential"),
                            t.energy_total,
                            t.energy_kinetic,
                            (double)s->cells_floored};
}

/* Some steps; the sphere that is refined jumps. */
static void advance(struct fluid *f, int steps)
{
    for (int i = 0; i < steps; i++) {
        for (int d = 0; d < 3 && f->cfg.mesh_refine_n > 0; d++)
            f->cfg.mesh_refine[0].lo[d] = i % 4 < 2 ? 0.7 : 0.3;
        law_advance(f, 1);
    }
}

/* What there is besides the columns, over the energy; *out: the columns at the end less those at
 * the start. */
static double missing(const char *recipe, fluid_state *state, int steps, struct columns *out)
{
    struct fluid *f = held(MPI_COMM_WORLD, recipe, state);
    struct columns a = columns_of(f), b;
    assert_true(a.gravity == 0 && a.sources == 0 && a.regrid == 0);
    advance(f, steps);
    b = columns_of(f);
    assert_true(b.floored == 0);
    fluid_free(f);
    *out = b;
    out->total -= a.total, out->potential -= a.potential, out->kinetic -= a.kinetic;
    return fabs(out->total - (b.gravity + b.sources + b.regrid)) / fabs(b.total);
}

static void closes(const char *recipe, fluid_state *state, struct columns *out)
{
    double off = missing(recipe, state, 8, out);
    if (!(off < 1e-12)) fail_msg("%g of the energy is from nowhere:\n%s", off, recipe);
    if (!(fabs(out->gravity) > 1e-4 * fabs(out->total)))
        fail_msg("gravity gave %g:\n%s", out->gravity, recipe);
}

static void one_level(void **unused)
{
    (void)unused;
    struct columns c;
    closes("mesh.cells: [16, 16, 16]\n" HEAVY, lumpy, &c);
    assert_true(c.sources == 0 && c.regrid == 0);
    if (!(fabs(c.gravity + c.potential) < 1e-10 * fabs(c.gravity)))
        fail_msg("gravity gave %g, the potential lost %g", c.gravity, -c.potential);
    closes("mesh.cells: [32, 32]\nfluid.integrator: vl2\ncooling: {rate: 0.5, slope: 0.5}\n" HEAVY,
           lumpy, &c);
    assert_true(c.sources < -1e-3);
    closes("mesh.cells: [32, 32]\ndriving.acceleration: 1\n" HEAVY, lumpy, &c);
    assert_true(fabs(c.sources) > 1e-6);
}

static void on_levels(void **unused)
{
    (void)unused;
    static const char *const steps[] = {"time.levels: one\n", "time.levels: each\n"};
    struct columns c;
    char text[1024];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "mesh.cells: [16, 16, 16]\n" LEVELS HEAVY "%s", steps[i]);
        closes(text, lumpy, &c);
        if (!(fabs(c.regrid) < 1e-12)) fail_msg("regrids of warm gas gave %g", c.regrid);
    }
}

/* What a regrid alone does to cold gas with dual energy. */
static void regrids(void **unused)
{
    (void)unused;
    struct fluid *f = held(
        MPI_COMM_WORLD, "mesh.cells: [16, 16, 16]\nfluid.dual_energy: true\n" LEVELS HEAVY, cold);
    double most = 0;
    for (int i = 0; i < 6; i++) {
        struct columns a = columns_of(f), b;
        for (int d = 0; d < 3; d++)
            f->cfg.mesh_refine[0].lo[d] = i % 2 ? 0.3 : 0.7;
        assert_int_equal(sl_sim_regrid(f->sim, true), SL_OK);
        b = columns_of(f);
        double got = b.regrid - a.regrid, change = b.total - a.total;
        if (!(fabs(got - change) < 1e-13 * b.total))
            fail_msg("a regrid gave %g, but the energy changed by %g", got, change);
        most = fmax(most, fabs(got));
        law_advance(f, 1);
    }
    if (!(most > 1e-3)) fail_msg("no regrid of cold gas gave more than %g", most);
    fluid_free(f);
}

/* An account changes no gas: an exact solution holds with it. */
static void verified(void **unused)
{
    (void)unused;
    static const char text[] = "campaign: c\nproblem: jeans\nverify: true\ntime.end: 1\n"
                               "gravity.four_pi_g: 80\nmesh.cells: [32]\noutput.balance: true\n";
    struct sl_config cfg;
    if (sl_config_parse("test", text, strlen(text), NULL, 0, &cfg) != SL_OK)
        fail_msg("%s", sl_error_text());
}

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    snprintf(text, sizeof text, "%smesh.block: %s\noutput.balance: true\ngravity.four_pi_g: 20\n",
             recipe, block);
    struct fluid *f = held(comm, text, lumpy);
    advance(f, 4);
    return f;
}

static void restarts(void **unused)
{
    (void)unused;
    law_restarts(run, "mesh.cells: [32, 32]\n", "[8]", "balance");
    law_restarts(run, "mesh.cells: [16, 16, 16]\n" LEVELS, "[8]", "balance");
}

/* The sums, too, are those of any ranks. */
static void ranks(void **unused)
{
    (void)unused;
    struct fluid *all = run(MPI_COMM_WORLD, "mesh.cells: [32, 32]\n", "[8]"),
                 *one = run(MPI_COMM_SELF, "mesh.cells: [32, 32]\n", "[8]");
    struct columns a = columns_of(all), b = columns_of(one);
    assert_true(a.gravity == b.gravity && a.regrid == b.regrid);
    fluid_free(all);
    fluid_free(one);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_level), cmocka_unit_test(on_levels), cmocka_unit_test(regrids),
        cmocka_unit_test(restarts),  cmocka_unit_test(ranks),     cmocka_unit_test(verified),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
