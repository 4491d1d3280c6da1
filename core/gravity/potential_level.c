/* potential_level.c - the loops over the cells of one level; see
 * potential_level.h. */
#include "core/gravity/potential_level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/poisson.h"
#include "core/sweep/lanes.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/transfer/level_exchange.h"

/* ---- making
 * ---------------------------------------------------------------------------------
 */

static void shapes_set(struct sl_potential_level *p)
{
    const struct sl_mesh *m = p->mesh;
    p->ring_cells = 1;
    p->face_values = 0;
    for (int d = 0; d < 3; d++) {
        p->h[d] = (sl_real)sl_mesh_cell_size(m, d, m->level);
        p->per_h2[d] = d < m->dim ? 1 / (p->h[d] * p->h[d]) : 0;
        p->ring_n[d] = d < m->dim ? m->n[d] / 2 + 2 : 1;
        p->ring_cells *= (size_t)p->ring_n[d];
        size_t across = (size_t)m->n[d] * (size_t)m->n[(d + 1) % 3];
        if (across > p->face_values) p->face_values = across;
    }
    p->values = sl_mesh_size(m, 1);
    if (p->isolated && !p->nest) p->values += (size_t)m->nblock * 6 * p->face_values;
}

struct sl_potential_level sl_potential_level_of(struct sl_mesh *mesh, const struct sl_nest *nest,
                                                enum sl_around isolated)
{
    struct sl_potential_level p = {.mesh = mesh, .nest = nest, .isolated = isolated};
    shapes_set(&p);
    return p;
}

int sl_potential_level_edges(const struct sl_potential_level *p, unsigned char **out)
{
    const struct sl_mesh *m = p->mesh;
    unsigned char *edges;
    SL_TRY(sl_alloc("edges of a level", (size_t)m->nblock + 1, 1, &edges));
    for (int i = 0; p->nest && i < p->nest->nfine; i++) {
        const struct sl_flux_register_side *s = &p->nest->fine[i];
        edges[s->block] |= (unsigned char)(1u << (2 * s->axis + s->upper));
    }
    for (int b = 0; b < m->nblock && p->nest && p->isolated; b++)
        for (int f = 0; f < 2 * m->dim; f++)
            if (m->blocks[b].at_edge[f]) edges[b] |= (unsigned char)(1u << f);
    *out = edges;
    return SL_OK;
}

int sl_potential_level_fields(struct sl_potential_level *p)
{
    size_t values = p->values + 1, blocks = (size_t)p->mesh->nblock + 1;
    sl_real **field[] = {&p->phi, &p->rhs, &p->residual, &p->correction, &p->left, &p->before};
    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        SL_TRY(sl_alloc("the potential of a level", values, sizeof(sl_real), field[i]));
    SL_TRY(sl_potential_level_edges(p, &p->edges));
    if (!p->nest) return SL_OK;
    SL_TRY(sl_alloc("a row of coarse cells", (size_t)p->ring_n[0], sizeof(sl_real), &p->line));
    return sl_alloc("coarse cells around blocks", blocks * p->ring_cells, sizeof(sl_real),
                    &p->ring);
}

void sl_potential_level_release(struct sl_potential_level *p)
{
    free(p->phi);
    free(p->rhs);
    free(p->residual);
    free(p->correction);
    free(p->left);
    free(p->before);
    free(p->ring);
    free(p->line);
    free(p->edges);
    sl_level_buffers_free(p->buffers);
    *p = (struct sl_potential_level){.mesh = NULL};
}

/* ---- ghost cells
 * ----------------------------------------------------------------------------
 */

/* A face of a block at the edge of its level. */
struct edge {
    const struct sl_potential_level *p;
    const sl_real *ring; /* of the block; NULL: coarse values are 0 */
    ptrdiff_t step[3];   /* in the ring */
    int axis, upper;
};

/* The coarse cell beyond the face, moved to the row of fine cell c. */
static sl_real coarse_beyond(const struct edge *e, const int c[3])
{
    ptrdiff_t at = 0;
    if (!e->ring) return 0;
    for (int d = 0; d < e->p->mesh->dim; d++)
        at += e->step[d] * (d != e->axis ? c[d] / 2 + 1 : e->upper ? e->p->ring_n[d] - 1 : 0);
    sl_real value = e->ring[at];
    for (int d = 0; d < e->p->mesh->dim; d++)
        if (d != e->axis) value += sl_poisson_moved(e->ring + at, e->step[d], c[d] % 2);
    return value;
}

