/* cmd_release.c - sluice release: let go on what was held.
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
    return sl_hold_run(SL_CONTROL_RELEASE, "release [CAMPAIGN] [MEMBER...]", argc, argv);
}

const struct sl_verb sl_verb_release = {.name = "release",
                                        .group = SL_VERB_cluster,
                                        .usage = "[CAMPAIGN] [MEMBER...] [--json]",
                                        .about = "let held members start again (Slurm)",
                                        .help = sl_hold_help,
                                        .run = run};
