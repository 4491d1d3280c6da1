/* record - an end-record holds for the products it was made from, and for nothing else: a byte, a
 * length, a file or the record itself may not change unseen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/crc32c.h"
#include "core/sys/sealed.h"
#include "core/sys/status.h"
#include "pipeline/campaign/record.h"
#include "tests/scratch.h"

static char top[256];

static const char *in_top(const char *name)
{
    static char path[SL_PATH_MAX];
    assert_int_equal(sl_disk_join(path, "%s/%s", top, name), SL_OK);
    return path;
}

static void put(const char *name, const char *text)
{
    assert_int_equal(sl_file_replace(in_top(name), text, strlen(text), SL_VOLATILE), SL_OK);
}

static int verify(enum sl_record_check how)
{
    return sl_record_verify(top, SL_STAGE_sim, how, NULL, NULL);
}

/* A run's products with their record. */
static int make(void **state)
{
    (void)state;
    scratch_make(top, "record");
    assert_int_equal(sl_mkdir_all(in_top("snapshots")), SL_OK);
    assert_int_equal(sl_mkdir_all(in_top("attempts")), SL_OK);
    put("history.tsv", "# time\n0\n1\n");
    put("snapshots/a_0000", "first");
    put("snapshots/a_0001", "second");
    assert_int_equal(symlink("a_0000", in_top("snapshots/a_0000.vtkhdf")), 0);
    assert_int_equal(sl_record_write(top, SL_STAGE_sim, NULL, NULL), SL_OK);
    return 0;
}

static int drop(void **state)
{
    (void)state;
    scratch_remove(top);
    return 0;
}

static void holds(void **state)
{
    (void)state;
    int files = 0;
    double bytes = 0;
    assert_int_equal(verify(SL_CHECK_NEEDED), SL_OK);
    assert_int_equal(sl_record_verify(top, SL_STAGE_sim, SL_CHECK_SUM, &files, &bytes), SL_OK);
    assert_int_equal(files, 3);
    assert_true(bytes == 22);
    assert_int_equal(sl_record_verify(top, SL_STAGE_stats, SL_CHECK_NEEDED, NULL, NULL), SL_EGUARD);
}

static void sees_every_byte(void **state)
{
    (void)state;
    char text[] = "second";
    for (size_t i = 0; i < sizeof text - 1; i++)
        for (int bit = 0; bit < 8; bit++) {
            text[i] ^= (char)(1 << bit);
            FILE *f = fopen(in_top("snapshots/a_0001"), "w");
            fwrite(text, 1, sizeof text - 1, f);
            fclose(f);
            assert_int_equal(verify(SL_CHECK_SUM), SL_EGUARD);
            text[i] ^= (char)(1 << bit);
        }
    put("snapshots/a_0001", "second");
    assert_int_equal(verify(SL_CHECK_SUM), SL_OK);
}

static void sees_lengths_and_absence(void **state)
{
    (void)state;
    put("history.tsv", "# time\n0\n");
    assert_int_equal(verify(SL_CHECK_NEEDED), SL_EGUARD);
    put("history.tsv", "# time\n0\n1\n");
    assert_int_equal(verify(SL_CHECK_NEEDED), SL_OK);
    unlink(in_top("snapshots/a_0000"));
    assert_int_equal(verify(SL_CHECK_NEEDED), SL_EGUARD);
    /* a link to the same bytes is not the product */
    put("elsewhere", "first");
    assert_int_equal(symlink("../elsewhere", in_top("snapshots/a_0000")), 0);
    assert_int_equal(verify(SL_CHECK_NEEDED), SL_EGUARD);
    assert_int_equal(verify(SL_CHECK_SUM), SL_EGUARD);
}

static void damaged_records(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "{",
        "[]",
        "{\"products\":[]}",
        "{\"products\":[{}]}",
        "{\"products\":[{\"path\":7}]}",
        "{\"products\":[{\"path\":\"/etc/passwd\",\"size\":1,\"crc32c\":\"0\"}]}",
        "{\"products\":[{\"path\":\"../x\",\"size\":1,\"crc32c\":\"0\"}]}",
        "{\"products\":[{\"path\":\"a/..\",\"size\":1,\"crc32c\":\"0\"}]}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put("attempts/sim.end.json", texts[i]);
        assert_int_equal(verify(SL_CHECK_NEEDED), SL_EGUARD);
        assert_int_equal(verify(SL_CHECK_SUM), SL_EGUARD);
    }
}