static void edge_fill(const struct edge *e, int block, sl_real *field)
{
    const struct sl_mesh *m = e->p->mesh;
    ptrdiff_t out = e->upper ? m->step[e->axis] : -m->step[e->axis];
    int lo[3] = {0, 0, 0}, hi[3] = {m->n[0], m->n[1], m->n[2]}, c[3];
    lo[e->axis] = e->upper ? m->n[e->axis] - 1 : 0;
    hi[e->axis] = lo[e->axis] + 1;
    for (c[2] = lo[2]; c[2] < hi[2]; c[2]++)
        for (c[1] = lo[1]; c[1] < hi[1]; c[1]++)
            for (c[0] = lo[0]; c[0] < hi[0]; c[0]++) {
                sl_real *first = field + sl_potential_at(m, block, c[2], c[1], c[0]);
                first[out] = sl_poisson_ghost(coarse_beyond(e, c), first[0], first[-out]);
            }
}

static void edges_fill(const struct sl_potential_level *p, enum sl_potential_edge edge,
                       sl_real *field)
{
    struct edge e = {.p = p, .step = {1, p->ring_n[0], (ptrdiff_t)p->ring_n[0] * p->ring_n[1]}};
    for (int b = 0; b < p->mesh->nblock; b++)
        for (int f = 0; f < 2 * p->mesh->dim && p->edges[b]; f++) {
            if (!(p->edges[b] >> f & 1)) continue;
            e.ring = edge == SL_POTENTIAL_EDGE_RING ? p->ring + (size_t)b * p->ring_cells : NULL;
            e.axis = f / 2, e.upper = f % 2;
            edge_fill(&e, b, field);
        }
}

/* Ghost cells beyond one face of the box, at a root block. */
static void side_fill(const struct sl_potential_level *p, int block, int face, sl_real *field)
{
    const struct sl_mesh *m = p->mesh;
    const sl_real *from = sl_potential_beyond(p, block, face, field);
    int axis = face / 2, t[2], c[3];
    sl_mesh_along(axis, t);
    c[axis] = face % 2 ? m->n[axis] : -1;
    for (c[t[1]] = 0; c[t[1]] < m->n[t[1]]; c[t[1]]++)
        for (c[t[0]] = 0; c[t[0]] < m->n[t[0]]; c[t[0]]++)
            field[sl_potential_at(m, block, c[2], c[1], c[0])] = *from++;
}

/* Into the block, 0: it is inside along the axis. */
static int inwards(const struct sl_mesh *m, int axis, int at)
{
    return at < 0 ? 1 : at >= m->n[axis] ? -1 : 0;
}

/* A ghost cell beyond an edge or corner of a block, of which axis `out` leads out of the box: from
 * those beyond the faces, by the plane through its neighbours inwards along it and `other`. */
static void corner_fill(const struct sl_mesh *m, int block, const int c[3], int out, int other,
                        sl_real *field)
{
    sl_real *to = field + sl_potential_at(m, block, c[2], c[1], c[0]);
    ptrdiff_t a = inwards(m, out, c[out]) * m->step[out];
    ptrdiff_t b = inwards(m, other, c[other]) * m->step[other];
    to[0] = to[a] + to[b] - to[a + b];
}

/* Ghost cells that lie beyond so many faces of a block, one of them a side of the box. */
static void corners_fill(const struct sl_mesh *m, int block, int faces, sl_real *field)
{
    int c[3];
    for (c[2] = -1; c[2] <= m->n[2]; c[2]++)
        for (c[1] = -1; c[1] <= m->n[1]; c[1]++)
            for (c[0] = -1; c[0] <= m->n[0]; c[0]++) {
                int count = 0, out = -1, other = -1;
                for (int d = 0; d < 3; d++) {
                    int in = inwards(m, d, c[d]);
                    if (in == 0) continue;
                    count++;
                    if (out < 0 && m->blocks[block].at_edge[2 * d + (in < 0)])
                        out = d;
                    else
                        other = d;
                }
                if (count == faces && out >= 0) corner_fill(m, block, c, out, other, field);
            }
}

/* What lies beyond an isolated box, which has three axes. */
static void sides_fill(const struct sl_potential_level *p, bool across, sl_real *field)
{
    for (int b = 0; b < p->mesh->nblock; b++) {
        bool any = false;
        for (int f = 0; f < 6; f++) {
            if (!p->mesh->blocks[b].at_edge[f]) continue;
            if (!p->nest) side_fill(p, b, f, field);
            any = true;
        }
        for (int faces = 2; faces <= 3 && across && any; faces++)
            corners_fill(p->mesh, b, faces, field);
    }
}

