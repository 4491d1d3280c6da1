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
#include <stdio.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/options.h"
#include "pipeline/record.h"
#include "pipeline/select.h"
#include "pipeline/slurm_book.h"

static bool wants_retry(const struct sl_state *st, int i)
{
    enum sl_state_kind kind = sl_state_member(st, i);
    return sl_state_ends(kind) && kind != SL_STATE_done && kind != SL_STATE_surplus;
}

/* End-records whose products are gone or damaged are set aside, so that the stage runs again. */
static int revoke_broken(const struct sl_state *st, int i)
{
    char home[SL_PATH_MAX];
    SL_TRY(sl_campaign_home(home, st->campaign, i));
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        enum sl_stage stage = (enum sl_stage)s;
        if (!sl_record_exists(home, stage)) continue;
        if (sl_record_verify(home, stage, SL_CHECK_SUM, NULL, NULL) == SL_OK) continue;
        printf("%s %s: %s: it will run again\n", st->campaign->member[i].id, sl_stage_name(s),
               sl_error_text());
        SL_TRY(sl_record_revoke(home, stage));
    }
    return SL_OK;
}

static int retry(const struct sl_state *st, int i)
{
    struct sl_fact fact;
    const char *id = st->campaign->member[i].id;
    SL_TRY(revoke_broken(st, i));
    sl_fact_init(&fact, SL_FACT_retry, id, "");
    SL_TRY(sl_journal_add(st->campaign->dir, &fact));
    printf("%s (%s): was %s, may run again\n", id, st->campaign->member[i].label,
           sl_state_name(sl_state_member(st, i)));
    return SL_OK;
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

static int run(int argc, char **argv)
{
    const struct sl_option options[] = {{NULL, 0, SL_OPTION_FLAG, NULL}};
    int words, n = 0;
    struct sl_selection s;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "retry [CAMPAIGN] [MEMBER...]", &words));
    SL_TRY(sl_selection_open(argv + 1, words, true, &s));
    int code = refuse(&s);
    for (int i = 0; code == SL_OK && i < s.state.n; i++)
        if (s.picked[i] && wants_retry(&s.state, i)) {
            code = retry(&s.state, i);
            n++;
        }
    char where[SL_PATH_MAX];
    if (code == SL_OK) code = sl_select_say(&s.campaign, where);
    if (code == SL_OK && n == 0) puts("no member failed: nothing to retry");
    if (code == SL_OK && n > 0)
        printf("go on with: sluice %s%s\n", sl_book_used(&s.campaign) ? "submit" : "run", where);
    sl_selection_close(&s);
    return code;
}

const struct sl_verb sl_verb_retry = {
    .name = "retry",
    .usage = "[CAMPAIGN] [MEMBER...]",
    .about = "let what failed run again, from its last checkpoint; done members stay as they are",
    .help =
        "  MEMBER   3, 3-9, seed=42, a state such as failed; default: all that failed, stalled,\n"
        "           diverged or were cancelled",
    .run = run};
