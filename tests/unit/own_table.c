/* own_table.c - CSV files that scripts write: with a line of names, as numpy.savetxt makes them,
 * with texts between the numbers; and files that are no tables. */
#include "pipeline/campaign/own_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/sys/file.h"

static char path[] = "/tmp/own_table_XXXXXX";

static int parse(struct sl_own_table *t, const char *text)
{
    assert_int_equal(sl_file_replace(path, text, strlen(text), SL_VOLATILE), SL_OK);
    return sl_own_table_read(t, path);
}

static void named(void **state)
{
    struct sl_own_table t;
    (void)state;
    assert_int_equal(parse(&t, "# a note\nk , P(k),what\r\n1, 2.5 ,a\n2,nan,b\n"), SL_OK);
    assert_int_equal(t.columns, 3);
    assert_int_equal(t.rows, 2);
    assert_string_equal(t.name[0], "k");
    assert_string_equal(t.name[1], "P(k)");
    assert_string_equal(t.name[2], "what");
    assert_true(sl_own_number(&t, 0, 1) == 2.5 && isnan(sl_own_number(&t, 1, 1)));
    assert_true(sl_own_table_has(&t, 1));
    assert_false(sl_own_table_has(&t, 2));
    sl_own_table_release(&t);
}

static void of_numpy(void **state)
{
    struct sl_own_table t;
    (void)state;
    assert_int_equal(parse(&t, "# x, y\n1.0e+00,4.0e+00\n2.0e+00,5.0e+00\n"), SL_OK);
    assert_int_equal(t.rows, 2);
    assert_string_equal(t.name[1], "y");
    assert_true(sl_own_number(&t, 0, 0) == 1 && sl_own_number(&t, 1, 1) == 5);
    sl_own_table_release(&t);
}

static void none(void **state)
{
    static const char *const texts[] = {
        "", "x\n1\n", "x,y\n", "1,2\n", "x,y\n1,2\na,3\n", "# x\n1,2\n", "{\"a\": 1, \"b\": 2}\n"};
    struct sl_own_table t;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (parse(&t, texts[i]) != SL_EINPUT) fail_msg("'%s' was taken for a table", texts[i]);
}

static void alike(void **state)
{
    static const struct {
        const char *text;
        bool like;
    } rows[] = {{"x,y\n1,7\n2,8\n", true},  {"x,y\n1.00000000001,0\n2,8\n", true},
                {"x,z\n1,7\n2,8\n", false}, {"x,y\n1,7\n2.1,8\n", false},
                {"x,y\n1,7\n", false},      {"x,y,z\n1,7,0\n2,8,0\n", false}};
    struct sl_own_table a, b;
    (void)state;
    assert_int_equal(parse(&a, "x,y\n1,2\n2,3\n"), SL_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(parse(&b, rows[i].text), SL_OK);
        if (sl_own_table_alike(&a, &b) != rows[i].like) fail_msg("row %zu", i);
        sl_own_table_release(&b);
    }
    sl_own_table_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(named), cmocka_unit_test(of_numpy),
                                       cmocka_unit_test(none), cmocka_unit_test(alike)};
    close(mkstemp(path));
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
