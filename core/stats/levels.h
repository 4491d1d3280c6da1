/* levels.h - what a run with levels (mesh.levels) did with them: how many cells each had, and where
 * its blocks were.
 *
 * Shapes  none
 * Units   see the tables
 * Errors  SL_EMEM
 * Owns    tables are added to the caller's
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/levels.sh
 */
#ifndef SL_STATS_LEVELS_H
#define SL_STATS_LEVELS_H

#include "core/io/snapshot.h"
#include "core/measure/table.h"
#include "core/stats/series.h"

/* Adds the table `levels`: leaf cells of each level against time; nothing where the history has
 * none. */
int sl_levels_measure(const struct sl_series *series, struct sl_tables *tables);

/* Adds the table blocks_<axis>_<number>: the leaves that the plane of slice_density_<axis>_<number>
 * cuts, in cells of the grid of a level: columns, then lines of that map. Nothing of a file without
 * levels, of one dimension, or with more than 65536 such leaves. */
struct sl_config;
int sl_levels_blocks(const struct sl_config *cfg, const struct sl_snapshot *snapshot, int level,
                     int axis, int number, struct sl_tables *tables);

#endif
