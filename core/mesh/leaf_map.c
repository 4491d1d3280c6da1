/* leaf_map.c - see leaf_map.h. */
#include "core/mesh/leaf_map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/mem.h"
#include "core/sys/status.h"

static uint64_t hash_of(int level, const int64_t at[3])
{
    uint64_t h = (uint64_t)level;
    for (int a = 0; a < 3; a++)
        h = (h ^ (uint64_t)at[a]) * 0x9e3779b97f4a7c15U, h ^= h >> 29;
    return h;
}

static bool is_at(const struct sl_leaf *l, int level, const int64_t at[3])
{
    return l->level == level && memcmp(l->at, at, sizeof l->at) == 0;
}

/* Slot of the leaf, or the free slot where it would be. */
static struct sl_leaf_slot *slot_of(const struct sl_leaf_map *map, uint64_t hash, int level,
                                    const int64_t at[3])
{
    uint32_t tag = (uint32_t)(hash >> 32);
    for (size_t s = hash & map->mask;; s = (s + 1) & map->mask) {
        struct sl_leaf_slot *slot = &map->slot[s];
        if (slot->leaf < 0) return slot;
        if (slot->tag == tag && is_at(&map->leaf[slot->leaf], level, at)) return slot;
    }
}

int sl_leaf_map_make(const struct sl_leaf *leaf, int n, struct sl_leaf_map *map)
{
    size_t size = 2;
    while (size < 2 * (size_t)n)
        size *= 2;
    map->leaf = leaf;
    map->mask = size - 1;
    map->slot = NULL;
    SL_TRY(sl_alloc("table of leaves", size, sizeof *map->slot, &map->slot));
    memset(map->slot, -1, size * sizeof *map->slot);
    for (int i = 0; i < n; i++) {
        uint64_t hash = hash_of(leaf[i].level, leaf[i].at);
        *slot_of(map, hash, leaf[i].level, leaf[i].at) =
            (struct sl_leaf_slot){(uint32_t)(hash >> 32), i};
    }
    return SL_OK;
}

void sl_leaf_map_release(struct sl_leaf_map *map)
{
    free(map->slot);
    map->slot = NULL;
}

int sl_leaf_map_find(const struct sl_leaf_map *map, int level, const int64_t at[3])
{
    return slot_of(map, hash_of(level, at), level, at)->leaf;
}
