/* profile.h - compares the density along x with a converged profile.
 *
 * Shapes  density[n]: averages over n equal parts of the box
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    nothing
 * MPI     collective over state->mesh->comm
 * Where   host
 * Refs    none
 * Tests   tests/problem
 */
#ifndef SL_EXACT_PROFILE_H
#define SL_EXACT_PROFILE_H

#include "core/state/problem.h"

/* Adds density_error, the L1 distance over the L1 norm of the profile; nothing when neither the
 * cells divide the parts nor the parts the cells. */
int sl_profile_measure(const struct sl_state *state, int n, const double *density,
                       struct sl_measures *out);

#endif
