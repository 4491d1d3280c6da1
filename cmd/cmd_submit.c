/* cmd_submit.c - sluice submit: hands a campaign to Slurm; nothing has to stay alive after it.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE, SL_EINPUT, SL_EUNAVAIL, SL_EAGAIN, SL_EGUARD
 * Owns    nothing
 * MPI     none
 * Where   host that may call sbatch
 * Refs    none
 * Tests   tests/slurm/submit.sh
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/select.h"
#include "pipeline/launch/cores.h"
#include "pipeline/show/sheet.h"

struct choices {
    bool yes, json;
    int64_t throttle;
    const char *dir;
};

/* On a terminal a person sees the plan and may say no, before anything is made. */
static int confirm(const struct choices *c, char **words, int n)
{
    if (c->yes || !isatty(0) || !isatty(1)) return SL_OK;
    struct sl_sheet s = {
        .cores = sl_cores(), .slurm = true, .dir = c->dir, .throttle = c->throttle};
    SL_TRY(sl_sheet_make(&s, words, n));
    sl_sheet_print(&s);
    sl_sheet_release(&s);
    printf("Submit? [y/N] ");
    fflush(stdout);
    int answer = getchar();
    SL_CHECK(answer == 'y' || answer == 'Y', SL_EINTR, "nothing was submitted");
    return SL_OK;
}

static int print(const struct choices *c, const struct sl_campaign *campaign,
                 const struct sl_tally *t)
{
    if (!c->json) {
        if (t->members == 0 && t->left == 0 && t->arrays == 0)
            printf("%s: nothing to submit, %d members are in the queue\n", campaign->name,
                   t->waiting);
        else
            printf("%s: %d members submitted in %d jobs, %d were in the queue, %d are left\n",
                   campaign->name, t->members, t->arrays, t->waiting, t->left);
        return SL_OK;
    }
    json_t *o = json_pack("{s:i, s:s, s:o, s:i, s:i, s:i, s:i, s:i, s:s}", "v", 1, "campaign",
                          campaign->name, "dir", sl_json_text(campaign->dir), "submitted",
                          t->members, "jobs", t->arrays, "sbatch_calls", t->calls, "in_queue",
                          t->waiting, "left", t->left, "limit", t->limit);
    return sl_json_print(o);
}

static int run(int argc, char **argv)
{
    struct choices c = {.dir = NULL};
    const struct sl_option options[] = {{"dir", 'd', SL_OPTION_TEXT, &c.dir},
                                        {"throttle", 0, SL_OPTION_INT, &c.throttle},
                                        {"yes", 'y', SL_OPTION_FLAG, &c.yes},
                                        {"json", 0, SL_OPTION_FLAG, &c.json},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    struct sl_campaign campaign;
    struct sl_tally tally = {.members = 0};
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "submit [RECIPE [key=value...] | CAMPAIGN]",
                            &words));
    const struct sl_order order = {.throttle = c.throttle};
    SL_TRY(confirm(&c, argv + 1, words));
    const struct sl_making how = {.dir = c.dir, .verb = "submit", .order = &order, .many = c.yes};
    SL_TRY(sl_select_make(&how, argv + 1, words, &campaign));
    int code = sl_executor_for(&campaign, "submit")->go(&campaign, &order, &tally);
    if (code == SL_OK || code == SL_EAGAIN) print(&c, &campaign, &tally);
    sl_campaign_release(&campaign);
    return code;
}

const struct sl_verb sl_verb_submit = {
    .name = "submit",
    .group = SL_VERB_cluster,
    .usage = "[RECIPE | CAMPAIGN] [key=value...] [options]",
    .about = "submit a campaign, or what is left of one, to Slurm",
    .help =
        "  key=value        replaces a key of the recipe; of a campaign that has begun only those "
        "that\n"
        "                   `sluice set` takes\n"
        "  --dir, -d DIR    the campaign's directory; default: ./NAME as the recipe names it\n"
        "  --throttle N     members that may run at once\n"
        "  --yes, -y        do not ask\n"
        "  --json           {v, campaign, dir, submitted: members, jobs, sbatch_calls, in_queue,\n"
        "                   left, limit: why they are}\n"
        "Submitting again is harmless: what is done or in the queue stays as it is. Exit code 75:\n"
        "limits of the cluster let only a part in, submit again later.",
    .run = run};
