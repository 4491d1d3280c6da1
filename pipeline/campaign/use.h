/* use.h - what attempts at each stage took of the time and the memory that they had asked for
 * (struct sl_use of the state).
 *
 * Shapes  none
 * Units   shares of what was asked for; bytes of a rank, the fullest one
 * Errors  none
 * Owns    nothing; what sl_use_json returns is the caller's
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/slurm_memory.c, tests/slurm/memory.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_USE_H
#define SL_PIPELINE_CAMPAIGN_USE_H

#include <jansson.h>

#include "pipeline/campaign/state.h"

/* Share of the wall time, of the memory that was asked for; -1 where nothing tells. */
double sl_use_time(const struct sl_use *use);
double sl_use_memory(const struct sl_use *use);

/* "of the wall time requested sim took 12 %, stats 3 %; of the memory sim 24 % (61 MB), stats 20 %
 * (50 MB)"; "" when nothing was asked for, as on one machine. */
void sl_use_say(const struct sl_campaign_state *state, char *text, size_t size);
/* {STAGE: {attempts, time, memory: shares or null, most_bytes: 0 unknown}} */
json_t *sl_use_json(const struct sl_campaign_state *state);

#endif
