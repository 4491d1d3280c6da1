/* power_near.h - exp(x) - 1 and log(1 + x) that keep their digits where x is small beside 1, from
 * sums, products and divisions alone as power.h.
 *
 * Shapes  one number
 * Units   none
 * Errors  none; sl_power_log1p gives NaN at -1 and below
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/unit/cell_power.c
 */
#ifndef SL_CELL_POWER_NEAR_H
#define SL_CELL_POWER_NEAR_H

#include "core/cell/power.h"

/* exp(x) - 1 */
SL_FN double sl_power_expm1(double x)
{
    double sum = 1;
    if (!(fabs(x) < 0.35)) return sl_power_exp(x) - 1;
    for (int k = 14; k >= 2; k--)
        sum = 1 + x * (1.0 / k) * sum;
    return x * sum;
}

/* log(1 + x) = 2 artanh(x / (2 + x)) */
SL_FN double sl_power_log1p(double x)
{
    double s = x / (2 + x), q = s * s, sum = 0;
    if (!(fabs(x) < 0.35)) return sl_power_log(1 + x);
    for (int k = 21; k >= 3; k -= 2)
        sum = q * (sum + 1.0 / k);
    return 2 * (s + s * sum);
}

#endif
