/* merge.h - which regions of dense cells there are as a threshold falls, and how they merge: the tree of Rosolowsky et al.
 *
 * Cells are taken by falling density, equal ones by rising place. One without denser neighbours begins a leaf, one beside a
 * region belongs to it, and one between several joins them into a branch. A leaf that is too low above this cell or has too
 * few cells by then is no region of its own: it goes to what it meets; if all are such, to the highest of them. A leaf that
 * meets nothing down to the floor is measured against the floor, and left out when it is too small. Cells that share a
 * face are neighbours, through periodic faces too.
 *
 * Shapes  cell, rho, node_of [count]; node[n]: children before their parents
 * Units   those of rho
 * Errors  SL_EMEM, also for more than 2^31 cells
 * Owns    the arrays of a struct sl_merge, freed by sl_merge_release
 * MPI     local
 * Where   host; 12 bytes per cell beside the input, 64 per local maximum
 * Refs    Rosolowsky, Pineda, Kauffmann & Goodman 2008, section 2
 * Tests   tests/unit/tree.c, tests/problem/scipy_tree.sh
 */
#ifndef SL_STATS_MERGE_H
#define SL_STATS_MERGE_H

#include <stdbool.h>
#include <stdint.h>

struct sl_merge_rule {
    double floor; /* cells are denser */
    double delta; /* least height of a leaf above where it ends */
    int cells;    /* that a leaf has at least there */
};

/* Cells above the floor, by rising place, counted x fastest. */
struct sl_merge_cells {
    int n[3];
    bool periodic[3];
    int64_t count;
    const int64_t *cell; /* borrowed */
    const double *rho;   /* borrowed */
};

struct sl_merge_node {
    int parent;  /* -1: none */
    double base; /* where it ends: where it joins others, or the floor */
    double top;  /* where its children join; its peak when it has none */
};

struct sl_merge {
    int n;
    struct sl_merge_node *node; /* owned */
    int32_t *node_of;           /* owned; the smallest that the cell belongs to, -1: none */
};

int sl_merge_make(const struct sl_merge_cells *cells, const struct sl_merge_rule *rule,
                  struct sl_merge *out);
void sl_merge_release(struct sl_merge *merge);

#endif
