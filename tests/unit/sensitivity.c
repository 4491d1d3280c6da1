/* sensitivity.c - first-order indices of functions whose indices are known, from each design. */
#include "pipeline/report/sensitivity.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pipeline/campaign/design.h"

enum { COUNT = 512, AXES = 3 };

static double linear(const double *u)
{
    return 1000 + u[0] + 2 * u[1];
}

/* Ishigami & Homma 1990 with 7 and 0.1 */
static double ishigami(const double *u)
{
    double a = (2 * u[0] - 1) * M_PI, b = (2 * u[1] - 1) * M_PI, c = (2 * u[2] - 1) * M_PI;
    return sin(a) + 7 * sin(b) * sin(b) + 0.1 * pow(c, 4) * sin(a);
}

static void indices_are(double (*f)(const double *), const double want[AXES])
{
    for (int kind = 0; kind < SL_DESIGNS; kind++) {
        struct sl_design d = {(enum sl_design_kind)kind, AXES, COUNT, 11};
        double *u = malloc(sizeof *u * COUNT * AXES), x[COUNT], y[COUNT];
        assert_int_equal(sl_design_points(&d, u), 0);
        for (int a = 0; a < AXES; a++) {
            double index, error;
            for (int i = 0; i < COUNT; i++) {
                x[i] = exp(u[i * AXES + a]);
                y[i] = f(u + i * AXES);
            }
            sl_sensitivity(x, y, COUNT, &index, &error);
            if (!(fabs(index - want[a]) < 3 * error + 0.005) || !(error < 0.07))
                fail_msg("design %d, axis %d: %g +- %g, not %g", kind, a, index, error, want[a]);
        }
        free(u);
    }
}

static void known_functions(void **state)
{
    (void)state;
    indices_are(linear, (double[]){0.2, 0.8, 0});
    indices_are(ishigami, (double[]){0.3139, 0.4424, 0});
}

/* A parameter of three values, one of one value, a result that is everywhere the same. */
static void few_values(void **state)
{
    (void)state;
    double x[60], y[60], same[60], index, error;
    for (int i = 0; i < 60; i++) {
        x[i] = i % 3;
        y[i] = (i % 3 == 1) + (i % 2 ? 0.5 : -0.5);
        same[i] = 7;
    }
    sl_sensitivity(x, y, 60, &index, &error);
    assert_true(fabs(index - (2. / 9) / (2. / 9 + 0.25)) < 0.05 && error > 0.01);
    sl_sensitivity(same, y, 60, &index, &error);
    assert_true(isnan(index));
    sl_sensitivity(x, same, 60, &index, &error);
    assert_true(isnan(index) && isnan(error));
    sl_sensitivity(x, y, SL_SENSITIVITY_LEAST - 1, &index, &error);
    assert_true(isnan(index) && isnan(error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_functions),
                                       cmocka_unit_test(few_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
