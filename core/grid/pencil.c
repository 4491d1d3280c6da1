/* pencil.c - see pencil.h. */
#include "core/grid/pencil.h"

#include <string.h>

void sl_pencil_init(MPI_Comm comm, int dim, const int n[3], const double length[3],
                    struct sl_pencil *out)
{
    struct sl_slab slab;
    sl_slab_init(comm, dim, n, length, &slab);
    const struct sl_pencils p = sl_pencils_of(slab.n, slab.size);
    struct sl_pencil s = {comm, slab.rank, slab.size, dim, .rows = p.rows, .py = p.py, .pz = p.pz};
    memcpy(s.n, slab.n, sizeof s.n);
    memcpy(s.length, slab.length, sizeof s.length);
    s.iy = s.rank % s.py, s.iz = s.rank / s.py;
    if (s.iz < s.pz) {
        s.y0 = sl_batches_share(&s.rows, s.iy, s.py);
        s.ny = sl_batches_share(&s.rows, s.iy + 1, s.py) - s.y0;
        s.z0 = sl_slab_first(s.n[2], s.iz, s.pz);
        s.nz = sl_slab_first(s.n[2], s.iz + 1, s.pz) - s.z0;
    }
    *out = s;
}

void sl_pencil_of_slab(const struct sl_slab *slab, struct sl_pencil *out)
{
    struct sl_pencil s = {.comm = slab->comm, .rank = slab->rank, .size = slab->size};
    s.dim = slab->dim;
    memcpy(s.n, slab->n, sizeof s.n);
    memcpy(s.length, slab->length, sizeof s.length);
    s.rows = sl_pencils_of(slab->n, 1).rows;
    s.py = 1, s.pz = slab->size;
    s.iz = slab->rank;
    s.ny = slab->n[1];
    s.z0 = slab->z0, s.nz = slab->nz;
    *out = s;
}

int sl_pencil_owner(const struct sl_pencil *s, int y, int z)
{
    int batch = sl_slab_holder(s->n[1], y, s->rows.count),
        iy = sl_slab_holder(s->rows.count, batch, s->py);
    return sl_slab_holder(s->n[2], z, s->pz) * s->py + iy;
}
