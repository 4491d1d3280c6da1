/* mass_work.h - the work of gravity on the mass that crossed the faces of cells takes the place of
 * what a kick gave to their energy (core/cell/mass_flux.h), on the processor.
 *
 * Shapes  g, bend: [axis][n0], as of sl_mass_work_put
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

/* What kicks gave to row k, j of a block; NULL: that is not kept. */
sl_real *sl_mass_work_kicked(const struct sl_sim *s, int block, int k, int j);

/* Of the cells of row k, j of a block; what kicks gave to them counts anew from then on. */
void sl_mass_work_row(struct sl_sim *s, const struct sl_mass_work *w, int block, int k, int j,
                      const sl_real *g, const sl_real *bend);

#endif
