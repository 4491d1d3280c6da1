/* batch_options.h - the options of sbatch that a recipe may add to those of sluice (slurm.options).
 *
 * A list of words "--name=value" or "--name". What names, orders, directs or ends jobs is sluice's
 * own, since a campaign's jobs find each other by it; what has a key of its own is given there.
 *
 * Shapes  none
 * Units   none
 * Errors  none: sl_batch_options_fault tells what is wrong
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    sbatch(1)
 * Tests   tests/unit/batch_options.c, tests/slurm/memory.sh
 */
#ifndef SL_SYS_BATCH_OPTIONS_H
#define SL_SYS_BATCH_OPTIONS_H

#include <stdbool.h>

enum { SL_BATCH_WORD = 512 };

/* The next word of *at, which moves on; false at the end. */
bool sl_batch_option_next(const char **at, char word[SL_BATCH_WORD]);
/* Says in text what is wrong with the list; false: nothing is. */
bool sl_batch_options_fault(const char *list, char text[3 * SL_BATCH_WORD]);

#endif
