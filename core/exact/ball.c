/* ball.c - see ball.h. */
#include "core/exact/ball.h"

#include <math.h>
#include <stdbool.h>

#include "core/exact/gauss.h"

static const double pi = 3.14159265358979323846;

/* Area under the circle from 0 to x. */
static double under_circle(double r, double x)
{
    return 0.5 * (x * sqrt(fmax(r * r - x * x, 0)) + r * r * asin(fmin(x / r, 1)));
}

/* Area of the disc within the rectangle from the origin to (x, y), odd in both. */
static double quarter(double r, double x, double y)
{
    double sign = (x < 0) != (y < 0) ? -1 : 1;
    x = fmin(fabs(x), r);
    y = fmin(fabs(y), r);
    if (x * x + y * y <= r * r) return sign * x * y;
    double meet = sqrt(r * r - y * y);
    return sign * (meet * y + under_circle(r, x) - under_circle(r, meet));
}

static double disc_area(const double lo[3], const double hi[3], double r)
{
    return quarter(r, hi[0], hi[1]) - quarter(r, lo[0], hi[1]) - quarter(r, hi[0], lo[1]) +
           quarter(r, lo[0], lo[1]);
}

/* Slices of the ball across z = r sin(angle). */
static double ball_volume_within(const double lo[3], const double hi[3], double r)
{
    double from = asin(fmax(lo[2] / r, -1)), to = asin(fmin(hi[2] / r, 1)), sum = 0;
    enum { PANELS = 8 };
    struct sl_gauss gauss;
    sl_gauss_init(&gauss, 16);
    for (int panel = 0; panel < PANELS; panel++)
        for (int i = 0; i < gauss.n; i++) {
            double slice = r * cos(from + (to - from) * (panel + gauss.x[i]) / PANELS);
            sum += gauss.w[i] * slice * disc_area(lo, hi, slice);
        }
    return sum * (to - from) / PANELS;
}

/* Mirrors the cell to positive coordinates and sorts its axes. */
static void canonical(int dim, const double lo[3], const double hi[3], double a[3], double b[3])
{
    for (int i = 0; i < dim; i++) {
        bool mirror = lo[i] + hi[i] < 0;
        double from = mirror ? -hi[i] : lo[i], to = mirror ? -lo[i] : hi[i];
        int at = i;
        for (; at > 0 && (a[at - 1] > from || (a[at - 1] == from && b[at - 1] > to)); at--) {
            a[at] = a[at - 1];
            b[at] = b[at - 1];
        }
        a[at] = from;
        b[at] = to;
    }
}

double sl_ball_volume(int dim, double radius)
{
    return dim == 1 ? 2 * radius : dim == 2 ? pi * radius * radius : 4 * pi / 3 * pow(radius, 3);
}

double sl_ball_share(int dim, const double lo[3], const double hi[3], double radius)
{
    double a[3], b[3], near2 = 0, far2 = 0, volume = 1, within = 1;
    canonical(dim, lo, hi, a, b);
    for (int i = 0; i < dim; i++) {
        near2 += a[i] > 0 ? a[i] * a[i] : 0;
        far2 += b[i] * b[i];
        volume *= b[i] - a[i];
    }
    if (near2 >= radius * radius) return 0;
    if (far2 <= radius * radius) return 1;
    if (dim == 1) within = fmin(b[0], radius) - fmax(a[0], -radius);
    if (dim == 2) within = disc_area(a, b, radius);
    if (dim == 3) within = ball_volume_within(a, b, radius);
    return fmin(fmax(within / volume, 0), 1);
}
