/* task.h - one attempt at one stage: claim, guard, run the program, verify its products, write the
 * end-record. The same for every executor.
 *
 * Shapes  none
 * Units   seconds
 * Errors  the status that belongs to the result (sl_task_status); SL_EAGAIN also when another
 *         process works on the stage; SL_EGUARD when the claim was lost meanwhile
 * Owns    nothing
 * MPI     local; starts MPI programs
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh, tests/law/kill.sh, tests/law/left.sh, tests/law/silent.sh
 */
#ifndef SL_PIPELINE_LOCAL_TASK_H
#define SL_PIPELINE_LOCAL_TASK_H

#include "pipeline/campaign/campaign.h"
#include "pipeline/campaign/claim.h"
#include "pipeline/campaign/record.h"
#include "pipeline/campaign/stage.h"
#include "pipeline/launch/launch.h"
#include "pipeline/launch/server.h"

struct sl_task {
    const struct sl_campaign *campaign;
    enum sl_stage stage;
    int member;  /* row of the campaign's table; ignored for stages of the campaign */
    double mtbf; /* mean time between failures that the run is given; 0: none */
    /* limit of this attempt that is kept from outside; 0: that of the recipe, but for runs, which
     * keep it themselves */
    double walltime;
    double end; /* moment (sl_disk_now) at which the job around it reaches its limit; 0: none */
    /* bytes of a rank that a cluster was asked for, and of which it may be asked for more; 0:
     * none */
    double memory;
    bool more;                      /* they are more than before, because memory was short */
    const struct sl_launch *launch; /* NULL: mpirun */
    /* does the programs of several attempts, one after another; NULL: each starts its own. It
     * stays where an attempt went well and was asked for nothing, for the next one */
    struct sl_server *server;
    const char *against; /* directory of the campaign that the report compares with; NULL: none */
};

/* Runs the attempt and tells how it ended. A stage whose end-record holds is done at once. Blocks
 * SIGCHLD, SIGTERM, SIGINT, SIGHUP and SIGUSR1 of the process; these ask the program for a
 * checkpoint (a second one kills it). */
int sl_task_run(const struct sl_task *task, enum sl_result *result);
int sl_task_status(enum sl_result result);
/* Was the process asked to end: in an attempt, even one that came to its own end, or by a signal
 * that waits, of those that sl_task_run blocks? */
bool sl_task_asked(void);
/* Ends the server of attempts, and what it left. */
void sl_task_end(struct sl_server *server);
/* Is a job so near to its limit that what stops it is the limit? Slurm ends it by its own clock.
 * walltime: from its begin to its end. */
bool sl_task_near(double end, double walltime);

/* Directory of the stage's files: the member's, or the campaign's. */
int sl_task_home(char home[SL_PATH_MAX], const struct sl_campaign *campaign, enum sl_stage stage,
                 int member);
/* Whether the end-record of a stage holds; what is wrong is said with the name of the member, -1:
 * of the campaign. */
int sl_task_guard(const struct sl_campaign *campaign, int member, enum sl_stage stage,
                  enum sl_record_check how);
/* Seconds that an attempt which reported no end was at work: by its own clock where it kept one,
 * else up to its last sign of life. Neither the time until somebody looked nor a jump of the clock
 * counts. */
double sl_task_lived(const char *home, enum sl_stage stage, const struct sl_claim_look *look);
/* Path of the log of attempt n. */
int sl_task_log(char path[SL_PATH_MAX], const char *home, enum sl_stage stage, int n);
/* The line of a log that best tells what went wrong; "" when there is none. */
void sl_task_reason(const char *log, char *text, size_t size);

#endif
