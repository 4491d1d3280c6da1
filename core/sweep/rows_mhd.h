/* rows_mhd.h - the loops of rows.h for a fluid with a magnetic field.
 *
 * B_x, B_y, B_z and psi follow the pressure (ideal gas) or the velocity (isothermal) in states,
 * values at faces and fluxes alike. With the field at faces (staggered) there is no psi; then the
 * caller puts the field across a face into the values on its lower side, and its flux is not made.
 *
 * Shapes  as in rows.h
 * Units   code units
 * Errors  none
 * Owns    nothing: views are borrowed
 * MPI     local
 * Where   host
 * Refs    see core/cell/mhd.h
 * Tests   tests/law
 */
#ifndef SL_SWEEP_ROWS_MHD_H
#define SL_SWEEP_ROWS_MHD_H

#include "core/sweep/rows.h"

/* The loop over faces of a solver that knows a field. */
sl_flux_rows *sl_rows_mhd_flux(int solver, int isothermal, int staggered);

/* The one for repairs with divergence cleaning. */
sl_flux_rows sl_rows_mhd_safe;

/* All but the extra variables, which sl_rows_prim makes; cleaning: there is psi. */
void sl_rows_mhd_prim(const struct sl_gas *gas, int cleaning, struct sl_shape s, struct sl_view u,
                      struct sl_view q);

/* As sl_rows_signal. */
void sl_rows_mhd_signal(const struct sl_gas *gas, struct sl_shape s, const sl_real per_dx[3],
                        struct sl_view u, struct sl_view signal);

void sl_rows_mhd_damp(struct sl_shape s, int var, sl_real damp, struct sl_view u);

#endif
