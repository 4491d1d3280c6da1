/* self_gravity.c - gas that attracts itself (its potential: tests/law/poisson.c): the box gets no
 * momentum and a kick no heat, the sum of total and potential energy stays, but for what is lost at
 * level edges, a step lets nothing fall further than cfl of a cell, one that is tried again is
 * kicked once; the same bits for any ranks, blocks and restarts.
 *
 * ranks: 3
 * optimised: 1 2
 */
#include "core/io/checkpoint.h"
#include "core/run/restore.h"
#include "core/run/totals.h"
#include "core/step/source.h"
#include "core/step/work.h"
#include "tests/law.h"
#include "tests/lumps.h"
#include "tests/scratch.h"

#define HEAVY "gravity.four_pi_g: 30\n"
#define LEVELS(n)                                                                                  \
    "mesh.levels: " #n "\nmesh.regrid: 2\nmesh.refine: [{by: gradient, of: density, above: "       \
    "0.15}]\n"

/* ---- the gas ---- */

static struct fluid *heavy(MPI_Comm comm, const char *recipe)
{
    struct fluid *f;
    assert_int_equal(fluid_new(comm, recipe, lumps, &f), SL_OK);
    assert_non_null(sl_sources_find(f->sim, "self_gravity"));
    return f;
}

/* Thermal energy of all cells: what is not motion. */
static double heat(const struct sl_sim *sim)
{
    const struct sl_mesh *m = sim->state.mesh;
    double sum = 0;
    for (int b = 0; b < m->nblock; b++)
        for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
            for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
                for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                    const sl_real *u =
                        sim->state.u + sl_mesh_at(m, sim->state.layout.nvar, b, 0, k, j, i);
                    struct sl_cons c = sl_gas_of(&sim->state.layout, u, m->block_cells);
                    sum += (double)c.en -
                           0.5 *
                               ((double)c.mx * (double)c.mx + (double)c.my * (double)c.my +
                                (double)c.mz * (double)c.mz) /
                               (double)c.rho;
                }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, m->comm);
    return sum;
}

static void conserves(const char *recipe)
{
    struct fluid *f = heavy(MPI_COMM_WORLD, recipe);
    double before[SL_MAX_VAR], after[SL_MAX_VAR], warm;
    law_sums(f->sim, before);
    law_advance(f, 15);
    law_sums(f->sim, after);
    for (int v = SL_RHO; v <= SL_MZ; v++)
        if (!(fabs(after[v] - before[v]) < 50 * law_rounding() * before[0]))
            fail_msg("variable %d changed by %g:\n%s", v, (after[v] - before[v]) / before[0],
                     recipe);
    if (f->sim->state.layout.energy >= 0) {
        assert_true(fabs(after[f->sim->state.layout.energy] / before[f->sim->state.layout.energy] -
                         1) > 1e-4);
        warm = heat(f->sim);
        assert_int_equal(sl_sources_open(f->sim, 0.1), SL_OK);
        law_sums(f->sim, before);
        assert_true(fabs(before[f->sim->state.layout.energy] / after[f->sim->state.layout.energy] -
                         1) > 1e-4);
        assert_true(fabs(heat(f->sim) / warm - 1) < 50 * law_rounding());
        assert_int_equal(sl_sources_open(f->sim, 0), SL_OK);
    }
    fluid_free(f);
}

static const char *const schemes[] = {
    "",
    "fluid.eos: isothermal\n",
    "fluid.integrator: rk3\nfluid.reconstruct: ppm\nfluid.scalars: 1\n",
    "fluid.integrator: vl2\nfluid.dual_energy: true\n",
    "fluid.integrator: tvd\n",
    "fluid.mhd: glm\nfluid.riemann: hlld\n",
    "fluid.mhd: ct\nfluid.riemann: hlld\n",
};
enum { N_SCHEMES = sizeof schemes / sizeof *schemes };

static void conservation(void **unused)
{
    (void)unused;
    char recipe[512];
    for (int i = 0; i < N_SCHEMES; i++) {
        snprintf(recipe, sizeof recipe, "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n%s" HEAVY,
                 schemes[i]);
        conserves(recipe);
    }
    conserves("mesh.cells: [24, 20]\nmesh.block: [12, 10]\nfluid.integrator: ctu\n" HEAVY);
    conserves("mesh.cells: [64]\nmesh.block: [16]\n" HEAVY);
}

