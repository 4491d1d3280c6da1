/* nearest.h - the campaign or recipe beside it that was meant by a path where there is none.
 *
 * Shapes  none
 * Units   none
 * Errors  none: "" where nothing is near
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh, tests/cli/inspect.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_NEAREST_H
#define SL_PIPELINE_CAMPAIGN_NEAREST_H

#include "pipeline/base/disk.h"

enum { SL_NEAREST_MAX = SL_PATH_MAX + 32 };

/* "; did you mean small?", for the end of a message, of a campaign in the directory of path. That
 * of a recipe is near its name, so that small.yaml means small. */
void sl_nearest_campaign(const char *path, char text[SL_NEAREST_MAX]);

/* Passes on the failure to read a recipe; where there is no such file, with the nearest recipe or
 * campaign. */
int sl_nearest_recipe(const char *path, int code);
/* Likewise to read any file. */
int sl_nearest_file(const char *path, int code);

#endif
