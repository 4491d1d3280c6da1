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
    sl_level_far(level);
    free(level->block);
    free(level->at);
    free(level->child);
    free(level->place);
    level->block = NULL;
    level->at = level->child = level->place = NULL;
}

/* ---- index ----------------------------------------------------------------------------------- */

static int index_root(struct sl_level *level)
{
    const int *n = level->root;
    size_t size = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    SL_TRY(sl_alloc("blocks of the root grid", size, sizeof *level->at, &level->at));
    memset(level->at, -1, size * sizeof *level->at);
    for (int key = 0; key < level->nblock; key++) {
        const int64_t *at = level->block[key].at;
        level->at[(at[2] * n[1] + at[1]) * n[0] + at[0]] = key;
    }
    return SL_OK;
}

static int index_level(struct sl_level *level, int rank, int children)
{
    size_t n = (size_t)level->nblock;
    int leaf = 0, covered = level->nleaf, next = 0;
    SL_TRY(sl_alloc("places of blocks", n, sizeof *level->place, &level->place));
    SL_TRY(sl_alloc("children of blocks", n, sizeof *level->child, &level->child));
    for (int key = 0; key < level->nblock; key++) {
        const struct sl_leaf *b = &level->block[key];
        level->place[key] = b->owner != rank ? -1 : b->gid >= 0 ? leaf++ : covered++;
        level->child[key] = b->gid >= 0 ? -1 : next;
        next += b->gid >= 0 ? 0 : children;
    }
    return SL_OK;
}

int sl_levels_index(const struct sl_forest *forest, int nlevel, struct sl_level *level)
{
    int rank;
    MPI_Comm_rank(forest->comm, &rank);
    memcpy(level[0].root, forest->root, sizeof forest->root);
    SL_TRY(index_root(&level[0]));
    for (int l = 0; l < nlevel; l++)
        SL_TRY(index_level(&level[l], rank, 1 << forest->dim));
    return SL_OK;
}

/* ---- blocks around one ----------------------------------------------------------------------- */

/* How the blocks around a child of a block follow from those around the block. */
struct around {
    int ndir, dir[SL_NDIR - 1];         /* directions that the mesh has */
    signed char parent[8][SL_NDIR - 1]; /* [child]: direction in which the parent of that lies */
    signed char child[8][SL_NDIR - 1];  /* [child]: which child of it that is */
};

static struct around around_make(int dim)
{
    struct around x = {0};
    for (int dir = 0; dir < SL_NDIR; dir++) {
        if (!sl_is_neighbour(dir, dim)) continue;
        for (int c = 0; c < 1 << dim; c++) {
            int parent = SL_DIR_HERE, child = 0;
            for (int a = 0; a < dim; a++) {
                int at = (c >> a & 1) + sl_shift_of(dir, a);
                parent += at < 0 ? -sl_dir_step(a) : at > 1 ? sl_dir_step(a) : 0;
                child |= (at & 1) << a;
            }
            x.parent[c][x.ndir] = (signed char)parent;
            x.child[c][x.ndir] = (signed char)child;
        }
        x.dir[x.ndir++] = dir;
    }
    return x;
}

/* By a walk down from the root grid. */
static void near_walk(const struct sl_forest *f, const struct sl_level *level, int l, int key,
                      int near[SL_NDIR])
{
    for (int dir = 0; dir < SL_NDIR; dir++) {
        int64_t at[3];
        near[dir] = SL_NEAR_OUTSIDE;
        if (!sl_is_neighbour(dir, f->dim)) continue;
        for (int a = 0; a < 3; a++)
            at[a] = level->block[key].at[a] + sl_shift_of(dir, a);
        if (sl_place_wrap(f->dim, f->root, f->periodic, l, at))
            near[dir] = sl_level_find(level, l, at);
    }
}

/* Of the children of block `key` of level[-1], which is of this rank. */
static void near_children(const struct sl_level *level, const struct around *x, int dim, int key)
{
    const struct sl_level *coarse = level - 1;
    const int *beside = coarse->near[coarse->place[key]];
    int first[SL_NDIR];
    for (int dir = 0; dir < SL_NDIR; dir++)
        first[dir] = beside[dir] < 0 ? beside[dir] : coarse->child[beside[dir]];
    first[SL_DIR_HERE] = coarse->child[key];
    for (int c = 0; c < 1 << dim; c++) {
        int place = level->place[coarse->child[key] + c];
        if (place < 0) continue;
        int *near = level->near[place];
        if (x->ndir < SL_NDIR - 1)
            for (int dir = 0; dir < SL_NDIR; dir++)
                near[dir] = SL_NEAR_OUTSIDE;
        near[SL_DIR_HERE] = SL_NEAR_OUTSIDE;
        for (int i = 0; i < x->ndir; i++) {
            int of = first[x->parent[c][i]];
            near[x->dir[i]] = of < 0 ? of : of + x->child[c][i];
        }
    }
}

static void near_level(const struct sl_forest *f, const struct sl_level *level, int l,
                       const struct around *x)
{
    for (int key = 0; l == 0 && key < level->nblock; key++)
        if (level->place[key] >= 0) near_walk(f, level, l, key, level->near[level->place[key]]);
    for (int key = 0; l > 0 && key < level[-1].nblock; key++) {
        int first = level[-1].child[key];
        if (first < 0) continue;
        if (level[-1].place[key] >= 0) {
            near_children(level, x, f->dim, key);
            continue;
        }
        for (int c = first; c < first + (1 << f->dim); c++)
            if (level->place[c] >= 0) near_walk(f, level, l, c, level->near[level->place[c]]);
    }
}

int sl_levels_near(const struct sl_forest *forest, int nlevel, struct sl_level *level)
{
    const struct around x = around_make(forest->dim);
    for (int l = 0; l < nlevel; l++) {
        SL_TRY(sl_alloc("blocks around blocks", (size_t)level[l].nown, sizeof *level[l].near,
                        &level[l].near));
        near_level(forest, &level[l], l, &x);
    }
    return SL_OK;
}

void sl_level_far(struct sl_level *level)
{
    free(level->near);
    level->near = NULL;
}
