/* level.h - the blocks of a level of a hierarchy, of all ranks: what its tables are made from.
 *
 * Private to core/mesh.
 *
 * A covered block has all its children, which lie one behind the other along the curve: one number
 * says where, so blocks are found by a walk down from the root grid, and the blocks around the
 * children from those around their parent.
 *
 * Shapes  level[0 .. nlevel - 1], where level l is at place l; blocks along the space-filling
 *         curve, a covered block where its first leaf is; the place of a block in the list is its
 *         key
 * Units   none
 * Errors  SL_EINPUT, SL_EMEM, SL_EMPI; on error the outputs are unchanged
 * Owns    its lists
 * MPI     local, but for sl_mesh_of_level
 * Where   host
 * Refs    none
 * Tests   tests/unit/hierarchy.c
 */
#ifndef SL_MESH_LEVEL_H
#define SL_MESH_LEVEL_H

#include "core/mesh/exchange.h"
#include "core/mesh/forest.h"
#include "core/mesh/mesh.h"

struct sl_level {
    struct sl_leaf *block; /* owned; gid -1: covered, and its owner is that of its first leaf */
    int nblock;
    int nown, nleaf; /* of this rank: blocks, leaves */

    /* Of sl_levels_index. */
    int root[3]; /* blocks of level 0 along each axis */
    int *at;     /* owned; of level 0: keys by place in the root grid */
    int *child;  /* owned; [key]: key of its first child, the others follow; -1: a leaf */
    int *place;  /* owned; [key]: index of a block of this rank in its mesh, -1: of another rank */

    /* While tables are made (sl_levels_near). */
    int (*near)[SL_NDIR]; /* owned; [place]: keys of the blocks around one of this rank */
};

/* What near says where there is no block. */
enum { SL_NEAR_COARSER = -1, SL_NEAR_OUTSIDE = -2 };

/* The levels of n leaves, which are along the curve: writes level[0 .. *nlevel - 1]. The list need
 * not tile the box; then only their lists of blocks are of use. */
int sl_levels_make(const struct sl_leaf *leaf, int n, int rank, int *nlevel,
                   struct sl_level *level);
void sl_level_release(struct sl_level *level);

/* Makes what finds the blocks of the levels of a forest. */
int sl_levels_index(const struct sl_forest *forest, int nlevel, struct sl_level *level);
/* Makes near, of levels with an index; sl_level_far frees it. Entries of directions that the mesh
 * does not have, and that of the block itself, are SL_NEAR_OUTSIDE. */
int sl_levels_near(const struct sl_forest *forest, int nlevel, struct sl_level *level);
void sl_level_far(struct sl_level *level);

/* Which child of its parent a block is, or which one the block l levels above lies in. */
static inline int sl_child_of(const int64_t at[3], int l)
{
    return (int)((at[0] >> l & 1) + 2 * (at[1] >> l & 1) + 4 * (at[2] >> l & 1));
}

/* Key of the block of level l, which is *level, at that place of the box, -1: there is none. */
static inline int sl_level_find(const struct sl_level *level, int l, const int64_t at[3])
{
    const struct sl_level *k = level - l;
    int64_t row = (at[2] >> l) * k->root[1] + (at[1] >> l);
    int key = k->at[row * k->root[0] + (at[0] >> l)];
    for (int up = l - 1; up >= 0 && key >= 0; up--, k++)
        key = k->child[key] < 0 ? -1 : k->child[key] + sl_child_of(at, up);
    return key;
}

/* Checks a spec as sl_mesh_new does. */
int sl_mesh_check(const struct sl_mesh_spec *spec);
/* Makes the mesh of level l, which knows what lies around its blocks. Collective. */
int sl_mesh_of_level(MPI_Comm comm, const struct sl_mesh_spec *spec, int l,
                     const struct sl_level *level, struct sl_mesh **out);

#endif
