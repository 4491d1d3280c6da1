/* start_ct.h - the magnetic field on faces at the start of a run with constrained transport.
 *
 * From the vector potential of the problem where it has one: the circulation along the edges of a
 * face; so div B is zero to rounding. Else from its state, or from what its fill has put into the
 * cells.
 *
 * Shapes  as in core/state/state.h
 * Units   code units
 * Errors  SL_EINPUT for a field with a divergence
 * Owns    nothing
 * MPI     collective over mesh->comm unless a function says local
 * Where   host
 * Refs    Gardiner & Stone 2005, section 4.4
 * Tests   tests/law/ct.c
 */
#ifndef SL_RUN_START_CT_H
#define SL_RUN_START_CT_H

#include "core/step/sim.h"

/* Sets the field on all faces, and that in the cells to the averages of them; pressures are
 * kept. */
int sl_start_ct(struct sl_sim *sim);

#endif
