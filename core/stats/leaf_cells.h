/* leaf_cells.h - goes over the cells of the leaves of a snapshot, each at the resolution that it
 * has.
 *
 * Leaves are shared out in SL_LEAF_CHUNKS pieces, whatever the number of ranks: what is summed up
 * piece by piece and added by sl_sum_columns has the same bits on any of them.
 *
 * Shapes  value[field][n2][n1][n0] of a leaf, x fastest
 * Units   code units
 * Errors  SL_EINPUT for a damaged snapshot; SL_EIO, SL_EMEM; those of the visitor
 * Owns    nothing
 * MPI     local; rank and size say which pieces are own
 * Where   host
 * Refs    none
 * Tests   tests/problem/numpy_profiles.sh
 */
#ifndef SL_STATS_LEAF_CELLS_H
#define SL_STATS_LEAF_CELLS_H

#include "core/io/snapshot.h"

enum { SL_LEAF_CHUNKS = 64 };

struct sl_leaf_reader {
    const struct sl_snapshot *snapshot; /* borrowed */
    int rank, size;
    int nfield;
    const char *const *field; /* borrowed; names in the file */
};

struct sl_leaf_cells {
    int level, dim;
    int n[3];
    double lo[3], dx[3]; /* corner of the leaf, sides of a cell; 0 and 1 along other axes */
    double volume;       /* of a cell */
    const double *value; /* borrowed for the visit */
};

/* Cells of the leaf. */
static inline size_t sl_leaf_count(const struct sl_leaf_cells *leaf)
{
    return (size_t)leaf->n[0] * (size_t)leaf->n[1] * (size_t)leaf->n[2];
}

/* Number of own pieces. */
int sl_leaf_pieces(const struct sl_leaf_reader *r);

/* Visits all own leaves in their order; piece: 0 .. sl_leaf_pieces - 1, the one that holds it. */
int sl_leaf_each(const struct sl_leaf_reader *r, void *of,
                 int (*visit)(void *of, int piece, const struct sl_leaf_cells *leaf));

#endif
