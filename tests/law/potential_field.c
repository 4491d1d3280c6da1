/* potential_field.c - the potential of self-gravity in snapshots: of a wave that of the 7-point
 * operator, in one to three dimensions; on a mesh that is refined everywhere that of a mesh as
 * fine; of an expanding universe in comoving units; the same bits for any ranks; refused where
 * nothing attracts.
 *
 * ranks: 3
 * optimised: 1 2
 */
#include <hdf5.h>

#include "core/io/snapshot.h"
#include "core/step/source.h"
#include "core/sys/file.h"
#include "tests/law.h"
#include "tests/scratch.h"

#define HOLDS "output.potential: true\noutput.precision: double\n"
#define REFINED                                                                                    \
    "mesh.levels: 1\ngravity.tolerance: 1e-11\nmesh.refine: [{by: box, lo: [0, 0, 0], hi: [1, "    \
    "1, 1]}]\n"

static char top[256];

/* A wave oblique to all axes that are there. */
static void wave(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    double phase = 0;
    (void)data, (void)t;
    for (int d = 0; d < 3; d++)
        if (hi[d] - lo[d] < 0.9) phase += acos(-1) * (d + 1) * (lo[d] + hi[d]);
    prim[0] = 1 + 0.25 * cos(phase);
    prim[4] = 1;
}

/* What it gives: lap cos = -sum (2 sin(k h / 2) / h)^2 cos. */
static double expected(const int64_t n[3], int dim, const int64_t at[3], double four_pi_g)
{
    double pi = acos(-1), phase = 0, square = 0;
    for (int d = 0; d < dim; d++) {
        phase += 2 * pi * (d + 1) * ((double)at[d] + 0.5) / (double)n[d];
        square += pow(2 * sin(pi * (d + 1) / (double)n[d]) * (double)n[d], 2);
    }
    return -four_pi_g * 0.25 / square * cos(phase);
}

static struct fluid *made(MPI_Comm comm, const char *recipe)
{
    struct fluid *f;
    if (fluid_new(comm, recipe, wave, &f) != SL_OK) fail_msg("%s: %s", recipe, sl_error_text());
    return f;
}

/* Rank 0 of the run opens what it wrote. */
static struct sl_snapshot *written(struct fluid *f, int number)
{
    char path[SL_PATH_MAX];
    struct sl_provenance p;
    struct sl_snapshot *out = NULL;
    assert_int_equal(sl_sources_show(f->sim), SL_OK);
    assert_int_equal(sl_provenance_make(f->sim->state.mesh->comm, &f->cfg, &p), SL_OK);
    if (sl_snapshot_write(&f->sim->state, top, number, &p) != SL_OK)
        fail_msg("%s", sl_error_text());
    assert_int_equal(sl_snapshot_name(path, top, "test", number), SL_OK);
    if (f->sim->state.mesh->rank == 0) assert_int_equal(sl_snapshot_open(path, &out), SL_OK);
    return out;
}

static double *grid_of(const struct sl_snapshot *s, int level, int64_t n[3])
{
    const struct sl_snapshot_info *i = sl_snapshot_about(s);
    const int64_t zero[3] = {0, 0, 0};
    for (int d = 0; d < 3; d++)
        n[d] = d < i->dim ? i->cells[d] << level : 1;
    double *grid = malloc((size_t)(n[0] * n[1] * n[2]) * sizeof *grid);
    assert_non_null(grid);
    if (sl_snapshot_read_level(s, "gpot", level, zero, n, grid) != SL_OK)
        fail_msg("%s", sl_error_text());
    return grid;
}

static void compare(const struct sl_snapshot *s, int level, double four_pi_g, double most,
                    const char *recipe)
{
    int64_t n[3], at[3];
    double *grid = grid_of(s, level, n), *value = grid;
    int dim = sl_snapshot_about(s)->dim;
    for (at[2] = 0; at[2] < n[2]; at[2]++)
        for (at[1] = 0; at[1] < n[1]; at[1]++)
            for (at[0] = 0; at[0] < n[0]; at[0]++) {
                double off = *value++ - expected(n, dim, at, four_pi_g);
                if (!(fabs(off) < most)) fail_msg("potential off by %g:\n%s", off, recipe);
            }
    free(grid);
}

static void holds(const char *recipe, int level, double four_pi_g, double most)
{
    struct fluid *f = made(MPI_COMM_WORLD, recipe);
    struct sl_snapshot *s = written(f, 0);
    if (s) compare(s, level, four_pi_g, most, recipe);
    sl_snapshot_close(s);
    fluid_free(f);
}

