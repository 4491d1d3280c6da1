/* cell_power.c - logarithm, exponential and power made of sums and products against those of the
 * library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/cell/power_near.h"

static void near(double got, double want, double tolerance, double x)
{
    if (!(fabs(got - want) <= tolerance)) fail_msg("%.17g, not %.17g, of %.17g", got, want, x);
}

static void values(void **unused)
{
    (void)unused;
    assert_true(sl_power_log(1) == 0 && sl_power_exp(0) == 1);
    for (double x = 1e-300; x < 1e300; x *= 1.37) {
        double want = log(x);
        near(sl_power_log(x), want, 4e-16 * fmax(fabs(want), 1), x);
        near(sl_power(x, 0.5) / sqrt(x), 1, 2e-13, x);
        near(sl_power(x, 1) / x, 1, 4e-13, x);
    }
    for (double x = 0.5; x < 2; x += 1e-4)
        near(sl_power_log(x), log(x), 4e-16 * fabs(log(x)), x);
    for (double x = -690; x < 700; x += 0.173)
        near(sl_power_exp(x) / exp(x), 1, 2e-15, x);
    assert_true(sl_power_exp(-1e6) == 0 && sl_power_exp(-HUGE_VAL) == 0);
    assert_true(sl_power_exp(710) == HUGE_VAL && sl_power_exp(HUGE_VAL) == HUGE_VAL);
    assert_true(isnan(sl_power_exp(NAN)) && isnan(sl_power_log(NAN)) && isnan(sl_power(NAN, 1)));
    assert_true(isnan(sl_power_log(0)) && isnan(sl_power_log(-1)) && isnan(sl_power(-1, 2)));
}

/* Near 0 the difference counts, not the sum. */
static void differences(void **unused)
{
    (void)unused;
    for (double x = 1e-300; x < 500; x *= 1.13)
        for (int sign = -1; sign <= 1; sign += 2) {
            near(sl_power_expm1(sign * x) / expm1(sign * x), 1, 2e-15, sign * x);
            if (sign * x > -1) near(sl_power_log1p(sign * x) / log1p(sign * x), 1, 2e-15, sign * x);
        }
    assert_true(sl_power_expm1(0) == 0 && sl_power_log1p(0) == 0);
    assert_true(sl_power_expm1(-1e6) == -1 && sl_power_expm1(710) == HUGE_VAL);
    assert_true(isnan(sl_power_expm1(NAN)) && isnan(sl_power_log1p(NAN)));
    assert_true(isnan(sl_power_log1p(-1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
