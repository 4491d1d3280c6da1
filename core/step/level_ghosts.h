/* level_ghosts.h - what a level gets from the others between its steps: ghost cells from the
 * coarser one, and its covered blocks from the finer one.
 *
 * Shapes  as in sim.h
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    nothing
 * MPI     collective over the mesh's communicator
 * Where   host calls; the state where the backend has it
 * Refs    Berger & Colella 1989
 * Tests   tests/law/nest.c, tests/law/levels.c
 */
#ifndef SL_STEP_LEVEL_GHOSTS_H
#define SL_STEP_LEVEL_GHOSTS_H

#include "core/step/backend.h"

/* Ghost cells of the field `in` that lie beyond the edge of a level, at work->ghost.time, which
 * lies within the last step of the coarser level. */
int sl_level_ghosts_prolong(struct sl_sim *sim, sl_real *in);

/* Ghost cells of the present state of a level; coarser levels have theirs. */
int sl_level_ghosts_fill(struct sl_sim *sim, enum sl_ghosts which);

/* Covered blocks of all levels become the means of their children. */
int sl_level_ghosts_cover(struct sl_sim *root);

#endif
