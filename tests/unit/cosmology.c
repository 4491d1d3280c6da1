/* cosmology.c - tests core/cosmo/background.h and growth.h against independent tables (numpy,
 * scipy), closed forms of Einstein and de Sitter, and identities. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/cosmo/growth.h"
#include "core/sys/status.h"
#include "tests/cosmo.h"

static void near(const char *what, double got, double want, double relative)
{
    if (fabs(got - want) <= relative * fabs(want)) return;
    fail_msg("%s is %.10g instead of %.10g (%.1e off)", what, got, want, got / want - 1);
}

/* One line of the table, for a universe: columns H, age, D / D(0), f. */
static void check_row(const struct sl_cosmology *c, const double *row)
{
    double today = sl_growth_at(c, 1).d1, a = 1 / (1 + row[0]);
    struct sl_growth g = sl_growth_at(c, a);
    near("H", sl_cosmology_hubble(c, a), row[1], 1e-8);
    near("age", sl_cosmology_age(c, a), row[2], row[2] < 0.1 ? 1e-5 : 1e-6);
    near("D", g.d1 / today, row[3], 1e-7);
    near("f", g.f1, row[4], 1e-6);
}

static void test_table(void **state)
{
    (void)state;
    struct sl_cosmology plain = test_cosmology(0), real = test_cosmology(2.7255);
    near("Omega_r", real.omega_r, 8.53816884e-05, 1e-6);
    char line[512], path[600];
    FILE *file = fopen(test_data("background_growth.txt", path), "r");
    assert_non_null(file);
    int rows = 0;
    while (fgets(line, sizeof line, file)) {
        double v[10];
        if (line[0] == '#') continue;
        assert_int_equal(sscanf(line, "%lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1],
                                &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9]),
                         10);
        double a[5] = {v[0], v[2], v[3], v[4], v[5]}, b[5] = {v[0], v[6], v[7], v[8], v[9]};
        check_row(&plain, a);
        check_row(&real, b);
        rows++;
    }
    fclose(file);
    assert_int_equal(rows, 16);
    near("D(1)", sl_growth_at(&plain, 1).d1, 0.77898102, 1e-8);
    near("D(0.5)", sl_growth_at(&plain, 0.5).d1, 0.5 * 0.95317014, 1e-8);
    near("D(0.1)", sl_growth_at(&plain, 0.1).d1, 0.1 * 0.99957622, 1e-8);
    near("f(1)", sl_growth_at(&plain, 1).f1, 0.51279625, 1e-8);
}

static void test_einstein_de_sitter(void **state)
{
    (void)state;
    struct sl_cosmology c = {.h = 0.5, .omega_m = 1, .w0 = -1};
    assert_int_equal(sl_cosmology_init(&c), SL_OK);
    for (double a = 1e-4; a <= 1; a *= 3.7) {
        struct sl_growth g = sl_growth_at(&c, a);
        near("D = a", g.d1, a, 1e-10);
        near("D2 = -3/7 a^2", g.d2, -3. / 7 * a * a, 1e-10);
        near("f", g.f1, 1, 1e-10);
        near("f2", g.f2, 2, 1e-10);
        near("age", sl_cosmology_age(&c, a), 2. / 3 * 19.5556 * pow(a, 1.5), 1e-4);
    }
}

/* The approximations of the literature, to the accuracy that they claim. */
static void test_second_order(void **state)
{
    (void)state;
    struct sl_cosmology c = test_cosmology(0);
    for (double a = 0.05; a <= 1; a *= 1.7) {
        struct sl_growth g = sl_growth_at(&c, a);
        double om = sl_cosmology_matter(&c, a);
        near("D2 of Bouchet et al.", g.d2, -3. / 7 * g.d1 * g.d1 * pow(om, -1. / 143), 6e-4);
        near("f2 of Bouchet et al.", g.f2, 2 * pow(om, 6. / 11), 6e-3);
    }
}

/* A universe of curvature alone grows as one of the closed forms; one of w = 0 as dust. */
static void test_open(void **state)
{
    (void)state;
    struct sl_cosmology c = {.h = 0.7, .omega_m = 0.3, .omega_k = 0.7, .w0 = -1};
    assert_int_equal(sl_cosmology_init(&c), SL_OK);
    for (double a = 0.01; a <= 1; a *= 2.1) {
        double x = 0.7 / 0.3 * a, r = sqrt(1 + x);
        double d = 2.5 * (1 + 3 / x + 3 * r / (x * sqrt(x)) * log(r - sqrt(x))) / (0.7 / 0.3);
        near("D of an open universe", sl_growth_at(&c, a).d1, d, x < 0.1 ? 1e-5 : 1e-8);
    }
}

