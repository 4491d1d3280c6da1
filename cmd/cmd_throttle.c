/* cmd_throttle.c - sluice throttle: how many members may run at once, shared by the arrays.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE, SL_EUNAVAIL
 * Owns    nothing
 * MPI     none
 * Where   host that may call scontrol
 * Refs    none
 * Tests   tests/slurm/control.sh
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/executor.h"
#include "pipeline/campaign/select.h"

static int print_throttle(const struct sl_campaign *campaign, int arrays, long long most, bool json)
{
    if (json)
        return sl_json_print(json_pack("{s:i, s:s, s:i, s:I}", "v", 1, "campaign", campaign->name,
                                       "arrays", arrays, "throttle", (json_int_t)most));
    printf("%d arrays: %lld members may run at once\n", arrays, most);
    return SL_OK;
}

static int run(int argc, char **argv)
{
    bool json = false;
    const struct sl_option options[] = {{"json", 0, SL_OPTION_FLAG, &json},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    struct sl_campaign campaign;
    int words, used, n;
    SL_TRY(sl_options_words(options, argc, argv, 1, 2, "throttle [CAMPAIGN] N", &words));
    const char *text = argv[words];
    SL_CHECK(*text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 8, SL_EUSAGE,
             "throttle takes a number, not '%s'", sl_quote(text).text);
    long long most = strtoll(text, NULL, 10);
    SL_TRY(sl_select_campaign(argv + 1, words - 1, &campaign, &used));
    int code = sl_executor_of(&campaign)->control(&campaign, SL_CONTROL_THROTTLE, NULL, most, &n);
    if (code == SL_OK) code = print_throttle(&campaign, n, most, json);
    sl_campaign_release(&campaign);
    return code;
}

const struct sl_verb sl_verb_throttle = {.name = "throttle",
                                         .group = SL_VERB_cluster,
                                         .usage = "[CAMPAIGN] N [--json]",
                                         .about = "limit how many members run at once (Slurm)",
                                         .help = "  N        largest number; 0: as many as fit\n"
                                                 "  --json   {v, campaign, arrays, throttle}",
                                         .run = run};
