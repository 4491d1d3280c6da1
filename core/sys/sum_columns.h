/* sum_columns.h - sums of the columns of a table that is spread over the ranks; their bits depend
 * neither on the number of ranks nor on the order of the lines.
 *
 * Each term is counted in two units (sum.h): the second, 2^-50 of the first, takes what the first
 * rounds off. So a sum keeps about 100 bits of the largest term, and terms that cancel leave
 * nothing behind.
 *
 * Shapes  value[nline][ncol]; out[ncol]
 * Units   those of the terms
 * Errors  SL_EMEM, agreed on by all ranks, also beyond INT_MAX / 4 columns; SL_EMPI
 * Owns    nothing
 * MPI     collective over comm: two reductions of ncol numbers, whatever the number of ranks, and
 *         one of a status before them where there are more than 32 columns; ranks without lines
 *         allowed
 * Where   host
 * Refs    Demmel & Nguyen 2013
 * Tests   tests/unit/mesh.c, tests/unit/slab.c, tests/law/poisson.c
 */
#ifndef SL_SYS_SUM_COLUMNS_H
#define SL_SYS_SUM_COLUMNS_H

#include <mpi.h>

#include "core/sys/sum.h"

/* Every rank gets the sums; NaN where a term is not finite or is not below SL_SUM_BOUND. */
int sl_sum_columns(MPI_Comm comm, int nline, int ncol, const double *value, double *out);

/* The same in steps, for callers that compare more than the terms of one table: the largest |term|
 * of each column on this rank (infinite where one is not below SL_SUM_BOUND), of which bound[ncol]
 * is the largest of all ranks; terms counted by it in sum[ncol][2], which begins with zeros;
 * sl_sum_columns_join. */
void sl_sum_columns_bounds(int nline, int ncol, const double *value, double *bound); /* local */
void sl_sum_columns_count(int nline, int ncol, const double *value, const double *bound,
                          struct sl_sum *sum); /* local */

/* The same in two steps, for terms that lie elsewhere: units of the columns from the largest
 * |term| of each on this rank (infinite where one is not below SL_SUM_BOUND), which becomes that of
 * all ranks; and the sums of what those terms add up to in both units, sum[ncol][2]. A term counts
 * w = sl_sum_term(coarse.magic, x), and sl_sum_term(fine.magic, x - w coarse.unit). */
struct sl_sum_units {
    struct sl_sum_unit coarse, fine;
};
int sl_sum_columns_units(MPI_Comm comm, int ncol, double *bound, struct sl_sum_units *units);
int sl_sum_columns_join(MPI_Comm comm, int ncol, const double *bound, struct sl_sum *sum,
                        double *out);

#endif
