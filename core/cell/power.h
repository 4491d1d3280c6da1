/* power.h - logarithm, exponential and power in double precision from sums, products and quotients
 * alone, so that a processor and a device give the same bits; libraries differ in the last one.
 * Good to a few units in the last place.
 *
 * When: where a result must not depend on what computes, as in source terms. When not: where one
 * backend is enough; libm is faster.
 *
 * Shapes  one number
 * Units   none
 * Errors  none; arguments of sl_power_log and sl_power that are not positive and normal give
 * nonsense
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/unit/cell_power.c
 */
#ifndef SL_CELL_POWER_H
#define SL_CELL_POWER_H

#include "core/cell/fn.h"

/* x = m 2^n with m in (0.7, 1.42); log m = 2 artanh s, s = (m - 1) / (m + 1), |s| < 0.172. */
SL_FN double sl_power_log(double x)
{
    int n;
    double m = frexp(x, &n), sum = 0;
    if (m < 0.70710678118654752) {
        m *= 2;
        n--;
    }
    double s = (m - 1) / (m + 1), q = s * s;
    for (int k = 21; k >= 3; k -= 2)
        sum = q * (sum + 1.0 / k);
    return n * 1.9082149292705877e-10 + (2 * (s + s * sum) + n * 0.6931471803691238);
}

/* x = n log 2 + r, |r| < 0.35; 0 far below 1. */
SL_FN double sl_power_exp(double x)
{
    double n = floor(x * 1.4426950408889634 + 0.5), sum = 1;
    if (n < -1000) return 0;
    double r = (x - n * 0.6931471803691238) - n * 1.9082149292705877e-10;
    for (int k = 14; k >= 1; k--)
        sum = 1 + sum * r / k;
    return ldexp(sum, (int)n);
}

SL_FN double sl_power(double x, double y)
{
    return sl_power_exp(y * sl_power_log(x));
}

#endif
