/* stepping.c - tests core/cosmo/stepping.h and schedule.h: coefficients of steps against those of
 * an independent program; plane waves are exact in any universe, and what is of second order in
 * bullfrog; steps are equal, and snapshots end some. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/cosmo/growth.h"
#include "core/cosmo/schedule.h"
#include "core/cosmo/stepping.h"
#include "core/sys/status.h"
#include "tests/cosmo.h"

static void near(const char *what, double got, double want, double limit)
{
    if (fabs(got - want) <= limit) return;
    fail_msg("%s is %.12g instead of %.12g (%.1e off)", what, got, want, got - want);
}

static struct sl_cosmology universe(double omega_m, double t_cmb, double w0, double wa)
{
    struct sl_cosmology c = {
        .h = 0.7, .omega_m = omega_m, .t_cmb = t_cmb, .n_eff = 3.046, .w0 = w0, .wa = wa};
    assert_int_equal(sl_cosmology_init(&c), SL_OK);
    return c;
}

/* Scale factor at the share i / n of the growth until today; 0 of none. */
static double share_of(const struct sl_cosmology *c, int i, int n)
{
    return i == 0 ? 0 : sl_growth_scale_factor(c, sl_growth_at(c, 1).d1 * i / n);
}

/* ---- coefficients ---- */

/* alpha and beta of steps equal in D from 0 to today, by a program of our own in Python, which
 * integrates growth by itself (Runge and Kutta, cubic tables: 1e-8). */
static const struct row {
    double omega_m, w0, wa;
    int stepping, n;
    double alpha[10], beta[10];
} rows[] = {{1,
             -1,
             0,
             SL_STEPPING_fastpm,
             5,
             {0, 0.353553391, 0.544331054, 0.649519053, 0.715541753},
             {10, 2.154822031, 0.911337892, 0.500687067, 0.316064719}},
            {1,
             -1,
             0,
             SL_STEPPING_bullfrog,
             10,
             {-0.714285714, 0.294117647, 0.527559055, 0.642553191, 0.712000000, 0.758683729,
              0.792276964, 0.817629179, 0.837450199, 0.853376206},
             {34.285714286, 4.705882353, 1.889763780, 1.021276596, 0.640000000, 0.438756856,
              0.319573901, 0.243161094, 0.191235060, 0.154340836}},
            {0.3,
             -1,
             0,
             SL_STEPPING_fastpm,
             10,
             {0, 0.353429181, 0.543810270, 0.648299935, 0.713297900, 0.757090461, 0.788096888,
              0.810640423, 0.827056437, 0.838520105},
             {25.674566606, 5.533475183, 2.342494724, 1.289963820, 0.817883575, 0.566963376,
              0.418501583, 0.324115005, 0.261191237, 0.218206649}},
            {0.3,
             -1,
             0,
             SL_STEPPING_bullfrog,
             10,
             {-0.714318775, 0.293908079, 0.526919726, 0.641193215, 0.709597703, 0.754873527,
              0.786620864, 0.809566717, 0.826207881, 0.837788138},
             {44.014391576, 6.042868023, 2.429226201, 1.316029816, 0.828439234, 0.572137814,
              0.421416680, 0.325952800, 0.262472785, 0.219195750}},
            {0.3,
             -0.9,
             0.2,
             SL_STEPPING_fastpm,
             5,
             {0, 0.351185310, 0.537206962, 0.635272114, 0.690075729},
             {13.554173467, 2.931382287, 1.254555424, 0.706226433, 0.466751926}},
            {0.3,
             -0.9,
             0.2,
             SL_STEPPING_bullfrog,
             5,
             {-0.715364152, 0.290302656, 0.518938169, 0.626698130, 0.684598164},
             {23.250343278, 3.206453639, 1.304079102, 0.722828329, 0.475001245}}};

