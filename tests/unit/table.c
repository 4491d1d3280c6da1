/* table.c - tests core/measure/table.h: what is written is what is read, what is refused. */
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

#include "core/measure/table.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

static char dir[] = "/tmp/sluice-table-XXXXXX";

static void test_round_trip(void **state)
{
    struct sl_tables tables = {0, 0, NULL};
    struct sl_table *t, back;
    char path[SL_PATH_MAX];
    (void)state;
    assert_int_equal(sl_tables_add(&tables, "first_0001", 3, 2, &t, "all of %d", 3), SL_OK);
    sl_table_column(t, 0, "k", "2 pi / L");
    sl_table_column(t, 1, "e", "code: energy");
    for (int r = 0; r < 3; r++) {
        *sl_table_at(t, r, 0) = r;
        *sl_table_at(t, r, 1) = r == 2 ? -1.25e-300 : 1.0 / (r + 3);
    }
    sl_table_note(t, "sum", 0.1);
    assert_int_equal(sl_table_write_csv(t, dir, SL_DURABLE), SL_OK);
    assert_int_equal(sl_path_join(path, dir, "first_0001.csv"), SL_OK);
    assert_int_equal(sl_table_read_csv(path, &back), SL_OK);
    assert_string_equal(back.name, "first_0001");
    assert_string_equal(back.about, "all of 3");
    assert_int_equal(back.nrow, 3);
    assert_int_equal(back.ncol, 2);
    assert_string_equal(back.column[0].unit, "2 pi / L");
    assert_string_equal(back.column[1].unit, "code: energy");
    assert_int_equal(sl_table_find(&back, "e"), 1);
    assert_int_equal(sl_table_find(&back, "x"), -1);
    assert_int_equal(back.nnote, 1);
    assert_true(back.note[0].value == 0.1);
    for (int i = 0; i < 6; i++)
        assert_true(fabs(back.value[i] - t->value[i]) <= 1e-9 * fabs(t->value[i]));
    sl_table_release(&back);
    sl_tables_release(&tables);
    unlink(path);
}

/* Ids of particles, up to the largest that a number holds. */
static void test_whole_numbers(void **state)
{
    static const double id[] = {12345678901, 9007199254740991, 9007199254740992, -98765432109, 7};
    struct sl_tables tables = {0, 0, NULL};
    struct sl_table *t, back;
    char path[SL_PATH_MAX];
    (void)state;
    assert_int_equal(sl_tables_add(&tables, "ids", 5, 1, &t, "ids"), SL_OK);
    sl_table_column(t, 0, "id", "1");
    memcpy(t->value, id, sizeof id);
    assert_int_equal(sl_table_write_csv(t, dir, SL_DURABLE), SL_OK);
    assert_int_equal(sl_path_join(path, dir, "ids.csv"), SL_OK);
    assert_int_equal(sl_table_read_csv(path, &back), SL_OK);
    assert_memory_equal(back.value, id, sizeof id);
    sl_table_release(&back);
    sl_tables_release(&tables);
    unlink(path);
}

static void test_summary_round_trip(void **state)
{
    struct sl_summary s = {.n = 0}, back = {.n = 0};
    char path[SL_PATH_MAX];
    (void)state;
    sl_summary_add(&s, "a", 1.0 / 3, 0, "1");
    sl_summary_add(&s, "b", -2e-200, 0.5, "code velocity");
    assert_int_equal(sl_path_join(path, dir, "summary.csv"), SL_OK);
    assert_int_equal(sl_summary_write_csv(&s, path), SL_OK);
    assert_int_equal(sl_summary_read_csv(path, &back), SL_OK);
    assert_int_equal(back.n, 2);
    assert_true(sl_summary_find(&back, "a")->value == 1.0 / 3);
    assert_true(sl_summary_find(&back, "b")->value == -2e-200);
    assert_string_equal(sl_summary_find(&back, "b")->unit, "code velocity");
    assert_null(sl_summary_find(&back, "c"));
    unlink(path);
}

static void test_refuses(void **state)
{
    static const char *const text[] = {"",          "# only words\n", "a,b\n1\n",    "a,b\n1,2,3\n",
                                       "a,b\n1,\n", "a,b\n1,two\n",   "a\n1\n\x01\n"};
    static const char *const summary[] = {"", "# x\n", "quantity,value,error,unit\na,1,0\n",
                                          "quantity,value,error,unit\na,b,0,1\n"};
    struct sl_table t = {.nrow = -5};
    struct sl_summary s = {.n = 0};
    char path[SL_PATH_MAX];
    (void)state;
    assert_int_equal(sl_path_join(path, dir, "bad.csv"), SL_OK);
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        assert_int_equal(sl_file_replace(path, text[i], strlen(text[i]), SL_VOLATILE), SL_OK);
        assert_int_equal(sl_table_read_csv(path, &t), SL_EINPUT);
        assert_int_equal(t.nrow, -5);
    }
    for (size_t i = 0; i < sizeof summary / sizeof summary[0]; i++) {
        assert_int_equal(sl_file_replace(path, summary[i], strlen(summary[i]), SL_VOLATILE), SL_OK);
        assert_int_equal(sl_summary_read_csv(path, &s), SL_EINPUT);
    }
    unlink(path);
}

/* A run of particles alone may measure no number. */
static void test_no_quantities(void **state)
{
    static const char text[] = "# x\nquantity,value,error,unit\n";
    struct sl_summary s = {.n = 0};
    char path[SL_PATH_MAX];
    (void)state;
    assert_int_equal(sl_path_join(path, dir, "none.csv"), SL_OK);
    assert_int_equal(sl_file_replace(path, text, sizeof text - 1, SL_VOLATILE), SL_OK);
    assert_int_equal(sl_summary_read_csv(path, &s), SL_OK);
    assert_int_equal(s.n, 0);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_whole_numbers),
        cmocka_unit_test(test_summary_round_trip), cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_no_quantities)};
    if (!mkdtemp(dir)) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(dir);
    return failed;
}
