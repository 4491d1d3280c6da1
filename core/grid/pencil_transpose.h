/* pencil_transpose.h - the x and y of a pencil decomposition (pencil.h) change places: lines of a
 * plane go from ranks that hold them whole to ranks that hold a range of each line, and back.
 *
 * The ranks that hold the same planes exchange what they have of them, with one message from each
 * to each. Values keep their distance in memory: lines are as long on ranks that hold a part of
 * them.
 *
 * Shapes  whole[nz][ny][row], part[nz][n1][row]; row = 2 doubles for each of `modes`
 * Units   none
 * Errors  SL_EMEM, agreed on by the ranks that hold the same planes; SL_EMPI
 * Owns    a communicator of the ranks that hold the same planes, datatypes; the arrays are borrowed
 * MPI     collective over the pencil's communicator to make it, over its own one to run it
 * Where   host
 * Refs    none
 * Tests   tests/law/poisson.c, tests/law/self_gravity.c
 */
#ifndef SL_GRID_PENCIL_TRANSPOSE_H
#define SL_GRID_PENCIL_TRANSPOSE_H

#include "core/grid/pencil.h"

struct sl_pencil_transpose;

/* modes: of a line, of which rank iy of py gets whole batches. NULL on ranks that are left over. */
int sl_pencil_transpose_new(const struct sl_pencil *pencil, const struct sl_batches *modes,
                            struct sl_pencil_transpose **out);
void sl_pencil_transpose_free(struct sl_pencil_transpose *t);

int sl_pencil_transpose_forth(struct sl_pencil_transpose *t, const double *whole, double *part);
int sl_pencil_transpose_back(struct sl_pencil_transpose *t, const double *part, double *whole);

#endif
