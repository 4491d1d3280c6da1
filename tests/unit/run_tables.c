/* run_tables.c - tests core/stats/run_tables.h: what a run measured is what is read, to the bit;
 * what is refused. A second for a large file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/stats/run_tables.h"
#include "core/sys/sealed.h"
#include "core/sys/status.h"

#define FILE_NAME "snapshots/mocks_tables_0012.h5"

static char dir[] = "/tmp/sluice-run-tables-XXXXXX";
static struct sl_config cfg;

static double number(int i)
{
    return i % 7 == 3 ? (double)NAN : ldexp(1.0 / (i + 3), 37 * (i % 5) - 90);
}

static void fill(struct sl_table *t)
{
    for (int i = 0; i < t->nrow * t->ncol; i++)
        t->value[i] = number(i);
}

/* A table with notes, one without a row, a matrix. */
static void make(struct sl_tables *tables)
{
    struct sl_table *t;
    *tables = (struct sl_tables){0, 0, NULL};
    assert_int_equal(sl_tables_add(tables, "zeta_0012", 5, 3, &t, "P(k), <d^2>; 1:2, x"), SL_OK);
    sl_table_column(t, 0, "k", "h/Mpc");
    sl_table_column(t, 1, "power", "(Mpc/h)^3");
    sl_table_column(t, 2, "none", "");
    sl_table_note(t, "time", 0.1);
    sl_table_note(t, "lost", NAN);
    fill(t);
    assert_int_equal(sl_tables_add(tables, "haloes_0012", 0, 1, &t, "none"), SL_OK);
    sl_table_column(t, 0, "id", "1");
    assert_int_equal(sl_tables_add(tables, "a_map", 4, 6, &t, "a map"), SL_OK);
    t->matrix = true;
    sl_table_column(t, 0, "map", "code density");
    fill(t);
}

static struct sl_run_tables beside(void)
{
    struct sl_run_tables r;
    memset(&r, 0, sizeof r);
    r.time = 1.0 / 3, r.when = 0.7;
    r.measured.parseval = 3e-16;
    r.measured.sigma8 = 0.81, r.measured.haloes = 12;
    r.measured.clumps = NAN;
    r.measured.part[SL_PARTED_kinetic] = (struct sl_parts){true, 1, 0.5, 0.25};
    r.measured.slope[SL_SPECTRUM_density] = (struct sl_power_law){-1.5, 0.1, 0.02, 9};
    return r;
}

static void same_table(const struct sl_table *a, const struct sl_table *b)
{
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->about, b->about);
    assert_int_equal(a->matrix, b->matrix);
    assert_int_equal(a->nrow, b->nrow);
    assert_int_equal(a->ncol, b->ncol);
    assert_memory_equal(a->column, b->column, (size_t)a->ncol * sizeof *a->column);
    assert_memory_equal(a->value, b->value, (size_t)a->nrow * (size_t)a->ncol * sizeof *a->value);
    assert_int_equal(a->nnote, b->nnote);
    for (int i = 0; i < a->nnote; i++) {
        assert_string_equal(a->note[i].key, b->note[i].key);
        assert_memory_equal(&a->note[i].value, &b->note[i].value, sizeof a->note[i].value);
    }
}

static void write_one(struct sl_sealed *sealed)
{
    struct sl_tables tables;
    const struct sl_run_tables r = beside();
    make(&tables);
    assert_int_equal(sl_run_tables_write(&cfg, "snapshots", 12, &tables, &r, sealed), SL_OK);
    sl_tables_release(&tables);
}

static int read_one(struct sl_tables *tables, struct sl_run_tables *r)
{
    *tables = (struct sl_tables){0, 0, NULL};
    return sl_run_tables_read(&cfg, "snapshots", 12, tables, r);
}

static void refused(const char *words)
{
    struct sl_tables tables;
    struct sl_run_tables r;
    assert_int_equal(read_one(&tables, &r), SL_EINPUT);
    if (!strstr(sl_error_text(), words)) fail_msg("no '%s' in: %s", words, sl_error_text());
    sl_tables_release(&tables);
}

static void test_round_trip(void **state)
{
    struct sl_tables want, got;
    struct sl_run_tables r;
    const struct sl_run_tables then = beside();
    (void)state;
    write_one(NULL);
    make(&want);
    assert_int_equal(read_one(&got, &r), SL_OK);
    assert_int_equal(got.n, want.n);
    for (int i = 0; i < want.n; i++)
        same_table(&want.table[i], &got.table[i]);
    assert_true(r.time == then.time && r.when == then.when);
    assert_true(r.measured.parseval == 3e-16 && r.measured.sigma8 == 0.81);
    assert_true(r.measured.haloes == 12 && isnan(r.measured.clumps));
    assert_false(r.measured.part[SL_PARTED_velocity].measured);
    assert_memory_equal(&r.measured.part[SL_PARTED_kinetic].whole,
                        &then.measured.part[SL_PARTED_kinetic].whole, 3 * sizeof(double));
    assert_true(r.measured.slope[SL_SPECTRUM_density].exponent == -1.5);
    assert_int_equal(r.measured.slope[SL_SPECTRUM_density].points, 9);
    sl_tables_release(&want);
    sl_tables_release(&got);
}

