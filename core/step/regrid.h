/* regrid.h - lets the mesh follow the flow: asks the criteria of mesh.refine which leaves to refine
 * or to merge, makes the new hierarchy, and moves the state to it.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EMEM, SL_EMPI; on error the run is as it was
 * Owns    nothing
 * MPI     collective over the mesh's communicator
 * Where   host calls; the state where the backend has it
 * Refs    Berger & Colella 1989; Burstedde, Wilcox & Ghattas 2011
 * Tests   tests/law/levels.c, tests/law/level_costs.c
 */
#ifndef SL_STEP_REGRID_H
#define SL_STEP_REGRID_H

#include "core/step/sim.h"

/* All levels are at the same time. *changed, if not NULL: whether the mesh did. Where the new mesh
 * has no room (room.h) nothing changes but that root->state.regrid_due is 1. */
int sl_regrid(struct sl_sim *root, int *changed);

#endif
