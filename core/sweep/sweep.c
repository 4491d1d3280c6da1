/* sweep.c - see sweep.h. */
#include "core/sweep/sweep.h"

#include "core/sweep/buffers.h"
#include "core/sweep/mass_rows.h"

enum {
    TILE_BYTES = 640 * 1024 /* buffers of a tile: most of a second-level cache of 1 MB */
};

struct sl_sweep {
    const struct sl_scheme *scheme;        /* borrowed: of the present stage */
    const struct sl_scheme *whole, *plain; /* borrowed */
    struct sl_extent block;
    int nvar;
    int tile, strip; /* rows of a tile, of a strip */
    struct sl_planes prim;
    struct sl_view side; /* [z][var][ghost row][x with ghosts]: upper rows of the tile before */
    struct sl_view zplus[2], zflux[2]; /* [var][tile row][x] */
    struct sl_view yplus, yflux;       /* [var][strip row + 1][x] */
    struct sl_view xminus, xplus;      /* [var][strip row with ghosts] as one long row */
    struct sl_view minus, xflux;       /* [var][strip row][x] */
    struct sl_view change, signal;     /* [var][strip row][x], [3][1][x] */
    struct sl_view compression; /* [1][strip row][x with ghosts]; where the solver looks at it */
    struct sl_pool pool;        /* owned */
};

/* What one call works on. */
struct job {
    struct sl_sweep *s;
    const struct sl_stage *stage;
    const sl_real *u0, *u;
    const struct sl_beyond *beyond; /* NULL: the ghosts of u */
    sl_real *out;
    sl_real per_dx[3], dt_dx[3];
    int j0, rows; /* the tile */
};

static void lay_out(struct sl_sweep *s)
{
    struct sl_pool *p = &s->pool;
    int n0 = s->block.n[0], rows = s->tile, strip = s->strip,
        sides = s->tile < s->block.n[1] ? s->block.n[2] : 0;
    s->prim.at = sl_pool_take(p, s->nvar * s->prim.slots, rows + 2 * s->block.g[1], s->block.nt[0]);
    s->side = sl_pool_take(p, s->nvar * sides, s->block.g[1], s->block.nt[0]);
    for (int i = 0; i < 2; i++) {
        s->zplus[i] = sl_pool_take(p, s->nvar, rows, n0);
        s->zflux[i] = sl_pool_take(p, s->nvar, rows, n0);
    }
    s->yplus = sl_pool_take(p, s->nvar, strip + 1, n0);
    s->yflux = sl_pool_take(p, s->nvar, strip + 1, n0);
    s->xminus = sl_pool_take(p, s->nvar, strip, s->block.nt[0]);
    s->xplus = sl_pool_take(p, s->nvar, strip, s->block.nt[0]);
    s->minus = sl_pool_take(p, s->nvar, strip, n0);
    s->xflux = sl_pool_take(p, s->nvar, strip, s->block.nt[0]);
    s->signal = sl_pool_take(p, 3, 1, n0);
    s->compression = sl_pool_take(p, s->scheme->needs_compression, strip, s->block.nt[0]);
}

int sl_sweep_new(const struct sl_mesh *mesh, const struct sl_scheme *scheme,
                 const struct sl_scheme *plain, struct sl_sweep **out)
{
    struct sl_sweep *s = calloc(1, sizeof *s);
    SL_CHECK(s, SL_EMEM, "no memory for the sweep");
    s->scheme = s->whole = scheme;
    s->plain = plain;
    s->block = sl_extent_of(mesh);
    s->nvar = scheme->layout.nvar;
    s->prim = sl_planes_of(&s->block, scheme, s->nvar);
    if (s->block.dim == 3) s->prim.slots += scheme->needs_compression;
    int row_bytes = (s->prim.slots + 4) * s->nvar * s->block.nt[0] * (int)sizeof(sl_real);
    int fit = TILE_BYTES / row_bytes, least = s->block.g[1] + 1;
    s->tile = sl_extent_tile(&s->block, fit > least ? fit : least);
    s->strip = sl_least(s->tile, sl_extent_strip(&s->block));
    lay_out(s);
    int code = sl_pool_open(&s->pool);
    if (code != SL_OK) {
        sl_sweep_free(s);
        return code;
    }
    lay_out(s);
    *out = s;
    return SL_OK;
}

