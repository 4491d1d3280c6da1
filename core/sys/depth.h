/* depth.h - how many levels a forest holds over a root grid.
 *
 * A tree of p4est has a fixed number of levels. The first k of them are those of the root grid,
 * where a tree covers a cube of 2^k root blocks: the larger that is, the fewer are left.
 *
 * Shapes  root: blocks of level 0 along each axis
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Burstedde, Wilcox & Ghattas 2011
 * Tests   tests/unit/hierarchy.c, tests/unit/config.c
 */
#ifndef SL_SYS_DEPTH_H
#define SL_SYS_DEPTH_H

enum {
    SL_LEVELS = 16, /* most levels of a hierarchy, the root's included */
    SL_DEPTH_LIST = 30,
    SL_DEPTH_QUAD = 29,
    SL_DEPTH_OCT = 18 /* finest levels of trees in 1, 2 and 3 dimensions */
};

/* A tree covers 2^k blocks of the root grid along each axis: the largest k such that this divides
 * all sides. */
static inline int sl_depth_tree(int dim, const int root[3])
{
    unsigned bits = 1U << 10; /* leaves room for refinement */
    for (int a = 0; a < dim; a++)
        bits |= (unsigned)root[a];
    return __builtin_ctz(bits);
}

/* The finest level that leaves of a forest can have. */
static inline int sl_depth_forest(int dim, const int root[3])
{
    int finest = dim == 1 ? SL_DEPTH_LIST : dim == 2 ? SL_DEPTH_QUAD : SL_DEPTH_OCT;
    return finest - sl_depth_tree(dim, root);
}

/* Likewise of a hierarchy: the most that mesh.levels can be. */
static inline int sl_depth_most(int dim, const int root[3])
{
    int most = sl_depth_forest(dim, root);
    return most < SL_LEVELS - 1 ? most : SL_LEVELS - 1;
}

#endif
