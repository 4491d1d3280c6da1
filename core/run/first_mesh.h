/* first_mesh.h - the mesh that the rules of mesh.refine make of the start of a run, found without
 * running it: the solver's own start, on the root grid of the run or, where that would take more
 * memory than a quick look may, on one that is halved as often as needed, and on the next coarser
 * one, from which the growth follows.
 *
 * Shapes  leaves[level]
 * Units   none
 * Errors  SL_EUNAVAIL: no root grid is small enough; SL_EINPUT, SL_EMEM, SL_EMPI of the start
 * Owns    nothing
 * MPI     collective over comm
 * Where   host
 * Refs    none
 * Tests   tests/law/first_mesh.c, tests/cli/levels.sh
 */
#ifndef SL_RUN_FIRST_MESH_H
#define SL_RUN_FIRST_MESH_H

#include <stdbool.h>
#include <stdio.h>

#include "core/cell/refine_rule.h"
#include "core/mesh/hierarchy.h"

struct sl_config;

/* Starts that are looked at: with the rules as they are; where the root grid is halved also with
 * numbers that grow with the size of cells compared with as much more, as they are in what is
 * smooth, there and on a root grid that is halved once more (where that can be). */
enum sl_first_start { SL_FIRST_AS_IT_IS, SL_FIRST_SMOOTH, SL_FIRST_COARSER, SL_FIRST_STARTS };

struct sl_first_mesh {
    int halved;      /* how often the root grid was halved; 0: it is the run's own */
    int block_cells; /* of a block */
    int filled;      /* finest level that the problem's file fills, less than 0: its root is finer
                        than that; SL_LEVELS: there is no such file */
    int64_t leaves[SL_FIRST_STARTS][SL_LEVELS]; /* all 0: there was no such start */
    int64_t asked
        [SL_REFINE_RULES]; /* blocks, of the root grid or of the start's mesh, with cells that a
                                       rule is about */
};

/* local. What a state takes at least, on the root grid of the run or a halved one. */
double sl_first_mesh_bytes(const struct sl_config *cfg, int halved);

/* local. Whether the root grid still is one of whole blocks when it is halved so often, less than
 * SL_LEVELS. */
bool sl_first_mesh_halves(const struct sl_config *cfg, int halved);
/* local. cfg becomes that of a run on processors whose root grid is halved so often; smooth:
 * numbers of rules that grow with the size of cells do so. */
void sl_first_mesh_coarsen(struct sl_config *cfg, int halved, bool smooth);

/* bytes: what the states may take. cfg has levels. */
int sl_first_mesh_find(MPI_Comm comm, const struct sl_config *cfg, double bytes,
                       struct sl_first_mesh *out);

/* local. {"v": 1, "halved": .., "block_cells": .., "leaves": [..], "smooth": [..], "coarser": [..],
 * "asked": [..]} on a line, with "filled" where there is a file. */
void sl_first_mesh_print(FILE *out, const struct sl_config *cfg, const struct sl_first_mesh *mesh);

#endif
