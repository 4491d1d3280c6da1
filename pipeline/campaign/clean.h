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

const char *sl_clean_name(enum sl_clean what);
/* Are the stages done that read it? What statistics read, commands of one's own may read, too. */
bool sl_clean_may(const struct sl_campaign_state *state, int member, enum sl_clean what);
/* Deletes (or only counts, when dry) one kind of file of one member, which nobody reads any more;
 * adds to *files and *bytes. */
int sl_clean(const struct sl_campaign *campaign, int member, enum sl_clean what, bool dry,
             int *files, double *bytes);

#endif
