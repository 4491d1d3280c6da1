/* halofit.c - tests core/cosmo/halofit.h against tables of two other programs, at its ends, and in
 * what it is linear. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "core/cosmo/halofit.h"
#include "tests/power.h"

static double ratio_at(const struct sl_power *p, const struct sl_halofit *h, double growth,
                       double k)
{
    double amplitude = growth * sl_power_amplitude(p, SL_POWER_TOTAL, k);
    return sl_halofit_ratio(h, k, amplitude * amplitude);
}

/* Of a universe that expands otherwise, whose linear power is the same. */
static struct sl_halofit fit_of(const struct sl_power *p, const double w[3], double z,
                                double growth)
{
    struct sl_halofit h;
    struct sl_power other = *p;
    struct sl_cosmology *c = &other.spec.cosmology;
    c->w0 = w[0];
    c->wa = w[1];
    c->omega_k = w[2];
    assert_int_equal(sl_cosmology_init(c), SL_OK);
    sl_halofit_init(&other, growth, 1 / (1 + z), &h);
    return h;
}

/* Lines "w0 wa omega_k z growth k own class". */
static void test_table(void **state)
{
    char path[600], line[256];
    struct sl_power p;
    int lines = 0;
    (void)state;
    open_power("camb_matterpower_z0.dat", 0, &p);
    FILE *f = fopen(test_data("halofit.txt", path), "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        double w[3], z, growth, k, own, class;
        if (sscanf(line, "%lf %lf %lf %lf %lf %lf %lf %lf", &w[0], &w[1], &w[2], &z, &growth, &k,
                   &own, &class) != 8)
            continue;
        struct sl_halofit h = fit_of(&p, w, z, growth);
        double found = ratio_at(&p, &h, growth, k);
        near(line, found, own, 1e-5);
        if (!isnan(class)) near(line, found, class, 1e-3);
        lines++;
    }
    fclose(f);
    assert_int_equal(lines, 120);
    sl_power_release(&p);
}

/* The variance at 1 / k_sigma is 1, by a finer ladder of waves. */
static void test_scale(void **state)
{
    struct sl_halofit h;
    struct sl_power p;
    (void)state;
    open_power("camb_matterpower_z0.dat", 0, &p);
    sl_halofit_init(&p, 1, 1, &h);
    double sum = 0, step = log(1e8) / 400000;
    for (int i = 0; i < 400000; i++) {
        double k = 1e-4 * exp((i + 0.5) * step), a = sl_power_amplitude(&p, SL_POWER_TOTAL, k);
        sum += step * k * k * k * a * a * exp(-pow(k / h.k_sigma, 2)) / (2 * pow(acos(-1), 2));
    }
    near("sigma^2 at 1 / k_sigma", sum, 1, 1e-6);
    sl_power_release(&p);
}

/* Before z = 10, where the fit ends, and where nothing has grown; on the longest waves. */
static void test_linear(void **state)
{
    static const double flat[3] = {-1, 0, 0};
    struct sl_power p;
    (void)state;
    open_power("camb_matterpower_z0.dat", 0, &p);
    struct sl_halofit early = fit_of(&p, flat, 10.01, 0.5), faint = fit_of(&p, flat, 0, 1e-3),
                      now = fit_of(&p, flat, 0, 1), last = fit_of(&p, flat, 10, 0.5);
    assert_true(ratio_at(&p, &early, 0.5, 1) == 1 && ratio_at(&p, &faint, 1e-3, 1) == 1);
    assert_true(last.k_sigma > 0 && ratio_at(&p, &last, 0.5, 1) > 1.5);
    near("the longest waves", ratio_at(&p, &now, 1, 1e-4), 1, 1e-3);
    sl_power_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_scale),
                                       cmocka_unit_test(test_linear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
