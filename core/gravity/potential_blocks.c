/* potential_blocks.c - see potential_blocks.h. */
#include "core/gravity/potential_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "core/gravity/poisson.h"
#include "core/grid/planes.h"
#include "core/sweep/lanes.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { LAYERS = 1 };

struct sl_potential_blocks {
    const struct sl_mesh *mesh; /* borrowed */
    struct sl_poisson *poisson; /* borrowed */
    struct sl_planes *planes;   /* owned */
    double h[3];                /* of a cell */
    ptrdiff_t step[3], block;   /* distances; step: 0 along axes that are not there */
    double *phi;                /* owned; [block][n2 + 2][n1 + 2][n0 + 2] */
};

/* ---- making ---------------------------------------------------------------------------------- */

static void shapes_set(struct sl_potential_blocks *p)
{
    const struct sl_mesh *m = p->mesh;
    p->block = 1;
    for (int d = 0; d < 3; d++) {
        bool is = d < m->dim;
        p->h[d] = is ? (m->spec.hi[d] - m->spec.lo[d]) / m->spec.cells[d] : 1;
        p->step[d] = is ? p->block : 0;
        p->block *= m->n[d] + (is ? 2 * LAYERS : 0);
    }
}

int sl_potential_blocks_new(const struct sl_mesh *mesh, struct sl_poisson *poisson,
                            struct sl_potential_blocks **out)
{
    struct sl_potential_blocks *p = NULL;
    int code = sl_alloc("the potential in blocks", 1, sizeof *p, &p);
    if (code == SL_OK) {
        p->mesh = mesh, p->poisson = poisson;
        shapes_set(p);
        code = sl_alloc("the potential in blocks", (size_t)(p->block * mesh->nblock) + 1,
                        sizeof *p->phi, &p->phi);
    }
    code = sl_agree(mesh->comm, code);
    if (code == SL_OK)
        code = sl_planes_new_around(mesh, sl_poisson_pencil(poisson), LAYERS, sizeof *p->phi,
                                    &p->planes);
    if (code == SL_OK)
        *out = p;
    else
        sl_potential_blocks_free(p);
    return code;
}

void sl_potential_blocks_free(struct sl_potential_blocks *p)
{
    if (!p) return;
    sl_planes_free(p->planes);
    free(p->phi);
    free(p);
}

/* ---- taking ---------------------------------------------------------------------------------- */

static double *row_at(const struct sl_potential_blocks *p, int block, int k, int j)
{
    ptrdiff_t first = LAYERS * (p->step[0] + p->step[1] + p->step[2]);
    return p->phi + block * p->block + first + k * p->step[2] + j * p->step[1];
}

const double *sl_potential_blocks_row(const struct sl_potential_blocks *p, int block, int k, int j)
{
    return row_at(p, block, k, j);
}

/* Cells beyond the grid are those at its other side. */
static void from_plane(void *context, int k, int j, int i, int n, void *row)
{
    const struct sl_potential_blocks *p = context;
    const double *from = sl_poisson_row(p->poisson, k, j);
    const int cells = sl_poisson_pencil(p->poisson)->n[0];
    double *to = row;
    to[0] = from[i < 0 ? i + cells : i];
    memcpy(to + 1, from + i + 1, (size_t)(n - 2) * sizeof *to);
    to[n - 1] = from[i + n - 1 < cells ? i + n - 1 : i + n - 1 - cells];
}

static void to_block(void *context, int block, int k, int j, void *row)
{
    const struct sl_potential_blocks *p = context;
    memcpy(row_at(p, block, k, j) - LAYERS, row,
           (size_t)(p->mesh->n[0] + 2 * LAYERS) * sizeof *p->phi);
}

int sl_potential_blocks_take(struct sl_potential_blocks *p)
{
    return sl_planes_spread(p->planes, from_plane, to_block, p);
}

/* ---- slopes ---------------------------------------------------------------------------------- */

void sl_potential_blocks_pull(const struct sl_potential_blocks *p, int block, int k, int j,
                              sl_real *g)
{
    const double *phi = row_at(p, block, k, j);
    const int n = p->mesh->n[0];
    for (int d = 0; d < 3; d++) {
        const double *lower = phi - p->step[d], *upper = phi + p->step[d], scale = 0.5 / p->h[d];
        sl_real *to = g + d * n;
        SL_SIMD
        for (int i = 0; i < n; i++)
            to[i] = (sl_real)(scale * (lower[i] - upper[i]));
    }
}

void sl_potential_blocks_bend(const struct sl_potential_blocks *p, int block, int k, int j,
                              sl_real *bend)
{
    const double *phi = row_at(p, block, k, j);
    const int n = p->mesh->n[0];
    for (int d = 0; d < 3; d++) {
        const double *lower = phi - p->step[d], *upper = phi + p->step[d], scale = 1 / p->h[d];
        sl_real *to = bend + d * n;
        SL_SIMD
        for (int i = 0; i < n; i++)
            to[i] = (sl_real)(scale * (2 * phi[i] - (lower[i] + upper[i])));
    }
}
