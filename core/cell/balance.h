/* balance.h - the energy of a cell, for the account of what gives it.
 *
 * Shapes  one cell
 * Units   code units, per volume
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/law/balance.c
 */
#ifndef SL_CELL_BALANCE_H
#define SL_CELL_BALANCE_H

#include "core/cell/source.h"

/* All of its energy; of an isothermal gas that of its motion and field. */
SL_FN double sl_balance_energy(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    const struct sl_layout *l = &at->layout;
    (void)args;
    if (l->energy >= 0) return (double)u[(size_t)l->energy * at->var];
    double x = (double)u[at->var], y = (double)u[2 * at->var], z = (double)u[3 * at->var];
    return 0.5 * (x * x + y * y + z * z) / (double)u[0] + (double)sl_magnetic_energy(l, u, at->var);
}

#endif