/* Of the box: total and potential energy. */
static void energies(struct sl_sim *sim, double out[2])
{
    struct sl_totals t;
    assert_int_equal(sl_run_totals(sim, &t), SL_OK);
    out[0] = t.energy_total, out[1] = t.source[0];
}

/* The change of the sum of total and potential energy in so many steps, over that of the latter. */
static double drift(const char *recipe, struct fluid *f, int steps)
{
    double before[2], after[2];
    energies(f->sim, before);
    law_advance(f, steps);
    energies(f->sim, after);
    double given = after[1] - before[1];
    if (!(fabs(given) > 1e-4 * fabs(before[1]))) fail_msg("gravity gave %g:\n%s", given, recipe);
    return fabs((after[0] - before[0]) + given) / fabs(given);
}

#define CUBE  "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n"
#define PLANE "mesh.cells: [32, 24]\nmesh.block: [16, 12]\n"

/* Gravity does its work on the mass that crosses the faces: of one level nothing but rounding comes
 * or goes, whatever moves the gas. */
static void energy(void **unused)
{
    (void)unused;
    static const char *const kept[] = {
        "mesh.cells: [64]\nmesh.block: [16]\n",
        PLANE "fluid.limiter: mc\n",
        PLANE "fluid.integrator: ctu\n",
        PLANE "fluid.integrator: ctu\nfluid.mhd: ct\n",
        CUBE "fluid.integrator: rk3\nfluid.reconstruct: ppm\n",
        CUBE "fluid.integrator: vl2\n",
        CUBE "fluid.integrator: tvd\n",
        CUBE "fluid.mhd: glm\n",
        CUBE "fluid.mhd: ct\n",
        CUBE "fluid.mhd: ct\nfluid.integrator: vl2\n",
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe, "%s" HEAVY, kept[i]);
        struct fluid *f = heavy(MPI_COMM_WORLD, recipe);
        double off = drift(recipe, f, 15);
        fluid_free(f);
        if (!(off < 1e-10)) fail_msg("energy drifts by %g:\n%s", off, recipe);
    }
}

/* Velocities that need repairs, beside a potential energy of their size. */
#define VIOLENT "gravity.four_pi_g: 3000\n"

/* Also where first-order fluxes took the place of others. */
static void energy_of_repaired(void **unused)
{
    (void)unused;
    static const char *const kept[] = {CUBE, CUBE "fluid.integrator: tvd\n",
                                       CUBE "fluid.integrator: rk3\n", CUBE "fluid.mhd: glm\n",
                                       PLANE "fluid.integrator: ctu\n"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        char recipe[512];
        struct fluid *f;
        snprintf(recipe, sizeof recipe, "%s" VIOLENT, kept[i]);
        assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, law_violent, &f), SL_OK);
        double off = drift(recipe, f, 4);
        assert_true(f->sim->state.cells_repaired > 0 && f->sim->state.cells_floored == 0);
        fluid_free(f);
        if (!(off < 1e-9)) fail_msg("energy drifts by %g:\n%s", off, recipe);
    }
}

#define PART "mesh.levels: 1\nmesh.refine: [{by: box, lo: [0, 0, 0], hi: [0.4, 0.4, 1]}]\n"

/* At the edge of a level the potential follows from the density by an operator that is not quite
 * symmetric, and work is lost with the order of the scheme; kicks alone lose as much as there is.
 */
static void energy_at_level_edges(void **unused)
{
    (void)unused;
    static const char *const kept[] = {"", "time.levels: each\n", "fluid.mhd: ct\n",
                                       "fluid.integrator: tvd\n"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        char recipe[512];
        snprintf(recipe, sizeof recipe, CUBE PART HEAVY "%s", kept[i]);
        struct fluid *f = heavy(MPI_COMM_WORLD, recipe);
        double off = drift(recipe, f, 15);
        fluid_free(f);
        if (!(off < 0.03)) fail_msg("energy drifts by %g:\n%s", off, recipe);
    }
}