static void test_coefficients(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct row *row = &rows[r];
        struct sl_cosmology c = universe(row->omega_m, 0, row->w0, row->wa);
        for (int i = 0; i < row->n; i++) {
            struct sl_leap s = sl_stepping_leap(row->stepping, &c, share_of(&c, i, row->n),
                                                share_of(&c, i + 1, row->n));
            near("alpha", s.alpha, row->alpha[i], 1e-7);
            near("beta", s.beta / row->beta[i], 1, 1e-7);
        }
    }
    assert_false(sl_stepping_grows(SL_STEPPING_kdk));
}

/* ---- waves, and second order ---- */

/* In the variables of a run, with radiation and dark energy that changes: x = D psi and v = F psi
 * stay so, from a start or from D = 0. */
static void test_waves(void **state)
{
    (void)state;
    struct sl_cosmology c = universe(0.3, 2.7255, -0.9, 0.2);
    for (int stepping = SL_STEPPING_fastpm; stepping <= SL_STEPPING_bullfrog; stepping++)
        for (int zero = 0; zero < 2; zero++) {
            double a = 0.02, end = 0.1, four_pi_g = 0.45 * end;
            struct sl_growth g = sl_growth_at(&c, a), h = sl_growth_at(&c, end);
            double x = g.d1, v = g.d1 * g.f1 * a * a * sl_cosmology_rate(&c, a);
            struct sl_push p = sl_stepping_push(stepping, &c, a, end, zero, four_pi_g);
            x += p.before * v;
            near("middle", sl_growth_at(&c, p.middle).d1, x, 1e-9);
            near("half way", x, 0.5 * (h.d1 + (zero ? 0 : g.d1)), 1e-9);
            v = p.keep * v + p.gain * four_pi_g * x;
            x += p.after * v;
            near("x", x / h.d1, 1, 1e-9);
            near("v", v / (h.d1 * h.f1 * end * end * sl_cosmology_rate(&c, end)), 1, 1e-9);
            if (stepping == SL_STEPPING_fastpm && !zero) near("keep", p.keep, 1, 1e-12);
        }
}

/* E of second order and dE/dD after n steps from D = 0 to today: on x = q + D psi1 + e psi2 the
 * force is D psi1 + (e - D^2) psi2. */
static void second_order(int stepping, const struct sl_cosmology *c, int n, double *e, double *w)
{
    *e = *w = 0;
    for (int i = 0; i < n; i++) {
        struct sl_leap s = sl_stepping_leap(stepping, c, share_of(c, i, n), share_of(c, i + 1, n));
        *e += *w * (s.middle - s.from);
        *w = s.alpha * *w + s.beta * (*e - s.middle * s.middle);
        *e += *w * (s.to - s.middle);
    }
}

static void test_second_order(void **state)
{
    (void)state;
    struct sl_cosmology matter = universe(1, 0, -1, 0), dark = universe(0.3, 0, -1, 0);
    double e, w;
    second_order(SL_STEPPING_bullfrog, &matter, 3, &e, &w);
    near("E, matter alone", e, -3. / 7, 1e-9);
    near("dE/dD, matter alone", w, -6. / 7, 1e-9);
    struct sl_growth g = sl_growth_at(&dark, 1);
    second_order(SL_STEPPING_bullfrog, &dark, 5, &e, &w);
    near("E of bullfrog", e / g.d2, 1, 1e-3);
    near("dE/dD of bullfrog", w * g.d1 * g.f1 / (g.d2 * g.f2), 1, 1e-3);
    second_order(SL_STEPPING_fastpm, &dark, 5, &e, &w);
    assert_true(fabs(e / g.d2 - 1) > 5e-3); /* fastpm knows the first order alone */
}

/* ---- where steps end ---- */

static struct sl_config config(int64_t steps, double end)
{
    struct sl_config cfg;
    sl_config_default(&cfg);
    cfg.time_unit = SL_TIME_UNIT_redshift;
    cfg.ic_redshift = 49;
    cfg.time_end = end;
    cfg.time_steps = steps;
    cfg.output_snapshot = 0;
    return cfg;
}

