/* level_files - files of runs with levels: a checkpoint brings back every bit on other ranks, and
 * the run goes on as if it had not stopped; a snapshot gives each leaf on the grid of any level;
 * the history sums the leaves.
 *
 * ranks: 3
 * optimised: 1
 * first: a minute
 */
#include "core/io/checkpoint.h"
#include "core/io/history.h"
#include "core/io/snapshot.h"
#include "core/mesh/hierarchy.h"
#include "core/run/restore.h"
#include "core/run/totals.h"
#include "core/state/leaves.h"
#include "core/sys/file.h"
#include "tests/law.h"
#include "tests/scratch.h"

static char top[256];
static int rank;

/* A hot ball beside the middle of a periodic box, in gas that streams and carries a field. */
static void blast(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const int *dim = data;
    double r2 = 0;
    (void)t;
    for (int d = 0; d < *dim; d++)
        r2 += pow(0.5 * (lo[d] + hi[d]) - 0.4 - 0.05 * d, 2);
    double hot = exp(-r2 / 0.01);
    prim[0] = 1 + 0.2 * hot;
    prim[1] = 0.5, prim[2] = -0.25, prim[3] = 0.1;
    prim[4] = 0.6 + 10 * hot;
    prim[SL_PRIM_SCALAR] = hot > 0.5;
    for (int d = 0; d < 3; d++)
        prim[SL_PRIM_B + d] = 0.3 - 0.1 * d;
}

#define LEVELS                                                                                     \
    "mesh.levels: 2\nmesh.refine: [{by: gradient, of: pressure, above: 0.1}]\nmesh.regrid: 8\n"    \
    "time.levels: each\noutput.precision: double\n"
static const char *const boxes[] = {"", "mesh.cells: [64]\nmesh.block: [8]\n",
                                    "mesh.cells: [32, 64]\nmesh.block: [8]\n",
                                    "mesh.cells: [16, 16, 16]\nmesh.block: [8]\n"};

static struct fluid *start(MPI_Comm comm, int *dim, const char *more)
{
    struct fluid *f;
    char recipe[1024];
    snprintf(recipe, sizeof recipe, "%s%s%s", boxes[*dim], LEVELS, more);
    assert_int_equal(fluid_new_with(comm, recipe, blast, dim, &f), SL_OK);
    assert_int_equal(sl_levels_count(&f->sim->state), 3);
    return f;
}

static const char *in_top(const char *name)
{
    static char path[SL_PATH_MAX];
    assert_int_equal(sl_path_join(path, top, name), SL_OK);
    return path;
}

static uint64_t hash_of(const struct sl_sim *sim)
{
    uint64_t hash = 0;
    assert_int_equal(sl_sim_hash(sim, &hash), SL_OK);
    return hash;
}

/* ---- checkpoints ---------------------------------------------------------------------------- */

/* A run that has gone another way reads the set: it is as it was, and comes to the same end. */
static void goes_on(MPI_Comm comm, int *dim, const char *more, const char *dir, uint64_t there,
                    int steps, uint64_t end)
{
    struct fluid *f = start(comm, dim, more);
    int64_t seq = -1;
    law_advance(f, 2);
    if (sl_sim_restore(f->sim, dir, &seq) != SL_OK) fail_msg("%s", sl_error_text());
    assert_int_equal(seq, 0);
    assert_true(hash_of(f->sim) == there);
    law_advance(f, steps);
    if (hash_of(f->sim) != end)
        fail_msg("another end, %d steps after a checkpoint, %dD:\n%s", steps, *dim, more);
    fluid_free(f);
}

/* Where a run is stopped for a checkpoint, before and after regrids. */
enum { PLACES = 5 };
struct stops {
    int n, at[PLACES], end; /* steps */
    uint64_t there[PLACES];
    char dir[PLACES][SL_PATH_MAX];
};

static uint64_t stop(MPI_Comm comm, int *dim, const char *more, struct stops *s)
{
    struct fluid *f = start(comm, dim, more);
    for (int i = 0; i < s->n; i++) {
        int64_t seq = -1;
        law_advance(f, s->at[i] - (int)f->sim->state.step);
        s->there[i] = hash_of(f->sim);
        if (sl_checkpoint_write(&f->sim->state, s->dir[i], 2, &seq) != SL_OK)
            fail_msg("%s", sl_error_text());
    }
    law_advance(f, s->end - (int)f->sim->state.step);
    uint64_t end = hash_of(f->sim);
    fluid_free(f);
    return end;
}

static struct stops stops_at(const char *name, int n, const int at[PLACES], int end)
{
    struct stops s = {.n = n, .end = end};
    for (int i = 0; i < n; i++) {
        s.at[i] = at[i];
        snprintf(s.dir[i], SL_PATH_MAX, "%s.%d", in_top(name), at[i]);
    }
    return s;
}

