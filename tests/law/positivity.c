/* positivity.c - a violent start from uniform density: bad cells are repaired by first-order fluxes
 * without losing mass, momentum or energy, with the same bits for any blocks and ranks; what cannot
 * be repaired stops the run with the state as it was.
 *
 * ranks: 1 3
 */
#include "core/step/backend.h"
#include "core/step/repair_rounds.h"
#include "tests/law.h"

static uint64_t run(MPI_Comm comm, const char *scheme, const char *block, int64_t *repaired)
{
    char recipe[512];
    struct fluid *f;
    snprintf(recipe, sizeof recipe, "mesh.cells: [16, 16, 16]\nmesh.block: %s\n%s", block, scheme);
    assert_int_equal(fluid_new(comm, recipe, law_violent, &f), SL_OK);
    uint64_t hash = law_survives(f, repaired);
    fluid_free(f);
    return hash;
}

static void repairs(void **unused)
{
    (void)unused;
    static const char *const schemes[] = {
        "fluid.riemann: hllc\nfluid.theta: 2\n",
        "fluid.riemann: roe\nfluid.limiter: vanleer\nfluid.scalars: 1\n",
        "fluid.riemann: lhllc\nfluid.theta: 2\n",
        "fluid.riemann: hllc\nfluid.reconstruct: ppm\nfluid.integrator: rk3\n",
        "fluid.riemann: roe\nfluid.reconstruct: wenoz\nfluid.integrator: rk3\n",
    };
    for (int i = 0; i < 5; i++) {
        int64_t alone, together;
        uint64_t hash = run(MPI_COMM_SELF, schemes[i], "[16]", &alone);
        print_message("%lld cells repaired: %s", (long long)alone, schemes[i]);
        assert_true(alone > 0);
        assert_true(run(MPI_COMM_WORLD, schemes[i], "[8]", &together) == hash);
        assert_int_equal(alone, together);
    }
}

/* Without first-order fluxes only floors are left, and none is allowed. */
static void diverges(void **unused)
{
    (void)unused;
    struct fluid *f;
    int code = SL_OK;
    assert_int_equal(fluid_new(MPI_COMM_WORLD,
                               "mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.max_floored: 0\n"
                               "fluid.positivity: false\nfluid.cfl: 1\nfluid.theta: 2\n",
                               law_violent, &f),
                     SL_OK);
    uint64_t before = 0, after = 1;
    int64_t step = 0;
    for (int i = 0; i < 50 && code == SL_OK; i++) {
        assert_int_equal(sl_sim_hash(f->sim, &before), SL_OK);
        step = f->sim->state.step;
        code = sl_sim_step(f->sim, 1);
    }
    assert_int_equal(code, SL_EDIVERGED);
    assert_non_null(strstr(sl_error_text(), "without density or pressure"));
    assert_int_equal(sl_sim_hash(f->sim, &after), SL_OK);
    assert_true(before == after);
    assert_int_equal(step, f->sim->state.step);
    fluid_free(f);
}

/* The same with floors allowed goes on, and says how many cells it changed. */
static void floors(void **unused)
{
    (void)unused;
    struct fluid *f;
    assert_int_equal(fluid_new(MPI_COMM_WORLD,
                               "mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.max_floored: 1\n"
                               "fluid.positivity: false\nfluid.cfl: 1\nfluid.theta: 2\n",
                               law_violent, &f),
                     SL_OK);
    for (int i = 0; i < 10; i++)
        assert_int_equal(sl_sim_step(f->sim, 1), SL_OK);
    assert_true(f->sim->state.cells_floored > 0);
    assert_int_equal(f->sim->state.cells_repaired, 0);
    fluid_free(f);
}

static void uniform(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    (void)data, (void)lo, (void)hi, (void)t;
    prim[0] = prim[4] = 1;
}

/* Gas that falls from a ceiling: the cell below it needs a floor whatever the length of the
 * step. */
static struct fluid *falling(double allowed)
{
    struct fluid *f;
    char recipe[256];
    snprintf(recipe, sizeof recipe,
             "mesh.cells: [64]\nmesh.block: [16]\nmesh.boundary: reflecting\n"
             "gravity.acceleration: [-1000, 0, 0]\nfluid.max_floored: %g\n",
             allowed);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, uniform, &f), SL_OK);
    return f;
}

/* Shorter steps do not help it: where floors are allowed the times of outputs are reached as
 * without them. */
static void floors_arrive(void **unused)
{
    (void)unused;
    struct fluid *f = falling(1);
    for (double until = 0.001; until < 0.0105; until += 0.001)
        for (int steps = 0; f->sim->state.time < until; steps++) {
            if (sl_sim_step(f->sim, until) != SL_OK) fail_msg("%s", sl_error_text());
            if (steps == 20)
                fail_msg("20 steps end at %.17g, not at %g", f->sim->state.time, until);
        }
    assert_true(f->sim->state.cells_floored > 0);
    fluid_free(f);
}

static int stages_made;

static int count_stage(struct sl_sim *sim, const struct sl_stage *stage, sl_real *in, sl_real *out,
                       struct sl_signal *all)
{
    stages_made++;
    return sl_backend_cpu.advance(sim, stage, in, out, all);
}

/* Cells that need a floor in every step make the run look for a shorter one when they get more, not
 * again and again. */
