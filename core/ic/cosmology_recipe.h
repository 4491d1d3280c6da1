/* cosmology_recipe.h - what the keys of problem `cosmology` mean for its fields.
 *
 * Shapes  none
 * Units   comoving Mpc/h
 * Errors  SL_EINPUT with the key, SL_EMEM
 * Owns    text returned is the caller's to free
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/law/cosmology.sh
 */
#ifndef SL_IC_COSMOLOGY_RECIPE_H
#define SL_IC_COSMOLOGY_RECIPE_H

struct sl_config;

/* One line per choice that the fields depend on. Stored with them, and compared when they are read.
 * The grid is not among them: modes do not depend on it. */
int sl_cosmology_recipe_text(const struct sl_config *cfg, char **text);

#endif
