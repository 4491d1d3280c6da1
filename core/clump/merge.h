/* merge.h - which regions of dense cells there are as a threshold falls, and how they merge: the
 * tree of Rosolowsky et al.
 *
 * Cells are taken by falling density, equal ones by rising place. One without denser neighbours
 * begins a leaf, one beside a region belongs to it, and one between several joins them into a
 * branch. A leaf that is too low above this cell or has too few cells by then is no region of its
 * own: it goes to what it meets; if all are such, to the highest of them. A leaf that meets nothing
 * down to the floor is measured against the floor, and left out when it is too small. Cells that
 * share a face are neighbours, through periodic faces too.
 *
 * Each rank makes the tree of its own planes. What of it may change beyond them goes to a rank
 * below, which makes one piece of two, until one rank has a piece that is the whole box, beyond
 * which nothing lies. Which region all of it belongs to goes back the same way.
 *
 * Shapes  label [own cells]; node[n]: children before their parents
 * Units   those of rho
 * Errors  SL_EMEM, also for more than 2^31 cells on a rank, agreed on by all ranks
 * Owns    the arrays of a struct sl_merge, freed by sl_merge_release
 * MPI     collective; every rank gets all nodes, the same for any number of ranks
 * Where   host; beside all nodes, 8 bytes per own cell, 4 per dense one and 40 per local maximum of
 *         its own. A rank that joins two pieces takes at most 180 for each of their vertices, and
 *         keeps 92 for each of those joined before, log2 of the ranks times; vertices are mostly
 *         the cells of the faces of both pieces, four planes (merge_part.h)
 * Refs    Rosolowsky, Pineda, Kauffmann & Goodman 2008, section 2; see merge_part.h
 * Tests   tests/unit/tree.c, tests/problem/scipy_tree.sh, tests/problem/stats_memory.sh
 */
#ifndef SL_CLUMP_MERGE_H
#define SL_CLUMP_MERGE_H

#include "core/clump/merge_part.h"
#include "core/clump/regions.h"

struct sl_merge_node {
    int parent;  /* -1: none */
    double base; /* where it ends: where it joins others, or the floor */
    double top;  /* where its children join; of a leaf where it begins */
};

struct sl_merge {
    int n;
    struct sl_merge_node *node; /* owned */
    int64_t *label;             /* owned; the smallest node that the cell belongs to, -1: none */
};

int sl_merge_make(const struct sl_region_gas *gas, const struct sl_merge_rule *rule,
                  struct sl_merge *out);
void sl_merge_release(struct sl_merge *merge);

#endif
