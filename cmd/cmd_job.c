/* cmd_job.c - sluice job: one task of an array, as the batch script of `sluice submit` starts it.
 *
 * Shapes  none
 * Units   none
 * Errors  those of the attempt (pipeline/slurm/job.h)
 * Owns    nothing
 * MPI     none: starts MPI programs
 * Where   host
 * Refs    none
 * Tests   tests/slurm
 */
#include <stdlib.h>

#include "cmd/verb.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/base/options.h"
#include "pipeline/slurm/job.h"

static int run(int argc, char **argv)
{
    const struct sl_option options[] = {{NULL, 0, SL_OPTION_FLAG, NULL}};
    struct sl_campaign campaign;
    int words;
    SL_TRY(sl_options_words(options, argc, argv, 3, 3, "job CAMPAIGN STAGE GENERATION", &words));
    int stage = sl_stage_find(argv[2]);
    SL_CHECK(stage >= 0, SL_EUSAGE, "unknown stage '%s'", sl_quote(argv[2]).text);
    SL_TRY(sl_campaign_open(argv[1], &campaign));
    int code = sl_slurm_job(&campaign, (enum sl_stage)stage, (int)strtol(argv[3], NULL, 10));
    sl_campaign_release(&campaign);
    return code;
}

const struct sl_verb sl_verb_job = {.name = "job",
                                    .usage = "CAMPAIGN STAGE GENERATION",
                                    .about = "", /* not for people */
                                    .help = "",
                                    .run = run};
