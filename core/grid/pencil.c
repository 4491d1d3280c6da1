/* pencil.c - see pencil.h. */
#include "core/grid/pencil.h"

/* Rows of the rank that has most. */
static int64_t most_rows(const struct sl_pencil *s, int py, int pz)
{
    int64_t batches = (s->rows.count - 1) / py + 1, planes = (s->n[2] - 1) / pz + 1;
    return batches * planes;
}

static int groups_of(const struct sl_pencil *s, int py)
{
    int pz = s->size / py;
    return pz < s->n[2] || py == 1 ? pz : s->n[2];
}

/* Of shares as small as any, those of the smallest groups. */
static int best_group(const struct sl_pencil *s)
{
    int best = 1, most = s->size < s->rows.count ? s->size : s->rows.count;
    if (s->size <= s->n[2]) return 1;
    for (int py = 2; py <= most; py++)
        if (most_rows(s, py, groups_of(s, py)) < most_rows(s, best, groups_of(s, best))) best = py;
    return best;
}

void sl_pencil_init(MPI_Comm comm, int dim, const int n[3], const double length[3],
                    struct sl_pencil *out)
{
    struct sl_pencil s = {.comm = comm, .dim = dim};
    MPI_Comm_rank(comm, &s.rank);
    MPI_Comm_size(comm, &s.size);
    for (int d = 0; d < 3; d++) {
        s.n[d] = d < dim ? n[d] : 1;
        s.length[d] = d < dim ? length[d] : 1;
    }
    s.rows = sl_batches_of(s.n[1], SL_PENCIL_ROWS);
    s.py = best_group(&s);
    s.pz = groups_of(&s, s.py);
    s.iy = s.rank % s.py, s.iz = s.rank / s.py;
    if (s.iz < s.pz) {
        s.y0 = sl_batches_share(&s.rows, s.iy, s.py);
        s.ny = sl_batches_share(&s.rows, s.iy + 1, s.py) - s.y0;
        s.z0 = sl_slab_first(s.n[2], s.iz, s.pz);
        s.nz = sl_slab_first(s.n[2], s.iz + 1, s.pz) - s.z0;
    }
    *out = s;
}

int sl_pencil_owner(const struct sl_pencil *s, int y, int z)
{
    int batch = sl_slab_holder(s->n[1], y, s->rows.count),
        iy = sl_slab_holder(s->rows.count, batch, s->py);
    return sl_slab_holder(s->n[2], z, s->pz) * s->py + iy;
}
