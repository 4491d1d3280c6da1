/* sum.h - sums whose bits do not depend on the order of the terms.
 *
 * Each term is rounded once, to a multiple of one unit that follows from a bound on all terms
 * (2^-50 of it); what is added are whole numbers. So blocks and ranks may add in any order and any
 * grouping. The rounding is that of a term, not of the sum: it does not grow with what is summed.
 *
 *   struct sl_sum_unit unit = sl_sum_unit(bound);
 *   int64_t row = 0;
 *   for (...) row += sl_sum_term(unit.magic, x);    at most SL_SUM_ROW terms
 *   sl_sum_add(&sum, row);                          at most 2^31 rows
 *   MPI_Allreduce of sum.part, 2 x MPI_INT64_T, MPI_SUM
 *   double total = sl_sum_value(&sum, unit);
 *
 * Shapes  none
 * Units   those of the terms
 * Errors  none; a term beyond the bound spoils the sum
 * Owns    nothing
 * MPI     local
 * Where   host; needs sums and differences of doubles that the compiler does not rearrange
 * Refs    Demmel & Nguyen 2013 (sums that can be reproduced)
 * Tests   tests/unit/sum.c
 */
#ifndef SL_SYS_SUM_H
#define SL_SYS_SUM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    SL_SUM_ROW = 4096,
    SL_SUM_LEAST = -900 /* no unit is below 2^(SL_SUM_LEAST - 50): units are normal numbers */
};
#define SL_SUM_BOUND 0x1p900 /* above it the sum of magic and a term would overflow */

struct sl_sum_unit {
    double unit, magic;
};

struct sl_sum {
    int64_t part[2]; /* the sum is part[0] 2^32 + part[1] units */
};

/* bound: not less than any |x| and below SL_SUM_BOUND; 0 when all terms are 0. */
static inline struct sl_sum_unit sl_sum_unit(double bound)
{
    int power;
    struct sl_sum_unit u;
    frexp(bound, &power);
    if (power < SL_SUM_LEAST) power = SL_SUM_LEAST;
    u.unit = ldexp(1, bound > 0 ? power - 50 : 0);
    u.magic = u.unit * 0x1.8p52; /* doubles near it are multiples of the unit */
    return u;
}

/* x as a whole number of units. */
static inline int64_t sl_sum_term(double magic, double x)
{
    int64_t bits, zero;
    double shifted = magic + x;
    memcpy(&bits, &shifted, sizeof bits);
    memcpy(&zero, &magic, sizeof zero);
    return bits - zero;
}

static inline void sl_sum_add(struct sl_sum *sum, int64_t row)
{
    int64_t low = row & INT64_C(0xffffffff);
    sum->part[0] += (row - low) / (INT64_C(1) << 32);
    sum->part[1] += low;
}

static inline double sl_sum_value(const struct sl_sum *sum, struct sl_sum_unit unit)
{
    return ((double)sum->part[0] * 0x1p32 + (double)sum->part[1]) * unit.unit;
}

#endif
