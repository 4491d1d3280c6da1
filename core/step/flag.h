/* flag.h - what the rules of mesh.refine say of the blocks of a level.
 *
 * Shapes  marks of the leaves of a level, in their order
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/flag.c
 */
#ifndef SL_STEP_FLAG_H
#define SL_STEP_FLAG_H

#include "core/cell/refine_level.h"
#include "core/step/sim.h"

/* What the rules of cells need of a level; rules of regions are left out. */
struct sl_refine_level sl_flag_level(const struct sl_sim *sim);

/* backend->flag of the processor: of the state sim->work->now, whose ghost cells across faces are
 * filled. */
int sl_flag_blocks(struct sl_sim *sim, struct sl_refine_marks *marks);

/* Adds what rules of regions and the problem's own ask, which is of blocks alone. */
void sl_flag_regions(const struct sl_sim *sim, struct sl_refine_marks *marks);

#endif
