/* cover.c - covered blocks become the means of their children; see nest.h. */
#include <string.h>

#include "core/cell/lift.h"
#include "core/cell/prolong_heat.h"
#include "core/sweep/rows.h"
#include "core/sys/status.h"
#include "core/transfer/faces.h"
#include "core/transfer/level_exchange.h"
#include "core/transfer/nest.h"

/* Numbers of an octant that go from rank to rank, of all variables; its faces are the last of
 * them. */
static size_t carried(const struct sl_transfer_level *fine)
{
    size_t faces = fine->layout.face >= 0 ? sl_faces_cover_values(fine->mesh) : 0;
    return (size_t)fine->layout.nflow * sl_mesh_octant_cells(fine->mesh) + faces;
}

static size_t message_at(const struct sl_transfer_level *fine, const struct sl_cover_job *job)
{
    return job->start / sl_mesh_octant_cells(fine->mesh) * carried(fine);
}

static inline __attribute__((always_inline)) void means(int dim, const int n[3],
                                                        const sl_real *from,
                                                        const ptrdiff_t step[3], sl_real *to,
                                                        const ptrdiff_t to_step[3])
{
    ptrdiff_t x = 2, y = dim > 1 ? 2 * step[1] : 0, z = dim > 2 ? 2 * step[2] : 0;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++)
                to[k * to_step[2] + j * to_step[1] + i] =
                    sl_restrict(dim, from + k * z + j * y + i * x, step);
}

void sl_nest_means(int dim, const int n[3], const sl_real *from, const ptrdiff_t step[3],
                   sl_real *to, const ptrdiff_t to_step[3])
{
    switch (dim) {
    case 1:
        means(1, n, from, step, to, to_step);
        break;
    case 2:
        means(2, n, from, step, to, to_step);
        break;
    default:
        means(3, n, from, step, to, to_step);
    }
}

/* Energies of cells from those of their children, where these lie elsewhere. */
static void energies_of(const struct sl_layout *l, int dim, const int n[3], const sl_real *from,
                        size_t var, const ptrdiff_t step[3], const sl_real work[3], sl_real *to,
                        const ptrdiff_t to_step[3])
{
    ptrdiff_t y = dim > 1 ? 2 * step[1] : 0, z = dim > 2 ? 2 * step[2] : 0;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++)
                to[k * to_step[2] + j * to_step[1] + i] =
                    sl_lift_mean(l, dim, from + k * z + j * y + 2 * i, var, step, work);
}

/* Entropies of cells, with dual energy. */
static void entropies_of(const struct sl_transfer_level *fine, const int n[3], const sl_real *from,
                         const ptrdiff_t step[3], sl_real *to, const ptrdiff_t to_step[3])
{
    const struct sl_mesh *m = fine->mesh;
    ptrdiff_t y = m->dim > 1 ? 2 * step[1] : 0, z = m->dim > 2 ? 2 * step[2] : 0;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++)
                to[k * to_step[2] + j * to_step[1] + i] =
                    sl_cover_entropy(&fine->gas, &fine->layout, fine->scheme->dual_eta, m->dim,
                                     from + k * z + j * y + 2 * i, step, m->block_cells);
}

/* Makes an octant, in the covered block or, where that is on another rank, in the message. */
static void job_do(const struct sl_transfer_level *coarse, const struct sl_transfer_level *fine,
                   const struct sl_cover_job *job, sl_real *message)
{
    static const int none[3];
    const struct sl_mesh *m = fine->mesh;
    ptrdiff_t step[3] = {1, m->step[1], m->step[2]};
    const sl_real *from = fine->now + sl_nest_octant(fine, job->fine, none);
    sl_real work[3];
    int n[3];
    sl_mesh_half(m, n);
    ptrdiff_t packed[3] = {1, n[0], (ptrdiff_t)n[0] * n[1]};
    int here = job->coarse >= 0;
    sl_real *to = here ? coarse->now + sl_nest_octant(coarse, job->coarse, job->half)
                       : message + message_at(fine, job);
    size_t var = here ? m->block_cells : (size_t)(packed[2] * n[2]);
    for (size_t v = 0; v < (size_t)fine->layout.nflow; v++)
        sl_nest_means(m->dim, n, from + v * m->block_cells, step, to + v * var,
                      here ? step : packed);
    if (sl_nest_work(coarse, work))
        energies_of(&fine->layout, m->dim, n, from, m->block_cells, step, work,
                    to + (size_t)fine->layout.energy * var, here ? step : packed);
    if (fine->layout.entropy >= 0)
        entropies_of(fine, n, from, step, to + (size_t)fine->layout.entropy * var,
                     here ? step : packed);
    if (fine->layout.face < 0) return;
    if (!here) to += (size_t)fine->layout.nflow * var;
    sl_faces_cover(fine, job->fine, job->half, here, to);
}

static void job_take(const struct sl_transfer_level *coarse, const struct sl_transfer_level *fine,
                     const struct sl_cover_job *job, const sl_real *message)
{
    const struct sl_mesh *m = coarse->mesh;
    const sl_real *from = message + message_at(fine, job);
    sl_real *first = coarse->now + sl_nest_octant(coarse, job->coarse, job->half), *to = first;
    size_t row = (size_t)m->step[1], plane = (size_t)m->step[2];
    int n[3];
    sl_mesh_half(m, n);
    for (int v = 0; v < fine->layout.nflow; v++, to += m->block_cells)
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++, from += n[0])
                memcpy(to + (size_t)k * plane + (size_t)j * row, from, (size_t)n[0] * sizeof *to);
    if (fine->layout.face >= 0) sl_faces_cover_unpack(coarse, job->half, from, first);
}

int sl_nest_cover(const struct sl_transfer_level *coarse, const struct sl_transfer_level *fine)
{
    const struct sl_nest *nest = fine->nest;
    const struct sl_cover_job *job = nest->cover;
    struct sl_level_exchange exchange = {
        fine->mesh->comm, SL_TAG_COVER,  &nest->cover_out,
        &nest->cover_in,  carried(fine), sl_mesh_octant_cells(fine->mesh),
        fine->buffers,    NULL,          NULL};
    int local = nest->ncover[0], out = local + nest->ncover[1], in = out + nest->ncover[2];
    SL_TRY(sl_level_exchange_open(&exchange));
    for (int i = local; i < out; i++)
        job_do(coarse, fine, &job[i], exchange.sent);
    SL_TRY(sl_level_exchange_send(&exchange));
    for (int i = 0; i < local; i++)
        job_do(coarse, fine, &job[i], NULL);
    SL_TRY(sl_level_exchange_wait(&exchange));
    for (int i = out; i < in; i++)
        job_take(coarse, fine, &job[i], exchange.got);
    if (fine->layout.face >= 0) sl_faces_centre(coarse, coarse->mesh->nleaf, coarse->mesh->nblock);
    return SL_OK;
}
