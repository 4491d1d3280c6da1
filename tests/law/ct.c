/* ct.c - laws of constrained transport: div B stays at round-off after every step, for any ranks
 * and blocks, any boundaries and where fluxes are replaced; a stop changes no bit; rounding errors
 * stay small in gas at rest; a field with a divergence is refused, one that jumps across an oblique
 * diaphragm has none.
 *
 * ranks: 3
 * optimised: 1 2
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/cell/ct.h"
#include "core/io/checkpoint.h"
#include "core/io/history.h"
#include "core/run/restore.h"
#include "core/run/totals.h"
#include "core/sys/file.h"
#include "tests/fluid.h"

static double strength = 1; /* of the velocity */

/* Each component of the field varies along the other axes only: no divergence, and fluxes
 * everywhere. */
static void knot(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double twopi = 2 * acos(-1), x[3];
    for (int d = 0; d < 3; d++)
        x[d] = twopi * 0.5 * (lo[d] + hi[d]);
    prim[0] = 1 + 0.5 * sin(x[0] + x[1]) * cos(x[2]);
    prim[1] = strength * (0.3 + sin(x[0] + x[1]));
    prim[2] = strength * (0.2 + cos(x[2] - x[0]));
    prim[3] = strength * (0.1 + sin(x[1]));
    prim[4] = x[0] < 3 ? 1 : 0.2;
    prim[SL_PRIM_B] = 0.4 + 0.5 * sin(x[1] + x[2]);
    prim[SL_PRIM_B + 1] = 0.3 - 0.5 * sin(2 * x[0]) * cos(x[2]);
    prim[SL_PRIM_B + 2] = -0.2 + 0.3 * cos(x[0] + x[1]);
}

static struct fluid *start(const char *recipe)
{
    struct fluid *f;
    char text[2048];
    snprintf(text, sizeof text, "fluid.mhd: ct\n%s", recipe);
    assert_int_equal(fluid_new(MPI_COMM_WORLD, text, knot, &f), SL_OK);
    return f;
}

/* Advances and looks at div B after every step, in units of the field over a cell. Number of cells
 * repaired. */
static int64_t stays(int steps, const char *recipe)
{
    struct fluid *f = start(recipe);
    struct sl_totals t;
    for (int i = 0; i < steps; i++) {
        if (sl_sim_step(f->sim, 10) != SL_OK) fail_msg("%s:\n%s", sl_error_text(), recipe);
        assert_int_equal(sl_run_totals(f->sim, &t), SL_OK);
        double share =
            t.divergence_max * f->sim->state.mesh->spec.hi[0] / f->sim->state.mesh->spec.cells[0];
        if (!(share < 2e-14 * sqrt(i + 10)))
            fail_msg("div B is %g after step %d:\n%s", share, i + 1, recipe);
    }
    int64_t repaired = f->sim->state.cells_repaired;
    fluid_free(f);
    return repaired;
}

#define PLANE "mesh.cells: [32, 32]\n"
#define CUBE  "mesh.cells: [16, 16, 16]\n"

static void divergence(void **unused)
{
    (void)unused;
    stays(20, "mesh.cells: [32]\nmesh.block: [8]\nfluid.riemann: hlld\n");
    stays(20, PLANE "mesh.block: [8]\nfluid.riemann: hlld\n");
    stays(20, PLANE "mesh.block: [32]\nfluid.riemann: roe\nfluid.integrator: vl2\n");
    stays(20, PLANE "mesh.block: [16]\nfluid.riemann: llf\nfluid.eos: isothermal\n");
    stays(20, PLANE "mesh.block: [16]\nfluid.riemann: hlle\nfluid.reconstruct: wenoz\n"
                    "fluid.integrator: rk3\nmesh.boundary: [outflow, symmetric]\n");
    stays(10, CUBE "mesh.block: [8]\nfluid.riemann: hlld\n");
    stays(10, CUBE "mesh.block: [8, 4, 16]\nfluid.riemann: hlld\nfluid.reconstruct: ppm\n"
                   "fluid.integrator: rk3\n");
    stays(10, CUBE "mesh.block: [8]\nfluid.riemann: roe\nfluid.integrator: vl2\n"
                   "mesh.boundary: [fixed, outflow, symmetric]\n");
}

static void repairs(void **unused)
{
    (void)unused;
    strength = 8;
    int64_t n = stays(40, PLANE "mesh.block: [8]\nfluid.riemann: hlld\nfluid.reconstruct: ppm\n");
    n += stays(20, CUBE "mesh.block: [8]\nfluid.riemann: roe\nfluid.reconstruct: wenoz\n");
    strength = 1;
    assert_true(n > 0);
}

/* ---- restart -------------------------------------------------------------------------------- */

