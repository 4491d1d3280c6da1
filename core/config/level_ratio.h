/* level_ratio.h - how many steps each level takes in one of the root level: the choice that
 * time.levels leaves, for runs (core/step/ratio.h) and for plans.
 *
 * one: all levels take the same step; each: every level takes two steps in one of the coarser;
 * auto: one or two, whichever of all combinations updates the fewest cells per unit of time and
 * lets the finest level take mesh.regrid steps at most in one of the root, at whose end a regrid
 * falls.
 *
 * Shapes  level[nlevel], the root first
 * Units   allowed and dt in the same unit of time, any
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Berger & Oliger 1984; Schive et al. 2010, section 2.3
 * Tests   tests/law/levels.c, tests/unit/plan.c
 */
#ifndef SL_CONFIG_LEVEL_RATIO_H
#define SL_CONFIG_LEVEL_RATIO_H

#include <stdint.h>

#include "core/sys/depth.h"

struct sl_config;

struct sl_ratio_load {
    double cells;   /* of its leaves; 0: it has none, and takes no part in the choice */
    double allowed; /* the longest step that they allow */
};

/* Steps of each level in one of the root level, and the length of that. */
struct sl_ratio {
    int steps[SL_LEVELS];
    double dt;
};
struct sl_ratio sl_ratio_choose(const struct sl_config *cfg, int nlevel,
                                const struct sl_ratio_load *level);

/* Cells that are enough for what moves on in so many steps, and for the cell beside it that a rule
 * of mesh.refine reads. */
int64_t sl_ratio_reach(const struct sl_config *cfg, int64_t steps);

#endif
