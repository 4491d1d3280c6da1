/* interval.c - the time between checkpoints against the figures that Daly prints (FGCS 22, 2006),
 * the minimum of the waste found by search, and its bounds. */
#include "core/sys/interval.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void close_to(double have, double want, double relative)
{
    assert_true(fabs(have - want) <= relative * fabs(want));
}

/* His captions: a write of 5 min and a failure every 24 h, 6 h, 15 min. */
static void figures(void **state)
{
    (void)state;
    close_to(sl_interval_daly(300, 24 * 3600) / 60, 116.7, 5e-4);
    close_to(sl_interval_daly(300, 6 * 3600) / 60, 56.7, 1e-3);
    close_to(sl_interval_daly(300, 15 * 60) / 60, 9.1, 1e-2);
    assert_true(sl_interval_daly(300, 100) == 100); /* writing takes longer than it holds */
    assert_true(sl_interval_daly(0, 3600) == 0);
}

/* Wall time per time of work when failures come at random (his eq. 20), without restarts. */
static double waste(double interval, double write, double mtbf)
{
    return mtbf * expm1((interval + write) / mtbf) / interval;
}

static void least_waste(void **state)
{
    (void)state;
    static const double cases[][2] = {{1, 3600}, {10, 3600}, {60, 86400}, {300, 21600}};
    for (int i = 0; i < 4; i++) {
        double write = cases[i][0], mtbf = cases[i][1], best = write;
        for (double t = write; t < 4 * mtbf; t *= 1.001)
            if (waste(t, write, mtbf) < waste(best, write, mtbf)) best = t;
        close_to(sl_interval_daly(write, mtbf), best, 0.01);
    }
}

static void bounds(void **state)
{
    (void)state;
    assert_true(sl_interval_auto(10, 6000 * 3600., 86400) == 3600);
    assert_true(sl_interval_auto(10, 6000 * 3600., 600) == 150);
    close_to(sl_interval_auto(0.1, 3600, 86400), sl_interval_daly(0.1, 3600), 1e-12);
    assert_true(sl_interval_auto(-1, 3600, 86400) == 60);
    assert_true(sl_interval_auto(-1, 3600, 40) == 10);
}

static void failures(void **state)
{
    (void)state;
    const double prior = 6000 * 3600.;
    close_to(sl_interval_mtbf(prior, 0, 0), prior, 1e-12);
    assert_true(sl_interval_mtbf(prior, 0, 1e6) > prior); /* it went well for long */
    /* four failures in ten hours: every 2.5 h, and 60 h that were expected before count little */
    close_to(sl_interval_mtbf(prior, 4, 36000), 70 * 3600 / 4.01, 1e-12);
    close_to(sl_interval_mtbf(prior, 400, 3.6e6), 9000, 0.07);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures),
        cmocka_unit_test(least_waste),
        cmocka_unit_test(bounds),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
