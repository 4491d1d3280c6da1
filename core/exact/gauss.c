/* gauss.c - see gauss.h. */
#include "core/exact/gauss.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Legendre polynomial of degree n and its derivative, by the three-term recurrence. */
static double legendre(int n, double x, double *slope)
{
    double before = 1, here = x;
    for (int k = 2; k <= n; k++) {
        double next = ((2 * k - 1) * x * here - (k - 1) * before) / k;
        before = here;
        here = next;
    }
    *slope = n * (x * here - before) / (x * x - 1);
    return here;
}

static void gauss_make(struct sl_gauss *gauss, int n)
{
    for (int i = 0; i < n; i++) {
        double x = -cos(pi * (i + 0.75) / (n + 0.5)), slope = 1;
        for (int round = 0; round < 8; round++) {
            double value = legendre(n, x, &slope);
            x -= value / slope;
        }
        legendre(n, x, &slope);
        gauss->x[i] = 0.5 * (1 + x);
        gauss->w[i] = 1 / ((1 - x * x) * slope * slope);
    }
    gauss->n = n;
}

void sl_gauss_init(struct sl_gauss *gauss, int n)
{
    static struct sl_gauss made[SL_GAUSS_MAX + 1];
    if (made[n].n != n) gauss_make(&made[n], n);
    *gauss = made[n];
}

/* The integral of the trapezoidal shadow. */
double sl_gauss_below(double h0, double h1, double s)
{
    double flat = h0 - h1, end = h0 + h1;
    if (s <= -end) return 0;
    if (s < -flat) return (s + end) * (s + end) / (8 * h0 * h1);
    if (s <= flat) return 0.5 + s / (2 * h0);
    if (s < end) return 1 - (end - s) * (end - s) / (8 * h0 * h1);
    return 1;
}

double sl_gauss_shadow(const double h[3], double s)
{
    const double thin = 1e-9 * h[0]; /* an edge that is across the direction but for rounding */
    if (fabs(s) > h[0] + h[1] + h[2]) return 0;
    if (h[1] <= thin) return 1 / (2 * h[0]);
    if (h[2] <= thin) {
        double side = (h[0] + h[1] - fabs(s)) / (4 * h[0] * h[1]);
        return fmin(fmax(side, 0), 1 / (2 * h[0]));
    }
    return (sl_gauss_below(h[0], h[1], s + h[2]) - sl_gauss_below(h[0], h[1], s - h[2])) /
           (2 * h[2]);
}
