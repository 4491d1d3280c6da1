/* gravity.c - laws of a constant acceleration: mass and the sum of total and potential energy are
 * kept between walls, also where cells are repaired, and on levels that stay or move, a gas without
 * neighbours falls as it should, also across edges of levels, and with order two, gas in
 * equilibrium stays at rest but for errors of first order at the walls, the same bits for any ranks
 * and blocks and along any axis.
 *
 * ranks: 2
 * optimised: 1
 */
#include "core/mesh/hierarchy.h"
#include "tests/law.h"

static const char *const integrators[] = {"rk2", "rk3", "vl2", "ctu", "tvd"};
enum { N_INTEGRATORS = sizeof integrators / sizeof *integrators };

static void waves(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double pi = acos(-1), x[3];
    for (int d = 0; d < 3; d++)
        x[d] = pi * 0.5 * (lo[d] + hi[d]);
    prim[0] = 1 + 0.5 * cos(x[0]) * cos(2 * x[1]);
    prim[1] = sin(x[0]);
    prim[2] = 0.5 * sin(x[1]) * cos(x[0]);
    prim[3] = 0;
    prim[4] = x[1] < 1 ? 1 : 0.3;
    prim[SL_PRIM_B + 2] = 0.3; /* along all walls */
}

/* Mass, and total energy with the potential -(g . x) rho, over the leaves of all levels. */
static void sums(const struct sl_sim *sim, double out[2])
{
    out[0] = out[1] = 0;
    for (const struct sl_sim *s = sim; s; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        const double *g = s->state.cfg->gravity_acceleration;
        for (int b = 0; b < m->nleaf; b++)
            for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
                for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
                    for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                        double lo[3], hi[3], down = 0, volume = 1;
                        const sl_real *u =
                            s->state.u + sl_mesh_at(m, s->state.layout.nvar, b, 0, k, j, i);
                        sl_mesh_cell(m, b, k, j, i, lo, hi);
                        for (int d = 0; d < m->dim; d++) {
                            down += g[d] * 0.5 * (lo[d] + hi[d]);
                            volume *= hi[d] - lo[d];
                        }
                        double energy = (double)u[(size_t)s->state.layout.energy * m->block_cells];
                        out[0] += volume * (double)u[0];
                        out[1] += volume * (energy - down * (double)u[0]);
                    }
    }
    MPI_Allreduce(MPI_IN_PLACE, out, 2, MPI_DOUBLE, MPI_SUM, sim->state.mesh->comm);
}

static void conserves(const char *recipe)
{
    struct fluid *f;
    char text[1024];
    double before[2], after[2];
    snprintf(text, sizeof text, "mesh.boundary: symmetric\n%s", recipe);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, text, waves, &f), SL_OK);
    sums(f->sim, before);
    for (int i = 0; i < 60; i++)
        if (sl_sim_step(f->sim, 100) != SL_OK) fail_msg("%s:\n%s", sl_error_text(), recipe);
    sums(f->sim, after);
    for (int v = 0; v < 2; v++)
        if (!(fabs(after[v] - before[v]) < 3e-14 * fabs(before[v])))
            fail_msg("%s changed by %g:\n%s", v ? "energy" : "mass", after[v] / before[v] - 1,
                     recipe);
    fluid_free(f);
}

