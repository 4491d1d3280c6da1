/* target.c - see target.h. */
#include "pipeline/campaign/target.h"

#include <stdio.h>

#include "core/config/config.h"
#include "core/sys/status.h"
#include "pipeline/campaign/ensemble.h"

static int journal_answer(const struct sl_campaign *c, const struct sl_ensemble_answer *answer)
{
    struct sl_fact fact;
    sl_fact_init(&fact, SL_FACT_target, "", "");
    fact.code = answer->reached;
    fact.value = answer->relative_error;
    fact.count = answer->members;
    snprintf(fact.text, sizeof fact.text, "%s", answer->lacks);
    return sl_journal_add(c->dir, &fact);
}

static bool worth_asking(const struct sl_config *cfg, const struct sl_campaign_state *state,
                         int seen)
{
    int measured = sl_campaign_state_measured(state);
    return cfg->ensemble_target != SL_TARGET_none && !state->target_reached && measured != seen &&
           measured >= cfg->ensemble_min;
}

static void warn(void)
{
    sl_log(SL_LOG_WARN, "ensemble.target cannot be checked: %s", sl_error_text());
}

void sl_target_say(const struct sl_campaign_state *state, char *text, size_t size)
{
    bool lacks = *state->target_lacks;
    snprintf(text, size, "%s%s", state->target_lacks,
             lacks ? ". It is never met: all members run" : "");
}

static void report_lacks(const struct sl_campaign_state *state, struct sl_target_watch *target)
{
    char text[sizeof state->target_lacks + 80];
    sl_target_say(state, text, sizeof text);
    if (!*text || target->reported) return;
    sl_log(SL_LOG_WARN, "%s", text);
    target->reported = true;
}

int sl_target_look(const struct sl_config *cfg, const struct sl_launch *launch, bool wait,
                   struct sl_campaign_state *state, struct sl_target_watch *target)
{
    struct sl_ensemble_answer answer;
    bool there;
    report_lacks(state, target);
    if (!sl_target_asks(target)) {
        if (!worth_asking(cfg, state, target->seen)) return SL_OK;
        target->seen = sl_campaign_state_measured(state);
        if (sl_ensemble_ask(state->campaign, launch, target->token, &target->question) != SL_OK)
            return warn(), SL_OK;
    }
    int code = sl_ensemble_listen(&target->question, wait, &there, &answer);
    if (!there) return SL_OK;
    if (code != SL_OK) return warn(), SL_OK;
    SL_TRY(journal_answer(state->campaign, &answer));
    SL_TRY(sl_campaign_state_refresh(state, false));
    report_lacks(state, target);
    return SL_OK;
}

bool sl_target_asks(const struct sl_target_watch *target)
{
    return target->question.pid > 0;
}
