/* adapt.h - which leaves a forest has next: from what its leaves want, or from a list.
 *
 * Private to core/mesh. p4est refines, balances and shares; which families merge is decided from
 * the leaves of all ranks, so that it is the same on any number of ranks.
 *
 * Shapes  leaves along the curve
 * Units   none
 * Errors  SL_EINPUT, SL_EMEM, SL_EMPI; then the forest may only be freed
 * Owns    nothing
 * MPI     collective over the forest's communicator
 * Where   host
 * Refs    Burstedde, Wilcox & Ghattas 2011
 * Tests   tests/unit/hierarchy.c
 */
#ifndef SL_MESH_ADAPT_H
#define SL_MESH_ADAPT_H

#include "core/mesh/level.h"

/* leaf[n]: the leaves of the forest, want[n]: as sl_hierarchy_adapt, both of all ranks.
 * Leaves change owners; sl_forest_share comes next. */
int sl_forest_adapt(struct sl_forest *forest, const struct sl_leaf *leaf, int n,
                    const signed char *want, int most, bool *changed);

/* Refines a forest of root blocks to the leaves of this list, which all ranks have. */
int sl_forest_become(struct sl_forest *forest, const struct sl_leaf *leaf, int n);

#endif