void sl_sweep_free(struct sl_sweep *sweep)
{
    if (!sweep) return;
    free(sweep->pool.memory);
    free(sweep);
}

/* ---- views ---------------------------------------------------------------------------------- */

/* Rows from (k, j, i) of a field of the block, counted from its first interior cell. */
static struct sl_view field(const struct sl_sweep *s, const sl_real *u, int k, int j, int i)
{
    return sl_extent_rows(&s->block, u, k, j, i);
}

static struct sl_view prim(const struct sl_sweep *s, int k, int j, int i)
{
    return sl_planes_rows(&s->prim, k, j, i);
}

static struct sl_near near(const struct sl_sweep *s, int d, int k, int j, int i)
{
    return sl_planes_near(&s->prim, d, k, j, i);
}

static struct sl_view row_of(struct sl_view v, int row)
{
    return sl_view_move(v, row * v.row);
}

/* ---- primitive values ----------------------------------------------------------------------- */

static void copy_rows(struct sl_shape shape, int nvar, struct sl_view from, struct sl_view to)
{
    for (int v = 0; v < nvar; v++)
        for (int r = 0; r < shape.rows; r++)
            memcpy(to.at + v * to.var + r * to.row, from.at + v * from.var + r * from.row,
                   (size_t)shape.n * sizeof(sl_real));
}

static struct sl_view side(const struct sl_sweep *s, int k)
{
    return sl_view_move(s->side, k * s->nvar * s->side.var);
}

/* Primitive values of n rows from (k, j) on, j counted from the first row of the tile, with the
 * ghosts at their ends. */
static void load_rows(const struct job *w, int k, int j, int n)
{
    const struct sl_sweep *s = w->s;
    struct sl_shape shape = {1, n * s->block.nt[0]};
    sl_rows_prim(s->scheme, shape, field(s, w->u, k, w->j0 + j, -s->block.g[0]),
                 prim(s, k, j, -s->block.g[0]));
}

/* The same of rows that lie in a layer across a face, the first of them in its row (sk, sj). */
static void load_beyond(const struct job *w, const struct sl_layer *layer, int sk, int sj, int k,
                        int j, int n)
{
    const struct sl_sweep *s = w->s;
    const sl_real *at = layer->at + sk * layer->plane + sj * layer->row;
    struct sl_shape shape = {n, s->block.n[0]};
    struct sl_view u = {(sl_real *)(uintptr_t)at, layer->var, layer->row};
    sl_rows_prim(s->scheme, shape, u, prim(s, k, j, 0));
}

/* A plane of ghosts. Only a solver that looks along the faces wants more rows of it than the
 * tile's. */
static void load_ghosts(const struct job *w, int k)
{
    const struct sl_sweep *s = w->s;
    int upper = k > 0, more = s->scheme->needs_compression ? s->block.g[1] : 0;
    int sk = upper ? k - s->block.n[2] : k + s->block.g[2];
    if (w->beyond)
        load_beyond(w, &w->beyond->face[2][upper], sk, w->j0, k, 0, w->rows);
    else
        load_rows(w, k, -more, w->rows + 2 * more);
}

/* Rows beside the tile: below and above it. */
static void load_edge(const struct job *w, int k, int upper)
{
    int g = w->s->block.g[1], j = upper ? w->rows : -g;
    int outside = upper ? w->j0 + w->rows == w->s->block.n[1] : w->j0 == 0;
    if (outside && w->beyond)
        load_beyond(w, &w->beyond->face[1][upper], k, 0, k, j, g);
    else
        load_rows(w, k, j, g);
}

/* Makes the primitive values of plane k: all rows that the axes across z will read. Rows below the
 * tile come from the tile before, which may have overwritten its part of the field. */
static void load(const struct job *w, int k)
{
    const struct sl_sweep *s = w->s;
    int g = s->block.g[1], first = w->j0 == 0, last = w->j0 + w->rows == s->block.n[1];
    struct sl_shape edge = {g, s->block.nt[0]};
    if (k < 0 || k >= s->block.n[2]) {
        load_ghosts(w, k);
        return;
    }
    load_rows(w, k, 0, w->rows);
    if (s->block.dim == 1) return;
    load_edge(w, k, 1);
    if (first)
        load_edge(w, k, 0);
    else
        copy_rows(edge, s->nvar, side(s, k), prim(s, k, -g, -s->block.g[0]));
    if (!last) copy_rows(edge, s->nvar, prim(s, k, w->rows - g, -s->block.g[0]), side(s, k));
}