static void test_equal(void **state)
{
    (void)state;
    struct sl_cosmology c = universe(0.3, 2.7255, -1, 0);
    struct sl_universe u = {.c = c, .around = c};
    struct sl_config cfg = config(8, 0);
    struct sl_schedule *s;
    assert_int_equal(sl_schedule_new(&cfg, &u, &s), SL_OK);
    for (int i = 0; i < 8; i++)
        near("ln a", log(s->stop[i]), -log(50) * (7 - i) / 8, 1e-12);
    assert_true(s->stop[7] == 1);
    sl_schedule_free(s);
    cfg.time_stepping = SL_STEPPING_bullfrog;
    cfg.time_begin = SL_BEGIN_zero;
    assert_int_equal(sl_schedule_new(&cfg, &u, &s), SL_OK);
    for (int i = 0; i < 8; i++)
        near("D", sl_growth_at(&c, s->stop[i]).d1 / sl_growth_at(&c, 1).d1, (i + 1) / 8., 1e-9);
    sl_schedule_free(s);
    cfg.time_steps = 100;
    assert_int_equal(sl_schedule_new(&cfg, &u, &s), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "the first of 100 steps ends at redshift"));
    cfg = config(8, 49); /* it ends where it starts: no loop looks for a later time */
    assert_int_equal(sl_schedule_new(&cfg, &u, &s), SL_EINPUT);
    assert_non_null(strstr(sl_error_text(), "time.end: 49 is not later than the start"));
    cfg = config(8, 0);
    cfg.time_steps = -1;
    assert_int_equal(sl_schedule_new(&cfg, &u, &s), SL_OK);
    assert_null(s);
}

static void test_snapshots(void **state)
{
    (void)state;
    struct sl_cosmology c = universe(0.3, 0, -1, 0);
    struct sl_universe u = {.c = c, .around = c};
    struct sl_config cfg = config(7, 0.5);
    struct sl_schedule *s;
    const double z[4] = {9, 8.9, 1, 0.5};
    cfg.output_redshift_n = 4;
    memcpy(cfg.output_redshift, z, sizeof z);
    assert_int_equal(sl_config_parts(&cfg), 4);
    assert_int_equal(sl_schedule_new(&cfg, &u, &s), SL_OK);
    int64_t n = 0;
    double before = 0.02, at = 0.02;
    for (int i = 0; i < 7; i++) {
        assert_true(s->stop[i] > before);
        assert_true(sl_schedule_next(s, at) == s->stop[i]);
        before = at = s->stop[i];
        at *= 1 - 1e-14; /* of a run, that has it from its time */
        for (int k = 0; k < 4; k++)
            n += s->stop[i] == sl_schedule_snapshot(&cfg, &u, k + 1);
    }
    assert_int_equal(n, 4);
    assert_true(sl_schedule_next(s, 1) == 1 / 1.5);
    /* 1.61, 0.01, 1.60 and 0.29 e-folds: three steps to z = 9, two from 8.9 to 1 */
    assert_true(s->stop[2] == 0.1 && s->stop[5] == 0.5);
    sl_schedule_free(s);
    cfg.output_redshift_n = 0;
    cfg.output_snapshot = 0.5;
    assert_int_equal(sl_config_parts(&cfg), 8); /* 3.507 e-folds */
    cfg.output_snapshot =
        log(50 / 1.5) / 5 * (1 + 1e-12); /* the last at the end, but for rounding */
    assert_int_equal(sl_config_parts(&cfg), 5);
    assert_true(sl_schedule_snapshot(&cfg, &u, 5) == 1 / 1.5);
    assert_true(sl_schedule_snapshot(&cfg, &u, 6) == HUGE_VAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coefficients), cmocka_unit_test(test_waves),
        cmocka_unit_test(test_second_order), cmocka_unit_test(test_equal),
        cmocka_unit_test(test_snapshots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
