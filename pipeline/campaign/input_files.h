/* input_files.h - the input files that a recipe names, kept within the campaign.
 *
 * A path in a recipe is relative to the recipe's directory (on the command line: to the working
 * directory). The campaign holds a copy of each such file, so that it may be moved and that the
 * original may change, and each member's run.yaml names the copy. slots/inputs.tsv says which copy,
 * inputs/<checksum>-<name>, stands for which path. So it is with words of the commands of stages.*
 * that name a file; their program is copied where it is a script, and else named by its path from
 * the root.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EINPUT with the place in the recipe for a file that cannot be read; SL_EIO
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/inputs.sh, tests/cli/stages.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_INPUT_FILES_H
#define SL_PIPELINE_CAMPAIGN_INPUT_FILES_H

#include "core/config/choices.h"
#include "pipeline/base/disk.h"
#include "pipeline/campaign/recipe.h"

struct sl_inputs;
struct sl_mark;

/* Copies what the recipe's members name and dir does not hold yet. */
int sl_input_files_copy(const char *dir, struct sl_recipe *recipe);
/* Copies what this key, -1: every key, names as it is now, whatever dir holds for it. */
int sl_input_files_renew(const char *dir, struct sl_recipe *recipe, int key);
/* Notes files of commands that are not what they were when they were copied. */
void sl_input_files_log_changes(const char *dir, struct sl_recipe *recipe);
/* The call by which the campaign in dir, a path from the root, takes the files of a command as they
 * are now. */
void sl_input_files_say_set(const char *dir, const char *key, const char *command, char *text,
                            int size);
/* The value of a key of stages.* with its files named by paths from the root, so that it may be
 * given at another place. */
int sl_input_files_absolute(struct sl_recipe *recipe, int key, char value[SL_TEXT_MAX]);

/* Where a path that is written at this place leads: it is relative to the recipe's directory. */
int sl_input_files_source(const char *value, struct sl_mark at, char source[SL_PATH_MAX]);

/* Makes the paths of a member's configuration lead from the working directory where the recipe's
 * lead, unless they are too long for it. */
void sl_input_files_from_here(const struct sl_inputs *in, struct sl_config *cfg);

/* Makes slots/inputs.tsv again, or does without it, where it is damaged or gone: the names of the
 * copies tell the ends of their paths. A warning says so, or that several copies have one end. */
void sl_input_files_mend(const char *dir);

/* Whether all that the recipe's members name can be read, programs of commands and notify.program
 * can be started, tables fit the universe, and fields the run (advice.h); refused (SL_EINPUT) with
 * its place. */
int sl_input_files_check(struct sl_recipe *recipe);

/* Whether notify.program is there and can be started: where it is, as it is called there, and
 * looked for here, as programs of commands are: nodes have the same files and PATH. */
int sl_input_files_notify(struct sl_recipe *recipe);

/* Makes the paths of a member's configuration name the copies, as seen from members/<id>/. */
int sl_input_files_resolve(const char *dir, struct sl_config *cfg);

/* Compares the copies that a member's resolved configuration names with the checksums in their
 * names; home is the member's directory. SL_EINPUT for one that is damaged. */
int sl_input_files_verify(const char *home, struct sl_config *cfg);

/* Calls f with what is wrong with each copy of the campaign in dir that is damaged or gone, and
 * with what hinders looking at them. */
void sl_input_files_find_lost(const char *dir, void (*f)(void *of, const char *what), void *of);

#endif
