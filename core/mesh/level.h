/* level.h - the blocks of a level of a hierarchy, of all ranks: what its tables are made from.
 *
 * Private to core/mesh.
 *
 * Shapes  blocks along the space-filling curve, a covered block where its first leaf is; the place
 *         of a block in the list is its key
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

#include "core/mesh/leaf_map.h"
#include "core/mesh/mesh.h"

struct sl_level {
    struct sl_leaf *block; /* owned; gid -1: covered, and its owner is that of its first leaf */
    int nblock;
    int nown, nleaf; /* of this rank: blocks, leaves */

    /* While tables are made (sl_level_index). */
    struct sl_leaf_map map;
    int *place; /* owned; [key]: index of a block of this rank in its mesh, -1: of another rank */
};

/* The levels of n leaves, which are along the curve: writes level[0 .. *nlevel - 1]. */
int sl_levels_make(const struct sl_leaf *leaf, int n, int rank, int *nlevel,
                   struct sl_level *level);
void sl_level_release(struct sl_level *level);

int sl_level_index(struct sl_level *level, int rank);
void sl_level_unindex(struct sl_level *level);

/* Key of the block at that place, -1: there is none. */
static inline int sl_level_find(const struct sl_level *level, int l, const int64_t at[3])
{
    return sl_leaf_map_find(&level->map, l, at);
}

/* Checks a spec as sl_mesh_new does. */
int sl_mesh_check(const struct sl_mesh_spec *spec);
/* Makes the mesh of level l, which is indexed. Collective. */
int sl_mesh_of_level(MPI_Comm comm, const struct sl_mesh_spec *spec, int l,
                     const struct sl_level *level, struct sl_mesh **out);

#endif
