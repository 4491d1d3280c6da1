/* register.h - the processor's registers of fluxes through sides of blocks (flux_register.h).
 *
 * The fluxes of the listed sides are made again, from the same cells and with the same rows as in
 * the sweep, so that a stage that keeps none costs nothing. What a step brings is held apart until
 * the step is accepted.
 *
 * Shapes  see flux_register.h
 * Units   code units
 * Errors  SL_EINPUT, SL_EUNAVAIL, SL_EMEM; on error nothing has changed
 * Owns    the registers
 * MPI     local
 * Where   host
 * Refs    Berger & Colella 1989, section 3
 * Tests   tests/law/register.c
 */
#ifndef SL_TRANSFER_REGISTER_H
#define SL_TRANSFER_REGISTER_H

#include <stdbool.h>

#include "core/mesh/mesh.h"
#include "core/sweep/sweep.h"
#include "core/transfer/flux_register.h"

struct sl_register;

/* Whether the integrator has such fluxes, and the mesh such sides: for any backend. */
int sl_register_check(const struct sl_mesh *mesh, int integrator,
                      const struct sl_flux_register_side *side, int count);

/* For these sides, which get their places (start); NULL where there are none. They were checked. */
int sl_register_new(const struct sl_mesh *mesh, const struct sl_scheme *scheme,
                    struct sl_flux_register_side *fine, int nfine,
                    struct sl_flux_register_side *coarse, int ncoarse, struct sl_register **out);
void sl_register_free(struct sl_register *fluxes);

/* The values of the fine sides, summed since the last clear, and of the coarse ones in the last
 * step, at side.start of each. */
const sl_real *sl_register_fine(const struct sl_register *fluxes);
const sl_real *sl_register_coarse(const struct sl_register *fluxes);

/* For tests: copies of both; either may be NULL. No sides (fluxes NULL): nothing. */
void sl_register_get(const struct sl_register *fluxes, sl_real *fine, sl_real *coarse);

/* The sums begin anew; the step is accepted; a stage begins, the first of a step or a later one.
 * Nothing where fluxes is NULL, as below. */
void sl_register_clear(struct sl_register *fluxes);
void sl_register_accept(struct sl_register *fluxes);
void sl_register_begin(struct sl_register *fluxes, const struct sl_stage *stage, bool first);

/* What a stage works on: the state `in`, whose ghost cells are filled; flags as in sweep_ct.h, or
 * NULL; split: it is a sweep along stage->axis alone (core/sweep/split.h). */
struct sl_register_stage {
    const struct sl_mesh *mesh;
    const struct sl_scheme *scheme;
    const struct sl_stage *stage;
    const sl_real *in, *flags;
    bool split;
};

/* What goes through the sides of a block, before anything writes over its cells. With flags, their
 * ghost cells filled, first-order fluxes at the faces beside flagged cells replace those of the
 * stage that was made last. */
void sl_register_block(struct sl_register *fluxes, const struct sl_register_stage *of, int block);

#endif
