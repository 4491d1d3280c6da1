/* acceleration.c - a constant acceleration of the gas, gravity.acceleration. It is part of the
 * update of every integrator (core/sweep/rows.c, sweep_ctu.c, split.c and their kernels), whose
 * fluxes of mass make the work exact: kinetic, thermal and potential energy keep their sum. So
 * there is nothing to do around a step; the row says that it is there.
 *
 * Shapes  none
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/law/gravity.c
 */
#include "core/step/source.h"

/* clang-format off */
SL_SOURCE(acceleration, "gravity.acceleration", directed(cfg->gravity_acceleration))
SL_SOURCE_WORDS(acceleration, "A constant acceleration of {gravity.acceleration} (code units) acts on the gas.")
SL_SOURCE_COST(acceleration, 1, 0, INFINITY)
SL_SOURCE_WITH(acceleration, all & ~expansion)
/* clang-format on */

const struct sl_source sl_source_acceleration = {.place = 0};
