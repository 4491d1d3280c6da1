/* cover.c - covered blocks become the means of their children; see nest.h. */
#include "core/cell/lift.h"
#include "core/cell/prolong_heat.h"
#include "core/sweep/rows.h"
#include "core/sys/status.h"
#include "core/transfer/any_field.h"
#include "core/transfer/faces.h"
#include "core/transfer/nest.h"

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

/* One call. */
struct cover {
    struct sl_any_cover any; /* of the variables that flow */
    const struct sl_transfer_level *coarse, *fine;
};

/* Makes an octant, in the covered block or, where that is on another rank, in the message; its
 * faces are the last of it there. */
static void octant_make(const void *of, const void *of_job, sl_real *message)
{
    const struct cover *c = of;
    const struct sl_cover_job *job = of_job;
    const struct sl_layout *l = &c->fine->layout;
    const struct sl_mesh *m = c->fine->mesh;
    const sl_real *from = c->fine->now + sl_nest_octant(c->fine, job->fine, NULL);
    sl_real work[3];
    int n[3];
    sl_mesh_half(m, n);
    struct sl_cells cells = message ? sl_cells_packed(n) : sl_cells_of(m);
    sl_real *to =
        message ? message : c->coarse->now + sl_nest_octant(c->coarse, job->coarse, job->half);
    sl_any_cover_make(&c->any, job, message);
    if (sl_nest_work(c->coarse, work))
        energies_of(l, m->dim, n, from, m->block_cells, m->step, work,
                    to + (size_t)l->energy * cells.var, cells.step);
    if (l->entropy >= 0)
        entropies_of(c->fine, n, from, m->step, to + (size_t)l->entropy * cells.var, cells.step);
    if (l->face < 0) return;
    if (message) to += (size_t)l->nflow * cells.var;
    sl_faces_cover(c->fine, job->fine, job->half, !message, to);
}

static void octant_take(const void *of, const void *of_job, const sl_real *from)
{
    const struct cover *c = of;
    const struct sl_cover_job *job = of_job;
    size_t cells = (size_t)c->any.nmean * sl_mesh_octant_cells(c->fine->mesh);
    sl_any_cover_take(&c->any, job, from);
    if (c->fine->layout.face >= 0)
        sl_faces_cover_unpack(c->coarse, job->half, from + cells,
                              c->coarse->now + sl_nest_octant(c->coarse, job->coarse, job->half));
}

int sl_nest_cover(const struct sl_transfer_level *coarse, const struct sl_transfer_level *fine)
{
    const struct sl_layout *l = &fine->layout;
    const struct cover c = {
        {coarse->mesh, fine->mesh, l->nvar, l->nflow, fine->now, coarse->now}, coarse, fine};
    size_t faces = l->face >= 0 ? sl_faces_cover_values(fine->mesh) : 0;
    size_t unit = sl_mesh_octant_cells(fine->mesh);
    const struct sl_level_exchange x = {
        SL_TAG_COVER, SL_LEVEL_JOBS(fine->nest, cover),        &c,          octant_make,
        octant_take,  .each = (size_t)l->nflow * unit + faces, .unit = unit};
    SL_TRY(sl_level_exchange_run(&x, fine->mesh->comm, fine->buffers));
    if (l->face >= 0) sl_faces_centre(coarse, coarse->mesh->nleaf, coarse->mesh->nblock);
    return SL_OK;
}
