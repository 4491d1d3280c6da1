/* design.c - designs of experiments: their points, and the members that they make. */
#include "pipeline/campaign/design.h"

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
#include "core/lists/riemann_list.h"
#include "core/sys/status.h"
#include "pipeline/campaign/recipe.h"

static double *points_of(enum sl_design_kind kind, int axes, int64_t count, uint64_t seed)
{
    struct sl_design d = {kind, axes, count, seed};
    double *u = malloc((size_t)count * (size_t)axes * sizeof *u);
    assert_non_null(u);
    assert_int_equal(sl_design_points(&d, u), SL_OK);
    return u;
}

/* One point of `count` in each of as many parts of the axis. */
static void spread(const double *u, int axes, int axis, int64_t count)
{
    unsigned char *seen = calloc((size_t)count, 1);
    for (int64_t i = 0; i < count; i++) {
        double x = u[i * axes + axis];
        assert_true(x > 0 && x < 1);
        int64_t part = (int64_t)(x * (double)count);
        if (seen[part]++) fail_msg("axis %d: two points in part %lld", axis, (long long)part);
    }
    free(seen);
}

static double closest(const double *u, int axes, int64_t count)
{
    double least = INFINITY;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < i; j++) {
            double square = 0;
            for (int a = 0; a < axes; a++)
                square += pow(u[i * axes + a] - u[j * axes + a], 2);
            least = fmin(least, square);
        }
    return sqrt(least);
}

static void latin_fills_every_part_and_keeps_apart(void **state)
{
    (void)state;
    double *u = points_of(SL_DESIGN_latin, 3, 40, 1), *v = points_of(SL_DESIGN_random, 3, 40, 1);
    for (int a = 0; a < 3; a++)
        spread(u, 3, a, 40);
    assert_true(closest(u, 3, 40) > 0.13); /* one shuffle alone: 0.03 to 0.1 */
    assert_true(closest(v, 3, 40) < 0.13);
    free(v);
    free(u);
    u = points_of(SL_DESIGN_latin, 2, 2, 7);
    spread(u, 2, 1, 2);
    free(u);
}

/* Every block of 2^k points is spread over each axis, over boxes of each shape of the first two. */
static void sobol_is_a_net(void **state)
{
    (void)state;
    enum { BITS = 8, COUNT = 1 << BITS };
    double *u = points_of(SL_DESIGN_sobol, SL_DESIGN_AXES, 2 * COUNT, 5);
    for (int half = 0; half < 2; half++)
        for (int a = 0; a < SL_DESIGN_AXES; a++)
            spread(u + half * COUNT * SL_DESIGN_AXES, SL_DESIGN_AXES, a, COUNT);
    for (int p = 0; p <= BITS; p++) {
        unsigned char seen[COUNT] = {0};
        for (int i = 0; i < COUNT; i++) {
            const double *x = u + i * SL_DESIGN_AXES;
            int box = (int)(x[0] * (1 << p)) << (BITS - p) | (int)(x[1] * (1 << (BITS - p)));
            assert_int_equal(seen[box]++, 0);
        }
    }
    free(u);
}

/* The mean of a product over 12 axes, which is 1: 40 times closer than independent points. */
static void sobol_integrates(void **state)
{
    (void)state;
    enum { AXES = 12, COUNT = 4096 };
    double *u = points_of(SL_DESIGN_sobol, AXES, COUNT, 3), sum = 0;
    for (int i = 0; i < COUNT; i++) {
        double product = 1;
        for (int a = 0; a < AXES; a++)
            product *= 1 + (u[i * AXES + a] - 0.5) / (1 + a / 2);
        sum += product;
    }
    assert_true(fabs(sum / COUNT - 1) < 2e-4);
    free(u);
}

static void points_stay_when_there_are_more(void **state)
{
    (void)state;
    for (int kind = SL_DESIGN_sobol; kind <= SL_DESIGN_random; kind++) {
        double *few = points_of((enum sl_design_kind)kind, 4, 100, 9);
        double *many = points_of((enum sl_design_kind)kind, 4, 1000, 9);
        double *other = points_of((enum sl_design_kind)kind, 4, 100, 10);
        assert_memory_equal(few, many, 400 * sizeof *few);
        assert_memory_not_equal(few, other, 400 * sizeof *few);
        free(other);
        free(many);
        free(few);
    }
}

/* ---- members --------------------------------------------------------------------------------- */

#define HEAD "campaign: c\nproblem: sod\nmesh.cells: [64]\n"

