/* separate.c - tests core/cosmo/separate.h: a box as a universe of its own against spherical
 * collapse, its growth against perturbation theory, and what keys of redshifts become. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/cosmo/growth.h"
#include "core/cosmo/schedule.h"
#include "core/cosmo/separate.h"
#include "core/sys/status.h"
#include "tests/cosmo.h"

#define PI 3.14159265358979323846

static void near(const char *what, double got, double want, double relative)
{
    if (fabs(got - want) <= relative * fabs(want)) return;
    fail_msg("%s is %.12g instead of %.12g (%.1e off)", what, got, want, got / want - 1);
}

static struct sl_cosmology universe(double omega_m, double t_cmb)
{
    struct sl_cosmology c = {
        .h = 0.7, .omega_m = omega_m, .omega_b = 0.045, .w0 = -1, .t_cmb = t_cmb, .n_eff = 3.046};
    assert_int_equal(sl_cosmology_init(&c), SL_OK);
    return c;
}

/* Spherical collapse in an Einstein-de Sitter universe: the true density over the mean where linear
 * theory has the contrast delta, by the parameter of the cycloid. */
static double spherical(double delta)
{
    double lo = 0, hi = delta > 0 ? 2 * PI : 20, part = 0.6 * pow(0.75, 2. / 3);
    for (int i = 0; i < 200; i++) {
        double t = 0.5 * (lo + hi), over = t - sin(t), under = sinh(t) - t;
        double linear = part * pow(delta > 0 ? over : under, 2. / 3);
        *(linear < fabs(delta) ? &lo : &hi) = t;
    }
    double over = lo - sin(lo), under = sinh(lo) - lo;
    return delta > 0 ? 4.5 * over * over / pow(1 - cos(lo), 3)
                     : 4.5 * under * under / pow(cosh(lo) - 1, 3);
}

static void test_collapse(void **state)
{
    (void)state;
    static const double delta[] = {-5, -1, -0.1, 0.1, 0.5, 0.9};
    const struct sl_cosmology c = universe(1, 0);
    for (int i = 0; i < 6; i++)
        for (double a = 0.02; a < 1.01; a *= pow(50, 0.25)) {
            struct sl_cosmology box;
            assert_int_equal(sl_separate_init(&c, delta[i], &box), SL_OK);
            double own = sl_separate_box(&c, &box, a);
            near("the mean density", pow(a / own, 3), spherical(delta[i] * a), 1e-9);
            near("the way back", sl_separate_around(&c, &box, own), a, 1e-11);
        }
}

/* Densities by linear theory are those of the growth of waves, with dark energy and curvature. */
static void test_linear(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct sl_cosmology c = universe(0.3, i == 2 ? 2.7255 : 0), more, less;
        if (i == 1) c.omega_k = 0.1, assert_int_equal(sl_cosmology_init(&c), SL_OK);
        assert_int_equal(sl_separate_init(&c, 1e-4, &more), SL_OK);
        assert_int_equal(sl_separate_init(&c, -1e-4, &less), SL_OK);
        for (double a = 0.1; a < 1.01; a *= pow(10, 0.25)) {
            double contrast =
                1.5 * log(sl_separate_box(&c, &less, a) / sl_separate_box(&c, &more, a));
            double grown = sl_growth_at(&c, a).d1 / sl_growth_at(&c, 1).d1;
            /* radiation goes with the box, but not with the waves */
            near("linear density", contrast, 1e-4 * grown, i == 2 ? 1e-2 : 1e-6);
        }
    }
}

/* d ln D / d delta of waves in the box at equal age: 13/21 in Einstein-de Sitter. */
static double response(const struct sl_cosmology *c, double a)
{
    const double step = 1e-3;
    double d[2];
    for (int i = 0; i < 2; i++) {
        struct sl_cosmology box;
        assert_int_equal(sl_separate_init(c, i ? step : -step, &box), SL_OK);
        d[i] = log(sl_growth_at(&box, sl_separate_box(c, &box, a)).d1);
    }
    return (d[1] - d[0]) / (2 * step) * sl_growth_at(c, 1).d1 / sl_growth_at(c, a).d1;
}

static void test_response(void **state)
{
    (void)state;
    const struct sl_cosmology c = universe(1, 0), dark = universe(0.3, 0);
    near("at a = 1", response(&c, 1), 13. / 21, 1e-5);
    near("at a = 0.1", response(&c, 0.1), 13. / 21, 1e-5);
    near("with dark energy early", response(&dark, 0.05), 13. / 21, 1e-3);
    double today = response(&dark, 1);
    assert_true(today > 13. / 21 && today < 1.03 * 13 / 21); /* weakly of cosmology */
}

static void test_none(void **state)
{
    (void)state;
    struct sl_cosmology c = universe(0.3, 2.7255), box;
    assert_int_equal(sl_separate_init(&c, 0, &box), SL_OK);
    assert_memory_equal(&box, &c, sizeof c);
    c.w0 = -0.9;
    assert_int_equal(sl_cosmology_init(&c), SL_OK);
    assert_int_equal(sl_separate_init(&c, 0, &box), SL_OK);
    assert_int_equal(sl_separate_init(&c, 0.1, &box), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "nearest: 0, or cosmology.w0: -1"));
    c = universe(1, 0);
    assert_int_equal(sl_separate_init(&c, 0.99, &box), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "the box stops expanding at a = 0.606"));
}

/* Snapshots are at equal age. */
static void test_schedule(void **state)
{
    (void)state;
    struct sl_universe u = {.around = universe(0.3, 0), .mean_overdensity = 0.2};
    struct sl_config cfg;
    assert_int_equal(sl_separate_init(&u.around, u.mean_overdensity, &u.c), SL_OK);
    memset(&cfg, 0, sizeof cfg);
    cfg.ic_redshift = 49;
    cfg.output_redshift_n = 1;
    cfg.output_redshift[0] = 1;
    cfg.time_steps = 5;
    struct sl_schedule *s;
    assert_int_equal(sl_schedule_new(&cfg, &u, &s), SL_OK);
    double a = sl_schedule_snapshot(&cfg, &u, 1), last = s->stop[4];
    near("age of the snapshot", sl_cosmology_age(&u.c, a), sl_cosmology_age(&u.around, 0.5), 1e-12);
    near("age of the end", sl_cosmology_age(&u.c, last), sl_cosmology_age(&u.around, 1), 1e-12);
    near("redshift around", sl_universe_redshift(&u, a), 1, 1e-11);
    near("own redshift", sl_universe_own_redshift(&u, 1), 1 / a - 1, 1e-12);
    assert_true(a < 0.5 && last == sl_universe_scale_factor(&u, 0));
    int ends = 0;
    for (int i = 0; i < 5; i++)
        ends += s->stop[i] == a;
    assert_int_equal(ends, 1);
    sl_schedule_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_collapse),
                                       cmocka_unit_test(test_linear),
                                       cmocka_unit_test(test_response), cmocka_unit_test(test_none),
                                       cmocka_unit_test(test_schedule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
