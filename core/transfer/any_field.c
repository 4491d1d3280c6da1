/* any_field.c - see any_field.h. */
#include "core/transfer/any_field.h"

#include <string.h>

#include "core/cell/restrict.h"

void sl_cells_copy(const int n[3], int nvar, const sl_real *from, const struct sl_cells *from_cells,
                   sl_real *to, const struct sl_cells *to_cells)
{
    const ptrdiff_t *a = from_cells->step, *b = to_cells->step;
    for (int v = 0; v < nvar; v++, from += from_cells->var, to += to_cells->var)
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++)
                memcpy(to + k * b[2] + j * b[1], from + k * a[2] + j * a[1],
                       (size_t)n[0] * sizeof *to);
}

size_t sl_any_octant(const struct sl_mesh *m, int nvar, int block, const int half[3])
{
    static const int none[3];
    const int *n = m->n, *g = m->g, *h = half ? half : none;
    return sl_mesh_at(m, nvar, block, 0, g[2] + h[2] * (n[2] / 2), g[1] + h[1] * (n[1] / 2),
                      g[0] + h[0] * (n[0] / 2));
}

/* ---- means ----------------------------------------------------------------------------------- */

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

void sl_any_means(int dim, const int n[3], const sl_real *from, const ptrdiff_t step[3],
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

void sl_any_cover_make(const void *cover, const void *of_job, sl_real *to)
{
    const struct sl_any_cover *of = cover;
    const struct sl_cover_job *job = of_job;
    const struct sl_mesh *m = of->fine;
    const sl_real *from = of->from + sl_any_octant(m, of->nvar, job->fine, NULL);
    int n[3];
    sl_mesh_half(m, n);
    struct sl_cells cells = to ? sl_cells_packed(n) : sl_cells_of(m);
    if (!to) to = of->to + sl_any_octant(of->coarse, of->nvar, job->coarse, job->half);
    for (int v = 0; v < of->nmean; v++, from += m->block_cells, to += cells.var)
        sl_any_means(m->dim, n, from, m->step, to, cells.step);
}

void sl_any_cover_take(const void *cover, const void *of_job, const sl_real *from)
{
    const struct sl_any_cover *of = cover;
    const struct sl_cover_job *job = of_job;
    const struct sl_mesh *m = of->coarse;
    int n[3];
    sl_mesh_half(m, n);
    const struct sl_cells packed = sl_cells_packed(n), cells = sl_cells_of(m);
    sl_cells_copy(n, of->nmean, from, &packed,
                  of->to + sl_any_octant(m, of->nvar, job->coarse, job->half), &cells);
}

int sl_any_cover(const struct sl_any_cover *of, const struct sl_nest *nest,
                 struct sl_level_buffers **buffers)
{
    const struct sl_level_exchange x = {
        SL_TAG_COVER,      SL_LEVEL_JOBS(nest, cover), of,
        sl_any_cover_make, sl_any_cover_take,          .each = (size_t)of->nmean};
    return sl_level_exchange_run(&x, of->fine->comm, buffers);
}
