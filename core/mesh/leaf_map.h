/* leaf_map.h - which block of a list lies at a place: a hash table by level and coordinates.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EMEM
 * Owns    its slots; the list is borrowed
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/mesh.c, tests/unit/hierarchy.c, tests/unit/flag.c
 */
#ifndef SL_MESH_LEAF_MAP_H
#define SL_MESH_LEAF_MAP_H

#include <stddef.h>

#include "core/mesh/forest.h"

/* A search passes slots of other leaves: nearly all of them differ in the tag, so that the leaf
 * itself need not be read. */
struct sl_leaf_slot {
    uint32_t tag; /* bits of the hash of the leaf that do not choose the slot */
    int leaf;     /* index in the list, or -1 */
};

struct sl_leaf_map {
    const struct sl_leaf *leaf; /* borrowed */
    struct sl_leaf_slot *slot;  /* owned */
    size_t mask;
};

int sl_leaf_map_make(const struct sl_leaf *leaf, int n, struct sl_leaf_map *map);
void sl_leaf_map_release(struct sl_leaf_map *map);

/* Index of the block at that place, -1: there is none. Of two at one place the later one. */
int sl_leaf_map_find(const struct sl_leaf_map *map, int level, const int64_t at[3]);

#endif