static uint64_t hash_after(struct fluid *f, int steps)
{
    uint64_t hash = 0;
    for (int i = 0; i < steps; i++)
        assert_int_equal(sl_sim_step(f->sim, 10), SL_OK);
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    return hash;
}

static void restarts(const char *recipe)
{
    char dir[64] = "/tmp/sluice-ct-XXXXXX";
    int64_t seq = -1;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) assert_non_null(mkdtemp(dir));
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    struct fluid *whole = start(recipe), *first = start(recipe), *second = start(recipe);
    uint64_t want = hash_after(whole, 12);
    hash_after(first, 6);
    if (sl_checkpoint_write(&first->sim->state, dir, 2, &seq) != SL_OK)
        fail_msg("%s", sl_error_text());
    assert_int_equal(sl_sim_restore(second->sim, dir, &seq), SL_OK);
    assert_int_equal(second->sim->state.step, 6);
    if (hash_after(second, 6) != want) fail_msg("a stop changed bits:\n%s", recipe);
    fluid_free(whole);
    fluid_free(first);
    fluid_free(second);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0) return;
    char set[128];
    snprintf(set, sizeof set, "%s/ckpt.000000", dir);
    assert_int_equal(sl_remove_dir(set), SL_OK);
    assert_int_equal(sl_remove_dir(dir), SL_OK);
}

static void restart(void **unused)
{
    (void)unused;
    restarts(PLANE "mesh.block: [8]\nfluid.riemann: hlld\n");
    restarts(PLANE "mesh.block: [16]\nfluid.riemann: roe\nmesh.boundary: outflow\n");
    restarts(CUBE "mesh.block: [8]\nfluid.riemann: hlld\nfluid.integrator: vl2\n"
                  "mesh.boundary: [outflow, symmetric, periodic]\n");
}

/* ---- rest ----------------------------------------------------------------------------------- */

static double noise; /* relative, of the pressure */

/* A pulse that bursts about the middle of a face, which no gas crosses. */
static void pulse(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double x = 0.5 * (lo[0] + hi[0]), y = 0.5 * (lo[1] + hi[1]);
    prim[0] = 1;
    prim[4] = (1 + 99 * exp(-32 * (x * x + y * y))) * (1 + noise * sin(1e4 * x + 1e5 * y));
    prim[SL_PRIM_B] = prim[SL_PRIM_B + 1] = 7;
}

/* Rounding errors decide nothing where the gas is at rest: the field differs by no more than they
 * do. */
static void rest_with(const char *recipe)
{
    struct fluid *f[2];
    double most = 0;
    for (int i = 0; i < 2; i++) {
        noise = i * 1e-15;
        assert_int_equal(fluid_new(MPI_COMM_WORLD, recipe, pulse, &f[i]), SL_OK);
        for (int n = 0; n < 4; n++)
            assert_int_equal(sl_sim_step(f[i]->sim, 10), SL_OK);
    }
    const struct sl_sim *a = f[0]->sim, *b = f[1]->sim;
    for (int block = 0; block < a->state.mesh->nblock; block++)
        for (int j = 0; j < a->state.mesh->n[1]; j++)
            for (int i = 0; i < a->state.mesh->n[0]; i++) {
                size_t at =
                    sl_mesh_at(a->state.mesh, a->state.layout.nvar, block, a->state.layout.magnetic,
                               0, j + a->state.mesh->g[1], i + a->state.mesh->g[0]);
                most = fmax(most, fabs((double)(a->state.u[at] - b->state.u[at])));
            }
    if (!(most < 1e-12)) fail_msg("noise of 1e-15 changes B_x by %g:\n%s", most, recipe);
    for (int i = 0; i < 2; i++)
        fluid_free(f[i]);
}

#define ODD                                                                                        \
    "fluid.mhd: ct\nfluid.limiter: mc\nmesh.cells: [33, 32]\nmesh.block: [11, 8]\n"                \
    "mesh.box: [[-33/64, 33/64], [-1/2, 1/2]]\n"

static void rest(void **unused)
{
    (void)unused;
    rest_with(ODD "fluid.riemann: roe\nfluid.integrator: ctu\n");
    rest_with(ODD "fluid.riemann: hlld\n");
    rest_with(ODD "fluid.riemann: hlld\nfluid.integrator: vl2\n");
}

/* ---- refusal -------------------------------------------------------------------------------- */

static void peak(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    knot(data, lo, hi, t, prim);
    prim[SL_PRIM_B] += 0.01 * sin(2 * acos(-1) * (lo[0] + hi[0]));
}

static void refused(void **unused)
{
    (void)unused;
    struct fluid *f;
    assert_int_equal(
        fluid_new(MPI_COMM_WORLD, "fluid.mhd: ct\nfluid.riemann: hlld\n" PLANE, peak, &f),
        SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "nearest: glm"));
}

/* ---- an oblique diaphragm -------------------------------------------------------------------- */

enum { CELLS = 16 };

