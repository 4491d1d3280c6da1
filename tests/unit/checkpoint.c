/* checkpoint - what is written comes back to the bit on any ranks, generations, fallback, full
 * disk. ranks: 1 2 3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include "core/io/checkpoint.h"
#include "core/io/manifest.h"
#include "core/sys/crc32c.h"
#include "core/sys/file.h"
#include "tests/scratch.h"
#include "tests/toy.h"

static char top[256];
static int rank, splits;

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    splits++;
    return PMPI_Comm_split_type(comm, type, key, info, out);
}

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static const char *in_top(const char *name)
{
    static char path[SL_PATH_MAX];
    assert_int_equal(sl_path_join(path, top, name), SL_OK);
    return path;
}

static bool there(const char *name)
{
    barrier();
    bool yes = access(in_top(name), F_OK) == 0;
    barrier();
    return yes;
}

static void comes_back(void **state)
{
    (void)state;
    for (int dim = 1; dim <= 3; dim++) {
        struct toy *a = toy_new(dim, 16, 4, dim - 1), *b = toy_new(dim, 16, 4, dim - 1);
        int64_t seq = -2, got = -2;
        const char *dir = in_top(dim == 1 ? "1d" : dim == 2 ? "2d" : "3d");
        toy_fill(&a->run, 0.125);
        assert_false(toy_same(&a->run, &b->run));
        assert_int_equal(sl_checkpoint_read(&b->run, NULL, dir, &got), SL_OK);
        assert_int_equal(got, -1);
        assert_int_equal(sl_checkpoint_write(&a->run, dir, 2, &seq), SL_OK);
        assert_int_equal(seq, 0);
        assert_int_equal(sl_checkpoint_read(&b->run, NULL, dir, &got), SL_OK);
        assert_int_equal(got, 0);
        assert_true(toy_same(&a->run, &b->run));
        assert_true(b->run.end == 3 * b->run.time_unit);
        toy_free(a);
        toy_free(b);
    }
}

/* The world writes, rank 0 alone reads, writes, and the world reads that. */
static void on_other_ranks(void **state)
{
    (void)state;
    struct toy *a = toy_new(3, 16, 4, 0), *b = toy_new(3, 16, 4, 0);
    int64_t seq;
    toy_fill(&a->run, 0.5);
    assert_int_equal(sl_checkpoint_write(&a->run, in_top("many"), 2, &seq), SL_OK);
    if (rank == 0) {
        struct toy one = {.run = a->run};
        one.run.cfg = &one.cfg;
        assert_int_equal(sl_mesh_new(MPI_COMM_SELF, &a->run.mesh->spec, &one.run.mesh), SL_OK);
        one.run.u = calloc(sl_mesh_size(one.run.mesh, 5), sizeof *one.run.u);
        assert_int_equal(sl_checkpoint_read(&one.run, NULL, in_top("many"), &seq), SL_OK);
        assert_int_equal(seq, 0);
        assert_int_equal(sl_checkpoint_write(&one.run, in_top("one"), 2, &seq), SL_OK);
        sl_mesh_free(one.run.mesh);
        free(one.run.u);
    }
    barrier();
    assert_int_equal(sl_checkpoint_read(&b->run, NULL, in_top("one"), &seq), SL_OK);
    assert_int_equal(seq, 0);
    assert_true(toy_same(&a->run, &b->run));
    toy_free(a);
    toy_free(b);
}

static void generations(void **state)
{
    (void)state;
    struct toy *a = toy_new(2, 16, 8, 0), *b = toy_new(2, 16, 8, 0);
    int64_t seq;
    for (int i = 0; i < 4; i++) {
        toy_fill(&a->run, i);
        assert_int_equal(sl_checkpoint_write(&a->run, in_top("gen"), 2, &seq), SL_OK);
        assert_int_equal(seq, i);
    }
    assert_false(there("gen/ckpt.000001"));
    assert_true(there("gen/ckpt.000002"));
    if (rank == 0) /* the newest loses its data, an unfinished one and odd names lie about */
        assert_int_equal(truncate(in_top("gen/ckpt.000003/data.00000"), 1000), 0);
    if (rank == 0) assert_int_equal(mkdir(in_top("gen/ckpt.000007.tmp"), 0777), 0);
    if (rank == 0) assert_int_equal(mkdir(in_top("gen/ckpt.9"), 0777), 0);
    barrier();
    assert_int_equal(sl_checkpoint_read(&b->run, NULL, in_top("gen"), &seq), SL_OK);
    assert_int_equal(seq, 2);
    toy_fill(&a->run, 2);
    assert_true(toy_same(&a->run, &b->run));
    assert_true(there("gen/ckpt.000003.bad/MANIFEST"));
    assert_int_equal(sl_checkpoint_write(&a->run, in_top("gen"), 2, &seq), SL_OK);
    assert_int_equal(seq, 4);
    assert_false(there("gen/ckpt.000007.tmp"));
    assert_true(there("gen/ckpt.000002"));
    toy_free(a);
    toy_free(b);
}

