/* level.c - see level.h; sorts leaves and their ancestors into levels. */
#include "core/mesh/level.h"

#include <stdlib.h>
#include <string.h>

#include "core/mesh/hierarchy.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* The covered block of each level that was met last: those of a level lie along the curve in one
 * piece each. */
struct last {
    int64_t at[SL_LEVELS][3];
};

static void put(struct sl_level *level, int l, const struct sl_leaf *leaf, int64_t gid)
{
    struct sl_level *to = &level[l];
    if (to->block) {
        struct sl_leaf *b = &to->block[to->nblock];
        *b = (struct sl_leaf){.gid = gid, .level = l, .owner = leaf->owner};
        for (int a = 0; a < 3; a++)
            b->at[a] = leaf->at[a] >> (leaf->level - l);
    }
    to->nblock++;
}

/* Puts a leaf, and its ancestors that were not met before, into their levels. */
static void put_line(struct sl_level *level, const struct sl_leaf *leaf, struct last *last)
{
    put(level, leaf->level, leaf, leaf->gid);
    for (int l = leaf->level - 1; l >= 0; l--) {
        int64_t at[3];
        for (int a = 0; a < 3; a++)
            at[a] = leaf->at[a] >> (leaf->level - l);
        if (memcmp(at, last->at[l], sizeof at) == 0) return; /* and so the coarser ones */
        memcpy(last->at[l], at, sizeof at);
        put(level, l, leaf, -1);
    }
}

static void put_all(struct sl_level *level, const struct sl_leaf *leaf, int n)
{
    struct last last;
    memset(&last, -1, sizeof last);
    for (int l = 0; l < SL_LEVELS; l++)
        level[l].nblock = 0;
    for (int i = 0; i < n; i++)
        put_line(level, &leaf[i], &last);
}

static void count_own(struct sl_level *level, int rank)
{
    level->nown = level->nleaf = 0;
    for (int k = 0; k < level->nblock; k++) {
        bool own = level->block[k].owner == rank;
        level->nown += own;
        level->nleaf += own && level->block[k].gid >= 0;
    }
}

int sl_levels_make(const struct sl_leaf *leaf, int n, int rank, int *nlevel, struct sl_level *out)
{
    struct sl_level level[SL_LEVELS] = {{0}};
    int code = SL_OK, count = 0;
    put_all(level, leaf, n);
    while (count < SL_LEVELS && level[count].nblock > 0)
        count++;
    for (int l = 0; l < count && code == SL_OK; l++)
        code = sl_alloc("blocks of a level", (size_t)level[l].nblock, sizeof *level[l].block,
                        &level[l].block);
    if (code != SL_OK) {
        for (int l = 0; l < count; l++)
            sl_level_release(&level[l]);
        return code;
    }
    put_all(level, leaf, n);
    for (int l = 0; l < count; l++) {
        count_own(&level[l], rank);
        out[l] = level[l];
    }
    *nlevel = count;
    return SL_OK;
}

void sl_level_release(struct sl_level *level)
{
    sl_level_unindex(level);
    free(level->block);
    level->block = NULL;
}

int sl_level_index(struct sl_level *level, int rank)
{
    int leaf = 0, covered = level->nleaf;
    SL_TRY(sl_leaf_map_make(level->block, level->nblock, &level->map));
    SL_TRY(
        sl_alloc("places of blocks", (size_t)level->nblock, sizeof *level->place, &level->place));
    for (int k = 0; k < level->nblock; k++) {
        const struct sl_leaf *b = &level->block[k];
        level->place[k] = b->owner != rank ? -1 : b->gid >= 0 ? leaf++ : covered++;
    }
    return SL_OK;
}

void sl_level_unindex(struct sl_level *level)
{
    sl_leaf_map_release(&level->map);
    free(level->place);
    level->place = NULL;
}