/* How far the field of a cell, beside a diaphragm with the normal n, is from that of its side. */
static double off_side(const sl_real *field, size_t var, const double n[3], int right)
{
    double along = 0, square = 0;
    for (int d = 0; d < 3; d++) {
        double b = (double)field[(size_t)d * var];
        along += b * n[d] / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        square += b * b;
    }
    double want = right ? 1 + 0.5 * 0.5 + 0.6 * 0.6 : 1 + 1 + 0.4 * 0.4;
    return fmax(fabs(along - 1), fabs(square - want));
}

/* The most of a level, where no cell beside the diaphragm is near. */
static double off_sides(const struct sl_state *state, const double n[3], double x0)
{
    const struct sl_mesh *m = state->mesh;
    double most = 0;
    for (int b = 0; b < m->nleaf; b++)
        for (int k = m->g[2]; k < m->g[2] + m->n[2]; k++)
            for (int j = m->g[1]; j < m->g[1] + m->n[1]; j++)
                for (int i = m->g[0]; i < m->g[0] + m->n[0]; i++) {
                    double lo[3], hi[3], place = 0;
                    sl_mesh_cell(m, b, k, j, i, lo, hi);
                    for (int d = 0; d < 3; d++)
                        place += 0.5 * (lo[d] + hi[d]) * n[d];
                    place = place / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) - x0;
                    if (fabs(place) < 2. / CELLS) continue;
                    const sl_real *field = state->u + sl_mesh_at(m, state->layout.nvar, b,
                                                                 state->layout.magnetic, k, j, i);
                    most = fmax(most, off_side(field, m->block_cells, n, place > 0));
                }
    return most;
}

static void starts(const char *mesh, const double n[3], double x0)
{
    struct fluid *f = calloc(1, sizeof *f);
    struct sl_totals t;
    char text[1024];
    assert_non_null(f);
    snprintf(text, sizeof text,
             "campaign: test\nproblem: riemann\ntime.end: 1\nfluid.mhd: ct\nverify: false\n"
             "riemann: {normal: [%g, %g, %g], x0: %g, magnetic_left: [1, 1, 0.4], "
             "magnetic_right: [1, -0.5, 0.6]}\nmesh.boundary: fixed\nmesh.block: [8]\n%s",
             n[0], n[1], n[2], x0, mesh);
    if (sl_config_parse("test", text, strlen(text), NULL, 0, &f->cfg) != SL_OK ||
        sl_sim_new(MPI_COMM_WORLD, &f->cfg, &f->sim) != SL_OK || sl_sim_start(f->sim) != SL_OK)
        fail_msg("%s:\n%s", sl_error_text(), text);
    for (struct sl_sim *s = f->sim; s; s = s->finer) {
        double off = off_sides(&s->state, n, x0);
        if (!(off < 1e-13)) fail_msg("the field is off by %g:\n%s", off, text);
    }
    for (int i = 0; i < 5; i++)
        if (sl_sim_step(f->sim, 1) != SL_OK) fail_msg("%s:\n%s", sl_error_text(), text);
    assert_int_equal(sl_run_totals(f->sim, &t), SL_OK);
    if (!(t.divergence_max / CELLS < 1e-13)) fail_msg("div B is %g:\n%s", t.divergence_max, text);
    sl_sim_free(f->sim);
    free(f);
}

/* At angles other than 45 degrees the sides told by the middles of cells have a divergence. */
static void oblique(void **unused)
{
    (void)unused;
    const double flat[3] = {2, 1, 0}, steep[3] = {-1, 5, 0}, space[3] = {2, 1, 3};
    starts("mesh.cells: [16, 16]\n", flat, 0.67);
    starts("mesh.cells: [16, 16]\n", steep, 0.4);
    starts("mesh.cells: [16, 16, 16]\n", space, 0.8);
    starts("mesh.cells: [16, 16]\nmesh.levels: 1\n"
           "mesh.refine: [{by: box, lo: [0, 0], hi: [0.6, 0.6]}]\n",
           flat, 0.67);
}

/* The gradient along an edge's neighbours is that of the side that the gas comes from; of none
 * where it rests. */
static void upwind(void **unused)
{
    (void)unused;
    assert_true(sl_ct_upwind(1, 2, 5) == 2 && sl_ct_upwind(-1, 2, 5) == 5);
    assert_true(sl_ct_upwind(0, 2, 5) == (sl_real)3.5);
    const struct sl_ct_edge e = {
        .cell = {{1, 1},
                 {1, 1}}}; /* no field at the faces: half of it comes from the cells, twice */
    assert_true(sl_ct_edge(e) == -1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divergence), cmocka_unit_test(upwind), cmocka_unit_test(repairs),
        cmocka_unit_test(restart),    cmocka_unit_test(rest),   cmocka_unit_test(refused),
        cmocka_unit_test(oblique),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
