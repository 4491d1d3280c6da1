/* bertschinger.c - the self-similar infall of core/exact/bertschinger.h: numbers of an integration
 * of its own in Python, which has the table that Bertschinger published; conservation of mass
 * outside of the shock, jump and laws of the centre. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/exact/bertschinger.h"

static struct sl_bertschinger *flow;

static int setup(void **state)
{
    (void)state;
    return sl_bertschinger_new(5.0 / 3, &flow);
}

static int teardown(void **state)
{
    (void)state;
    free(flow);
    return 0;
}

static void near(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * fabs(want)))
        fail_msg("%.12g, wanted %.12g: off by %.2g", got, want, fabs(got / want - 1));
}

/* lambda, V, D, P, M */
static const double table[][5] = {
    {0.02000000, -2.501187824e-04, 1.688056641e+04, 4.015838738e+04, 5.477779891e-01},
    {0.03843064, -9.470213803e-04, 3.794745873e+03, 7.430424161e+03, 8.854240204e-01},
    {0.07940384, -4.287914351e-03, 7.027989714e+02, 1.067966671e+03, 1.492895249e+00},
    {0.15257701, -1.781876861e-02, 1.455386188e+02, 1.636614233e+02, 2.339458678e+00},
    {0.31524851, -1.120008473e-01, 2.078819783e+01, 1.338433778e+01, 3.646423656e+00},
    {0.36000000, -1.385144087e+00, 3.839610201e+00, 0, 3.818262090e+00},
    {0.64000000, -6.026451051e-01, 2.024133011e+00, 0, 4.370855050e+00},
    {0.96000000, -5.644903061e-02, 1.428398703e+00, 0, 5.389418897e+00}};

static void test_table(void **state)
{
    (void)state;
    near(sl_bertschinger_shock(flow), 0.338976386, 1e-8);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct sl_bertschinger_point p = sl_bertschinger_at(flow, table[i][0]);
        near(p.v, table[i][1], 1e-6); /* lambda has eight digits there */
        near(p.rho, table[i][2], 1e-6);
        near(p.p, table[i][3], 1e-6);
        near(p.m, table[i][4], 1e-6);
    }
}

static void test_turnaround(void **state)
{
    double pi = acos(-1);
    (void)state;
    struct sl_bertschinger_point p = sl_bertschinger_at(flow, 1);
    near(p.m, 9 * pi * pi / 16, 1e-9);
    near(p.rho, 1.387913119, 1e-8);
    assert_true(fabs(p.v) < 1e-9);
}

/* dM / d lambda = 3 lambda^2 D on both sides. */
static void test_mass(void **state)
{
    static const double at[] = {6e-3, 0.05, 0.2, 0.33, 0.4, 0.9, 3, 40, 800};
    const double h = 1e-4;
    (void)state;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        double m1 = sl_bertschinger_at(flow, at[i] * (1 + h)).m,
               m0 = sl_bertschinger_at(flow, at[i] * (1 - h)).m;
        near((m1 - m0) / (2 * h * at[i]), 3 * at[i] * at[i] * sl_bertschinger_at(flow, at[i]).rho,
             2e-7);
    }
}

static void test_jump(void **state)
{
    double shock = sl_bertschinger_shock(flow);
    (void)state;
    struct sl_bertschinger_point in = sl_bertschinger_at(flow, shock * (1 - 1e-12)),
                                 out = sl_bertschinger_at(flow, shock * (1 + 1e-12));
    near(in.rho, 4 * out.rho, 1e-9);
    near(in.m, out.m, 1e-9);
    near(out.v, -1.470798416, 1e-6);
    near(in.p, 9.735627898, 1e-6);
}

static void test_ends(void **state)
{
    (void)state;
    struct sl_bertschinger_point a = sl_bertschinger_at(flow, 1e-3),
                                 b = sl_bertschinger_at(flow, 2e-3),
                                 far = sl_bertschinger_at(flow, 999),
                                 beyond = sl_bertschinger_at(flow, 1001);
    near(a.rho / b.rho, pow(2, 9.0 / 4), 1e-12);
    near(a.p / b.p, pow(2, 5.0 / 2), 1e-12);
    near(far.rho, 1, 1e-9);
    near(far.v / 999, beyond.v / 1001, 1e-8);
}

/* gamma 1.4 has its shock elsewhere; some have none. */
static void test_gamma(void **state)
{
    struct sl_bertschinger *other;
    (void)state;
    assert_int_equal(sl_bertschinger_new(1.4, &other), 0);
    near(sl_bertschinger_shock(other), 0.185732, 3e-6);
    near(sl_bertschinger_at(other, sl_bertschinger_shock(other) * (1 - 1e-12)).rho, 54.25096, 1e-5);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table), cmocka_unit_test(test_turnaround),
        cmocka_unit_test(test_mass),  cmocka_unit_test(test_jump),
        cmocka_unit_test(test_ends),  cmocka_unit_test(test_gamma)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
