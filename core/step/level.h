/* level.h - makes the levels of a run from a hierarchy of meshes, and takes one set of them in
 * place of another.
 *
 * Shapes  as in sim.h
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI, and what the backend's open returns; on error the run is as it was
 * Owns    see the functions
 * MPI     collective over the mesh's communicator unless a function says local
 * Where   host
 * Refs    Berger & Colella 1989
 * Tests   tests/law/levels.c
 */
#ifndef SL_STEP_LEVEL_H
#define SL_STEP_LEVEL_H

#include "core/mesh/hierarchy.h"
#include "core/step/sim.h"

/* Makes the levels of a hierarchy, which is borrowed, with fields that hold nothing yet: a list
 * that begins with the root level. Time and counters are those of root. */
int sl_levels_new(struct sl_sim *root, struct sl_hierarchy *h, struct sl_sim **out);
/* Frees a list of levels, but no hierarchy. */
void sl_levels_free(struct sl_sim *first);

/* local. The run takes over a list of levels and its hierarchy; frees what it had. */
void sl_levels_take(struct sl_sim *root, struct sl_sim *first, struct sl_hierarchy *h);

/* Both, of a state that is read afterwards: h is taken over, also when it fails. */
int sl_sim_levels(struct sl_sim *root, struct sl_hierarchy *h);

#endif