/* The largest difference of the change of the density of a leaf since a state of its level, that
 * before its last step, from what the mass through its faces makes. */
static double unexplained(const struct sl_sim *s, const sl_real *before)
{
    const struct sl_mesh *m = s->state.mesh;
    const sl_real *mass = s->work->mass[s->work->mass_now];
    double most = 0;
    for (int b = 0; b < m->nleaf; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++)
                for (int i = 0; i < m->n[0]; i++) {
                    size_t at = sl_mesh_at(m, s->state.layout.nvar, b, 0, k + m->g[2], j + m->g[1],
                                           i + m->g[0]);
                    double change = (double)s->work->now[at] - (double)before[at];
                    for (int d = 0; d < m->dim; d++) {
                        int up[3] = {i + (d == 0), j + (d == 1), k + (d == 2)};
                        size_t low = sl_mass_flux_at(m->dim, m->n, (size_t)b, d, k, j, i),
                               high =
                                   sl_mass_flux_at(m->dim, m->n, (size_t)b, d, up[2], up[1], up[0]);
                        change += ((double)mass[high] - (double)mass[low]) / m->blocks[b].dx[d];
                    }
                    most = fmax(most, fabs(change));
                }
    return most;
}

/* Of a step that goes over the levels in parts `next` has the state before the last part alone. */
static const sl_real *before_step(const struct sl_sim *s, sl_real *copy)
{
    return sl_step_parts(s) > 1 ? copy : s->work->next;
}

static void explains(fluid_state *state, const char *recipe)
{
    struct fluid *f;
    sl_real *copy[SL_LEVELS] = {NULL};
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, state, &f), SL_OK);
    for (int i = 0; i < 4; i++) {
        for (const struct sl_sim *s = f->sim; s; s = s->finer) {
            size_t size = sl_mesh_size(s->state.mesh, s->state.layout.nvar) * sizeof(sl_real);
            copy[s->state.mesh->level] = realloc(copy[s->state.mesh->level], size + 1);
            memcpy(copy[s->state.mesh->level], s->work->now, size);
        }
        law_advance(f, 1);
        for (const struct sl_sim *s = f->sim; s; s = s->finer) {
            double off = unexplained(s, before_step(s, copy[s->state.mesh->level]));
            if (!(off < 200 * law_rounding())) fail_msg("density off by %g:\n%s", off, recipe);
        }
    }
    for (int l = 0; l < SL_LEVELS; l++)
        free(copy[l]);
    fluid_free(f);
}

/* The mass that is kept is that which changed the density: of all stages, with first-order fluxes
 * of repairs, and at the edges of levels with the fluxes of the finer one. */
static void masses(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_SCHEMES; i++) {
        char recipe[512];
        if (strstr(schemes[i], "isothermal")) continue; /* has no energy */
        snprintf(recipe, sizeof recipe, CUBE HEAVY "%s", schemes[i]);
        explains(lumps, recipe);
        snprintf(recipe, sizeof recipe, CUBE VIOLENT "%s", schemes[i]);
        explains(strstr(recipe, "mhd: ct") ? law_violent_staggered : law_violent, recipe);
        snprintf(recipe, sizeof recipe, CUBE PART HEAVY "%s", schemes[i]);
        explains(lumps, recipe);
        if (strstr(schemes[i], "tvd")) continue; /* its levels take one step */
        snprintf(recipe, sizeof recipe, CUBE PART HEAVY "time.levels: each\n%s", schemes[i]);
        explains(lumps, recipe);
    }
    explains(lumps, PLANE HEAVY "fluid.integrator: ctu\n");
    explains(law_violent, PLANE VIOLENT "fluid.integrator: ctu\n");
}

/* ---- kicks ---- */

/* Nothing moves yet, and sound takes far longer: the step is that of a fall through cfl of a cell,
 * (cfl h / g)^(1/2). */
