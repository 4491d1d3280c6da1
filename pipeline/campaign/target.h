/* target.h - stops a sweep when ensemble.target is precise enough: asks when members have been
 * measured since the last question, tells the journal, which makes the members that wait surplus.
 *
 * The same for every executor. The question is safe to repeat (core/stats/reduce.h), so that it may
 * be asked after every member.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EIO, SL_EMEM; that the question cannot be answered, or that members lack what it is
 *         about, is a warning
 * Owns    nothing
 * MPI     local; starts sluice-stats
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh, tests/slurm/target.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_TARGET_H
#define SL_PIPELINE_CAMPAIGN_TARGET_H

#include "pipeline/campaign/ensemble.h"
#include "pipeline/campaign/state.h"
#include "pipeline/launch/launch.h"

/* What is known of the target. While a question is at work (sl_target_asks) no new member should
 * begin: it may turn out to be surplus. */
struct sl_target_watch {
    int seen;          /* members that were measured at the last question */
    bool reported;     /* that they lack the quantity */
    const char *token; /* of the claim of who asks, borrowed */
    struct sl_ensemble_question question;
};

/* Asks, unless as many members are measured as at the last question; the state takes in the answer,
 * when `wait` before the call returns, else in a later call. launch NULL: mpirun. */
int sl_target_look(const struct sl_config *cfg, const struct sl_launch *launch, bool wait,
                   struct sl_campaign_state *state, struct sl_target_watch *target);
bool sl_target_asks(const struct sl_target_watch *target);

/* "ensemble.target: 3 of 3 members have no decay_exponent ... It is never met: all members run"; ""
 * where nothing is wrong. */
void sl_target_say(const struct sl_campaign_state *state, char *text, size_t size);

#endif
