/* hold.c - see hold.h. */
#include "pipeline/slurm/hold.h"

#include <stdio.h>

#include "core/sys/status.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/select.h"

const char sl_hold_help[] =
    "  MEMBER   3, 3-9, seed=42, a state; default: all\n"
    "  --json   {v, campaign, done: \"hold\" or \"release\", of: \"jobs\" or \"tasks\", count}";

static int print_done(const struct sl_selection *s, const char *done, int n, bool json)
{
    const char *of = s->words > 0 ? "tasks" : "jobs";
    if (json)
        return sl_json_print(json_pack("{s:i, s:s, s:s, s:s, s:i}", "v", 1, "campaign",
                                       s->campaign.name, "done", done, "of", of, "count", n));
    printf("%d %s: %s\n", n, of, done);
    return SL_OK;
}

int sl_hold_run(enum sl_control what, const char *usage, int argc, char **argv)
{
    bool json = false;
    const struct sl_option options[] = {{"json", 0, SL_OPTION_FLAG, &json},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    struct sl_selection s;
    int words, n;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, usage, &words));
    SL_TRY(sl_selection_open(argv + 1, words, false, &s));
    int code = sl_executor_of(&s.campaign)
                   ->control(&s.campaign, what, s.words > 0 ? s.picked : NULL, 0, &n);
    if (code == SL_OK) code = print_done(&s, argv[0], n, json);
    sl_selection_close(&s);
    return code;
}
