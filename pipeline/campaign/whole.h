/* whole.h - where the stages of the whole campaign stand: ensemble, summary and report.
 *
 * A stage is wanted once no member is left to run: the report, and the summary of a recipe that has
 * one, when a member is done, the ensemble when enough of them are. It is done when its end-record
 * names products that are there, failed when its last attempt failed or what it made is missing
 * since, stalled when one attempt after another reached the wall-time limit.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_WHOLE_H
#define SL_PIPELINE_CAMPAIGN_WHOLE_H

#include <jansson.h>

#include "pipeline/campaign/state.h"

struct sl_whole {
    enum sl_work_state state;
    bool wanted;
    char why[600]; /* it failed, stalled or was stopped; "" otherwise */
};

/* It does not go on by itself. */
static inline bool sl_whole_is_bad(const struct sl_whole *whole)
{
    return whole->state == SL_WORK_failed || whole->state == SL_WORK_stalled;
}

/* What became of an ensemble, a summary or a report. */
void sl_whole_look(const struct sl_campaign_state *state, enum sl_stage stage,
                   struct sl_whole *whole);
/* Has a stage of the campaign failed or stalled? Then the first is described, and *stage names
 * it. */
bool sl_whole_failed(const struct sl_campaign_state *state, struct sl_whole *whole,
                     enum sl_stage *stage);
/* SL_EMEMBER when one failed or stalled, SL_EAGAIN when one is wanted and not done. */
int sl_whole_verdict(const struct sl_campaign_state *state);
/* {STAGE: null where none is wanted, or {state, attempts, seconds, why}} */
json_t *sl_whole_json(const struct sl_campaign_state *state);
/* Takes back an end-record whose products do not hold, and lets the stage run again; *was: whether
 * there was anything to do. */
int sl_whole_retry(const struct sl_campaign_state *state, enum sl_stage stage, bool *was);

#endif
