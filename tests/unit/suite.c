/* suite.c - tests pipeline/suite/suite.def: every run that a row or a curve names is one that the
 * solver takes, those of --all, which no other test starts, too; and every row says where its limit
 * is from. ranks: 1 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core/config/config.h"
#include "core/sys/status.h"
#include "pipeline/suite/run.h"

#define SL_SUITE_FIGURE(...)
#define SL_SUITE_CURVE(figure, label, run, whole)                {#figure, run, whole},
#define SL_SUITE_SCHEME_ERROR(kind, name, run, key)              {#name, run, run},
#define SL_SUITE_SCHEME_COST(kind, run)                          {"cost", run, run},
#define SL_SUITE_ROW(group, cost, what, scheme, run, other, ...) {what, run, other},
#define SL_SUITE_ENSEMBLE(group, cost, what, scheme, run, ...)   {what, run, run " seed=2"},
static const char *const named[][3] = {
#include "pipeline/suite/suite.def"
};

static int check(const char *run)
{
    struct sl_args args = {0};
    struct sl_config cfg;
    sl_suite_add_keys(&args, run);
    int code = sl_config_parse("run.yaml", sl_suite_common, strlen(sl_suite_common), args.list,
                               args.n, &cfg);
    sl_args_release(&args);
    return code;
}

static void runs_are_taken(void **state)
{
    int bad = 0;
    (void)state;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        for (int k = 1; k < 3; k++) {
            if (strchr(named[i][k], '@') || check(named[i][k]) == SL_OK) continue; /* @: sizes */
            print_error("%s: %s: %s\n", named[i][0], named[i][k], sl_error_text());
            bad++;
        }
    assert_int_equal(bad, 0);
}

/* Whether a text begins with where a limit may be from. */
static bool names_a_source(const char *text)
{
    static const char *const sources[] = {
        "own",   "exact",    "AthenaK", "Athena++",    "AthenaPK", "Cholla", "Enzo",   "Federrath",
        "GAMER", "Gardiner", "Idefix",  "independent", "Mac",      "Quokka", "RAMSES",
    };
    size_t n = strcspn(text, " :;,");
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (strlen(sources[i]) == n && strncmp(text, sources[i], n) == 0) return true;
    return false;
}

/* A row says first of all where its limit is from. */
static void limits_have_a_source(void **state)
{
    static const char *const rows[][2] = {
#undef SL_SUITE_CURVE
#undef SL_SUITE_ROW
#undef SL_SUITE_ENSEMBLE
#undef SL_SUITE_SCHEME_ERROR
#undef SL_SUITE_SCHEME_COST
#define SL_SUITE_SCHEME_ERROR(...)
#define SL_SUITE_SCHEME_COST(...)
#define SL_SUITE_CURVE(...)
#define SL_SUITE_ROW(group, cost, what, scheme, run, other, kind, key, limit, peers) {what, peers},
#define SL_SUITE_ENSEMBLE(group, cost, what, scheme, run, seeds, kind, key, limit, peers)          \
    {what, peers},
#include "pipeline/suite/suite.def"
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!names_a_source(rows[i][1]))
            fail_msg("'%s' does not say where the limit of '%s' is from", rows[i][1], rows[i][0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_are_taken),
                                       cmocka_unit_test(limits_have_a_source)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