static void missing_products(void **state)
{
    (void)state;
    unlink(in_top("attempts/sim.end.json"));
    unlink(in_top("history.tsv"));
    assert_int_equal(sl_record_write(top, SL_STAGE_sim, NULL, NULL), SL_EGUARD);
    assert_false(sl_record_exists(top, SL_STAGE_sim));
    put("history.tsv", "1");
    scratch_remove(in_top("snapshots"));
    assert_int_equal(sl_mkdir_all(in_top("snapshots")), SL_OK);
    assert_int_equal(sl_record_write(top, SL_STAGE_sim, NULL, NULL), SL_EGUARD);
    assert_false(sl_record_exists(top, SL_STAGE_sim));
}

static void forgets_on_purpose(void **state)
{
    (void)state;
    int files = 0;
    assert_int_equal(sl_record_forget(top, SL_STAGE_sim, "snapshots"), SL_OK);
    scratch_remove(in_top("snapshots"));
    assert_int_equal(sl_record_verify(top, SL_STAGE_sim, SL_CHECK_SUM, &files, NULL), SL_OK);
    assert_int_equal(files, 1);
    assert_int_equal(verify(SL_CHECK_NEEDED), SL_EGUARD); /* but the next stage cannot work */
}

static void revoked(void **state)
{
    (void)state;
    assert_int_equal(sl_record_revoke(top, SL_STAGE_sim), SL_OK);
    assert_false(sl_record_exists(top, SL_STAGE_sim));
    assert_int_equal(sl_record_write(top, SL_STAGE_sim, NULL, NULL), SL_OK);
    assert_int_equal(verify(SL_CHECK_SUM), SL_OK);
}

/* What a run says that it wrote: the history and the first snapshot. */
static void vouch(void)
{
    struct sl_sealed wrote = {0};
    assert_int_equal(
        sl_sealed_set(&wrote, "history.tsv", 11, sl_crc32c(0, "# time\n0\n1\n", 11), true), SL_OK);
    assert_int_equal(sl_sealed_set(&wrote, "snapshots/a_0000", 5, sl_crc32c(0, "first", 5), false),
                     SL_OK);
    assert_int_equal(sl_sealed_store(&wrote, in_top("written.tsv")), SL_OK);
    sl_sealed_release(&wrote);
}

/* Of a run that says what it wrote, products are those files as they were written, and no other
 * snapshot. */
static void only_what_the_run_wrote(void **state)
{
    (void)state;
    struct sl_sealed read;
    vouch();
    assert_int_equal(sl_sealed_load(&read, in_top("written.tsv")), SL_OK);
    assert_int_equal(read.n, 2);
    sl_sealed_release(&read);
    assert_int_equal(sl_record_write(top, SL_STAGE_sim, NULL, NULL), SL_OK);
    assert_int_equal(verify(SL_CHECK_SUM), SL_OK);
    assert_int_equal(verify(SL_CHECK_READ), SL_EGUARD);
    assert_non_null(strstr(sl_error_text(), "snapshots/a_0001 is in no record"));
    unlink(in_top("snapshots/a_0001"));
    assert_int_equal(verify(SL_CHECK_READ), SL_OK);
    put("snapshots/a_0000", "other");
    assert_int_equal(sl_record_write(top, SL_STAGE_sim, NULL, NULL), SL_EGUARD);
    assert_non_null(strstr(sl_error_text(), "snapshots/a_0000 is not what the run wrote"));
    put("written.tsv", "# sluice written 1\n");
    assert_int_equal(sl_record_write(top, SL_STAGE_sim, NULL, NULL), SL_EINPUT);
}

static void cannot_be_made_again(const char *why)
{
    put("attempts/sim.end.json", "{\"v\":1,");
    assert_int_equal(sl_record_remake(top, SL_STAGE_sim), SL_EGUARD);
    assert_non_null(strstr(sl_error_text(), "cannot be made again: "));
    if (!strstr(sl_error_text(), why)) fail_msg("%s", sl_error_text());
    assert_int_equal(verify(SL_CHECK_SUM), SL_EGUARD);
}

