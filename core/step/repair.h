/* repair.h - takes back what made cells bad in a stage: their faces get first-order fluxes.
 *
 * A bad cell (sl_bad_state) is flagged, flags cross blocks and ranks like any ghost cell, and every
 * cell at a face of a flagged one is made again with the first-order flux there, on both sides
 * alike, so that nothing is lost. With constrained transport the field at faces, which the edges make, is not
 * the one that the first-order fluxes make in the cell: a cell that stays bad gets the energy of the difference, which is
 * the one sum that such a repair does not keep. That may turn a neighbour bad: a few passes. What is still bad
 * then is raised to the floors, or gets its old state when it is not finite, and is counted.
 *
 * Shapes  in, out as u in sim.h, ghosts of in filled
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    flags and the third copy in struct sl_step
 * MPI     collective over mesh->comm
 * Where   host
 * Refs    Lemaster & Stone 2009, section 2 (first-order flux correction)
 * Tests   tests/law/positivity.c
 */
#ifndef SL_STEP_REPAIR_H
#define SL_STEP_REPAIR_H

#include "core/step/work.h"

/* Makes what repairs need: a third copy of the state and the flags. Nothing when it is there. */
int sl_repair_ready(struct sl_sim *sim);

/* SL_EDIVERGED when fluxes overflow. Repairs the result `out` of a stage that was made from `in` (another copy) and
 * sim->state.u. Adds the number of cells with first-order fluxes and of cells raised to floors, over all ranks; the place of
 * the first of these goes to sim->work->floored_at. */
int sl_repair(struct sl_sim *sim, const struct sl_stage *stage, const sl_real *in, sl_real *out,
              int64_t *repaired, int64_t *floored);

/* local. SL_EDIVERGED when count cells of all ranks are not finite after first-order fluxes: those of good cells are
 * finite unless they leave the range of the numbers; then neither a floor nor a shorter step helps. */
int sl_repair_range(const struct sl_sim *sim, int64_t count);

#endif
