/* sphere.c - see sphere.h. */
#include "core/exact/sphere.h"

#include <math.h>
#include <stdlib.h>

#include "core/cell/particle.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* Radii of tables, in equal steps of ln r; speeds at each; points of integrals. */
enum { RADII = 240, SPEEDS = 240, POINTS = 160, SMOOTHED = 64 };

struct sl_sphere {
    bool hernquist;
    double edge, smooth;
    double mass, least;          /* of the profile without that at the edge; its density there */
    double depth;                /* potential of the force at the edge */
    double first, step;          /* of ln r */
    double energy[RADII];        /* of a star at rest at r, below that at the edge */
    double sum[RADII];           /* the integral of Eddington up to it */
    double share[RADII][SPEEDS]; /* of stars slower than a part of the speed of escape */
};

static const double pi = 3.14159265358979323846;

/* ---- profiles without an edge, of mass 1 ----------------------------------------------------- */

static double mass_of(bool hernquist, double r)
{
    return hernquist ? r * r / ((1 + r) * (1 + r)) : r * r * r * pow(1 + r * r, -1.5);
}

static double density_of(bool hernquist, double r)
{
    return hernquist ? 1 / (2 * pi * r * pow(1 + r, 3)) : 3 / (4 * pi) * pow(1 + r * r, -2.5);
}

static double potential_of(bool hernquist, double r)
{
    return hernquist ? -1 / (1 + r) : -1 / sqrt(1 + r * r);
}

/* Minus the slope of the density. */
static double fall_of(bool hernquist, double r)
{
    return density_of(hernquist, r) * (hernquist ? 1 / r + 3 / (1 + r) : 5 * r / (1 + r * r));
}

/* ---- with an edge ---------------------------------------------------------------------------- */

double sl_sphere_density(const struct sl_sphere *s, double r)
{
    return r < s->edge ? (density_of(s->hernquist, r) - s->least) / s->mass : 0;
}

double sl_sphere_mass(const struct sl_sphere *s, double r)
{
    if (!(r < s->edge)) return 1;
    return (mass_of(s->hernquist, r) - 4 * pi / 3 * r * r * r * s->least) / s->mass;
}

double sl_sphere_radius(const struct sl_sphere *s, double share)
{
    double low = 0, high = s->edge;
    for (int i = 0; i < 60; i++) {
        double r = 0.5 * (low + high);
        *(sl_sphere_mass(s, r) < share ? &low : &high) = r;
    }
    return 0.5 * (low + high);
}

/* Of Newton's force. */
static double newton(const struct sl_sphere *s, double r)
{
    if (!(r < s->edge)) return -1 / r;
    double own = potential_of(s->hernquist, r) - potential_of(s->hernquist, s->edge),
           even = 2 * pi / 3 * s->least * (r * r - s->edge * s->edge);
    return (own - even) / s->mass - 1 / s->edge;
}

/* r times the potential is smoothed in one dimension as the potential is in three: both obey the
 * equation of heat. */
static double smoothed(const struct sl_sphere *s, double r)
{
    double sum = 0, norm = 0;
    if (!(s->smooth > 0)) return newton(s, r);
    for (int i = 0; i < SMOOTHED; i++) {
        double y = 6 * (i + 0.5) / SMOOTHED, weight = exp(-0.5 * y * y), out = r + s->smooth * y,
               in = r - s->smooth * y;
        sum += weight * (out * newton(s, out) + in * newton(s, fabs(in)));
        norm += 2 * weight;
    }
    return sum / (norm * r);
}

double sl_sphere_potential(const struct sl_sphere *s, double r)
{
    return smoothed(s, fmax(r, exp(s->first))) - s->depth;
}

double sl_sphere_smoothing(int kernel)
{
    return sqrt(2 * (sl_kernel_cells(kernel) / 12.0 + 1 / 20.0));
}

/* ---- velocities ------------------------------------------------------------------------------ */

static double node(const struct sl_sphere *s, double i)
{
    return exp(s->first + i * s->step);
}