/* The checkpoints of a run ask once which ranks share a node. */
static void nodes_are_kept(void **state)
{
    (void)state;
    struct toy *a = toy_new(2, 16, 8, 0), *b = toy_new(2, 16, 8, 0);
    struct sl_checkpoint_nodes *nodes = NULL;
    int64_t seq;
    splits = 0;
    for (int i = 0; i < 3; i++) {
        struct sl_output *out;
        toy_fill(&a->run, i);
        assert_int_equal(sl_checkpoint_begin(&a->run, in_top("kept"), 2, false, &nodes, &out),
                         SL_OK);
        assert_int_equal(sl_output_end(&out), SL_OK);
    }
    sl_checkpoint_nodes_free(nodes);
    assert_int_equal(splits, 1);
    assert_int_equal(sl_checkpoint_read(&b->run, NULL, in_top("kept"), &seq), SL_OK);
    assert_int_equal(seq, 2);
    assert_true(toy_same(&a->run, &b->run));
    toy_free(a);
    toy_free(b);
}

static void another_run_is_refused(void **state)
{
    (void)state;
    struct toy *a = toy_new(2, 16, 8, 0), *grid = toy_new(2, 32, 8, 0), *var = toy_new(2, 16, 8, 1),
               *block = toy_new(2, 16, 4, 0);
    int64_t seq;
    assert_int_equal(sl_checkpoint_write(&a->run, in_top("other"), 2, &seq), SL_OK);
    assert_int_equal(sl_checkpoint_read(&grid->run, NULL, in_top("other"), &seq), SL_EGUARD);
    assert_int_equal(sl_checkpoint_read(&var->run, NULL, in_top("other"), &seq), SL_EGUARD);
    assert_int_equal(sl_checkpoint_read(&block->run, NULL, in_top("other"), &seq), SL_EGUARD);
    assert_true(there("other/ckpt.000000")); /* it is good, only not ours */
    toy_free(a);
    toy_free(grid);
    toy_free(var);
    toy_free(block);
}

static void bad_numbers_are_not_written(void **state)
{
    (void)state;
    struct toy *a = toy_new(2, 16, 8, 0);
    struct sl_mesh *m = a->run.mesh;
    const double bad[] = {NAN, INFINITY, -1, 0};
    for (size_t i = 0; i < 4; i++) {
        int64_t seq = -7;
        toy_fill(&a->run, 0);
        if (m->nblock > 0 && m->first_gid + m->nblock == m->nblock_global)
            a->run.u[sl_mesh_at(m, 5, m->nblock - 1, i == 3 ? 4 : 0, 0, m->g[1] + 1, m->g[0] + 2)] =
                (sl_real)bad[i];
        assert_int_equal(sl_checkpoint_write(&a->run, in_top("nan"), 2, &seq), SL_EDIVERGED);
        assert_int_equal(seq, -7);
    }
    assert_false(there("nan/ckpt.000000"));
    toy_free(a);
}

/* Two generations fill the disk: the third is refused before a byte is written, and once more when
 * the room vanishes only for the data; the two stay good. */
