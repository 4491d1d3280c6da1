/* start.h - the first state of a run, and with levels its first mesh.
 *
 * Shapes  as in core/state/state.h
 * Units   code units
 * Errors  SL_EINPUT for a state with a negative pressure or density: the cell is named; SL_EMEM,
 *         SL_EMPI
 * Owns    nothing
 * MPI     collective over mesh->comm
 * Where   host
 * Refs    none
 * Tests   tests/law, tests/problem
 */
#ifndef SL_RUN_START_H
#define SL_RUN_START_H

#include "core/step/sim.h"

/* Sets the state to the problem's at t = 0. */
int sl_sim_start(struct sl_sim *sim);
/* The same on the root grid alone. */
int sl_sim_start_root(struct sl_sim *sim);

#endif
