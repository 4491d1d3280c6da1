/* cover.h - which stages of the members Slurm will bring forward, stage by stage: a controller may
 * forget arrays that it had acknowledged, and a person may cancel some of them.
 *
 * Shapes  cover[0 .. campaign->n-1]; stages as bits
 * Units   seconds since 1970
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/slurm/forgotten.sh
 */
#ifndef SL_PIPELINE_SLURM_COVER_H
#define SL_PIPELINE_SLURM_COVER_H

#include "pipeline/campaign/state.h"
#include "pipeline/slurm/queue.h"

/* What the queue holds of a member. */
struct sl_cover {
    unsigned stages;                 /* that have a task, or get one before the submit ends */
    bool settles;                    /* a task is just ending: what follows it is not known yet */
    long long job[SL_MEMBER_STAGES]; /* arrays of the tasks */
};

/* Of what was handed over before `since`, the queue alone is believed; later arrays, and those that
 * the book still has to hand over, count as there for slots of which anything is. INFINITY: the
 * queue alone. */
void sl_cover(const struct sl_book *book, const struct sl_queue *queue, double since,
              struct sl_cover *cover);

/* Stages that the member still needs; 0 for one that has ended. */
unsigned sl_cover_needed(const struct sl_campaign_state *state, int member);
/* The first of them without a task, where there is no telling yet -1; -1: all have one. */
int sl_cover_gap(const struct sl_cover *cover, unsigned needed);
/* Members that need a stage for which nothing is in the queue. */
int sl_cover_adrift(const struct sl_campaign_state *state, const struct sl_book *book,
                    const struct sl_queue *queue, int *n);

#endif
