/* potential_level.c - the fields of a level, and the loops over its potential; see
 * potential_level.h. */
#include "core/gravity/potential_level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/restrict.h"
#include "core/sweep/lanes.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/transfer/any_field.h"

/* ---- making ---------------------------------------------------------------------------------- */

/* A power of two near the size of the cells of the root grid: the unit of lengths in cycles. */
static double unit_of(const struct sl_mesh *m)
{
    return ldexp(1, ilogb(sl_mesh_cell_size(m, 0, 0)));
}

static void units_set(struct sl_potential_level *p)
{
    const double unit = unit_of(p->mesh);
    p->unit2 = unit * unit;
    for (int d = 0; d < 3; d++) {
        p->cycle_h[d] = (sl_real)((double)p->h[d] / unit);
        p->cycle_per_h2[d] = (sl_cycle_real)((double)p->per_h2[d] * p->unit2);
    }
}

void sl_potential_scale(struct sl_potential_level *p, double most)
{
    double scale = most > 0 && isfinite(most) ? ldexp(1, -ilogb(most)) : 1;
    p->scale = (sl_real)scale, p->back = (sl_real)(p->unit2 / scale);
}

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
    units_set(p);
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

/* Fields of cycles in one piece, of which two beside each other may serve as one of sl_real. */
static int cycle_fields(struct sl_potential_level *p)
{
    sl_cycle_real *all;
    size_t values = (p->values + 2) / 2 * 2;
    SL_TRY(sl_alloc("cycles of the potential of a level", 3 * values, sizeof *all, &all));
    p->correction = all, p->remainder = all + values, p->residual = all + 2 * values;
    return SL_OK;
}

int sl_potential_level_fields(struct sl_potential_level *p)
{
    size_t values = p->values + 1, blocks = (size_t)p->mesh->nblock + 1;
    sl_real **field[] = {&p->phi, &p->rhs, &p->before};
    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        SL_TRY(sl_alloc("the potential of a level", values, sizeof(sl_real), field[i]));
    SL_TRY(cycle_fields(p));
    SL_TRY(sl_potential_level_edges(p, &p->edges));
    if (!p->nest) return SL_OK;
    SL_TRY(sl_alloc("a row of coarse cells", (size_t)p->ring_n[0], sizeof *p->line, &p->line));
    return sl_alloc("coarse cells around blocks", blocks * p->ring_cells, sizeof(sl_real),
                    &p->ring);
}

void sl_potential_level_release(struct sl_potential_level *p)
{
    free(p->phi);
    free(p->rhs);
    free(p->before);
    free(p->correction);
    free(p->ring);
    free(p->line);
    free(p->edges);
    sl_level_buffers_free(p->buffers);
    *p = (struct sl_potential_level){.mesh = NULL};
}

/* ---- the potential --------------------------------------------------------------------------- */

#define REAL              sl_real
#define FN(name)          sl_potential_##name
#define POISSON(name)     sl_poisson_##name
#define OF(level, member) (level)->member
#define SCALE(level)      (level)->scale
#include "core/gravity/potential_loops.def"

int sl_potential_cover(struct sl_potential_level *coarse, struct sl_potential_level *fine)
{
    const struct sl_any_cover cover = {coarse->mesh, fine->mesh, 1, 1, fine->phi, coarse->phi};
    return sl_any_cover(&cover, fine->nest, &fine->buffers);
}

/* The residual of a cell at the edge of finer ones is found in full precision before their slopes
 * take its own away: it is small beside either. */
static sl_real *exact_of(const struct sl_potential_level *p)
{
    return (sl_real *)(void *)p->correction;
}

static void exact_make(void *context, const struct sl_potential_face *f, sl_real change)
{
    const struct sl_potential_level *p = context;
    size_t at = sl_potential_at(p->mesh, f->block, f->at[2], f->at[1], f->at[0]);
    (void)change;
    exact_of(p)[at] =
        p->rhs[at] - sl_poisson_lap(p->mesh->dim, p->phi + at, p->mesh->step, p->per_h2);
}

static void exact_take(void *context, const struct sl_potential_face *f, sl_real change)
{
    const struct sl_potential_level *p = context;
    size_t at = sl_potential_at(p->mesh, f->block, f->at[2], f->at[1], f->at[0]);
    exact_of(p)[at] -= change / p->h[f->axis];
    p->residual[at] = (sl_cycle_real)(p->scale * exact_of(p)[at]);
}

int sl_potential_residual(struct sl_potential_level *p, struct sl_potential_level *fine)
{
    residual_make(p, p->mesh->nleaf, p->phi, p->rhs, p->residual);
    if (!fine) return SL_OK;
    struct match w = {p, fine, fine->phi, p->phi, exact_make, p};
    SL_TRY(slopes_move(&w));
    slopes_give(&w);
    w.take = exact_take;
    slopes_give(&w);
    return SL_OK;
}

int sl_potential_match(struct sl_potential_level *coarse, struct sl_potential_level *fine,
                       sl_potential_take *take, void *context)
{
    const struct match w = {coarse, fine, fine->phi, coarse->phi, take, context};
    SL_TRY(slopes_move(&w));
    slopes_give(&w);
    return SL_OK;
}
