/* move.c - how the blocks of one hierarchy come from those of another (see hierarchy.h): each rank
 * follows all blocks down from the root grid, and keeps what concerns its own. */
#include <stdlib.h>
#include <string.h>

#include "core/mesh/hierarchy.h"
#include "core/mesh/job.h"
#include "core/mesh/level.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

struct change {
    const struct sl_hierarchy *old, *now;
    struct sl_jobs jobs; /* owned; of one level at a time */
    int *was[SL_LEVELS]; /* owned; [level][key of a new block]: its key in the old level, -1 */
};

static int job_of(struct change *c, int l, int from, int to, bool prolong)
{
    const struct sl_level *new_level = &c->now->all[l], *old_level = &c->old->all[l - prolong];
    const struct sl_leaf *target = &new_level->block[to];
    const struct sl_mesh *m = c->now->level[0];
    struct sl_job job = {.key = to, .from = old_level->place[from], .to = new_level->place[to]};
    if (job.from < 0 && job.to < 0) return SL_OK;
    job.what = prolong;
    job.part = job.from >= 0 && job.to >= 0 ? SL_JOB_LOCAL : job.from >= 0 ? SL_JOB_OUT : SL_JOB_IN;
    if (job.part == SL_JOB_OUT) job.peer = target->owner;
    if (job.part == SL_JOB_IN) job.peer = old_level->block[from].owner;
    for (int a = 0; a < m->dim && prolong; a++)
        job.half[a] = (int)(target->at[a] & 1);
    job.values = (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
    return sl_jobs_add(&c->jobs, &job);
}

/* Where the new blocks of level l come from: the same block of the old level, by its key in was[l],
 * or its parent. Both hierarchies have the same blocks of level 0. */
static int take_level(struct change *c, int l)
{
    const struct sl_level *new_level = &c->now->all[l];
    int *was = c->was[l];
    for (int to = 0; l == 0 && to < new_level->nblock; to++)
        SL_TRY(job_of(c, 0, was[to] = to, to, false));
    for (int p = 0; l > 0 && p < new_level[-1].nblock; p++) {
        int to = new_level[-1].child[p], end = to + (1 << c->now->spec.dim),
            from = c->was[l - 1][p];
        if (to < 0) continue;
        const int64_t *at = new_level[-1].block[p].at;
        SL_CHECK(from >= 0, SL_EINPUT,
                 "a block changes by more than a level: level %d, (%lld, %lld, %lld)", l - 1,
                 (long long)at[0], (long long)at[1], (long long)at[2]);
        int first = c->old->all[l - 1].child[from];
        for (int i = 0; to < end; i++, to++) {
            was[to] = first < 0 ? -1 : first + i;
            SL_TRY(job_of(c, l, first < 0 ? from : was[to], to, first < 0));
        }
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
    size_t n = (size_t)c->now->all[l].nblock;
    c->jobs.n = 0;
    moves->first[l] = moves->nmove;
    SL_TRY(sl_alloc("keys of blocks", n, sizeof *c->was[l], &c->was[l]));
    SL_TRY(take_level(c, l));
    SL_TRY(sl_jobs_sort(&c->jobs, moves->nmove, &moves->out[l], &moves->in[l]));
    memcpy(moves->count[l], c->jobs.count, sizeof moves->count[l]);
    return append(c, l, moves);
}

static int levels_make(struct change *c, struct sl_moves *moves)
{
    for (int l = 0; l < c->now->nlevel; l++)
        SL_TRY(level_make(c, l, moves));
    for (int l = c->now->nlevel; l <= SL_LEVELS; l++)
        moves->first[l] = moves->nmove;
    return SL_OK;
}

int sl_moves_make(const struct sl_hierarchy *old, const struct sl_hierarchy *now,
                  struct sl_moves *out)
{
    struct change c = {.old = old, .now = now};
    struct sl_moves moves = {0};
    int code = levels_make(&c, &moves);
    for (int l = 0; l < now->nlevel; l++)
        free(c.was[l]);
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
