/* sweep_ctu.h - one step of corner transport upwind (CTU) over one block of a line or a plane, for
 * a gas and, with constrained transport, for a gas with a magnetic field.
 *
 * The values at faces move by half a step along their own axis, give fluxes, are corrected by the
 * fluxes along the other axis, and give the fluxes of the step: second order in time with one pass
 * over the state, stable up to a Courant number of one. An acceleration moves these values, too,
 * and acts on the density half-way (Stone et al. 2008, section 3.2). With a field, the fluxes of
 * the first kind also move the field at faces by half a step.
 *
 * In space there are two forms of it, with 6 and with 12 Riemann problems per cell and step; 6 cost
 * as much as the 6 of vl2 (2 stages, 3 axes), which has the same order, needs no source terms to
 * keep div B out of the prediction, and is more robust (Stone & Gardiner 2009). The form with 12 is
 * twice as dear for a Courant number of 1 instead of 1/2. So in three dimensions the recipe's
 * choice is vl2, and ctu is refused.
 *
 * Shapes  u[nvar][nt1][nt0] of one block, ghosts filled: two more than the values at faces need
 * Units   code units
 * Errors  SL_EMEM
 * Owns    its buffers
 * MPI     local
 * Where   host
 * Refs    Colella 1990; Gardiner & Stone 2005; Wasiljew & Murawski 2013
 * Tests   tests/law/ctu.c
 */
#ifndef SL_SWEEP_SWEEP_CTU_H
#define SL_SWEEP_SWEEP_CTU_H

#include "core/sweep/sweep.h"

struct sl_sweep_ctu; /* buffers of one thread */

int sl_sweep_ctu_new(const struct sl_mesh *mesh, const struct sl_scheme *scheme,
                     struct sl_sweep_ctu **out);
void sl_sweep_ctu_free(struct sl_sweep_ctu *sweep);

/* out = u + dt L(u). Faces of cells that have a flag above 0 get first-order fluxes; above 1, and
 * their energy follows the field at the faces (sl_rows_ct_heat). NULL: none has. */
struct sl_signal sl_sweep_ctu_block(struct sl_sweep_ctu *sweep, const struct sl_stage *stage,
                                    const double dx[3], const sl_real *flags, const sl_real *u,
                                    sl_real *out);

#endif
