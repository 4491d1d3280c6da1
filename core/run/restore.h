/* restore.h - makes a run go on from a checkpoint (core/io/checkpoint.h).
 *
 * Shapes  as in core/state/state.h
 * Units   code units
 * Errors  as in core/io/checkpoint.h
 * Owns    nothing
 * MPI     collective over mesh->comm
 * Where   host calls; the state goes to where the backend has it
 * Refs    none
 * Tests   tests/law/restart.sh, tests/law/level_files.c
 */
#ifndef SL_RUN_RESTORE_H
#define SL_RUN_RESTORE_H

#include "core/step/sim.h"

/* As sl_checkpoint_read: *seq gets the number of the generation, or -1 when there is none that is
 * good. Then the mesh is the root grid alone, and sl_sim_start makes the state that it makes of a
 * new run. */
int sl_sim_restore(struct sl_sim *sim, const char *dir, int64_t *seq);

#endif
