/* mass_work.h - the work of gravity on the mass that crossed the faces of cells takes the place of
 * what a kick gave to their energy (core/cell/mass_flux.h), on the processor.
 *
 * Shapes  g, bend: [block][n2][n1][axis][n0], as of sl_mass_work_put
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    core/cell/mass_flux.h
 * Tests   tests/law/self_gravity.c
 */
#ifndef SL_STEP_MASS_WORK_H
#define SL_STEP_MASS_WORK_H

#include "core/cell/mass_flux.h"
#include "core/step/sim.h"

/* Of the last step of a level. share: of its mass, that of the kick in the step. */
struct sl_mass_work sl_mass_work_of_level(const struct sl_sim *s, double share);

/* Of the leaves of the level; what kicks gave counts anew from then on. */
void sl_mass_work_leaves(struct sl_sim *s, double share, const sl_real *g, const sl_real *bend);

#endif
