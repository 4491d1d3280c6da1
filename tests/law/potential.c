/* potential.c - gas in an external potential: it falls as in the field of a plane, cold gas runs
 * through a Plummer sphere as the paths of its parcels say, to second order; energy of the gas and
 * potential energy keep their sum to second order, on levels, too; a kick brings no heat, one that
 * is tried again acts once; haloes pull as their masses do, and a table of one as the halo, to
 * third order in the distance of its rows; the same bits for any ranks, blocks and restarts; what
 * is refused. Atmospheres at rest and swinging are rows of `sluice verify`
 * (pipeline/suite/suite.def).
 *
 * ranks: 2
 * optimised: 1
 */
#include "core/cell/potential.h"
#include "core/cosmo/potential_table.h"
#include "core/run/totals.h"
#include "core/step/source.h"
#include "tests/law_source.h"
#include "tests/lumps.h"

#define POINT "potential: {kind: point, strength: 0.4, softening: 0.25, center: [0.4, 0.6, 0.5]}\n"
#define LEVELS                                                                                     \
    "mesh.levels: 1\nmesh.regrid: 2\nmesh.refine: [{by: gradient, of: density, above: 0.4}]\n"
#define EACH LEVELS "time.levels: each\n"

static void uniform(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    (void)data, (void)lo, (void)hi, (void)t;
    prim[0] = 2;
    prim[4] = 1;
}

static struct fluid *held(MPI_Comm comm, const char *recipe, fluid_state *state)
{
    struct fluid *f;
    assert_int_equal(fluid_new(comm, recipe, state, &f), SL_OK);
    assert_non_null(sl_sources_find(f->sim, "potential"));
    return f;
}

static void until(struct fluid *f, double end)
{
    while (f->sim->state.time < end)
        if (sl_sim_step(f->sim, end) != SL_OK) fail_msg("%s", sl_error_text());
}

/* ---- paths ---------------------------------------------------------------------------------- */

/* Far from a plane all gas falls with k t, and stays as it is otherwise. */
static void fall(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {
        "mesh.cells: [32]\npotential.center: [-5, 0, 0]\n",
        "mesh.cells: [16, 16]\npotential.center: [0, -3, 0]\npotential.axis: y\n"
        "fluid.integrator: vl2\n",
        "mesh.cells: [8, 8, 8]\npotential.center: [0, 0, -2]\npotential.axis: z\n"
        "fluid.eos: isothermal\n"};
    for (int axis = 0; axis < 3; axis++) {
        char text[512];
        double sum[SL_MAX_VAR];
        snprintf(text, sizeof text,
                 "%smesh.block: [8]\nmesh.boundary: outflow\n"
                 "potential: {kind: plane, strength: 0.7}\n",
                 recipes[axis]);
        struct fluid *f = held(MPI_COMM_WORLD, text, uniform);
        until(f, 0.3);
        law_sums(f->sim, sum);
        for (int d = 0; d < 3; d++)
            if (!(fabs(sum[SL_MX + d] / sum[0] + (d == axis ? 0.7 * 0.3 : 0)) < 1e-13))
                fail_msg("velocity %.15g along %d:\n%s", sum[SL_MX + d] / sum[0], d, text);
        if (axis < 2) assert_true(fabs(law_totals(f).pressure_min - 1) < 1e-12);
        fluid_free(f);
    }
}

/* A wave of cold gas at rest. */
static double cold_density(double q)
{
    return 1 + 0.5 * cos(acos(-1) * q);
}
static void cold(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double pi = acos(-1), dx = hi[0] - lo[0];
    (void)data, (void)t;
    prim[0] = 1 + 0.5 * (sin(pi * hi[0]) - sin(pi * lo[0])) / (pi * dx);
    prim[4] = 1e-10;
}

/* Path of a parcel from rest at q in -0.4 / sqrt(x^2 + 0.09), and how far a neighbour gets away
 * from it. */
