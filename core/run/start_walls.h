/* start_walls.h - refuses a magnetic field at the start that its walls do not admit.
 *
 * A perfectly conducting wall has no field across it, and keeps none: a field that crosses one
 * has no mirror image without magnetic charges in the wall. A field along a symmetric wall is a
 * current sheet in the wall, which the equations admit.
 *
 * Shapes  as in core/state/state.h
 * Units   code units
 * Errors  SL_EINPUT for a field across a conducting wall, SL_EMPI
 * Owns    nothing
 * MPI     collective over mesh->comm
 * Where   host
 * Refs    none
 * Tests   tests/law/walls.c
 */
#ifndef SL_RUN_START_WALLS_H
#define SL_RUN_START_WALLS_H

#include "core/state/state.h"

/* Looks at the field across each conducting wall. on_faces: at that in the wall itself
 * (constrained transport), which must be 0 to rounding; else at what the first four cells say
 * of it, which may be a hundredth of the largest field. */
int sl_start_walls(const struct sl_state *state, int on_faces);

#endif
