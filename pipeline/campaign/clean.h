/* clean.h - deletes files that a campaign no longer needs, and nothing else.
 *
 * Directories are opened one below the other from the campaign's own, without following links;
 * only files below members/ID/ of a listed member are touched, and only when the stage that needs
 * them is done. The end-record remembers what was deleted, so that `verify` still holds.
 *
 * Shapes  none
 * Units   bytes
 * Errors  SL_EIO, SL_EGUARD when a directory on the way is a link
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_CLEAN_H
#define SL_PIPELINE_CAMPAIGN_CLEAN_H

#include "pipeline/campaign/state.h"

/* X(name, path in a member's directory, stage whose product it is or -1, stage that must be done,
 * sentence) */
#define SL_CLEAN_LIST(X)                                                                           \
    X(checkpoints, "checkpoints", -1, SL_STAGE_sim, "checkpoints of runs that are done")           \
    X(snapshots, "snapshots", SL_STAGE_sim, SL_STAGE_stats,                                        \
      "snapshots of runs whose statistics are done")                                               \
    X(ic, "ic.h5", SL_STAGE_ic, SL_STAGE_sim, "initial fields of runs that are done")

#define SL_CLEAN_ENUM(name, path, product, after, about) SL_CLEAN_##name,
enum sl_clean { SL_CLEAN_LIST(SL_CLEAN_ENUM) SL_CLEAN_COUNT };

const char *sl_clean_name(enum sl_clean what);
/* Deletes (or only counts, when dry) one kind of file of one member; adds to *files and *bytes. */
int sl_clean(const struct sl_campaign_state *state, int member, enum sl_clean what, bool dry,
             int *files, double *bytes);

#endif
