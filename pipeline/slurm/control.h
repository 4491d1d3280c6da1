/* control.h - what a person does to a campaign in the queue, and what it looks like there.
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

#include "pipeline/slurm/queue.h"

/* As the row of an executor (executor.h). */
int sl_slurm_control(const struct sl_campaign *campaign, enum sl_control what, const bool *picked,
                     long long throttle, int *n);

/* Gives the limit of members at once out anew to the arrays; what is left of one array, whose last
 * task calls this, counts as gone. */
int sl_slurm_rebalance(const struct sl_campaign *campaign, long long limit, int g,
                       enum sl_stage stage);
/* Makes what waits in the queue leave out these nodes ("" for none) and no others. */
int sl_slurm_exclude(const struct sl_campaign *campaign, const char *nodes);

#endif
