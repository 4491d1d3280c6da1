/* lift.h - the potential energy of a constant acceleration g between a cell and its children.
 *
 * The work of g on the fluxes of mass keeps the sum of E - rho g . x on a level. Where the mass of
 * a cell is that of its children, or the other way round, it lies elsewhere than in the middle of
 * the cell, and their energies differ by the lift, the mean of rho g . (x - x_cell) over the
 * children. Likewise the flux of E - rho g . x through a face of a coarse cell is that through the
 * finer faces in it. So the sum is kept where levels meet, come and go. A lift of more than half of
 * the thermal energy of a cell is left out.
 *
 * Shapes  child 0 at u, its neighbours step[axis] apart; work[axis]: g times the distance along the
 *         axis from the middle of a cell to those of its children
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    none
 * Tests   tests/law/gravity.c
 */
#ifndef SL_CELL_LIFT_H
#define SL_CELL_LIFT_H

#include <stddef.h>

#include "core/cell/eos.h"
#include "core/cell/restrict.h"

/* Mean of the upper ones of 2^dim values along an axis less that of the lower ones, halved. */
SL_FN sl_real sl_lift_along(int dim, const sl_real *u, const ptrdiff_t step[3], int axis)
{
    ptrdiff_t x = step[0];
    if (dim == 1) return (sl_real)0.5 * (u[x] - u[0]);
    ptrdiff_t y = step[1];
    sl_real x_y = u[x] - u[y];
    if (dim == 2) return (sl_real)0.25 * ((u[x + y] - u[0]) + (axis == 0 ? x_y : -x_y));
    ptrdiff_t z = step[2];
    sl_real a = u[x] - u[y + z], b = u[y] - u[x + z], c = u[z] - u[x + y];
    return (sl_real)0.125 *
           sl_sum4(u[x + y + z] - u[0], axis == 0 ? a : -a, axis == 1 ? b : -b, axis == 2 ? c : -c);
}

/* rho: of the 2^dim children, or the flux of mass through as many faces of a coarse one, and the
 * axes along that. */
SL_FN sl_real sl_lift(int dim, const sl_real *rho, const ptrdiff_t step[3], const sl_real work[3])
{
    sl_real lift[3] = {0, 0, 0};
    if (dim == 0) return 0;
    for (int a = 0; a < 3; a++)
        if (a < dim) lift[a] = work[a] * sl_lift_along(dim, rho, step, a);
    return sl_sum_axes(dim, lift);
}

/* Energy of a cell from those of its children. */
SL_FN sl_real sl_lift_mean(const struct sl_layout *l, int dim, const sl_real *u, size_t var,
                           const ptrdiff_t step[3], const sl_real work[3])
{
    sl_real m[3], b[3] = {0, 0, 0}, lift = sl_lift(dim, u, step, work);
    sl_real rho = sl_restrict(dim, u, step);
    sl_real en = sl_restrict(dim, u + (size_t)l->energy * var, step);
    for (int d = 0; d < 3; d++) {
        m[d] = sl_restrict(dim, u + (size_t)(SL_MX + d) * var, step);
        if (l->magnetic >= 0) b[d] = sl_restrict(dim, u + (size_t)(l->magnetic + d) * var, step);
    }
    sl_real heat = (en - (sl_real)0.5 * sl_div(sl_square3(m[0], m[1], m[2]), rho)) -
                   (sl_real)0.5 * sl_square3(b[0], b[1], b[2]);
    return 2 * sl_abs(lift) <= heat ? en - lift : en;
}

/* Gives children that were made of a cell, with its energy as their mean, the energy of their
 * places. */
SL_FN void sl_lift_children(const struct sl_layout *l, int dim, sl_real *u, size_t var,
                            const ptrdiff_t step[3], const sl_real work[3])
{
    sl_real lift = sl_lift(dim, u, step, work);
    int small = 1;
    for (int k = 0; k < 1 << dim; k++) {
        const sl_real *at = u + (k & 1) * step[0] + (k >> 1 & 1) * step[1] + (k >> 2) * step[2];
        struct sl_cons c = sl_gas_of(l, at, var);
        sl_real motion = (sl_real)0.5 * sl_div(sl_square3(c.mx, c.my, c.mz), c.rho);
        small &= 2 * sl_abs(lift) <= c.en - motion;
    }
    for (int k = 0; k < 1 << dim && small; k++)
        u[(size_t)l->energy * var + (k & 1) * step[0] + (k >> 1 & 1) * step[1] +
          (k >> 2) * step[2]] += lift;
}

#endif
