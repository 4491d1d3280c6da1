/* campaign.h - a campaign's directory: frozen recipe, table of members, places of files.
 *
 * Generation g of the table is slots/<g>.tsv, made from the recipe slots/<g>.yaml and never
 * changed: it ends with its checksum, and names that of its recipe. `extend` adds a generation.
 * recipe.yaml is the recipe of the newest one. All paths are relative to the directory, so that an
 * idle campaign may be moved or copied.
 *
 * Shapes  member[0 .. n-1] in order of their making
 * Units   seconds, bytes
 * Errors  SL_EUSAGE for a directory that is no campaign, SL_EINPUT for a damaged table or recipe
 * Owns    what sl_campaign_release frees
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_CAMPAIGN_H
#define SL_PIPELINE_CAMPAIGN_CAMPAIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "pipeline/base/disk.h"
#include "pipeline/campaign/recipe.h"
#include "pipeline/campaign/stage.h"

struct sl_config;

struct sl_member {
    const char *id;    /* name of its directory */
    const char *label; /* what tells it from the others: "seed=3 turbulence.mach=10" */
    int generation;
    int64_t index; /* within the recipe of its generation */
    int ranks[SL_MEMBER_STAGES], retries;
    /* what ranks follow from: of all stages; of each, 0: those of all, one of own */
    int common, by_stage[SL_MEMBER_STAGES];
    bool ic;           /* has the stage ic */
    unsigned commands; /* of enum sl_command_kind: those that the recipe has */
    double cells;
};

struct sl_campaign {
    char dir[SL_PATH_MAX];
    char name[72];
    struct sl_member *member; /* owned */
    int n, capacity, generations;
    char **text; /* owned: one table per generation, rows point into it */
};

/* Opens the campaign in dir; NULL: the working directory. */
int sl_campaign_open(const char *dir, struct sl_campaign *campaign);
void sl_campaign_release(struct sl_campaign *campaign);
/* Is there a campaign in dir? */
bool sl_campaign_is(const char *dir);

/* Makes the campaign of a recipe in dir, or in ./NAME when dir is NULL. One that is there is opened
 * when it was made from the same recipe, or one that differs in keys that may change (settings.h),
 * and is replaced while none of its members has begun; otherwise, or when dir holds other files,
 * SL_EGUARD. fits (executor.h) is asked before anything is made or replaced. */
struct sl_order;
typedef int sl_campaign_fits(struct sl_recipe *recipe, const struct sl_order *order);
int sl_campaign_make(struct sl_recipe *recipe, const char *dir, sl_campaign_fits *fits,
                     const struct sl_order *order, struct sl_campaign *campaign);
/* Adds the members of `grown` that are not there yet; *added receives their number. SL_EGUARD when
 * they have no member in common, unless `same`: it is known to differ in the sweep alone. */
int sl_campaign_extend(struct sl_campaign *campaign, struct sl_recipe *grown, bool same,
                       int *added);
/* Whether slots/<g>.yaml is not what table g was made from: then nothing of the campaign runs. */
struct sl_recipe_lost {
    char what[SL_PATH_MAX + 64], way[160]; /* a sentence; what to do, without a full stop */
};
bool sl_campaign_recipe_lost(const struct sl_campaign *campaign, int generation,
                             struct sl_recipe_lost *lost);
/* SL_EINPUT, with the way out, when that of a generation is lost. */
int sl_campaign_check_recipes(const struct sl_campaign *campaign);
/* Warns when recipe.yaml is not the newest recipe: somebody has edited it, and nothing goes by
 * that. */
void sl_campaign_log_edited(const struct sl_campaign *campaign);
/* Path of the newest recipe, and of that of generation 1 .. campaign->generations, as they were
 * given: sl_settings_open (settings.h) adds what was changed since. */
int sl_campaign_recipe(const struct sl_campaign *campaign, char path[SL_PATH_MAX]);
int sl_campaign_recipe_of(const struct sl_campaign *campaign, int generation,
                          char path[SL_PATH_MAX]);

/* Whether the member, or the campaign, has a stage. */
bool sl_member_has(const struct sl_member *member, int stage);
bool sl_campaign_has(const struct sl_campaign *campaign, int stage);
/* The commands of a member with these values, as bits. */
unsigned sl_member_commands(const struct sl_config *cfg);
/* Most ranks of a stage of the member. */
int sl_member_ranks(const struct sl_member *member);
/* Row of a member's id, -1 when there is none. */
int sl_campaign_find(const struct sl_campaign *campaign, const char *id);
int sl_campaign_home(char home[SL_PATH_MAX], const struct sl_campaign *campaign, int member);
/* Path of its run.yaml; SL_EGUARD when that, or a directory on the way to it, is a link. */
int sl_campaign_run_path(char path[SL_PATH_MAX], const struct sl_campaign *campaign, int member);
/* Values of a member: from its run.yaml, or from the recipe while that is not written. Member -1:
 * those that rule the stages of the campaign, of the first member by the recipe and the settings;
 * its run.yaml does not follow `sluice set` once it is done. */
int sl_campaign_config(const struct sl_campaign *campaign, int member, struct sl_config *cfg);
/* From the recipe and the settings, whatever run.yaml says. */
int sl_campaign_config_new(const struct sl_campaign *campaign, int member, struct sl_config *cfg);
/* The same from the recipe, for many members: a recipe is opened once per generation, not once per
 * member. The caller's, zero at first. */
struct sl_values {
    struct sl_recipe *recipe; /* owned */
    int generation;           /* that it made */
};
int sl_values_of(const struct sl_campaign *campaign, int member, struct sl_values *values,
                 struct sl_config *cfg);
void sl_values_release(struct sl_values *values);
/* Makes the member's directories and run.yaml when they are not there; SL_EINPUT for a run.yaml
 * that is not what the recipe says, and for an input file that is damaged. In lines of keys that
 * may change it is made what the recipe and the settings say, where the last record (record.h) does
 * not hold them. */
int sl_campaign_prepare(const struct sl_campaign *campaign, int member);
/* The same, and a run.yaml that is refused is made again. */
int sl_campaign_mend(const struct sl_campaign *campaign, int member);
/* Whether run.yaml is what the recipe and the settings say now, in all lines. */
bool sl_campaign_run_is_current(const struct sl_campaign *campaign, int member);

#endif
