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
#include "pipeline/executor.h"
#include "pipeline/json.h"
#include "pipeline/options.h"
#include "pipeline/record.h"
#include "pipeline/select.h"
#include "pipeline/task.h"

static bool wants_retry(const struct sl_state *st, int i)
{
    enum sl_state_kind kind = sl_state_member(st, i);
    return sl_state_ends(kind) && kind != SL_STATE_done && kind != SL_STATE_surplus;
}

/* End-records whose products are gone or damaged are set aside, so that the stage runs again. */
static int revoke_broken(const struct sl_state *st, int i, json_t *list)
{
    char home[SL_PATH_MAX];
    SL_TRY(sl_task_own(st->campaign, SL_STAGE_sim, i));
    SL_TRY(sl_campaign_home(home, st->campaign, i));
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        enum sl_stage stage = (enum sl_stage)s;
        if (!sl_record_exists(home, stage)) continue;
        if (sl_record_verify(home, stage, SL_CHECK_SUM, NULL, NULL) == SL_OK) continue;
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
    printf("%s (%s): was %s, may run again\n", m->id, m->label, was);
}

static int retry(const struct sl_state *st, int i, bool json, json_t *list)
{
    struct sl_fact fact;
    const struct sl_member *m = &st->campaign->member[i];
    const char *was = sl_state_name(sl_state_member(st, i));
    json_t *revoked = json_array();
    int code = revoke_broken(st, i, revoked);
    sl_fact_init(&fact, SL_FACT_retry, m->id, "");
    if (code == SL_OK) code = sl_journal_add(st->campaign->dir, &fact);
    if (code == SL_OK && !json) print_member(m, was, revoked);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:O}", "id", m->id, "was", was, "revoked", revoked));
    json_decref(revoked);
    return code;
}

/* Members that were named and are done, or on their way, are refused before anything is changed. */
static int refuse(const struct sl_selection *s)
{
    for (int i = 0; s->words > 0 && i < s->state.n; i++)
        SL_CHECK(!s->picked[i] || wants_retry(&s->state, i), SL_EUSAGE,
                 "member %s is %s: retry is for members that failed or were cancelled",
                 s->campaign.member[i].id, sl_state_name(sl_state_member(&s->state, i)));
    return SL_OK;
}

static int tell(const struct sl_campaign *c, bool json, const json_t *list)
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
    const struct sl_option options[] = {{"json", 0, SL_OPTION_FLAG, &json},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    struct sl_selection s;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "retry [CAMPAIGN] [MEMBER...]", &words));
    SL_TRY(sl_selection_open(argv + 1, words, true, &s));
    json_t *list = json_array();
    int code = refuse(&s);
    for (int i = 0; code == SL_OK && i < s.state.n; i++)
        if (s.picked[i] && wants_retry(&s.state, i)) code = retry(&s.state, i, json, list);
    if (code == SL_OK) code = tell(&s.campaign, json, list);
    json_decref(list);
    sl_selection_close(&s);
    return code;
}

const struct sl_verb sl_verb_retry = {
    .name = "retry",
    .usage = "[CAMPAIGN] [MEMBER...] [--json]",
    .about = "let what failed run again, from its last checkpoint; done members stay as they are",
    .help =
        "  MEMBER   3, 3-9, seed=42, a state such as failed; default: all that failed, stalled,\n"
        "           diverged or were cancelled\n"
        "  --json   {v, campaign, members: [{id, was, revoked: [{stage, problem}]}], next: "
        "command}",
    .run = run};
