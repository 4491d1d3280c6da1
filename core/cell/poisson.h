/* poisson.h - the operator of Poisson's equation around a cell, also at the edge of a level.
 *
 * lap phi is the sum over the axes of (phi[i-1] - 2 phi[i] + phi[i+1]) / h^2: of slopes through the
 * faces. Where a coarser cell lies beyond a face the slope through it is that of a parabola through
 * the first two fine cells and the coarser one, which is moved along the face to the row of the
 * fine cell by its central slopes and second differences; a coarse cell takes the means of the
 * slopes of the finer cells beyond its face. So the flux of the field that leaves a cell enters the
 * next, whatever their levels (a composite problem), and the potential is of second order.
 *
 * The potential and what is left of its equation are sl_real (sl_poisson_*). What a cycle of
 * multigrid makes of what is left, a correction, need not be good to more digits than the cycle
 * leaves: that is single precision (sl_cycle_*), and half of what memory has to move.
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

typedef float sl_cycle_real;

#define REAL          sl_real
#define POISSON(name) sl_poisson_##name
#include "core/cell/poisson_bodies.def"

#define REAL          sl_cycle_real
#define POISSON(name) sl_cycle_##name
#include "core/cell/poisson_bodies.def"

/* phi relaxed towards lap phi = rhs, a fifth beyond the value that its neighbours want (Yavneh
 * 1996): cycles of two and two red-black sweeps leave 0.05 of an error in three dimensions, and 0.1
 * without it. */
SL_FN sl_cycle_real sl_cycle_relaxed(int dim, const sl_cycle_real *phi, const ptrdiff_t step[3],
                                     const sl_cycle_real per_h2[3], sl_cycle_real rhs)
{
    sl_cycle_real per_diagonal = 1 / sl_cycle_diagonal(per_h2);
    sl_cycle_real wanted = (sl_cycle_neighbours(dim, phi, step, per_h2) - rhs) * per_diagonal;
    return phi[0] + (sl_cycle_real)1.2 * (wanted - phi[0]);
}

/* A coarse field along one axis in a child: 3/4 of the way to the nearer coarse cell. */
SL_FN sl_cycle_real sl_cycle_child(sl_cycle_real here, sl_cycle_real beside)
{
    return (sl_cycle_real)0.75 * here + (sl_cycle_real)0.25 * beside;
}

/* A potential after another one, carried on by `ahead` times its change. */
SL_FN sl_real sl_poisson_ahead(sl_real before, sl_real phi, sl_real ahead)
{
    return phi + ahead * (phi - before);
}

#endif
