/* tvd.c - laws of the relaxing TVD scheme: sums are kept, the same bits for any ranks and blocks, along
 * any axis, for the mirror image and after a restart; a violent start is repaired without loss.
 *
 * ranks: 1 2 3
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/io/checkpoint.h"
#include "tests/fluid.h"
#include "tests/unit/scratch.h"

static struct fluid *start(MPI_Comm comm, const char *recipe, const char *block, fluid_state *state)
{
    char text[1024];
    struct fluid *f;
    snprintf(text, sizeof text, "fluid.integrator: tvd\nmesh.block: %s\n%s", block, recipe);
    assert_int_equal(fluid_new(comm, text, state, &f), SL_OK);
    return f;
}

static void advance(struct fluid *f, int steps)
{
    for (int i = 0; i < steps; i++)
        if (sl_sim_step(f->sim, 100) != SL_OK) fail_msg("%s", sl_error_text());
}

static void sums(const struct sl_sim *sim, double *out)
{
    const struct sl_mesh *m = sim->mesh;
    int nvar = sim->layout.nvar;
    memset(out, 0, SL_MAX_VAR * sizeof *out);
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < nvar; v++)
            for (int k = 0; k < m->n[2]; k++)
                for (int j = 0; j < m->n[1]; j++)
                    for (int i = 0; i < m->n[0]; i++)
                        out[v] += (double)sim->u[sl_mesh_at(m, nvar, b, v, k + m->g[2], j + m->g[1],
                                                            i + m->g[0])];
    MPI_Allreduce(MPI_IN_PLACE, out, SL_MAX_VAR, MPI_DOUBLE, MPI_SUM, m->comm);
}

static void waves(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double twopi = 2 * acos(-1), x[3];
    for (int d = 0; d < 3; d++)
        x[d] = twopi * 0.5 * (lo[d] + hi[d]);
    prim[0] = 1 + 0.5 * sin(x[0] + x[1]) * cos(x[2]);
    prim[1] = 0.3 + sin(x[0] + x[1]);
    prim[2] = 0.2 + cos(x[2] - x[0]);
    prim[3] = 0.1 + sin(x[1]);
    prim[4] = x[0] < 3 ? 1 : 0.2;
    prim[SL_PRIM_SCALAR] = x[0] < 2 ? 1 : 0;
}

/* ---- sums ----------------------------------------------------------------------------------- */

static void kept(const char *recipe, const char *block)
{
    struct fluid *f = start(MPI_COMM_WORLD, recipe, block, waves);
    double before[SL_MAX_VAR], after[SL_MAX_VAR];
    sums(f->sim, before);
    advance(f, 50);
    sums(f->sim, after);
    for (int v = 0; v < f->sim->layout.nvar; v++) {
        double change = fabs(after[v] - before[v]) / before[0];
        if (!(change < 2e-14)) fail_msg("variable %d changed by %g:\n%s", v, change, recipe);
    }
    fluid_free(f);
}

static void conservation(void **unused)
{
    (void)unused;
    kept("mesh.cells: [64]\nfluid.scalars: 1\n", "[16]");
    kept("mesh.cells: [32, 32]\nfluid.scalars: 1\n", "[8]");
    kept("mesh.cells: [32, 32]\nfluid.eos: isothermal\n", "[16]");
    kept("mesh.cells: [16, 16, 16]\nfluid.scalars: 1\n", "[8]");
}

/* ---- ranks and blocks ----------------------------------------------------------------------- */

static uint64_t hash_of(MPI_Comm comm, const char *recipe, const char *block)
{
    uint64_t hash = 0;
    struct fluid *f = start(comm, recipe, block, waves);
    advance(f, 4);
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    fluid_free(f);
    return hash;
}

static void same(const char *recipe, const char *whole, const char *const *blocks)
{
    uint64_t alone = hash_of(MPI_COMM_SELF, recipe, whole);
    for (; *blocks; blocks++)
        if (hash_of(MPI_COMM_WORLD, recipe, *blocks) != alone)
            fail_msg("blocks %s differ from one block:\n%s", *blocks, recipe);
}

