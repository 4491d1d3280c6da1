/* advice.h - what is legal in a recipe and still not meant: keys without effect, and tables that do not fit the universe.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EINPUT with the place of the key for a table that cannot be used, SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/recipe.sh, tests/cli/inspect.sh
 */
#ifndef SL_PIPELINE_ADVICE_H
#define SL_PIPELINE_ADVICE_H

#include "pipeline/recipe.h"

/* Calls each() with a sentence for every key that the recipe gives and that its first member does not use. */
void sl_advice_keys(const struct sl_recipe *recipe, const struct sl_config *first,
                    void (*each)(const char *text, void *user), void *user);

/* Makes the power spectrum of each member of problem cosmology as its ic stage will: reads cosmology.file and ic.table and holds
 * them against cosmology, redshift, box and normalisation. Members that differ in seeds alone are looked at once. */
int sl_advice_universe(struct sl_recipe *recipe);

#endif
