/* settings.h - keys that were changed after a campaign was made: slots/settings, lines "key=value".
 *
 * The recipes of a campaign stay as they were given (slots/NNNN.yaml); what `sluice set` changed is
 * kept beside them and wins over them. Only keys that the results do not depend on may change:
 * resources.* without resources.precision, slurm.*, notify.*, stages.*, and those of output.* that
 * leave the times of snapshots and of the history alone.
 *
 * Shapes  none
 * Units   as in a recipe
 * Errors  SL_EUSAGE, SL_EINPUT, SL_EGUARD for a key that may not change, SL_EAGAIN while the
 *         campaign is at work
 * Owns    struct sl_settings its list
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_SETTINGS_H
#define SL_PIPELINE_CAMPAIGN_SETTINGS_H

#include "pipeline/campaign/campaign.h"

struct sl_key;

enum { SL_SETTINGS_MAX = 64 };

struct sl_settings {
    char *word[SL_SETTINGS_MAX]; /* owned: "key=value", values as sl_key_print writes them */
    int n;
};

/* Whether `sluice set` may change this key. */
bool sl_settings_may(const struct sl_key *key);

/* Reads those of the campaign in dir; none when nothing was ever changed. */
int sl_settings_read(const char *dir, struct sl_settings *settings);
void sl_settings_release(struct sl_settings *settings);

/* Opens a recipe of the campaign in dir with its settings over it; its hash is that of the recipe
 * as it was given. */
int sl_settings_open(const char *dir, const char *path, struct sl_recipe **recipe);

/* Gives cfg, the values of a member, the mesh.block that it began with: one that nobody gave was
 * chosen for the ranks of that moment. What has not begun keeps that of cfg. */
int sl_settings_keep_block(const struct sl_campaign *campaign, int member, struct sl_config *cfg);

/* Changes the keys of the n words "key=value" for all members that are not done, and keeps that. */
int sl_settings_change(struct sl_campaign *campaign, char *const *words, int n);

/* When `recipe` has the members of the campaign and differs in keys that may change alone: changes
 * these, *same is true. Else `other` says which key may not change, and its values, "" where it is
 * swept: there the members are others. */
enum { SL_OTHER_MAX = 400 };
int sl_settings_adopt(struct sl_campaign *campaign, struct sl_recipe *recipe, bool *same,
                      char other[SL_OTHER_MAX]);

#endif
