/* cmd_cancel.c - sluice cancel: stops the campaign's executor, or takes members out.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EUSAGE, SL_EAGAIN when the executor does not stop in time
 * Owns    nothing
 * MPI     none
 * Where   host; works from any host that sees the directory
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/claim.h"
#include "pipeline/options.h"
#include "pipeline/select.h"
#include "pipeline/slurm_control.h"

static int held(const struct sl_campaign *c, struct sl_claim_look *look)
{
    char slots[SL_PATH_MAX];
    SL_TRY(sl_disk_join(slots, "%s/slots", c->dir));
    SL_TRY(sl_claim_look(slots, "run", look));
    json_decref(look->record);
    return SL_OK;
}

/* Slurm asks what runs for a checkpoint and gives it half a minute. */
static int stop_jobs(const struct sl_campaign *c, const bool *picked)
{
    int n = 0;
    if (!sl_book_used(c)) return SL_OK;
    SL_TRY(sl_slurm_control(c, SL_CONTROL_CANCEL, picked, 0, &n));
    if (!picked) printf("%d jobs cancelled; `sluice submit` goes on\n", n);
    return SL_OK;
}

/* The wish goes into the journal, which the executor reads, wherever it runs. */
static int stop(const struct sl_campaign *c, double wait)
{
    const struct timespec nap = {.tv_nsec = 200 * 1000 * 1000};
    struct sl_claim_look look;
    struct sl_fact fact;
    SL_TRY(held(c, &look));
    if (!look.held) {
        if (!sl_book_used(c)) puts("nobody runs this campaign");
        return sl_book_used(c) ? stop_jobs(c, NULL) : SL_OK;
    }
    sl_fact_init(&fact, SL_FACT_stop, "", "");
    SL_TRY(sl_journal_add(c->dir, &fact));
    printf("asked process %ld on %s to stop\n", look.claim.owner.pid, look.claim.owner.host);
    fflush(stdout);
    for (double t = 0; look.held && t < wait; t += 0.2) {
        nanosleep(&nap, NULL);
        SL_TRY(held(c, &look));
    }
    SL_CHECK(!look.held, SL_EAGAIN, "it has not stopped yet: checkpoints take their time");
    puts("stopped; `sluice run` goes on");
    return SL_OK;
}

static int take_out(const struct sl_selection *s)
{
    struct sl_fact fact;
    for (int i = 0; i < s->state.n; i++) {
        enum sl_state_kind kind = sl_state_member(&s->state, i);
        if (!s->picked[i]) continue;
        if (sl_state_ends(kind)) {
            printf("%s is %s already\n", s->campaign.member[i].id, sl_state_name(kind));
            continue;
        }
        sl_fact_init(&fact, SL_FACT_cancel, s->campaign.member[i].id, "");
        SL_TRY(sl_journal_add(s->campaign.dir, &fact));
        printf("%s (%s): cancelled\n", s->campaign.member[i].id, s->campaign.member[i].label);
    }
    return stop_jobs(&s->campaign, s->picked);
}

static int run(int argc, char **argv)
{
    double wait = 60;
    const struct sl_option options[] = {{"wait", 0, SL_OPTION_REAL, &wait},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    struct sl_selection s;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "cancel [CAMPAIGN] [MEMBER...]", &words));
    SL_TRY(sl_selection_open(argv + 1, words, false, &s));
    int code = s.words > 0 ? take_out(&s) : stop(&s.campaign, wait);
    sl_selection_close(&s);
    return code;
}

const struct sl_verb sl_verb_cancel = {
    .name = "cancel",
    .usage = "[CAMPAIGN] [MEMBER...] [--wait SECONDS]",
    .about = "stop the run of a campaign with checkpoints, or take members out of it",
    .help = "  MEMBER           these members stop and stay out until `sluice retry`\n"
            "  --wait SECONDS   how long to wait for the checkpoints; default 60",
    .run = run};