static void test_dark_energy(void **state)
{
    (void)state;
    struct sl_cosmology a = {.h = 0.7, .omega_m = 0.3, .w0 = -1 / 3.}, b = a;
    b.omega_k = 0.7, b.w0 = -1; /* curvature falls as dark energy of w = -1/3 */
    assert_int_equal(sl_cosmology_init(&a), SL_OK);
    assert_int_equal(sl_cosmology_init(&b), SL_OK);
    near("age", sl_cosmology_age(&a, 1), sl_cosmology_age(&b, 1), 1e-12);
    near("D", sl_growth_at(&a, 1).d1, sl_growth_at(&b, 1).d1, 1e-9);
    struct sl_cosmology w = {.h = 0.7, .omega_m = 0.3, .w0 = -0.9, .wa = 0.3};
    assert_int_equal(sl_cosmology_init(&w), SL_OK);
    double x = 1e-6, up = log(sl_cosmology_rate(&w, 0.5 * exp(x)));
    near("slope of H", sl_cosmology_rate_slope(&w, 0.5),
         (up - log(sl_cosmology_rate(&w, 0.5 * exp(-x)))) / (2 * x), 1e-8);
    near("E(1)", sl_cosmology_rate(&w, 1), 1, 1e-14);
}

static void test_redshift(void **state)
{
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    near("redshift of a growth", sl_growth_redshift(&c, 0.013076007), 99, 1e-5);
    assert_true(sl_growth_redshift(&c, 1.1) < 0);
    assert_true(sl_growth_redshift(&c, 1e-9) < 0);
}

static void test_refusals(void **state)
{
    (void)state;
    struct sl_cosmology none = {.h = 0.7, .omega_m = 0.3, .omega_k = 3.0, .w0 = -1};
    assert_int_equal(sl_cosmology_init(&none), SL_OK); /* open, negative Lambda: still a universe */
    struct sl_cosmology bounce = {.h = 0.7, .omega_m = 0.3, .omega_k = -4.0, .w0 = -1};
    assert_int_equal(sl_cosmology_init(&bounce), SL_EINPUT);
    struct sl_cosmology baryons = {.h = 0.7, .omega_m = 0.3, .omega_b = 0.4, .w0 = -1};
    assert_int_equal(sl_cosmology_init(&baryons), SL_EINPUT);
    assert_true(baryons.omega_de == 0);
}

static struct sl_cosmology massive_neutrinos(double omega_m, double sum, int massive)
{
    struct sl_cosmology c = {.h = 0.7, .omega_b = 0.045, .w0 = -1, .t_cmb = 2.7255, .n_eff = 3.046};
    c.m_nu = sum, c.massive = massive;
    c.omega_m = omega_m - sl_cosmology_neutrinos(&c);
    assert_int_equal(sl_cosmology_init(&c), SL_OK);
    return c;
}

/* Massive neutrinos: the limits of no mass and of matter, energy that is conserved, growth by
 * D'' + D' / 2 = 3/2 (1 - f) D where matter rules. tests/law/neutrinos.sh has the integral. */
static void test_neutrinos(void **state)
{
    (void)state;
    struct sl_cosmology none = test_cosmology(2.7255), light = massive_neutrinos(0.3, 1e-6, 3);
    none.omega_m = light.omega_m; /* all of 0.3 but what is hardly matter */
    assert_int_equal(sl_cosmology_init(&none), SL_OK);
    for (double a = 1e-9; a < 1.01; a *= 10)
        near("hardly massive", sl_cosmology_rate(&light, a), sl_cosmology_rate(&none, a), 1e-9);
    for (int massive = 1; massive <= 3; massive++) {
        struct sl_cosmology c = massive_neutrinos(0.3, 0.3, massive);
        near("flat", sl_cosmology_rate(&c, 1), 1, 1e-12);
        near("all matter", sl_cosmology_all(&c), 0.3, 1e-12);
        near("eV of Omega h^2", 0.3 / c.omega_nu / 0.49, 93.0, 1e-3);
        near("mass", sl_cosmology_neutrino_mass(&c, c.omega_nu), 0.3, 1e-10);
        near("radiation early", pow(sl_cosmology_rate(&c, 1e-9), 2) * 1e-36,
             none.omega_r + 1e-9 * c.omega_m, 1e-9);
        for (double a = 1e-6; a < 1.01; a *= 3) {
            double step = 1e-4, up = sl_cosmology_rate(&c, a * exp(step)),
                   down = sl_cosmology_rate(&c, a * exp(-step));
            near("dlnH/dlna", sl_cosmology_rate_slope(&c, a), log(up / down) / (2 * step), 1e-7);
        }
    }
    struct sl_cosmology eds = massive_neutrinos(1, 6, 3);
    double f = eds.omega_nu, p = (sqrt(25 - 24 * f) - 1) / 4;
    near("f", sl_growth_at(&eds, 1).f1, p, 1e-3);
    struct sl_cosmology cold = eds;
    cold.t_cmb = 0;
    assert_int_equal(sl_cosmology_init(&cold), SL_EINPUT);
    cold.t_cmb = 2.7255, cold.massive = 4;
    assert_int_equal(sl_cosmology_init(&cold), SL_EINPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_neutrinos),
                                       cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_einstein_de_sitter),
                                       cmocka_unit_test(test_second_order),
                                       cmocka_unit_test(test_open),
                                       cmocka_unit_test(test_dark_energy),
                                       cmocka_unit_test(test_redshift),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
