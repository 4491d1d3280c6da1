/* why.h - the chain of causes that brought a member where it is, and the command that mends it.
 *
 * Shapes  none
 * Units   seconds
 * Errors  SL_EIO, SL_EMEM
 * Owns    what sl_why_release frees
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#ifndef SL_PIPELINE_SHOW_WHY_H
#define SL_PIPELINE_SHOW_WHY_H

#include "pipeline/campaign/state.h"
#include "pipeline/campaign/whole.h"

enum { SL_WHY_LINKS = 64, SL_WHY_TAIL = 20 };

struct sl_why {
    char sentence[640];       /* what and where */
    char queue[300];          /* where Slurm has it; "" when it does not */
    char *link[SL_WHY_LINKS]; /* its attempts and events, newest first; owned */
    int links;
    char log[SL_PATH_MAX];            /* relative to the campaign; "" when there is none */
    char *tail;                       /* its last lines; owned, NULL when there is none */
    char mend[3 * SL_PATH_MAX + 400]; /* what to do; may name a folder three times */
};

int sl_why(const struct sl_campaign_state *state, int member, struct sl_why *why);
/* The same for a stage of the whole campaign that failed. */
int sl_why_whole(const struct sl_campaign_state *state, enum sl_stage stage,
                 const struct sl_whole *whole, struct sl_why *why);
void sl_why_release(struct sl_why *why);

/* The last `lines` lines of a file in a buffer made with malloc. */
int sl_why_tail(const char *path, int lines, char **text);

#endif