static void floors_cost_little(void **unused)
{
    (void)unused;
    struct fluid *f = falling(1);
    struct sl_backend counting = *f->sim->work->backend;
    int alike = 0;
    counting.advance = count_stage;
    f->sim->work->backend = &counting;
    while (f->sim->state.time < 0.01) {
        int64_t before = f->sim->state.floored_last;
        stages_made = 0;
        if (sl_sim_step(f->sim, 0.01) != SL_OK) fail_msg("%s", sl_error_text());
        if (f->sim->state.floored_last == 0 || f->sim->state.floored_last > before) continue;
        assert_int_equal(stages_made, 2);
        alike++;
    }
    assert_true(alike > 2);
    fluid_free(f);
}

/* One cell may need a floor in each stage of a step. */
static void floors_by_stage(void **unused)
{
    (void)unused;
    struct fluid *f = falling(1. / 64);
    while (f->sim->state.time < 0.004)
        if (sl_sim_step(f->sim, 0.004) != SL_OK) fail_msg("%s", sl_error_text());
    assert_true(f->sim->state.cells_floored > 1);
    fluid_free(f);
}

/* Where they are not, the run ends with the key, the place and the time. */
static void floors_end(void **unused)
{
    (void)unused;
    struct fluid *f = falling(0);
    int code = SL_OK;
    for (int i = 0; i < 100 && code == SL_OK; i++)
        code = sl_sim_step(f->sim, 0.01);
    assert_int_equal(code, SL_EDIVERGED);
    print_message("%s\n", sl_error_text());
    assert_non_null(strstr(sl_error_text(), "fluid.max_floored"));
    assert_non_null(strstr(sl_error_text(), "(0.992188)"));
    assert_non_null(strstr(sl_error_text(), "at t = 0.00"));
    fluid_free(f);
}

/* Repairs the first cell of every rank after variable v of it became `value`; its energy density
 * and entropy. */
static void raise_first(struct fluid *f, int v, sl_real value, sl_real heat[2])
{
    struct sl_sim *sim = f->sim;
    const struct sl_mesh *m = sim->state.mesh;
    int nvar = sim->state.layout.nvar;
    size_t first = sl_mesh_at(m, nvar, 0, 0, m->g[2], m->g[1], m->g[0]);
    sl_real *out = sl_field_new(sl_mesh_size(m, nvar));
    struct sl_stage stage = {.last = 1};
    int64_t repaired = 0, floored = 0;
    int ranks;
    MPI_Comm_size(m->comm, &ranks);
    assert_non_null(out);
    assert_int_equal(sl_repair_ready(sim), SL_OK);
    memcpy(out, sim->state.u, sl_mesh_size(m, nvar) * sizeof *out);
    out[first + (size_t)v * m->block_cells] = value;
    assert_int_equal(sl_repair(sim, &stage, sim->state.u, out, &repaired, &floored), SL_OK);
    assert_int_equal(floored, ranks);
    struct sl_cons c = sl_gas_of(&sim->state.layout, out + first, m->block_cells);
    sl_real s = out[first + (size_t)sim->state.layout.entropy * m->block_cells];
    if (v == SL_RHO) assert_true(c.rho == sim->state.gas.rho_floor);
    heat[0] = sl_cons_to_prim(&sim->state.gas, c).p;
    heat[1] = sl_entropy_to_pressure(&sim->state.gas, c.rho, s);
    free(out);
}

/* A floor leaves one pressure, whether energy or entropy tells it: the cell's own where only the
 * density was bad. */
static void floors_agree(void **unused)
{
    (void)unused;
    static const char *const fields[] = {"", "fluid.mhd: glm\nfluid.riemann: hlld\n"};
    for (int i = 0; i < 2; i++) {
        struct fluid *f;
        char recipe[256];
        sl_real p[2];
        snprintf(recipe, sizeof recipe,
                 "mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.dual_energy: true\n"
                 "fluid.positivity: false\nfluid.pressure_floor: 1e-3\n%s",
                 fields[i]);
        assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, law_waves, &f), SL_OK);
        raise_first(f, SL_RHO, -1, p);
        if (!(p[0] > 0.1 && fabs(p[1] / p[0] - 1) < 1e-10))
            fail_msg("density raised: %g from the energy, %g from the entropy", p[0], p[1]);
        raise_first(f, f->sim->state.layout.energy, -1, p);
        if (!(fabs(p[0] / 1e-3 - 1) < 1e-10 && fabs(p[1] / 1e-3 - 1) < 1e-10))
            fail_msg("pressure raised: %g from the energy, %g from the entropy", p[0], p[1]);
        fluid_free(f);
    }
}

static void bad_start(const void *data, const double lo[3], const double hi[3], double t,
                      double *prim)
{
    law_violent(data, lo, hi, t, prim);
    if (lo[0] > 0.7) prim[4] = -0.1;
}

static void refused(void **unused)
{
    (void)unused;
    struct fluid *f;
    int code =
        fluid_new(MPI_COMM_WORLD, "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n", bad_start, &f);
    assert_int_equal(code, SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "must be positive"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repairs),
        cmocka_unit_test(diverges),
        cmocka_unit_test(floors),
        cmocka_unit_test(floors_arrive),
        cmocka_unit_test(floors_cost_little),
        cmocka_unit_test(floors_by_stage),
        cmocka_unit_test(floors_end),
        cmocka_unit_test(floors_agree),
        cmocka_unit_test(refused),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
