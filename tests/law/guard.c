/* guard.c - the guard lets rounding pass, in every scheme, on levels and where cells are repaired,
 * with room to spare; it finds a part in 1e9 that one cell of a closed box gains, and a divergence
 * of 1e-9 of the field; in a box that is not closed it compares no totals.
 *
 * ranks: 2
 * optimised: 1
 */
#include "core/run/guard.h"
#include "core/mesh/hierarchy.h"
#include "core/run/totals.h"
#include "tests/law.h"

static int rank;

static int look(struct sl_guard *g, const struct fluid *f, struct sl_totals *t)
{
    assert_int_equal(sl_run_totals(f->sim, t), SL_OK);
    return sl_guard_look(g, &f->sim->state, t);
}

/* ---- what is good passes --------------------------------------------------------------------- */

/* The change of mass and energy is also well below what is let pass: the bound is no lucky one. */
static void has_room(const struct fluid *f, const struct sl_totals *a, const struct sl_totals *b,
                     int steps, const char *recipe)
{
    double share = sl_guard_rounding(&f->sim->state, steps);
    double mass = fabs(b->mass / a->mass - 1) / share;
    double energy = f->sim->state.layout.energy >= 0 && f->sim->state.cells_repaired == 0
                        ? fabs(b->energy_total / a->energy_total - 1) / share
                        : 0;
    if (mass > 0.25 || energy > 0.25)
        fail_msg("mass changes by %.2f, energy by %.2f of the bound:\n%s", mass, energy, recipe);
}

static void passes(const char *recipe, fluid_state *state)
{
    enum { STEPS = 40 };
    struct fluid *f;
    struct sl_guard g = {0};
    struct sl_totals first, now;
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, state, &f), SL_OK);
    assert_int_equal(look(&g, f, &first), SL_OK);
    for (int i = 0; i < STEPS; i++) {
        law_advance(f, 1);
        if (look(&g, f, &now) != SL_OK) fail_msg("%s:\n%s", sl_error_text(), recipe);
    }
    has_room(f, &first, &now, STEPS, recipe);
    fluid_free(f);
}

/* A field so strong that gas fails beside it with first-order fluxes, too. */
static void stiff(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    law_violent(data, lo, hi, t, prim);
    for (int d = 0; d < 3; d++) {
        prim[1 + d] /= 50;
        prim[SL_PRIM_B + d] = 10 - 2 * d;
    }
}

#define PLANE "mesh.cells: [32, 32]\nmesh.block: [16]\n"
#define SPACE "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n"
#define LEVELS                                                                                     \
    "mesh.levels: 2\nmesh.regrid: 2\nmesh.refine: [{by: gradient, of: density, above: 0.2}]\n"

static void good(void **unused)
{
    (void)unused;
    passes(PLANE "fluid.scalars: 2\n", law_waves);
    passes(PLANE "fluid.integrator: tvd\nfluid.scalars: 1\n", law_waves);
    passes(PLANE "fluid.integrator: ctu\nfluid.reconstruct: ppm\n", law_waves);
    passes(PLANE "fluid.eos: isothermal\nfluid.dual_energy: false\n", law_waves);
    passes(PLANE "fluid.dual_energy: true\n", law_waves);
    passes(SPACE "fluid.mhd: ct\nfluid.riemann: hlld\nfluid.integrator: rk3\n", law_waves);
    passes(SPACE "fluid.mhd: glm\nfluid.riemann: hlld\n", law_waves);
    passes(SPACE, law_violent);
    passes(SPACE "fluid.mhd: ct\nfluid.riemann: hlld\n", law_violent_staggered);
    passes(PLANE "fluid.scalars: 1\n" LEVELS, law_waves);
    passes(PLANE "fluid.mhd: ct\nfluid.riemann: hlld\n" LEVELS, law_waves);
    passes(PLANE "fluid.mhd: glm\nfluid.riemann: hlld\n" LEVELS, law_waves);
}

/* The energy of cells that are repaired with constrained transport follows that of their field:
 * that is let pass. */
static void energy_follows(void **unused)
{
    const char *recipe = PLANE "fluid.mhd: ct\nfluid.riemann: hlld\n";
    struct fluid *f;
    struct sl_guard g = {0};
    struct sl_totals first, now;
    (void)unused;
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, stiff, &f), SL_OK);
    assert_int_equal(look(&g, f, &first), SL_OK);
    law_advance(f, 40);
    if (look(&g, f, &now) != SL_OK) fail_msg("%s", sl_error_text());
    assert_true(f->sim->state.cells_repaired > 0 && f->sim->state.cells_floored == 0);
    assert_true(fabs(now.energy_total / first.energy_total - 1) >
                1e3 * sl_guard_rounding(&f->sim->state, 40));
    fluid_free(f);
}

