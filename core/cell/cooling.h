/* cooling.h - optically thin cooling and heating of one cell at constant density.
 *
 * d e / dt = rho Gamma - rho^2 Lambda(T), T = p / rho, e = p / (gamma - 1). Lambda is a power law
 * in each interval of a table, Lambda_k (T / T_k)^slope_k. There the equation without heating has
 * the solution
 *
 *   T(t) = T (1 - (1 - a) x)^(1 / (1 - a)),  x = (gamma - 1) rho Lambda(T) t / T,
 *   a = slope;  T exp(-x) for a = 1
 *
 * (Townsend 2009, equations 8 and A5, written from the present temperature, so that nothing
 * cancels), and the time in which a temperature is reached is known: the table is gone through
 * interval by interval, with no error for any t.
 *
 * With heating z = log(T / T0) obeys dz/dt = exp(-z) (w - c exp(a z)), with w and c what heating
 * and cooling alone change T0 by per time, over T0, and the time to reach z is an integral, of
 * which the simple pole of the fixed point, w = c exp(a z), is taken out and integrated by itself;
 * the rest, which is smooth, goes through a Gauss rule to the last digits. T0 is the present
 * temperature, then that at the end of each interval, or of the piece of it for which the rule is
 * good. So the net rate is integrated as exactly as cooling alone: gas comes to the fixed point of
 * its density and stays there, for any t, between the rows of the table and beyond its ends.
 *
 * Shapes  one cell; table[n][3]: T, Lambda and slope
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Townsend 2009
 * Tests   tests/law/cooling.c
 */
#ifndef SL_CELL_COOLING_H
#define SL_CELL_COOLING_H

#include "core/cell/power_near.h"
#include "core/cell/source.h"

enum { SL_COOLING_T, SL_COOLING_LAMBDA, SL_COOLING_SLOPE, SL_COOLING_ROW };

struct sl_cooling {
    int n;                      /* rows of the table, below the first of which nothing cools; */
    double law[SL_COOLING_ROW]; /* 1: this one power law for all T */
    double heating, floor;      /* Gamma; below this T nothing cools */
    double dt;
};

SL_FN const double *sl_cooling_rows(const struct sl_cooling *c, const struct sl_source_cell *at)
{
    return c->n > 1 ? at->table : c->law;
}

