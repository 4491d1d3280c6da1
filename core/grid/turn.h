/* turn.h - moves lines of a plane from ranks that hold them whole to ranks that hold a range of
 * each line, and back: the x and y of a pencil decomposition (pencil.h) change places.
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
#ifndef SL_GRID_TURN_H
#define SL_GRID_TURN_H

#include "core/grid/pencil.h"

struct sl_turn;

/* modes: of a line, of which rank iy of py gets whole batches. NULL on ranks that are left over. */
int sl_turn_new(const struct sl_pencil *pencil, const struct sl_batches *modes,
                struct sl_turn **out);
void sl_turn_free(struct sl_turn *t);

int sl_turn_forth(struct sl_turn *t, const double *whole, double *part);
int sl_turn_back(struct sl_turn *t, const double *part, double *whole);

#endif
