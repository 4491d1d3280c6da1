/* report.c - buffers, tables and numbers of the report, and what it makes of hostile text.
 *
 * Shapes none. Units none. Errors none. Owns temporary files. MPI none. Where host. Refs none. */
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

#include "pipeline/report/page.h"
#include "pipeline/report/plot.h"

static char folder[] = "/tmp/sluice-report-XXXXXX";

static const char *put(const char *name, const char *text)
{
    static char path[128];
    struct sl_buffer b = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    sl_buffer_add(&b, "%s", text);
    assert_int_equal(sl_buffer_write(&b, path), SL_OK);
    sl_buffer_release(&b);
    return path;
}

static void escapes(void **state)
{
    (void)state;
    struct sl_buffer b = {0};
    sl_buffer_html(&b, "<a href=\"x\" b='y'>&\x01\x1b[31m\n");
    assert_string_equal(b.s, "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;  [31m\n");
    sl_buffer_release(&b);
}

static void base64(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
        {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xff\xfe\xfd", "//79"}}; /* RFC 4648 section 10 */
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct sl_buffer b = {0};
        sl_buffer_base64(&b, (const unsigned char *)pairs[i][0], strlen(pairs[i][0]));
        assert_string_equal(b.s ? b.s : "", pairs[i][1]);
        sl_buffer_release(&b);
    }
}

static void named_table(void **state)
{
    (void)state;
    struct sl_csv t;
    const char *path =
        put("a.csv", "# about\n# time: 0.25\nq,value,unit\nmach,5.5,1\nshort,7\nbad,x,1\n");
    assert_int_equal(sl_csv_read(&t, path, SL_CSV_NAMED), SL_OK);
    assert_int_equal(t.rows, 3);
    assert_int_equal(t.columns, 3);
    assert_int_equal(sl_csv_column(&t, "unit"), 2);
    assert_int_equal(sl_csv_column(&t, "val"), -1);
    assert_true(sl_csv_note(&t, "time") == 0.25);
    assert_true(isnan(sl_csv_note(&t, "tim")));
    assert_string_equal(sl_csv_note_text(&t, "time"), "0.25");
    assert_string_equal(sl_csv_note_text(&t, "tim"), "");
    assert_true(sl_csv_number(&t, sl_csv_row(&t, "mach"), 1) == 5.5);
    assert_string_equal(sl_csv_text(&t, 1, 2), "");
    assert_true(isnan(sl_csv_number(&t, 2, 1)));
    assert_true(isnan(sl_csv_number(&t, 9, 1)));
    sl_csv_release(&t);
}

static void history_table(void **state)
{
    (void)state;
    struct sl_csv t;
    const char *path =
        put("h.tsv", "# sluice history 1\n# host a b\n# time[code]\tmass[code]\n0\t1\n1\t2\n");
    assert_int_equal(sl_csv_read(&t, path, SL_CSV_HISTORY), SL_OK);
    assert_int_equal(t.comments, 2);
    assert_string_equal(t.comment[1], "host a b");
    assert_true(sl_csv_number(&t, 1, sl_csv_column(&t, "mass")) == 2);
    sl_csv_release(&t);
    path = put("h.tsv", "time[code]\tmass[code]\n# sluice history 1\n# host a b\n0\t1\n1\t2\n");
    assert_int_equal(sl_csv_read(&t, path, SL_CSV_HISTORY), SL_OK);
    assert_int_equal(t.rows, 2);
    assert_int_equal(t.comments, 2);
    assert_true(sl_csv_number(&t, 1, sl_csv_column(&t, "mass")) == 2);
    sl_csv_release(&t);
    path = put("v.tsv", "variable\tL1\tLinf\n# time: 1\ndensity\t2\t3\nrms_l1\t4\tnan\n");
    assert_int_equal(sl_csv_read(&t, path, SL_CSV_HISTORY), SL_OK);
    assert_int_equal(t.rows, 2);
    assert_true(sl_csv_number(&t, sl_csv_row(&t, "rms_l1"), 1) == 4);
    sl_csv_release(&t);
}

static void odd_tables(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "#", "\n\n", "a", "a,b\r\n1,2\r\n", "# x\n\n,,,\n", "a\n1,2,3\n"};
    for (int kind = SL_CSV_NAMED; kind <= SL_CSV_HISTORY; kind++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            struct sl_csv t;
            if (sl_csv_read(&t, put("odd.csv", texts[i]), (enum sl_csv_kind)kind) == SL_OK)
                sl_csv_release(&t);
        }
    struct sl_csv t;
    char missing[128];
    snprintf(missing, sizeof missing, "%s/missing.csv", folder);
    assert_int_equal(sl_csv_read(&t, missing, SL_CSV_NAMED), SL_EIO);
}

