/* cmd_task.c - sluice task: one attempt at one stage, of one member or of several in turn, as the
 * executors start it.
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

static int attempt(struct sl_task *task, enum sl_result *result)
{
    SL_TRY(sl_task_run(task, result));
    int code = sl_task_status(*result);
    SL_CHECK(code == SL_OK, code, "%s: %s", sl_stage_name((int)task->stage),
             sl_result_name((int)*result));
    return SL_OK;
}

/* A member that fails leaves the others to be run; one that cannot begin, but for another process
 * that has it, ends all: so would they. *code: of the first that did not end well. */
static bool take_turn(struct sl_task *task, int *code)
{
    enum sl_result result = SL_RESULT_done;
    int own = attempt(task, &result);
    bool began = own == SL_OK || result != SL_RESULT_done;
    if (own != SL_OK && task->server)
        sl_log(SL_LOG_NOTE, "%s: %s", task->campaign->member[task->member].id, sl_error_text());
    if (*code == SL_OK) *code = own;
    return (began || own == SL_EAGAIN) && result != SL_RESULT_paused && !sl_task_asked();
}

static int find_member(struct sl_task *task, const char *id)
{
    bool whole = (int)task->stage >= SL_MEMBER_STAGES;
    task->member = whole ? -1 : sl_campaign_find(task->campaign, id);
    SL_CHECK(whole || task->member >= 0, SL_EUSAGE, "no member '%s'", sl_quote(id).text);
    return SL_OK;
}

/* Members in turn: "0000,0001". */
static int work(struct sl_task *task, char *members)
{
    struct sl_server server;
    char *save = NULL;
    int code = SL_OK;
    bool more = true, several = strchr(members, ',') != NULL;
    SL_CHECK(*members && (!several || (int)task->stage < SL_MEMBER_STAGES), SL_EUSAGE,
             "stage %s takes %s, not '%s'", sl_stage_name((int)task->stage),
             *members ? "-" : "a member", sl_quote(members).text);
    sl_server_init(&server);
    if (several) task->server = &server;
    for (char *id = strtok_r(members, ",", &save); id && more; id = strtok_r(NULL, ",", &save)) {
        int found = find_member(task, id);
        if (found != SL_OK) code = found;
        more = found == SL_OK && take_turn(task, &code);
    }
    sl_task_end(&server);
    return code;
}

static int run(int argc, char **argv)
{
    struct sl_task task = {.walltime = 0};
    struct sl_campaign campaign;
    const struct sl_option options[] = {{"walltime", 0, SL_OPTION_REAL, &task.walltime},
                                        {"mtbf", 0, SL_OPTION_REAL, &task.mtbf},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    SL_TRY(sl_options_words(options, argc, argv, 3, 3, "task CAMPAIGN STAGE MEMBER[,MEMBER]|-",
                            &words));
    int stage = sl_stage_find(argv[2]);
    SL_CHECK(stage >= 0, SL_EUSAGE, "unknown stage '%s'", sl_quote(argv[2]).text);
    SL_TRY(sl_campaign_open(argv[1], &campaign));
    task.campaign = &campaign;
    task.stage = (enum sl_stage)stage;
    int code = work(&task, argv[3]);
    sl_campaign_release(&campaign);
    return code;
}

const struct sl_verb sl_verb_task = {
    .name = "task",
    .usage = "CAMPAIGN STAGE MEMBER[,MEMBER]|- [--walltime=SECONDS] [--mtbf=SECONDS]",
    .about = "", /* not for people: `sluice --help` leaves it out */
    .help = "",
    .run = run};