static void conservation(void **unused)
{
    (void)unused;
    conserves("mesh.cells: [64]\nmesh.block: [16]\ngravity.acceleration: [0.7, 0, 0]\n");
    conserves("mesh.cells: [32, 32]\nmesh.block: [8]\ngravity.acceleration: [0.3, -2, 0]\n");
    conserves("mesh.cells: [32, 32]\nmesh.block: [16]\ngravity.acceleration: [0, -1, 0]\n"
              "fluid.integrator: rk3\nfluid.reconstruct: ppm\n");
    conserves("mesh.cells: [16, 16, 16]\nmesh.block: [8]\ngravity.acceleration: [0.5, 1, -2]\n");
    conserves("mesh.cells: [32, 32]\nmesh.block: [8]\ngravity.acceleration: [0.3, -2, 0]\n"
              "fluid.mhd: glm\nfluid.riemann: hlld\n");
    conserves("mesh.cells: [32, 32]\nmesh.block: [8]\ngravity.acceleration: [0.3, -2, 0]\n"
              "fluid.mhd: ct\nfluid.riemann: hlld\n");
    conserves("mesh.cells: [16, 16, 16]\nmesh.block: [8]\ngravity.acceleration: [0.5, 1, -2]\n"
              "fluid.integrator: vl2\n");
    conserves("mesh.cells: [32, 32]\nmesh.block: [8]\ngravity.acceleration: [0.3, -2, 0]\n"
              "fluid.mhd: ct\nfluid.riemann: hlld\nfluid.integrator: vl2\n");
    conserves("mesh.cells: [64]\nmesh.block: [16]\ngravity.acceleration: [0.7, 0, 0]\n"
              "fluid.integrator: ctu\n");
    conserves("mesh.cells: [32, 32]\nmesh.block: [8]\ngravity.acceleration: [0.3, -2, 0]\n"
              "fluid.integrator: ctu\n");
    conserves("mesh.cells: [32, 32]\nmesh.block: [8]\ngravity.acceleration: [0.3, -2, 0]\n"
              "fluid.mhd: ct\nfluid.riemann: hlld\nfluid.integrator: ctu\n");
    conserves("mesh.cells: [64]\nmesh.block: [16]\ngravity.acceleration: [0.7, 0, 0]\n"
              "fluid.integrator: tvd\n");
    conserves("mesh.cells: [16, 16, 16]\nmesh.block: [8]\ngravity.acceleration: [0.2, 0.5, -1]\n"
              "fluid.integrator: tvd\n");
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* The same without the jump of the pressure. */
static void smooth(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    waves(data, lo, hi, t, prim);
    prim[4] = 1;
}

/* What the energy of gas between walls, with levels that stay or move, changes by, over its
 * size. */
static double changed(const char *mesh, const char *more)
{
    struct fluid *f;
    char text[1024];
    double before[2], after[2];
    snprintf(text, sizeof text,
             "%smesh.block: [8]\nmesh.boundary: symmetric\ntime.levels: each\nmesh.levels: 1\n"
             "mesh.regrid: 4\n%s",
             mesh, more);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, text, smooth, &f), SL_OK);
    sums(f->sim, before);
    int64_t leaves = f->sim->state.hierarchy->nleaf_global, moved = 0;
    while (f->sim->state.time < 0.25) {
        if (sl_sim_step(f->sim, 0.25) != SL_OK) fail_msg("%s", sl_error_text());
        moved += f->sim->state.hierarchy->nleaf_global != leaves;
    }
    assert_true((moved > 0) == (strstr(more, "by: value") != NULL));
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    assert_int_equal(f->sim->state.hierarchy->nlevel, 2);
    assert_true(f->sim->state.hierarchy->count[0] > 0);
    sums(f->sim, after);
    if (!(fabs(after[0] - before[0]) < 1e-13 * before[0]))
        fail_msg("mass changed by %g:\n%s", after[0] / before[0] - 1, text);
    fluid_free(f);
    return fabs(after[1] - before[1]) / fabs(before[1]);
}

/* Mass that passes level edges, or is gathered or spread by a regrid, lies elsewhere than before by
 * less than a cell: the work on it belongs to the energy, too. */
static void energy_on_levels(void **unused)
{
    (void)unused;
    static const char *const plane = "mesh.cells: [32, 32]\ngravity.acceleration: [0.3, -2, 0]\n";
    static const char *const box =
        "mesh.cells: [16, 16, 16]\ngravity.acceleration: [0.3, -2, 0.5]\n";
    static const char *const still = "mesh.refine: [{by: box, lo: [0.3, 0.3], hi: [0.7, 0.7]}]\n";
    static const char *const moving = "mesh.refine: [{by: value, of: density, above: 1.2}]\n";
    static const char *const schemes[] = {
        "", "fluid.integrator: rk3\nfluid.reconstruct: ppm\n", "fluid.integrator: vl2\n",
        "fluid.mhd: glm\nfluid.riemann: hlld\n", "fluid.mhd: ct\nfluid.riemann: hlld\n"};
    for (int i = 0; i < (int)(sizeof schemes / sizeof *schemes); i++)
        for (int move = 0; move < 2; move++) {
            char more[256];
            snprintf(more, sizeof more, "%s%s", move ? moving : still, schemes[i]);
            double most = changed(i == 0 && move ? box : plane, more);
            if (!(most < 1e-13)) fail_msg("energy changed by %g:\n%s", most, more);
        }
}

