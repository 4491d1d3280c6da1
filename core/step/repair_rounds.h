/* repair_rounds.h - takes back what made cells bad in a stage: their faces get first-order fluxes.
 *
 * A bad cell (sl_bad_state) is flagged, flags cross blocks and ranks like any ghost cell, and every
 * cell at a face of a flagged one is made again with the first-order flux there, on both sides
 * alike, so that nothing is lost. With constrained transport the field at faces, which the edges
 * make, is not the one that the first-order fluxes make in the cell: a cell that stays bad gets the
 * energy of the difference, which is the one sum that such a repair does not keep. That may turn a
 * neighbour bad: a few passes. What is still bad then is raised to the floors, or gets its old
 * state when it is not finite, and is counted.
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
#ifndef SL_STEP_REPAIR_ROUNDS_H
#define SL_STEP_REPAIR_ROUNDS_H

#include "core/step/work.h"

/* Makes what repairs need: a third copy of the state and the flags. Nothing when it is there. */
int sl_repair_ready(struct sl_sim *sim);

/* SL_EDIVERGED when fluxes overflow. Repairs the result `out` of a stage that was made from `in`
 * (another copy) and sim->state.u. Adds the number of cells with first-order fluxes and of cells
 * raised to floors, over all ranks; the place of the first of these goes to
 * sim->work->floored_at. */
int sl_repair(struct sl_sim *sim, const struct sl_stage *stage, const sl_real *in, sl_real *out,
              int64_t *repaired, int64_t *floored);

/* What a repair does to the cells of this rank, as a backend has it; each counts those of this
 * rank. */
struct sl_repair_cells {
    int (*flag)(void *of, int64_t *count);  /* bad cells, as sl_repair_flag tells */
    int (*remake)(void *of);                /* those near a flag of any rank */
    int (*lost)(void *of, int64_t *count);  /* cells that are not finite */
    int (*floor)(void *of, int64_t *count); /* cells that are still bad */
};

/* The rounds of a repair whose flags are 0, for the backends; of: what they work on. As sl_repair,
 * but for the place. */
int sl_repair_rounds(const struct sl_sim *sim, const struct sl_repair_cells *cells, void *of,
                     int64_t *repaired, int64_t *floored);

#endif
