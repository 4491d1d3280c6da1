/* leaf_move.c - see leaf_move.h. */
#include "core/mesh/leaf_move.h"

#include <stdlib.h>
#include <string.h>

#include "core/mesh/job.h"
#include "core/mesh/level.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* A block of one of the two hierarchies. */
struct place {
    const struct sl_level *level;
    int l, key;
};

static int add(struct sl_jobs *jobs, enum sl_leaf_kind kind, struct place from, struct place to,
               int child)
{
    struct sl_job job = sl_job_between(from.level, from.key, to.level, to.key);
    const struct sl_leaf *old = &from.level->block[from.key], *leaf = &to.level->block[to.key];
    SL_CHECK(old->gid >= 0, SL_EINPUT,
             "a block changes by more than a level: level %d, (%lld, %lld, %lld)", to.l,
             (long long)leaf->at[0], (long long)leaf->at[1], (long long)leaf->at[2]);
    if (job.from < 0 && job.to < 0) return SL_OK;
    const int64_t *at = kind == SL_LEAF_SPLIT ? leaf->at : old->at;
    for (int a = 0; a < 3; a++)
        job.half[a] = kind == SL_LEAF_COPY ? 0 : (int)(at[a] & 1);
    job.key = 8 * leaf->gid + child;
    job.what = kind;
    job.from_side = from.l, job.to_side = to.l;
    job.values = 1;
    return sl_jobs_add(jobs, &job);
}

/* Where the new leaf `to` comes from. */
static int leaf_add(struct sl_jobs *jobs, const struct sl_hierarchy *old, struct place to)
{
    const int64_t *at = to.level->block[to.key].at;
    const struct sl_level *all = old->all;
    int was = to.l < old->nlevel ? sl_level_find(&all[to.l], to.l, at) : -1;
    if (was < 0) {
        const int64_t parent[3] = {at[0] >> 1, at[1] >> 1, at[2] >> 1};
        int l = to.l - 1, key = l < old->nlevel ? sl_level_find(&all[l], l, parent) : -1;
        SL_CHECK(key >= 0, SL_EINPUT, "a block of level %d changes by more than a level", to.l);
        return add(jobs, SL_LEAF_SPLIT, (struct place){&all[l], l, key}, to, 0);
    }
    if (all[to.l].block[was].gid >= 0)
        return add(jobs, SL_LEAF_COPY, (struct place){&all[to.l], to.l, was}, to, 0);
    int l = to.l + 1, first = all[to.l].child[was];
    for (int i = 0; i < 1 << old->spec.dim; i++)
        SL_TRY(add(jobs, SL_LEAF_MERGE, (struct place){&all[l], l, first + i}, to, i));
    return SL_OK;
}

static int jobs_make(const struct sl_hierarchy *old, const struct sl_hierarchy *now,
                     struct sl_jobs *jobs, struct sl_leaf_moves *moves)
{
    for (int l = 0; l < now->nlevel; l++)
        for (int key = 0; key < now->all[l].nblock; key++)
            if (now->all[l].block[key].gid >= 0)
                SL_TRY(leaf_add(jobs, old, (struct place){&now->all[l], l, key}));
    SL_TRY(sl_jobs_sort(jobs, 0, &moves->out, &moves->in));
    memcpy(moves->count, jobs->count, sizeof moves->count);
    SL_TRY(sl_alloc("moves of leaves", (size_t)jobs->n, sizeof *moves->move, &moves->move));
    for (int i = 0; i < jobs->n; i++) {
        const struct sl_job *j = &jobs->job[i];
        moves->move[i] = (struct sl_leaf_move){.kind = (enum sl_leaf_kind)j->what,
                                               .from_level = j->from_side,
                                               .from = j->from,
                                               .to_level = j->to_side,
                                               .to = j->to,
                                               .half = {j->half[0], j->half[1], j->half[2]}};
    }
    return SL_OK;
}

int sl_leaf_moves_make(const struct sl_hierarchy *old, const struct sl_hierarchy *now,
                       struct sl_leaf_moves *out)
{
    struct sl_leaf_moves moves = {.move = NULL};
    struct sl_jobs jobs = {.n = 0};
    int code = jobs_make(old, now, &jobs, &moves);
    free(jobs.job);
    if (code != SL_OK)
        sl_leaf_moves_release(&moves);
    else
        *out = moves;
    return code;
}

void sl_leaf_moves_release(struct sl_leaf_moves *moves)
{
    free(moves->move);
    free(moves->out.message);
    free(moves->in.message);
    memset(moves, 0, sizeof *moves);
}
