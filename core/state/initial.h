/* initial.h - what the problem of a run says of a cell and of a face, as the state holds it: at the
 * start, and beyond fixed boundaries at any time.
 *
 * Shapes  prim as in problem.h
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Gardiner & Stone 2005, section 4.4
 * Tests   tests/law/ct.c
 */
#ifndef SL_STATE_INITIAL_H
#define SL_STATE_INITIAL_H

#include <stdbool.h>

#include "core/state/state.h"

/* Conserved values of a cell from what problem->state gives. */
void sl_state_cell(const struct sl_state *state, const double *prim, sl_real *value);

/* Whether the magnetic field is the curl of a vector potential of the problem. */
bool sl_state_curled(const struct sl_state *state);

/* The magnetic field across the lower face along d of the cell lo .. hi, from the problem at time
 * t: where it is that of a vector potential, the circulation along the edges of the face. */
double sl_state_face(const struct sl_state *state, int d, const double lo[3], const double hi[3],
                     double t);

#endif
