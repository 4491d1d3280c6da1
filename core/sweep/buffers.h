/* buffers.h - what the sweeps over a block share: where its rows lie, and the memory of their
 * buffers in one piece.
 *
 * Buffers are laid out twice: first they are only counted, then sl_pool_open gets the memory, then
 * they get their places.
 *
 * Shapes  a field of the block: u[var][nt2][nt1][nt0]
 * Units   none
 * Errors  SL_EMEM
 * Owns    the memory of a pool
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/law
 */
#ifndef SL_SWEEP_BUFFERS_H
#define SL_SWEEP_BUFFERS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/mesh/mesh.h"
#include "core/sweep/rows.h"
#include "core/sys/status.h"

enum {
    SL_STRIP = 384, /* cells of the rows that are worked on at once: first-level cache */
    SL_ALIGN = 64   /* bytes */
};

static inline int sl_most(int a, int b)
{
    return a > b ? a : b;
}

static inline int sl_least(int a, int b)
{
    return a < b ? a : b;
}

/* ---- rows of a block ------------------------------------------------------------------------- */

/* As in struct sl_mesh. */
struct sl_extent {
    int dim, n[3], g[3], nt[3];
};

static inline struct sl_extent sl_extent_of(const struct sl_mesh *mesh)
{
    struct sl_extent e = {.dim = mesh->dim};
    memcpy(e.n, mesh->n, sizeof e.n);
    memcpy(e.g, mesh->g, sizeof e.g);
    memcpy(e.nt, mesh->nt, sizeof e.nt);
    return e;
}

/* Place of cell (k, j, i), counted from the first interior one. */
static inline ptrdiff_t sl_extent_place(const struct sl_extent *e, int k, int j, int i)
{
    ptrdiff_t row = e->nt[0], plane = row * e->nt[1];
    return (k + e->g[2]) * plane + (j + e->g[1]) * row + i + e->g[0];
}

/* Rows of a field from there on. */
static inline struct sl_view sl_extent_rows(const struct sl_extent *e, const sl_real *u, int k,
                                            int j, int i)
{
    struct sl_view v = {(sl_real *)(uintptr_t)u + sl_extent_place(e, k, j, i),
                        (ptrdiff_t)e->nt[0] * e->nt[1] * e->nt[2], e->nt[0]};
    return v;
}

/* Rows of tiles that are all alike, when `fit` go into one. */
static inline int sl_extent_tile(const struct sl_extent *e, int fit)
{
    int tiles = (e->n[1] + fit - 1) / fit;
    return (e->n[1] + tiles - 1) / tiles;
}

/* Rows of a strip: two at least. */
static inline int sl_extent_strip(const struct sl_extent *e)
{
    return SL_STRIP / e->n[0] > 2 ? SL_STRIP / e->n[0] : 2;
}

/* ---- memory ---------------------------------------------------------------------------------- */

struct sl_pool {
    sl_real *memory; /* owned; NULL while buffers are counted */
    size_t used;     /* values */
};

/* Room for nvar variables of rows * row values; each begins where a vector does. */
static inline struct sl_view sl_pool_take(struct sl_pool *p, int nvar, int rows, int row)
{
    size_t lanes = SL_ALIGN / sizeof(sl_real);
    size_t size = ((size_t)rows * (size_t)row + lanes - 1) / lanes * lanes;
    struct sl_view v = {p->memory ? p->memory + p->used : NULL, (ptrdiff_t)size, row};
    p->used += (size_t)nvar * size;
    return v;
}

/* Gets what was counted, filled with 0. */
static inline int sl_pool_open(struct sl_pool *p)
{
    size_t size = (p->used * sizeof(sl_real) + SL_ALIGN - 1) / SL_ALIGN * SL_ALIGN;
    p->memory = aligned_alloc(SL_ALIGN, size);
    SL_CHECK(p->memory, SL_EMEM, "no memory for the buffers of a sweep: %zu bytes", size);
    memset(p->memory, 0, size);
    p->used = 0;
    return SL_OK;
}

/* ---- planes of primitive values -------------------------------------------------------------- */

/* The last `slots` planes, for values at faces that look at `reach` neighbours at each side. */
struct sl_planes {
    int dim, reach, slots, nvar, g[3];
    struct sl_view at; /* [slot][var][-g .. tile + g][x] */
};

static inline struct sl_planes sl_planes_of(const struct sl_extent *e, const struct sl_scheme *s,
                                            int nvar)
{
    struct sl_planes p = {.dim = e->dim, .reach = s->ghosts - 1, .nvar = nvar};
    p.slots = e->dim < 3 ? 1 : p.reach > 0 ? 2 * p.reach + 1 : 2;
    memcpy(p.g, e->g, sizeof p.g);
    return p;
}

/* Rows from (k, j, i) on; j counts from the first row of the tile. */
static inline struct sl_view sl_planes_rows(const struct sl_planes *p, int k, int j, int i)
{
    ptrdiff_t slot = (k + p->g[2]) % p->slots;
    return sl_view_move(p->at,
                        slot * p->nvar * p->at.var + (j + p->g[1]) * p->at.row + i + p->g[0]);
}

/* The same with the neighbours along axis d. */
static inline struct sl_near sl_planes_near(const struct sl_planes *p, int d, int k, int j, int i)
{
    struct sl_view here = sl_planes_rows(p, k, j, i);
    if (d < 2) return sl_near_of(here, d == 0 ? 1 : here.row, d);
    struct sl_near q = {{here.at, here.at, here.at, here.at, here.at}, here.var, here.row, d};
    for (int a = -p->reach; a <= p->reach; a++)
        q.at[a + 2] = sl_planes_rows(p, k + a, j, i).at;
    return q;
}

/* sl_gas.compression at the faces above the cells (k, j, i) along axis d, into rows of `to`, whose
 * other values become 0. Reads the neighbours of the cells on both sides, along the faces. */
static inline const sl_real *sl_planes_compression(const struct sl_planes *p, int d, int k, int j,
                                                   int i, struct sl_shape shape, struct sl_view to)
{
    memset(to.at, 0, (size_t)to.var * sizeof(sl_real));
    for (int side = 0; side < 2; side++) {
        int c[3] = {i, j, k};
        c[d] += side;
        for (int t = 0; t < p->dim; t++) {
            if (t == d) continue;
            struct sl_view v[3]; /* of the velocity along t: below, here, above */
            for (int n = 0; n < 3; n++) {
                int at[3] = {c[0], c[1], c[2]};
                at[t] += n - 1;
                v[n] = sl_planes_rows(p, at[2], at[1], at[0]);
                v[n] = sl_view_move(v[n], (SL_MX + t) * v[n].var);
            }
            sl_rows_compression(shape, v[0], v[1], v[2], to.at, to.row);
        }
    }
    return to.at;
}

#endif
