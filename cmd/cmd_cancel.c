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
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/executor.h"
#include "pipeline/campaign/select.h"

/* What a cancel did, for people as it happens, for programs at the end. */
struct answer {
    bool json;
    int jobs;         /* of Slurm */
    json_t *executor; /* owned: of this or another host; NULL when there was none */
    json_t *members;  /* owned: {id, was, cancelled} of those that were named */
};

/* Slurm asks what runs for a checkpoint and gives it half a minute. */
static int stop_jobs(const struct sl_campaign *c, const bool *picked, struct answer *a)
{
    const struct sl_executor *executor = sl_executor_of(c);
    SL_TRY(executor->control(c, SL_CONTROL_CANCEL, picked, 0, &a->jobs));
    if (picked || a->json) return SL_OK;
    if (a->jobs > 0)
        printf("%d jobs cancelled; `sluice %s` goes on\n", a->jobs, executor->verb);
    else
        puts("nobody runs this campaign");
    return SL_OK;
}

static int wait_until_free(const struct sl_executor *who, const struct sl_campaign *c, double wait,
                           struct sl_claim_look *look)
{
    const struct timespec nap = {.tv_nsec = 200 * 1000 * 1000};
    for (double t = 0; look->held && t < wait; t += 0.2) {
        nanosleep(&nap, NULL);
        SL_TRY(who->look(c, look));
    }
    return SL_OK;
}

static int stop(const struct sl_campaign *c, double wait, struct answer *a)
{
    const struct sl_executor *who;
    struct sl_claim_look look;
    SL_TRY(sl_executor_at_work(c, &who, &look));
    if (!who) return stop_jobs(c, NULL, a);
    SL_TRY(who->control(c, SL_CONTROL_CANCEL, NULL, 0, &a->jobs));
    const struct sl_owner owner = look.claim.owner;
    if (!a->json) printf("asked process %ld on %s to stop\n", owner.pid, owner.host);
    fflush(stdout);
    SL_TRY(wait_until_free(who, c, wait, &look));
    a->executor = json_pack("{s:s, s:I, s:b}", "host", owner.host, "pid", (json_int_t)owner.pid,
                            "stopped", !look.held);
    SL_CHECK(!look.held, SL_EAGAIN, "it has not stopped yet: checkpoints take their time");
    if (!a->json) printf("stopped; `sluice %s` goes on\n", who->verb);
    return SL_OK;
}

static int take_out_one(const struct sl_selection *s, int i, struct answer *a)
{
    const struct sl_member *m = &s->campaign.member[i];
    enum sl_work_state kind = sl_campaign_state_member(&s->state, i);
    struct sl_fact fact;
    bool over = sl_campaign_state_ends(kind);
    if (!over) {
        sl_fact_init(&fact, SL_FACT_cancel, m->id, "");
        SL_TRY(sl_journal_add(s->campaign.dir, &fact));
    }
    if (a->json)
        json_array_append_new(a->members,
                              json_pack("{s:s, s:s, s:b}", "id", m->id, "was",
                                        sl_campaign_state_name(kind), "cancelled", !over));
    else if (over)
        printf("%s is %s already\n", m->id, sl_campaign_state_name(kind));
    else
        printf("%s (%s): cancelled\n", m->id, m->label);
    return SL_OK;
}

static int take_out(const struct sl_selection *s, struct answer *a)
{
    for (int i = 0; i < s->state.n; i++)
        if (s->picked[i]) SL_TRY(take_out_one(s, i, a));
    return stop_jobs(&s->campaign, s->picked, a);
}

/* Printed also when the executor is not yet gone. */
static int print_answer(const struct sl_campaign *c, const struct answer *a, int code)
{
    if (!a->json || (code != SL_OK && code != SL_EAGAIN)) return code;
    int printed =
        sl_json_print(json_pack("{s:i, s:s, s:O, s:O?, s:i}", "v", 1, "campaign", c->name,
                                "members", a->members, "executor", a->executor, "jobs", a->jobs));
    return code == SL_OK ? printed : code;
}

static int run(int argc, char **argv)
{
    double wait = 60;
    struct answer a = {.json = false};
    const struct sl_option options[] = {{"wait", 0, SL_OPTION_REAL, &wait},
                                        {"json", 0, SL_OPTION_FLAG, &a.json},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    struct sl_selection s;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "cancel [CAMPAIGN] [MEMBER...]", &words));
    SL_TRY(sl_selection_open(argv + 1, words, false, &s));
    a.members = json_array();
    int code = s.words > 0 ? take_out(&s, &a) : stop(&s.campaign, wait, &a);
    code = print_answer(&s.campaign, &a, code);
    json_decref(a.members);
    json_decref(a.executor);
    sl_selection_close(&s);
    return code;
}

const struct sl_verb sl_verb_cancel = {
    .name = "cancel",
    .group = SL_VERB_mend,
    .usage = "[CAMPAIGN] [MEMBER...] [--wait SECONDS] [--json]",
    .about = "stop a campaign, with checkpoints, or take members out of it",
    .help = "  MEMBER           only these members stop; they stay out until `sluice retry`\n"
            "  --wait SECONDS   how long to wait for the checkpoints; default 60\n"
            "  --json           {v, campaign, members: [{id, was, cancelled}], jobs: of Slurm,\n"
            "                   executor: null or {host, pid, stopped}}",
    .run = run};
