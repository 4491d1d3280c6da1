/* fit.h - a power law through measured points.
 *
 * Shapes  x[n], y[n]
 * Units   those of x and y
 * Errors  SL_EINPUT when fewer than 3 points are left
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none: least squares of ln y against ln x, error of the slope from the scatter about the line
 * Tests   tests/unit/series.c
 */
#ifndef SL_MEASURE_FIT_H
#define SL_MEASURE_FIT_H

struct sl_power_law {
    double exponent, error; /* y ~ x^exponent, and its standard error */
    int points;             /* that were used */
};

/* Uses the points with from <= x <= to, x > 0 and y > 0. */
int sl_power_fit(int n, const double *x, const double *y, double from, double to,
                 struct sl_power_law *out);

#endif
