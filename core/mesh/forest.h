/* forest.h - the trees behind a mesh: which leaves there are, in which order, and which rank holds
 * them.
 *
 * One face over p4est (2D), p8est (3D) and a plain list (1D). A tree covers the largest cube of 2^k
 * blocks that tiles the root grid, so a root grid with a power of two in all sides needs few trees;
 * block level 0 is tree level k. Every rank holds all trees (some 600 bytes each), but of the leaves
 * only its own and those that touch them.
 *
 * Shapes  at counts blocks of the leaf's own level from the lower corner of the box
 * Units   none
 * Errors  SL_EMEM; p4est itself ends the program when it runs out of memory
 * Owns    the trees; lists of leaves belong to the caller
 * MPI     collective over comm
 * Where   host
 * Refs    Burstedde, Wilcox & Ghattas 2011
 * Tests   tests/unit/mesh.c
 */
#ifndef SL_MESH_FOREST_H
#define SL_MESH_FOREST_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct sl_leaf {
    int64_t gid; /* place along the curve */
    int64_t at[3];
    int level;
    int owner; /* rank */
};

/* The leaves of this rank in curve order, then those of other ranks that touch them by a face, an
 * edge or a corner: memory grows with the rank's own share, not with the forest. */
struct sl_leaves {
    int64_t nglobal;
    int nlocal, nhalo;
    struct sl_leaf *leaf; /* owned; free() */
};

struct sl_forest {
    MPI_Comm comm; /* borrowed */
    int dim;
    int root[3]; /* blocks of level 0 along each axis */
    bool periodic[3];
    int tree_level; /* a tree spans 2^tree_level root blocks along each axis */
    void *trees;    /* owned by the kind: p4est_t or p8est_t; NULL in 1D */
};

/* Makes a forest with one leaf per root block, spread evenly over the ranks along the curve. */
int sl_forest_new(MPI_Comm comm, int dim, const int root[3], const bool periodic[3],
                  struct sl_forest **out);
void sl_forest_free(struct sl_forest *forest);

int sl_forest_leaves(const struct sl_forest *forest, struct sl_leaves *out);

/* One implementation per number of dimensions; private to core/mesh. */
struct sl_forest_kind {
    int (*open)(struct sl_forest *forest);
    void (*close)(struct sl_forest *forest);
    int (*leaves)(const struct sl_forest *forest, struct sl_leaves *out);
};
extern const struct sl_forest_kind sl_forest_list, sl_forest_quad, sl_forest_oct;

#endif
