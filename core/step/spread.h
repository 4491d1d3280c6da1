/* spread.h - marks of blocks (core/cell/refine.h) and what they come to where cells that ask for a
 * finer mesh lie near the side of their block.
 *
 *   a leaf is refined   where a cell of it, or one near it in a leaf of its level, is to be
 *                       refined; or where one near it in a finer leaf needs the level of that
 *   it stays            where a cell of it, or one near it in a leaf of its level, holds it; or
 *                       where one near it in a coarser leaf is to be refined
 *   nothing holds it    else
 *
 * Marks are whole numbers of single blocks: what they come to is the same for any number of ranks.
 *
 * Shapes  leaves of a rank in any order, their marks and verdicts in the same one
 * Units   none
 * Errors  SL_EMEM
 * Owns    nothing
 * MPI     collective over comm unless a function says local
 * Where   host
 * Refs    none
 * Tests   tests/unit/flag.c
 */
#ifndef SL_STEP_SPREAD_H
#define SL_STEP_SPREAD_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/cell/refine_level.h"
#include "core/mesh/forest.h"

/* What a rank tells all others of one of its leaves. */
struct sl_spread_row {
    int64_t at[3];
    int level, unflagged;
    struct sl_refine_marks marks;
    int unused;
};

/* Of leaf[n] with marks[n] writes verdict[n], of each 1: the leaf is to be refined, 0: it stays,
 * -1: nothing holds it. root: blocks of the root grid along each axis. */
int sl_spread_marks(MPI_Comm comm, int dim, const int64_t root[3], const bool periodic[3], int n,
                    const struct sl_leaf *leaf, const struct sl_refine_marks *marks,
                    signed char *verdict);

/* local. A row of a leaf, the rest of it 0. */
struct sl_spread_row sl_spread_row_of(const struct sl_leaf *leaf);

/* The rows of all ranks, one rank after the other; *all is made with malloc. */
int sl_spread_gather(MPI_Comm comm, const struct sl_spread_row *own, int n,
                     struct sl_spread_row **all, int *nall);

#endif
