/* history - totals against sums made here, the same bits on any ranks, and cutting back to a
 * checkpoint.
 * ranks: 1 2 3
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <unistd.h>

#include "core/io/history.h"
#include "core/run/totals.h"
#include "core/sys/file.h"
#include "core/sys/sealed.h"
#include "tests/scratch.h"
#include "tests/toy.h"

static char top[256];
static int rank;

static const char *file(void)
{
    static char path[SL_PATH_MAX];
    assert_int_equal(sl_path_join(path, top, "history.tsv"), SL_OK);
    return path;
}

/* Every cell of the box, from the formula. */
static void expected(const struct sl_mesh_spec *s, double out[5])
{
    out[0] = out[1] = out[2] = out[4] = 0;
    out[3] = 1e300;
    double volume = 1;
    for (int a = 0; a < s->dim; a++)
        volume *= (s->hi[a] - s->lo[a]) / s->cells[a];
    for (int k = 0; k < (s->dim > 2 ? s->cells[2] : 1); k++)
        for (int j = 0; j < (s->dim > 1 ? s->cells[1] : 1); j++)
            for (int i = 0; i < s->cells[0]; i++) {
                double lo[3] = {0, 0, 0}, hi[3] = {1, 1, 1}, w[8];
                const int at[3] = {i, j, k};
                for (int a = 0; a < s->dim; a++) {
                    double dx = (s->hi[a] - s->lo[a]) / s->cells[a];
                    lo[a] = s->lo[a] + dx * at[a], hi[a] = s->lo[a] + dx * (at[a] + 1);
                }
                toy_state(lo, hi, 0, w);
                out[0] += volume * w[0];
                out[1] += volume * w[0] * w[2];
                out[2] += volume * w[4] / 0.4;
                if (w[4] < out[3]) out[3] = w[4];
                out[4] += volume * w[0] * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]) / (1.4 * w[4]);
            }
}

static void totals(void **state)
{
    (void)state;
    for (int dim = 1; dim <= 3; dim++) {
        struct toy *t = toy_new(dim, 16, 4, 0);
        struct sl_totals got, alone;
        double want[5];
        const struct sl_mesh_spec *spec = &t->run.mesh->spec;
        double box = 1;
        for (int a = 0; a < dim; a++)
            box *= spec->hi[a] - spec->lo[a];
        expected(spec, want);
        assert_int_equal(sl_run_totals(&(struct sl_sim){.state = t->run}, &got), SL_OK);
        assert_true(fabs(got.mass - want[0]) < 1e-12 * want[0]);
        assert_true(fabs(got.momentum_y - want[1]) < 1e-11);
        assert_true(fabs(got.energy_thermal - want[2]) < 1e-12 * got.energy_total);
        assert_true(fabs(got.pressure_min - want[3]) < 1e-13);
        assert_true(fabs(got.mach_rms / sqrt(want[4] / box) - 1) < 1e-12);
        assert_true(got.density_min < got.density_max && got.pressure_min < got.pressure_max);
        assert_true(fabs(got.energy_kinetic + got.energy_thermal - got.energy_total) <
                    1e-13 * got.energy_total);
        struct sl_state one = t->run; /* every rank by itself */
        assert_int_equal(sl_mesh_new(MPI_COMM_SELF, &t->run.mesh->spec, &one.mesh), SL_OK);
        one.u = calloc(sl_mesh_size(one.mesh, 5), sizeof *one.u);
        toy_fill(&one, 0);
        assert_int_equal(sl_run_totals(&(struct sl_sim){.state = one}, &alone), SL_OK);
        assert_memory_equal(&got, &alone, sizeof got);
        sl_mesh_free(one.mesh);
        free(one.u);
        toy_free(t);
    }
}

static char *text_of(void)
{
    char *text;
    size_t n;
    MPI_Barrier(MPI_COMM_WORLD);
    assert_int_equal(sl_file_read(file(), 1 << 20, &text, &n), SL_OK);
    MPI_Barrier(MPI_COMM_WORLD);
    return text;
}

