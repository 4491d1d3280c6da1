/* transpose.h - moves a uniform grid from planes along z to rows along y, and back.
 *
 * A rank that holds planes z0 .. z0 + nz - 1 of the grid (slab.h) gets rows y0 .. y0 + ny - 1 of
 * all planes. A transpose is made once and used for every field of its shape: datatypes, requests
 * and the agreement of the ranks on memory belong to the making. Each rank sends one message to
 * every rank that has rows, or several where one would be larger than MESSAGE_MOST doubles.
 *
 * Shapes  in[nz][n1] and out[ny][n2] rows of `row` doubles, which begin pitch[0] doubles apart in
 *         `in` and pitch[1] in `out`
 * Units   none
 * Errors  SL_EMEM, agreed on by all ranks; SL_EMPI
 * Owns    datatypes and requests; the arrays are borrowed
 * MPI     collective over the slab's communicator; ranks without planes or rows allowed
 * Where   host
 * Refs    none
 * Tests   tests/unit/spectrum.c, tests/law/poisson.c
 */
#ifndef SL_GRID_TRANSPOSE_H
#define SL_GRID_TRANSPOSE_H

#include "core/grid/slab.h"

struct sl_transpose;

/* slab is copied. For the way back: sl_slab_swapped(slab). */
int sl_transpose_new(const struct sl_slab *slab, size_t row, const size_t pitch[2],
                     struct sl_transpose **out);
void sl_transpose_free(struct sl_transpose *t);

/* The whole grid. */
int sl_transpose_run(struct sl_transpose *t, const double *in, double *out);

/* collective over the slab's communicator. Makes a transpose, runs it once and frees it; rows
 * without gaps. */
int sl_transpose_once(const struct sl_slab *slab, size_t row, const double *in, double *out);

/* The whole grid plane by plane, so that planes may be made one at a time: round k, 0 ..
 * sl_transpose_rounds - 1, moves own plane k of every rank; NULL for a rank that has no such
 * plane. */
int sl_transpose_plane(struct sl_transpose *t, int k, const double *plane, double *out);
int sl_transpose_rounds(const struct sl_transpose *t);

#endif
