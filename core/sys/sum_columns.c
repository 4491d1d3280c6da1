/* sum_columns.c - see sum_columns.h. */
#include "core/sys/sum_columns.h"

#include <limits.h>
#include <stdlib.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

enum { FEW = 32 }; /* columns whose sums need no memory that a rank may not have */

static struct sl_sum_units units_of(double bound)
{
    struct sl_sum_units u = {.coarse = sl_sum_unit(isfinite(bound) ? bound : 0)};
    u.fine = sl_sum_unit(u.coarse.unit);
    return u;
}

void sl_sum_columns_bounds(int nline, int ncol, const double *value, double *bound)
{
    for (int c = 0; c < ncol; c++) {
        bound[c] = 0;
        for (int i = 0; i < nline; i++) {
            double size = fabs(value[(size_t)i * (size_t)ncol + (size_t)c]);
            bound[c] = size < SL_SUM_BOUND ? fmax(bound[c], size) : HUGE_VAL;
        }
    }
}

static int join_bounds(MPI_Comm comm, int ncol, double *bound)
{
    int code = MPI_Allreduce(MPI_IN_PLACE, bound, ncol, MPI_DOUBLE, MPI_MAX, comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot compare the terms of a sum");
    return SL_OK;
}

int sl_sum_columns_units(MPI_Comm comm, int ncol, double *bound, struct sl_sum_units *units)
{
    SL_TRY(join_bounds(comm, ncol, bound));
    for (int c = 0; c < ncol; c++)
        units[c] = units_of(bound[c]);
    return SL_OK;
}

/* Counts a term in both units. The difference is exact: it is the part of x below the first
 * unit. */
static void add_term(const struct sl_sum_units *u, double x, struct sl_sum sum[2])
{
    int64_t whole = sl_sum_term(u->coarse.magic, x);
    sl_sum_add(&sum[0], whole);
    sl_sum_add(&sum[1], sl_sum_term(u->fine.magic, x - (double)whole * u->coarse.unit));
}

static double total_of(double bound, const struct sl_sum sum[2])
{
    struct sl_sum_units u = units_of(bound);
    if (!isfinite(bound)) return NAN;
    return sl_sum_value(&sum[0], u.coarse) + sl_sum_value(&sum[1], u.fine);
}

int sl_sum_columns_join(MPI_Comm comm, int ncol, const double *bound, struct sl_sum *sum,
                        double *out)
{
    int code = MPI_Allreduce(MPI_IN_PLACE, sum, 4 * ncol, MPI_INT64_T, MPI_SUM, comm);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot add up the sums of the ranks");
    for (int c = 0; c < ncol; c++)
        out[c] = total_of(bound[c], sum + 2 * c);
    return SL_OK;
}

void sl_sum_columns_count(int nline, int ncol, const double *value, const double *bound,
                          struct sl_sum *sum)
{
    for (int c = 0; c < ncol; c++) {
        struct sl_sum_units u = units_of(bound[c]);
        for (int i = 0; i < nline && isfinite(bound[c]); i++)
            add_term(&u, value[(size_t)i * (size_t)ncol + (size_t)c], sum + 2 * c);
    }
}

/* sum[ncol][2] begins with zeros. */
static int add_columns(MPI_Comm comm, int nline, int ncol, const double *value, struct sl_sum *sum,
                       double *out)
{
    sl_sum_columns_bounds(nline, ncol, value, out);
    SL_TRY(join_bounds(comm, ncol, out));
    sl_sum_columns_count(nline, ncol, value, out, sum);
    return sl_sum_columns_join(comm, ncol, out, sum, out);
}

int sl_sum_columns(MPI_Comm comm, int nline, int ncol, const double *value, double *out)
{
    struct sl_sum few[2 * FEW] = {{{0}}};
    if (ncol <= FEW) return add_columns(comm, nline, ncol, value, few, out);
    SL_CHECK(ncol <= INT_MAX / 4, SL_EMEM, "%d sums at once are too many", ncol);
    struct sl_sum *sum = calloc(2 * (size_t)ncol + 1, sizeof *sum);
    int code = sum ? SL_OK : SL_FAIL(SL_EMEM, "no memory for %d sums", ncol);
    code = sl_agree(comm, code);
    if (code == SL_OK) code = add_columns(comm, nline, ncol, value, sum, out);
    free(sum);
    return code;
}
