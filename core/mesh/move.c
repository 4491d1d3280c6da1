/* move.c - how the blocks of one hierarchy come from those of another (see hierarchy.h): each rank
 * asks for its new blocks where they come from, and for its old ones where they go. */
#include <stdlib.h>
#include <string.h>

#include "core/mesh/hierarchy.h"
#include "core/mesh/job.h"
#include "core/mesh/level.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

struct change {
    const struct sl_hierarchy *old, *now;
    int rank;
    struct sl_jobs jobs; /* owned; of one level at a time */
};

static int job_add(struct change *c, int l, int from, int to, bool prolong)
{
    const struct sl_level *new_level = &c->now->all[l], *old_level = &c->old->all[l - prolong];
    const struct sl_leaf *target = &new_level->block[to];
    const struct sl_mesh *m = c->now->level[0];
    struct sl_job job = {.key = to, .from = old_level->place[from], .to = new_level->place[to]};
    job.what = prolong;
    job.part = job.from >= 0 && job.to >= 0 ? SL_JOB_LOCAL : job.from >= 0 ? SL_JOB_OUT : SL_JOB_IN;
    if (job.part == SL_JOB_OUT) job.peer = target->owner;
    if (job.part == SL_JOB_IN) job.peer = old_level->block[from].owner;
    for (int a = 0; a < m->dim && prolong; a++)
        job.half[a] = (int)(target->at[a] & 1);
    job.values = (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
    return sl_jobs_add(&c->jobs, &job);
}

/* Where new block `to` of this rank comes from. */
static int ask(struct change *c, int l, int to)
{
    const struct sl_leaf *b = &c->now->all[l].block[to];
    const struct sl_hierarchy *old = c->old;
    int from = l < old->nlevel ? sl_level_find(&old->all[l], l, b->at) : -1;
    if (from >= 0) return job_add(c, l, from, to, false);
    int64_t parent[3] = {b->at[0] >> 1, b->at[1] >> 1, b->at[2] >> 1};
    if (l > 0 && l - 1 < old->nlevel) from = sl_level_find(&old->all[l - 1], l - 1, parent);
    SL_CHECK(from >= 0, SL_EINPUT,
             "a block changes by more than a level: level %d, (%lld, %lld, %lld)", l,
             (long long)b->at[0], (long long)b->at[1], (long long)b->at[2]);
    return job_add(c, l, from, to, true);
}

/* The new block of level l at that place, if it lies on another rank. */
static int give(struct change *c, int l, int from, const int64_t at[3], bool prolong)
{
    const struct sl_level *level = &c->now->all[l];
    int to = sl_level_find(level, l, at);
    if (to < 0 || level->place[to] >= 0) return SL_OK;
    return job_add(c, l, from, to, prolong);
}

/* Where the old blocks of this rank go: to level l as they are, or as parents. */
static int give_all(struct change *c, int l)
{
    int dim = c->now->spec.dim;
    const struct sl_mesh *same = l < c->old->nlevel ? c->old->level[l] : NULL;
    const struct sl_mesh *coarse = l > 0 && l <= c->old->nlevel ? c->old->level[l - 1] : NULL;
    for (int b = 0; same && b < same->nblock; b++)
        SL_TRY(give(c, l, (int)same->blocks[b].key, same->blocks[b].at, false));
    for (int b = 0; coarse && b < coarse->nleaf; b++)
        for (int child = 0; child < 1 << dim; child++) {
            int64_t at[3] = {0};
            for (int a = 0; a < dim; a++)
                at[a] = 2 * coarse->blocks[b].at[a] + (child >> a & 1);
            SL_TRY(give(c, l, (int)coarse->blocks[b].key, at, true));
        }
    return SL_OK;
}

/* Appends the sorted jobs of a level. */
static int append(const struct change *c, int l, struct sl_moves *moves)
{
    struct sl_move *move;
    size_t n = (size_t)moves->nmove + (size_t)c->jobs.n;
    SL_TRY(sl_alloc("moves of blocks", n, sizeof *move, &move));
    if (moves->nmove > 0) memcpy(move, moves->move, (size_t)moves->nmove * sizeof *move);
    free(moves->move);
    moves->move = move;
    for (int i = 0; i < c->jobs.n; i++) {
        const struct sl_job *j = &c->jobs.job[i];
        move[moves->nmove++] = (struct sl_move){.level = l,
                                                .to = j->to,
                                                .from = j->from,
                                                .half = {j->half[0], j->half[1], j->half[2]},
                                                .prolong = (signed char)j->what,
                                                .peer = j->peer,
                                                .start = j->start};
    }
    return SL_OK;
}

static int level_make(struct change *c, int l, struct sl_moves *moves)
{
    const struct sl_mesh *m = c->now->level[l];
    c->jobs.n = 0;
    moves->first[l] = moves->nmove;
    for (int b = 0; b < m->nblock; b++)
        SL_TRY(ask(c, l, (int)m->blocks[b].key));
    SL_TRY(give_all(c, l));
    SL_TRY(sl_jobs_sort(&c->jobs, moves->nmove, &moves->out[l], &moves->in[l]));
    return append(c, l, moves);
}

static int levels_make(struct change *c, struct sl_moves *moves)
{
    for (int l = 0; l < c->old->nlevel; l++)
        SL_TRY(sl_level_index(&c->old->all[l], c->rank));
    for (int l = 0; l < c->now->nlevel; l++)
        SL_TRY(sl_level_index(&c->now->all[l], c->rank));
    for (int l = 0; l < c->now->nlevel; l++)
        SL_TRY(level_make(c, l, moves));
    for (int l = c->now->nlevel; l <= SL_LEVELS; l++)
        moves->first[l] = moves->nmove;
    return SL_OK;
}

int sl_moves_make(const struct sl_hierarchy *old, const struct sl_hierarchy *now,
                  struct sl_moves *out)
{
    struct change c = {.old = old, .now = now, .rank = now->level[0]->rank};
    struct sl_moves moves = {0};
    int code = levels_make(&c, &moves);
    for (int l = 0; l < old->nlevel; l++)
        sl_level_unindex(&old->all[l]);
    for (int l = 0; l < now->nlevel; l++)
        sl_level_unindex(&now->all[l]);
    free(c.jobs.job);
    if (code != SL_OK) {
        sl_moves_release(&moves);
        return code;
    }
    *out = moves;
    return SL_OK;
}

void sl_moves_release(struct sl_moves *moves)
{
    free(moves->move);
    for (int l = 0; l < SL_LEVELS; l++) {
        free(moves->out[l].message);
        free(moves->in[l].message);
    }
    memset(moves, 0, sizeof *moves);
}
