/* forest.h - the trees behind a mesh: which leaves there are, in which order, and which rank holds
 * them.
 *
 * One face over p4est (2D), p8est (3D) and a plain list (1D). A tree covers the largest cube of 2^k
 * blocks that tiles the root grid, so a root grid with a power of two in all sides needs few trees;
 * block level 0 is tree level k. Every rank holds all trees (some 600 bytes each), but of the
 * leaves only its own (in 1D all, 40 bytes each).
 *
 * What is done to a forest never depends on the number of ranks.
 *
 * Shapes  at counts blocks of the leaf's own level from the lower corner of the box
 * Units   none
 * Errors  SL_EMEM; p4est itself ends the program when it runs out of memory
 * Owns    the trees; lists of leaves belong to the caller
 * MPI     collective over comm
 * Where   host
 * Refs    Burstedde, Wilcox & Ghattas 2011
 * Tests   tests/unit/mesh.c, tests/unit/hierarchy.c
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
    void *trees;    /* owned by the kind: p4est_t, p8est_t or a list */
};

/* local. Brings a place that is at most a box away back into a periodic box; false: it lies
 * outside. */
static inline bool sl_place_wrap(int dim, const int root[3], const bool periodic[3], int level,
                                 int64_t at[3])
{
    for (int a = 0; a < dim; a++) {
        int64_t n = (int64_t)root[a] << level;
        if (periodic[a]) at[a] = (at[a] + n) % n;
        if (at[a] < 0 || at[a] >= n) return false;
    }
    return true;
}

/* Says yes or no to a block; the same on all ranks. */
struct sl_forest_rule {
    bool (*test)(const void *data, int level, const int64_t at[3]);
    const void *data; /* borrowed */
};

/* Makes a forest with one leaf per root block, spread evenly over the ranks along the curve. */
int sl_forest_new(MPI_Comm comm, int dim, const int root[3], const bool periodic[3],
                  struct sl_forest **out);
int sl_forest_copy(const struct sl_forest *from, struct sl_forest **out);
void sl_forest_free(struct sl_forest *forest);

/* local. The finest level that leaves can have. */
int sl_forest_most(const struct sl_forest *forest);

int sl_forest_leaves(const struct sl_forest *forest, struct sl_leaves *out);
/* The leaves of all ranks along the curve, on every rank; free(). */
int sl_forest_all(const struct sl_forest *forest, int *nleaf, struct sl_leaf **leaf);

/* Refines each leaf for which the rule holds, and with `again` also its children. On an error of
 * one of these three the forest may only be freed. */
int sl_forest_refine(struct sl_forest *forest, bool again, const struct sl_forest_rule *rule);
/* Merges families of leaves for whose parent the rule holds. */
int sl_forest_merge(struct sl_forest *forest, const struct sl_forest_rule *rule);

/* What a leaf costs: level[l] where its level l is less than n, and what is more of it; more may be
 * NULL. */
struct sl_forest_cost {
    int n;
    const double *level;
    double (*more)(const void *data, int level, const int64_t at[3]);
    const void *data; /* borrowed */
};
/* Gives ranks pieces of the curve of about the same cost. */
int sl_forest_share(struct sl_forest *forest, const struct sl_forest_cost *cost);

/* Costs in whole numbers, of which `most` is the largest cost. */
struct sl_forest_weights {
    struct sl_forest_cost cost;
    double most;
};
int sl_forest_weight(const struct sl_forest_weights *w, int level, const int64_t at[3]); /* local */

/* One implementation per number of dimensions; private to core/mesh. */
struct sl_forest_kind {
    int (*open)(struct sl_forest *forest);
    int (*copy)(const struct sl_forest *from, struct sl_forest *to);
    void (*close)(struct sl_forest *forest);
    int (*leaves)(const struct sl_forest *forest, struct sl_leaves *out);
    int (*own)(const struct sl_forest *forest, struct sl_leaves *out); /* without halo */
    int (*refine)(struct sl_forest *forest, bool again, const struct sl_forest_rule *rule);
    int (*merge)(struct sl_forest *forest, const struct sl_forest_rule *rule);
    int (*share)(struct sl_forest *forest, const struct sl_forest_weights *weights);
};
extern const struct sl_forest_kind sl_forest_list, sl_forest_quad, sl_forest_oct;

#endif
