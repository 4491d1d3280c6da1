/* tree.h - clumps within clumps: the tree of regions that merge as a threshold falls, and what each
 * holds.
 *
 * Leaves are peaks of the density, branches what they join into; see merge.h for what counts as a
 * leaf. A region holds all that lies within it. The list goes from each root, by falling mass, to
 * its children, by falling mass, and so on; `place` is where to draw it so that no lines cross:
 * leaves at 1, 2, .. in this order, the others in the middle of their children.
 *
 * Each rank keeps what belongs to its own planes, and what merge.h says of planes at which ranks
 * meet; all have the list.
 *
 * Shapes  node[n]: parents before their children
 * Units   those of the fields
 * Errors  SL_EMEM, agreed on by all ranks
 * Owns    the list, freed by sl_tree_release
 * MPI     collective; every rank gets the tree, the same bits for any number of ranks
 * Where   host
 * Refs    Rosolowsky, Pineda, Kauffmann & Goodman 2008
 * Tests   tests/unit/tree.c, tests/problem/scipy_tree.sh, tests/problem/stats_memory.sh
 */
#ifndef SL_CLUMP_TREE_H
#define SL_CLUMP_TREE_H

#include "core/clump/merge.h"
#include "core/clump/regions.h"

struct sl_tree_node {
    struct sl_region region;
    struct sl_merge_node range; /* parent: of this list */
    int children, depth;        /* 0: a leaf; 0: a root */
    double place;
};

struct sl_tree {
    int n, leaves;
    struct sl_tree_node *node; /* owned */
};

int sl_tree_make(const struct sl_region_gas *gas, const struct sl_merge_rule *rule,
                 struct sl_tree *out);
void sl_tree_release(struct sl_tree *tree);

#endif
