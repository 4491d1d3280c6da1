/* cmd_task.c - sluice task: one attempt at one stage, as the executors start it.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EAGAIN when stopped with everything saved or when another works on it, SL_EDIVERGED,
 *         SL_EINPUT, SL_EGUARD, SL_EMEMBER
 * Owns    nothing
 * MPI     none: starts MPI programs
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/options.h"
#include "pipeline/local/task.h"

static int attempt(struct sl_task *task)
{
    enum sl_result result;
    SL_TRY(sl_task_run(task, &result));
    int code = sl_task_status(result);
    SL_CHECK(code == SL_OK, code, "%s: %s", sl_stage_name((int)task->stage),
             sl_result_name((int)result));
    return SL_OK;
}

static int find(const struct sl_campaign *campaign, char **argv, struct sl_task *task)
{
    int stage = sl_stage_find(argv[2]);
    SL_CHECK(stage >= 0, SL_EUSAGE, "unknown stage '%s'", sl_quote(argv[2]).text);
    task->campaign = campaign;
    task->stage = (enum sl_stage)stage;
    task->member = stage < SL_MEMBER_STAGES ? sl_campaign_find(campaign, argv[3]) : -1;
    SL_CHECK(stage >= SL_MEMBER_STAGES || task->member >= 0, SL_EUSAGE, "no member '%s'",
             sl_quote(argv[3]).text);
    return SL_OK;
}

static int run(int argc, char **argv)
{
    struct sl_task task = {.walltime = 0};
    struct sl_campaign campaign;
    const struct sl_option options[] = {{"walltime", 0, SL_OPTION_REAL, &task.walltime},
                                        {"mtbf", 0, SL_OPTION_REAL, &task.mtbf},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    SL_TRY(sl_options_words(options, argc, argv, 3, 3, "task CAMPAIGN STAGE MEMBER|-", &words));
    SL_TRY(sl_campaign_open(argv[1], &campaign));
    int code = find(&campaign, argv, &task);
    if (code == SL_OK) code = attempt(&task);
    sl_campaign_release(&campaign);
    return code;
}

const struct sl_verb sl_verb_task = {
    .name = "task",
    .usage = "CAMPAIGN STAGE MEMBER|- [--walltime=SECONDS] [--mtbf=SECONDS]",
    .about = "", /* not for people: `sluice --help` leaves it out */
    .help = "",
    .run = run};