/* The interval of T. */
SL_FN int sl_cooling_row(const struct sl_cooling *c, const double *table, double t)
{
    int low = 0, high = c->n;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (table[SL_COOLING_ROW * middle + SL_COOLING_T] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

SL_FN double sl_cooling_lambda(const double *row, double t)
{
    return row[SL_COOLING_LAMBDA] * sl_power(t / row[SL_COOLING_T], row[SL_COOLING_SLOPE]);
}

/* Below it nothing cools. */
SL_FN double sl_cooling_least(const struct sl_cooling *c, const double *table)
{
    return c->n > 1 && table[SL_COOLING_T] > c->floor ? table[SL_COOLING_T] : c->floor;
}

/* T after a time without heating; scale: that time over dT / (dt Lambda). */
SL_FN double sl_cooling_cool(const struct sl_cooling *c, const double *table, double t,
                             double scale)
{
    double least = sl_cooling_least(c, table);
    if (!(t > least)) return t;
    for (int k = sl_cooling_row(c, table, t); k >= 0; k--) {
        const double *row = table + SL_COOLING_ROW * k;
        double lambda = sl_cooling_lambda(row, t), a = 1 - row[SL_COOLING_SLOPE],
               x = scale * lambda / t;
        double end = k > 0 && row[SL_COOLING_T] > least ? row[SL_COOLING_T] : least,
               log_end = sl_power_log(end / t);
        int flat = fabs(a) < 1e-9;
        double all =
            flat ? -log_end : (1 - sl_power_exp(a * log_end)) / a; /* x in which `end` is reached */
        if (x < all)
            return t * (flat ? sl_power_exp(-x) : sl_power_exp(sl_power_log(1 - a * x) / a));
        if (!(end > least)) return least;
        scale = scale * (1 - all / x);
        t = end;
    }
    return least;
}

/* ---- with heating ---------------------------------------------------------------------------- */

/* From z = 0 to `end`, where the power law ends or the rule is no longer good. */
struct sl_cooling_piece {
    double warm, cold, slope; /* of the equation */
    double end, pole;         /* pole: the fixed point */
    int near;                 /* the pole is near enough to count */
    int ahead;                /* and is what z comes to: `end` is never reached */
};

SL_FN struct sl_cooling_piece sl_cooling_piece_of(double warm, double cold, double slope,
                                                  double edge)
{
    enum { FAR = 16 }; /* lengths of a piece */
    struct sl_cooling_piece p = {warm, cold, slope, 0, 0, 0, 0};
    double most = fabs(slope) > 1 ? 0.5 / fabs(slope) : 0.5, sign = warm > cold ? 1 : -1;
    p.pole = sl_power_log1p((warm - cold) / cold) / slope;
    p.end = sign * edge < most ? edge : sign * most;
    p.near = fabs(p.pole) <= FAR * most;
    p.ahead = p.near && sign * p.pole > 0 && fabs(p.pole) <= fabs(p.end);
    return p;
}

/* dt/dz */
SL_FN double sl_cooling_slowness(const struct sl_cooling_piece *p, double z)
{
    double net = p->near ? -p->warm * sl_power_expm1(p->slope * (z - p->pole))
                         : p->warm - p->cold - p->cold * sl_power_expm1(p->slope * z);
    return sl_power_exp(z) / net;
}

/* The time to reach z, less what the pole gives. */
SL_FN double sl_cooling_smooth(const struct sl_cooling_piece *p, double strength, double z)
{
    const double node[] = {0.04691007703066800, 0.23076534494715845, 0.5, 0.76923465505284155,
                           0.95308992296933200};
    const double weight[] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                             0.23931433524968324, 0.11846344252809454};
    double sum = 0;
    for (int i = 0; i < 5; i++) {
        double at = node[i] * z, pole = p->near ? strength / (at - p->pole) : 0;
        sum += weight[i] * (sl_cooling_slowness(p, at) + pole);
    }
    return z * sum;
}

/* z at a time, or `end` and what is left of the time. With a pole the unknown is x = -log(1 - z /
 * pole), in which the time is nearly linear, else it is z; both ways the time is steeper or
 * flatter all along, so that Newton's method goes to its root from one side. */
SL_FN double sl_cooling_reach(const struct sl_cooling_piece *p, double *time)
{
    enum { ROUNDS = 24 };
    double strength = p->near ? sl_power_exp(p->pole) / (p->warm * p->slope) : 0;
    double last = !p->near ? p->end : p->ahead ? 0 : -sl_power_log1p(-p->end / p->pole), z = p->end;
    double whole = p->ahead ? 0 : strength * last * p->near + sl_cooling_smooth(p, strength, z);
    if (!p->ahead && *time >= whole) {
        *time -= whole;
        return z;
    }
    double x = *time / (sl_cooling_slowness(p, 0) * (p->near ? p->pole : 1));
    for (int round = 0; round < ROUNDS; round++) {
        if (!p->ahead && fabs(x) > fabs(last)) x = last;
        z = p->near ? -p->pole * sl_power_expm1(-x) : x;
        double slowness = p->near && z == p->pole
                              ? strength
                              : sl_cooling_slowness(p, z) * (p->near ? p->pole - z : 1);
        double off = strength * x * p->near + sl_cooling_smooth(p, strength, z) - *time;
        x -= off / slowness;
        if (!(fabs(off / slowness) > 1e-8 * fabs(x)))
            break; /* the next would be the square of it */
    }
    *time = 0;
    return p->near ? -p->pole * sl_power_expm1(-x) : x;
}

/* T after a time: heating changes it by `warm` per time, cooling by scale Lambda. */
SL_FN double sl_cooling_change(const struct sl_cooling *c, const double *table, double t,
                               double warm, double scale, double time)
{
    enum { PIECES = 1 << 20 };
    double least = sl_cooling_least(c, table);
    for (int i = 0; i < PIECES && time > 0; i++) {
        if (t < least) {
            double all = (least - t) / warm;
            if (time < all) return t + warm * time;
            time -= all;
            t = least;
        }
        int k = sl_cooling_row(c, table, t);
        const double *row = table + SL_COOLING_ROW * k;
        double cold = scale * sl_cooling_lambda(row, t);
        if (!(cold > 0)) return t + warm * time;
        if (cold == warm || (cold > warm && t == least)) return t;
        if (cold > warm && k > 0 && t == row[SL_COOLING_T]) row -= SL_COOLING_ROW, k--;
        double below = k > 0 && row[SL_COOLING_T] > least ? row[SL_COOLING_T] : least;
        double above = k + 1 < c->n ? row[SL_COOLING_ROW + SL_COOLING_T] : (double)HUGE_VAL;
        double to = cold > warm ? below : above;
        struct sl_cooling_piece p =
            sl_cooling_piece_of(warm / t, cold / t, row[SL_COOLING_SLOPE],
                                to < (double)HUGE_VAL ? sl_power_log(to / t) : to);
        int edge = fabs(p.end) < (fabs(p.slope) > 1 ? 0.5 / fabs(p.slope) : 0.5);
        double z = sl_cooling_reach(&p, &time);
        t = edge && z == p.end ? to : t * sl_power_exp(z);
    }
    return t;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* 1 where the table says how the cell cools, else 0. */
SL_FN double sl_cooling_inside(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    const struct sl_cooling *c = (const struct sl_cooling *)args;
    const double *table = sl_cooling_rows(c, at);
    struct sl_prim w = sl_source_prim(at, u);
    double t = (double)w.p / (double)w.rho;
    return t >= table[SL_COOLING_T] && t <= table[SL_COOLING_ROW * (c->n - 1) + SL_COOLING_T];
}

/* What cooling less heating changes per time, over e. Gas that is heated and stays where nothing
 * cools below moves by less than HELD of its energy. */
SL_FN double sl_cooling_rate(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    const double HELD = 1e-6;
    const struct sl_cooling *c = (const struct sl_cooling *)args;
    const double *table = sl_cooling_rows(c, at);
    struct sl_prim w = sl_source_prim(at, u);
    double rho = (double)w.rho, t = (double)w.p / rho, least = sl_cooling_least(c, table);
    double cold = 0, from = t < least ? least : t;
    if (!(t > 0)) return 0;
    if (t > least || c->heating > 0)
        cold =
            rho * sl_cooling_lambda(table + SL_COOLING_ROW * sl_cooling_row(c, table, from), from);
    if (c->heating > 0 && cold > c->heating && fabs(t - least) <= HELD * least) return 0;
    if (t < least) cold = 0;
    return fabs(cold - c->heating) * ((double)at->gas.gamma - 1) / t;
}

/* Not less than what sl_cooling_radiate returns. */
SL_FN double sl_cooling_bound(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    const struct sl_cooling *c = (const struct sl_cooling *)args;
    struct sl_prim w = sl_source_prim(at, u);
    double warm = (double)w.p / ((double)at->gas.gamma - 1);
    return fabs(warm) + (double)w.rho * c->heating * c->dt;
}

/* Cools and heats by dt; returns the energy per volume that the cell has lost. */
SL_FN double sl_cooling_radiate(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    const struct sl_cooling *c = (const struct sl_cooling *)args;
    const double *table = sl_cooling_rows(c, at);
    struct sl_prim w = sl_source_prim(at, u);
    double rho = (double)w.rho, heat = (double)at->gas.gamma - 1, t = (double)w.p / rho;
    if (!(t > 0)) return 0;
    double then = c->heating > 0
                      ? sl_cooling_change(c, table, t, heat * c->heating, heat * rho, c->dt)
                      : sl_cooling_cool(c, table, t, heat * rho * c->dt);
    if (then == t) return 0;
    double lost = rho * (t - then) / heat;
    sl_source_set_pressure(at, u, (sl_real)(rho * then), (sl_real)lost);
    return lost;
}

#endif
