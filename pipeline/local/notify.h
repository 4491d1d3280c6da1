/* notify.h - tells the program of notify.program that a member has failed, or that a campaign is at
 * its end.
 *
 * Who notifies holds a claim, and the journal keeps that it was done: once each, and again only
 * where who notified was killed before it had written that. The program gets no arguments and no
 * terminal; what it says goes to logs/notify.log. After SL_NOTIFY_LIMIT seconds it is ended.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EIO, SL_EMEM: nobody was notified; what the program itself does wrong is in
 *         the journal alone
 * Owns    nothing
 * MPI     local; starts a program
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh, tests/slurm/memory.sh
 */
#ifndef SL_PIPELINE_LOCAL_NOTIFY_H
#define SL_PIPELINE_LOCAL_NOTIFY_H

#include "pipeline/campaign/state.h"

enum { SL_NOTIFY_LIMIT = 60 };

/* Is there something to tell of this event, as far as the state knows? cfg: of any member. */
bool sl_notify_due(const struct sl_campaign_state *state, const struct sl_config *cfg,
                   enum sl_notify event);
/* Tells it unless somebody has. The state is refreshed. */
int sl_notify(struct sl_campaign_state *state, const struct sl_config *cfg, enum sl_notify event);

#endif