static struct sl_recipe *recipe_of(const char *text, char *const *overrides, int n)
{
    struct sl_recipe *recipe = NULL;
    if (sl_recipe_parse("r.yaml", text, strlen(text), overrides, n, &recipe) != SL_OK)
        fail_msg("%s", sl_error_text());
    return recipe;
}

static void member_of(struct sl_recipe *recipe, int64_t index, struct sl_config *cfg)
{
    if (sl_recipe_member(recipe, index, cfg) != SL_OK) fail_msg("%s", sl_error_text());
}

static const char sampled[] = HEAD
    "time.end: sod.x0 * 2\nsample:\n  design: latin\n  points: 20\n  keys:\n    sod.x0: "
    "0.2..0.8\n    fluid.gamma: 1.1..3.3 log\n    seed: 1..4\n    fluid.riemann: [hllc, llf]\n";

static void values_fill_ranges_and_lists(void **state)
{
    (void)state;
    struct sl_recipe *r = recipe_of(sampled, NULL, 0);
    int below = 0, geometric = 0, seeds[5] = {0}, llf = 0;
    assert_int_equal(sl_recipe_count(r), 20);
    assert_true(sl_recipe_is_fixed(r));
    for (int i = 0; i < 20; i++) {
        struct sl_config cfg;
        member_of(r, i, &cfg);
        assert_true(cfg.sod_x0 >= 0.2 && cfg.sod_x0 <= 0.8 && cfg.time_end == cfg.sod_x0 * 2);
        assert_true(cfg.fluid_gamma >= 1.1 && cfg.fluid_gamma <= 3.3);
        below += cfg.sod_x0 < 0.5;
        geometric += cfg.fluid_gamma < sqrt(1.1 * 3.3);
        seeds[cfg.seed]++;
        llf += cfg.fluid_riemann == SL_RIEMANN_llf;
        assert_true(round(cfg.sod_x0 * 1e8) / 1e8 == cfg.sod_x0);
    }
    assert_int_equal(below, 10);
    assert_int_equal(geometric, 10);
    assert_int_equal(llf, 10);
    for (int s = 1; s <= 4; s++)
        assert_int_equal(seeds[s], 5);
    sl_recipe_close(r);
}

/* A sweep of seeds over the points of a sample; the text kept makes the same members. */
static void sample_is_an_axis(void **state)
{
    (void)state;
    char *words[] = {"sample.points=8", "sample.design=sobol", "sweep.seed=1..3",
                     "sample.keys.fluid.cfl=0.1..0.3"};
    char label[2][300];
    struct sl_config cfg;
    struct sl_recipe *r = recipe_of(sampled, words, 4), *again;
    assert_int_equal(sl_recipe_count(r), 24);
    assert_false(sl_recipe_is_fixed(r));
    again = recipe_of(sl_recipe_frozen(r, NULL), NULL, 0);
    for (int i = 0; i < 24; i++) {
        member_of(r, i, &cfg);
        sl_recipe_label(r, &cfg, label[0], sizeof label[0]);
        member_of(again, i, &cfg);
        sl_recipe_label(again, &cfg, label[1], sizeof label[1]);
        assert_string_equal(label[0], label[1]);
    }
    assert_non_null(strstr(label[0], "fluid.cfl=0."));
    sl_recipe_close(again);
    sl_recipe_close(r);
    words[0] = "sod.x0=0.5"; /* ends its sampling */
    r = recipe_of(sampled, words, 1);
    member_of(r, 3, &cfg);
    assert_true(cfg.sod_x0 == 0.5);
    sl_recipe_close(r);
}

static void refused(const char *more, const char *where, const char *words)
{
    char text[1000], place[40];
    struct sl_recipe *recipe = NULL;
    snprintf(text, sizeof text, "%stime.end: 1\n%s\n", HEAD, more);
    snprintf(place, sizeof place, "r.yaml:%s: ", where);
    assert_int_equal(sl_recipe_parse("r.yaml", text, strlen(text), NULL, 0, &recipe), SL_EINPUT);
    assert_null(recipe);
    if (strncmp(sl_error_text(), place, strlen(place)) != 0 || !strstr(sl_error_text(), words))
        fail_msg("'%s': '%s' is not '%s ... %s'", more, sl_error_text(), place, words);
}

