/* growth.c - see growth.h. Runge-Kutta of order 4 in ln a, each step taken whole and in two halves
 * and extrapolated: with steps of 1/48 the error is below 1e-10. */
#include "core/cosmo/growth.h"

#include <math.h>

#define START 1e-9 /* radiation rules, or D = a to 1e-8 */

struct flow {
    double y[4]; /* D, D', D2, D2' */
};

/* What stands in the equations at ln a = x. */
struct rates {
    double source, drag;
};

static struct rates rates_at(const struct sl_cosmology *c, double x)
{
    double a = exp(x);
    return (struct rates){1.5 * sl_cosmology_matter(c, a), 2 + sl_cosmology_rate_slope(c, a)};
}

static struct flow slope(const struct rates *r, const struct flow *s)
{
    const double *y = s->y;
    struct flow out = {{y[1], r->source * y[0] - r->drag * y[1], y[3],
                        r->source * (y[2] - y[0] * y[0]) - r->drag * y[3]}};
    return out;
}

static struct flow advanced(const struct flow *s, const struct flow *k, double dx)
{
    struct flow out;
    for (int i = 0; i < 4; i++)
        out.y[i] = s->y[i] + dx * k->y[i];
    return out;
}

/* By the rates at the beginning, in the middle and at the end. */
static struct flow stepped(const struct rates *r0, const struct rates *r1, const struct rates *r2,
                           double dx, const struct flow *s)
{
    struct flow k1 = slope(r0, s), at = advanced(s, &k1, 0.5 * dx), out;
    struct flow k2 = slope(r1, &at);
    at = advanced(s, &k2, 0.5 * dx);
    struct flow k3 = slope(r1, &at);
    at = advanced(s, &k3, dx);
    struct flow k4 = slope(r2, &at);
    for (int i = 0; i < 4; i++)
        out.y[i] = s->y[i] + dx / 6 * (k1.y[i] + 2 * k2.y[i] + 2 * k3.y[i] + k4.y[i]);
    return out;
}

/* By the rates at the quarters of the step. */
static void step(const struct rates r[5], double dx, struct flow *s)
{
    struct flow whole = stepped(&r[0], &r[2], &r[4], dx, s);
    struct flow half = stepped(&r[0], &r[1], &r[2], 0.5 * dx, s);
    *s = stepped(&r[2], &r[3], &r[4], 0.5 * dx, &half);
    for (int i = 0; i < 4; i++)
        s->y[i] += (s->y[i] - whole.y[i]) / 15;
}

static struct flow start(const struct sl_cosmology *c)
{
    double early = c->m_nu > 0 ? c->neutrinos.early : 0;
    double a = START, eq = (c->omega_r + early) / c->omega_m;
    struct flow matter = {{a, a, -3. / 7 * a * a, -6. / 7 * a * a}};
    struct flow radiation = {{a + 2. / 3 * eq, a, -2. / 3 * a * eq, -2. / 3 * a * eq}};
    return c->omega_r > 0 ? radiation : matter;
}

struct sl_growth sl_growth_at(const struct sl_cosmology *c, double a)
{
    struct flow s = start(c);
    double x = log(START), length = log(a) - x;
    int n = (int)ceil(48 * length);
    struct rates r[5] = {[4] = rates_at(c, x)};
    for (int i = 0; i < n; i++) {
        r[0] = r[4];
        for (int q = 1; q <= 4; q++)
            r[q] = rates_at(c, x + length * (i + 0.25 * q) / n);
        step(r, length / n, &s);
    }
    struct sl_growth g = {s.y[0], s.y[1] / s.y[0], s.y[2], s.y[3] / s.y[2]};
    return g;
}

double sl_growth_redshift(const struct sl_cosmology *c, double share)
{
    double today = sl_growth_at(c, 1).d1, lo = log(1e-4), hi = 0;
    if (!(share <= 1) || share < sl_growth_at(c, 1e-4).d1 / today) return -1;
    for (int i = 0; i < 40; i++) {
        double mid = 0.5 * (lo + hi);
        if (sl_growth_at(c, exp(mid)).d1 < share * today)
            lo = mid;
        else
            hi = mid;
    }
    return exp(-0.5 * (lo + hi)) - 1;
}

/* Newton's method in the logarithms, in which D is nearly a line. */
double sl_growth_scale_factor(const struct sl_cosmology *c, double d1)
{
    enum { ROUNDS = 30 };
    double x = log(d1);
    for (int i = 0; i < ROUNDS; i++) {
        struct sl_growth g = sl_growth_at(c, exp(x));
        double step = log(d1 / g.d1) / g.f1;
        x += fmax(-2, fmin(2, step));
        if (fabs(step) < 1e-13) break;
    }
    return exp(x);
}
