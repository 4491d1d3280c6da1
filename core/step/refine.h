/* refine.h - which leaves of an adaptive mesh are to be refined, left or merged: what the rules say
 * of each block (flag.h), spread to those within mesh.buffer cells (spread.h), and held back until
 * a leaf was not held at mesh.derefine_after regrids in a row.
 *
 * All of it is made of whole numbers of single blocks: the same for any number of ranks.
 *
 * Shapes  one value for each leaf of the rank, along the curve
 * Units   none
 * Errors  SL_EMEM, SL_EMPI; on error nothing has changed
 * Owns    nothing
 * MPI     collective over the comm of the hierarchy
 * Where   host
 * Refs    none
 * Tests   tests/unit/flag.c
 */
#ifndef SL_STEP_REFINE_H
#define SL_STEP_REFINE_H

#include "core/step/sim.h"

struct sl_hierarchy;

/* What sl_hierarchy_adapt is to be asked, from the states `now` of all levels, whose ghost cells
 * are filled, by the rules of the recipe; counts in root->state.unflagged the regrids at which
 * nothing held a leaf. */
int sl_refine_want(struct sl_sim *root, signed char *want);

/* What each rule of mesh.refine asks for, were it the only one, of leaves of all ranks: how many it
 * wants refined, also by mesh.buffer; how many have cells for which it wants their level or a finer
 * one. finer[mesh_refine_n], here[mesh_refine_n]. */
int sl_refine_count(struct sl_sim *root, int64_t *finer, int64_t *here);

/* unflagged of the leaves of `now` from that of the leaves of `old`: 0 for those that are new. *out
 * is made with malloc. */
int sl_refine_carry(const struct sl_hierarchy *old, const unsigned char *unflagged,
                    const struct sl_hierarchy *now, unsigned char **out);

#endif