static void ripples(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    (void)data, (void)t;
    prim[0] = prim[4] = 1;
    prim[SL_PRIM_B] = sin(acos(-1) * (lo[0] + hi[0])) + cos(acos(-1) * (lo[1] + hi[1]));
}

/* The divergence of a field in cells is that of central differences. */
static void divergence(void **unused)
{
    const double pi = acos(-1), h = 1.0 / 32;
    struct fluid *f;
    struct sl_totals t;
    (void)unused;
    assert_int_equal(
        fluid_new(MPI_COMM_WORLD, PLANE "fluid.mhd: glm\nfluid.riemann: hlld\n", ripples, &f),
        SL_OK);
    assert_int_equal(sl_run_totals(f->sim, &t), SL_OK);
    double want = sin(2 * pi * h) / h * cos(pi * h); /* in the cells beside x = 0 */
    assert_true(fabs(t.divergence_max / want - 1) < 1e-12);
    fluid_free(f);
}

/* ---- what is not does not -------------------------------------------------------------------- */

/* Of the middle of the first leaf of rank 0. */
static sl_real *value(struct fluid *f, int v)
{
    const struct sl_sim *s = f->sim;
    while (s->state.mesh->nleaf == 0)
        s = s->finer;
    const struct sl_mesh *m = s->state.mesh;
    int at[3];
    for (int d = 0; d < 3; d++)
        at[d] = m->g[d] + m->n[d] / 2;
    return s->state.u + sl_mesh_at(m, f->sim->state.layout.nvar, 0, v, at[2], at[1], at[0]);
}

/* Ten steps, then one value changes by so much. */
static void finds(const char *recipe, int v, double change, const char *what)
{
    struct fluid *f;
    struct sl_guard g = {0};
    struct sl_totals t;
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, law_waves, &f), SL_OK);
    assert_int_equal(look(&g, f, &t), SL_OK);
    law_advance(f, 10);
    assert_int_equal(look(&g, f, &t), SL_OK);
    if (rank == 0) *value(f, v) += (sl_real)change;
    int code = look(&g, f, &t);
    if (!what && code != SL_OK) fail_msg("%s:\n%s", sl_error_text(), recipe);
    if (what && (code != SL_EDIVERGED || !strstr(sl_error_text(), what)))
        fail_msg("variable %d: not '%s' but '%s'", v, what, code ? sl_error_text() : "nothing");
    fluid_free(f);
}

static void bad(void **unused)
{
    (void)unused;
    const char *plane = PLANE "fluid.scalars: 2\n";
    double mass = 1e-9 * 1024; /* a part in 1e9 of all, in one cell of 1024 */
    finds(plane, SL_RHO, mass, "step 10: the total mass went from");
    finds(plane, SL_MX, mass, "momentum along x");
    finds(plane, SL_MZ, -mass, "momentum along z");
    finds(plane, 4, mass, "the total energy");
    finds(plane, 6, mass, "passive scalars");
    finds(PLANE LEVELS, SL_RHO, mass, "the total mass");
    /* rho, m, E, B, psi, faces */
    finds(PLANE "fluid.mhd: ct\nfluid.riemann: hlld\n", 9, 1e-9,
          "the divergence of the magnetic field");
    finds(PLANE "fluid.mhd: ct\nfluid.riemann: hlld\nmesh.boundary: outflow\n", 9, 1e-9,
          "the divergence");
    finds(PLANE "fluid.mhd: glm\nfluid.riemann: hlld\n", 5, mass, "magnetic flux along x");
}

/* Gas goes out, a force pushes, the total energy follows the entropy: nothing of that is an
 * error. */
static void open_boxes(void **unused)
{
    (void)unused;
    finds(PLANE "mesh.boundary: outflow\n", SL_RHO, 1e-6, NULL);
    finds(PLANE "gravity.acceleration: [0, -1, 0]\n", SL_RHO, 1e-6, NULL);
    finds(PLANE "fluid.dual_energy: true\n", 4, 1e-6, NULL);
    finds(PLANE "fluid.eos: isothermal\n", SL_RHO, 0, NULL);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good), cmocka_unit_test(energy_follows), cmocka_unit_test(divergence),
        cmocka_unit_test(bad),  cmocka_unit_test(open_boxes),
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
