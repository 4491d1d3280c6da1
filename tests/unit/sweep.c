/* sweep.c - members of a recipe: order, ranges, zip, overrides, the text that a campaign keeps. */
#include "pipeline/campaign/sweep.h"

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
#include "pipeline/campaign/recipe.h"

#define HEAD "campaign: c\nproblem: sod\nmesh.cells: [64]\n"

static char path[] = "/tmp/sluice-sweep-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    if (fd < 0) return -1;
    close(fd);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static int open_text(const char *text, char *const *overrides, int n, struct sl_recipe **out)
{
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
    return sl_recipe_open(path, overrides, n, out);
}

static struct sl_recipe *recipe_of(const char *text)
{
    struct sl_recipe *recipe = NULL;
    if (open_text(text, NULL, 0, &recipe) != SL_OK) fail_msg("%s", sl_error_text());
    return recipe;
}

static void label_is(struct sl_recipe *recipe, int64_t index, const char *expected)
{
    struct sl_config cfg;
    char label[1000];
    if (sl_recipe_member(recipe, index, &cfg) != SL_OK) fail_msg("%s", sl_error_text());
    size_t size = sl_recipe_label(recipe, &cfg, label, sizeof label);
    assert_string_equal(label, expected);
    assert_int_equal(size, strlen(expected));
}

/* HEAD and these lines are refused at this line and column with these words. */
static void refused(const char *more, const char *where, const char *words)
{
    char text[2000], place[64];
    struct sl_recipe *recipe = NULL;
    snprintf(text, sizeof text, "%s%s\n", HEAD, more);
    snprintf(place, sizeof place, "%s:%s: ", path, where);
    assert_int_equal(open_text(text, NULL, 0, &recipe), SL_EINPUT);
    assert_null(recipe);
    if (strncmp(sl_error_text(), place, strlen(place)) != 0 || !strstr(sl_error_text(), words))
        fail_msg("'%s': '%s' is not '%s ... %s'", more, sl_error_text(), place, words);
}

static void product_last_varies_fastest(void **state)
{
    (void)state;
    struct sl_recipe *r =
        recipe_of(HEAD "sweep: {seed: 3..4, sod: {x0: [0.25, 0.5, 0.75]}}\ntime.end: sod.x0 * 4\n");
    assert_int_equal(sl_recipe_count(r), 6);
    label_is(r, 0, "seed=3 sod.x0=0.25");
    label_is(r, 1, "seed=3 sod.x0=0.5");
    label_is(r, 3, "seed=4 sod.x0=0.25");
    label_is(r, 5, "seed=4 sod.x0=0.75");
    struct sl_config cfg;
    assert_int_equal(sl_recipe_member(r, 5, &cfg), SL_OK);
    assert_true(cfg.time_end == 3);
    assert_int_equal(cfg.seed, 4);
    assert_string_equal(cfg.run_member, "0005");
    assert_int_equal(strlen(cfg.run_recipe_hash), 64);
    assert_int_equal(sl_recipe_member(r, 6, &cfg), SL_EUSAGE);
    assert_int_equal(sl_recipe_member(r, -1, &cfg), SL_EUSAGE);
    sl_recipe_close(r);
}

static void no_sweep_is_one_member(void **state)
{
    (void)state;
    struct sl_recipe *r = recipe_of(HEAD "time.end: 1\n");
    assert_int_equal(sl_recipe_count(r), 1);
    label_is(r, 0, "");
    sl_recipe_close(r);
}

static void zip_is_one_axis(void **state)
{
    (void)state;
    struct sl_recipe *r = recipe_of(
        HEAD "sweep: {seed: 1..2}\nzip:\n  fluid.riemann: [roe, llf]\n  time.end: [1, 2 * seed]\n");
    assert_int_equal(sl_recipe_count(r), 4);
    label_is(r, 1, "seed=1 fluid.riemann=llf time.end=2");
    label_is(r, 3, "seed=2 fluid.riemann=llf time.end=4");
    sl_recipe_close(r);
    r = recipe_of(HEAD "zip: {time.end: 1..2, fluid.cfl: [0.1, 0.2]}\nsweep: {seed: 1..2}\n");
    label_is(r, 1, "time.end=1 fluid.cfl=0.1 seed=2"); /* the order written */
    sl_recipe_close(r);
    refused("time.end: 1\nzip: {seed: 1..3, fluid.cfl: [0.1, 0.2]}", "5:19",
            "'fluid.cfl' has 2 values but 'seed' has 3");
}

