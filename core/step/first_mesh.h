/* first_mesh.h - the mesh that the rules of mesh.refine make of the start of a run, found without running
 * it: the solver's own start, on the root grid of the run or, where that would take more memory than
 * a quick look may, on one that is halved as often as needed, and on the next coarser one, from which the
 * growth can be told.
 *
 * Shapes  leaves[level]
 * Units   none
 * Errors  SL_EUNAVAIL: no root grid is small enough; SL_EINPUT, SL_EMEM, SL_EMPI of the start
 * Owns    nothing
 * MPI     collective over comm
 * Where   host
 * Refs    none
 * Tests   tests/cli/levels.sh
 */
#ifndef SL_STEP_FIRST_MESH_H
#define SL_STEP_FIRST_MESH_H

#include <stdio.h>

#include "core/mesh/hierarchy.h"
#include "core/sys/config.h"

struct sl_first_mesh {
    int halved;      /* how often the root grid was halved; 0: it is the run's own */
    int block_cells; /* of a block */
    /* [0]: of that root grid; [1]: of one that is halved once more, where [0] is halved and that can be; else
     * all 0 */
    int64_t leaves[2][SL_LEVELS];
    int64_t asked
        [SL_REFINE_RULES]; /* blocks, of the root grid or of the start's mesh, with cells that a
                                       rule is about */
};

/* bytes: what the states may take. cfg has levels. */
int sl_first_mesh_find(MPI_Comm comm, const struct sl_config *cfg, double bytes,
                       struct sl_first_mesh *out);

/* local. {"v": 1, "halved": .., "block_cells": .., "leaves": [..], "coarser": [..], "asked": [..]} on a line. */
void sl_first_mesh_print(FILE *out, const struct sl_config *cfg, const struct sl_first_mesh *mesh);

#endif
