/* job.c - see job.h. */
#include "core/mesh/job.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/mem.h"
#include "core/sys/status.h"

int sl_jobs_add(struct sl_jobs *jobs, const struct sl_job *job)
{
    if (jobs->n == jobs->room) {
        int room = jobs->room > 0 ? 2 * jobs->room : 64;
        struct sl_job *more = realloc(jobs->job, (size_t)room * sizeof *more);
        SL_CHECK(more, SL_EMEM, "no memory for %d jobs between blocks", room);
        jobs->job = more;
        jobs->room = room;
    }
    jobs->job[jobs->n++] = *job;
    return SL_OK;
}

struct sl_job sl_job_between(const struct sl_level *from, int from_key, const struct sl_level *to,
                             int to_key)
{
    struct sl_job job = {
        .from = from->place[from_key], .to = to->place[to_key], .from_side = -1, .to_side = -1};
    job.part = job.from >= 0 && job.to >= 0 ? SL_JOB_LOCAL : job.from >= 0 ? SL_JOB_OUT : SL_JOB_IN;
    if (job.part == SL_JOB_OUT) job.peer = to->block[to_key].owner;
    if (job.part == SL_JOB_IN) job.peer = from->block[from_key].owner;
    return job;
}

static int order(const void *a, const void *b)
{
    const struct sl_job *l = a, *r = b;
    if (l->part != r->part) return l->part < r->part ? -1 : 1;
    if (l->peer != r->peer) return l->peer < r->peer ? -1 : 1;
    return l->key < r->key ? -1 : l->key > r->key;
}

static bool is_sorted(const struct sl_job *job, int n)
{
    for (int i = 1; i < n; i++)
        if (order(&job[i - 1], &job[i]) > 0) return false;
    return true;
}

/* The messages of the jobs begin .. end - 1, which are of one part. */
static int messages_make(struct sl_job *job, int begin, int end, int first,
                         struct sl_nest_side *side)
{
    size_t peers = 0;
    for (int i = begin; i < end; i++)
        peers += i == begin || job[i].peer != job[i - 1].peer;
    SL_TRY(sl_alloc("messages between blocks", peers, sizeof *side->message, &side->message));
    side->nmessage = 0;
    side->values = 0;
    for (int i = begin; i < end; i++) {
        if (i == begin || job[i].peer != job[i - 1].peer)
            side->message[side->nmessage++] = (struct sl_nest_message){
                .peer = job[i].peer, .first = first + i, .start = side->values};
        struct sl_nest_message *message = &side->message[side->nmessage - 1];
        job[i].start = side->values;
        message->count++;
        message->values += job[i].values;
        side->values += job[i].values;
    }
    return SL_OK;
}

int sl_jobs_sort(struct sl_jobs *jobs, int first, struct sl_nest_side *out, struct sl_nest_side *in)
{
    if (!is_sorted(jobs->job, jobs->n)) qsort(jobs->job, (size_t)jobs->n, sizeof *jobs->job, order);
    memset(jobs->count, 0, sizeof jobs->count);
    for (int i = 0; i < jobs->n; i++)
        jobs->count[jobs->job[i].part]++;
    int begin = jobs->count[SL_JOB_LOCAL], middle = begin + jobs->count[SL_JOB_OUT];
    SL_TRY(messages_make(jobs->job, begin, middle, first, out));
    return messages_make(jobs->job, middle, jobs->n, first, in);
}
