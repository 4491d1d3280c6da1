/* target.c - see target.h. */
#include "pipeline/target.h"

#include "core/sys/status.h"
#include "pipeline/ensemble.h"

static int tell(const struct sl_campaign *c, const struct sl_ensemble_answer *answer)
{
    struct sl_fact fact;
    sl_fact_init(&fact, SL_FACT_target, "", "");
    fact.code = answer->reached;
    fact.value = answer->relative_error;
    fact.count = answer->members;
    return sl_journal_add(c->dir, &fact);
}

int sl_target_look(const struct sl_config *cfg, const struct sl_launch *launch,
                   struct sl_state *state, int *seen)
{
    struct sl_ensemble_answer answer;
    int done = state->count[SL_STATE_done];
    if (cfg->ensemble_target == SL_TARGET_none || state->target_reached || done == *seen ||
        done < cfg->ensemble_min)
        return SL_OK;
    *seen = done;
    if (sl_ensemble_ask(state->campaign, launch, &answer) != SL_OK) {
        sl_log(SL_LOG_WARN, "ensemble.target cannot be checked: %s", sl_error_text());
        return SL_OK;
    }
    SL_TRY(tell(state->campaign, &answer));
    return sl_state_refresh(state, false);
}
