/* start_walls.h - refuses a magnetic field at the start that its walls do not admit.
 *
 * A perfectly conducting wall has no field across it, and keeps none: a field that crosses one
 * has no mirror image without magnetic charges in the wall. A field along a symmetric wall has the
 * opposite one behind it: a sheet of current in the wall, which decays. Gas at rest in a uniform
 * field at an angle to the wall is then no longer at rest; the field that the wall admits, at right
 * angles, leaves it so to rounding.
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
 * (constrained transport, once it is set), which must be 0 to rounding; else at what the first four
 * cells say of it, which may be a hundredth of the largest field, as that along each symmetric
 * wall, which is looked at in the last of the two calls or in the only one. */
int sl_start_walls(const struct sl_state *state, int on_faces);

#endif
