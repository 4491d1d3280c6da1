/* own.h - commands of one's own (stages.* of the recipe): what an attempt at the stages own and
 * summary runs, and where.
 *
 * Each command works in an empty directory. Those of an attempt lie in own.part/ (summary.part/),
 * which is renamed to own/ (summary/) when the last command ended well, so that nothing half done
 * is ever in the place of products. A snapshot's command has the directory of its number, the
 * member's, which comes after them, the one above.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EINPUT for a command that cannot be, or that wrote nothing; SL_EIO, SL_EMEM
 * Owns    struct sl_own its list of snapshots
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/stages.sh, tests/slurm/stages.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_OWN_H
#define SL_PIPELINE_CAMPAIGN_OWN_H

#include <jansson.h>

#include "pipeline/campaign/campaign.h"
#include "pipeline/launch/child.h"

struct sl_own {
    const struct sl_campaign *campaign; /* borrowed */
    const struct sl_config *cfg;        /* borrowed; its commands name kept files */
    enum sl_stage stage;
    char home[SL_PATH_MAX];
    char **snapshot; /* owned: names of the files, in order */
    int snapshots;
    int at;         /* commands that were begun */
    char what[100]; /* the one begun last: "stages.snapshot of 0003" */
};

/* Whether a stage is made of commands. */
bool sl_own_is(enum sl_stage stage);
/* Name of the directory of its products. */
const char *sl_own_place(enum sl_stage stage);

/* Finds what there is to run, removes what a killed attempt left, and sets the variables that
 * commands get: OMP_NUM_THREADS, and PYTHONPATH so that `import sluice` finds sluice.py. */
int sl_own_begin(struct sl_own *own, const struct sl_campaign *campaign,
                 const struct sl_config *cfg, enum sl_stage stage, const char *home);
/* The next command and its directory, which is made; args stays empty when there is no further
 * one. */
int sl_own_next(struct sl_own *own, struct sl_args *args, char dir[SL_PATH_MAX]);
/* Puts the products in their place, once all commands ended well. */
int sl_own_end(const struct sl_own *own);
void sl_own_release(struct sl_own *own);

/* The commands of the stage, with the files that they name, for its end-record. */
json_t *sl_own_commands(const struct sl_config *cfg, enum sl_stage stage);

/* A number that changes when the summary would be one of other members, of another ensemble, or by
 * another command. */
int64_t sl_own_mark(const struct sl_campaign *campaign);
/* Is there a summary of just these? */
bool sl_own_current(const struct sl_campaign *campaign);

#endif