/* The record of a run is made again where the run says what it wrote and all of it is there, and
 * nothing besides; else it stays, and the reason is told. */
static void made_again(void **state)
{
    static const char *const bad[] = {"", "{\"v\":1,", "garbage\001\377", "[]",
                                      "{\"products\":[{\"path\":\"history.tsv\"}]}"};
    (void)state;
    sl_log_level = SL_LOG_ERROR;
    unlink(in_top("snapshots/a_0001"));
    put("progress.json", "{}");
    cannot_be_made_again("there is no written.tsv");
    vouch();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put("attempts/sim.end.json", bad[i]);
        assert_int_equal(verify(SL_CHECK_READ), SL_EGUARD);
        assert_int_equal(sl_record_remake(top, SL_STAGE_sim), SL_OK);
        assert_int_equal(verify(SL_CHECK_READ), SL_OK);
        assert_int_equal(verify(SL_CHECK_SUM), SL_OK);
    }
    assert_int_equal(sl_record_remake(top, SL_STAGE_stats), SL_EGUARD);
    put("verify.tsv", "1");
    cannot_be_made_again("nothing but the record told the checksum of verify.tsv");
    unlink(in_top("verify.tsv"));
    put("snapshots/a_0001", "mine");
    cannot_be_made_again("snapshots/a_0001 is in no record");
    unlink(in_top("snapshots/a_0001"));
    put("snapshots/a_0000", "other");
    cannot_be_made_again("snapshots/a_0000 is not what the run wrote");
    unlink(in_top("snapshots/a_0000"));
    cannot_be_made_again("snapshots is missing");
}

/* Of a record that can be read run.yaml must be as it says. */
static void not_of_other_inputs(void **state)
{
    (void)state;
    sl_log_level = SL_LOG_ERROR;
    unlink(in_top("snapshots/a_0001"));
    vouch();
    put("run.yaml", "seed: 1\n");
    assert_int_equal(sl_record_write(top, SL_STAGE_sim, NULL, NULL), SL_OK);
    assert_int_equal(sl_record_remake(top, SL_STAGE_sim), SL_OK);
    put("run.yaml", "seed: 2\n");
    assert_int_equal(sl_record_remake(top, SL_STAGE_sim), SL_EGUARD);
    assert_non_null(strstr(sl_error_text(), "run.yaml is damaged"));
}

static const char account[] = "{\"v\":1,\"step\":9,\"state\":\"done\"}\n";

static int mended(void)
{
    int count = 0;
    sl_log_level = SL_LOG_ERROR;
    assert_int_equal(sl_record_mend(top, SL_STAGE_sim, &count), SL_OK);
    return count;
}

static bool is_there_again(void)
{
    char *text;
    size_t n;
    assert_int_equal(sl_file_read(in_top("progress.json"), 1000, &text, &n), SL_OK);
    bool same = strcmp(text, account) == 0;
    free(text);
    return same;
}

/* What a run says of itself is in its record: a bad one stops no reader, and is made again. */
static void accounts(void **state)
{
    static const char *const bad[] = {"", "{\"v\":1,\"st", "garbage\001\377"};
    (void)state;
    put("progress.json", account);
    assert_int_equal(sl_record_write(top, SL_STAGE_sim, NULL, NULL), SL_OK);
    assert_int_equal(mended(), 0);
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            put("progress.json", bad[i]);
        else
            unlink(in_top("progress.json"));
        assert_int_equal(verify(SL_CHECK_SUM), SL_EGUARD);
        assert_int_equal(verify(SL_CHECK_READ), SL_OK);
        assert_int_equal(verify(SL_CHECK_TABLES), SL_OK);
        assert_int_equal(mended(), 1);
        assert_true(is_there_again());
        assert_int_equal(verify(SL_CHECK_SUM), SL_OK);
    }
}

