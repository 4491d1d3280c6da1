/* local.h - the executor of one machine: starts tasks side by side where the cores suffice.
 *
 * Every attempt is a process `sluice task`, as on a cluster; this one only decides what starts
 * when, and may die at any moment: the tasks then stop with a checkpoint, and the next run goes on.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EAGAIN when another run of the campaign is under way, SL_EMEMBER when members failed,
 *         SL_EINTR when interrupted, SL_EUNAVAIL when a member needs more cores than there are
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh, tests/law/kill.sh
 */
#ifndef SL_PIPELINE_LOCAL_LOCAL_H
#define SL_PIPELINE_LOCAL_LOCAL_H

#include "pipeline/campaign/executor.h"

/* "kill=0.2,walltime=30s,seed=7" */
int sl_inject_parse(const char *text, struct sl_inject *inject);

#endif