static void ranges(void **state)
{
    (void)state;
    struct sl_recipe *r = recipe_of(HEAD "time.end: 1\nsweep: {seed: [1..3, 10, 20..30 step 5]}\n");
    assert_int_equal(sl_recipe_count(r), 7);
    label_is(r, 2, "seed=3");
    label_is(r, 3, "seed=10");
    label_is(r, 6, "seed=30");
    sl_recipe_close(r);
    r = recipe_of(HEAD "time.end: 1\nsweep: {sod.x0: 0.1..0.9 step 0.1}\n");
    assert_int_equal(sl_recipe_count(r), 9);
    label_is(r, 2, "sod.x0=0.3");
    label_is(r, 8, "sod.x0=0.9");
    sl_recipe_close(r);
    r = recipe_of(HEAD "time.end: 1\nsweep: {sod.x0: 0..0.3 step 0.1}\n");
    assert_int_equal(sl_recipe_count(r), 4); /* 0.3 / 0.1 is a little less than 3 */
    sl_recipe_close(r);
    r = recipe_of(HEAD "time.end: 1\nsweep: {seed: 9..1 step -3}\n");
    assert_int_equal(sl_recipe_count(r), 3);
    label_is(r, 2, "seed=3");
    sl_recipe_close(r);
    r = recipe_of(HEAD "time.end: 1\nsweep: {output.checkpoint: 1h..2h step 30 min}\n");
    assert_int_equal(sl_recipe_count(r), 3);
    label_is(r, 1, "output.checkpoint=5400");
    sl_recipe_close(r);
}

static void lists_of_lists_and_names(void **state)
{
    (void)state;
    struct sl_recipe *r =
        recipe_of("campaign: c\nproblem: sod\ntime.end: 1\n"
                  "sweep: {mesh.cells: [[32, 32], 64], run.input: [a, ../b..c]}\n");
    assert_int_equal(sl_recipe_count(r), 4);
    struct sl_config cfg;
    assert_int_equal(sl_recipe_member(r, 1, &cfg), SL_OK);
    assert_int_equal(cfg.mesh_cells_n, 2);
    assert_string_equal(cfg.run_input, "../b..c"); /* dots of a path make no range */
    assert_int_equal(sl_recipe_member(r, 2, &cfg), SL_OK);
    assert_int_equal(cfg.mesh_cells_n, 1);
    sl_recipe_close(r);
}

static void wrong_sweeps(void **state)
{
    (void)state;
    refused("time.end: 1\nsweep: [seed]", "5:8", "'sweep' takes a mapping");
    refused("time.end: 1\nsweep: {seed: {a: 1}}", "5:15", "takes a list or a range");
    refused("time.end: 1\nsweep: {seed: []}", "5:15", "empty list");
    refused("time.end: 1\nsweep: {seed: 4..1}", "5:15", "counts down; write 4..1 step -1");
    refused("time.end: 1\nsweep: {seed: 1..4 step 0}", "5:15", "step of 0");
    refused("time.end: 1\nsweep: {seed: 1..4 step -1}", "5:15", "holds no value");
    refused("time.end: 1\nsweep: {seed: 1..4 step}", "5:15", "'step' is not a number");
    refused("time.end: 1\nsweep: {seed: 1..}", "5:15", "ends where a number");
    refused("time.end: 1\nsweep: {seed: 1..2..3}", "5:17", "does not belong");
    refused("time.end: 1\nsweep: {seed: 1..1.5}", "5:15", "whole number");
    refused("time.end: 1\nsweep: {seed: 1..99999999999}", "5:15", "more than 1000000000");
    refused("time.end: 1\nsweep: {seed: [1, 2, 1]}", "5:22", "in the list already");
    refused("time.end: 1\nsweep: {seed: [3, 1..4]}", "5:19", "in the list already");
    refused("time.end: 1\nsweep: {fluid.cfl: [0.1, 1e-1]}", "5:26", "in the list already");
    refused("time.end: 1\nsweep: {fluid.riemann: [roe, roe]}", "5:30", "in the list already");
    refused("time.end: 1\nsweep: {sed: 1..4}", "5:9", "did you mean 'seed'?");
    refused("time.end: 1\nsweep: {run.member: [a, b]}", "5:9", "cannot be swept");
    refused("time.end: 1\nsweep: {stages.campaign: [a, b]}", "5:9", "cannot be swept");
    refused("time.end: 1\nseed: 3\nsweep: {seed: 1..4}", "6:9", "has a value on line 5 too");
    refused("time.end: 1\nsweep: {seed: 1..4}\nzip: {seed: [1]}", "6:7",
            "swept twice, first on line 5");
    refused("time.end: 1\nsweep: {seed: 1..100000, fluid.cfl: 0.1..0.9 step 0.00001}", "5:9",
            "members");
    refused("time.end: 1\nrun.member: x", "5:1", "is set by sluice");
}

