/* rows_characteristic.h - values at faces from the waves along an axis: the methods of
 * core/cell/reconstruct.h applied to the strengths of the waves of the cell in which they are
 * wanted.
 *
 * Extra variables, B_n and psi are no part of the waves: each is treated alone, as without.
 *
 * Shapes  as core/sweep/rows.h
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    see core/cell/characteristic.h
 * Tests   tests/law/symmetry.c, tests/law/conservation.c, tests/law/ctu.c
 */
#ifndef SL_SWEEP_ROWS_CHARACTERISTIC_H
#define SL_SWEEP_ROWS_CHARACTERISTIC_H

#include "core/sweep/rows.h"

/* For sl_scheme.waves. */
sl_wave_rows *sl_rows_characteristic(int method, int limiter, int field);

#endif
