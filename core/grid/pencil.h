/* pencil.h - a uniform grid shared out by rows along x, for more ranks than it has planes.
 *
 * Up to as many ranks as planes each holds whole planes, as in slab.h. Of more ranks so many hold
 * the same planes that the largest share is as small as can be (a pencil decomposition); they
 * follow each other, each with a range of the rows of these planes. Ranks that are left over hold
 * nothing. Lines are shared out in batches, whose sizes depend on the grid alone: a batch may be
 * treated as one whatever the number of ranks.
 *
 * Shapes  [nz][ny][row]; row = values of one line along x
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Pekurovsky 2012 (P3DFFT)
 * Tests   tests/law/poisson.c, tests/law/self_gravity.c
 */
#ifndef SL_GRID_PENCIL_H
#define SL_GRID_PENCIL_H

#include <mpi.h>

#include "core/grid/slab.h"
#include "core/sys/pencils.h"

/* The first line of a batch. */
static inline int sl_batches_first(const struct sl_batches *b, int batch)
{
    return sl_slab_first(b->n, batch, b->count);
}

/* The first line of a rank that holds whole batches. */
static inline int sl_batches_share(const struct sl_batches *b, int rank, int size)
{
    return sl_batches_first(b, sl_slab_first(b->count, rank, size));
}

struct sl_pencil {
    MPI_Comm comm; /* borrowed */
    int rank, size;
    int dim;                /* axes that exist; n is 1 along the others */
    int n[3];               /* cells */
    double length[3];       /* sides of the box; 1 along axes that do not exist */
    struct sl_batches rows; /* of a plane */
    int py, pz;             /* ranks that hold the same planes, and groups of such ranks */
    int iy, iz;             /* own place among them; iz >= pz: left over */
    int y0, ny, z0, nz;     /* own rows of own planes */
};

/* Entries of n and length beyond dim are ignored. */
void sl_pencil_init(MPI_Comm comm, int dim, const int n[3], const double length[3],
                    struct sl_pencil *out);

/* That of a slab: whole planes of each rank, and none of ranks beyond their number. */
void sl_pencil_of_slab(const struct sl_slab *slab, struct sl_pencil *out);

/* The rank that holds row y of plane z. */
int sl_pencil_owner(const struct sl_pencil *pencil, int y, int z);

#endif