static void every_member_is_checked(void **state)
{
    (void)state;
    struct sl_recipe *r = recipe_of(HEAD "time.end: 1\nsweep:\n  mesh.block: [32, 16, 24]\n");
    assert_int_equal(sl_recipe_check(r), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), ":6:24: mesh.block: 24 does not divide"));
    sl_recipe_close(r);
    r = recipe_of(HEAD "sweep:\n  time.end: [1, 2 / (seed - 1)]\n");
    assert_int_equal(sl_recipe_check(r), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), ":5:19: time.end: division by zero"));
    sl_recipe_close(r);
}

static void overrides_change_the_sweep(void **state)
{
    (void)state;
    const char *text = HEAD "time.end: 1\nsweep: {seed: 1..4, fluid.cfl: [0.1, 0.2]}\n";
    struct sl_recipe *r;
    char *fix[] = {"seed=7"};
    assert_int_equal(open_text(text, fix, 1, &r), SL_OK);
    assert_int_equal(sl_recipe_count(r), 2);
    label_is(r, 1, "fluid.cfl=0.2");
    sl_recipe_close(r);
    char *more[] = {"sweep.seed=1..8", "sweep.sod.x0=[0.5, min(0.25, 2)]"};
    assert_int_equal(open_text(text, more, 1, &r), SL_OK);
    assert_int_equal(sl_recipe_count(r), 16);
    label_is(r, 3, "seed=2 fluid.cfl=0.2"); /* as without the override */
    sl_recipe_close(r);
    char *ends[] = {"sweep.time.end=[1, 2]"};
    assert_int_equal(open_text(text, ends, 1, &r), SL_OK); /* a sweep replaces a value */
    assert_int_equal(sl_recipe_count(r), 16);
    sl_recipe_close(r);
}

/* What a campaign keeps must mean the same when it is opened without the overrides. */
/* The hash of the first member, of a recipe with words of the command line. */
static void hash_with(const char *text, char *const *words, int n, char hash[SL_TEXT_MAX])
{
    struct sl_recipe *r;
    struct sl_config cfg;
    if (open_text(text, words, n, &r) != SL_OK) fail_msg("%s", sl_error_text());
    assert_int_equal(sl_recipe_member(r, 0, &cfg), SL_OK);
    memcpy(hash, cfg.run_recipe_hash, sizeof cfg.run_recipe_hash);
    sl_recipe_close(r);
}

/* What files of results say of their recipe does not hang on the means by which they are made. */
static void hash_of_results(void **state)
{
    (void)state;
    static const char text[] = "campaign: c\nproblem: sod\nmesh: {cells: [64]}\ntime: {end: 0.2}\n"
                               "sweep: {seed: 1..3}\n";
    char *means[] = {"resources.ranks=2", "slurm.account=a", "resources.walltime=1 h"};
    char *swept[] = {"sweep.slurm.account=[a, b]"}, *other[] = {"fluid.cfl=0.3"};
    char *more[] = {"sweep.seed=1..4"};
    char a[SL_TEXT_MAX], b[SL_TEXT_MAX];
    hash_with(text, NULL, 0, a);
    hash_with(text, means, 3, b);
    assert_string_equal(a, b);
    hash_with(text, swept, 1, b);
    assert_string_equal(a, b);
    hash_with(text, other, 1, b);
    assert_string_not_equal(a, b);
    hash_with(text, more, 1, b);
    assert_string_not_equal(a, b);
}

