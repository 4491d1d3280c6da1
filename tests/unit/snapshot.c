/* snapshot - what is written comes back in any box, damaged files are refused without a crash, a
 * full disk is an error.
 * ranks: 1 2 3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "core/io/snapshot.h"
#include "core/sys/file.h"
#include "core/sys/sealed.h"
#include "tests/scratch.h"
#include "tests/toy.h"

static char top[256];
static int rank;

static const char *name_in(const char *dir)
{
    static char path[SL_PATH_MAX];
    assert_int_equal(sl_snapshot_name(path, dir, "toy", 7), SL_OK);
    return path;
}

static struct toy *make(int dim, int precision)
{
    struct toy *t = toy_new(dim, 16, 4, 2);
    t->cfg.output_precision = precision;
    t->cfg.mesh_cells_n = dim;
    for (int a = 0; a < dim; a++)
        t->cfg.mesh_cells[a] = t->run.mesh->spec.cells[a];
    return t;
}

static int write_toy(const struct toy *t, const char *dir)
{
    struct sl_provenance p;
    assert_int_equal(sl_provenance_make(MPI_COMM_WORLD, &t->cfg, &p), SL_OK);
    return sl_snapshot_write(&t->run, dir, 7, &p);
}

/* The value that a field must have in a cell of the root grid. */
static double expected(const struct sl_snapshot_info *i, const int64_t at[3], int f)
{
    double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1}, w[8];
    for (int a = 0; a < i->dim; a++) {
        double dx = (i->hi[a] - i->lo[a]) / (double)i->cells[a];
        lo[a] = i->lo[a] + dx * (double)at[a], hi[a] = i->lo[a] + dx * (double)(at[a] + 1);
    }
    toy_state(lo, hi, 0, w);
    const char *name = i->field[f];
    if (strcmp(name, "eint") == 0) return w[4] / (0.4 * w[0]);
    return strncmp(name, "sc", 2) == 0 ? w[5 + name[3] - '1'] : w[f];
}

static void check_box(const struct sl_snapshot *s, const int64_t lo[3], const int64_t hi[3],
                      double tolerance)
{
    static double out[16 * 16 * 16];
    const struct sl_snapshot_info *i = sl_snapshot_about(s);
    for (int f = 0; f < i->nfield; f++) {
        assert_int_equal(sl_snapshot_read_box(s, i->field[f], lo, hi, out), SL_OK);
        const double *got = out;
        int64_t at[3];
        for (at[2] = lo[2]; at[2] < hi[2]; at[2]++)
            for (at[1] = lo[1]; at[1] < hi[1]; at[1]++)
                for (at[0] = lo[0]; at[0] < hi[0]; at[0]++) {
                    double want = expected(i, at, f);
                    assert_true(fabs(*got++ - want) <= tolerance * (1 + fabs(want)));
                }
    }
}

static void comes_back(void **state)
{
    (void)state;
    for (int dim = 1; dim <= 3; dim++)
        for (int precision = 0; precision < 2; precision++) {
            struct toy *t = make(dim, precision);
            assert_int_equal(write_toy(t, top), SL_OK);
            struct sl_snapshot *s = NULL;
            assert_int_equal(sl_snapshot_open(name_in(top), &s), SL_OK);
            const struct sl_snapshot_info *i = sl_snapshot_about(s);
            uint64_t hash;
            assert_int_equal(sl_state_hash(&t->run, &hash), SL_OK);
            assert_true(i->hash == hash);
            assert_int_equal(i->dim, dim);
            assert_int_equal(i->nfield, 7);
            assert_string_equal(i->field[6], "sc02");
            assert_string_equal(i->campaign, "toy");
            assert_true(i->time == t->run.time && i->step == 42);
            double tolerance = precision == SL_PRECISION_single ? 1e-6 : 1e-13;
            int64_t whole[3] = {i->cells[0], i->cells[1], i->cells[2]}, zero[3] = {0, 0, 0};
            check_box(s, zero, whole, tolerance);
            int64_t lo[3] = {3, dim > 1 ? 2 : 0, dim > 2 ? 5 : 0};
            int64_t hi[3] = {14, dim > 1 ? 7 : 1, dim > 2 ? 6 : 1};
            check_box(s, lo, hi, tolerance);
            double unused = 0;
            hi[0] = i->cells[0] + 1;
            assert_int_equal(sl_snapshot_read_box(s, "dens", lo, hi, &unused), SL_EINPUT);
            assert_int_equal(sl_snapshot_read_box(s, "none", zero, zero, &unused), SL_EINPUT);
            sl_snapshot_close(s);
            toy_free(t);
        }
}

