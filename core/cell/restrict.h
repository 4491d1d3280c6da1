/* restrict.h - the value of a coarse cell, or face, from those of the finer ones in it: their mean.
 *
 * Opposite children are added first, then these pairs, the same bits for any order of the axes and
 * for mirrored data. What sl_prolong_child made comes back to the coarse value, to rounding.
 *
 * Shapes  child 0 at u, its neighbours step[axis] apart
 * Units   those of the variable
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    Berger & Colella 1989, section 3
 * Tests   tests/unit/prolong.c
 */
#ifndef SL_CELL_RESTRICT_H
#define SL_CELL_RESTRICT_H

#include <stddef.h>

#include "core/cell/fn.h"

/* Mean of the 2^dim values; dim 0: the value. */
SL_FN sl_real sl_restrict(int dim, const sl_real *u, const ptrdiff_t step[3])
{
    if (dim == 0) return u[0];
    ptrdiff_t x = step[0];
    if (dim == 1) return (sl_real)0.5 * (u[0] + u[x]);
    ptrdiff_t y = step[1];
    if (dim == 2) return (sl_real)0.25 * ((u[0] + u[x + y]) + (u[x] + u[y]));
    ptrdiff_t z = step[2];
    return (sl_real)0.125 *
           sl_sum4(u[0] + u[x + y + z], u[x] + u[y + z], u[y] + u[x + z], u[z] + u[x + y]);
}

#endif