static void limit(void **unused)
{
    (void)unused;
    enum { N = 64 };
    static const char recipe[] = "mesh.cells: [64]\nmesh.block: [16]\nfluid.cfl: 0.3\n" HEAVY;
    struct fluid *f;
    double w[SL_SOURCE_COLUMNS];
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, lumps_at_rest, &f), SL_OK);
    double g = 30 * 0.5 / (2 * acos(-1)), want = sqrt(0.3 / (N * g));
    if (!(fabs(f->sim->state.dt / want - 1) < 0.01))
        fail_msg("a step of %g, not of %g", f->sim->state.dt, want);
    assert_int_equal(sl_sources_measure(f->sim, w), SL_OK);
    if (!(fabs(w[1] / g - 1) < 0.01)) fail_msg("gravity of %g, not of %g", w[1], g);
    fluid_free(f);
}

/* The largest difference of two states over the cells of this rank. */
static double apart(const struct sl_sim *a, const sl_real *u)
{
    const struct sl_mesh *m = a->state.mesh;
    double most = 0;
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < a->state.layout.nvar; v++)
            for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
                for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
                    for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                        size_t at = sl_mesh_at(m, a->state.layout.nvar, b, v, k, j, i);
                        most = fmax(most, fabs((double)a->state.u[at] - (double)u[at]));
                    }
    return most;
}

/* A step that is tried again opens with the kick of its own dt alone, and with none for dt = 0. */
static void opened_again(void **unused)
{
    (void)unused;
    static const char recipe[] = "mesh.cells: [24, 20]\nmesh.block: [12, 10]\n" HEAVY;
    struct fluid *again = heavy(MPI_COMM_WORLD, recipe), *once = heavy(MPI_COMM_WORLD, recipe),
                 *never = heavy(MPI_COMM_WORLD, recipe);
    assert_int_equal(sl_sources_open(again->sim, 0.1), SL_OK);
    assert_int_equal(sl_sources_open(again->sim, 0.04), SL_OK);
    assert_int_equal(sl_sources_open(once->sim, 0.04), SL_OK);
    assert_true(apart(again->sim, once->sim->state.u) < 50 * law_rounding());
    double moved = apart(once->sim, never->sim->state.u);
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    assert_true(moved > 1e-2);
    assert_int_equal(sl_sources_open(again->sim, 0), SL_OK);
    assert_true(apart(again->sim, never->sim->state.u) < 50 * law_rounding());
    fluid_free(again);
    fluid_free(once);
    fluid_free(never);
}

/* ---- bits ---- */

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    snprintf(text, sizeof text, "%smesh.block: %s\n", recipe, block);
    struct fluid *f = heavy(comm, text);
    law_advance(f, 6);
    return f;
}

static void bits(void **unused)
{
    (void)unused;
    static const char *const square[] = {"[24, 20]", "[12, 10]", "[8, 4]", "[4, 5]", NULL};
    static const char *const cube[] = {"[16]", "[8]", "[8, 4, 16]", "[4, 8, 4]", NULL};
    static const char *const line[] = {"[64]", "[8]", NULL};
    law_same(run, "mesh.cells: [64]\n" HEAVY, "[64]", line);
    law_same(run, "mesh.cells: [24, 20]\nfluid.dual_energy: true\n" HEAVY, "[24, 20]", square);
    law_same(run, "mesh.cells: [16, 16, 16]\n" HEAVY, "[16]", cube);
    law_same(run, "mesh.cells: [16, 16, 16]\nfluid.mhd: ct\nfluid.riemann: hlld\n" HEAVY, "[16]",
             cube);
}

/* On levels that come and go, in boxes of both kinds. */
static void bits_on_levels(void **unused)
{
    (void)unused;
    static const char *const boxes[] = {
        "mesh.cells: [32, 32]\n" LEVELS(2) HEAVY, "mesh.cells: [16, 16, 16]\n" LEVELS(1) HEAVY,
        "mesh.cells: [16, 16, 16]\nmesh.boundary: outflow\nfluid.dual_energy: true\n" LEVELS(1)
            HEAVY,
        "mesh.cells: [16, 16, 16]\nfluid.integrator: tvd\n" LEVELS(1) HEAVY};
    static const char *const block[] = {"[8]", NULL};
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        law_same(run, boxes[i], "[8]", block);
}