static void units(void **state)
{
    (void)state;
    struct toy *t = make(3, SL_PRECISION_double);
    t->cfg.units_length = 3e18, t->cfg.units_density = 1e-24, t->cfg.units_velocity = 1e5;
    assert_int_equal(write_toy(t, top), SL_OK);
    struct sl_snapshot *s = NULL;
    assert_int_equal(sl_snapshot_open(name_in(top), &s), SL_OK);
    assert_true(sl_snapshot_about(s)->cgs_length == 3e18);
    assert_int_equal(sl_snapshot_about(s)->nfield, 8);
    const int64_t lo[3] = {0, 0, 0}, hi[3] = {16, 8, 16};
    check_box(s, lo, hi, 1e-13);
    sl_snapshot_close(s);
    toy_free(t);
}

/* Reads a file and every field of it; a status other than SL_OK is fine, a crash or other values
 * are not. */
static int read_damaged(const char *path, int64_t cells)
{
    static double out[16 * 8 * 16];
    struct sl_snapshot *s = NULL;
    int code = sl_snapshot_open(path, &s);
    if (code != SL_OK) return code;
    struct sl_snapshot_info i = *sl_snapshot_about(s);
    const int64_t zero[3] = {0, 0, 0};
    if (i.cells[0] * i.cells[1] * i.cells[2] > cells) code = SL_EINPUT;
    for (int f = 0; f < i.nfield && code == SL_OK; f++)
        code = sl_snapshot_read_box(s, i.field[f], zero, i.cells, out);
    if (code == SL_OK) check_box(s, zero, i.cells, 1e-6);
    sl_snapshot_close(s);
    return code;
}

static void put(const char *path, const char *data, size_t n)
{
    assert_int_equal(sl_file_replace(path, data, n, SL_VOLATILE), SL_OK);
}

