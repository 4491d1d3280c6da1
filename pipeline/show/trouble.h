/* trouble.h - what is wrong with a campaign as a whole, whatever its members do: a recipe that was
 * changed by hand, an ensemble.target that its members cannot meet, checks that failed in its
 * report.
 *
 * Shapes  list[0 .. n-1]
 * Units   none
 * Errors  none
 * Owns    nothing; what sl_trouble_json returns is the caller's
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#ifndef SL_PIPELINE_SHOW_TROUBLE_H
#define SL_PIPELINE_SHOW_TROUBLE_H

#include <jansson.h>
#include <stdio.h>

#include "pipeline/campaign/executor.h"

enum { SL_TROUBLES = 5 };

struct sl_trouble {
    const char *id;                   /* recipe, journal, target, queue, checks */
    char sentence[SL_PATH_MAX + 600]; /* what is wrong */
    char mend[SL_PATH_MAX + 400];     /* what to do */
};

/* Returns their number; how: the queue is looked at. */
int sl_trouble_find(const struct sl_campaign_state *state, enum sl_queue_ask how,
                    struct sl_trouble list[SL_TROUBLES]);
/* Two lines for each; returns their number. */
int sl_trouble_print(FILE *out, const struct sl_campaign_state *state, enum sl_queue_ask how);
/* [{id, sentence, mend}] */
json_t *sl_trouble_json(const struct sl_campaign_state *state, enum sl_queue_ask how);

#endif
