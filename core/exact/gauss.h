/* gauss.h - Gauss-Legendre quadrature, and the shadow that a box throws on a line.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Abramowitz & Stegun 1964, 25.4.29
 * Tests   tests/unit/exact.c
 */
#ifndef SL_EXACT_GAUSS_H
#define SL_EXACT_GAUSS_H

enum { SL_GAUSS_MAX = 64 };

/* Nodes and weights on [0, 1]; those of a number n <= SL_GAUSS_MAX are computed once (not from two
 * threads). */
struct sl_gauss {
    int n;
    double x[SL_GAUSS_MAX], w[SL_GAUSS_MAX];
};
void sl_gauss_init(struct sl_gauss *gauss, int n);

/* A box whose half edges, projected on a direction, are h[0] >= h[1] >= h[2] >= 0: the share of its
 * volume per length at a distance s from its centre along that direction. With it the average over
 * a cell of anything that depends on one direction is an integral in one dimension. */
double sl_gauss_shadow(const double h[3], double s);

/* Share of a rectangle with half edges h0 >= h1 > 0 along a direction whose shadow lies below s. */
double sl_gauss_below(double h0, double h1, double s);

#endif
