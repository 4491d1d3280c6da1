/* slab.h - a uniform grid shared out by planes, and sums whose bits do not depend on how.
 *
 * A rank holds planes z0 .. z0+nz-1; after a transpose (transpose.h) it holds rows y0 .. y0+ny-1 of
 * all planes. Sums are made per plane (or per row) and then added as whole numbers (sum_columns.h),
 * so they come out the same for any number of ranks.
 *
 * Shapes  planes: [nz][n1][row]; rows: [ny][n2][row]; row = values of one line along x
 * Units   none
 * Errors  SL_EMEM, agreed on by all ranks; SL_EMPI
 * Owns    nothing
 * MPI     collective over comm unless a function says local; ranks without planes allowed
 * Where   host
 * Refs    none
 * Tests   tests/unit/slab.c, tests/unit/spectrum.c
 */
#ifndef SL_GRID_SLAB_H
#define SL_GRID_SLAB_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct sl_stats_device;

struct sl_slab {
    MPI_Comm comm; /* borrowed */
    /* borrowed; what measures fields on it (device.h); NULL: the processor */
    struct sl_stats_device *device;
    int rank, size;
    int dim;          /* axes that exist; n is 1 along the others */
    int n[3];         /* cells */
    double length[3]; /* sides of the box; 1 along axes that do not exist */
    int z0, nz;       /* own planes */
    int y0, ny;       /* own rows after a transpose */
};

/* local. The first of n planes, or rows, that a rank holds. */
static inline int sl_slab_first(int n, int rank, int size)
{
    return (int)((int64_t)n * rank / size);
}

/* local. The rank that holds the i-th of n planes, or rows. */
static inline int sl_slab_holder(int n, int i, int size)
{
    int rank = (int)((int64_t)i * size / n);
    while (i >= sl_slab_first(n, rank + 1, size))
        rank++;
    return rank;
}

/* local. Entries of n and length beyond dim are ignored. */
void sl_slab_init(MPI_Comm comm, int dim, const int n[3], const double length[3],
                  struct sl_slab *out);

/* local. Cells of the own planes. */
static inline size_t sl_slab_cells(const struct sl_slab *s)
{
    return (size_t)s->nz * (size_t)s->n[1] * (size_t)s->n[0];
}

/* local. The same grid with y and z exchanged: its planes are the rows of `slab`, its rows the
 * planes. */
struct sl_slab sl_slab_swapped(const struct sl_slab *slab);

/* Own planes of the field some planes further on, periodic: out[z] = in[z + planes], planes >=
 * 0. */
int sl_slab_shift(const struct sl_slab *slab, int planes, const double *in, double *out);

/* local. The rank that holds plane z. */
int sl_slab_owner(const struct sl_slab *slab, int z);

/* Adds ncol values per plane (part[nz][ncol]); every rank gets out[ncol], NaN where a value is not
 * finite or not below SL_SUM_BOUND (sum.h). sum_rows: the same after a transpose,
 * part[ny][ncol]. */
int sl_slab_sum(const struct sl_slab *slab, int ncol, const double *part, double *out);
int sl_slab_sum_rows(const struct sl_slab *slab, int ncol, const double *part, double *out);

/* local. n items of `size` bytes to or from another rank, of any total; the other does the
 * opposite. */
void sl_slab_send(const struct sl_slab *slab, const void *items, int n, size_t size, int to);
void sl_slab_receive(const struct sl_slab *slab, void *items, int n, size_t size, int from);
/* The same from rank `from` to all. */
void sl_slab_share(const struct sl_slab *slab, void *items, int n, size_t size, int from);

/* All ranks' arrays one after the other, on rank 0 (*all is NULL on others): count items of `size`
 * bytes here, *total in *all, which the caller frees. SL_EMEM also beyond 2^31 items. */
int sl_slab_gather(const struct sl_slab *slab, const void *own, int count, size_t size, void **all,
                   int *total);
/* The same on every rank. */
int sl_slab_gather_all(const struct sl_slab *slab, const void *own, int count, size_t size,
                       void **all, int *total);

#endif
