/* prolong.h - the children of a coarse cell: its values with slopes, so that their mean is the
 * coarse value.
 *
 * Each conserved variable is drawn with a limited slope along each axis (minmod of the differences to both
 * neighbours), a function of the cell and its 2 dim neighbours alone. Where a child would have no
 * density or no pressure all slopes of the cell are halved, twice at most, and then zero. With dual
 * energy the pressure is that of the entropy where the solver takes it from there.
 *
 * Shapes  values of a cell at u[v * var], its neighbours `step` apart; children by child[axis], 0 or 1
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    Schive et al. 2010, section 2.2 (minmod); Wang, Abel & Kaehler 2010, section 3
 * Tests   tests/unit/prolong.c
 */
#ifndef SL_CELL_PROLONG_H
#define SL_CELL_PROLONG_H

#include <stddef.h>

#include "core/cell/state.h"

/* Coarse cells at a time between two states, (1 - share) old + share now: at 0 and at 1 the bits of
 * one of them, the other is not read. */
struct sl_prolong {
    struct sl_gas gas;
    struct sl_layout layout;
    int dim;
    ptrdiff_t step[3];
    size_t var;
    sl_real share;
};

#endif
