/* fn.h - the one switch between the compilers that read core/cell: what a cell function is, what a
 * real number is, and the few elementary functions that must not change precision or branch.
 *
 * Headers of core/cell use what C11 and C++17 have in common and include nothing but each other and
 * math.h. They are compiled without contraction of a * b + c into one rounding: then a mirrored or
 * turned problem gives the same bits, on lanes of a vector, on scalars and on other hardware.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/unit/cell.c
 */
#ifndef SL_CELL_FN_H
#define SL_CELL_FN_H

#include <math.h>

#ifdef __CUDACC__
#define SL_FN static __host__ __device__ __forceinline__
#else
#define SL_FN static inline __attribute__((always_inline, unused))
#endif

/* Precision is a build of the same source: the Makefile sets SL_REAL to float for the f32 programs.
 */
#ifndef SL_REAL
#define SL_REAL double
#endif
typedef SL_REAL sl_real;

SL_FN sl_real sl_abs(sl_real x)
{
    return sizeof(sl_real) == sizeof(float) ? (sl_real)fabsf((float)x) : (sl_real)fabs((double)x);
}

/* A size that no flow has, above all those that the hardware rounds to zero or cannot invert. */
SL_FN sl_real sl_tiny(void)
{
    return (sl_real)(sizeof(sl_real) == sizeof(float) ? 1e-36 : 1e-300);
}

/* x with the sign of y. */
SL_FN sl_real sl_copysign(sl_real x, sl_real y)
{
    return sizeof(sl_real) == sizeof(float) ? (sl_real)copysignf((float)x, (float)y)
                                            : (sl_real)copysign((double)x, (double)y);
}

/* The smaller and the larger of two, a division and a square root, and what is made of them.
 * Kernels take short forms, unless the build wants the bits of the processor (SL_EXACT):
 * comparisons of fewest instructions, which may choose the number where one operand is not one,
 * and either zero; divisions and square roots good to two units in the last place, without the
 * cases that cost more than the rest. Not a number may come of a divisor of zero, or below 2^-1000
 * or above 2^1000 (single precision 2^-120, 2^120), and of the root of -0 or of infinity; the root
 * of a number that small is too small. What may divide and fade out is compared with sl_tiny. */
#if defined(__CUDA_ARCH__) && !defined(SL_EXACT)
#include "core/cell/short.h"
#else
/* The second operand when they do not compare (a NaN), which is what vector hardware does in one
 * instruction. */
SL_FN sl_real sl_min(sl_real a, sl_real b)
{
    return a < b ? a : b;
}

SL_FN sl_real sl_max(sl_real a, sl_real b)
{
    return a > b ? a : b;
}

/* The smallest of steep l, (l + r) / 4 and steep r when all have one sign, else 0. */
SL_FN sl_real sl_minmod(sl_real steep, sl_real l, sl_real r)
{
    sl_real mean = (sl_real)0.25 * sl_abs(l + r);
    sl_real size = sl_min(steep * sl_min(sl_abs(l), sl_abs(r)), mean);
    sl_real y = sl_copysign(size, l), z = sl_copysign(size, r);
    return y == z ? y : 0;
}

/* The middle one of three. */
SL_FN sl_real sl_middle(sl_real a, sl_real b, sl_real c)
{
    return sl_max(sl_min(a, b), sl_min(sl_max(a, b), c));
}

SL_FN sl_real sl_div(sl_real a, sl_real b)
{
    return a / b;
}

/* In C sqrt(float) is a double: the size is known when compiled and leaves one of the two. */
SL_FN sl_real sl_sqrt(sl_real x)
{
    return sizeof(sl_real) == sizeof(float) ? (sl_real)sqrtf((float)x) : (sl_real)sqrt((double)x);
}
#endif

/* a + b + c, the same bits for any order of the three: the middle one of the three ways to add. Not
 * a number where one of them is none. */
SL_FN sl_real sl_sum3(sl_real a, sl_real b, sl_real c)
{
    sl_real x = (a + b) + c, y = (b + c) + a, z = (c + a) + b;
    return sl_middle(x, y, z);
}

/* a + b + c + d, the same bits for any order of the four: the middle one of the three ways to add
 * them in pairs. */
SL_FN sl_real sl_sum4(sl_real a, sl_real b, sl_real c, sl_real d)
{
    sl_real x = (a + b) + (c + d), y = (a + c) + (b + d), z = (a + d) + (b + c);
    return sl_middle(x, y, z);
}

/* Sum over the axes that there are. */
SL_FN sl_real sl_sum_axes(int dim, const sl_real *a)
{
    return dim == 1 ? a[0] : dim == 2 ? a[0] + a[1] : sl_sum3(a[0], a[1], a[2]);
}

SL_FN sl_real sl_square3(sl_real a, sl_real b, sl_real c)
{
    return sl_sum3(a * a, b * b, c * c);
}

#endif
