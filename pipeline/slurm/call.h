/* call.h - runs one command of Slurm and catches what it says.
 *
 * Arguments are a list, never a shell's text. Variables by which Slurm's commands take options
 * from the environment (SLURM_*, SBATCH_*, ... but SLURM_CONF) are taken away first: inside a job
 * they would hand the parent's request on to the child.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EUNAVAIL when the command is not there or gave no answer in time
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    sbatch(1) "INPUT ENVIRONMENT VARIABLES"
 * Tests   tests/slurm/submit.sh
 */
#ifndef SL_PIPELINE_SLURM_CALL_H
#define SL_PIPELINE_SLURM_CALL_H

#include "pipeline/base/buffer.h"
#include "pipeline/launch/child.h"

struct sl_answer {
    int code; /* exit code of the command, as a shell would give it */
    struct sl_buffer out, err;
};

/* Runs the command; its answer is the caller's (sl_answer_release) in any case. An exit code other
 * than 0 is no error here. */
int sl_slurm_call(const struct sl_args *args, double limit, struct sl_answer *answer);
void sl_answer_release(struct sl_answer *answer);
/* The first line that the command printed, of messages before output; "" when it printed none. */
const char *sl_answer_line(struct sl_answer *answer);

/* Does a message leave open whether the controller has heard of the request? It is away, or its
 * answer got lost. */
bool sl_slurm_unsure(const char *message);

/* Is this a variable that must not reach Slurm's commands? `entry` may be "NAME=value". */
bool sl_slurm_foreign(const char *entry);
/* Takes them out of this process's own environment. */
void sl_slurm_scrub(void);

/* The job's id on the last line that tells one, -1 for none: "Submitted batch job 123", as of a
 * site's own sbatch, else "123" or "123;cluster". */
long long sl_slurm_job_id(const char *text);

#endif