/* A record of an older version has no text of it: it is done without. */
static void accounts_of_older_records(void **state)
{
    const char *end = "attempts/sim.end.json";
    (void)state;
    put("progress.json", account);
    assert_int_equal(sl_record_write(top, SL_STAGE_sim, NULL, NULL), SL_OK);
    json_t *record = json_load_file(in_top(end), 0, NULL), *row;
    size_t i;
    json_array_foreach(json_object_get(record, "products"), i, row)
    {
        json_object_del(row, "text");
    }
    assert_int_equal(json_dump_file(record, in_top(end), 0), 0);
    json_decref(record);
    assert_int_equal(mended(), 0);
    put("progress.json", "garbage");
    assert_int_equal(mended(), 1);
    assert_int_equal(access(in_top("progress.json"), F_OK), -1);
    assert_int_equal(verify(SL_CHECK_SUM), SL_OK);
    assert_int_equal(mended(), 0);
}

/* The lines of run.yaml that decide what is computed belong to the record; means may change. */
static void seals_the_recipe(void **state)
{
    (void)state;
    put("run.yaml", "seed: 1\nresources.ranks: 1\nfluid.cfl: 0.3\n");
    assert_int_equal(sl_record_write(top, SL_STAGE_sim, NULL, NULL), SL_OK);
    assert_int_equal(verify(SL_CHECK_READ), SL_OK);
    put("run.yaml", "seed: 1\nresources.ranks: 24\nfluid.cfl: 0.3\n");
    assert_int_equal(verify(SL_CHECK_READ), SL_OK);
    put("run.yaml", "seed: 1\nresources.ranks: 1\nfluid.cfl: 0.4\n");
    assert_int_equal(verify(SL_CHECK_READ), SL_EGUARD);
    assert_int_equal(verify(SL_CHECK_SUM), SL_EGUARD);
    put("run.yaml", "seed: 1\nresources.ranks: 1 fluid.cfl: 0.3\n");
    assert_int_equal(verify(SL_CHECK_READ), SL_EGUARD);
    unlink(in_top("run.yaml"));
    assert_int_equal(verify(SL_CHECK_READ), SL_EGUARD);
}

/* A reader wants all bytes; the report none of the fields. */
static void readers(void **state)
{
    (void)state;
    assert_int_equal(verify(SL_CHECK_READ), SL_OK);
    put("snapshots/a_0001", "sECond");
    assert_int_equal(verify(SL_CHECK_NEEDED), SL_OK);
    assert_int_equal(verify(SL_CHECK_READ), SL_EGUARD);
    assert_int_equal(verify(SL_CHECK_TABLES), SL_OK);
    put("history.tsv", "# time\n0\n2\n");
    assert_int_equal(verify(SL_CHECK_TABLES), SL_EGUARD);
}

static int files_of_ensemble(void)
{
    int files = 0;
    assert_int_equal(sl_record_verify(top, SL_STAGE_ensemble, SL_CHECK_SUM, &files, NULL), SL_OK);
    return files;
}

/* Products are what the attempt wrote: what an earlier one left goes, what a person put there
 * stays. */
static void only_what_was_written(void **state)
{
    (void)state;
    assert_int_equal(sl_mkdir_all(in_top("ensemble/group-2")), SL_OK);
    put("ensemble/summary.csv", "1");
    put("ensemble/group-2/summary.csv", "2");
    assert_int_equal(sl_record_write(top, SL_STAGE_ensemble, NULL, NULL), SL_OK);
    assert_int_equal(files_of_ensemble(), 2);
    put("ensemble/notes.txt", "mine");
    json_t *before = sl_record_before(top, SL_STAGE_ensemble);
    put("ensemble/summary.csv", "1");
    put("ensemble/members.csv", "3");
    assert_int_equal(sl_record_write(top, SL_STAGE_ensemble, NULL, before), SL_OK);
    json_decref(before);
    assert_int_equal(files_of_ensemble(), 2);
    assert_int_not_equal(access(in_top("ensemble/group-2/summary.csv"), F_OK), 0);
    assert_int_equal(access(in_top("ensemble/notes.txt"), F_OK), 0);
    before =
        sl_record_before(top, SL_STAGE_ensemble); /* an attempt that writes nothing made nothing */
    assert_int_equal(sl_record_write(top, SL_STAGE_ensemble, NULL, before), SL_EGUARD);
    json_decref(before);
}

