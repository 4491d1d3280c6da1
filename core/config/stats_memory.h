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

struct sl_config;

/* Cells of the grid that is measured. */
double sl_stats_cells(const struct sl_config *cfg);
/* At most, of each of so many ranks, beside the program; moving: particles that move, of all ranks.
 */
double sl_stats_memory(const struct sl_config *cfg, double moving, double ranks);

#endif
