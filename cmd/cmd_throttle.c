/* cmd_throttle.c - sluice throttle: how many members of each array may run at once.
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
#include <stdlib.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/options.h"
#include "pipeline/select.h"
#include "pipeline/slurm_control.h"

static int run(int argc, char **argv)
{
    const struct sl_option options[] = {{NULL, 0, SL_OPTION_FLAG, NULL}};
    struct sl_campaign campaign;
    int words, used, n;
    SL_TRY(sl_options_words(options, argc, argv, 1, 2, "throttle [CAMPAIGN] N", &words));
    const char *text = argv[words];
    SL_CHECK(*text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 8, SL_EUSAGE,
             "throttle takes a number, not '%s'", sl_quote(text).text);
    SL_TRY(sl_select_campaign(argv + 1, words - 1, &campaign, &used));
    int code = sl_slurm_control(&campaign, SL_CONTROL_THROTTLE, NULL, strtoll(text, NULL, 10), &n);
    if (code == SL_OK) printf("%d arrays: %s members of each may run at once\n", n, text);
    sl_campaign_release(&campaign);
    return code;
}

const struct sl_verb sl_verb_throttle = {.name = "throttle",
                                         .usage = "[CAMPAIGN] N",
                                         .about =
                                             "how many members of an array may run at once (Slurm)",
                                         .help = "  N   0 stands for as many as fit",
                                         .run = run};
