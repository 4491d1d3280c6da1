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
 * interval by interval, with no error for any t. Heating comes half before it and half after it.
 *
 * Shapes  one cell
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

#include "core/cell/power.h"
#include "core/cell/source.h"

enum { SL_COOLING_ROWS = 96 };

struct sl_cooling {
    int n; /* rows; 1: one power law for all T, else none below the first */
    double t[SL_COOLING_ROWS], lambda[SL_COOLING_ROWS], slope[SL_COOLING_ROWS];
    double heating, floor; /* Gamma; below this T nothing cools */
    double dt;
};

/* The interval of T. */
SL_FN int sl_cooling_row(const struct sl_cooling *c, double t)
{
    int low = 0, high = c->n;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (c->t[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

SL_FN double sl_cooling_lambda(const struct sl_cooling *c, int k, double t)
{
    return c->lambda[k] * sl_power(t / c->t[k], c->slope[k]);
}

/* Below it nothing cools. */
SL_FN double sl_cooling_least(const struct sl_cooling *c)
{
    return c->n > 1 && c->t[0] > c->floor ? c->t[0] : c->floor;
}

/* T after a time; scale: that time over dT / (dt Lambda). */
SL_FN double sl_cooling_cool(const struct sl_cooling *c, double t, double scale)
{
    double least = sl_cooling_least(c);
    if (!(t > least)) return t;
    for (int k = sl_cooling_row(c, t); k >= 0; k--) {
        double lambda = sl_cooling_lambda(c, k, t), a = 1 - c->slope[k], x = scale * lambda / t;
        double end = k > 0 && c->t[k] > least ? c->t[k] : least, log_end = sl_power_log(end / t);
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

/* What cooling and heating would change per time if they were alone, over e: near equilibrium,
 * too, it bounds the error of taking one after the other. */
SL_FN double sl_cooling_rate(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    const struct sl_cooling *c = (const struct sl_cooling *)args;
    struct sl_prim w = sl_source_prim(at, u);
    double rho = (double)w.rho, t = (double)w.p / rho, rate = c->heating;
    if (!(t > 0)) return 0;
    if (t > sl_cooling_least(c)) rate += rho * sl_cooling_lambda(c, sl_cooling_row(c, t), t);
    return rate * ((double)at->gas.gamma - 1) / t;
}

/* Not less than what sl_cooling_radiate returns. */
SL_FN double sl_cooling_bound(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    const struct sl_cooling *c = (const struct sl_cooling *)args;
    struct sl_prim w = sl_source_prim(at, u);
    double warm = (double)w.p / ((double)at->gas.gamma - 1);
    return fabs(warm) + (double)w.rho * c->heating * c->dt;
}

/* Cools by dt; returns the energy per volume that the cell has lost. */
SL_FN double sl_cooling_radiate(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    const struct sl_cooling *c = (const struct sl_cooling *)args;
    struct sl_prim w = sl_source_prim(at, u);
    double rho = (double)w.rho, heat = (double)at->gas.gamma - 1;
    double half = 0.5 * heat * c->heating * c->dt, t = (double)w.p / rho;
    if (!(t > 0)) return 0;
    double then = sl_cooling_cool(c, t + half, heat * rho * c->dt) + half;
    if (then == t) return 0;
    double lost = rho * (t - then) / heat;
    sl_source_set_pressure(at, u, (sl_real)(rho * then), (sl_real)lost);
    return lost;
}

#endif
