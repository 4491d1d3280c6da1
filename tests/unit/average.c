/* average.c - tests core/stats/average.h: means over uneven times, and errors of a series whose
 * correlation is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "core/stats/average.h"
#include "core/sys/random.h"
#include "core/sys/status.h"

enum { ROWS = 4000, SERIES = 64 };

/* x[i + 1] = r x[i] + sqrt(1 - r^2) g: mean 5, variance 1, tau = (1 + r) / (1 - r) / 2 steps. */
static void correlated(int seed, double r, double *t, double *x)
{
    double last = 0, pair[2];
    for (int i = 0; i < ROWS; i++) {
        struct sl_random_name name = {(uint64_t)seed, SL_RANDOM_VELOCITY, 0, {i, 0, 0}};
        sl_random_gauss(&name, 0, pair);
        last = i == 0 ? pair[0] : r * last + sqrt(1 - r * r) * pair[0];
        t[i] = 0.5 * i;
        x[i] = 5 + last;
    }
}

/* The scatter of the means of many series is what their errors say, and tau is the known one. */
static void test_errors_are_true(void **state)
{
    static double t[ROWS], x[ROWS];
    double square = 0, said = 0, tau = 0;
    struct sl_average a;
    (void)state;
    for (int s = 0; s < SERIES; s++) {
        correlated(s + 1, 0.9, t, x);
        assert_int_equal(sl_average_make(ROWS, t, x, 0, &a), SL_OK);
        square += (a.mean - 5) * (a.mean - 5) / SERIES;
        said += a.error * a.error / SERIES;
        tau += a.tau / SERIES;
    }
    assert_true(fabs(tau / (0.5 * 9.5) - 1) < 0.1);
    assert_true(fabs(sqrt(said / square) - 1) < 0.25); /* 64 series: 9 % by chance */
    assert_true(fabs(a.samples * 2 * a.tau / t[ROWS - 1] - 1) < 1e-12);
}

/* A straight line over uneven times: the mean over the window is the value in its middle. */
static void test_window(void **state)
{
    double t[40], x[40];
    struct sl_average a;
    (void)state;
    for (int i = 0; i < 40; i++) {
        t[i] = 0.01 * i * i;
        x[i] = 3 * t[i];
    }
    assert_int_equal(sl_average_make(40, t, x, 4, &a), SL_OK);
    assert_true(fabs(a.mean - 1.5 * (4 + t[39])) < 1e-12);
    assert_int_equal(sl_average_make(40, t, x, t[33], &a), SL_EINPUT);
}

/* What a straight line says of itself does not depend on when it was looked at. */
static void test_uneven(void **state)
{
    enum { ROWS_HERE = 40 };
    double t[ROWS_HERE], x[ROWS_HERE], even[ROWS_HERE];
    struct sl_average a, b;
    (void)state;
    for (int i = 0; i < ROWS_HERE; i++) {
        t[i] = i * (i + 3.0) / 100;
        x[i] = 1 - 2 * t[i];
    }
    assert_int_equal(sl_average_make(ROWS_HERE, t, x, 0, &a), SL_OK);
    for (int i = 0; i < ROWS_HERE; i++) {
        even[i] = t[ROWS_HERE - 1] * i / (ROWS_HERE - 1);
        x[i] = 1 - 2 * even[i];
    }
    assert_int_equal(sl_average_make(ROWS_HERE, even, x, 0, &b), SL_OK);
    assert_true(fabs(a.tau / b.tau - 1) < 1e-12 && fabs(a.error / b.error - 1) < 1e-12);
}

static void test_constant(void **state)
{
    double t[10], x[10];
    struct sl_average a;
    (void)state;
    for (int i = 0; i < 10; i++) {
        t[i] = i;
        x[i] = 2;
    }
    assert_int_equal(sl_average_make(10, t, x, 0, &a), SL_OK);
    assert_true(a.mean == 2 && a.error == 0 && a.samples >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_errors_are_true),
                                       cmocka_unit_test(test_window), cmocka_unit_test(test_uneven),
                                       cmocka_unit_test(test_constant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