/* ---- compression ----------------------------------------------------------------------------- */

/* As sl_planes_compression, in rows of `row` values; NULL when the solver does not look at it. */
static const sl_real *compression(const struct sl_sweep *s, int d, int k, int j, int i,
                                  struct sl_shape shape, int row)
{
    struct sl_view to = {s->compression.at, s->compression.var, row};
    return s->scheme->needs_compression ? sl_planes_compression(&s->prim, d, k, j, i, shape, to)
                                        : NULL;
}

/* ---- axes ----------------------------------------------------------------------------------- */

/* Rows of n values without gaps are one long row. */
static struct sl_shape flat(const struct sl_sweep *s, int rows)
{
    struct sl_shape shape = {1, rows * s->block.n[0]};
    return shape;
}

/* Rows and the gaps between them are one long row here: no remainders at the end of each. */
static void along_x(const struct job *w, int k, int j, int rows)
{
    struct sl_sweep *s = w->s;
    struct sl_shape cells = {1, (rows - 1) * s->block.nt[0] + s->block.n[0] + 2},
                    faces = {1, cells.n - 1};
    struct sl_near q = near(s, 0, k, j, -1);
    sl_rows_faces(s->scheme, cells, &q, s->xminus, s->xplus);
    sl_rows_flux(s->scheme, faces, 0, s->xplus, sl_view_move(s->xminus, 1),
                 compression(s, 0, k, j, -1, faces, s->block.nt[0]), s->xflux);
}

/* Row 0 of yplus: upper faces of the row before; of yflux: fluxes between that row and row j. */
static void start_y(const struct job *w, int k)
{
    struct sl_sweep *s = w->s;
    struct sl_shape one = {1, s->block.n[0]};
    struct sl_view second = row_of(s->yplus, 1);
    struct sl_near below = near(s, 1, k, -1, 0), q = near(s, 1, k, 0, 0);
    sl_rows_faces(s->scheme, one, &below, s->minus, s->yplus);
    sl_rows_faces(s->scheme, one, &q, s->minus, second);
    sl_rows_flux(s->scheme, one, 1, s->yplus, s->minus,
                 compression(s, 1, k, -1, 0, one, s->block.n[0]), s->yflux);
    copy_rows(one, s->nvar, second, s->yplus);
}

static void along_y(const struct job *w, int k, int j, int rows)
{
    struct sl_sweep *s = w->s;
    struct sl_shape inner = {rows, s->block.n[0]};
    struct sl_near q = near(s, 1, k, j + 1, 0);
    sl_rows_faces(s->scheme, inner, &q, s->minus, row_of(s->yplus, 1));
    sl_rows_flux(s->scheme, flat(s, rows), 1, s->yplus, s->minus,
                 compression(s, 1, k, j, 0, inner, s->block.n[0]), row_of(s->yflux, 1));
}

/* The last row of a strip is the one before the next strip. */
static void carry_y(const struct job *w, int rows)
{
    struct sl_sweep *s = w->s;
    struct sl_shape one = {1, s->block.n[0]};
    copy_rows(one, s->nvar, row_of(s->yplus, rows), s->yplus);
    copy_rows(one, s->nvar, row_of(s->yflux, rows), s->yflux);
}

/* Upper faces of plane k are in zplus[(k + 1) & 1], fluxes above it in zflux[(k + 1) & 1]. */
static void along_z(const struct job *w, int k, int j, int rows)
{
    struct sl_sweep *s = w->s;
    struct sl_shape inner = {rows, s->block.n[0]};
    int odd = k & 1;
    struct sl_view lower = row_of(s->zplus[!odd], j), upper = row_of(s->zplus[odd], j);
    struct sl_near q = near(s, 2, k + 1, j, 0);
    sl_rows_faces(s->scheme, inner, &q, s->minus, upper);
    sl_rows_flux(s->scheme, flat(s, rows), 2, lower, s->minus,
                 compression(s, 2, k, j, 0, inner, s->block.n[0]), row_of(s->zflux[!odd], j));
}

/* ---- a tile --------------------------------------------------------------------------------- */

