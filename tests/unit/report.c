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

#include "core/config/config.h"
#include "core/config/show.h"
#include "pipeline/report/across.h"
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
    number_is(11413.4, NAN, "11413");
    number_is(9999.7, NAN, "10000");
    number_is(1234.7, NAN, "1235");
    number_is(999.94, NAN, "999.9");
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
                     "<path id='gpDot' stroke='rgb( 10,  90, 120)'/><use href='#gpDot'/>"
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
    static const char *const names[] = {"a.csv",   "h.tsv",    "v.tsv",  "odd.csv",     "a.svg",
                                        "b.svg",   "texts.gp", "said",   "gnuplot.log", "key.gp",
                                        "key.svg", "key.png",  "key.pdf"};
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

/* ---- colours of curves ---- */

/* What the eyes of a kind make of red, green and blue of light: all see them, or one sort of cone
 * is missing (Machado, Oliveira & Fernandes 2009). */
static const double eyes[][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                    {{0.152286, 1.052583, -0.204868},
                                     {0.114503, 0.786281, 0.099216},
                                     {-0.003882, -0.048116, 1.051998}},
                                    {{0.367322, 0.860646, -0.227968},
                                     {0.280085, 0.672501, 0.047413},
                                     {-0.011820, 0.042940, 0.968881}},
                                    {{1.255528, -0.076749, -0.178779},
                                     {-0.078411, 0.930809, 0.147602},
                                     {0.004733, 0.691367, 0.303900}}};
enum { EYES = sizeof eyes / sizeof *eyes };

static double light_of(unsigned byte)
{
    double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double response(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/* L*, a*, b* (CIE 1976) of what such eyes see of a colour. */
static void seen_as(double lab[3], unsigned rgb, const double eye[3][3])
{
    static const double xyz[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                     {0.2126729, 0.7151522, 0.0721750},
                                     {0.0193339, 0.1191920, 0.9503041}},
                        white[3] = {0.95047, 1, 1.08883};
    double seen[3], f[3];
    for (int i = 0; i < 3; i++) {
        seen[i] = 0;
        for (int k = 0; k < 3; k++)
            seen[i] += eye[i][k] * light_of(rgb >> (16 - 8 * k) & 255);
        seen[i] = fmin(1, fmax(0, seen[i]));
    }
    for (int i = 0; i < 3; i++)
        f[i] =
            response((xyz[i][0] * seen[0] + xyz[i][1] * seen[1] + xyz[i][2] * seen[2]) / white[i]);
    lab[0] = 116 * f[1] - 16;
    lab[1] = 500 * (f[0] - f[1]);
    lab[2] = 200 * (f[1] - f[2]);
}

static unsigned colour_of(const char *ink, bool dark)
{
    static const struct {
        const char *name;
        unsigned light, dark;
    } inks[] = {
#define ROW(name, light, dark) {#name, light, dark},
        SL_INK_LIST(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof inks / sizeof *inks; i++)
        if (!strcmp(inks[i].name, ink)) return dark ? inks[i].dark : inks[i].light;
    fail_msg("no colour %s", ink);
    return 0;
}

/* Curves with the same dashes differ by twenty units at least, to all eyes, on light paper and
 * dark, and in lightness alone, which is what a printer without colours leaves, by ten; one unit is
 * what is just seen side by side. */
static void colours_of_curves(void **state)
{
    (void)state;
    enum { CURVES = 12 };
    const double apart = 20, apart_in_grey = 10;
    int compared = 0;
    for (int i = 0; i < CURVES; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < 2 * EYES && sl_plot_dash(i) == sl_plot_dash(j); k++) {
                double a[3], b[3];
                seen_as(a, colour_of(sl_plot_ink(i), k % 2), eyes[k / 2]);
                seen_as(b, colour_of(sl_plot_ink(j), k % 2), eyes[k / 2]);
                double far = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
                if (far < apart)
                    fail_msg("%s and %s lie %.3g apart to eyes %d", sl_plot_ink(i), sl_plot_ink(j),
                             far, k / 2);
                if (k < 2 && fabs(a[0] - b[0]) < apart_in_grey)
                    fail_msg("%s and %s lie %.3g apart in grey%s", sl_plot_ink(i), sl_plot_ink(j),
                             fabs(a[0] - b[0]), k ? ", on dark paper" : "");
                compared++;
            }
    assert_int_equal(compared, 3 * 6 * 2 * EYES);
}

/* Titles and columns name the numbers of every problem in words. */
static void numbers_have_words(void **state)
{
    (void)state;
#define COUNT(name, ic, about) +1
    for (int i = 0; i < 0 SL_PROBLEM_NAMES(COUNT); i++) {
#undef COUNT
        const char *numbers = sl_show_of(i)->numbers;
        while (*numbers) {
            char name[64];
            size_t length = strcspn(numbers, " ");
            snprintf(name, sizeof name, "%.*s", (int)length, numbers);
            if (!strcmp(sl_across_words(name), name) || !strcmp(sl_across_head(name), name))
                fail_msg("%s has no words", name);
            numbers += length + strspn(numbers + length, " ");
        }
    }
}

/* The legend of a figure has as many columns as its longest label leaves room for. */
static void legends(void **state)
{
    (void)state;
    static const struct {
        const char *body, *want;
    } of[] = {{"plot x title \"gas\", x title \"particles\"\n", "set key maxcols 3 width 0\n"},
              {"plot x title \"kinetic\", x title \"solenoidal\"\n", "set key maxcols 2 width 0\n"},
              {"plot x title \"M_{200m}\", x title \"friends of friends\"\n", "set key maxcols 2"},
              {"set key maxcols 7\nplot x title \"friends of friends\"\n", "set key maxcols 7\n"}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct sl_buffer body = {0}, script = {0};
        char path[128];
        sl_buffer_add(&body, "%s", of[i].body);
        assert_int_equal(sl_plot_draw(folder, "key", &body, 460, 320), SL_OK);
        snprintf(path, sizeof path, "%s/key.gp", folder);
        assert_int_equal(sl_buffer_read(&script, path, 1 << 16), SL_OK);
        if (!strstr(script.s, of[i].want)) fail_msg("no %s in %s", of[i].want, script.s);
        sl_buffer_release(&body);
        sl_buffer_release(&script);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes),
        cmocka_unit_test(base64),
        cmocka_unit_test(named_table),
        cmocka_unit_test(history_table),
        cmocka_unit_test(odd_tables),
        cmocka_unit_test(numbers),
        cmocka_unit_test(drawing),
        cmocka_unit_test(gnuplot_texts),
        cmocka_unit_test(long_text),
        cmocka_unit_test(colours_of_curves),
        cmocka_unit_test(numbers_have_words),
        cmocka_unit_test(legends),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
