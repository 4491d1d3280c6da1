/* executor.h - what brings a campaign forward: this machine, or Slurm; one row of functions each, so
 * that verbs ask the campaign's executor and not which one it is.
 *
 * A campaign of which something was ever handed to Slurm is Slurm's; any other is this machine's,
 * where nothing waits in a queue: there is nothing to hold or to show, which is no error.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUNAVAIL when Slurm does not answer or refuses
 * Owns    constants
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh, tests/slurm/control.sh
 */
#ifndef SL_PIPELINE_EXECUTOR_H
#define SL_PIPELINE_EXECUTOR_H

#include "pipeline/slurm_control.h"

struct sl_executor {
    const char *name;
    const char *verb; /* that goes on with the campaign */
    /* As sl_slurm_control. */
    int (*control)(const struct sl_campaign *campaign, enum sl_control what, const bool *picked,
                   long long throttle, int *n);
    /* As sl_slurm_show, sl_slurm_json, sl_slurm_say. */
    int (*show)(FILE *out, const struct sl_campaign *campaign, enum sl_queue_ask how);
    json_t *(*json)(const struct sl_campaign *campaign, enum sl_queue_ask how);
    int (*say)(const struct sl_campaign *campaign, enum sl_queue_ask how, int member, char *text,
               size_t size);
};

const struct sl_executor *sl_executor_of(const struct sl_campaign *campaign);

#endif