static void path(double q, double end, double *x, double *v, double *stretch)
{
    enum { STEPS = 200 };
    double y[4] = {q, 0, 1, 0}, h = end / STEPS;
    for (int n = 0; n < STEPS; n++) {
        static const double part[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
        double k[4] = {0}, sum[4] = {0};
        for (int s = 0; s < 4; s++) {
            double at[4];
            for (int i = 0; i < 4; i++)
                at[i] = y[i] + part[s] * h * k[i];
            double r2 = at[0] * at[0] + 0.09, cube = r2 * sqrt(r2);
            k[0] = at[1];
            k[1] = -0.4 * at[0] / cube;
            k[2] = at[3];
            k[3] = -0.4 * at[2] * (1 / cube - 3 * at[0] * at[0] / (cube * r2));
            for (int i = 0; i < 4; i++)
                sum[i] += weight[s] * k[i];
        }
        for (int i = 0; i < 4; i++)
            y[i] += h / 6 * sum[i];
    }
    *x = y[0], *v = y[1], *stretch = y[2];
}

/* Where the parcel that is at x now began: paths keep their order. */
static double origin(double x, double end)
{
    double low = x - 0.5, high = x + 0.5, at, v, stretch;
    for (int i = 0; i < 60; i++) {
        double q = 0.5 * (low + high);
        path(q, end, &at, &v, &stretch);
        if (at < x)
            low = q;
        else
            high = q;
    }
    return 0.5 * (low + high);
}

/* Mean error of density and velocity in a box of -1 .. 1: beside the peak in the middle, which
 * limiters clip, and its faces. */
static double cold_error(int cells)
{
    char text[512];
    double sum[2] = {0}, end = 0.2;
    snprintf(text, sizeof text,
             "mesh: {cells: [%d], block: [16], box: [[-1, 1]]}\nfluid.limiter: mc\n"
             "fluid.integrator: vl2\nfluid.dual_energy: true\n"
             "potential: {kind: point, strength: 0.4, softening: 0.3, center: [0, 0, 0]}\n",
             cells);
    struct fluid *f = held(MPI_COMM_WORLD, text, cold);
    until(f, end);
    const struct sl_mesh *m = f->sim->state.mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int i = 0; i < m->n[0]; i++) {
            size_t at = sl_mesh_at(m, f->sim->state.layout.nvar, b, 0, 0, 0, i + m->g[0]);
            double x = -1 + ((double)m->blocks[b].at[0] * m->n[0] + i + 0.5) * 2 / cells, v, s, y;
            if (fabs(x) < 0.1 || fabs(x) > 0.6) continue;
            double q = origin(x, end);
            path(q, end, &y, &v, &s);
            double rho = (double)f->sim->state.u[at];
            sum[0] += fabs(rho - cold_density(q) / s) / cells;
            sum[1] += fabs((double)f->sim->state.u[at + SL_MX * m->block_cells] / rho - v) / cells;
        }
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, m->comm);
    fluid_free(f);
    return sum[0] + sum[1];
}

static void parcels(void **unused)
{
    (void)unused;
    double coarse = cold_error(64), fine = cold_error(128), finest = cold_error(256);
    if (!(finest < 2e-4 && coarse / fine > 3 && fine / finest > 3))
        fail_msg("errors %g, %g and %g", coarse, fine, finest);
}

/* ---- energy --------------------------------------------------------------------------------- */

/* How far the energies come apart in a fixed time, over what the potential gave. */
static double drift(int cells, const char *more)
{
    char text[512];
    snprintf(text, sizeof text,
             "mesh.cells: [%d, %d]\nmesh.block: [8]\nfluid.limiter: mc\n" POINT "%s", cells, cells,
             more);
    struct fluid *f = held(MPI_COMM_WORLD, text, lumps_in_plane);
    struct sl_totals a = law_totals(f), b;
    double before = sl_history_source(&f->sim->state, &a, "energy_external");
    until(f, 0.2);
    b = law_totals(f);
    double given = before - sl_history_source(&f->sim->state, &b, "energy_external");
    assert_true(fabs(given) > 0.01);
    assert_true(fabs(a.mass - b.mass) < 1e-14);
    fluid_free(f);
    return fabs(b.energy_total - a.energy_total - given) / fabs(given);
}

static void energy(void **unused)
{
    (void)unused;
    static const char *const more[] = {"", "fluid.integrator: ctu\n"};
    for (int i = 0; i < 2; i++) {
        double coarse = drift(32, more[i]), fine = drift(64, more[i]), levels = drift(32, EACH);
        if (!(fine < 4e-3 && coarse / fine > 3 && levels < 0.6 * coarse))
            fail_msg("energies drift apart by %g and %g, on levels by %g:\n%s", coarse, fine,
                     levels, more[i]);
    }
}

/* ---- kicks ---------------------------------------------------------------------------------- */