/* ---- repairs at walls ------------------------------------------------------------------------ */

/* The violent state: mass and energy are kept by the fluxes of first order, too; the hash of its
 * end. */
static uint64_t repaired(MPI_Comm comm, const char *integrator, const char *block)
{
    struct fluid *f;
    char recipe[512];
    double before[2], after[2];
    uint64_t hash = 0;
    snprintf(
        recipe, sizeof recipe,
        "mesh.cells: [16, 16, 16]\nmesh.block: %s\nmesh.boundary: reflecting\n"
        "gravity.acceleration: [2000, -3000, 1000]\nfluid.reconstruct: ppm\nfluid.integrator: %s\n",
        block, integrator);
    assert_int_equal(fluid_new(comm, recipe, law_violent, &f), SL_OK);
    sums(f->sim, before);
    law_advance(f, 6);
    sums(f->sim, after);
    if (!(f->sim->state.cells_repaired > 0)) fail_msg("%s repairs nothing", integrator);
    assert_int_equal(f->sim->state.cells_floored, 0);
    for (int v = 0; v < 2; v++)
        if (!(fabs(after[v] - before[v]) < 1e-13 * fabs(before[v])))
            fail_msg("%s changed by %g with %s", v ? "energy" : "mass", after[v] / before[v] - 1,
                     integrator);
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    fluid_free(f);
    return hash;
}

static void repairs(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_INTEGRATORS; i++) {
        if (strcmp(integrators[i], "ctu") == 0) continue; /* of planes at most */
        uint64_t alone = law_is_first() ? repaired(MPI_COMM_SELF, integrators[i], "[16]") : 0;
        alone = law_of_first(alone);
        assert_true(repaired(MPI_COMM_WORLD, integrators[i], "[8]") == alone);
    }
}

/* ---- ranks ---------------------------------------------------------------------------------- */

static uint64_t hash_of(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[512];
    struct fluid *f;
    uint64_t hash = 0;
    snprintf(text, sizeof text, "%smesh.block: %s\n", recipe, block);
    assert_int_equal(fluid_new(comm, text, waves, &f), SL_OK);
    for (int i = 0; i < 5; i++)
        assert_int_equal(sl_sim_step(f->sim, 100), SL_OK);
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    fluid_free(f);
    return hash;
}

#define BOX                                                                                        \
    "mesh.cells: [16, 16, 16]\nmesh.boundary: [reflecting, periodic, outflow]\n"                   \
    "gravity.acceleration: [0.3, 1, -2]\n"
#define PLANE                                                                                      \
    "mesh.cells: [32, 16]\nmesh.boundary: [outflow, symmetric]\n"                                  \
    "gravity.acceleration: [1, -2, 0]\nfluid.integrator: ctu\n"
static void same_bits(const char *recipe, const char *whole, const char *small, const char *odd)
{
    uint64_t alone = law_of_first(law_is_first() ? hash_of(MPI_COMM_SELF, recipe, whole) : 0);
    assert_true(hash_of(MPI_COMM_WORLD, recipe, small) == alone);
    assert_true(hash_of(MPI_COMM_WORLD, recipe, odd) == alone);
}

static void ranks(void **unused)
{
    (void)unused;
    same_bits(BOX, "[16]", "[8]", "[16, 8, 4]");
    same_bits(BOX "fluid.integrator: tvd\n", "[16]", "[8]", "[16, 8, 4]");
    same_bits(PLANE, "[32, 16]", "[8]", "[16, 4]");
    same_bits(PLANE "fluid.mhd: ct\nfluid.riemann: hlld\n", "[32, 16]", "[8]", "[16, 4]");
}

/* ---- fall ----------------------------------------------------------------------------------- */

static void uniform(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    (void)data, (void)lo, (void)hi, (void)t;
    prim[0] = 2;
    prim[1] = 0.5;
    prim[4] = 1;
}