int sl_potential_fill(struct sl_potential_level *p, enum sl_potential_edge edge, bool across,
                      sl_real *field)
{
    const struct sl_ghost_arg arg = {.nvar = 1, .vector = -1, .faces_only = !across};
    SL_TRY(sl_ghost_fill(p->mesh, &arg, field));
    edges_fill(p, edge, field);
    if (p->isolated) sides_fill(p, across, field);
    return SL_OK;
}

/* ---- rows of cells --------------------------------------------------------------------------- */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void residual_row(int dim, const struct sl_potential_level *p, size_t at,
                                const sl_real *field, const sl_real *rhs, sl_real *out)
{
    const ptrdiff_t step[3] = {1, p->mesh->step[1], p->mesh->step[2]};
    const sl_real per_h2[3] = {p->per_h2[0], p->per_h2[1], p->per_h2[2]};
    SL_SIMD
    for (int i = 0; i < p->mesh->n[0]; i++)
        out[at + i] = rhs[at + i] - sl_poisson_lap(dim, field + at + i, step, per_h2);
}

void sl_potential_residual(const struct sl_potential_level *p, const sl_real *field,
                           const sl_real *rhs, sl_real *out)
{
    const struct sl_mesh *m = p->mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++) {
                size_t at = sl_potential_at(m, b, k, j, 0);
                if (m->dim == 3)
                    residual_row(3, p, at, field, rhs, out);
                else
                    residual_row(m->dim, p, at, field, rhs, out);
            }
}

/* Every second cell of a row. */
ALWAYS_INLINE void relax_row(int dim, const struct sl_potential_level *p, size_t at, int first,
                             const sl_real *rhs, sl_real *field)
{
    const ptrdiff_t step[3] = {1, p->mesh->step[1], p->mesh->step[2]};
    const sl_real per_h2[3] = {p->per_h2[0], p->per_h2[1], p->per_h2[2]};
    SL_SIMD
    for (int i = first; i < p->mesh->n[0]; i += 2)
        field[at + i] = sl_poisson_relaxed(dim, field + at + i, step, per_h2, rhs[at + i]);
}

static void relax(const struct sl_potential_level *p, int colour, const sl_real *rhs,
                  sl_real *field)
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

int sl_potential_smooth(struct sl_potential_level *p, int sweeps, enum sl_potential_edge edge,
                        const sl_real *rhs, sl_real *field)
{
    for (int i = 0; i < 2 * sweeps; i++) {
        SL_TRY(sl_potential_fill(p, edge, false, field));
        relax(p, i % 2, rhs, field);
    }
    return SL_OK;
}

/* A row of coarse cells, moved along the other axes to row (k, j) of fine cells. */
static void ring_row(const struct sl_potential_level *p, const sl_real *ring, int k, int j,
                     sl_real *line)
{
    const int dim = p->mesh->dim, n = p->ring_n[0];
    const ptrdiff_t y = dim > 1 ? n : 0, z = dim > 2 ? (ptrdiff_t)n * p->ring_n[1] : 0;
    const ptrdiff_t up = j % 2 ? y : -y, back = k % 2 ? z : -z;
    const sl_real *row = ring + (k / 2 + 1) * z + (j / 2 + 1) * y;
    SL_SIMD
    for (int i = 0; i < n; i++)
        line[i] = sl_poisson_child(sl_poisson_child(row[i], row[i + up]),
                                   sl_poisson_child(row[i + back], row[i + up + back]));
}

void sl_potential_add_rings(const struct sl_potential_level *p, sl_real *field)
{
    const struct sl_mesh *m = p->mesh;
    for (int b = 0; b < m->nblock; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++) {
                sl_real *to = field + sl_potential_at(m, b, k, j, 0);
                ring_row(p, p->ring + (size_t)b * p->ring_cells, k, j, p->line);
                for (int i = 0; i < m->n[0] / 2; i++) {
                    to[2 * i] += sl_poisson_child(p->line[i + 1], p->line[i]);
                    to[2 * i + 1] += sl_poisson_child(p->line[i + 1], p->line[i + 2]);
                }
            }
}

double sl_potential_largest(const struct sl_potential_level *p, const sl_real *field)
{
    const struct sl_mesh *m = p->mesh;
    double most = 0;
    for (int b = 0; b < m->nleaf; b++)
        for (int k = 0; k < m->n[2]; k++)
            for (int j = 0; j < m->n[1]; j++)
                for (int i = 0; i < m->n[0]; i++) {
                    double x = fabs((double)field[sl_potential_at(m, b, k, j, i)]);
                    if (!(x <= most)) most = x; /* also what is no number */
                }
    return most;
}