static void wrong_samples_are_refused(void **state)
{
    (void)state;
#define SAMPLE(keys) "sample: {design: sobol, points: 4, keys: {" keys "}}"
    refused("sample: {design: sobl, points: 4, keys: {sod.x0: 0..1}}", "5:18",
            "did you mean 'sobol'?");
    refused("sample: {design: sobol, points: 1, keys: {sod.x0: 0..1}}", "5:33",
            "1 is outside 2 .. 1000000");
    refused("sample: {design: sobol, keys: {sod.x0: 0..1}}", "5:32", "points is not given");
    refused("sample: {points: 4, keys: {sod.x0: 0..1}}", "5:28", "design is not given");
    refused("sample: {design: sobol, points: 4}", "5:33", "keys is not given");
    refused("sample: {design: sobol, point: 4, keys: {sod.x0: 0..1}}", "5:25",
            "did you mean 'points'?");
    refused("sample: {sod.x0: 0..1}", "5:10", "belongs below keys");
    refused(SAMPLE("sod.x0: 0.3"), "5:51", "takes a range");
    refused(SAMPLE("sod.x0: 0.6..0.3"), "5:51", "write 0.3..0.6");
    refused(SAMPLE("sod.x0: 0..1 log"), "5:51", "begin above 0");
    refused(SAMPLE("sod.x0: 0.1..0.3 step 0.1"), "5:51", "[0.1..0.3 step 0.1] draws from");
    refused(SAMPLE("fluid.cfl: 0.1..3"), "5:54", "outside");
    refused(SAMPLE("fluid.riemann: hllc"), "5:58", "takes a list");
    refused(SAMPLE("seed: 1..2"), "5:33", "are the same");
    refused("sample: {file: no.csv}", "5:16", "no.csv");
}

/* ---- files of points ------------------------------------------------------------------------- */

static char points[] = "/tmp/sluice-design-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    int fd = mkstemp(points);
    return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(points);
}

static void write_points(const char *text)
{
    FILE *f = fopen(points, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void points_of_a_file(void **state)
{
    (void)state;
    char text[400];
    struct sl_config cfg;
    write_points("# made elsewhere\nsod.x0, fluid.riemann\n0.3,llf\n\n1/4 , hllc\r\n");
    snprintf(text, sizeof text, "%stime.end: 1\nsample: {file: %s}\n", HEAD, points);
    struct sl_recipe *r = recipe_of(text, NULL, 0), *again;
    assert_int_equal(sl_recipe_count(r), 2);
    unlink(points); /* it stands in what is kept */
    again = recipe_of(sl_recipe_frozen(r, NULL), NULL, 0);
    member_of(again, 1, &cfg);
    assert_true(cfg.sod_x0 == 0.25 && cfg.fluid_riemann == SL_RIEMANN_hllc);
    sl_recipe_close(again);
    sl_recipe_close(r);
    write_points("sod.x0\n0.3\n");
}

static void wrong_points(const char *table, const char *where, const char *words)
{
    char text[400], place[80];
    struct sl_recipe *recipe = NULL;
    write_points(table);
    snprintf(text, sizeof text, "%stime.end: 1\nsample: {file: %s}\n", HEAD, points);
    snprintf(place, sizeof place, "%s:%s: ", points, where);
    assert_int_equal(sl_recipe_parse("r.yaml", text, strlen(text), NULL, 0, &recipe), SL_EINPUT);
    if (strncmp(sl_error_text(), place, strlen(place)) != 0 || !strstr(sl_error_text(), words))
        fail_msg("'%s': '%s' is not '%s ... %s'", table, sl_error_text(), place, words);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    wrong_points("# nothing\n", "1:1", "no line of names");
    wrong_points("sod.x0\n", "1:1", "no point");
    wrong_points("sod.x9\n1\n", "1:1", "did you mean 'sod.x0'?");
    wrong_points("sod.x0,sod.x0\n1,2\n", "1:8", "two columns");
    wrong_points("seed,sod.x0\n1,0.3\n2\n", "3:1", "1 values in a row below 2 names");
    wrong_points("seed,sod.x0\n1,0.3\n2,\n", "3:3", "no plain value");
    wrong_points("seed,sod.x0\n1,half\n2,0.3\n", "2:3", "half");
    wrong_points("time.end\n1\n2\n", "1:1", "has a value, too");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latin_fills_every_part_and_keeps_apart),
        cmocka_unit_test(sobol_is_a_net),
        cmocka_unit_test(sobol_integrates),
        cmocka_unit_test(points_stay_when_there_are_more),
        cmocka_unit_test(values_fill_ranges_and_lists),
        cmocka_unit_test(sample_is_an_axis),
        cmocka_unit_test(wrong_samples_are_refused),
        cmocka_unit_test_setup_teardown(points_of_a_file, set_up, NULL),
        cmocka_unit_test_setup_teardown(wrong_files_are_refused, NULL, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
