/* update.h - the new value of a variable of a cell from its fluxes.
 *
 * Shapes  one variable of a cell
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Gottlieb & Shu 1998 (stages as blends of Euler steps)
 * Tests   tests/law/order.c, tests/law/conservation.c, tests/gpu/same.c
 */
#ifndef SL_CELL_UPDATE_H
#define SL_CELL_UPDATE_H

#include "core/cell/fn.h"

/* From the state u of a stage and the old state u0, which has no part in it where b is 1; d: what the fluxes take away in
 * dt. */
SL_FN sl_real sl_update(sl_real b, sl_real u0, sl_real u, sl_real d)
{
    return b == 1 ? u - d : u0 + b * ((u - d) - u0);
}

#endif