static void reopens_the_same(const char *text, char *const *overrides, int n, int64_t members)
{
    struct sl_recipe *a, *b;
    if (open_text(text, overrides, n, &a) != SL_OK) fail_msg("%s", sl_error_text());
    if (open_text(sl_recipe_frozen(a, NULL), NULL, 0, &b) != SL_OK)
        fail_msg("%s in\n%s", sl_error_text(), sl_recipe_frozen(a, NULL));
    assert_int_equal(sl_recipe_count(a), members);
    assert_int_equal(sl_recipe_count(b), members);
    assert_string_equal(sl_recipe_hash(a), sl_recipe_hash(b));
    for (int64_t i = 0; i < members; i++) {
        struct sl_config x, y;
        char *p, *q;
        assert_int_equal(sl_recipe_member(a, i, &x), SL_OK);
        assert_int_equal(sl_recipe_member(b, i, &y), SL_OK);
        assert_int_equal(sl_config_print(&x, &p), SL_OK);
        assert_int_equal(sl_config_print(&y, &q), SL_OK);
        assert_string_equal(p, q);
        free(p), free(q);
    }
    sl_recipe_close(a), sl_recipe_close(b);
}

static void frozen_is_the_same(void **state)
{
    (void)state;
#define REST  "# why\noutput.snapshot: min(1, 2) * 2\nrun.input: 'it''s \"x\"'\n"
#define ZIP   "zip: {output.keep: [2, 3], fluid.cfl: [0.1, 0.2]}\n"
#define SWEEP "sweep:\n  seed: 1..4\n  time.end:\n  - 1\n  - min(1, 2) * 2\n"
    char *more[] = {"sweep.seed=[1..4, 6]", "sweep.sod.x0=[0.5, 0.25 * 3]",
                    "mesh.cells=[32, 4 * 4]", "mesh.boundary=[outflow, fixed]"};
    struct sl_recipe *a = recipe_of(HEAD REST SWEEP ZIP);
    assert_string_equal(sl_recipe_frozen(a, NULL), HEAD REST SWEEP ZIP); /* comments and all */
    sl_recipe_close(a);
    reopens_the_same(HEAD REST SWEEP ZIP, more, 4, 40);
    reopens_the_same(HEAD REST ZIP SWEEP, more, 4, 40);
    reopens_the_same(HEAD REST SWEEP, more, 1, 10);
    /* lists stay on the line of their key, but for those whose texts would fall apart there */
    a = NULL;
    assert_int_equal(open_text(HEAD REST SWEEP, more, 4, &a), SL_OK);
    assert_non_null(strstr(sl_recipe_frozen(a, NULL), "\nmesh.cells: [32, 4 * 4]\n"));
    assert_non_null(strstr(sl_recipe_frozen(a, NULL), "\n  sod.x0: [0.5, 0.25 * 3]\n"));
    assert_non_null(strstr(sl_recipe_frozen(a, NULL), "\n    - min(1, 2) * 2\n"));
    sl_recipe_close(a);
}

/* Members as sl_recipe_member makes them are what a program reads from run.yaml. */
static void run_yaml_is_the_member(void **state)
{
    (void)state;
    struct sl_recipe *r = recipe_of(HEAD "time.end: seed / 3\nsweep: {seed: 1..3}\n");
    struct sl_config cfg, back;
    char *text;
    assert_int_equal(sl_recipe_member(r, 2, &cfg), SL_OK);
    assert_int_equal(sl_config_print(&cfg, &text), SL_OK);
    assert_int_equal(sl_config_parse("run.yaml", text, strlen(text), NULL, 0, &back), SL_OK);
    assert_true(back.time_end == cfg.time_end);
    assert_string_equal(back.run_member, "0002");
    free(text);
    sl_recipe_close(r);
}

