/* job.h - lists of jobs between blocks, of which some cross ranks, and the messages that they
 * travel in.
 *
 * Private to core/mesh. Both ranks of a message make its jobs for themselves and sort them by key,
 * so that they agree without a word.
 *
 * Shapes  a list has its jobs on this rank first, then out, then in
 * Units   none
 * Errors  SL_EMEM
 * Owns    the list
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/hierarchy.c
 */
#ifndef SL_MESH_JOB_H
#define SL_MESH_JOB_H

#include "core/mesh/level.h"
#include "core/mesh/nest.h"

enum sl_job_part { SL_JOB_LOCAL, SL_JOB_OUT, SL_JOB_IN };

struct sl_job {
    enum sl_job_part part;
    int peer;     /* the other rank; 0 for a local job */
    int64_t key;  /* tells the jobs of a pair of ranks apart */
    int from, to; /* blocks of this rank, -1 */
    int what;     /* a direction, a side, or a kind of job */
    int half[3];
    int edges;
    int from_side, to_side;
    size_t values, start; /* of its message, per variable; start: by sl_jobs_sort */
};

struct sl_jobs {
    struct sl_job *job; /* owned; free() */
    int n, room;
    int count[3]; /* of each part, by sl_jobs_sort */
};

/* A job between blocks of these keys: which of them are here, and on which rank the other is. from
 * is where it is done. Neither is here: from and to are -1, the rest is undefined. */
struct sl_job sl_job_between(const struct sl_level *from, int from_key, const struct sl_level *to,
                             int to_key);

int sl_jobs_add(struct sl_jobs *jobs, const struct sl_job *job);

/* Sorts by part, peer and key, and makes the messages of out and in. Their jobs are counted from
 * `first` on. */
int sl_jobs_sort(struct sl_jobs *jobs, int first, struct sl_nest_side *out,
                 struct sl_nest_side *in);

#endif
