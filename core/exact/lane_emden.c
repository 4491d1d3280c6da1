/* lane_emden.c - see lane_emden.h. */
#include "core/exact/lane_emden.h"

#include <math.h>

/* theta and xi^2 theta', or psi and xi^2 psi'. */
struct point {
    double value, pull;
};

static struct point slopes(double n, double xi, struct point at)
{
    struct point out = {at.pull / (xi * xi), xi * xi * exp(-at.value)};
    if (isfinite(n)) out.pull = -xi * xi * pow(fmax(at.value, 0), n);
    return out;
}

/* The first terms of their series, for a small xi. */
static struct point near_centre(double n, double xi)
{
    double m = isfinite(n) ? n : 1, xi2 = xi * xi;
    struct point out = {xi2 / 6 - m * xi2 * xi2 / 120, xi * xi2 / 3 - m * xi * xi2 * xi2 / 30};
    return isfinite(n) ? (struct point){1 - out.value, -out.pull} : out;
}

/* The classical method of Runge and Kutta, but for the step from the centre. */
static struct point step(double n, double xi, double h, struct point y)
{
    static const double share[4] = {0, 0.5, 0.5, 1};
    struct point k[4];
    if (!(xi > 0)) return near_centre(n, h);
    for (int s = 0; s < 4; s++) {
        struct point at = y;
        if (s > 0)
            at.value += share[s] * h * k[s - 1].value, at.pull += share[s] * h * k[s - 1].pull;
        k[s] = slopes(n, xi + share[s] * h, at);
    }
    y.value += h / 6 * (k[0].value + 2 * k[1].value + 2 * k[2].value + k[3].value);
    y.pull += h / 6 * (k[0].pull + 2 * k[1].pull + 2 * k[2].pull + k[3].pull);
    return y;
}

double sl_lane_emden(double n, double edge, int rows, double *profile)
{
    const double h = edge / rows;
    struct point y = near_centre(n, 0);
    for (int i = 0; i <= rows; i++) {
        profile[i] = isfinite(n) ? y.value : exp(-y.value);
        if (i < rows) y = step(n, i * h, h, y);
    }
    return fabs(y.pull);
}

double sl_lane_emden_edge(double n, double density)
{
    const double h = 1.0 / 512, theta = pow(density, 1 / n);
    struct point y = near_centre(n, 0);
    for (double xi = 0; xi < 1000; xi += h) {
        struct point next = step(n, xi, h, y);
        if (next.value <= theta) return xi + h * (y.value - theta) / (y.value - next.value);
        y = next;
    }
    return INFINITY;
}
