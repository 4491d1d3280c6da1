/* leaf_map.c - see leaf_map.h. */
#include "core/mesh/leaf_map.h"

#include <stdlib.h>
#include <string.h>

#include "core/sys/mem.h"
#include "core/sys/status.h"

static size_t hash_of(int level, const int64_t at[3])
{
    uint64_t h = (uint64_t)level;
    for (int a = 0; a < 3; a++)
        h = (h ^ (uint64_t)at[a]) * 0x9e3779b97f4a7c15U, h ^= h >> 29;
    return (size_t)h;
}

/* Slot of the leaf, or the free slot where it would be. */
static size_t slot_of(const struct sl_leaf_map *map, int level, const int64_t at[3])
{
    for (size_t s = hash_of(level, at) & map->mask;; s = (s + 1) & map->mask) {
        if (map->slot[s] < 0) return s;
        const struct sl_leaf *l = &map->leaf[map->slot[s]];
        if (l->level == level && memcmp(l->at, at, sizeof l->at) == 0) return s;
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
    for (int i = 0; i < n; i++)
        map->slot[slot_of(map, leaf[i].level, leaf[i].at)] = i;
    return SL_OK;
}

void sl_leaf_map_release(struct sl_leaf_map *map)
{
    free(map->slot);
    map->slot = NULL;
}

int sl_leaf_map_find(const struct sl_leaf_map *map, int level, const int64_t at[3])
{
    return map->slot[slot_of(map, level, at)];
}
