/* cmd_rank.c - sluice rank: shows a rank its own GPU alone, and becomes the program that is named.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE, SL_EUNAVAIL when the program cannot be started
 * Owns    nothing
 * MPI     none: the program makes its own calls
 * Where   host of a rank
 * Refs    none
 * Tests   tests/slurm/launch.sh
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "pipeline/launch/launch.h"

enum { LIST_MAX = 4096 };

/* The devices of the node go to its ranks in turn. */
static int show_own(void)
{
    char own[LIST_MAX];
    const char *all = getenv("CUDA_VISIBLE_DEVICES");
    int devices = all && *all ? 1 : 0;
    for (const char *c = devices ? all : ""; *c; c++)
        devices += *c == ',';
    if (devices < 2) return SL_OK; /* nothing to choose from */
    sl_launch_devices(all, sl_launch_local_rank() % devices, devices, own, sizeof own);
    SL_CHECK(setenv("CUDA_VISIBLE_DEVICES", own, 1) == 0, SL_EMEM, "no memory");
    return SL_OK;
}

static int run(int argc, char **argv)
{
    SL_CHECK(argc >= 2, SL_EUSAGE, "usage: sluice rank PROGRAM [ARGUMENT...]");
    SL_TRY(show_own());
    execv(argv[1], argv + 1);
    return SL_FAIL(SL_EUNAVAIL, "cannot start %s: %s", argv[1], strerror(errno));
}

const struct sl_verb sl_verb_rank = {.name = "rank",
                                     .usage = "PROGRAM [ARGUMENT...]",
                                     .about = "", /* not for people */
                                     .help = "",
                                     .run = run};
