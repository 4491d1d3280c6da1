/* fit.h - a power law through measured points.
 *
 * Shapes  x[n], y[n]
 * Units   those of x and y
 * Errors  SL_EINPUT when fewer than 3 points are left
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none: least squares of ln y against ln x, error of the slope from the scatter about the
 *         line
 * Tests   tests/unit/series.c
 */
#ifndef SL_MEASURE_FIT_H
#define SL_MEASURE_FIT_H

#include <stdbool.h>

struct sl_power_law {
    double exponent, error; /* y ~ x^exponent, and its standard error */
    double scatter;         /* rms of ln y about the law */
    int points;             /* that were used */
};

/* Is x in the range? A range or an x that was printed and read again has lost digits: 1e-9 of it is
 * no difference. */
bool sl_power_within(double x, double from, double to);

/* Uses the points within the range with x > 0 and y > 0. */
int sl_power_fit(int n, const double *x, const double *y, double from, double to,
                 struct sl_power_law *out);

#endif
