/* density_modes.c - tests core/ic/density_modes.h: conjugates, variance, fixed, paired, constrained
 * modes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "core/ic/density_modes.h"

/* Calls with every n in a cube of half side reach. */
#define EACH_MODE(n, reach)                                                                        \
    for (int n[3] = {-(reach), -(reach), -(reach)}; n[2] <= (reach); n[0]++,                       \
             n[0] > (reach) ? (n[0] = -(reach), n[1]++) : 0,                                       \
             n[1] > (reach) ? (n[1] = -(reach), n[2]++) : 0)

static void test_numbers(void **state)
{
    (void)state;
    const struct sl_density_modes m = {.seed = 11}, f = {.seed = 11, .fixed = true},
                                  p = {.seed = 11, .paired = true};
    double sum = 0, square = 0, fourth = 0, count = 0;
    EACH_MODE(n, 8)
    {
        double v[2], w[2], u[2], t[2];
        int minus[3] = {-n[0], -n[1], -n[2]};
        if (!n[0] && !n[1] && !n[2]) continue;
        sl_density_mode(&m, n, v);
        sl_density_mode(&m, minus, w);
        assert_true(v[0] == w[0] && v[1] == -w[1]);
        sl_density_mode(&p, n, w);
        assert_true(v[0] == -w[0] && v[1] == -w[1]);
        sl_density_mode(&f, n, u);
        assert_true(fabs(u[0] * u[0] + u[1] * u[1] - 1) < 1e-14);
        double turned = (u[0] * v[1] - u[1] * v[0]) / sqrt(v[0] * v[0] + v[1] * v[1]);
        assert_true(fabs(turned) < 1e-14);
        double s = v[0] * v[0] + v[1] * v[1];
        sum += v[0], square += s, fourth += s * s, count++;
        sl_density_mode(&(struct sl_density_modes){.seed = 12}, n, t);
        assert_true(t[0] != v[0]);
    }
    assert_true(fabs(sum / count) < 4 * sqrt(0.5 / count));
    assert_true(fabs(square / count - 1) < 4 * sqrt(2 / count));
    assert_true(fabs(fourth / count - 2) < 0.3); /* of a complex Gaussian */
}

static void test_constrained(void **state)
{
    (void)state;
    const struct sl_density_modes m = {.seed = 1, .low_modes = 3, .low_seed = 2}, one = {.seed = 1},
                                  two = {.seed = 2};
    EACH_MODE(n, 5)
    {
        double v[2], w[2];
        int low = n[0] * n[0] <= 9 && n[1] * n[1] <= 9 && n[2] * n[2] <= 9;
        if (!n[0] && !n[1] && !n[2]) continue;
        sl_density_mode(&m, n, v);
        sl_density_mode(low ? &two : &one, n, w);
        assert_true(v[0] == w[0] && v[1] == w[1]);
    }
    assert_true(sl_density_modes_hash(&m) != sl_density_modes_hash(&one));
    assert_true(sl_density_modes_hash(&one) != sl_density_modes_hash(&two));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_constrained)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