static void ranks(void **unused)
{
    (void)unused;
    static const char *const line[] = {"[32]", "[8]", "[4]", NULL};
    static const char *const plane[] = {"[32]", "[16, 8]", "[4]", NULL};
    static const char *const cube[] = {"[16]", "[8]", "[8, 4, 16]", NULL};
    static const char *const large[] = {"[512, 8, 4]", "[64, 16, 4]", NULL};
    same("mesh.cells: [128]\nmesh.boundary: fixed\n", "[128]", line);
    same("mesh.cells: [32, 32]\nfluid.scalars: 2\n", "[32]", plane);
    same("mesh.cells: [32, 32]\nfluid.eos: isothermal\n", "[32]", plane);
    same("mesh.cells: [16, 16, 16]\nfluid.dual_energy: true\nfluid.scalars: 1\n", "[16]", cube);
    same("mesh.cells: [16, 16, 16]\nmesh.boundary: [outflow, reflecting, periodic]\n", "[16]",
         cube);
    same("mesh.cells: [512, 16, 4]\n", "[512, 16, 4]", large); /* more than one chunk of pencils */
}

/* ---- restart -------------------------------------------------------------------------------- */

/* A run that goes on from a checkpoint ends with the bits of one that never stopped. */
static void restart(void **unused)
{
    (void)unused;
    static const char *const recipe = "mesh.cells: [16, 16, 16]\nfluid.scalars: 1\n";
    char dir[256];
    int64_t seq = -1;
    uint64_t hash = 0, want = 1;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(dir, "tvd");
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    struct fluid *f = start(MPI_COMM_WORLD, recipe, "[8]", waves);
    advance(f, 3);
    assert_int_equal(sl_checkpoint_write(f->sim, dir, 2, &seq), SL_OK);
    advance(f, 3);
    assert_int_equal(sl_sim_hash(f->sim, &want), SL_OK);
    fluid_free(f);
    f = start(MPI_COMM_WORLD, recipe, "[8]", waves);
    assert_int_equal(sl_checkpoint_read(f->sim, dir, &seq), SL_OK);
    assert_int_equal(f->sim->step, 3);
    advance(f, 3);
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    fluid_free(f);
    if (rank == 0) scratch_remove(dir);
    assert_true(hash == want);
}

/* ---- axes and mirror ------------------------------------------------------------------------ */

enum { N = 32 };
static int axis, mirrored; /* how the present problem lies in the box */

static void tube(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double x = 0.5 * (lo[axis] + hi[axis]);
    if (mirrored) x = 1 - x;
    prim[0] = (x < 0.5 ? 1 : 0.2) + 0.125 * floor(8 * x) / 8;
    prim[1 + axis] = (mirrored ? -1 : 1) * (x < 0.25 ? 0.5 : -0.25);
    prim[1 + (axis + 1) % 3] = x < 0.5 ? 0.25 : -0.5;
    prim[4] = x < 0.5 ? 1 : 0.2;
}

/* Values along the axis of all variables, in the order of a problem along x and not mirrored. */
static void profile(const struct sl_sim *sim, double *out)
{
    const struct sl_mesh *m = sim->mesh;
    int nvar = sim->layout.nvar;
    for (int i = 0; i < N * nvar; i++)
        out[i] = -HUGE_VAL;
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < nvar; v++)
            for (int i = 0; i < m->n[axis]; i++) {
                int at[3] = {m->g[0], m->g[1], m->g[2]}, to = v;
                at[axis] += i;
                int x = (int)m->blocks[b].at[axis] * m->n[axis] + i;
                if (mirrored) x = N - 1 - x;
                if (v >= SL_MX && v <= SL_MZ) to = SL_MX + (v - SL_MX - axis + 3) % 3;
                double value = (double)sim->u[sl_mesh_at(m, nvar, b, v, at[2], at[1], at[0])];
                out[to * N + x] = mirrored && to == SL_MX ? -value : value;
            }
    MPI_Allreduce(MPI_IN_PLACE, out, N * nvar, MPI_DOUBLE, MPI_MAX, m->comm);
}

