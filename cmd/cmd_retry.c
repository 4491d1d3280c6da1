/* cmd_retry.c - sluice retry: lets members that failed run again, from their last checkpoint.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE when a member that was named needs no retry
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/executor.h"
#include "pipeline/campaign/links.h"
#include "pipeline/campaign/record.h"
#include "pipeline/campaign/select.h"
#include "pipeline/campaign/whole.h"
#include "pipeline/local/task.h"

static bool wants_retry(const struct sl_campaign_state *st, int i)
{
    enum sl_work_state kind = sl_campaign_state_member(st, i);
    return sl_campaign_state_ends(kind) && kind != SL_WORK_done && kind != SL_WORK_surplus;
}

/* Sets the end-records of stage `from` and those after it aside; what a run would go on from is
 * removed. */
static int revoke_from(const struct sl_campaign_state *st, int i, int from, json_t *list)
{
    char home[SL_PATH_MAX], path[SL_PATH_MAX];
    SL_TRY(sl_links_check(st->campaign, SL_STAGE_sim, i));
    SL_TRY(sl_campaign_home(home, st->campaign, i));
    for (int s = from; s < SL_MEMBER_STAGES; s++) {
        if (!sl_record_exists(home, (enum sl_stage)s)) continue;
        json_array_append_new(list, json_pack("{s:s, s:s}", "stage", sl_stage_name(s), "problem",
                                              "it was asked for"));
        SL_TRY(sl_record_revoke(home, (enum sl_stage)s));
    }
    SL_TRY(sl_disk_join(path, "%s/checkpoints", home));
    if (from <= SL_STAGE_sim) sl_disk_remove(path);
    /* they may hold what is wrong here, and would count as made of the same members */
    for (int s = SL_MEMBER_STAGES; s < SL_STAGE_report; s++)
        if (sl_record_exists(st->campaign->dir, (enum sl_stage)s))
            SL_TRY(sl_record_revoke(st->campaign->dir, (enum sl_stage)s));
    return SL_OK;
}

/* End-records whose products are gone or damaged are set aside, so that the stage runs again. */
static int revoke_broken(const struct sl_campaign_state *st, int i, json_t *list)
{
    char home[SL_PATH_MAX];
    int mended = 0;
    SL_TRY(sl_links_check(st->campaign, SL_STAGE_sim, i));
    SL_TRY(sl_campaign_home(home, st->campaign, i));
    if (sl_disk_exists(home)) SL_TRY(sl_campaign_mend(st->campaign, i));
    SL_TRY(sl_record_mend(home, SL_STAGE_sim, &mended));
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        enum sl_stage stage = (enum sl_stage)s;
        if (!sl_record_exists(home, stage)) continue;
        if (sl_campaign_state_verify(st, i, stage, NULL, NULL) == SL_OK) continue;
        json_array_append_new(list, json_pack("{s:s, s:o}", "stage", sl_stage_name(s), "problem",
                                              sl_json_text(sl_error_text())));
        SL_TRY(sl_record_revoke(home, stage));
    }
    return SL_OK;
}

static void print_member(const struct sl_member *m, const char *was, const json_t *revoked)
{
    size_t k;
    json_t *o;
    json_array_foreach(revoked, k, o) printf("%s %s: %s: it will run again\n", m->id,
                                             json_string_value(json_object_get(o, "stage")),
                                             json_string_value(json_object_get(o, "problem")));
    if (*m->label)
        printf("%s (%s): was %s, may run again\n", m->id, m->label, was);
    else
        printf("%s: was %s, may run again\n", m->id, was);
}

static int retry(const struct sl_campaign_state *st, int i, int from, bool json, json_t *list)
{
    struct sl_fact fact;
    const struct sl_member *m = &st->campaign->member[i];
    const char *was = sl_campaign_state_name(sl_campaign_state_member(st, i));
    json_t *revoked = json_array();
    int code = from < 0 ? revoke_broken(st, i, revoked) : revoke_from(st, i, from, revoked);
    sl_fact_init(&fact, SL_FACT_retry, m->id, from < 0 ? "" : sl_stage_name(from));
    if (code == SL_OK) code = sl_journal_add(st->campaign->dir, &fact);
    if (code == SL_OK && !json) print_member(m, was, revoked);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:O}", "id", m->id, "was", was, "revoked", revoked));
    json_decref(revoked);
    return code;
}