static void confirmation(void **state)
{
    (void)state;
    struct sl_recipe *r = recipe_of(HEAD "time.end: 1\nsweep: {seed: 1..10001}\n");
    assert_int_equal(sl_recipe_confirm(r, SL_MEMBERS_ASK), SL_EGUARD);
    assert_non_null(strstr(sl_error_text(), "10001 members, more than 10000; "));
    assert_non_null(strstr(sl_error_text(), "--yes"));
    assert_int_equal(sl_recipe_confirm(r, 10001), SL_OK);
    sl_recipe_close(r);
}

/* Opens the first text, writes the second to the same file, opens that. */
static void grow(const char *from, const char *to, struct sl_recipe **old, struct sl_recipe **grown)
{
    *old = recipe_of(from);
    *grown = recipe_of(to);
}

static void growing_keeps_members(void **state)
{
    (void)state;
    struct sl_recipe *old, *grown;
    bool same;
    char why[200];
    int64_t *added, n;
    grow(HEAD "time.end: 1\nsweep: {fluid.cfl: [0.1, 0.2], seed: 1..2}\n",
         HEAD "sweep: {fluid.cfl: [0.1, 0.2], seed: 1..3}\ntime.end: 2 / 2\nensemble.min: 3\n",
         &old, &grown);
    assert_int_equal(sl_recipe_same_but_members(old, grown, &same, why, sizeof why), SL_OK);
    assert_true(same);
    assert_string_equal(why, "");
    assert_int_equal(sl_recipe_added(old, grown, &added, &n), SL_OK);
    assert_int_equal(n, 2);
    assert_int_equal(added[0], 2); /* seed is the fast axis: new members stand between the old */
    assert_int_equal(added[1], 5);
    free(added);
    assert_int_equal(sl_recipe_same_but_members(grown, old, &same, why, sizeof why), SL_OK);
    assert_false(same);
    assert_string_equal(why, "member 0002 (fluid.cfl=0.1 seed=3) is not among the new ones");
    sl_recipe_close(old), sl_recipe_close(grown);
    grow(HEAD "time.end: 1\nsweep: {seed: 1..2}\n",
         HEAD "time.end: 1\nsweep: {seed: 1..3}\nfluid.gamma: 1.4\n", &old, &grown);
    assert_int_equal(sl_recipe_same_but_members(old, grown, &same, why, sizeof why), SL_OK);
    assert_false(same);
    assert_string_equal(why, "fluid.gamma differs");
    sl_recipe_close(old), sl_recipe_close(grown);
}

static void content_is_what_matters(void **state)
{
    (void)state;
    struct sl_recipe *r = recipe_of(HEAD "time.end: 1\nsweep: {seed: 1..2}\n");
    struct sl_config a, b;
    char p[SL_HASH_TEXT], q[SL_HASH_TEXT];
    assert_int_equal(sl_recipe_member(r, 0, &a), SL_OK);
    b = a;
    snprintf(b.run_member, sizeof b.run_member, "other");
    b.ensemble_min = 9;
    b.resources_ensemble_walltime = 7;
    assert_int_equal(sl_config_content(&a, p), SL_OK);
    assert_int_equal(sl_config_content(&b, q), SL_OK);
    assert_int_equal(strlen(p), 64);
    assert_string_equal(p, q);
    b.fluid_cfl = 0.30000000000000004;
    assert_int_equal(sl_config_content(&b, q), SL_OK);
    assert_string_not_equal(p, q);
    sl_recipe_close(r);
}

static void needs_ic(void **state)
{
    (void)state;
    struct sl_config cfg;
    sl_config_default(&cfg);
    cfg.problem = SL_PROBLEM_sod;
    assert_false(sl_config_needs_ic(&cfg));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_last_varies_fastest),
        cmocka_unit_test(no_sweep_is_one_member),
        cmocka_unit_test(zip_is_one_axis),
        cmocka_unit_test(ranges),
        cmocka_unit_test(lists_of_lists_and_names),
        cmocka_unit_test(wrong_sweeps),
        cmocka_unit_test(every_member_is_checked),
        cmocka_unit_test(overrides_change_the_sweep),
        cmocka_unit_test(frozen_is_the_same),
        cmocka_unit_test(run_yaml_is_the_member),
        cmocka_unit_test(confirmation),
        cmocka_unit_test(growing_keeps_members),
        cmocka_unit_test(content_is_what_matters),
        cmocka_unit_test(hash_of_results),
        cmocka_unit_test(needs_ic),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
