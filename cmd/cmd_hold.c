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
#include "pipeline/slurm/hold.h"

static int run(int argc, char **argv)
{
    return sl_hold_run(SL_CONTROL_HOLD, "hold [CAMPAIGN] [MEMBER...]", argc, argv);
}

const struct sl_verb sl_verb_hold = {
    .name = "hold",
    .group = SL_VERB_cluster,
    .usage = "[CAMPAIGN] [MEMBER...] [--json]",
    .about = "keep waiting members from starting; running ones continue (Slurm)",
    .help = sl_hold_help,
    .run = run};
