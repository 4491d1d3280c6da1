/* potential_cycle.c - the loops over what a cycle makes of a potential; see potential_level.h. */
#include <math.h>
#include <string.h>

#include "core/cell/poisson.h"
#include "core/cell/restrict.h"
#include "core/gravity/potential_level.h"
#include "core/sweep/lanes.h"
#include "core/sys/status.h"
#include "core/transfer/any_field.h"

#define REAL              sl_cycle_real
#define FN(name)          sl_cycle_##name
#define POISSON(name)     sl_cycle_##name
#define OF(level, member) (level)->cycle_##member
#define SCALE(level)      1
#include "core/gravity/potential_loops.def"

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* Every second cell of a row. */
static inline __attribute__((always_inline)) void
relax_row(int dim, const struct sl_potential_level *p, size_t at, int first,
          const sl_cycle_real *rhs, sl_cycle_real *field)
{
    const ptrdiff_t step[3] = {1, p->mesh->step[1], p->mesh->step[2]};
    const sl_cycle_real per_h2[3] = {p->cycle_per_h2[0], p->cycle_per_h2[1], p->cycle_per_h2[2]};
    SL_SIMD
    for (int i = first; i < p->mesh->n[0]; i += 2)
        field[at + i] = sl_cycle_relaxed(dim, field + at + i, step, per_h2, rhs[at + i]);
}

static void relax(const struct sl_potential_level *p, int colour, const sl_cycle_real *rhs,
                  sl_cycle_real *field)
{
    const struct sl_mesh *m = p->mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++) {
                size_t at = sl_potential_at(m, b, k, j, 0);
                if (m->dim == 3)
                    relax_row(3, p, at, (k + j + colour) % 2, rhs, field);
                else
                    relax_row(m->dim, p, at, (k + j + colour) % 2, rhs, field);
            }
}

int sl_cycle_smooth(struct sl_potential_level *p, int sweeps, enum sl_potential_edge edge)
{
    for (int i = 0; i < 2 * sweeps; i++) {
        SL_TRY(sl_cycle_fill(p, edge, false, p->correction));
        relax(p, i % 2, p->residual, p->correction);
    }
    return SL_OK;
}

/* A row of coarse cells, moved along the other axes to row (k, j) of fine cells. */
static void ring_row(const struct sl_potential_level *p, const sl_cycle_real *ring, int k, int j,
                     sl_cycle_real *line)
{
    const int dim = p->mesh->dim, n = p->ring_n[0];
    const ptrdiff_t y = dim > 1 ? n : 0, z = dim > 2 ? (ptrdiff_t)n * p->ring_n[1] : 0;
    const ptrdiff_t up = j % 2 ? y : -y, back = k % 2 ? z : -z;
    const sl_cycle_real *row = ring + (k / 2 + 1) * z + (j / 2 + 1) * y;
    SL_SIMD
    for (int i = 0; i < n; i++)
        line[i] = sl_cycle_child(sl_cycle_child(row[i], row[i + up]),
                                 sl_cycle_child(row[i + back], row[i + up + back]));
}

void sl_cycle_add_rings(const struct sl_potential_level *p)
{
    const struct sl_mesh *m = p->mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++) {
                sl_cycle_real *to = p->correction + sl_potential_at(m, b, k, j, 0);
                ring_row(p, ring_of(p, b), k, j, p->line);
                for (int i = 0; i < m->n[0] / 2; i++) {
                    to[2 * i] += sl_cycle_child(p->line[i + 1], p->line[i]);
                    to[2 * i + 1] += sl_cycle_child(p->line[i + 1], p->line[i + 2]);
                }
            }
}

/* ---- to the coarser level -------------------------------------------------------------------- */

/* Mean of the 2^dim cells from `from` on. */
static sl_cycle_real mean_of(int dim, const sl_cycle_real *from, const ptrdiff_t step[3])
{
    static const ptrdiff_t packed[3] = {1, 2, 4};
    sl_real value[8];
    for (int q = 0; q < 1 << dim; q++)
        value[q] = (sl_real)from[(q & 1) * step[0] + (q >> 1 & 1) * step[1] + (q >> 2) * step[2]];
    return (sl_cycle_real)sl_restrict(dim, value, packed);
}

struct means {
    struct sl_potential_level *coarse, *fine;
};

static void means_make(const void *of, const void *of_job, sl_real *message)
{
    const struct means *w = of;
    const struct sl_cover_job *job = of_job;
    const struct sl_mesh *m = w->fine->mesh;
    const sl_cycle_real *from = w->fine->remainder + sl_any_octant(m, 1, job->fine, NULL);
    int n[3];
    sl_mesh_half(m, n);
    struct sl_cells cells = message ? sl_cells_packed(n) : sl_cells_of(m);
    sl_cycle_real *to =
        message ? (sl_cycle_real *)(void *)message
                : w->coarse->residual + sl_any_octant(w->coarse->mesh, 1, job->coarse, job->half);
    const ptrdiff_t y = m->dim > 1 ? 2 * m->step[1] : 0, z = m->dim > 2 ? 2 * m->step[2] : 0;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++)
                to[k * cells.step[2] + j * cells.step[1] + i] =
                    mean_of(m->dim, from + k * z + j * y + 2 * i, m->step);
}

static void means_take(const void *of, const void *of_job, const sl_real *message)
{
    const struct means *w = of;
    const struct sl_cover_job *job = of_job;
    const struct sl_mesh *m = w->coarse->mesh;
    const sl_cycle_real *from = (const sl_cycle_real *)(const void *)message;
    sl_cycle_real *to = w->coarse->residual + sl_any_octant(m, 1, job->coarse, job->half);
    int n[3];
    sl_mesh_half(m, n);
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++, from += n[0])
            memcpy(to + k * m->step[2] + j * m->step[1], from, (size_t)n[0] * sizeof *to);
}

static void take_slope(void *context, const struct sl_potential_face *f, sl_real change)
{
    struct sl_potential_level *p = context;
    sl_cycle_real *to =
        p->residual + sl_potential_at(p->mesh, f->block, f->at[2], f->at[1], f->at[0]);
    *to = (sl_cycle_real)((sl_real)*to - change / p->cycle_h[f->axis]);
}

int sl_cycle_reduce(struct sl_potential_level *coarse, struct sl_potential_level *fine)
{
    const struct means w = {coarse, fine};
    const size_t cells = sl_mesh_octant_cells(fine->mesh);
    const struct sl_level_exchange x = {
        SL_TAG_COVER, SL_LEVEL_JOBS(fine->nest, cover),
        &w,           means_make,
        means_take,   .each = numbers_of(cells * sizeof(sl_cycle_real)),
        .unit = cells};
    const struct match match = {coarse, fine, fine->correction, NULL, take_slope, coarse};
    SL_TRY(slopes_move(&match));
    slopes_give(&match);
    residual_make(fine, fine->mesh->nblock, fine->correction, fine->residual, fine->remainder);
    return sl_level_exchange_run(&x, fine->mesh->comm, &fine->buffers);
}
