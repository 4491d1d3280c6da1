/* whole.c - see whole.h. */
#include "pipeline/campaign/whole.h"

#include <stdio.h>
#include <string.h>

#include "core/config/config.h"
#include "core/sys/status.h"
#include "pipeline/base/json.h"
#include "pipeline/campaign/ensemble.h"
#include "pipeline/campaign/links.h"
#include "pipeline/campaign/own.h"
#include "pipeline/campaign/record.h"

static bool over(const struct sl_campaign_state *st)
{
    const int *n = st->count;
    return n[SL_WORK_waiting] + n[SL_WORK_running] + n[SL_WORK_stopped] == 0;
}

static bool is_wanted(const struct sl_campaign_state *st, enum sl_stage stage)
{
    struct sl_config cfg;
    int measured = sl_campaign_state_measured(st), need = 2;
    if (!over(st) || measured == 0 || !sl_campaign_has(st->campaign, stage)) return false;
    if (stage != SL_STAGE_ensemble) return true;
    if (sl_campaign_config(st->campaign, -1, &cfg) == SL_OK) need = sl_ensemble_need(&cfg, st->n);
    return measured >= need && sl_ensemble_possible(st->campaign);
}

static bool is_current(const struct sl_campaign_state *st, enum sl_stage stage)
{
    return sl_record_exists(st->campaign->dir, stage) &&
           (stage != SL_STAGE_ensemble || sl_ensemble_current(st->campaign)) &&
           (stage != SL_STAGE_summary || sl_own_current(st->campaign));
}

/* Whether the tables of the members that are done now are there: then it is past how an attempt
 * ended, or that it did not live to say so. A page of the report says nothing of when it was
 * made. */
static bool is_made(const struct sl_campaign_state *st, enum sl_stage stage)
{
    return stage != SL_STAGE_report && is_current(st, stage) &&
           sl_record_verify(st->campaign->dir, stage, SL_CHECK_NEEDED, NULL, NULL) == SL_OK;
}

void sl_whole_look(const struct sl_campaign_state *st, enum sl_stage stage, struct sl_whole *w)
{
    const struct sl_stage_state *s = &st->whole[stage - SL_MEMBER_STAGES];
    const char *why = st->whole_why[stage - SL_MEMBER_STAGES];
    *w = (struct sl_whole){.state = SL_WORK_waiting, .wanted = is_wanted(st, stage)};
    if (s->state == SL_WORK_running) {
        w->state = SL_WORK_running;
    } else if (why && w->wanted && !is_made(st, stage)) {
        w->state = SL_WORK_failed;
        snprintf(w->why, sizeof w->why, "%s", why);
    } else if (w->wanted && sl_links_check(st->campaign, stage, -1) != SL_OK) {
        w->state = SL_WORK_failed;
        snprintf(w->why, sizeof w->why, "%s", sl_error_text());
    } else if (w->wanted && s->state == SL_WORK_stalled) {
        w->state = SL_WORK_stalled;
        snprintf(w->why, sizeof w->why,
                 "an attempt does not get to its end within the wall-time limit "
                 "(resources.ensemble.walltime)");
    } else if (w->wanted && is_current(st, stage)) {
        w->state = SL_WORK_done;
        if (sl_record_verify(st->campaign->dir, stage, SL_CHECK_NEEDED, NULL, NULL) == SL_OK)
            return;
        w->state = SL_WORK_failed;
        snprintf(w->why, sizeof w->why, "%s", sl_error_text());
    } else if (w->wanted && s->state == SL_WORK_stopped && s->stuck > 0) {
        w->state = SL_WORK_stopped;
        snprintf(w->why, sizeof w->why, "its last attempt was stopped before its end");
    }
}

bool sl_whole_failed(const struct sl_campaign_state *st, struct sl_whole *w, enum sl_stage *stage)
{
    for (int s = SL_MEMBER_STAGES; s < SL_STAGE_COUNT; s++) {
        *stage = (enum sl_stage)s;
        sl_whole_look(st, *stage, w);
        if (sl_whole_is_bad(w)) return true;
    }
    return false;
}

int sl_whole_verdict(const struct sl_campaign_state *st)
{
    struct sl_whole w;
    enum sl_stage stage;
    SL_CHECK(!sl_whole_failed(st, &w, &stage), SL_EMEMBER, "the %s %s: %s",
             sl_stage_name((int)stage), sl_campaign_state_name(w.state), w.why);
    for (int s = SL_MEMBER_STAGES; s < SL_STAGE_COUNT; s++) {
        sl_whole_look(st, (enum sl_stage)s, &w);
        SL_CHECK(!w.wanted || w.state == SL_WORK_done, SL_EAGAIN, "the %s is not finished",
                 sl_stage_name(s));
    }
    return SL_OK;
}

json_t *sl_whole_json(const struct sl_campaign_state *st)
{
    json_t *o = json_object();
    for (int s = SL_MEMBER_STAGES; s < SL_STAGE_COUNT; s++) {
        const struct sl_stage_state *stage = &st->whole[s - SL_MEMBER_STAGES];
        struct sl_whole w;
        if (!sl_campaign_has(st->campaign, s)) continue;
        sl_whole_look(st, (enum sl_stage)s, &w);
        json_t *one = json_pack("{s:s, s:i, s:f}", "state", sl_campaign_state_name(w.state),
                                "attempts", stage->attempts, "seconds", stage->seconds);
        if (*w.why) json_object_set_new(one, "why", sl_json_text(w.why));
        if (!w.wanted) {
            json_decref(one);
            one = json_null();
        }
        json_object_set_new(o, sl_stage_name(s), one);
    }
    return o;
}

int sl_whole_retry(const struct sl_campaign_state *st, enum sl_stage stage, bool *was)
{
    const char *dir = st->campaign->dir;
    struct sl_whole w;
    struct sl_fact fact;
    sl_whole_look(st, stage, &w);
    *was = sl_whole_is_bad(&w);
    if (!*was) return SL_OK;
    if (sl_record_exists(dir, stage) &&
        sl_record_verify(dir, stage, SL_CHECK_SUM, NULL, NULL) != SL_OK)
        SL_TRY(sl_record_revoke(dir, stage));
    sl_fact_init(&fact, SL_FACT_retry, "", sl_stage_name((int)stage));
    return sl_journal_add(dir, &fact);
}
