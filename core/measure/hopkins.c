/* hopkins.c - see hopkins.h. */
#include "core/measure/hopkins.h"

#include <math.h>

#define PI 3.14159265358979323846

/* exp(-x) I_1(x) / x, x >= 0. */
static double bessel(double x)
{
    static const double small[] = {0.5,        0.87890594, 0.51498869, 0.15084934,
                                   0.02658733, 0.00301532, 0.00032411},
                        large[] = {0.39894228, -0.03988024, -0.00362018, 0.00163801, -0.01031555,
                                   0.02282967, -0.02895312, 0.01787654,  -0.00420059};
    double sum = 0, q = x < 3.75 ? x * x / (3.75 * 3.75) : 3.75 / x;
    if (x < 3.75) {
        for (int i = 6; i >= 0; i--)
            sum = sum * q + small[i];
        return exp(-x) * sum;
    }
    for (int i = 8; i >= 0; i--)
        sum = sum * q + large[i];
    return sum / sqrt(x) / x;
}

double sl_hopkins_pdf(double s, double variance, double t)
{
    if (t <= 0) {
        double x = s + 0.5 * variance;
        return exp(-0.5 * x * x / variance) / sqrt(2 * PI * variance);
    }
    double l = variance / (2 * t * t), u = l / (1 + t) - s / t;
    if (u < 0) return 0;
    double root = sqrt(l) - sqrt(u);
    return 2 * l * bessel(2 * sqrt(l * u)) * exp(-root * root) / t;
}

/* Mean logarithm of p. */
static double likelihood(int n, const double *s, const double *share, double variance, double t)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (share[i] > 0) sum += share[i] * log(fmax(sl_hopkins_pdf(s[i], variance, t), 1e-300));
    return sum;
}

enum { STEPS = 80, HALVINGS = 40 };
#define FIRST 1e-3
#define LAST  10.0

/* The best of a row of T, then between its neighbours by golden section. */
double sl_hopkins_fit(int n, const double *s, const double *share, double variance)
{
    double step = log(LAST / FIRST) / STEPS, golden = 0.5 * (sqrt(5) - 1), best = -INFINITY;
    int at = 0;
    if (!(variance > 0)) return 0;
    for (int i = 0; i <= STEPS; i++) {
        double now = likelihood(n, s, share, variance, FIRST * exp(i * step));
        if (now > best) at = i;
        best = fmax(best, now);
    }
    if (at == 0 || likelihood(n, s, share, variance, 0) >= best) return 0;
    double lo = log(FIRST) + (at - 1) * step, hi = lo + 2 * step;
    for (int i = 0; i < HALVINGS; i++) {
        double a = hi - golden * (hi - lo), b = lo + golden * (hi - lo);
        if (likelihood(n, s, share, variance, exp(a)) > likelihood(n, s, share, variance, exp(b)))
            hi = b;
        else
            lo = a;
    }
    return exp(0.5 * (lo + hi));
}
