/* nest.h - what the processor does between levels, as the calls of these names in
 * core/step/backend.h say it; jobs as in core/mesh/nest.h.
 *
 * The rank that holds the source of a job does it; what belongs to another rank travels in one
 * message per rank and call, and has arrived when the call returns.
 *
 * Shapes  as in transfer_level.h
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    the buffers of messages
 * MPI     collective over the mesh's ranks
 * Where   host
 * Refs    Berger & Colella 1989
 * Tests   tests/law/nest.c
 */
#ifndef SL_TRANSFER_NEST_H
#define SL_TRANSFER_NEST_H

#include "core/cell/prolong.h"
#include "core/mesh/hierarchy.h"
#include "core/transfer/transfer_level.h"

int sl_nest_prolong(const struct sl_transfer_level *coarse, const struct sl_transfer_level *fine,
                    sl_real share, sl_real *u);
int sl_nest_cover(const struct sl_transfer_level *coarse, const struct sl_transfer_level *fine);
int sl_nest_reflux(const struct sl_transfer_level *coarse, const struct sl_transfer_level *fine,
                   struct sl_corrected *count);
/* old, now: the levels of both runs, the coarsest first, and how many there are. */
int sl_nest_move(const struct sl_transfer_level *old, int nold, const struct sl_transfer_level *now,
                 int nnow, const struct sl_moves *moves);

/* Cells of a level to be made from one octant of a coarser block, and where they go. */
struct sl_nest_fill {
    int first[3], n[3]; /* first counts from the lower corner of the octant */
    sl_real *to;        /* the first cell */
    ptrdiff_t step[3];  /* to its neighbours there */
    size_t var;
};

/* local. old, now: the first interior cell of the octant in both states of the coarser level. All
 * variables that flow. */
void sl_nest_fill(const struct sl_prolong *p, const sl_real *old, const sl_real *now,
                  const struct sl_nest_fill *fill);

/* local. Bodies for a level, and the first cell of an octant of one of its blocks; half NULL: of
 * the block. */
struct sl_prolong sl_nest_prolong_of(const struct sl_transfer_level *coarse, sl_real share);
size_t sl_nest_octant(const struct sl_transfer_level *level, int block, const int half[3]);

/* local. work of core/cell/lift.h, of cells of a level; 0 where it is 0, as it is without energy
 * and with dual energy, where the energy is not kept anyway. */
int sl_nest_work(const struct sl_transfer_level *level, sl_real work[3]);

#endif
