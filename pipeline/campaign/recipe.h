/* recipe.h - a recipe: keys that all members share, and the sweep that makes them differ.
 *
 * Members are computed from their index, so a recipe of a million members costs no more than one of
 * ten until they are looked at. Indices count from 0 in the order of sweep.h; they stay the same
 * when values are added at the end of the first axis. Where that cannot be promised, members are
 * matched by their content (sl_recipe_added).
 *
 * Shapes  index 0 .. sl_recipe_count - 1
 * Units   base of each key's unit
 * Errors  SL_EINPUT with file:line:column, SL_EMEM, SL_EGUARD
 * Owns    everything it was read from
 * MPI     local
 * Where   host
 * Refs    FIPS 180-4 (SHA-256)
 * Tests   tests/unit/sweep.c, tests/fuzz/recipe.c, tests/cli/recipe.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_RECIPE_H
#define SL_PIPELINE_CAMPAIGN_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_config;
struct sl_inputs;
struct sl_recipe;

enum {
    SL_MEMBERS_LOOKED = 100000, /* at once, before they are made */
    SL_MEMBERS_ASK = 10000,     /* more members than this need a confirmation */
    SL_MEMBER_ID_MAX = 24,
    SL_HASH_TEXT = 65 /* 64 hexadecimal digits and a NUL */
};

/* Reads and checks a recipe, with member 0 as the sample; sl_recipe_check looks at all. Overrides
 * are "key=value"; "sweep.KEY=values" replaces or adds an axis, "sample.points=n" and its like
 * change a sample, and a plain override of a swept key ends its sweep. */
int sl_recipe_open(const char *path, char *const *overrides, int n, struct sl_recipe **out);
/* The same, but a recipe with something wrong is there, too, for sl_recipe_values; *out is NULL
 * where not even its sweep can be read. */
int sl_recipe_open_anyway(const char *path, char *const *overrides, int n, struct sl_recipe **out);
/* The same from bytes; name stands for the path in messages. */
int sl_recipe_parse(const char *name, const char *bytes, size_t size, char *const *overrides, int n,
                    struct sl_recipe **out);
void sl_recipe_close(struct sl_recipe *recipe);

int64_t sl_recipe_count(const struct sl_recipe *recipe);

/* SL_EGUARD, with the way to confirm in the text, when there are more members than `most` (pass
 * SL_MEMBERS_ASK, or the count itself after --yes). */
int sl_recipe_confirm(const struct sl_recipe *recipe, int64_t most);

/* Resolves and checks one member; sets run.member, run.recipe_hash, and run.input to "ic.h5" for a
 * problem with an ic stage. The recipe is its work space: not for two threads at once. */
int sl_recipe_member(struct sl_recipe *recipe, int64_t index, struct sl_config *cfg);
/* The values alone, which may break rules. */
int sl_recipe_values(struct sl_recipe *recipe, int64_t index, struct sl_config *cfg);

/* Resolves and checks every member; of more than SL_MEMBERS_LOOKED so many, spread over all. */
int sl_recipe_check(struct sl_recipe *recipe);
/* From one member to the next of those. */
int64_t sl_recipe_step(const struct sl_recipe *recipe);

/* "0007": the directory name of a member when the campaign was made. */
void sl_member_id(int64_t index, char id[SL_MEMBER_ID_MAX]);

/* The swept keys of a member with their values, "seed=3 turbulence.mach=5"; "" without a sweep.
 * Returns the full length; out holds what fits. */
size_t sl_recipe_label(const struct sl_recipe *recipe, const struct sl_config *cfg, char *out,
                       size_t size);

/* The text that a campaign keeps: the file as it is, or, when something was overridden, the same
 * recipe written anew with the overrides in it. Borrowed. Its SHA-256. */
const char *sl_recipe_frozen(const struct sl_recipe *recipe, size_t *size);
const char *sl_recipe_hash(const struct sl_recipe *recipe);
void sl_recipe_hash_of(const char *text, size_t size, char hash[SL_HASH_TEXT]);
/* For a recipe that is another one but for keys that the results do not depend on. */
void sl_recipe_set_hash(struct sl_recipe *recipe, const char *hash);

/* What a member is, whatever its index and name: SHA-256 of its resolved keys without run.* and
 * ensemble.*. */
int sl_config_content(const struct sl_config *cfg, char hash[SL_HASH_TEXT]);

/* Whether every member of `old` is a member of `grown` too. When not, *why (of size bytes) names
 * the key that differs or the member that is missing. */
int sl_recipe_same_but_members(struct sl_recipe *old, struct sl_recipe *grown, bool *same,
                               char *why, size_t size);

/* Indices in `grown` of the members that `old` does not have, ascending, in an array made with
 * malloc. */
int sl_recipe_added(struct sl_recipe *old, struct sl_recipe *grown, int64_t **index,
                    int64_t *count);

/* Whether this run begins with an ic stage. */
bool sl_config_needs_ic(const struct sl_config *cfg);

/* The inputs, for messages that point at a key. Borrowed. */
const struct sl_inputs *sl_recipe_inputs(const struct sl_recipe *recipe);
bool sl_recipe_sweeps(const struct sl_recipe *recipe, int key);
/* Whether its sample has other points when it has more of them. */
bool sl_recipe_is_fixed(const struct sl_recipe *recipe);

#endif
