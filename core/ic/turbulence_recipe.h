/* turbulence_recipe.h - what the keys of problem `turbulence` mean.
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EMEM
 * Owns    text returned is the caller's to free
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/law/ic.sh
 */
#ifndef SL_IC_TURBULENCE_RECIPE_H
#define SL_IC_TURBULENCE_RECIPE_H

#include "core/ic/turbulence_field.h"

struct sl_config;

/* Field that the recipe asks for; spec->table is left NULL. */
void sl_turbulence_recipe_spec(const struct sl_config *cfg, struct sl_turbulence_spec *spec);

/* Longest side of the box over the rms velocity of the start. */
double sl_turbulence_recipe_crossing(const struct sl_config *cfg);

/* One line per choice that the field depends on. Stored with the field, and compared when it is
 * read. The grid is not among them: the field does not depend on it. */
int sl_turbulence_recipe_text(const struct sl_config *cfg, char **text);

#endif
