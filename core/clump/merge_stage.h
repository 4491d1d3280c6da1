/* merge_stage.h - the stages that make the tree of merge.h: first the cells of each slab, then two
 * neighbouring pieces of the box after the other, of which only open parts are left.
 *
 * Shapes  rho [z1 - z0][n1][n0]
 * Units   those of rho
 * Errors  SL_EMEM, also for more than 2^31 cells, or vertices, in a stage
 * Owns    see merge_part.h
 * MPI     local
 * Where   host; 8 bytes per cell and 4 per dense one beside the parts; 60 per vertex of two pieces
 *         and 16 per cell of a plane
 * Refs    see merge_part.h
 * Tests   tests/unit/tree.c, tests/problem/scipy_tree.sh
 */
#ifndef SL_CLUMP_MERGE_STAGE_H
#define SL_CLUMP_MERGE_STAGE_H

#include "core/clump/merge_part.h"

struct sl_merge_cells {
    int n[3]; /* of the box */
    bool periodic[3];
    const double *rho; /* borrowed */
};

/* The cells of planes z0 .. z1 - 1, not none; the caller has set rule of the stage, and z0, z1, low
 * and high of what is open. */
int sl_merge_stage_cells(const struct sl_merge_cells *cells, struct sl_merge_stage *stage);

/* Two pieces that meet, of which `low` is below `high`: its events are the vertices of low, then
 * those of high. The arrays of both go to the stage, or are freed; their sizes stay. whole: both
 * make up the box and meet beyond its faces where they are open there; then nothing stays open. The
 * caller has set rule of the stage. plane: cells of a plane. */
int sl_merge_stage_join(struct sl_merge_open *low, struct sl_merge_open *high, int plane,
                        bool whole, struct sl_merge_stage *stage);

#endif