/* Stopped after three steps, gone on with from a checkpoint on other ranks. */
static void restarts_of(const char *recipe)
{
    char dir[256];
    int rank;
    int64_t seq;
    uint64_t want, got;
    double w[2][SL_SOURCE_COLUMNS];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, "self_gravity");
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    struct fluid *a = heavy(MPI_COMM_WORLD, recipe);
    law_advance(a, 3);
    assert_int_equal(sl_checkpoint_write(&a->sim->state, dir, 2, &seq), SL_OK);
    struct fluid *b = heavy(MPI_COMM_SELF, recipe);
    assert_int_equal(sl_sim_restore(b->sim, dir, &seq), SL_OK);
    assert_int_equal(b->sim->state.step, 3);
    law_advance(a, 4);
    law_advance(b, 4);
    assert_int_equal(sl_sim_hash(a->sim, &want), SL_OK);
    assert_int_equal(sl_sim_hash(b->sim, &got), SL_OK);
    assert_true(want == got);
    assert_int_equal(sl_sources_measure(a->sim, w[0]), SL_OK);
    assert_int_equal(sl_sources_measure(b->sim, w[1]), SL_OK);
    assert_true(w[0][0] == w[1][0] && w[0][1] == w[1][1]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) scratch_remove(dir);
    fluid_free(a);
    fluid_free(b);
}

static void restarts(void **unused)
{
    (void)unused;
    restarts_of("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" HEAVY);
    restarts_of("mesh.cells: [16, 16, 16]\nmesh.block: [8]\n" LEVELS(1) HEAVY);
    restarts_of("mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.integrator: tvd\n" LEVELS(1)
                    HEAVY);
}

static double potential_of(const char *levels)
{
    char recipe[512];
    double w[SL_SOURCE_COLUMNS];
    snprintf(recipe, sizeof recipe, "mesh.block: [8]\nfluid.limiter: mc\n%s" HEAVY, levels);
    struct fluid *f = heavy(MPI_COMM_WORLD, recipe);
    assert_int_equal(sl_sources_measure(f->sim, w), SL_OK);
    fluid_free(f);
    return w[0];
}

/* The potential energy of refined gas is that of one level as fine. */
static void energy_on_levels(void **unused)
{
    (void)unused;
    double fine = potential_of("mesh.cells: [32, 32, 32]\n"),
           all = potential_of("mesh.cells: [16, 16, 16]\ngravity.tolerance: 1e-8\nmesh.levels: "
                              "1\nmesh.refine: [{by: box, "
                              "lo: [0, 0, 0], hi: [1, 1, 1]}]\n"),
           some = potential_of("mesh.cells: [16, 16, 16]\nmesh.levels: 1\nmesh.refine: [{by: box, "
                               "lo: [0, 0, 0], hi: [0.4, 0.4, 0.4]}]\n");
    if (!(fabs(all / fine - 1) < 1e-8)) fail_msg("potential energy %.12g, not %.12g", all, fine);
    if (!(fabs(some / fine - 1) < 0.02)) fail_msg("potential energy %.12g, not %.12g", some, fine);
}

static void refused(const char *recipe, const char *what)
{
    struct fluid *f;
    assert_int_equal(fluid_new(MPI_COMM_SELF, recipe, lumps, &f), SL_EINPUT);
    if (!strstr(sl_error_text(), what)) fail_msg("%s: %s", what, sl_error_text());
}

static void nonsense(void **unused)
{
    (void)unused;
    refused("mesh.cells: [16, 16]\nmesh.boundary: [outflow, periodic]\n" HEAVY, "periodic");
    refused("mesh.cells: [16, 16]\nmesh.block: [8]\nresources.precision: single\n" LEVELS(1) HEAVY,
            "nearest: double");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conservation),
        cmocka_unit_test(energy),
        cmocka_unit_test(energy_of_repaired),
        cmocka_unit_test(energy_at_level_edges),
        cmocka_unit_test(masses),
        cmocka_unit_test(limit),
        cmocka_unit_test(opened_again),
        cmocka_unit_test(bits),
        cmocka_unit_test(restarts),
        cmocka_unit_test(bits_on_levels),
        cmocka_unit_test(energy_on_levels),
        cmocka_unit_test(nonsense),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