static void run(int dim, int along, int mirror, const char *gas, double *out)
{
    char recipe[256];
    const char *cells[3][3] = {
        {"[32]", "", ""}, {"[32, 4]", "[4, 32]", ""}, {"[32, 4, 4]", "[4, 32, 4]", "[4, 4, 32]"}};
    axis = along;
    mirrored = mirror;
    snprintf(recipe, sizeof recipe, "mesh.cells: %s\nmesh.boundary: outflow\n%s",
             cells[dim - 1][along], gas);
    struct fluid *f = start(MPI_COMM_WORLD, recipe, "[4]", tube);
    advance(f, 5);
    profile(f->sim, out);
    fluid_free(f);
}

static void symmetry(void **unused)
{
    (void)unused;
    static double first[SL_MAX_VAR * N], other[SL_MAX_VAR * N];
    static const char *const gases[] = {"fluid.gamma: 1.4\n", "fluid.eos: isothermal\n"};
    for (int e = 0; e < 2; e++) {
        run(1, 0, 0, gases[e], first);
        for (int dim = 1; dim <= 3; dim++)
            for (int along = 0; along < dim; along++)
                for (int mirror = 0; mirror < 2; mirror++) {
                    run(dim, along, mirror, gases[e], other);
                    for (int i = 0; i < (e ? 4 : 5) * N; i++)
                        if (first[i] != other[i])
                            fail_msg("%dD, axis %d, mirror %d, %s: value %d differs by %g", dim,
                                     along, mirror, gases[e], i, first[i] - other[i]);
                }
    }
}

/* ---- repairs -------------------------------------------------------------------------------- */

/* Velocities of up to 50 sound speeds that change sign from cell to cell. */
static void violent(const void *data, const double lo[3], const double hi[3], double t,
                    double *prim)
{
    (void)data, (void)hi, (void)t;
    double phase = 0;
    for (int d = 0; d < 3; d++)
        phase += (d + 1) * floor(16 * lo[d] + 0.5);
    prim[0] = 1;
    for (int d = 0; d < 3; d++)
        prim[1 + d] = 50 * sin(1.7 * phase * (d + 1) + d);
    prim[4] = 0.6;
}

static uint64_t survives(MPI_Comm comm, const char *block, int64_t *repaired)
{
    struct fluid *f = start(comm, "mesh.cells: [16, 16, 16]\nfluid.cfl: 0.8\n", block, violent);
    double before[SL_MAX_VAR], after[SL_MAX_VAR];
    uint64_t hash = 0;
    sums(f->sim, before);
    advance(f, 12);
    sums(f->sim, after);
    assert_int_equal(f->sim->cells_floored, 0);
    for (int v = 0; v < 5; v++) {
        double change = fabs(after[v] - before[v]) / before[v > 0 ? 4 : 0];
        if (!(change < 1e-13)) fail_msg("variable %d changed by %g", v, change);
    }
    *repaired = f->sim->cells_repaired;
    assert_int_equal(sl_sim_hash(f->sim, &hash), SL_OK);
    fluid_free(f);
    return hash;
}

static void repairs(void **unused)
{
    (void)unused;
    int64_t alone, together;
    uint64_t hash = survives(MPI_COMM_SELF, "[16]", &alone);
    print_message("%lld cells repaired\n", (long long)alone);
    assert_true(alone > 0);
    assert_true(survives(MPI_COMM_WORLD, "[8]", &together) == hash);
    assert_int_equal(alone, together);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conservation), cmocka_unit_test(ranks),   cmocka_unit_test(restart),
        cmocka_unit_test(symmetry),     cmocka_unit_test(repairs),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
