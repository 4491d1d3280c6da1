/* poisson.h - the potential of a density on a periodic grid, and its slopes.
 *
 * lap phi = factor (rho - mean), where lap is the sum over the axes of (phi[i-1] - 2 phi[i] +
 * phi[i+1]) / h^2, solved exactly by Fourier transforms; slopes are (phi[i+1] - phi[i-1]) / 2 h.
 * Both are of second order: the acceleration of a wave along an axis is (k h / 2) / tan(k h / 2)
 * times the exact one. As both are the same everywhere and lap is symmetric, the force of all cells
 * on each other adds up to nothing, and one cell does not pull itself.
 *
 * One-dimensional transforms run in batches that the grid alone decides, by the same plans on every
 * rank, and sums are exact: the bits do not depend on the number of ranks.
 *
 * Shapes  rows [nz][ny][n0] of the pencil
 * Units   those of the density times factor times lengths squared
 * Errors  SL_EMEM
 * Owns    some two doubles per cell of the own planes and, with more ranks than planes, three of a
 *         plane (core/sys/pencils.h); communicators of the ranks that share planes or modes
 * MPI     collective unless a function says local; ranks without rows allowed
 * Where   host
 * Refs    Hockney & Eastwood 1981, sections 5-6 and 6-5-3; Frigo & Johnson 2005 (FFTW)
 * Tests   tests/law/poisson.c, tests/law/self_gravity.c
 */
#ifndef SL_GRAVITY_POISSON_H
#define SL_GRAVITY_POISSON_H

#include "core/grid/pencil.h"

struct sl_poisson;

/* length: sides of the box. */
int sl_poisson_new(MPI_Comm comm, int dim, const int cells[3], const double length[3],
                   struct sl_poisson **out);
void sl_poisson_free(struct sl_poisson *p);

/* local. How the rows are shared out; borrowed. */
const struct sl_pencil *sl_poisson_pencil(const struct sl_poisson *p);

/* local. Own row j of own plane k: the density before a solution, the potential, whose mean is 0,
 * after it. */
double *sl_poisson_row(const struct sl_poisson *p, int k, int j);

/* mean of the density, and the sum of rho phi over all cells. */
struct sl_poisson_sums {
    double mean, product;
};
int sl_poisson_solve(struct sl_poisson *p, double factor, struct sl_poisson_sums *out);

/* local. Minus the slope along an axis of cells i .. i + n - 1 of own row j of own plane k. */
void sl_poisson_pull(const struct sl_poisson *p, int axis, int k, int j, int i, int n, double *out);

#endif
