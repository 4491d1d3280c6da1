/* own_mean.h - means over the members of a group of the tables that their commands wrote
 * (members/<id>/own/), in the place of the same name below own/ of the group's results.
 *
 * A table with the columns x, a, b becomes x, a_mean, a_std, b_mean, b_std: arithmetic mean and
 * standard deviation of a member (with n - 1), over the members that have a number there. Columns
 * without numbers are left out.
 *
 * Shapes  none
 * Units   those of the tables
 * Errors  SL_EIO, SL_EMEM; a table that the members do not share is no error, the log says why it
 *         is left out
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/stages.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_OWN_MEAN_H
#define SL_PIPELINE_CAMPAIGN_OWN_MEAN_H

#include "pipeline/campaign/campaign.h"

/* Adds them to an ensemble that was just made; log: descriptor for what was left out. */
int sl_own_mean(const struct sl_campaign *campaign, int log);

/* Whether a file of products is a CSV file, by its name. */
bool sl_own_is_csv(const char *path);

#endif
