/* plateau.h - how well a run holds what lies between the waves of a Riemann problem.
 *
 * Measures fan_density, star_density and likewise pressure and energy (thermal, per mass): the
 * largest relative error over the cells whose centre lies in the middle half of a fan or of a star
 * region.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EMEM, SL_EMPI
 * Owns    nothing
 * MPI     collective over state->mesh->comm
 * Where   host
 * Refs    none
 * Tests   tests/problem
 */
#ifndef SL_EXACT_PLATEAU_H
#define SL_EXACT_PLATEAU_H

#include "core/exact/tube.h"
#include "core/state/problem.h"

/* Adds nothing where there is a vacuum, or too few cells. */
int sl_plateau_measure(const struct sl_tube *tube, const struct sl_state *state,
                       struct sl_measures *out);

#endif