static void of_a_wave(void **unused)
{
    (void)unused;
    double most = 1e3 * law_rounding();
    holds("mesh.cells: [32]\nmesh.block: [8]\ngravity.four_pi_g: 3\n" HOLDS, 0, 3, most);
    holds("mesh.cells: [24, 20]\nmesh.block: [12, 10]\ngravity.four_pi_g: 3\n" HOLDS, 0, 3, most);
    holds("mesh.cells: [16, 8, 24]\nmesh.block: [8]\ngravity.four_pi_g: 3\n" HOLDS, 0, 3, most);
    holds("mesh.cells: [8, 8, 8]\nmesh.block: [8]\ngravity.four_pi_g: 3\n" REFINED HOLDS, 1, 3,
          1e-10);
}

/* The largest of n values as they stand in the file. */
static double largest_stored(const char *path, size_t n)
{
    double most = 0, *value = malloc(n * sizeof *value);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "gpot", 0);
    assert_non_null(value);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, value[i]);
    H5Dclose(set);
    H5Fclose(file);
    free(value);
    return most;
}

/* The mean density is 1 there, and a code velocity 100 km/s / a^2 in comoving coordinates. */
static void of_a_universe(void **unused)
{
    (void)unused;
    static const char recipe[] = "mesh.cells: [16, 16, 16]\nmesh.block: [8]\ntime.unit: redshift\n"
                                 "ic.redshift: 9\ncosmology.omega_m: 0.3\n" HOLDS;
    const int64_t n[3] = {16, 16, 16}, trough[3] = {5, 0, 0};
    double a = 0.1, four_pi_g = 1.5 * 0.3 * a, unit = 1e7 / (a * a);
    double want = expected(n, 3, trough, four_pi_g) * unit * unit;
    holds(recipe, 0, four_pi_g, 1e-12);
    if (!law_is_first()) return;
    char path[SL_PATH_MAX];
    assert_int_equal(sl_snapshot_name(path, top, "test", 0), SL_OK);
    double most = largest_stored(path, 16 * 16 * 16);
    if (!(fabs(most / want - 1) < 1e-10)) fail_msg("%.12g stored, not %.12g", most, want);
}

/* ---- bytes ---- */

static const char steps_of[] = "mesh.cells: [16, 16, 16]\nmesh.block: [8]\ngravity.four_pi_g: 30\n"
                               "mesh.levels: 1\nmesh.regrid: 2\nmesh.refine: [{by: gradient, of: "
                               "density, above: 0.15}]\n" HOLDS;

static struct sl_snapshot *after_steps(MPI_Comm comm, int number, struct fluid **f)
{
    *f = made(comm, steps_of);
    law_advance(*f, 3);
    return written(*f, number);
}

static void any_ranks(void **unused)
{
    (void)unused;
    struct fluid *all, *alone;
    int64_t n[3];
    struct sl_snapshot *s = after_steps(MPI_COMM_WORLD, 1, &all);
    if (s) {
        struct sl_snapshot *t = after_steps(MPI_COMM_SELF, 2, &alone);
        for (int level = 0; level < 2; level++) {
            double *a = grid_of(s, level, n), *b = grid_of(t, level, n);
            assert_memory_equal(a, b, (size_t)(n[0] * n[1] * n[2]) * sizeof *a);
            free(a);
            free(b);
        }
        sl_snapshot_close(t);
        fluid_free(alone);
    }
    sl_snapshot_close(s);
    fluid_free(all);
}

/* ---- refused ---- */

static void refused(const char *recipe, const char *what)
{
    struct fluid *f;
    assert_int_equal(fluid_new(MPI_COMM_SELF, recipe, wave, &f), SL_EINPUT);
    if (!strstr(sl_error_text(), what)) fail_msg("%s: %s", what, sl_error_text());
}

static void nonsense(void **unused)
{
    (void)unused;
    refused("mesh.cells: [16, 16]\noutput.potential: true\n", "nearest: false");
    refused("mesh.cells: [16, 16]\ngravity.four_pi_g: 1\nstatistics.maps: [potential]\n",
            "output.potential: true");
}

static int setup(void **unused)
{
    (void)unused;
    if (law_is_first()) scratch_make(top, "potential_field");
    MPI_Bcast(top, sizeof top, MPI_CHAR, 0, MPI_COMM_WORLD);
    return 0;
}

static int teardown(void **unused)
{
    (void)unused;
    MPI_Barrier(MPI_COMM_WORLD);
    if (law_is_first()) scratch_remove(top);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_wave),
        cmocka_unit_test(of_a_universe),
        cmocka_unit_test(any_ranks),
        cmocka_unit_test(nonsense),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, setup, teardown);
    MPI_Finalize();
    return failed;
}
