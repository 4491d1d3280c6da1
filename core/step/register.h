/* register.h - the processor's registers of fluxes through sides of blocks (flux_register.h).
 *
 * Shapes  see flux_register.h
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Berger & Colella 1989, section 3
 * Tests   tests/law/nest.c
 */
#ifndef SL_STEP_REGISTER_H
#define SL_STEP_REGISTER_H

#include "core/step/work.h"

/* The values of the fine sides, summed since the last clear, and of the coarse ones in the last step, at
 * side.start of each; only while there are such sides. */
const sl_real *sl_register_fine(const struct sl_sim *sim);
const sl_real *sl_register_coarse(const struct sl_sim *sim);

#endif