static void no_heat(const char *recipe)
{
    char text[512];
    snprintf(text, sizeof text, "%s" POINT, recipe);
    struct fluid *f = held(MPI_COMM_WORLD, text, lumps_in_plane);
    struct sl_totals a = law_totals(f), b;
    assert_int_equal(sl_sources_open(f->sim, 0.3), SL_OK);
    assert_int_equal(sl_sources_open(f->sim, 0.05), SL_OK);
    b = law_totals(f);
    assert_true(fabs(b.energy_kinetic / a.energy_kinetic - 1) > 1e-5);
    assert_true(fabs(b.energy_thermal / a.energy_thermal - 1) < 1e-13);
    assert_int_equal(sl_sources_open(f->sim, 0), SL_OK);
    assert_true(fabs(law_totals(f).energy_kinetic / a.energy_kinetic - 1) < 1e-13);
    fluid_free(f);
}

static void kicks(void **unused)
{
    (void)unused;
    no_heat("mesh.cells: [32, 32]\nmesh.block: [8]\n");
    no_heat("mesh.cells: [32, 32]\nmesh.block: [8]\nfluid.dual_energy: true\n");
    no_heat("mesh.cells: [16, 16, 16]\nmesh.block: [8]\nfluid.mhd: ct\nfluid.riemann: hlld\n");
    no_heat("mesh.cells: [32, 32]\nmesh.block: [8]\n" LEVELS);
}

/* Cold gas falls through no more than cfl of a cell in a step: of all cells that at s / sqrt(2)
 * decides. */
static void limit(void **unused)
{
    (void)unused;
    static const char recipe[] =
        "mesh: {cells: [256], block: [32], box: [[-1, 1]]}\nfluid.cfl: 0.3\n"
        "potential: {kind: point, strength: 0.4, softening: 0.3, center: [0, 0, 0]}\n";
    struct fluid *f = held(MPI_COMM_WORLD, recipe, cold);
    double g = 0.4 / (0.3 * 0.3) * 2 / pow(3, 1.5), want = sqrt(0.3 * 2 / (256 * g));
    if (!(fabs(f->sim->state.dt / want - 1) < 0.01))
        fail_msg("a step of %g, not of %g", f->sim->state.dt, want);
    fluid_free(f);
}

/* ---- bits ----------------------------------------------------------------------------------- */

static struct fluid *run(MPI_Comm comm, const char *recipe, const char *block)
{
    char text[1024];
    snprintf(text, sizeof text, "%s" POINT "mesh.block: %s\n", recipe, block);
    struct fluid *f = held(comm, text, lumps_in_plane);
    law_advance(f, 6);
    return f;
}

static void bits(void **unused)
{
    (void)unused;
    static const char *const square[] = {"[32]", "[16]", "[8, 16]", NULL};
    static const char *const cube[] = {"[16]", "[8]", "[8, 4, 16]", NULL};
    static const char *const levels[] = {"[8]", NULL};
    law_same(run, "mesh.cells: [32, 32]\nfluid.dual_energy: true\n", "[32]", square);
    law_same(run, "mesh.cells: [16, 16, 16]\nfluid.mhd: glm\nfluid.riemann: hlld\n", "[16]", cube);
    law_same(run, "mesh.cells: [32, 32]\n" EACH, "[8]", levels);
}

static void restarts(void **unused)
{
    (void)unused;
    static const char *const recipes[] = {"mesh.cells: [32, 32]\n", "mesh.cells: [32, 32]\n" EACH};
    for (int i = 0; i < 2; i++)
        law_restarts(run, recipes[i], "[8]", "potential");
}

/* ---- haloes --------------------------------------------------------------------------------- */

/* Acceleration towards the centre: G times the mass within r, over r^2. */
static double pull_of(int kind, double k, double s, double r)
{
    if (kind == SL_POTENTIAL_nfw) return k * (log1p(r / s) - r / (r + s)) / (r * r);
    if (kind == SL_POTENTIAL_hernquist) return k / ((r + s) * (r + s));
    return k * r / (r * r + s * s);
}