/* A run may go on to a later end, in another way to keep it; of another universe, grid or start it
 * is another run. */
static void test_other_keys(void **state)
{
    (void)state;
    write_one(NULL);
    struct sl_config was = cfg;
    struct sl_tables tables;
    struct sl_run_tables r;
    cfg.time_end = 7, cfg.time_max_steps = 8, cfg.output_keep = 9, cfg.resources_ranks = 2;
    assert_int_equal(read_one(&tables, &r), SL_OK);
    sl_tables_release(&tables);
    cfg.statistics_haloes = 0.25;
    refused(
        "was measured with statistics.haloes: 0, and the recipe now says statistics.haloes: 0.25");
    refused(FILE_NAME);
    refused("nearest: statistics.haloes: 0, or a new run");
    cfg = was;
    cfg.cosmology_sigma8 = 0.5;
    refused("the recipe now says cosmology.sigma8: 0.5");
    cfg = was;
    cfg.mesh_cells[0] = 48, cfg.mesh_cells_n = 1;
    refused("the recipe now says mesh.cells: [48");
    cfg = was;
    cfg.ic_redshift = 49;
    refused("the recipe now says ic.redshift: 49");
    cfg = was;
    cfg.seed = 77;
    refused("the recipe now says seed: 77");
    cfg = was;
}

/* The number is that of the moment, also under another name. */
static void test_other_name(void **state)
{
    (void)state;
    write_one(NULL);
    assert_int_equal(rename(FILE_NAME, "snapshots/mocks_tables_0013.h5"), 0);
    struct sl_tables tables = {0, 0, NULL};
    struct sl_run_tables r;
    assert_int_equal(sl_run_tables_read(&cfg, "snapshots", 13, &tables, &r), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "tables_0013.h5: it is of moment 12, not 13"));
    sl_tables_release(&tables);
    unlink("snapshots/mocks_tables_0013.h5");
}

/* What an earlier run left is not among what the last one wrote. */
static void test_left_over(void **state)
{
    struct sl_sealed none = {0, NULL};
    struct sl_tables tables;
    struct sl_run_tables r;
    (void)state;
    write_one(NULL);
    assert_int_equal(read_one(&tables, &r), SL_OK);
    sl_tables_release(&tables);
    assert_int_equal(sl_sealed_store(&none, "written.tsv"), SL_OK);
    refused(FILE_NAME " is not among what the last run");
    unlink("written.tsv");
}

/* A file of any size is summed in pieces: a hole of a gigabyte, and a byte. */
static void test_large(void **state)
{
    struct sl_sealed sealed = {0, NULL};
    const int64_t size = (INT64_C(1) << 30) + 1;
    (void)state;
    FILE *f = fopen("large", "wb");
    assert_non_null(f);
    assert_int_equal(ftruncate(fileno(f), (off_t)size), 0);
    fclose(f);
    assert_int_equal(sl_sealed_add(&sealed, "large"), SL_OK);
    assert_true(sealed.n == 1 && sealed.file[0].size == size);
    assert_int_equal(sl_sealed_check(&sealed.file[0]), SL_OK);
    sl_sealed_release(&sealed);
    unlink("large");
}

static void poke(long at)
{
    FILE *f = fopen(FILE_NAME, "r+b");
    assert_non_null(f);
    fseek(f, at, SEEK_SET);
    int c = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(c ^ 1, f);
    fclose(f);
}

static void test_damage(void **state)
{
    struct sl_sealed sealed = {0, NULL};
    (void)state;
    write_one(&sealed);
    assert_int_equal(sealed.n, 1);
    assert_string_equal(sealed.file[0].path, FILE_NAME);
    assert_int_equal(sl_sealed_check(&sealed.file[0]), SL_OK);
    assert_int_equal(sl_sealed_store(&sealed, "written.tsv"), SL_OK);
    poke((long)sealed.file[0].size - 100);
    refused(FILE_NAME);
    unlink("written.tsv");
    assert_int_equal(truncate(FILE_NAME, sealed.file[0].size / 2), 0);
    refused(FILE_NAME);
    unlink(FILE_NAME);
    refused(FILE_NAME);
    sl_sealed_release(&sealed);
}

static int up(void **state)
{
    (void)state;
    sl_config_default(&cfg);
    snprintf(cfg.campaign, sizeof cfg.campaign, "mocks");
    return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int down(void **state)
{
    (void)state;
    unlink(FILE_NAME);
    return rmdir("snapshots") == 0 && chdir("/") == 0 ? rmdir(dir) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_other_keys),
        cmocka_unit_test(test_other_name), cmocka_unit_test(test_left_over),
        cmocka_unit_test(test_large),      cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, up, down);
}