/* With --from, members are named, are not at work, and have the stage. */
static int refuse_from(const struct sl_selection *s, int from)
{
    SL_CHECK(s->words > 0, SL_EUSAGE, "--from wants members: 3, 3-9, seed=42, done, all");
    for (int i = 0; i < s->state.n; i++) {
        const struct sl_member *m = &s->campaign.member[i];
        SL_CHECK(!s->picked[i] || sl_campaign_state_member(&s->state, i) != SL_WORK_running,
                 SL_EUSAGE, "member %s is running: cancel it first", m->id);
        SL_CHECK(!s->picked[i] || sl_member_has(m, from), SL_EUSAGE, "member %s has no stage %s%s",
                 m->id, sl_stage_name(from),
                 from == SL_STAGE_ic ? ": --from sim is its beginning"
                                     : ": the recipe gives no stages.member or stages.snapshot");
    }
    return SL_OK;
}

/* Members that were named and are done, or on their way, are refused before anything is changed. */
static int refuse(const struct sl_selection *s)
{
    for (int i = 0; s->words > 0 && i < s->state.n; i++)
        SL_CHECK(!s->picked[i] || wants_retry(&s->state, i), SL_EUSAGE,
                 "member %s is %s: retry is for members that failed or were cancelled",
                 s->campaign.member[i].id,
                 sl_campaign_state_name(sl_campaign_state_member(&s->state, i)));
    return SL_OK;
}

/* Stages of the campaign, unless members were named. */
static int retry_whole(const struct sl_selection *s, bool json, json_t *list)
{
    for (int stage = SL_MEMBER_STAGES; s->words == 0 && stage < SL_STAGE_COUNT; stage++) {
        bool was;
        SL_TRY(sl_whole_retry(&s->state, (enum sl_stage)stage, &was));
        if (!was) continue;
        if (!json) printf("%s: was failed, may run again\n", sl_stage_name(stage));
        json_array_append_new(list, json_pack("{s:s, s:s, s:[]}", "id", sl_stage_name(stage), "was",
                                              "failed", "revoked"));
    }
    return SL_OK;
}

static int print_retried(const struct sl_campaign *c, bool json, const json_t *list)
{
    char where[SL_PATH_MAX], next[SL_PATH_MAX + 32] = "";
    SL_TRY(sl_select_say(c, where));
    if (json_array_size(list) > 0)
        snprintf(next, sizeof next, "sluice %s%s", sl_executor_of(c)->verb, where);
    if (json)
        return sl_json_print(json_pack("{s:i, s:s, s:O, s:o}", "v", 1, "campaign", c->name,
                                       "members", list, "next", sl_json_text(next)));
    if (*next)
        printf("go on with: %s\n", next);
    else
        puts("no member failed: nothing to retry");
    return SL_OK;
}

static int run(int argc, char **argv)
{
    bool json = false;
    const char *stage = NULL;
    const struct sl_option options[] = {{"json", 0, SL_OPTION_FLAG, &json},
                                        {"from", 0, SL_OPTION_TEXT, &stage},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    struct sl_selection s;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "retry [CAMPAIGN] [MEMBER...]", &words));
    int from = stage ? sl_stage_find(stage) : -1;
    SL_CHECK(!stage || (from >= 0 && from < SL_MEMBER_STAGES), SL_EUSAGE,
             "--from is ic, sim, stats or own, not '%s'", sl_quote(stage).text);
    SL_TRY(sl_selection_open(argv + 1, words, true, &s));
    json_t *list = json_array();
    int code = stage ? refuse_from(&s, from) : refuse(&s);
    for (int i = 0; code == SL_OK && i < s.state.n; i++)
        if (s.picked[i] && (stage || wants_retry(&s.state, i)))
            code = retry(&s.state, i, from, json, list);
    if (code == SL_OK) code = retry_whole(&s, json, list);
    if (code == SL_OK) code = print_retried(&s.campaign, json, list);
    json_decref(list);
    sl_selection_close(&s);
    return code;
}

const struct sl_verb sl_verb_retry = {
    .name = "retry",
    .group = SL_VERB_mend,
    .usage = "[CAMPAIGN] [MEMBER...] [--from STAGE] [--json]",
    .about = "let what failed run again, from its last checkpoint; done members stay as they are",
    .help =
        "  MEMBER   3, 3-9, seed=42, a state such as failed; default: all that failed, stalled,\n"
        "           diverged or were cancelled, and an ensemble or a report that failed\n"
        "  --from   ic, sim, stats or own: the members that are named do this stage and those\n"
        "           after it again from its beginning, even if they were done; for damage found\n"
        "           late, or after a script was corrected\n"
        "  --json   {v, campaign, members: [{id, was, revoked: [{stage, problem}]}], next: "
        "command}",
    .run = run};