/* Their potentials pull as their masses do, and have their depth at the centre. */
static void haloes(void **unused)
{
    (void)unused;
    static const int kinds[] = {SL_POTENTIAL_nfw, SL_POTENTIAL_hernquist, SL_POTENTIAL_logarithmic};
    const double k = 1.7, s = 0.3, h = 1e-5;
    for (int i = 0; i < 3; i++) {
        struct sl_potential p = {.kind = kinds[i], .dim = 3, .strength = k, .softening = s};
        for (double r = 0.01; r < 30; r *= 1.3) {
            const double in[3] = {0, (r - h) * 0.6, (r - h) * 0.8},
                         out[3] = {0, (r + h) * 0.6, (r + h) * 0.8};
            double pull =
                (sl_potential_at(&p, NULL, out) - sl_potential_at(&p, NULL, in)) / (2 * h);
            double want = pull_of(kinds[i], k, s, r);
            if (!(fabs(pull / want - 1) < 1e-6))
                fail_msg("kind %d at %g: %.12g, not %.12g", kinds[i], r, pull, want);
        }
        double depth = sl_potential_at(&p, NULL, (const double[3]){0, 0, 0});
        assert_true(fabs(depth - (i < 2 ? -k / s : k * log(s))) < 1e-14 * k / s);
    }
}

/* ---- tables --------------------------------------------------------------------------------- */

/* n rows of Hernquist's potential, or its acceleration, from r = 0.01 to 10, which n - 1 steps of
 * the same ratio part; first: -1: one at 0 before them. */
static void hernquist_rows(char *text, size_t size, int first, int n, bool pulls)
{
    size_t at = 0;
    for (int i = first; i < n; i++) {
        double r = i < 0 ? 0 : 0.01 * pow(1000, (double)i / (n - 1));
        at += (size_t)snprintf(text + at, size - at, "%.17g %.17g\n", r,
                               pulls ? 1 / pow(r + 0.3, 2) : -1 / (r + 0.3));
    }
}

/* The largest error of the acceleration between the rows, over that at the centre. */
static double table_error(int n, bool pulls)
{
    static char text[1 << 16];
    struct sl_potential_table t;
    double worst = 0, h = 1e-6;
    hernquist_rows(text, sizeof text, 0, n, pulls);
    assert_int_equal(sl_potential_table_parse("it", text, strlen(text), pulls, &t), SL_OK);
    struct sl_potential p = {.kind = SL_POTENTIAL_table, .dim = 1, .strength = 2, .n = t.n};
    for (double r = 0.0101; r < 9.9; r *= 1.01) {
        double pull = (sl_potential_at(&p, t.row, (const double[3]){r + h, 0, 0}) -
                       sl_potential_at(&p, t.row, (const double[3]){r - h, 0, 0})) /
                      (2 * h);
        worst = fmax(worst, fabs(pull - 2 * pull_of(SL_POTENTIAL_hernquist, 1, 0.3, r)));
    }
    sl_potential_table_release(&t);
    return worst * 0.09 / 2;
}

static void rows(void **unused)
{
    (void)unused;
    for (int pulls = 0; pulls < 2; pulls++) {
        double coarse = table_error(40, pulls), fine = table_error(80, pulls);
        double order = log2(coarse / fine);
        if (!(fine < 1e-5 && order > 2.7))
            fail_msg("%s: off by %g, order %g", pulls ? "g" : "phi", fine, order);
    }
}

/* A row or two of it: beyond the last it is that of a point, below the first a uniform sphere's;
 * slopes are continuous there. */
static void beyond(void **unused)
{
    (void)unused;
    static const char text[] = "# r g\n1 3\n2 2\n3 1.25\n4 0.75\n";
    struct sl_potential_table t;
    assert_int_equal(sl_potential_table_parse("it", text, strlen(text), true, &t), SL_OK);
    struct sl_potential p = {.kind = SL_POTENTIAL_table, .dim = 3, .strength = 1, .n = t.n};
    const double h = 1e-6, at[] = {0, 0.5, 1, 2, 4, 8, 16},
                 want[] = {0, 1.5, 3, 2, 0.75, 0.75 / 4, 0.75 / 16};
    for (int i = 0; i < 7; i++) {
        double pull = (sl_potential_at(&p, t.row, (const double[3]){0, at[i] + h, 0}) -
                       sl_potential_at(&p, t.row, (const double[3]){0, at[i] - h, 0})) /
                      (2 * h);
        if (!(fabs(pull - want[i]) < 1e-5)) fail_msg("at %g: %g, not %g", at[i], pull, want[i]);
    }
    assert_true(fabs(sl_potential_at(&p, t.row, (const double[3]){0, 1e6, 0}) + 12e-6) < 1e-9);
    sl_potential_table_release(&t);
}