/* Beside the products lies nothing that who lists their folder would take for one. */
static void nothing_else(void **state)
{
    (void)state;
    static const char *const fine[] = {"snapshots/a_0001.vtkhdf",
                                       "snapshots/a_0002.tmp-00c4f3a19b02d5e7",
                                       "snapshots/a_0002.vtkhdf.tmp",
                                       "snapshots/.nfs0001",
                                       "notes.txt",
                                       "snapshots.csv"};
    static const char *const foreign[] = {"snapshots/a_0002", "snapshots/note.txt",
                                          "snapshots/.a.csv", "snapshots/b.tmp-1.csv",
                                          "snapshots/.a_0003"};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        put(fine[i], "x");
    assert_int_equal(sl_record_verify_folders(top, SL_STAGE_sim), SL_OK);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        put(foreign[i], "x");
        assert_int_equal(sl_record_verify_folders(top, SL_STAGE_sim), SL_EGUARD);
        assert_non_null(strstr(sl_error_text(), foreign[i]));
        assert_int_equal(verify(SL_CHECK_READ), SL_EGUARD);
        assert_int_equal(verify(SL_CHECK_SUM), SL_OK); /* the stage run again would not mend it */
        unlink(in_top(foreign[i]));
    }
    assert_int_equal(symlink("a_0000", in_top("snapshots/a_0002")), 0);
    assert_int_equal(verify(SL_CHECK_READ), SL_EGUARD);
    unlink(in_top("snapshots/a_0002"));
    assert_int_equal(verify(SL_CHECK_READ), SL_OK);
    /* those that `clean` has deleted in the record, and not yet on the disk */
    assert_int_equal(sl_record_forget(top, SL_STAGE_sim, "snapshots"), SL_OK);
    assert_int_equal(sl_record_verify_folders(top, SL_STAGE_sim), SL_OK);
}

/* What an attempt left whose record was set aside is not in the way of the next one. */
static void after_a_revoked_one(void **state)
{
    (void)state;
    assert_int_equal(sl_mkdir_all(in_top("ensemble")), SL_OK);
    put("ensemble/summary.csv", "1");
    put("ensemble/groups.csv", "2");
    assert_int_equal(sl_record_write(top, SL_STAGE_ensemble, NULL, NULL), SL_OK);
    assert_int_equal(sl_record_revoke(top, SL_STAGE_ensemble), SL_OK);
    json_t *before = sl_record_before(top, SL_STAGE_ensemble);
    put("ensemble/summary.csv", "3");
    assert_int_equal(sl_record_write(top, SL_STAGE_ensemble, NULL, before), SL_OK);
    json_decref(before);
    assert_int_equal(files_of_ensemble(), 1);
    assert_int_equal(sl_record_verify(top, SL_STAGE_ensemble, SL_CHECK_READ, NULL, NULL), SL_OK);
}

/* Two dots within a name lead nowhere. */
static void dots_in_a_name(void **state)
{
    (void)state;
    put("snapshots/mach3..10", "third");
    assert_int_equal(sl_record_write(top, SL_STAGE_sim, NULL, NULL), SL_OK);
    assert_int_equal(verify(SL_CHECK_SUM), SL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(holds, make, drop),
        cmocka_unit_test_setup_teardown(sees_every_byte, make, drop),
        cmocka_unit_test_setup_teardown(sees_lengths_and_absence, make, drop),
        cmocka_unit_test_setup_teardown(damaged_records, make, drop),
        cmocka_unit_test_setup_teardown(dots_in_a_name, make, drop),
        cmocka_unit_test_setup_teardown(missing_products, make, drop),
        cmocka_unit_test_setup_teardown(forgets_on_purpose, make, drop),
        cmocka_unit_test_setup_teardown(seals_the_recipe, make, drop),
        cmocka_unit_test_setup_teardown(accounts, make, drop),
        cmocka_unit_test_setup_teardown(accounts_of_older_records, make, drop),
        cmocka_unit_test_setup_teardown(readers, make, drop),
        cmocka_unit_test_setup_teardown(only_what_was_written, make, drop),
        cmocka_unit_test_setup_teardown(only_what_the_run_wrote, make, drop),
        cmocka_unit_test_setup_teardown(made_again, make, drop),
        cmocka_unit_test_setup_teardown(not_of_other_inputs, make, drop),
        cmocka_unit_test_setup_teardown(nothing_else, make, drop),
        cmocka_unit_test_setup_teardown(after_a_revoked_one, make, drop),
        cmocka_unit_test_setup_teardown(revoked, make, drop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
