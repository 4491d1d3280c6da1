/* target.h - stops a sweep when ensemble.target is precise enough: asks when members have been done
 * since the last question, tells the journal, which makes the members that wait surplus.
 *
 * The same for every executor. The question is safe to repeat (core/stats/reduce.h), so that it may
 * be asked after every member.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EIO, SL_EMEM; that the question cannot be answered is a warning
 * Owns    nothing
 * MPI     local; starts sluice-stats
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh, tests/slurm/target.sh
 */
#ifndef SL_PIPELINE_TARGET_H
#define SL_PIPELINE_TARGET_H

#include "pipeline/launch.h"
#include "pipeline/state.h"

/* Asks, unless the number of members that are done is *seen, which it then becomes; the state takes
 * in the answer. launch NULL: mpirun. */
int sl_target_look(const struct sl_config *cfg, const struct sl_launch *launch,
                   struct sl_state *state, int *seen);

#endif
