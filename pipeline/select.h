/* select.h - which campaign and which members the words of a command line mean.
 *
 *   CAMPAIGN   a directory; left out: the working directory, when it is a campaign
 *   MEMBER     3   0003   3-9   seed=42 (as in the labels)   failed, running ... (a state)   all
 *
 * Shapes  picked[0 .. campaign->n-1]
 * Units   none
 * Errors  SL_EUSAGE with what would be right
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#ifndef SL_PIPELINE_SELECT_H
#define SL_PIPELINE_SELECT_H

#include "pipeline/state.h"

/* Opens the campaign that words[0] names, or the working directory's; *used receives the number of
 * words that it took. */
int sl_select_campaign(char **words, int n, struct sl_campaign *campaign, int *used);

/* Makes or opens the campaign that the words mean: a recipe with overrides (in dir, NULL for the
 * recipe's own name; yes: many members are meant), or a campaign. */
int sl_select_made(char **words, int n, const char *dir, bool yes, struct sl_campaign *campaign);

/* Marks the members that any of the words means. */
int sl_select_members(const struct sl_state *state, char **words, int n, bool *picked);

/* The same after opening: campaign, state and marks (owned by the caller). Without words for
 * members, all are marked when `all`. */
struct sl_selection {
    struct sl_campaign campaign;
    struct sl_state state;
    bool *picked;
    int words; /* words for members that were given */
};
int sl_selection_open(char **words, int n, bool all, struct sl_selection *selection);
void sl_selection_close(struct sl_selection *selection);

/* How a person would name the campaign in a command: "" for the working directory, else its path
 * with a space before it. */
int sl_select_say(const struct sl_campaign *campaign, char text[SL_PATH_MAX]);

#endif
