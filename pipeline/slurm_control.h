/* slurm_control.h - what a person does to a campaign in the queue, and what it looks like there.
 *
 * Shapes  marks: picked[0 .. campaign->n-1]
 * Units   seconds
 * Errors  SL_EUNAVAIL when Slurm does not answer or refuses
 * Owns    nothing
 * MPI     local
 * Where   host that may call scancel and scontrol
 * Refs    none
 * Tests   tests/slurm/control.sh
 */
#ifndef SL_PIPELINE_SLURM_CONTROL_H
#define SL_PIPELINE_SLURM_CONTROL_H

#include <jansson.h>
#include <stdio.h>

#include "pipeline/slurm_queue.h"

enum sl_control { SL_CONTROL_CANCEL, SL_CONTROL_HOLD, SL_CONTROL_RELEASE, SL_CONTROL_THROTTLE };

/* Does this to all jobs of the campaign, or, when picked is not NULL, to the tasks of these members
 * (not for throttle); *n receives how many jobs or tasks it was done to. */
int sl_slurm_control(const struct sl_campaign *campaign, enum sl_control what, const bool *picked,
                     long long throttle, int *n);

/* Gives the limit of members at once out anew to the arrays; what is left of one array, whose last
 * task calls this, counts as gone. */
int sl_slurm_rebalance(const struct sl_campaign *campaign, long long limit, int g,
                       enum sl_stage stage);
/* Makes what waits in the queue leave out these nodes ("" for none) and no others. */
int sl_slurm_exclude(const struct sl_campaign *campaign, const char *nodes);

/* What the queue holds, in a line or some; nothing for a campaign that was never submitted. */
int sl_slurm_show(FILE *out, const struct sl_campaign *campaign, enum sl_queue_ask how);
/* The same; NULL for a campaign that was never submitted or without memory. */
json_t *sl_slurm_json(const struct sl_campaign *campaign, enum sl_queue_ask how);
/* One sentence about a member: "stats is in the queue as 12_3: waits for the stage before it"; ""
 * when the queue does not hold it. */
int sl_slurm_say(const struct sl_campaign *campaign, enum sl_queue_ask how, int member, char *text,
                 size_t size);

#endif
