/* rows_shock.h - the slopes of cells that lie in shocks, over rows of cells: the sensor of
 * core/cell/shock.h made once for each cell and axis.
 *
 * Shapes  as core/sweep/rows.h
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    see core/cell/shock.h
 * Tests   tests/unit/shock.c, tests/law/colliding.c, tests/law/symmetry.c
 */
#ifndef SL_SWEEP_ROWS_SHOCK_H
#define SL_SWEEP_ROWS_SHOCK_H

#include "core/sweep/rows.h"

/* For sl_scheme.shocks: what gas->shocks asks for; NULL for `none`. */
sl_shock_rows *sl_rows_shock(const struct sl_gas *gas, const struct sl_layout *l);

#endif