/* Lines for steps first .. last - 1. */
static void write_steps(struct toy *t, struct sl_history *h, int first, int last)
{
    for (int step = first; step < last; step++) {
        t->run.step = step;
        t->run.time = step / 3.0;
        struct sl_totals now;
        assert_int_equal(sl_run_totals(&(struct sl_sim){.state = t->run}, &now), SL_OK);
        assert_int_equal(sl_history_add(h, &t->run, &now), SL_OK);
    }
    assert_int_equal(sl_history_flush(h, &t->run), SL_OK);
    sl_history_close(h);
}

static void append(const char *text)
{
    FILE *f = rank == 0 ? fopen(file(), "a") : NULL;
    if (f) fputs(text, f);
    if (f) fclose(f);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void put(const char *text)
{
    if (rank == 0)
        assert_int_equal(sl_file_replace(file(), text, strlen(text), SL_VOLATILE), SL_OK);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A run whose history has the lines of its first steps; sealed: the list that the run keeps of its
 * files, or NULL. */
static struct toy *toy_with_history(int steps, struct sl_sealed *sealed, struct sl_provenance *p)
{
    struct toy *t = toy_new(2, 16, 4, 0);
    struct sl_history *h;
    t->run.sealed = sealed;
    assert_int_equal(sl_provenance_make(MPI_COMM_WORLD, &t->cfg, p), SL_OK);
    assert_int_equal(sl_history_open(&t->run, file(), false, p, &h), SL_OK);
    write_steps(t, h, 0, steps);
    return t;
}

static void goes_on(void **state)
{
    (void)state;
    struct sl_provenance p;
    struct sl_history *h;
    struct toy *t = toy_with_history(9, NULL, &p);
    char *want = text_of();
    assert_non_null(strstr(want, "\n# code sluice "));
    append("2.5\t9\t0.0"); /* a line cut short, as by a kill */
    for (int from = 0; from < 9; from += 4) {
        t->run.step = from; /* of the checkpoint: its own line was written before it */
        assert_int_equal(sl_history_open(&t->run, file(), true, &p, &h), SL_OK);
        write_steps(t, h, from + 1, 9);
        char *got = text_of();
        assert_string_equal(got, want);
        free(got);
    }
    free(want);
    t->run.step = 5;
    put("not a history\n");
    assert_int_equal(sl_history_open(&t->run, file(), true, &p, &h), SL_EINPUT);
    toy_free(t);
}

/* Bytes that this process has read so far; -1: the system does not tell. */
static int64_t bytes_read(void)
{
    long long n = -1;
    FILE *f = fopen("/proc/self/io", "r");
    if (!f) return -1;
    assert_int_equal(fscanf(f, "rchar: %lld", &n), 1);
    fclose(f);
    return n;
}

/* collective. */
static bool reads_are_counted(void)
{
    int counted = bytes_read() >= 0;
    MPI_Allreduce(MPI_IN_PLACE, &counted, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return counted;
}

/* Opens it to go on: at most `most` bytes are read, then it is as it was and what the list says of
 * it is true. */
static void reopen(struct toy *t, const struct sl_provenance *p, const char *want, int64_t most)
{
    struct sl_history *h;
    int64_t before = bytes_read();
    assert_int_equal(sl_history_open(&t->run, file(), true, p, &h), SL_OK);
    if (rank == 0) assert_in_range(bytes_read() - before, 0, most);
    sl_history_close(h);
    char *got = text_of();
    assert_string_equal(got, want);
    free(got);
    if (rank == 0 && t->run.sealed)
        assert_int_equal(sl_sealed_check(sl_sealed_find(t->run.sealed, file())), SL_OK);
}

/* Of a long file whose length and checksum are known the head alone, or once what stays of it; else
 * all of it once. */
static void reads_once(void **state)
{
    (void)state;
    enum { STEPS = 400, MORE = 8192 };
    if (!reads_are_counted()) skip();
    struct sl_provenance p;
    struct sl_sealed sealed = {0, NULL};
    struct toy *t = toy_with_history(STEPS, &sealed, &p);
    char *want = text_of();
    int64_t size = (int64_t)strlen(want);
    assert_true(size > 10 * MORE);
    reopen(t, &p, want, MORE);
    append("9\t1000\tlater than the checkpoint\n");
    reopen(t, &p, want, size + MORE);
    t->run.sealed = NULL;
    append("9\t1000\tlater than the checkpoint\n");
    reopen(t, &p, want, size + MORE);
    free(want);
    sl_sealed_release(&sealed);
    toy_free(t);
}

/* A file that changed since the checkpoint compared it is left as it is, and so is one that the
 * system does not show. */
static void is_not_replaced(void **state)
{
    (void)state;
    struct sl_provenance p;
    struct sl_history *h;
    struct sl_sealed sealed = {0, NULL};
    struct toy *t = toy_with_history(3, &sealed, &p);
    append("9\t1000\tlater than the checkpoint\n");
    char *text = text_of();
    strstr(text, "# code")[2] = 'k'; /* in what was sealed */
    put(text);
    assert_int_equal(sl_history_open(&t->run, file(), true, &p, &h), SL_EIO);
    if (rank == 0) assert_non_null(strstr(sl_error_text(), "is not what the checkpoint sealed"));
    char *got = text_of();
    assert_string_equal(got, text);
    free(got);
    free(text);
    if (rank == 0) assert_int_equal(unlink(file()), 0);
    char name[300]; /* too long: whether there is such a file is not known */
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    if (rank == 0) assert_int_equal(symlink(name, file()), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    assert_int_equal(sl_history_open(&t->run, file(), true, &p, &h), SL_EIO);
    if (rank == 0) assert_non_null(strstr(sl_error_text(), "cannot look at"));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) assert_int_equal(unlink(file()), 0);
    sl_sealed_release(&sealed);
    toy_free(t);
}

static void provenance(void **state)
{
    (void)state;
    struct toy *t = toy_new(1, 16, 4, 0);
    struct sl_provenance p;
    char path[SL_PATH_MAX];
    assert_int_equal(sl_path_join(path, top, "input"), SL_OK);
    if (rank == 0) assert_int_equal(sl_file_replace(path, "123456789", 9, SL_VOLATILE), SL_OK);
    snprintf(t->cfg.run_input, sizeof t->cfg.run_input, "%s", path);
    assert_int_equal(sl_provenance_make(MPI_COMM_WORLD, &t->cfg, &p), SL_OK);
    assert_string_equal(sl_provenance_get(&p, "input_crc32c"), "e3069283");
    assert_string_equal(sl_provenance_get(&p, "campaign"), "toy");
    assert_string_not_equal(sl_provenance_get(&p, "compiler"), "");
    assert_string_equal(sl_provenance_get(&p, "nothing"), "");
    snprintf(t->cfg.run_input, sizeof t->cfg.run_input, "%.400s.gone", path);
    assert_int_equal(sl_provenance_make(MPI_COMM_WORLD, &t->cfg, &p), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "input.gone"));
    sl_provenance_add(&p, true, "odd", "a\nb\033c");
    assert_string_equal(sl_provenance_get(&p, "odd"), "a b c");
    toy_free(t);
}

static int up(void **state)
{
    (void)state;
    if (rank == 0) scratch_make(top, "history");
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals),     cmocka_unit_test(goes_on),
        cmocka_unit_test(reads_once), cmocka_unit_test(is_not_replaced),
        cmocka_unit_test(provenance),
    };
    int failed = cmocka_run_group_tests(tests, up, down);
    MPI_Finalize();
    return failed;
}