static void checkpoints(int dim, const char *more, const char *name)
{
    static const int once[PLACES] = {3};
    struct stops s = stops_at(name, 1, once, dim == 3 ? 5 : 9);
    uint64_t end = stop(MPI_COMM_WORLD, &dim, more, &s);
    goes_on(MPI_COMM_WORLD, &dim, more, s.dir[0], s.there[0], s.end - s.at[0], end);
    if (rank == 0) goes_on(MPI_COMM_SELF, &dim, more, s.dir[0], s.there[0], s.end - s.at[0], end);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Sets of several steps, some of a run on a single rank, which all ranks go on with; at length also
 * one rank with those of all. */
static void many_checkpoints(const char *more, const char *name)
{
    static const int often[PLACES] = {1, 4, 7, 12, 17};
    bool at_length = getenv("SLUICE_LONG") != NULL;
    int dim = 2, n = at_length ? PLACES : 3, end = at_length ? 24 : 9, first = at_length ? 0 : 1;
    struct stops s = stops_at(name, n, often, end);
    struct stops alone = stops_at("alone", at_length ? n : 1, often + first, end);
    uint64_t hash = stop(MPI_COMM_WORLD, &dim, more, &s);
    if (rank == 0) assert_true(stop(MPI_COMM_SELF, &dim, more, &alone) == hash);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
        goes_on(MPI_COMM_WORLD, &dim, more, s.dir[i], s.there[i], end - s.at[i], hash);
        if (at_length && rank == 0)
            goes_on(MPI_COMM_SELF, &dim, more, s.dir[i], s.there[i], end - s.at[i], hash);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; i < alone.n; i++)
        goes_on(MPI_COMM_WORLD, &dim, more, alone.dir[i], s.there[first + i], end - alone.at[i],
                hash);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void come_back(void **unused)
{
    (void)unused;
    checkpoints(1, "", "1d");
    checkpoints(2, "fluid.scalars: 1\n", "2d");
    checkpoints(2, "fluid.mhd: glm\nfluid.riemann: hlld\n", "glm");
    many_checkpoints("fluid.mhd: ct\nfluid.riemann: hlld\ngravity.acceleration: [1, -2, 0]\n",
                     "ct");
    checkpoints(3, "", "3d");
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* The only checkpoint of a run with levels and a staggered field, after two steps. The hash of its
 * start. */
static uint64_t set_to_damage(const char *dir, int *dim, struct fluid **f)
{
    int64_t seq = -1;
    *f = start(MPI_COMM_SELF, dim, "fluid.mhd: ct\nfluid.riemann: hlld\nfluid.scalars: 1\n");
    uint64_t first = hash_of((*f)->sim);
    law_advance(*f, 2);
    if (sl_checkpoint_write(&(*f)->sim->state, dir, 2, &seq) != SL_OK)
        fail_msg("%s", sl_error_text());
    return first;
}

static void put(const char *path, const char *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Reads the set, which one file is damaged of: it is refused and moved away. Puts it back as it
 * was. */
static void refused(struct sl_sim *sim, const char *dir, const char *file, const char *good,
                    size_t n, const char *how)
{
    char set[SL_PATH_MAX], bad[SL_PATH_MAX], path[SL_PATH_MAX];
    int64_t seq = -7;
    assert_int_equal(sl_path_join(set, dir, "ckpt.000000"), SL_OK);
    assert_int_equal(sl_path_join(bad, dir, "ckpt.000000.bad"), SL_OK);
    assert_int_equal(sl_path_join(path, set, file), SL_OK);
    if (sl_sim_restore(sim, dir, &seq) != SL_OK || seq != -1)
        fail_msg("%s, %s: taken as generation %d", file, how, (int)seq);
    assert_int_equal(rename(bad, set), 0);
    put(path, good, n);
}

/* A bit of the file is flipped at 40 places along it, or all from one of 4 places is gone. */
static void damage_file(struct sl_sim *sim, const char *dir, const char *file)
{
    enum { FLIPS = 40, CUTS = 4 };
    char set[SL_PATH_MAX], path[SL_PATH_MAX], how[80], *good, *data;
    size_t n;
    assert_int_equal(sl_path_join(set, dir, "ckpt.000000"), SL_OK);
    assert_int_equal(sl_path_join(path, set, file), SL_OK);
    assert_int_equal(sl_file_read(path, 1 << 26, &good, &n), SL_OK);
    data = malloc(n);
    assert_non_null(data);
    for (size_t i = 0; i < FLIPS + CUTS; i++) {
        size_t at = i < FLIPS ? i * (n - 1) / (FLIPS - 1) : (i - FLIPS) * n / CUTS;
        memcpy(data, good, n);
        if (i < FLIPS) data[at] ^= (char)(1 << i % 8);
        put(path, data, i < FLIPS ? n : at);
        snprintf(how, sizeof how, "%s %zu of %zu", i < FLIPS ? "a bit of byte" : "cut at", at, n);
        refused(sim, dir, file, good, n, how);
    }
    free(data), free(good);
}

/* A run whose only checkpoint is refused, after its blocks were read, begins like any other. */
static void begins_anew(struct sl_sim *sim, const char *dir, uint64_t first)
{
    char set[SL_PATH_MAX], path[SL_PATH_MAX], *good, *data;
    size_t n;
    assert_int_equal(sl_path_join(set, dir, "ckpt.000000"), SL_OK);
    assert_int_equal(sl_path_join(path, set, "data.00000"), SL_OK);
    assert_int_equal(sl_file_read(path, 1 << 26, &good, &n), SL_OK);
    data = malloc(n);
    assert_non_null(data);
    memcpy(data, good, n);
    data[n - 1] ^= 1;
    put(path, data, n);
    refused(sim, dir, "data.00000", good, n, "the last bit");
    assert_int_equal(sl_sim_start(sim), SL_OK);
    assert_true(hash_of(sim) == first);
    free(data), free(good);
}

/* Data, places of blocks with their levels, or the rest: what is damaged is not taken, and the
 * whole set still is. */
static void damaged(void **unused)
{
    (void)unused;
    static const char *const file[] = {"data.00000", "index.00000", "MANIFEST"};
    int dim = 2;
    int64_t seq = -1;
    struct fluid *f;
    char dir[SL_PATH_MAX];
    if (rank > 0) return;
    snprintf(dir, sizeof dir, "%s", in_top("damaged"));
    uint64_t first = set_to_damage(dir, &dim, &f);
    uint64_t there = hash_of(f->sim);
    for (int i = 0; i < 3; i++)
        damage_file(f->sim, dir, file[i]);
    begins_anew(f->sim, dir, first);
    assert_int_equal(sl_sim_restore(f->sim, dir, &seq), SL_OK);
    assert_int_equal(seq, 0);
    assert_true(hash_of(f->sim) == there);
    fluid_free(f);
}

/* ---- snapshots ------------------------------------------------------------------------------ */

static void write_snapshot(const struct fluid *f, char path[SL_PATH_MAX])
{
    struct sl_provenance p;
    assert_int_equal(sl_provenance_make(f->sim->state.mesh->comm, &f->cfg, &p), SL_OK);
    if (sl_snapshot_write(&f->sim->state, top, 0, &p) != SL_OK) fail_msg("%s", sl_error_text());
    assert_int_equal(sl_snapshot_name(path, top, "test", 0), SL_OK);
}

/* The grid of a level of a field; n: its size. */
static double *grid_of(const struct sl_snapshot *s, const char *field, int level, int64_t n[3])
{
    const struct sl_snapshot_info *i = sl_snapshot_about(s);
    const int64_t zero[3] = {0, 0, 0};
    size_t cells = 1;
    for (int a = 0; a < 3; a++) {
        n[a] = a < i->dim ? i->cells[a] << level : 1;
        cells *= (size_t)n[a];
    }
    double *grid = malloc(cells * sizeof *grid);
    assert_non_null(grid);
    if (sl_snapshot_read_level(s, field, level, zero, n, grid) != SL_OK)
        fail_msg("%s", sl_error_text());
    return grid;
}

/* Every cell of the grid of the finest level that lies in a cell of a leaf has the value of
 * that. */
static void compare_cell(const struct sl_sim *s, int b, const int c[3], int finest,
                         const int64_t n[3], const double *grid)
{
    const struct sl_mesh *m = s->state.mesh;
    int64_t lo[3], size[3];
    double rho = (double)s->state.u[sl_mesh_at(m, s->state.layout.nvar, b, 0, c[2] + m->g[2],
                                               c[1] + m->g[1], c[0] + m->g[0])];
    for (int a = 0; a < 3; a++) {
        size[a] = a < m->dim ? 1 << (finest - m->level) : 1;
        lo[a] = (m->blocks[b].at[a] * m->n[a] + c[a]) * size[a];
    }
    for (int64_t k = lo[2]; k < lo[2] + size[2]; k++)
        for (int64_t j = lo[1]; j < lo[1] + size[1]; j++)
            for (int64_t i = lo[0]; i < lo[0] + size[0]; i++)
                assert_true(grid[(k * n[1] + j) * n[0] + i] == rho);
}

static void compare_leaves(const struct sl_sim *sim, const struct sl_snapshot *snapshot)
{
    int finest = sl_levels_count(&sim->state) - 1, c[3];
    int64_t n[3];
    double *grid = grid_of(snapshot, "dens", finest, n);
    for (const struct sl_sim *s = sim; s; s = s->finer)
        for (int b = 0; b < s->state.mesh->nleaf; b++)
            for (c[2] = 0; c[2] < s->state.mesh->n[2]; c[2]++)
                for (c[1] = 0; c[1] < s->state.mesh->n[1]; c[1]++)
                    for (c[0] = 0; c[0] < s->state.mesh->n[0]; c[0]++)
                        compare_cell(s, b, c, finest, n, grid);
    free(grid);
}

/* The grid of each level holds the mass. */
static void compare_mass(const struct sl_snapshot *s, int level, double want)
{
    int64_t n[3];
    double *grid = grid_of(s, "dens", level, n), sum = 0;
    size_t cells = (size_t)(n[0] * n[1] * n[2]);
    for (size_t i = 0; i < cells; i++)
        sum += grid[i] / (double)cells;
    if (!(fabs(sum - want) < (1e-10 + 10 * law_rounding()) * want))
        fail_msg("level %d holds a mass of %.17g instead of %.17g", level, sum, want);
    free(grid);
}

/* A part of the grid is what the whole has there. */
static void compare_part(const struct sl_snapshot *s, int level)
{
    int64_t n[3], lo[3], hi[3];
    double *grid = grid_of(s, "velx", level, n), *part = malloc((size_t)(n[0] * n[1] * n[2]) * 8);
    for (int a = 0; a < 3; a++)
        lo[a] = n[a] > 1 ? n[a] / 3 : 0, hi[a] = n[a] > 1 ? n[a] - 5 : 1;
    assert_int_equal(sl_snapshot_read_level(s, "velx", level, lo, hi, part), SL_OK);
    const double *at = part;
    for (int64_t k = lo[2]; k < hi[2]; k++)
        for (int64_t j = lo[1]; j < hi[1]; j++)
            for (int64_t i = lo[0]; i < hi[0]; i++)
                assert_true(*at++ == grid[(k * n[1] + j) * n[0] + i]);
    free(part);
    free(grid);
}

static void snapshots(void **unused)
{
    (void)unused;
    for (int dim = 1; dim <= 3; dim++) {
        struct sl_snapshot *s;
        struct sl_totals t;
        char path[SL_PATH_MAX];
        struct fluid *f = start(MPI_COMM_WORLD, &dim, "");
        law_advance(f, 3);
        write_snapshot(f, path);
        assert_int_equal(sl_run_totals(f->sim, &t), SL_OK);
        if (sl_snapshot_open(path, &s) != SL_OK) fail_msg("%s", sl_error_text());
        const struct sl_snapshot_info *i = sl_snapshot_about(s);
        assert_true(i->hash == hash_of(f->sim));
        assert_int_equal(i->nleaf, f->sim->state.hierarchy->nleaf_global);
        assert_int_equal(i->nlevel, sl_levels_count(&f->sim->state));
        assert_true(i->nblock > i->nleaf);
        compare_leaves(f->sim, s);
        for (int l = 0; l < i->nlevel + 1; l++) {
            compare_mass(s, l, t.mass);
            compare_part(s, l);
        }
        sl_snapshot_close(s);
        fluid_free(f);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* ---- history -------------------------------------------------------------------------------- */

static void totals(void **unused)
{
    (void)unused;
    for (int dim = 1; dim <= 3; dim++) {
        struct fluid *f = start(MPI_COMM_WORLD, &dim, "");
        struct sl_totals before, after;
        assert_int_equal(sl_run_totals(f->sim, &before), SL_OK);
        law_advance(f, 4);
        assert_int_equal(sl_run_totals(f->sim, &after), SL_OK);
        assert_true(fabs(after.mass - before.mass) < 20 * law_rounding());
        assert_true(fabs(after.energy_total - before.energy_total) < 200 * law_rounding());
        assert_true(fabs(before.momentum_y + 0.25 * before.mass) < 20 * law_rounding());
        fluid_free(f);
    }
}

static int up(void **state)
{
    (void)state;
    if (rank == 0) scratch_make(top, "level_files");
    MPI_Bcast(top, sizeof top, MPI_CHAR, 0, MPI_COMM_WORLD);
    return 0;
}

static int down(void **state)
{
    (void)state;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) scratch_remove(top);
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sl_log_level = SL_LOG_ERROR;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(come_back),
        cmocka_unit_test(damaged),
        cmocka_unit_test(snapshots),
        cmocka_unit_test(totals),
    };
    int failed = cmocka_run_group_tests(tests, up, down);
    MPI_Finalize();
    return failed;
}