static void full_disk(void **state)
{
    (void)state;
    int mounted = 0;
    struct toy *a = toy_new(2, 128, 16, 0), *b = toy_new(2, 128, 16, 0);
    char dir[256];
    if (rank == 0) scratch_make(dir, "full");
    if (rank == 0) mounted = scratch_mount(dir, 1 << 20);
    MPI_Bcast(dir, sizeof dir, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(&mounted, 1, MPI_INT, 0, MPI_COMM_WORLD);
    int64_t seq = -1;
    for (int i = 0; mounted && i < 2; i++) {
        toy_fill(&a->run, i);
        assert_int_equal(sl_checkpoint_write(&a->run, dir, 2, &seq), SL_OK);
    }
    if (mounted) {
        assert_int_equal(sl_checkpoint_write(&a->run, dir, 2, &seq), SL_EIO);
        assert_non_null(strstr(sl_error_text(), "bytes needed"));
        assert_int_equal(seq, 1);
        assert_int_equal(sl_checkpoint_read(&b->run, NULL, dir, &seq), SL_OK);
        assert_int_equal(seq, 1);
        assert_true(toy_same(&a->run, &b->run));
    }
    barrier();
    if (mounted && rank == 0) scratch_unmount(dir);
    if (rank == 0) rmdir(dir);
    toy_free(a);
    toy_free(b);
    if (!mounted) skip();
}

/* A quota in the middle of the data, as a limit on the size of files. */
static void quota(void **state)
{
    (void)state;
    struct toy *a = toy_new(2, 64, 16, 0), *b = toy_new(2, 64, 16, 0);
    int64_t seq = -1;
    toy_fill(&a->run, 3);
    assert_int_equal(sl_checkpoint_write(&a->run, in_top("quota"), 2, &seq), SL_OK);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    for (rlim_t limit = 0; limit < 90000; limit += 1777) {
        small = (struct rlimit){limit, old.rlim_max};
        toy_fill(&a->run, 4);
        setrlimit(RLIMIT_FSIZE, &small);
        int code = sl_checkpoint_write(&a->run, in_top("quota"), 2, &seq);
        setrlimit(RLIMIT_FSIZE, &old);
        bool whole = limit >= 64 * 32 * 5 * sizeof(sl_real);
        assert_int_equal(code, whole ? SL_OK : SL_EIO);
    }
    assert_false(there("quota/ckpt.000001.tmp"));
    assert_int_equal(sl_checkpoint_read(&b->run, NULL, in_top("quota"), &seq), SL_OK);
    assert_true(toy_same(&a->run, &b->run));
    toy_free(a);
    toy_free(b);
}

/* Where the system does not show the checkpoints, they are not taken for none: the run would begin
 * again. */
static void not_shown(void **state)
{
    (void)state;
    struct toy *a = toy_new(2, 16, 4, 0);
    struct rlimit old, none;
    int64_t seq = -2, got = -2;
    const char *dir = in_top("shown");
    toy_fill(&a->run, 0.5);
    assert_int_equal(sl_checkpoint_write(&a->run, dir, 2, &seq), SL_OK);
    barrier();
    getrlimit(RLIMIT_NOFILE, &old);
    none = old;
    none.rlim_cur = 0;
    if (rank == 0) setrlimit(RLIMIT_NOFILE, &none);
    int code = sl_checkpoint_read(&a->run, NULL, dir, &got);
    setrlimit(RLIMIT_NOFILE, &old);
    assert_int_equal(code, SL_EIO);
    barrier();
    assert_int_equal(sl_checkpoint_read(&a->run, NULL, dir, &got), SL_OK);
    assert_int_equal(got, seq);
    toy_free(a);
}

static void put_text(const char *path, const char *text)
{
    if (rank == 0) assert_int_equal(sl_file_replace(path, text, strlen(text), SL_VOLATILE), SL_OK);
    barrier();
}

/* A generation counts only as long as the files that it seals are as they were; one that grows may
 * have grown. */
static void sealed_files(void **state)
{
    (void)state;
    struct toy *a = toy_new(2, 16, 8, 0), *b = toy_new(2, 16, 8, 0);
    struct sl_sealed wrote = {0}, knows = {0};
    char path[SL_PATH_MAX];
    int64_t seq;
    const char *first = "one\n", *second = "one\ntwo\n";
    snprintf(path, sizeof path, "%s", in_top("grows"));
    const char *name = path + 1; /* paths of a run are relative */
    assert_int_equal(chdir("/"), 0);
    a->run.sealed = &wrote, b->run.sealed = &knows;
    toy_fill(&a->run, 1);
    put_text(path, second);
    assert_int_equal(sl_sealed_set(&wrote, name, 4, sl_crc32c(0, first, 4), true), SL_OK);
    assert_int_equal(sl_checkpoint_write(&a->run, in_top("sealed"), 3, &seq), SL_OK);
    assert_int_equal(sl_sealed_set(&wrote, name, 8, sl_crc32c(0, second, 8), true), SL_OK);
    assert_int_equal(sl_checkpoint_write(&a->run, in_top("sealed"), 3, &seq), SL_OK);
    put_text(path, "one\ntwo\nthree\n");
    assert_int_equal(sl_checkpoint_read(&b->run, NULL, in_top("sealed"), &seq), SL_OK);
    assert_int_equal(seq, 1);
    assert_int_equal(sl_sealed_find(&knows, name)->size, 8);
    put_text(path, "one\ntwi\n"); /* what only the newer one knows is damaged */
    assert_int_equal(sl_checkpoint_read(&b->run, NULL, in_top("sealed"), &seq), SL_OK);
    assert_int_equal(seq, 0);
    assert_int_equal(sl_sealed_find(&knows, name)->size, 4);
    put_text(path, "on");
    assert_int_equal(sl_checkpoint_read(&b->run, NULL, in_top("sealed"), &seq), SL_OK);
    assert_int_equal(seq, -1);
    sl_sealed_release(&wrote);
    sl_sealed_release(&knows);
    toy_free(a);
    toy_free(b);
}

static void manifest_comes_back(void **state)
{
    (void)state;
    struct sl_sealed_file sealed[2] = {{.path = (char *)"history.tsv", 70, 0x00c0ffee, true},
                                       {.path = (char *)"snapshots/a b", 9, 1, false}};
    struct sl_manifest_file file[2] = {{160, 2, 0, 1, 0}, {0, 0, 0, -1, 0}};
    struct sl_manifest in = {.recipe = "abc def",
                             .seq = 3,
                             .step = 9,
                             .time = 0.1,
                             .dt = 5e-324,
                             .time_unit = -0.0,
                             .floored_last = 4,
                             .since_regrid = 6,
                             .nvar = 5,
                             .dim = 3,
                             .energy = -1,
                             .nlevel = 3,
                             .allowed = {0.1, 0x1p-1060, 3},
                             .nfile = 2,
                             .nblock = 2,
                             .sealed = {2, sealed},
                             .file = file},
                       out;
    char *text;
    size_t n;
    assert_int_equal(sl_manifest_print(&in, SL_MANIFEST_MOST, &text, &n), SL_OK);
    assert_int_equal(sl_manifest_parse(text, n, &out), SL_OK);
    assert_string_equal(out.recipe, "abc def");
    assert_true(out.time == 0.1 && out.dt == 5e-324 && signbit(out.time_unit));
    assert_int_equal(out.energy, -1);
    assert_int_equal(out.floored_last, 4);
    assert_int_equal(out.since_regrid, 6);
    assert_memory_equal(out.file, file, sizeof file);
    assert_memory_equal(out.allowed, in.allowed, sizeof in.allowed);
    assert_int_equal(out.sealed.n, 2);
    assert_string_equal(out.sealed.file[1].path, "snapshots/a b");
    assert_true(out.sealed.file[0].grows && !out.sealed.file[1].grows);
    assert_int_equal(sl_sealed_find(&out.sealed, "history.tsv")->crc, 0x00c0ffee);
    sl_manifest_free(&out);
    for (size_t bit = 0; bit < 8 * n; bit++) {
        text[bit / 8] ^= (char)(1 << bit % 8);
        assert_int_equal(sl_manifest_parse(text, n, &out), SL_EINPUT);
        text[bit / 8] ^= (char)(1 << bit % 8);
    }
    char *digit = strchr(text, '\n') - 1; /* of another format, and whole */
    *digit = '1';
    snprintf(text + n - 16, 17, "crc32c %08x\n", (unsigned)sl_crc32c(0, text, n - 16));
    assert_int_equal(sl_manifest_parse(text, n, &out), SL_EGUARD);
    for (size_t cut = 0; cut < n; cut++) {
        char *part = strndup(text, cut); /* so that the sanitizer sees its end */
        assert_int_equal(sl_manifest_parse(part, cut, &out), SL_EINPUT);
        free(part);
    }
    free(text);
}

/* One that is longer than what is read again is not written. */
static void manifest_too_long(void **state)
{
    (void)state;
    struct sl_sealed_file sealed[3] = {
        {(char *)"a", 1, 1, false}, {(char *)"b", 1, 1, false}, {(char *)"c", 1, 1, false}};
    struct sl_manifest m = {.sealed = {3, sealed}};
    char *text;
    size_t n, most;
    assert_int_equal(sl_manifest_print(&m, SL_MANIFEST_MOST, &text, &most), SL_OK);
    free(text);
    assert_int_equal(sl_manifest_print(&m, most - 1, &text, &n), SL_EIO);
    assert_non_null(strstr(sl_error_text(), "3 outputs,"));
    assert_int_equal(sl_manifest_print(&m, most, &text, &n), SL_OK);
    free(text);
}

static int up(void **state)
{
    (void)state;
    if (rank == 0) scratch_make(top, "checkpoint");
    MPI_Bcast(top, sizeof top, MPI_CHAR, 0, MPI_COMM_WORLD);
    return 0;
}

static int down(void **state)
{
    (void)state;
    barrier();
    if (rank == 0) scratch_remove(top);
    return 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    sl_log_level = SL_LOG_ERROR;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(on_other_ranks),
        cmocka_unit_test(generations),
        cmocka_unit_test(nodes_are_kept),
        cmocka_unit_test(another_run_is_refused),
        cmocka_unit_test(bad_numbers_are_not_written),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(quota),
        cmocka_unit_test(not_shown),
        cmocka_unit_test(sealed_files),
        cmocka_unit_test(manifest_comes_back),
        cmocka_unit_test(manifest_too_long),
    };
    int failed = cmocka_run_group_tests(tests, up, down);
    MPI_Finalize();
    return failed;
}