static void number_is(double value, double error, const char *want)
{
    struct sl_buffer b = {0};
    sl_page_number(&b, value, error);
    assert_string_equal(b.s, want);
    sl_buffer_release(&b);
}

static void numbers(void **state)
{
    (void)state;
    number_is(NAN, 1, "–");
    number_is(1200, NAN, "1200");
    number_is(-1.0378, 0.0071, "−1.0378 <small>± 0.0071</small>");
    number_is(4.97249, 0.033, "4.972 <small>± 0.033</small>");
    number_is(1234.5, 120, "1234 <small>± 120</small>");
    number_is(2.2e-15, NAN, "2.2 × 10<sup>−15</sup>");
    number_is(3.14e-5, 2.1e-6, "(3.14 ± 0.21) × 10<sup>−5</sup>");
    number_is(0, 0, "0");
    number_is(0.5, 0, "0.5000");
}

static void drawing(void **state)
{
    (void)state;
    struct sl_buffer b = {0};
    const char *path =
        put("a.svg", "<?xml?><svg width=\"4\" viewBox=\"0 0 4 3\"><desc>x</desc>"
                     "<path id='gpDot' stroke='rgb( 11, 110, 143)'/><use href='#gpDot'/>"
                     "<g fill=\"#ffffff\" color=\"#123456\"/></svg>");
    assert_int_equal(sl_plot_inline(&b, path, "n", "a<b", "c"), SL_OK);
    assert_non_null(strstr(b.s, "<title id=\"n-t\">a&lt;b</title>"));
    assert_non_null(strstr(b.s, "id='n-gpDot' stroke='var(--accent)'"));
    assert_non_null(strstr(b.s, "href='#n-gpDot'"));
    assert_non_null(strstr(b.s, "fill=\"var(--paper)\" color=\"#123456\""));
    assert_null(strstr(b.s, "<?xml"));
    sl_buffer_release(&b);
    assert_int_equal(sl_plot_inline(&b, put("b.svg", "nothing"), "n", "", ""), SL_EINPUT);
    sl_buffer_release(&b);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"a.csv", "h.tsv",    "v.tsv", "odd.csv",    "a.svg",
                                        "b.svg", "texts.gp", "said",  "gnuplot.log"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

/* gnuplot gives each text back as it is, and obeys none. */
static void gnuplot_texts(void **state)
{
    (void)state;
    static const char *const hostile[] = {"x\"; system(\"touch obeyed\"); y=\"",
                                          "`touch obeyed`",
                                          "\\\"; system(\"touch obeyed\") #",
                                          "'; system('touch obeyed'); '",
                                          "@home",
                                          "$x \\140touch obeyed\\140 {",
                                          "ends in \\",
                                          "",
                                          "\u03c1 {} # ; \\n"};
    enum { TEXTS = sizeof hostile / sizeof *hostile };
    struct sl_buffer script = {0}, said = {0}, want = {0};
    char path[128];
    sl_buffer_add(&script, "home = \"obeyed\"\nset print \"said\"\n");
    for (int i = 0; i < TEXTS; i++) {
        sl_buffer_add(&script, "print %s\n", sl_plot_text(hostile[i]).s);
        sl_buffer_add(&want, "%s\n", hostile[i]);
    }
    put("texts.gp", script.s);
    assert_int_equal(sl_plot_run(folder, "texts.gp"), SL_OK);
    snprintf(path, sizeof path, "%s/said", folder);
    assert_int_equal(sl_buffer_read(&said, path, 1 << 16), SL_OK);
    assert_string_equal(said.s, want.s);
    snprintf(path, sizeof path, "%s/obeyed", folder);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_string_equal(sl_plot_text("a\nsystem \x1b").s, "\"a?system ?\"");
    sl_buffer_release(&script);
    sl_buffer_release(&said);
    sl_buffer_release(&want);
}

/* One that is too long ends within its quotes. */
static void long_text(void **state)
{
    (void)state;
    char text[4096];
    for (int letter = 0; letter < 2; letter++) {
        memset(text, letter ? '"' : 'x', sizeof text - 1);
        text[sizeof text - 1] = '\0';
        struct sl_plot_quoted q = sl_plot_text(text);
        size_t n = strlen(q.s);
        assert_true(n < sizeof q.s && n > 1000 && q.s[0] == '"' && q.s[n - 1] == '"');
        assert_non_null(strchr(letter ? "2" : "x", q.s[n - 2]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes),     cmocka_unit_test(base64),
        cmocka_unit_test(named_table), cmocka_unit_test(history_table),
        cmocka_unit_test(odd_tables),  cmocka_unit_test(numbers),
        cmocka_unit_test(drawing),     cmocka_unit_test(gnuplot_texts),
        cmocka_unit_test(long_text),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
