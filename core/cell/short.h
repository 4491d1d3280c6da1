/* short.h - the smaller and the larger of two, divisions and square roots in kernels, in their
 * short forms: no branch. fn.h includes it, and tells what they leave out.
 *
 * In double precision the hardware knows an inverse, and the inverse of a root, to some 19 bits;
 * one step of third order makes all of them.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   device
 * Refs    Markstein 2000, IA-64 and Elementary Functions (steps of third order)
 * Tests   tests/gpu/near.c
 */
#ifndef SL_CELL_SHORT_H
#define SL_CELL_SHORT_H

#ifdef __CUDA_ARCH__
static __device__ __forceinline__ float sl_min(float a, float b)
{
    return fminf(a, b);
}

static __device__ __forceinline__ float sl_max(float a, float b)
{
    return fmaxf(a, b);
}

static __device__ __forceinline__ float sl_minmod(float steep, float l, float r)
{
    float size = fminf(steep * fminf(fabsf(l), fabsf(r)), 0.25f * fabsf(l + r));
    return (__float_as_int(l) ^ __float_as_int(r)) < 0 ? 0 : copysignf(size, l);
}

static __device__ __forceinline__ float sl_middle(float a, float b, float c)
{
    return fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}

static __device__ __forceinline__ float sl_div(float a, float b)
{
    return __fdividef(a, b);
}

static __device__ __forceinline__ float sl_sqrt(float x)
{
    return sqrtf(x);
}

static __device__ __forceinline__ double sl_min(double a, double b)
{
    return a < b ? a : b;
}

static __device__ __forceinline__ double sl_max(double a, double b)
{
    return a > b ? a : b;
}

/* Numbers keep their signs: comparisons look at sizes, which cost nothing there. */
static __device__ __forceinline__ double sl_minmod(double steep, double l, double r)
{
    double small = steep * (fabs(l) < fabs(r) ? l : r), mean = 0.25 * (l + r);
    double x = fabs(small) < fabs(mean) ? small : mean;
    return (__double2hiint(l) ^ __double2hiint(r)) < 0 ? 0 : x;
}

static __device__ __forceinline__ double sl_middle(double a, double b, double c)
{
    bool up = a < b;
    double low = up ? a : b, high = up ? b : a;
    return sl_max(low, sl_min(high, c));
}

static __device__ __forceinline__ double sl_div(double a, double b)
{
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(b));
    double e = fma(-b, y, 1.0); /* 1 / b = y (1 + e + e^2 + ...) */
    return a * fma(y, fma(e, e, e), y);
}

/* The hardware reads the upper half of a number alone: 0 becomes the least that has an inverse. */
static __device__ __forceinline__ double sl_sqrt(double x)
{
    double y, some = __hiloint2double((int)max((unsigned)__double2hiint(x), 0x00100000u), 0);
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(some));
    double root = x * y, e = fma(-root, y, 1.0); /* x^(1/2) = root (1 + e / 2 + 3 e^2 / 8 + ...) */
    return fma(root * e, fma(e, 0.375, 0.5), root);
}
#endif

#endif