/* The integral of d rho / (psi(r) - psi)^(1/2) from r outward, over ln r in squares of the points,
 * as the root is of its distance from r. */
static double eddington(const struct sl_sphere *s, double r)
{
    double span = log(s->edge / r), sum = 0, here = smoothed(s, r);
    for (int i = 0; i < POINTS; i++) {
        double x = (i + 0.5) / POINTS, at = r * exp(span * x * x);
        sum += fall_of(s->hernquist, at) / s->mass / sqrt(smoothed(s, at) - here) * at * x;
    }
    return sum * 2 * span / POINTS / (sqrt(8) * pi * pi);
}

/* That of an energy; its square is nearly straight between nodes, and at the edge. */
static double eddington_at(const struct sl_sphere *s, double energy)
{
    int low = 0, high = RADII - 1;
    if (!(energy > 0)) return 0;
    if (energy >= s->energy[0]) return s->sum[0];
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(s->energy[middle] > energy ? &low : &high) = middle;
    }
    double part = (energy - s->energy[high]) / (s->energy[low] - s->energy[high]);
    return sqrt(part * s->sum[low] * s->sum[low] + (1 - part) * s->sum[high] * s->sum[high]);
}

/* The distribution is the slope of Eddington's integral by the energy: the stars slower than v are
 * its integral over speeds up to v, less v times its value there. */
static void fill_speeds(struct sl_sphere *s, int i)
{
    double escape = sqrt(2 * s->energy[i]), step = escape / SPEEDS, sum = 0, *share = s->share[i];
    for (int k = 0; k < SPEEDS; k++) {
        double middle = (k + 0.5) * step, v = (k + 1) * step;
        sum += eddington_at(s, s->energy[i] - 0.5 * middle * middle) * step;
        share[k] = sum - v * eddington_at(s, s->energy[i] - 0.5 * v * v);
    }
    for (int k = 0; k < SPEEDS; k++)
        share[k] /= share[SPEEDS - 1];
}

double sl_sphere_speed(const struct sl_sphere *s, double r, double share)
{
    double at = fmin(fmax((log(r) - s->first) / s->step, 0), RADII - 1.001), below = 0;
    int i = (int)at, low = -1, high = SPEEDS - 1;
    double part = at - i, above = 1, escape = sqrt(fmax(-2 * sl_sphere_potential(s, r), 0));
    while (high - low > 1) {
        int middle = (low + high) / 2;
        double here = (1 - part) * s->share[i][middle] + part * s->share[i + 1][middle];
        if (here < share)
            low = middle, below = here;
        else
            high = middle, above = here;
    }
    return escape * (low + 1 + (above > below ? (share - below) / (above - below) : 0)) / SPEEDS;
}

/* ---- a sphere -------------------------------------------------------------------------------- */

static void fill(struct sl_sphere *s)
{
    const double innermost = 1e-3;
    s->least = density_of(s->hernquist, s->edge);
    s->mass = mass_of(s->hernquist, s->edge) - 4 * pi / 3 * pow(s->edge, 3) * s->least;
    s->first = log(innermost);
    s->step = log(s->edge / innermost) / (RADII - 1);
    s->depth = smoothed(s, s->edge);
    for (int i = 0; i < RADII - 1; i++) {
        s->energy[i] = s->depth - smoothed(s, node(s, i));
        s->sum[i] = eddington(s, node(s, i));
    }
    s->energy[RADII - 1] = s->sum[RADII - 1] = 0;
    for (int i = 0; i < RADII - 1; i++)
        fill_speeds(s, i);
    for (int k = 0; k < SPEEDS; k++)
        s->share[RADII - 1][k] = s->share[RADII - 2][k];
}

int sl_sphere_new(bool hernquist, double edge, double smooth, struct sl_sphere **out)
{
    struct sl_sphere *s;
    SL_TRY(sl_alloc("a sphere of stars", 1, sizeof *s, &s));
    s->hernquist = hernquist;
    s->edge = edge;
    s->smooth = smooth;
    fill(s);
    *out = s;
    return SL_OK;
}
