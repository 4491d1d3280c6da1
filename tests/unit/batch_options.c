/* batch_options.c - which options of sbatch a recipe may add, and what is said of the others. */
#include "core/sys/batch_options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char text[3 * SL_BATCH_WORD];

static void words(void **unused)
{
    (void)unused;
    char word[SL_BATCH_WORD];
    const char *at = "  --nice=5   --exclusive ";
    assert_true(sl_batch_option_next(&at, word));
    assert_string_equal(word, "--nice=5");
    assert_true(sl_batch_option_next(&at, word));
    assert_string_equal(word, "--exclusive");
    assert_false(sl_batch_option_next(&at, word));
}

static void good(void **unused)
{
    (void)unused;
    assert_false(sl_batch_options_fault("", text));
    assert_false(
        sl_batch_options_fault("--mail-type=END,FAIL --mail-user=me@there --exclusive", text));
    assert_false(sl_batch_options_fault(
        "--begin=now+1hour --licenses=a:2 --exclude=n[1-3] --comment=mine", text));
}

/* What is joined with sluice's own needs its value: without one sbatch would take the next word. */
static void without_value(void **unused)
{
    (void)unused;
    assert_true(sl_batch_options_fault("--comment --nice=5", text));
    assert_true(sl_batch_options_fault("--exclude n1", text));
    assert_non_null(strstr(text, "write --exclude=value"));
}

/* Whatever names, orders, directs or ends the jobs of a campaign, in whatever spelling. */
static void own(void **unused)
{
    (void)unused;
    static const char *const list[] = {"job-name", "dependency", "array",     "output",
                                       "error",    "input",      "chdir",     "export",
                                       "parsable", "wrap",       "requeue",   "no-requeue",
                                       "signal",   "open-mode",  "wait",      "kill-on-invalid-dep",
                                       "deadline", "time-min",   "hold",      "test-only",
                                       "uid",      "clusters",   "het-group", "nic",
                                       "nicer"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char word[80];
        snprintf(word, sizeof word, "--nice=1 --%s=x", list[i]);
        assert_true(sl_batch_options_fault(word, text));
        assert_non_null(strstr(text, list[i]));
    }
}

static void other(void **unused)
{
    (void)unused;
    static const char *const list[] = {"-d afterok:1", "--", "--=5",      "nice=5",
                                       "-J",           ";",  "--nice=5 x"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        assert_true(sl_batch_options_fault(list[i], text));
    assert_true(sl_batch_options_fault("--mem=3G", text));
    assert_non_null(strstr(text, "resources.memory"));
    assert_true(sl_batch_options_fault("--time=5", text));
    assert_non_null(strstr(text, "resources.walltime"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(good),
                                       cmocka_unit_test(without_value), cmocka_unit_test(own),
                                       cmocka_unit_test(other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