/* In a periodic box all gas gains the velocity g t and keeps its pressure. */
static void falls_with(const char *integrator)
{
    struct fluid *f;
    char recipe[256];
    snprintf(recipe, sizeof recipe,
             "mesh.cells: [16, 16]\nmesh.block: [8]\ngravity.acceleration: [3, -5, 0]\n"
             "fluid.integrator: %s\n",
             integrator);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, uniform, &f), SL_OK);
    while (f->sim->state.time < 0.5)
        assert_int_equal(sl_sim_step(f->sim, 0.5), SL_OK);
    const struct sl_mesh *m = f->sim->state.mesh;
    for (int b = 0; b < m->nblock; b++) {
        const sl_real *u = f->sim->state.u + sl_mesh_at(m, f->sim->state.layout.nvar, b, 0, m->g[2],
                                                        m->g[1], m->g[0]);
        size_t var = m->block_cells;
        assert_true(fabs((double)u[var] / 2 - (0.5 + 1.5)) < 1e-13);
        assert_true(fabs((double)u[2 * var] / 2 + 2.5) < 1e-13);
        double p = (double)f->sim->state.gas.gamma - 1;
        p *= (double)u[4 * var] - 2 * 0.5 * (2 * 2 + 2.5 * 2.5);
        assert_true(fabs(p - 1) < 1e-12);
    }
    fluid_free(f);
}

/* The largest differences of velocity along x and y and of pressure from what they are in all cells
 * of the exact solution. */
static void off_on_levels(const struct sl_sim *sim, double out[3])
{
    double t = sim->state.time, want[3] = {0.5 + 3 * t, -5 * t, 1};
    out[0] = out[1] = out[2] = 0;
    for (const struct sl_sim *s = sim; s; s = s->finer) {
        const struct sl_mesh *m = s->state.mesh;
        for (int b = 0; b < m->nleaf; b++)
            for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
                for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                    const sl_real *u =
                        s->state.u + sl_mesh_at(m, s->state.layout.nvar, b, 0, m->g[2], j, i);
                    size_t var = m->block_cells;
                    double v[3], rho = (double)u[0];
                    v[0] = (double)u[var] / rho, v[1] = (double)u[2 * var] / rho;
                    v[2] = (double)u[4 * var] - 0.5 * rho * (v[0] * v[0] + v[1] * v[1]);
                    v[2] *= (double)sim->state.gas.gamma - 1;
                    for (int n = 0; n < 3; n++)
                        out[n] = fmax(out[n], fabs(v[n] - want[n]));
                }
    }
    MPI_Allreduce(MPI_IN_PLACE, out, 3, MPI_DOUBLE, MPI_MAX, sim->state.mesh->comm);
}

/* Also across levels with steps of their own: out has differences of velocity over what the longest
 * step adds, and of pressure. */
static void falls_on_levels(const char *integrator, double cfl, double out[3])
{
    struct fluid *f;
    char recipe[512];
    snprintf(recipe, sizeof recipe,
             "mesh.cells: [32, 32]\nmesh.block: [8]\ngravity.acceleration: [3, -5, 0]\n"
             "mesh.levels: 2\nmesh.refine: [{by: sphere, center: [0.4, 0.4], radius: 0.1}]\n"
             "time.levels: each\nfluid.integrator: %s\nfluid.cfl: %g\n",
             integrator, cfl);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, uniform, &f), SL_OK);
    assert_int_equal(f->sim->state.hierarchy->nlevel, 3);
    double step = 0;
    while (f->sim->state.time < 0.1) {
        double from = f->sim->state.time;
        assert_int_equal(sl_sim_step(f->sim, 0.1), SL_OK);
        step = fmax(step, f->sim->state.time - from);
    }
    assert_int_equal(sl_sim_pull(f->sim), SL_OK);
    off_on_levels(f->sim, out);
    for (int d = 0; d < 2; d++)
        out[d] /= hypot(3, 5) * step;
    fluid_free(f);
}

/* Velocities within 1e-2 of what the longest step adds; the limit of the pressure and the ratio of
 * 0.6 are our own. */
static void falls_across_edges(void **unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) { /* rk2, rk3, vl2 */
        double coarse[3], fine[3];
        falls_on_levels(integrators[i], 0.4, coarse);
        falls_on_levels(integrators[i], 0.2, fine);
        for (int n = 0; n < 3; n++)
            if (!(coarse[n] < (n < 2 ? 0.01 : 5e-4) && fine[n] < 0.6 * coarse[n]))
                fail_msg("%s, %s: off by %g, with half the step %g", integrators[i],
                         n < 2 ? "velocity" : "pressure", coarse[n], fine[n]);
    }
}

static void falls_freely(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_INTEGRATORS; i++)
        falls_with(integrators[i]);
}

/* ---- order ---------------------------------------------------------------------------------- */

