/* adapt.h - which leaves a forest has next: from what its leaves want, or from a list.
 *
 * Private to core/mesh. p4est refines and shares; balance, and which families merge, is decided
 * from the leaves of all ranks, so that it is the same on any number of ranks.
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

/* What the leaves of a forest want, as of sl_hierarchy_adapt, of all ranks; all of it borrowed. */
struct sl_adapt_request {
    int nlevel;
    const struct sl_level *level; /* of the forest, with an index */
    signed char *want;            /* [gid]; balance raises some */
    int most;
};

/* local. Whether a leaf is to be refined, or all children of a block want to merge; if not, the
 * forest stays as it is. */
bool sl_adapt_changes(const struct sl_forest *forest, const struct sl_adapt_request *request);

/* n: leaves of the forest, which is balanced, and stays so: requests are raised where that asks for
 * it. Leaves change owners; sl_forest_share comes next. */
int sl_forest_adapt(struct sl_forest *forest, struct sl_adapt_request *request, int n,
                    bool *changed);

/* Refines a forest of root blocks to the leaves of this list, which all ranks have. */
int sl_forest_become(struct sl_forest *forest, const struct sl_leaf *leaf, int n);

#endif
