/* power.h - logarithm, exponential and power in double precision from sums, products and divisions
 * alone, so that a processor and a device give the same bits; libraries differ in the last one.
 * Good to some units in the last place, the power to y log2 x of them.
 *
 * When: where a result must not depend on what computes: entropies, source terms. When not: where
 * one backend is enough and the last digit counts.
 *
 * Shapes  one number
 * Units   none
 * Errors  none; of what is not positive sl_power_log and sl_power give NaN, of what is not normal
 * nonsense; sl_power_exp gives 0 below -693 and infinity above 709
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/unit/cell_power.c
 */
#ifndef SL_CELL_POWER_H
#define SL_CELL_POWER_H

#include "core/cell/fn.h"

union sl_power_bits {
    double x;
    unsigned long long bits;
};

/* Numbers from here to twice it lie 1 apart: the lowest bits of one hold a whole number. */
SL_FN double sl_power_whole(void)
{
    return 0x1p52;
}

/* x = m 2^n with m in (0.7, 1.42); log m = 2 artanh s, s = (m - 1) / (m + 1), |s| < 0.172. Without
 * branches and conversions of whole numbers, which vectors of older processors lack. */
SL_FN double sl_power_log(double x)
{
    union sl_power_bits of = {x}, n = {sl_power_whole()};
    n.bits |= of.bits >> 52;
    of.bits = (of.bits & 0x000fffffffffffffull) | 0x3fe0000000000000ull;
    int low = of.x < 0.70710678118654752;
    double m = low ? 2 * of.x : of.x, sum = 0;
    double power = (n.x - sl_power_whole()) - (low ? 1023 : 1022);
    double s = (m - 1) / (m + 1), q = s * s;
    for (int k = 21; k >= 3; k -= 2)
        sum = q * (sum + 1.0 / k);
    double value =
        power * 1.9082149292705877e-10 + (2 * (s + s * sum) + power * 0.6931471803691238);
    return x > 0 ? value : (double)NAN;
}

/* x = n log 2 + r, |r| < 0.35, and the powers of r by their factorials; 0 far below 1. */
SL_FN double sl_power_exp(double x)
{
    const double per[] = {1,
                          1,
                          1.0 / 2,
                          1.0 / 6,
                          1.0 / 24,
                          1.0 / 120,
                          1.0 / 720,
                          1.0 / 5040,
                          1.0 / 40320,
                          1.0 / 362880,
                          1.0 / 36288e2,
                          1.0 / 399168e2,
                          1.0 / 4790016e2,
                          1.0 / 62270208e2};
    double n = floor(x * 1.4426950408889634 + 0.5), sum = per[13];
    double r = (x - n * 0.6931471803691238) - n * 1.9082149292705877e-10;
    for (int k = 12; k >= 0; k--)
        sum = per[k] + r * sum;
    union sl_power_bits scale = {sl_power_whole() + (n + 1023)};
    scale.bits <<= 52;
    double value = sum * scale.x, beyond = n < 0 ? 0 : n > 0 ? (double)HUGE_VAL : x;
    return n >= -1000 && n <= 1023 ? value : beyond;
}

SL_FN double sl_power(double x, double y)
{
    return sl_power_exp(y * sl_power_log(x));
}

#endif
