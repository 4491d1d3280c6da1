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
#ifndef SL_PIPELINE_CAMPAIGN_SELECT_H
#define SL_PIPELINE_CAMPAIGN_SELECT_H

#include "pipeline/campaign/executor.h"
#include "pipeline/campaign/state.h"

/* Opens the campaign that words[0] names, or the working directory's; *used receives the number of
 * words that it took. */
int sl_select_campaign(char **words, int n, struct sl_campaign *campaign, int *used);

/* The campaign that the words of `run` or `submit` mean: RECIPE [key=value...] is made into one (in
 * dir, or as the recipe names it, when dir is NULL) or is one that was made from it; anything else
 * is a campaign, whose recipe is frozen but for keys that may change (CAMPAIGN key=value). `many`:
 * more members than SL_MEMBERS_ASK are meant. What the executor of `verb` can never run as `order`
 * says is refused before anything is made. */
struct sl_making {
    const char *dir, *verb;
    const struct sl_order *order; /* borrowed */
    bool many;
};
int sl_select_make(const struct sl_making *how, char **words, int n, struct sl_campaign *campaign);
/* Do the words begin with a recipe, and not with a campaign? */
bool sl_select_is_recipe(char **words, int n);

/* The members that the words after a campaign mean: campaign, state and marks (owned by the
 * caller). Without words for members, all are marked when `all`. */
struct sl_selection {
    struct sl_campaign campaign;
    struct sl_campaign_state state;
    bool *picked;
    int words; /* words for members that were given */
};
int sl_selection_open(char **words, int n, bool all, struct sl_selection *selection);
void sl_selection_close(struct sl_selection *selection);

/* How a person would name the campaign in a command: "" for the working directory, else its path
 * with a space before it. */
int sl_select_say(const struct sl_campaign *campaign, char text[SL_PATH_MAX]);

#endif
