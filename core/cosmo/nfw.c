/* nfw.c - see nfw.h. */
#include "core/cosmo/nfw.h"

#include <math.h>

#define PI            3.14159265358979323846
#define LEAST         2.16258    /* x of the largest circular speed */
#define LARGEST_SPEED 0.21621658 /* m(x) / x there */
#define MOST          200.0

double sl_nfw_mass(double x)
{
    return log1p(x) - x / (1 + x);
}

double sl_nfw_concentration(double square)
{
    double lo = LEAST, hi = MOST;
    for (int i = 0; i < 60; i++) {
        double c = sqrt(lo * hi);
        if (LARGEST_SPEED * c / sl_nfw_mass(c) < square)
            lo = c;
        else
            hi = c;
    }
    return sqrt(lo * hi);
}

double sl_nfw_density(const struct sl_nfw *p, double r)
{
    double x = r * p->concentration;
    return p->density / (x * (1 + x) * (1 + x));
}

/* Weighted mean square of ln rho from the profile of a concentration with its best density,
 * which goes to *density. */
static double misfit(int n, const double *r, const double *density, const double *weight, double c,
                     double *best)
{
    const struct sl_nfw unit = {c, 1};
    double all = 0, sum = 0, square = 0;
    for (int i = 0; i < n; i++) {
        if (!(weight[i] > 0)) continue;
        double d = log(density[i] / sl_nfw_density(&unit, r[i]));
        all += weight[i];
        sum += weight[i] * d;
        square += weight[i] * d * d;
    }
    *best = exp(sum / all);
    return square / all - sum / all * (sum / all);
}

struct sl_nfw sl_nfw_fit(int n, const double *r, const double *density, const double *weight)
{
    double lo = log(0.5), hi = log(MOST), golden = (sqrt(5) - 1) / 2;
    struct sl_nfw fit = {0, 0};
    int used = 0;
    for (int i = 0; i < n; i++)
        used += weight[i] > 0;
    if (used < 3) return fit;
    for (int i = 0; i < 60; i++) {
        double a = hi - golden * (hi - lo), b = lo + golden * (hi - lo);
        if (misfit(n, r, density, weight, exp(a), &fit.density) <
            misfit(n, r, density, weight, exp(b), &fit.density))
            hi = b;
        else
            lo = a;
    }
    fit.concentration = exp((lo + hi) / 2);
    misfit(n, r, density, weight, fit.concentration, &fit.density);
    return fit;
}

double sl_virial_contrast(const struct sl_cosmology *c, double a)
{
    double x = sl_cosmology_matter(c, a) + sl_cosmology_massive(c, a) - 1;
    return 18 * PI * PI + 82 * x - 39 * x * x;
}