/* Gas of one temperature at rest in the halo. */
static void settled(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    double r2 = 0;
    (void)data, (void)t;
    for (int d = 0; d < 2; d++)
        r2 += pow(0.5 * (lo[d] + hi[d]) - 0.5, 2);
    prim[0] = prim[4] = exp(1 / (sqrt(r2) + 0.3) - 1 / 0.3);
}

static struct fluid *settle(const char *potential)
{
    char text[600];
    snprintf(text, sizeof text,
             "mesh: {cells: [32, 32], block: [8], boundary: reflecting}\npotential: {center: [0.5, "
             "0.5, 0.5], strength: 1, %s}\n",
             potential);
    struct fluid *f = held(MPI_COMM_WORLD, text, settled);
    until(f, 0.3);
    return f;
}

/* Gas stays at rest in a table as in the halo that it is of, but for the error of its rows. */
static void at_rest(void **unused)
{
    (void)unused;
    static char text[1 << 16], what[300];
    char dir[256];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, "potential");
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    struct sl_totals halo, table;
    struct fluid *f = settle("kind: hernquist, softening: 0.3");
    halo = law_totals(f);
    fluid_free(f);
    for (int pulls = 0; pulls < 2; pulls++) {
        char path[300];
        snprintf(path, sizeof path, "%s/table", dir);
        hernquist_rows(text, sizeof text, -1, 400, pulls);
        FILE *out = rank == 0 ? fopen(path, "w") : NULL;
        if (out) fputs(text, out), fclose(out);
        MPI_Barrier(MPI_COMM_WORLD);
        snprintf(what, sizeof what, "kind: table, table: %s, values: %s", path,
                 pulls ? "acceleration" : "potential");
        f = settle(what);
        table = law_totals(f);
        fluid_free(f);
        if (!(fabs(table.energy_kinetic / halo.energy_kinetic - 1) < 1e-3))
            fail_msg("kinetic energy %g, in the halo %g", table.energy_kinetic,
                     halo.energy_kinetic);
        if (!(table.energy_kinetic < 1e-3 * table.energy_thermal))
            fail_msg("kinetic energy %g of gas at rest with %g", table.energy_kinetic,
                     table.energy_thermal);
        if (!pulls) assert_true(fabs(table.source[0] / halo.source[0] - 1) < 1e-5);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0) scratch_remove(dir);
}

static void wrong(const char *text, const char *what)
{
    struct sl_potential_table t;
    assert_int_equal(sl_potential_table_parse("it", text, strlen(text), false, &t), SL_EINPUT);
    if (!strstr(sl_error_text(), what)) fail_msg("%s: %s", what, sl_error_text());
}

static void wrong_rows(void **unused)
{
    (void)unused;
    wrong("1\n2\n3\n4\n", "it:1: one column");
    wrong("1 1\n2 2\n3 3\n", "it: 3 rows; nearest: 4");
    wrong("# r phi\n1 1\n2 2\n2 3\n4 4\n", "it:4: r = 2, after 2");
    wrong("-1 1\n2 2\n3 3\n4 4\n", "it:1: r = -1 is below 0");
    wrong("1 1\n2 x\n", "it:2: x is not a number");
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void refused(const char *recipe, const char *what)
{
    law_refused(recipe, uniform, what);
}

static void nonsense(void **unused)
{
    (void)unused;
    refused("potential.kind: harmonic\n", "potential.strength: 0: a potential");
    refused("potential: {kind: point, strength: 1}\n", "nearest: a cell, 0.0625");
    refused("potential: {kind: plane, strength: 1, axis: y}\n", "nearest: x");
    refused("potential: {kind: nfw, strength: 1}\n", "has a scale radius; nearest: 1");
    refused("potential: {kind: logarithmic, strength: 1}\n", "nearest: a cell, 0.0625");
    refused("potential: {kind: table, strength: 1}\n", "needs a file of r and phi");
    refused("potential: {kind: point, strength: 1, softening: 1, table: x}\n", "nearest: table");
    refused("potential: {kind: sphere, strength: 1}\n", "none of none, point");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fall),     cmocka_unit_test(parcels), cmocka_unit_test(energy),
        cmocka_unit_test(kicks),    cmocka_unit_test(limit),   cmocka_unit_test(bits),
        cmocka_unit_test(restarts), cmocka_unit_test(haloes),  cmocka_unit_test(rows),
        cmocka_unit_test(beyond),   cmocka_unit_test(at_rest), cmocka_unit_test(wrong_rows),
        cmocka_unit_test(nonsense),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
