/* faces_reflux.c - faces of coarse leaves beside finer blocks; see faces.h.
 *
 * First all that goes around the edges that touch finer blocks is corrected; then faces that lie
 * on those of finer blocks become their means. The correction of an edge is the same on all blocks
 * that have it. */
#include <stdlib.h>

#include "core/cell/centre.h"
#include "core/cell/restrict.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/transfer/edge_register.h"
#include "core/transfer/faces.h"
#include "core/transfer/level_exchange.h"

/* The first cell of a block at `now`, and its face across d. */
static sl_real *cells_at(const struct sl_transfer_level *level, int block)
{
    return level->now + sl_nest_octant(level, block, NULL);
}

static sl_real *faces_of(const struct sl_transfer_level *level, int block, int d)
{
    return cells_at(level, block) + (size_t)(level->layout.face + d) * level->mesh->block_cells;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* One call: for each block of the coarse level its place in the list of those with edges; what is
 * added. */
struct edges {
    const struct sl_transfer_level *coarse, *fine;
    int *place;
    sl_real *more, *mean;
    size_t each;
};

static sl_real *more_of(const struct edges *e, int block)
{
    return e->more + (size_t)e->place[block] * e->each;
}

/* Cells along the edges of a job. */
static int cells_of(const struct sl_mesh *m, const struct sl_edge_job *job)
{
    return job->along < m->dim ? m->n[job->along] / 2 : 1;
}

/* The finer edges of a job, as coarse ones. */
static void edges_mean(const void *of, const void *of_job, sl_real *to)
{
    const struct edges *e = of;
    const struct sl_edge_job *job = of_job;
    const struct sl_transfer_level *fine = e->fine;
    const struct sl_mesh *m = fine->mesh;
    const sl_real *from = sl_edges_fine(fine->edges, job->fine) +
                          sl_edge_start(m->dim, m->n, job->axis, job->fine_upper, job->along);
    static const ptrdiff_t next[3] = {1, 0, 0};
    int two = job->along < m->dim, row = m->n[job->along];
    for (int line = 0; line < job->lines; line++)
        for (int i = 0; i < cells_of(m, job); i++)
            *to++ =
                sl_restrict(two, from + (job->fine_line + 2 * line) * row + (1 + two) * i, next);
}

/* What is to be added to the coarse edges of a job. */
static void edges_put(const void *of, const void *of_job, const sl_real *mean)
{
    const struct edges *e = of;
    const struct sl_edge_job *job = of_job;
    const struct sl_transfer_level *coarse = e->coarse;
    const struct sl_mesh *m = coarse->mesh;
    sl_real *more = more_of(e, job->coarse);
    size_t start = sl_edge_start(m->dim, m->n, job->axis, job->coarse_upper, job->along);
    const sl_real *had = sl_edges_coarse(coarse->edges, job->coarse) + start;
    int row = m->n[job->along];
    for (int line = 0; line < job->lines; line++)
        for (int i = 0; i < cells_of(m, job); i++) {
            int at = (job->coarse_line + line) * row + job->half * cells_of(m, job) + i;
            more[start + (size_t)at] = *mean++ - had[at];
        }
}

/* Whether a face across d at x (0 .. n along d) has an edge on the surface of the block. */
static int at_surface(const struct sl_mesh *m, int d, const int x[3])
{
    int any = 0;
    for (int a = 0; a < m->dim; a++)
        any |= x[a] == 0 || x[a] == m->n[a] - (a != d);
    return any;
}

static void edges_apply(const struct sl_transfer_level *coarse, int block, const sl_real *more)
{
    const struct sl_mesh *m = coarse->mesh;
    sl_real per_dx[3];
    int x[3];
    for (int a = 0; a < 3; a++)
        per_dx[a] = (sl_real)(1 / m->blocks[block].dx[a]);
    for (int d = 0; d < m->dim; d++) {
        sl_real *face = faces_of(coarse, block, d);
        for (x[2] = 0; x[2] < m->n[2] + (d == 2); x[2]++)
            for (x[1] = 0; x[1] < m->n[1] + (d == 1); x[1]++)
                for (x[0] = 0; x[0] < m->n[0] + (d == 0); x[0]++)
                    if (at_surface(m, d, x))
                        face[x[2] * m->step[2] + x[1] * m->step[1] + x[0]] -=
                            sl_edge_loss(m->dim, m->n, more, per_dx, d, x);
    }
}

static int edges_open(struct edges *e, const struct sl_transfer_level *coarse,
                      const struct sl_transfer_level *fine)
{
    const struct sl_nest *nest = fine->nest;
    const struct sl_mesh *m = coarse->mesh;
    *e = (struct edges){.coarse = coarse, .fine = fine, .each = sl_edge_values(m->dim, m->n)};
    SL_TRY(sl_alloc("edges beside finer blocks", (size_t)m->nblock, sizeof *e->place, &e->place));
    SL_TRY(sl_alloc("edges beside finer blocks", (size_t)nest->ncoarse_edges * e->each,
                    sizeof *e->more, &e->more));
    SL_TRY(sl_alloc("edges beside finer blocks", e->each, sizeof *e->mean, &e->mean));
    for (int i = 0; i < nest->ncoarse_edges; i++)
        e->place[nest->coarse_edges[i]] = i;
    return SL_OK;
}

static void edges_close(struct edges *e)
{
    free(e->place);
    free(e->more);
    free(e->mean);
}

static int edges_do(const struct edges *e)
{
    const struct sl_nest *nest = e->fine->nest;
    const struct sl_level_exchange x = {SL_TAG_EDGE, SL_LEVEL_JOBS(nest, edge), e, edges_mean,
                                        edges_put,   .spare = e->mean};
    SL_TRY(sl_level_exchange_run(&x, e->fine->mesh->comm, e->fine->buffers));
    for (int i = 0; i < nest->ncoarse_edges; i++)
        edges_apply(e->coarse, nest->coarse_edges[i], more_of(e, nest->coarse_edges[i]));
    return SL_OK;
}

/* ---- faces ----------------------------------------------------------------------------------- */

/* Faces of a job along these. */
static void half_of(const struct sl_mesh *m, const int t[2], int n[2])
{
    for (int i = 0; i < 2; i++)
        n[i] = t[i] < m->dim ? m->n[t[i]] / 2 : 1;
}

static void faces_mean(const void *of, const void *of_job, sl_real *to)
{
    const struct edges *e = of;
    const struct sl_reflux_job *job = of_job;
    const struct sl_transfer_level *fine = e->fine;
    const struct sl_mesh *m = fine->mesh;
    const sl_real *from = faces_of(fine, job->fine, job->axis);
    int t[2], n[2];
    sl_mesh_along(job->axis, t);
    half_of(m, t, n);
    const ptrdiff_t step[3] = {m->step[t[0]], m->step[t[1]], 0};
    from += job->upper ? 0 : m->n[job->axis] * m->step[job->axis];
    for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++)
            *to++ = sl_restrict(m->dim - 1, from + 2 * j * step[1] + 2 * i * step[0], step);
}

