/* poisson.h - the potential of a density on a periodic grid, or on one around which there is
 * nothing, and its slopes.
 *
 * lap phi = factor (rho - mean), where lap is the sum over the axes of (phi[i-1] - 2 phi[i] +
 * phi[i+1]) / h^2, solved exactly by Fourier transforms; slopes are (phi[i+1] - phi[i-1]) / 2 h.
 * Both are of second order: the acceleration of a wave along an axis is (k h / 2) / tan(k h / 2)
 * times the exact one. As both are the same everywhere and lap is symmetric, the force of all cells
 * on each other adds up to nothing, and one cell does not pull itself.
 *
 * An isolated density has no mean taken away. Its potential falls as 1 / r: it is the sum over all
 * cells of that of one cell on an unbounded lattice (lattice_green.h), and 0 at infinity, found by
 * transforms of twice the cells along each axis of three (Hockney & Eastwood), or by sines, with
 * values at the sides from the charges that screen it (screen.h): two transforms of the cells more,
 * and cells of the sides times a number along the axes, for a third of the memory. Both are that
 * sum but for rounding.
 *
 * One-dimensional transforms run in batches that the grid alone decides, by the same plans on every
 * rank, and sums are exact: the bits do not depend on the number of ranks. On one core a solution
 * of 256^3 cells takes 1.05 times as long as the three-dimensional transforms of FFTW there and
 * back, chosen by measurement (FFTW_MEASURE), and a quarter of what it takes where it estimates.
 *
 * Shapes  rows [nz][ny][n0] of the pencil
 * Units   those of the density times factor times lengths squared
 * Errors  SL_EMEM
 * Owns    some two doubles per cell of the own planes and, with more ranks than planes, three of a
 *         plane; of isolated densities nine per cell, or three with screening charges
 *         (core/sys/pencils.h); communicators of the ranks that share planes or modes
 * MPI     collective unless a function says local; ranks without rows allowed
 * Where   host
 * Refs    Hockney & Eastwood 1981, sections 5-6, 6-5-3 and 6-5-4; James 1977; Frigo & Johnson 2005
 * Tests   tests/law/poisson.c, tests/law/isolated.c, tests/law/self_gravity.c
 */
#ifndef SL_GRAVITY_POISSON_H
#define SL_GRAVITY_POISSON_H

#include "core/grid/pencil.h"

struct sl_poisson;

/* length: sides of the box. Nothing is around boxes of three axes alone. */
int sl_poisson_new(MPI_Comm comm, int dim, enum sl_around around, const int cells[3],
                   const double length[3], struct sl_poisson **out);
void sl_poisson_free(struct sl_poisson *p);

/* local. How the rows are shared out, those of the cells before others; borrowed. */
const struct sl_pencil *sl_poisson_pencil(const struct sl_poisson *p);

/* local. Own row j of own plane k: the density of cells before a solution, the potential after it,
 * whose mean is 0 where it is periodic. */
double *sl_poisson_row(const struct sl_poisson *p, int k, int j);

/* mean of the density, and the sum of rho phi over all cells. */
struct sl_poisson_sums {
    double mean, product;
};
int sl_poisson_solve(struct sl_poisson *p, double factor, struct sl_poisson_sums *out);

/* After a solution: the planes beyond the first and the last own one, and the rows beside the own
 * ones where planes are shared, for slopes. */
int sl_poisson_edges(struct sl_poisson *p);

/* local. Minus the slope along an axis of cells i .. i + n - 1 of own row j of own plane k. */
void sl_poisson_pull(const struct sl_poisson *p, int axis, int k, int j, int i, int n, double *out);

#endif
