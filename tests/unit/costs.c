/* costs.c - the weights of levels: those of the model where nothing is measured, else in proportion
 * to what is measured, slow to follow it and never far from the model.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/step/costs.h"

enum { LEVELS = 3, BLOCKS = 100 };

static void assert_near(double is, double want, double by)
{
    if (!(fabs(is - want) <= by)) fail_msg("%.17g, not %.17g", is, want);
}

static const int steps[SL_LEVELS] = {1, 2, 4};
static const struct sl_costs none;

/* Blocks of all levels take a step each, which cost so many nanoseconds. */
static void spend(struct sl_costs *c, int64_t a, int64_t b, int64_t d)
{
    struct sl_costs_work sum = {{BLOCKS * a, BLOCKS * b, BLOCKS * d}, {BLOCKS, BLOCKS, BLOCKS}};
    sl_costs_take(c, &sum);
}

static double weight_of(const struct sl_costs *c, int level)
{
    double weight[SL_LEVELS];
    sl_costs_weights(c, LEVELS, steps, weight);
    return weight[level];
}

static void assert_model(const struct sl_costs *c)
{
    for (int l = 0; l < SL_LEVELS; l++)
        assert_near(weight_of(c, l), (double)(1 << l), 0);
}

static void model(void **unused)
{
    struct sl_costs c = none;
    (void)unused;
    assert_model(&c);
    spend(&c, 0, 0, 0); /* a device, or a clock that stands */
    assert_model(&c);
    struct sl_costs_work no_step = {{5, 5, 5}, {0, 0, 0}};
    sl_costs_take(&c, &no_step);
    assert_model(&c);
    c = none;
    spend(&c, 700, 700, 700);
    assert_model(&c);
}

static void measured(void **unused)
{
    struct sl_costs c = none;
    (void)unused;
    spend(&c, 300, 200, 100);
    assert_near(weight_of(&c, 0), 1 * 1.5, 1e-12);
    assert_near(weight_of(&c, 1), 2 * 1.0, 1e-12);
    assert_near(weight_of(&c, 2), 4 * 0.5, 1e-12);
    /* what a new level is to cost nobody knows */
    assert_near(weight_of(&c, 3), 8, 0);
    assert_near(weight_of(&c, 4), 16, 0);
}

/* A level that is new, or rests, costs the mean of the others. */
static void some(void **unused)
{
    struct sl_costs c = none;
    struct sl_costs_work sum = {{0, 300 * BLOCKS, 100 * BLOCKS}, {0, BLOCKS, BLOCKS}};
    (void)unused;
    sl_costs_take(&c, &sum);
    assert_near(weight_of(&c, 0), 1, 0);
    assert_near(weight_of(&c, 1), 2 * 1.5, 1e-12);
}

static void bounded(void **unused)
{
    struct sl_costs c = none;
    struct sl_costs_work sum = {{1000000, 100000, 100}, {1, 100, 100}};
    (void)unused;
    sl_costs_take(&c, &sum);
    assert_near(weight_of(&c, 0), 1 * 4.0, 0);
    assert_near(weight_of(&c, 1), 2 * 0.25, 0);
    assert_near(weight_of(&c, 2), 4 * 0.25, 0);
}

/* One hiccup among many calls counts a quarter at most, and is forgotten. */
static void smoothed(void **unused)
{
    struct sl_costs c = none;
    (void)unused;
    for (int i = 0; i < 40; i++)
        spend(&c, 100, 100, 100);
    spend(&c, 200, 100, 100);
    assert_near(weight_of(&c, 0), 1.25 / (3.25 / 3), 1e-4);
    for (int i = 0; i < 40; i++)
        spend(&c, 100, 100, 100);
    assert_near(weight_of(&c, 0), 1, 1e-4);
    for (int i = 0; i < 40; i++)
        spend(&c, 300, 200, 100);
    assert_near(weight_of(&c, 0), 1.5, 1e-4);
}

/* Of each rank what it did since the last call, and nothing twice. */
static void shared(void **unused)
{
    struct sl_costs c = none;
    (void)unused;
    for (int i = 0; i < 3; i++) {
        sl_costs_add(&c, 1, 2e-6);
        sl_costs_add(&c, 1, 1e-6);
        c.done.blocks[1] += 3;
        assert_int_equal(sl_costs_share(&c, MPI_COMM_SELF), 0);
    }
    assert_int_equal(c.done.time[1], 9000);
    assert_near(c.time[1], 3000 * (1 + 0.75 + 0.5625), 1e-9);
    assert_near(c.blocks[1], 3 * (1 + 0.75 + 0.5625), 1e-12);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model),   cmocka_unit_test(measured), cmocka_unit_test(some),
        cmocka_unit_test(bounded), cmocka_unit_test(smoothed), cmocka_unit_test(shared),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