static void faces_put(const void *of, const void *of_job, const sl_real *mean)
{
    const struct edges *e = of;
    const struct sl_reflux_job *job = of_job;
    const struct sl_transfer_level *coarse = e->coarse;
    const struct sl_mesh *m = coarse->mesh;
    sl_real *to = faces_of(coarse, job->coarse, job->axis);
    int t[2], n[2];
    sl_mesh_along(job->axis, t);
    half_of(m, t, n);
    to += job->upper ? m->n[job->axis] * m->step[job->axis] : 0;
    for (int i = 0; i < 2; i++)
        to += job->half[t[i]] * n[i] * m->step[t[i]];
    for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++)
            to[j * m->step[t[1]] + i * m->step[t[0]]] = *mean++;
}

static int faces_do(const struct edges *e)
{
    const struct sl_level_exchange x = {SL_TAG_FACE, SL_LEVEL_JOBS(e->fine->nest, reflux),
                                        e,           faces_mean,
                                        faces_put,   .spare = e->mean};
    return sl_level_exchange_run(&x, e->fine->mesh->comm, e->fine->buffers);
}

/* ---- the calls ------------------------------------------------------------------------------- */

int sl_faces_reflux(const struct sl_transfer_level *coarse, const struct sl_transfer_level *fine)
{
    struct edges e;
    if (coarse->mesh->dim == 1) return SL_OK; /* the field along the only axis never changes */
    int code = edges_open(&e, coarse, fine);
    if (code == SL_OK) code = edges_do(&e);
    if (code == SL_OK) code = faces_do(&e);
    edges_close(&e);
    return code;
}

void sl_faces_reflux_centre(const struct sl_transfer_level *coarse,
                            const struct sl_transfer_level *fine)
{
    const struct sl_mesh *m = coarse->mesh;
    const ptrdiff_t *step = m->step;
    int x[3];
    for (int i = 0; i < fine->nest->ncoarse_edges; i++)
        for (x[2] = 0; x[2] < m->n[2]; x[2]++)
            for (x[1] = 0; x[1] < m->n[1]; x[1]++)
                for (x[0] = 0; x[0] < m->n[0]; x[0]++)
                    if (at_surface(m, -1, x))
                        sl_centre(&coarse->layout, m->dim, step, m->block_cells,
                                  cells_at(coarse, fine->nest->coarse_edges[i]) + x[2] * step[2] +
                                      x[1] * step[1] + x[0]);
}
