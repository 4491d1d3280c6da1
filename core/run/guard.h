/* guard.h - what must hold in a run whatever it computes: in a closed box the totals stay as they
 * were, and with constrained transport the field has no divergence.
 *
 * The totals are those that the history makes, so a run is looked at where it writes a line, and
 * before each checkpoint: a checkpoint that is written is one of a good state.
 *
 * A box is closed when it is periodic, the recipe asks for no source term and no expansion, and no
 * cell was raised to a floor. Each step may round the values of each cell a few times; what is more
 * than that is an error of the program or of the machine. The total energy is not compared where it
 * may change: with dual energy, and once a cell was repaired with constrained transport, whose
 * field at faces another flux does not make.
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EDIVERGED, with the quantity and its values
 * Owns    nothing
 * MPI     local: the totals are those of all ranks
 * Where   host
 * Refs    none
 * Tests   tests/law/guard.c, tests/law/behind.c
 */
#ifndef SL_RUN_GUARD_H
#define SL_RUN_GUARD_H

#include "core/io/history.h"

/* Begins as zeros. */
struct sl_guard {
    bool begun;
    int64_t step;              /* of the totals that others are compared with */
    int64_t repaired, floored; /* cells until then */
    struct sl_totals first;    /* these totals */
};

/* The first call keeps the totals; later ones compare with them. */
int sl_guard_look(struct sl_guard *g, const struct sl_state *state, const struct sl_totals *now);

/* Share of its measure by which a total may change in so many steps on all levels. */
double sl_guard_rounding(const struct sl_state *state, int64_t steps);

#endif
