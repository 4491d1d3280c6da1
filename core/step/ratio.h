/* ratio.h - how many steps each level of a run takes in one of the root level, as
 * core/config/level_ratio.h chooses it from the leaves of each level and the step that they allow,
 * and what follows from that: the length of that step, the cells around those to be refined, and
 * when a regrid is due.
 *
 * Shapes  none
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local: the same on all ranks
 * Where   host
 * Refs    Berger & Oliger 1984; Schive et al. 2010, section 2.3
 * Tests   tests/law/levels.c
 */
#ifndef SL_STEP_RATIO_H
#define SL_STEP_RATIO_H

#include <stdbool.h>

#include "core/config/level_ratio.h"
#include "core/mesh/hierarchy.h"
#include "core/step/sim.h"

struct sl_ratio sl_ratio_of(const struct sl_sim *root);

/* Steps of the finest level. */
int64_t sl_ratio_finest(const struct sl_sim *root, const struct sl_ratio *c);

/* Cells of a level around one that is to be refined which are refined with it: mesh.buffer,
 * or where a step of the root holds more steps of the level than mesh.regrid, as many as signals
 * cross in these if that is more. */
int sl_ratio_buffer(const struct sl_sim *sim);

/* Whether a step with these, or the next step, ends with a regrid: one more such step would bring
 * the steps of the finest level since the last one above mesh.regrid. Never of a uniform mesh. */
bool sl_ratio_regrid_due(const struct sl_sim *root, const struct sl_ratio *c);
bool sl_ratio_regrids(const struct sl_sim *root);
/* A step with these is over: sets how many the finest level took since the last regrid. */
void sl_ratio_count(struct sl_sim *root, const struct sl_ratio *c, bool regrids);

#endif
