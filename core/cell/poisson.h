/* poisson.h - the operator of Poisson's equation around a cell, also at the edge of a level.
 *
 * lap phi is the sum over the axes of (phi[i-1] - 2 phi[i] + phi[i+1]) / h^2: of slopes through the
 * faces. Where a coarser cell lies beyond a face the slope through it is that of a parabola through
 * the first two fine cells and the coarser one, which is moved along the face to the row of the
 * fine cell by its central slopes and second differences; a coarse cell takes the means of the
 * slopes of the finer cells beyond its face. So the flux of the field that leaves a cell enters the
 * next, whatever their levels (a composite problem), and the potential is of second order.
 *
 * Shapes  phi: at a cell, its neighbours step[axis] apart; per_h2[axis] = 1 / h^2, 0 along axes
 *         that are not there
 * Units   those of the density times lengths squared
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Martin & Cartwright 1996 (the rule at the edge); Yavneh 1996 (over-relaxation);
 *         Trottenberg, Oosterlee & Schueller 2001
 * Tests   tests/law/composite.c
 */
#ifndef SL_CELL_POISSON_H
#define SL_CELL_POISSON_H

#include <stddef.h>

#include "core/cell/fn.h"

/* The sum over dim axes of the values of both neighbours, over h^2. */
SL_FN sl_real sl_poisson_neighbours(int dim, const sl_real *phi, const ptrdiff_t step[3],
                                    const sl_real per_h2[3])
{
    sl_real sum = per_h2[0] * (phi[-step[0]] + phi[step[0]]);
    if (dim > 1) sum += per_h2[1] * (phi[-step[1]] + phi[step[1]]);
    if (dim > 2) sum += per_h2[2] * (phi[-step[2]] + phi[step[2]]);
    return sum;
}

/* lap phi = neighbours - diagonal phi. */
SL_FN sl_real sl_poisson_diagonal(const sl_real per_h2[3])
{
    return 2 * ((per_h2[0] + per_h2[1]) + per_h2[2]);
}

SL_FN sl_real sl_poisson_lap(int dim, const sl_real *phi, const ptrdiff_t step[3],
                             const sl_real per_h2[3])
{
    return sl_poisson_neighbours(dim, phi, step, per_h2) - sl_poisson_diagonal(per_h2) * phi[0];
}

/* phi relaxed towards lap phi = rhs, a fifth beyond the value that its neighbours want (Yavneh
 * 1996): cycles of two and two red-black sweeps leave 0.05 of an error in three dimensions, and 0.1
 * without it. */
SL_FN sl_real sl_poisson_relaxed(int dim, const sl_real *phi, const ptrdiff_t step[3],
                                 const sl_real per_h2[3], sl_real rhs)
{
    sl_real per_diagonal = 1 / sl_poisson_diagonal(per_h2);
    sl_real wanted = (sl_poisson_neighbours(dim, phi, step, per_h2) - rhs) * per_diagonal;
    return phi[0] + (sl_real)1.2 * (wanted - phi[0]);
}

/* A coarse value moved along one axis to the child at its lower (0) or upper
 * (1) side: what is added to it. */
SL_FN sl_real sl_poisson_moved(const sl_real *coarse, ptrdiff_t step, int child)
{
    sl_real up = coarse[step] - coarse[0], down = coarse[0] - coarse[-step];
    return (sl_real)(child ? 0.125 : -0.125) * (up + down) + (sl_real)0.03125 * (up - down);
}

/* The value of the ghost cell beside fine cell `first`, behind which lies
 * `second`. */
SL_FN sl_real sl_poisson_ghost(sl_real coarse, sl_real first, sl_real second)
{
    return (sl_real)(8.0 / 15) * coarse + ((sl_real)(2.0 / 3) * first - (sl_real)0.2 * second);
}

/* A coarse field along one axis in a child: 3/4 of the way to the nearer coarse cell. */
SL_FN sl_real sl_poisson_child(sl_real here, sl_real beside)
{
    return (sl_real)0.75 * here + (sl_real)0.25 * beside;
}

/* A potential after another one, carried on by `ahead` times its change. */
SL_FN sl_real sl_poisson_ahead(sl_real before, sl_real phi, sl_real ahead)
{
    return phi + ahead * (phi - before);
}

#endif
