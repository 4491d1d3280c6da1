/* half_turn.h - how far the density is from its image under a half turn about the middle of the
 * box, in the plane of x and y.
 *
 * Shapes  as in whole.h
 * Units   none: over the largest density
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   pipeline/suite/suite.def
 */
#ifndef SL_EXACT_HALF_TURN_H
#define SL_EXACT_HALF_TURN_H

#include "core/exact/whole.h"
#include "core/state/problem.h"

/* Adds asymmetry: the largest difference over the largest density. */
void sl_half_turn_measure(const struct sl_whole *whole, struct sl_measures *out);

#endif
