/* links.h - nothing of a campaign is written through a symbolic link that lies in the place of a
 * folder or file of its own.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EGUARD with the link
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/hostile.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_LINKS_H
#define SL_PIPELINE_CAMPAIGN_LINKS_H

#include "pipeline/campaign/campaign.h"

/* Refuses when a link lies where the stage of a member, -1: of the campaign, writes. */
int sl_links_check(const struct sl_campaign *campaign, enum sl_stage stage, int member);

#endif
