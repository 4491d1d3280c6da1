/* field_file.c - tests core/io/field_file.h: a file written by all ranks has the bytes of one
 * written by one, no planes go through messages, and a rank that cannot write leaves no file.
 * ranks: 1 2 3 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "core/io/field_file.h"
#include "core/io/hdf.h"
#include "core/sys/agree.h"
#include "core/sys/file.h"
#include "core/sys/status.h"
#include "tests/scratch.h"

enum { NX = 130, NY = 70, FIELDS = 2 }; /* no whole number of pieces */
static const int planes[] = {5, 2,
                             1}; /* fewer than ranks, too: without any the first, and another */
enum { CASES = sizeof planes / sizeof *planes };

static char top[256];
static int64_t sent; /* bytes, by this rank to another */
static int empty;    /* messages without any */

int MPI_Send(const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    int size;
    PMPI_Type_size(type, &size);
    sent += (int64_t)n * size;
    empty += n == 0;
    return PMPI_Send(data, n, type, to, tag, comm);
}

/* collective. A rank that ended its test alone would leave the others waiting. */
static void assert_everywhere(bool ok)
{
    int all = ok;
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    assert_true(all);
}

static double value(int field, int64_t cell)
{
    return (double)(cell % 9973) / 7 + 1000 * field;
}

static struct sl_slab make_slab(MPI_Comm comm, int nz)
{
    struct sl_slab s;
    const int n[3] = {NX, NY, nz};
    const double length[3] = {1, 1, 1};
    sl_slab_init(comm, 3, n, length, &s);
    return s;
}

static double *make_field(const struct sl_slab *s, int field)
{
    double *v = malloc((sl_slab_cells(s) + 1) * sizeof *v);
    assert_non_null(v);
    for (size_t i = 0; i < sl_slab_cells(s); i++)
        v[i] = value(field, (int64_t)s->z0 * NX * NY + (int64_t)i);
    return v;
}

/* As callers do: the file gets its name when all is written, or is dropped. */
static int write_file(const struct sl_slab *s, const char *path, bool single)
{
    const hsize_t size[3] = {(hsize_t)s->n[2], NY, NX};
    double *v[FIELDS] = {make_field(s, 0), make_field(s, 1)};
    const struct sl_field_out out[FIELDS] = {{"density", "1", "a field", v[0]},
                                             {"pressure", "1", "another", v[1]}};
    struct sl_hdf h;
    int root = s->rank == 0;
    int code = root ? sl_hdf_create(path, FIELDS * sl_hdf_field_bytes(size, single), &h) : SL_OK;
    assert_int_equal(sl_agree(s->comm, code), SL_OK);
    h.single = single;
    code = sl_field_file_write(s, &h, FIELDS, out);
    if (root && code == SL_OK)
        code = sl_hdf_commit(&h);
    else if (root)
        sl_hdf_abandon(&h);
    for (int f = 0; f < FIELDS; f++)
        free(v[f]);
    MPI_Barrier(s->comm);
    return code;
}

static void name(char path[SL_PATH_MAX], const char *file)
{
    assert_int_equal(sl_path_join(path, top, file), SL_OK);
}

static bool same_bytes(const char *a, const char *b)
{
    char *one = NULL, *other = NULL;
    size_t n = 0, m = 1;
    bool read = sl_file_read(a, 1 << 26, &one, &n) == SL_OK &&
                sl_file_read(b, 1 << 26, &other, &m) == SL_OK;
    bool same = read && n == m && memcmp(one, other, n) == 0;
    free(one);
    free(other);
    return same;
}

static bool same_values(const struct sl_slab *s, const char *path, bool single)
{
    static const char *const names[FIELDS] = {"density", "pressure"};
    double *read = malloc((sl_slab_cells(s) + 1) * sizeof *read);
    bool same = true;
    for (int f = 0; f < FIELDS; f++) {
        double *v = make_field(s, f);
        same = sl_field_file_read(s, path, names[f], read) == SL_OK && same;
        for (size_t i = 0; i < sl_slab_cells(s) && same; i++)
            same = read[i] == (single ? (float)v[i] : v[i]);
        free(v);
    }
    free(read);
    return same;
}

static void check_as_by_one(int nz, bool single)
{
    struct sl_slab all = make_slab(MPI_COMM_WORLD, nz), alone = make_slab(MPI_COMM_SELF, nz);
    char by_all[SL_PATH_MAX], by_one[SL_PATH_MAX];
    bool root = all.rank == 0;
    name(by_all, "all.h5"), name(by_one, "one.h5");
    assert_everywhere(!root || write_file(&alone, by_one, single) == SL_OK);
    sent = empty = 0;
    assert_everywhere(write_file(&all, by_all, single) == SL_OK);
    assert_everywhere(sent * 200 < (int64_t)(FIELDS * sizeof(float)) * NX * NY * nz);
    assert_everywhere(empty == 0);
    assert_everywhere(same_values(&all, by_all, single));
    assert_everywhere(!root || same_bytes(by_all, by_one));
}

/* What ranks send is small beside the planes, and nothing goes to those that have none. */
static void as_by_one(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; i++)
        for (int single = 0; single < 2; single++)
            check_as_by_one(planes[i], single);
}

/* The last rank must not write: all know, and the file that was there before stays. */
static void cannot_write(void **state)
{
    (void)state;
    struct sl_slab s = make_slab(MPI_COMM_WORLD, planes[0]);
    struct rlimit old, none;
    char path[SL_PATH_MAX], part[SL_PATH_MAX], before[SL_PATH_MAX];
    bool root = s.rank == 0;
    if (s.size == 1) return;
    name(path, "all.h5"), name(part, "all.h5.part"), name(before, "one.h5");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    none = (struct rlimit){0, old.rlim_max};
    if (s.rank == s.size - 1) setrlimit(RLIMIT_FSIZE, &none);
    int code = write_file(&s, path, false);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_everywhere(code == SL_EIO);
    assert_everywhere(!root || strstr(sl_error_text(), part));
    assert_everywhere(access(part, F_OK) != 0);
    assert_everywhere(!root || same_bytes(path, before));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) scratch_make(top, "field_file");
    MPI_Bcast(top, sizeof top, MPI_CHAR, 0, MPI_COMM_WORLD);
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_by_one), cmocka_unit_test(cannot_write)};
    alarm(100); /* a rank that stops alone ends the test */
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) scratch_remove(top);
    MPI_Finalize();
    return failed;
}
