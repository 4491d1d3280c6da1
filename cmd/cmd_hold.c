/* cmd_hold.c - sluice hold: keep what waits in the queue from starting; what runs goes on.
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
#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/options.h"
#include "pipeline/select.h"
#include "pipeline/slurm_control.h"

static int run(int argc, char **argv)
{
    const struct sl_option options[] = {{NULL, 0, SL_OPTION_FLAG, NULL}};
    struct sl_selection s;
    int words, n;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1, "hold [CAMPAIGN] [MEMBER...]", &words));
    SL_TRY(sl_selection_open(argv + 1, words, false, &s));
    int code = sl_slurm_control(&s.campaign, SL_CONTROL_HOLD, s.words > 0 ? s.picked : NULL, 0, &n);
    if (code == SL_OK) printf("%d %s: hold\n", n, s.words > 0 ? "tasks" : "jobs");
    sl_selection_close(&s);
    return code;
}

const struct sl_verb sl_verb_hold = {
    .name = "hold",
    .usage = "[CAMPAIGN] [MEMBER...]",
    .about = "keep what waits in the queue from starting; what runs goes on (Slurm)",
    .help = "  MEMBER   3, 3-9, seed=42, a state; default: all",
    .run = run};