static void damaged(void **state)
{
    (void)state;
    struct toy *t = make(2, SL_PRECISION_single);
    assert_int_equal(write_toy(t, top), SL_OK);
    if (rank == 0) {
        char *data, path[SL_PATH_MAX];
        size_t n;
        int unseen = 0, seen = 0;
        assert_int_equal(sl_path_join(path, top, "damaged"), SL_OK);
        assert_int_equal(sl_file_read(name_in(top), 1 << 24, &data, &n), SL_OK);
        for (size_t at = 0; at < n; at += 1 + at % 97) {
            data[at] ^= (char)(1 << at % 8);
            put(path, data, n);
            data[at] ^= (char)(1 << at % 8);
            int code = read_damaged(path, 16 * 8);
            assert_true(code == SL_OK || code == SL_EINPUT || code == SL_EMEM);
            seen += code != SL_OK,
                unseen += code == SL_OK; /* tables for other readers are not read here */
        }
        printf("%d flips refused, %d without an effect on what is read\n", seen, unseen);
        assert_true(seen > 50);
        for (size_t cut = 0; cut < n; cut += 1 + n / 41) {
            put(path, data, cut);
            assert_int_equal(read_damaged(path, 16 * 8), SL_EINPUT);
        }
        put(path, "", 0);
        assert_int_equal(read_damaged(path, 16 * 8), SL_EINPUT);
        assert_int_equal(read_damaged("/dev/null", 16 * 8), SL_EINPUT);
        assert_int_equal(read_damaged("/nowhere", 16 * 8), SL_EINPUT);
        free(data);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    toy_free(t);
}

static void full_disk(void **state)
{
    (void)state;
    char dir[256];
    int mounted = 0;
    if (rank == 0) scratch_make(dir, "full");
    if (rank == 0) mounted = scratch_mount(dir, 160 << 10);
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(&mounted, 1, MPI_INT, 0, MPI_COMM_WORLD);
    struct toy *t = make(3, SL_PRECISION_double);
    if (mounted) {
        assert_int_equal(write_toy(t, dir), SL_EIO);
        assert_non_null(strstr(sl_error_text(), "bytes needed"));
        assert_int_not_equal(access(name_in(dir), F_OK), 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (mounted && rank == 0) scratch_unmount(dir);
    if (rank == 0) rmdir(dir);
    toy_free(t);
    if (!mounted) skip();
}

/* A limit at any place of the file: the old snapshot stays, or the new one is whole. */
static void quota(void **state)
{
    (void)state;
    struct toy *t = make(2, SL_PRECISION_single);
    struct rlimit old, small;
    struct sl_snapshot_info info;
    t->cfg.fluid_gamma = 2;
    assert_int_equal(write_toy(t, top), SL_OK);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    for (rlim_t limit = 0; limit < 140000; limit += 9777) {
        small = (struct rlimit){limit, old.rlim_max};
        t->run.step = 100 + (int64_t)limit;
        setrlimit(RLIMIT_FSIZE, &small);
        int code = write_toy(t, top);
        setrlimit(RLIMIT_FSIZE, &old);
        assert_true(code == SL_OK || code == SL_EIO);
        assert_int_equal(sl_snapshot_info(name_in(top), &info), SL_OK);
        assert_int_equal(info.step == 100 + (int64_t)limit, code == SL_OK);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    toy_free(t);
}

/* A good file that the system does not let HDF5 open is not a damaged one: there is a descriptor
 * left for the file, and none for HDF5's. */
static void system_refuses(void **state)
{
    (void)state;
    struct toy *t = make(2, SL_PRECISION_single);
    struct rlimit old, small;
    struct sl_snapshot *s = NULL;
    assert_int_equal(write_toy(t, top), SL_OK);
    int free_one = open("/dev/null", O_RDONLY);
    assert_true(free_one >= 0);
    close(free_one);
    getrlimit(RLIMIT_NOFILE, &old);
    small = (struct rlimit){(rlim_t)free_one + 1, old.rlim_max};
    setrlimit(RLIMIT_NOFILE, &small);
    int code = sl_snapshot_open(name_in(top), &s);
    setrlimit(RLIMIT_NOFILE, &old);
    assert_int_equal(code, SL_EIO);
    assert_non_null(strstr(sl_error_text(), strerror(EMFILE)));
    assert_int_equal(sl_snapshot_open(name_in(top), &s), SL_OK);
    sl_snapshot_close(s);
    MPI_Barrier(MPI_COMM_WORLD);
    toy_free(t);
}

/* The run's list holds the checksum of the whole file, though the values are not read for it. */
static void is_sealed(void **state)
{
    (void)state;
    struct sl_sealed list = {0};
    for (int dim = 1; dim <= 3; dim++) {
        struct toy *t = make(dim, dim == 2 ? SL_PRECISION_single : SL_PRECISION_double);
        char dir[SL_PATH_MAX];
        snprintf(dir, sizeof dir, "%s/sealed%d", top, dim);
        t->run.sealed = &list;
        assert_int_equal(write_toy(t, dir), SL_OK);
        if (rank == 0) {
            const struct sl_sealed_file *f = sl_sealed_find(&list, name_in(dir));
            assert_non_null(f);
            assert_int_equal(sl_sealed_check(f), SL_OK);
            FILE *damaged = fopen(name_in(dir), "r+");
            fseek(damaged, f->size / 2, SEEK_SET);
            int byte = fgetc(damaged);
            fseek(damaged, f->size / 2, SEEK_SET);
            fputc(byte ^ 4, damaged);
            assert_int_equal(fclose(damaged), 0);
            assert_int_equal(sl_sealed_check(f), SL_EINPUT);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        toy_free(t);
    }
    sl_sealed_release(&list);
}

static int up(void **state)
{
    (void)state;
    if (rank == 0) scratch_make(top, "snapshot");
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
        cmocka_unit_test(is_sealed),      cmocka_unit_test(comes_back), cmocka_unit_test(units),
        cmocka_unit_test(damaged),        cmocka_unit_test(full_disk),  cmocka_unit_test(quota),
        cmocka_unit_test(system_refuses),
    };
    int failed = cmocka_run_group_tests(tests, up, down);
    MPI_Finalize();
    return failed;
}
