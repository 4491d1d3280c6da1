/* thermal.c - tests core/cosmo/thermal.h: the fit of Tseliakhovich & Hirata 2010 (eq. 2) to a full
 * recombination code, the residual ionisation, limits early and late. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "core/cosmo/thermal.h"
#include "tests/cosmo.h"

static void near(const char *what, double z, double got, double want, double relative)
{
    if (fabs(got - want) <= relative * fabs(want)) return;
    fail_msg("%s at z = %g is %.6g instead of %.6g (%.1e off)", what, z, got, want, got / want - 1);
}

static void test_fit(void **state)
{
    (void)state;
    struct sl_cosmology c = {
        .h = 0.71, .omega_m = 0.27, .omega_b = 0.044, .w0 = -1, .t_cmb = 2.725, .n_eff = 3.046};
    assert_int_equal(sl_cosmology_init(&c), SL_OK);
    for (double z = 20; z < 500; z *= 1.3) {
        double a = 1 / (1 + z);
        double fit = 2.725 / a / (1 + a * 119 / (1 + pow(1 / (115 * a), 1.5)));
        struct sl_thermal t = sl_thermal_at(&c, 0.24, z);
        near("T", z, t.temperature, fit, 0.025);
    }
    near("T, not T_cmb (1 + z)^2 = 7000", 50, sl_thermal_at(&c, 0.24, 50).temperature, 50, 0.03);
    near("electrons", 100, sl_thermal_at(&c, 0.24, 100).electrons, 2.3e-4, 0.25);
}

static void test_limits(void **state)
{
    (void)state;
    struct sl_cosmology c = test_cosmology(2.7255);
    near("T of radiation", 800, sl_thermal_at(&c, 0.245, 800).temperature, 801 * 2.7255, 2e-3);
    near("T of radiation", 2500, sl_thermal_at(&c, 0.245, 2500).temperature, 2501 * 2.7255, 1e-12);
    near("half ionised", 1270, sl_thermal_at(&c, 0.245, 1270).electrons, 0.5, 0.2);
    double warm = sl_thermal_at(&c, 0.245, 9).temperature,
           cold = sl_thermal_at(&c, 0.245, 4).temperature;
    near("falls as 1 / a^2", 4, warm / cold, 4, 0.02);
    near("adiabatic", 4, sl_thermal_at(&c, 0.245, 4).response, 2. / 3, 0.1);
    assert_true(sl_thermal_at(&c, 0.245, 900).response < 1e-3);
    near("weight of a neutral particle", 0, sl_thermal_weight(0.24), 1 / (0.76 + 0.06), 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fit), cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