static void update(const struct job *w, int k, int j, int rows)
{
    struct sl_sweep *s = w->s;
    struct sl_shape inner = {rows, s->block.n[0]};
    struct sl_view out = field(s, w->out, k, w->j0 + j, 0);
    struct sl_fluxes f = {.dim = s->block.dim, .damp = w->stage->damp, .dt = (sl_real)w->stage->dt};
    for (int d = 0; d < 3; d++)
        f.dt_dx[d] = w->dt_dx[d];
    f.density = field(s, w->u, k, w->j0 + j, 0);
    f.lower[0] = s->xflux;
    f.upper[0] = sl_view_move(s->xflux, 1);
    f.lower[1] = s->yflux;
    f.upper[1] = row_of(s->yflux, 1);
    f.lower[2] = row_of(s->zflux[k & 1], j);
    f.upper[2] = row_of(s->zflux[!(k & 1)], j);
    sl_mass_rows(&s->block, w->stage, &f, rows, k, w->j0 + j);
    sl_rows_update(s->scheme, inner, w->stage->b, &f, field(s, w->u0, k, w->j0 + j, 0),
                   field(s, w->stage->from_old ? w->u0 : w->u, k, w->j0 + j, 0), out);
    sl_rows_dual(s->scheme, inner, &f, out);
    sl_rows_signal(s->scheme, inner, w->stage->last ? w->per_dx : NULL, out, s->signal);
}

/* Before plane 0: the planes that its lower faces need, and their fluxes. */
static void start_z(const struct job *w)
{
    struct sl_sweep *s = w->s;
    for (int k = -1 - s->prim.reach; k <= -1 + s->prim.reach; k++)
        load(w, k);
    for (int j = 0; j < w->rows; j += s->strip) {
        struct sl_shape inner = {sl_least(s->strip, w->rows - j), s->block.n[0]};
        struct sl_near q = near(s, 2, -1, j, 0);
        sl_rows_faces(s->scheme, inner, &q, s->minus, row_of(s->zplus[0], j));
    }
    load(w, s->prim.reach);
    for (int j = 0; j < w->rows; j += s->strip)
        along_z(w, -1, j, sl_least(s->strip, w->rows - j));
}

static void tile(const struct job *w)
{
    struct sl_sweep *s = w->s;
    if (s->block.dim == 3) start_z(w);
    for (int k = 0; k < s->block.n[2]; k++) {
        load(w, s->block.dim == 3 ? k + 1 + s->prim.reach : k);
        if (s->block.dim > 1) start_y(w, k);
        for (int j = 0; j < w->rows; j += s->strip) {
            int rows = sl_least(s->strip, w->rows - j);
            along_x(w, k, j, rows);
            if (s->block.dim > 1) along_y(w, k, j, rows);
            if (s->block.dim > 2) along_z(w, k, j, rows);
            update(w, k, j, rows);
            if (s->block.dim > 1) carry_y(w, rows);
        }
    }
}

static struct job job_of(struct sl_sweep *s, const double dx[3])
{
    struct job w = {.s = s};
    for (int d = 0; d < 3; d++)
        w.per_dx[d] = d < s->block.dim ? (sl_real)(1 / dx[d]) : 0;
    memset(s->signal.at, 0, 3 * (size_t)s->signal.var * sizeof(sl_real));
    return w;
}

struct sl_signal sl_sweep_block(struct sl_sweep *s, const struct sl_stage *stage,
                                const double dx[3], const struct sl_beyond *beyond,
                                const sl_real *u0, const sl_real *u, sl_real *out)
{
    struct job w = job_of(s, dx);
    w.beyond = beyond;
    w.stage = stage;
    s->scheme = stage->first_order ? s->plain : s->whole;
    w.u0 = u0;
    w.u = u;
    w.out = out;
    for (int d = 0; d < s->block.dim; d++)
        w.dt_dx[d] = (sl_real)(stage->dt / dx[d]);
    for (w.j0 = 0; w.j0 < s->block.n[1]; w.j0 += w.rows) {
        w.rows = sl_least(s->tile, s->block.n[1] - w.j0);
        tile(&w);
    }
    return sl_signal_of(s->block.n[0], s->signal);
}

struct sl_signal sl_sweep_signal(struct sl_sweep *s, const double dx[3], sl_real *u)
{
    struct job w = job_of(s, dx);
    struct sl_shape rows = {s->block.n[1], s->block.n[0]};
    for (int k = 0; k < s->block.n[2]; k++)
        sl_rows_signal(s->scheme, rows, w.per_dx, field(s, u, k, 0, 0), s->signal);
    return sl_signal_of(s->block.n[0], s->signal);
}
