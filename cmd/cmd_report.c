/* cmd_report.c - sluice report: the page of a campaign, from what it holds now.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE, SL_EINPUT, SL_EIO; SL_EAGAIN while another process writes the report; with
 *         --exit-code SL_EMEMBER when a check failed
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/report.sh
 */
#include <jansson.h>
#include <stdio.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/select.h"
#include "pipeline/local/task.h"
#include "pipeline/report/check.h"

/* As a stage of the campaign, so that its end-record covers the new page. */
static int write_report(const struct sl_campaign *campaign, const char *against, bool json)
{
    const struct sl_task task = {
        .campaign = campaign, .stage = SL_STAGE_report, .against = against};
    enum sl_result result;
    SL_TRY(sl_task_run(&task, &result));
    SL_CHECK(result == SL_RESULT_done, sl_task_status(result), "the report was not written: %s",
             sl_error_text());
    char page[SL_PATH_MAX];
    SL_TRY(sl_disk_join(page, "%s/report/index.html", campaign->dir));
    if (!json) {
        puts(page);
        return SL_OK;
    }
    json_t *o = json_pack("{s:i, s:s, s:s}", "v", 1, "campaign", campaign->name, "page", page);
    SL_CHECK(o, SL_EGUARD, "the path of the page is not UTF-8: %s", page);
    return sl_json_print(o);
}

static int verdict(const struct sl_campaign *campaign)
{
    char which[500];
    int n = sl_checks_failed(campaign->dir, true, which, sizeof which);
    SL_CHECK(n == 0, SL_EMEMBER, "%d check%s failed: %s", n, n == 1 ? "" : "s", which);
    return SL_OK;
}

static int run(int argc, char **argv)
{
    bool json = false, exit_code = false;
    const char *against = NULL;
    const struct sl_option options[] = {{"json", 0, SL_OPTION_FLAG, &json},
                                        {"against", 0, SL_OPTION_TEXT, &against},
                                        {"exit-code", 0, SL_OPTION_FLAG, &exit_code},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    struct sl_campaign campaign;
    int words, used;
    SL_TRY(
        sl_options_words(options, argc, argv, 0, 1, "report [CAMPAIGN] [--against OTHER]", &words));
    SL_TRY(sl_select_campaign(argv + 1, words, &campaign, &used));
    int code = words > used ? SL_FAIL(SL_EUSAGE, "%s is not a campaign", argv[1])
                            : write_report(&campaign, against, json);
    if (code == SL_OK && sl_campaign_check_recipes(&campaign) != SL_OK)
        sl_log(SL_LOG_WARN, "%s", sl_error_text());
    if (code == SL_OK && exit_code) code = verdict(&campaign);
    sl_campaign_release(&campaign);
    return code;
}

const struct sl_verb sl_verb_report = {
    .name = "report",
    .group = SL_VERB_results,
    .usage = "[CAMPAIGN] [--against OTHER] [--exit-code] [--json]",
    .about = "write report/index.html from what the campaign holds now, and print its path",
    .help = "  --against OTHER   compare with the ensemble of another campaign: its curves in the "
            "figures,\n"
            "                    both means and their difference in standard errors in the tables\n"
            "  --exit-code       1 when one of the page's checks failed\n"
            "  --json            the path for programs, with a version number",
    .run = run,
};
