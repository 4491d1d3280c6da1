/* cmd_run.c - sluice run: from a recipe to a finished campaign on this machine.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EMEMBER, SL_EUSAGE, SL_EINPUT, SL_EUNAVAIL, SL_EAGAIN, SL_EGUARD, SL_EINTR
 * Owns    nothing
 * MPI     none: starts MPI programs
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/select.h"
#include "pipeline/local/local.h"

struct choices {
    bool oversubscribe, yes;
    int64_t cores;
    double progress;
    const char *dir, *inject;
};

static int parse_inject(const char *text, struct sl_inject *inject)
{
    if (!text) return SL_OK;
    SL_TRY(sl_inject_parse(text, inject));
    uint32_t seed = 0;
    if (inject->seed == 0 && getrandom(&seed, sizeof seed, 0) == (ssize_t)sizeof seed)
        inject->seed = seed;
    printf("injected failures: kill=%g,walltime=%g,seed=%llu\n", inject->kill, inject->walltime,
           (unsigned long long)inject->seed);
    return SL_OK;
}

static void name_report(const struct sl_campaign *campaign)
{
    char path[SL_PATH_MAX];
    if (sl_disk_join(path, "%s/report/index.html", campaign->dir) == SL_OK && sl_disk_exists(path))
        printf("report: %s\n", path);
}

static int run(int argc, char **argv)
{
    struct choices c = {.progress = 60};
    const struct sl_option options[] = {{"dir", 'd', SL_OPTION_TEXT, &c.dir},
                                        {"cores", 'j', SL_OPTION_INT, &c.cores},
                                        {"progress", 0, SL_OPTION_REAL, &c.progress},
                                        {"oversubscribe", 0, SL_OPTION_FLAG, &c.oversubscribe},
                                        {"inject", 0, SL_OPTION_TEXT, &c.inject},
                                        {"yes", 'y', SL_OPTION_FLAG, &c.yes},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "run [RECIPE [key=value...] | CAMPAIGN]",
                            &words));
    SL_CHECK(c.progress >= 0, SL_EUSAGE, "--progress takes seconds, 0 for no lines");
    struct sl_order order = {
        .cores = (int)c.cores, .oversubscribe = c.oversubscribe, .progress = c.progress};
    struct sl_tally tally = {.members = 0};
    SL_TRY(parse_inject(c.inject, &order.inject));
    struct sl_campaign campaign;
    const struct sl_making how = {.dir = c.dir, .verb = "run", .order = &order, .many = c.yes};
    SL_TRY(sl_select_make(&how, argv + 1, words, &campaign));
    int code = sl_executor_for(&campaign, "run")->go(&campaign, &order, &tally);
    if (code == SL_OK || code == SL_EMEMBER) name_report(&campaign);
    sl_campaign_release(&campaign);
    return code;
}

const struct sl_verb sl_verb_run = {
    .name = "run",
    .group = SL_VERB_start,
    .usage = "[RECIPE | CAMPAIGN] [key=value...] [options]",
    .about = "make the campaign of a recipe, or continue one, until all is done or has failed",
    .help =
        "  key=value         replaces a key of the recipe; of a campaign that has begun only "
        "those\n"
        "                    that `sluice set` takes\n"
        "  --dir, -d DIR     the campaign's directory; default: ./NAME as the recipe names it\n"
        "  --cores, -j N     cores to use; default: all that this process may use\n"
        "  --progress SECONDS  where there is no terminal: time between lines with step, time, "
        "rate\n"
        "                    and expected end of each member; default 60, 0: none\n"
        "  --oversubscribe   run members that have more ranks than there are cores\n"
        "  --inject LIST     failures on purpose: kill=0.2 (probability that an attempt loses a "
        "process),\n"
        "                    walltime=30s (limit of every attempt), seed=7\n"
        "  --yes, -y         accept more than 10,000 members\n"
        "Interrupt (Ctrl-C) stops with checkpoints, a second one kills; `sluice run` goes on.",
    .run = run};
