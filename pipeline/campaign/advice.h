/* advice.h - what is legal in a recipe and still not meant: keys without effect, levels that
 * nothing makes, ensembles of too few members, and tables that do not fit the universe.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EINPUT with the place of the key for a table that cannot be used, SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/recipe.sh, tests/cli/inspect.sh, tests/cli/levels.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_ADVICE_H
#define SL_PIPELINE_CAMPAIGN_ADVICE_H

#include "pipeline/campaign/filling.h"

/* Calls each() with a sentence for every key that the recipe gives and that no member uses, and for
 * keys that do not work well together. */
void sl_advice_keys(struct sl_recipe *recipe, const struct sl_config *first,
                    void (*each)(const char *text, void *user), void *user);

/* Calls each() with a sentence for an ensemble.min, or an ensemble.target, that the members of the
 * recipe are too few for, or that lacks its statistics. Of more than SL_MEMBERS_ASK members it
 * counts none. */
int sl_advice_ensemble(struct sl_recipe *recipe, const struct sl_config *first,
                       void (*each)(const char *text, void *user), void *user);

/* Calls each() with a sentence for levels and rules of mesh.refine that are of no use: none at all,
 * or none at the start, which filling tells of. cfg: the member that it is of. */
void sl_advice_levels(const struct sl_recipe *recipe, const struct sl_config *cfg,
                      const struct sl_filling *filling, void (*each)(const char *text, void *user),
                      void *user);

/* Reads the tables of each member as its stages will: makes the power spectrum of a universe from
 * cosmology.file and ic.table and holds them against cosmology, redshift, box and normalisation;
 * reads cooling.table and turbulence.table. Members that differ in seeds alone are looked at once.
 */
int sl_advice_inputs(struct sl_recipe *recipe);

/* Calls each() with a sentence for whatever is to be known of the tables of the first member, with
 * `all` also for sigma8 of its universe and a table of cooling beside the gas of the start, as the
 * solver has it. Says nothing of tables that cannot be used. */
void sl_advice_tables(const struct sl_recipe *recipe, const struct sl_config *first, bool all,
                      void (*each)(const char *text, void *user), void *user);

/* The same of a member that was made, by the run.yaml of its directory and the copies that it
 * names; nothing where these cannot be read. */
void sl_advice_member(const char *dir, void (*each)(const char *text, void *user), void *user);

/* Lets the solver look at the file of each member of problem array, and at starts and white noise
 * of other codes, and refuses what it would refuse. Members that are alike in what matters are
 * looked at once, and of many the first 32. */
int sl_advice_fields(struct sl_recipe *recipe);

#endif