static void hump(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    prim[0] = 1 + 0.3 * cos(acos(-1) * (lo[0] + hi[0]));
    prim[4] = 1;
}

/* The density of n cells at t = 1. */
static void hump_after(const char *integrator, int n, double g, double *rho)
{
    struct fluid *f;
    char recipe[256];
    snprintf(recipe, sizeof recipe,
             "mesh.cells: [%d]\nmesh.block: [8]\ngravity.acceleration: [%g, 0, 0]\n"
             "fluid.integrator: %s\nfluid.limiter: vanleer\n",
             n, g, integrator);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, hump, &f), SL_OK);
    while (f->sim->state.time < 1)
        assert_int_equal(sl_sim_step(f->sim, 1), SL_OK);
    const struct sl_mesh *m = f->sim->state.mesh;
    memset(rho, 0, (size_t)n * sizeof *rho);
    for (int b = 0; b < m->nblock; b++)
        for (int i = 0; i < m->n[0]; i++)
            rho[m->blocks[b].at[0] * m->n[0] + i] = (double)f->sim->state.u[sl_mesh_at(
                m, f->sim->state.layout.nvar, b, 0, m->g[2], m->g[1], m->g[0] + i)];
    MPI_Allreduce(MPI_IN_PLACE, rho, n, MPI_DOUBLE, MPI_SUM, m->comm);
    fluid_free(f);
}

/* Gas that has fallen once through a periodic box is what it is without gravity: L1 of the
 * difference. */
static double fallen(const char *integrator, int n)
{
    double *rho = malloc(2 * (size_t)n * sizeof *rho), off = 0;
    assert_non_null(rho);
    hump_after(integrator, n, 0, rho);
    hump_after(integrator, n, 2, rho + n);
    for (int i = 0; i < n; i++)
        off += fabs(rho[n + i] - rho[i]) / n;
    free(rho);
    return off;
}

static void order(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_INTEGRATORS; i++) {
        double coarse = fallen(integrators[i], 64), fine = fallen(integrators[i], 128);
        if (!(fine < 0.28 * coarse))
            fail_msg("%s: %g with 64 cells, %g with 128", integrators[i], coarse, fine);
    }
}

/* ---- rest ----------------------------------------------------------------------------------- */

/* Gas of temperature 1 in equilibrium with an acceleration of -2 along x: rho = exp(-2 x). */
static void atmosphere(const void *data, const double lo[3], const double hi[3], double t,
                       double *prim)
{
    (void)data, (void)t;
    prim[0] = prim[4] = (exp(-2 * lo[0]) - exp(-2 * hi[0])) / (2 * (hi[0] - lo[0]));
}

/* Largest velocity between walls at t = 1; first order, as the mirror image is not in
 * equilibrium. */
static double stirred(const char *integrator, int n)
{
    struct fluid *f;
    double most = 0;
    char recipe[256];
    snprintf(recipe, sizeof recipe,
             "mesh.cells: [%d]\nmesh.block: [8]\nmesh.boundary: reflecting\n"
             "gravity.acceleration: [-2, 0, 0]\nfluid.integrator: %s\n",
             n, integrator);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, atmosphere, &f), SL_OK);
    while (f->sim->state.time < 1)
        assert_int_equal(sl_sim_step(f->sim, 1), SL_OK);
    const struct sl_mesh *m = f->sim->state.mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
            const sl_real *u = f->sim->state.u +
                               sl_mesh_at(m, f->sim->state.layout.nvar, b, 0, m->g[2], m->g[1], i);
            most = fmax(most, fabs((double)(u[m->block_cells] / u[0])));
        }
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, m->comm);
    fluid_free(f);
    return most;
}

static void rest(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_INTEGRATORS; i++) {
        double coarse = stirred(integrators[i], 32), fine = stirred(integrators[i], 128);
        print_message("%s: %.3g %.3g\n", integrators[i], coarse, fine);
        if (!(fine < 0.3 * coarse && coarse < 0.03))
            fail_msg("%s: %g with 32 cells, %g with 128", integrators[i], coarse, fine);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conservation), cmocka_unit_test(energy_on_levels),
        cmocka_unit_test(repairs),      cmocka_unit_test(ranks),
        cmocka_unit_test(falls_freely), cmocka_unit_test(falls_across_edges),
        cmocka_unit_test(order),        cmocka_unit_test(rest),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
