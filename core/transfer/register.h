/* register.h - the processor's registers of fluxes through sides of blocks (flux_register.h).
 *
 * The fluxes of the listed sides are made again, from the same cells and with the same rows as in
 * the sweep, so that a stage that keeps none costs nothing. What a step brings is held apart until
 * the step is accepted.
 *
 * Shapes  see flux_register.h
 * Units   code units
 * Errors  SL_EINPUT, SL_EUNAVAIL, SL_EMEM; on error nothing has changed
 * Owns    the registers, which work->fluxes points to
 * MPI     local
 * Where   host
 * Refs    Berger & Colella 1989, section 3
 * Tests   tests/law/register.c
 */
#ifndef SL_TRANSFER_REGISTER_H
#define SL_TRANSFER_REGISTER_H

#include "core/step/work.h"
#include "core/transfer/flux_register.h"

struct sl_register;

/* Whether the integrator has such fluxes, and the mesh such sides: for any backend. */
int sl_register_check(const struct sl_sim *sim, const struct sl_flux_register_side *side,
                      int count);

/* As in backend.h. */
int sl_register_set(struct sl_sim *sim, struct sl_flux_register_side *fine, int nfine,
                    struct sl_flux_register_side *coarse, int ncoarse);
int sl_register_clear(struct sl_sim *sim);
int sl_register_accept(struct sl_sim *sim);
void sl_register_free(struct sl_register *fluxes);

/* The values of the fine sides, summed since the last clear, and of the coarse ones in the last
 * step, at side.start of each; only while there are such sides. */
const sl_real *sl_register_fine(const struct sl_sim *sim);
const sl_real *sl_register_coarse(const struct sl_sim *sim);

/* For tests: copies of both; either may be NULL. No sides: nothing. */
void sl_register_get(const struct sl_sim *sim, sl_real *fine, sl_real *coarse);

/* A stage begins, for the registers of edges, too (edge_register.h), as clear and accept are; then,
 * for each block before anything writes over `in`, whose ghost cells are filled, what goes through
 * its sides. */
void sl_register_begin(struct sl_sim *sim, const struct sl_stage *stage, const sl_real *in);
void sl_register_block(struct sl_sim *sim, const struct sl_stage *stage, int block,
                       const sl_real *in);

/* Puts first-order fluxes at the faces beside flagged cells (work->flags, their ghost cells filled)
 * in the place of those of the stage that was made last. */
void sl_register_repair(struct sl_sim *sim, const struct sl_stage *stage, const sl_real *in);

#endif
