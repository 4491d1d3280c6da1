/* stats_memory.h - what those who measure a snapshot, or a run in its place, take of memory: those
 * who plan a run and the run itself know it before, from the recipe.
 *
 * Shapes  none
 * Units   bytes; cells
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/problem/stats_memory.sh, tests/law/in_run.sh
 */
#ifndef SL_CONFIG_STATS_MEMORY_H
#define SL_CONFIG_STATS_MEMORY_H

#include <stdbool.h>

struct sl_config;

/* Cells of the grid that is measured. */
double sl_stats_cells(const struct sl_config *cfg);
/* Whether all that is asked of particles alone can be measured where a device of a lone rank has
 * them: their density and places stay there as long as it has room. */
bool sl_stats_stays(const struct sl_config *cfg);
/* At most, of each of so many ranks, beside the program; moving: particles that move, of all ranks;
 * there: they are a lone rank's, on a device, and what stays there is none of the host's. */
double sl_stats_memory(const struct sl_config *cfg, double moving, double ranks, bool there);

#endif
