/* sweep_ct.c - see sweep_ct.h. */
#include "core/sweep/sweep_ct.h"

#include "core/cell/edge.h"
#include "core/cell/repair.h"
#include "core/sweep/buffers.h"
#include "core/sweep/mass_rows.h"
#include "core/sweep/rows_ct.h"
#include "core/sweep/stage_sums.h"

enum {
    TILE_BYTES = 1100 * 1024 /* buffers of a tile: about a second-level cache */
};

/* Rows and columns of all planes are numbered like those of the field: row j = 0 is the first of
 * the tile, column i = 0 the first of the block; all have rows of nt0 values, so that rows of work
 * run on over the gaps between them. */
struct sl_sweep_ct {
    const struct sl_scheme *scheme, *plain; /* borrowed */
    struct sl_extent block;
    int nflow, magnetic;
    int halo;        /* 1 where there are edges: rows and columns made beyond the tile */
    int tile, strip; /* rows of a tile, of a strip */
    struct sl_planes prim;
    /* [2][var][-1 .. tile][x]: at the lower faces of the cells of a plane */
    struct sl_view flux[3];
    struct sl_view zplus;       /* [2][var][-1 .. tile][x]: at the upper z faces of a plane */
    struct sl_view cell;        /* [2][3][-1 .. tile][x]: electric field in cells */
    struct sl_view edge;        /* [2][3][-1 .. tile][x]: at the lower edges of cells */
    struct sl_view minus, plus; /* [var][strip row + 1][x] */
    struct sl_view compression; /* [1][strip row][x], where the solver looks at it */
    struct sl_view signal;      /* [3][1][x] */
    struct sl_pool pool;        /* owned */
};

/* What one call works on. */
struct job {
    struct sl_sweep_ct *s;
    const struct sl_scheme *scheme;
    const struct sl_stage *stage;
    const struct sl_edge_keep *keep;
    const sl_real *flags, *u0, *u;
    sl_real *out;
    sl_real per_dx[3], dt_dx[3];
    int j0, rows; /* the tile */
};

/* ---- making --------------------------------------------------------------------------------- */

static void lay_out(struct sl_sweep_ct *s)
{
    struct sl_pool *p = &s->pool;
    int rows = s->tile + 2, nt0 = s->block.nt[0];
    s->prim.at = sl_pool_take(p, s->nflow * s->prim.slots, s->tile + 2 * s->block.g[1], nt0);
    for (int d = 0; d < 3; d++)
        s->flux[d] = sl_pool_take(p, d < s->block.dim ? 2 * s->nflow : 0, rows, nt0);
    s->zplus = sl_pool_take(p, s->block.dim > 2 ? 2 * s->nflow : 0, rows, nt0);
    s->cell = sl_pool_take(p, 6, rows, nt0);
    s->edge = sl_pool_take(p, 6, rows, nt0);
    s->minus = sl_pool_take(p, s->nflow, s->strip + 1, nt0);
    s->plus = sl_pool_take(p, s->nflow, s->strip + 1, nt0);
    s->compression = sl_pool_take(p, s->scheme->needs_compression, s->strip, nt0);
    s->signal = sl_pool_take(p, 3, 1, nt0);
}

/* Rows of a tile so that its planes fit, all tiles alike. */
static void tiles_choose(struct sl_sweep_ct *s)
{
    int planes = (s->prim.slots + 2 * s->block.dim + 3) * s->nflow + 12;
    int row_bytes = planes * s->block.nt[0] * (int)sizeof(sl_real), fit = TILE_BYTES / row_bytes;
    if (fit < 8) fit = 8; /* the rows made twice would cost more than the cache gives */
    s->tile = sl_extent_tile(&s->block, fit);
    s->strip = sl_least(s->tile + 2, sl_extent_strip(&s->block));
}

int sl_sweep_ct_new(const struct sl_mesh *mesh, const struct sl_scheme *scheme,
                    const struct sl_scheme *plain, struct sl_sweep_ct **out)
{
    struct sl_sweep_ct *s = calloc(1, sizeof *s);
    SL_CHECK(s, SL_EMEM, "no memory for the sweep");
    s->scheme = scheme;
    s->plain = plain;
    s->block = sl_extent_of(mesh);
    s->nflow = scheme->layout.nflow;
    s->magnetic = scheme->layout.magnetic;
    s->halo = s->block.dim > 1;
    s->prim = sl_planes_of(&s->block, scheme, s->nflow);
    tiles_choose(s);
    lay_out(s);
    int code = sl_pool_open(&s->pool);
    if (code != SL_OK) {
        sl_sweep_ct_free(s);
        return code;
    }
    lay_out(s);
    *out = s;
    return SL_OK;
}

void sl_sweep_ct_free(struct sl_sweep_ct *sweep)
{
    if (!sweep) return;
    free(sweep->pool.memory);
    free(sweep);
}

/* ---- views ---------------------------------------------------------------------------------- */

/* Rows from (k, j, i) of a field of the block; j counts from the first row of the tile. */
static struct sl_view field(const struct job *w, const sl_real *u, int k, int j, int i)
{
    return sl_extent_rows(&w->s->block, u, k, w->j0 + j, i);
}

/* The field across the faces along axis d. */
static sl_real *face(const struct job *w, const sl_real *u, int d, int k, int j, int i)
{
    struct sl_view v = field(w, u, k, j, i);
    return v.at + (w->scheme->layout.face + d) * v.var;
}

static struct sl_view prim(const struct sl_sweep_ct *s, int k, int j, int i)
{
    return sl_planes_rows(&s->prim, k, j, i);
}

static struct sl_near near(const struct sl_sweep_ct *s, int d, int k, int j, int i)
{
    return sl_planes_near(&s->prim, d, k, j, i);
}

/* Rows from (k, j, i) of a pair of planes with nvar variables. */
static struct sl_view plane(const struct sl_sweep_ct *s, struct sl_view v, int nvar, int k, int j,
                            int i)
{
    return sl_view_move(v, (k & 1) * nvar * v.var + (j + 1) * v.row + i + s->block.g[0]);
}

static struct sl_view flux(const struct sl_sweep_ct *s, int d, int k, int j, int i)
{
    return plane(s, s->flux[d], s->nflow, k, j, i);
}

/* Component c of the electric field in cells, or at edges. */
static sl_real *electric(const struct sl_sweep_ct *s, struct sl_view v, int c, int k, int j, int i)
{
    return plane(s, v, 3, k, j, i).at + c * v.var;
}

/* ---- fluxes --------------------------------------------------------------------------------- */

/* Primitive values of plane k, all rows that the tile reads. */
static void load(const struct job *w, int k)
{
    const struct sl_sweep_ct *s = w->s;
    struct sl_shape shape = {1, (w->rows + 2 * s->block.g[1]) * s->block.nt[0]};
    sl_rows_prim(w->scheme, shape, field(w, w->u, k, -s->block.g[1], -s->block.g[0]),
                 prim(s, k, -s->block.g[1], -s->block.g[0]));
}

/* The field across n faces from (k, j, i) into the values below them. */
static void put_across(const struct job *w, int d, int k, int j, int i, int n, struct sl_view below)
{
    memcpy(below.at + (w->s->magnetic + d) * below.var, face(w, w->u, d, k, j, i),
           (size_t)n * sizeof(sl_real));
}

/* First-order flux at the lower face of a cell. */
static void safe_flux(const struct job *w, int d, int k, int j, int i)
{
    const struct sl_sweep_ct *s = w->s;
    const int by[3] = {d == 0, d == 1, d == 2};
    struct sl_view from = prim(s, k - by[2], j - by[1], i - by[0]);
    struct sl_shape one = {1, 1};
    sl_real low[SL_MAX_VAR];
    struct sl_view below = {low, 1, 0};
    for (int v = 0; v < s->nflow; v++)
        low[v] = from.at[v * from.var];
    put_across(w, d, k, j, i, 1, below);
    sl_rows_flux_safe(w->scheme, one, d, below, prim(s, k, j, i), flux(s, d, k, j, i));
}

/* Of the rows of n faces from (k, j, i), those beside a cell with a flag. */
static void safe_fluxes(const struct job *w, int d, int k, int j, int i, int rows, int n)
{
    const struct sl_sweep_ct *s = w->s;
    ptrdiff_t step = d == 0   ? 1
                     : d == 1 ? s->block.nt[0]
                              : (ptrdiff_t)s->block.nt[0] * s->block.nt[1];
    if (!w->flags) return;
    for (int r = j; r < j + rows; r++)
        for (int c = i; c < i + n; c++) {
            const sl_real *flag = field(w, w->flags, k, r, c).at;
            if (sl_repair_is_safe(flag[-step], flag[0])) safe_flux(w, d, k, r, c);
        }
}

/* Fluxes at the faces above cells (k, j, i) along axis d. */
static void riemann(const struct job *w, int d, int k, int j, int i, struct sl_shape faces,
                    struct sl_view below, struct sl_view above)
{
    const struct sl_sweep_ct *s = w->s;
    const sl_real *compression =
        w->scheme->needs_compression
            ? sl_planes_compression(&s->prim, d, k, j, i, faces, s->compression)
            : NULL;
    sl_rows_flux(w->scheme, faces, d, below, above, compression,
                 flux(s, d, k + (d == 2), j + (d == 1), i + (d == 0)));
}

static void along_x(const struct job *w, int k, int j, int rows)
{
    const struct sl_sweep_ct *s = w->s;
    struct sl_shape cells = {1, (rows - 1) * s->block.nt[0] + s->block.n[0] + 2},
                    faces = {1, cells.n - 1};
    struct sl_near q = near(s, 0, k, j, -1);
    sl_rows_faces(w->scheme, cells, &q, s->minus, s->plus);
    put_across(w, 0, k, j, 0, faces.n, s->plus);
    riemann(w, 0, k, j, -1, faces, s->plus, sl_view_move(s->minus, 1));
    safe_fluxes(w, 0, k, j, 0, rows, s->block.n[0] + 1);
}

/* The lower faces of rows j ..; needs the row before, too. */
static void along_y(const struct job *w, int k, int j, int rows)
{
    const struct sl_sweep_ct *s = w->s;
    struct sl_shape faces = {1, (rows - 1) * s->block.nt[0] + s->block.n[0] + 2};
    struct sl_shape cells = {1, faces.n + s->block.nt[0]};
    struct sl_near q = near(s, 1, k, j - 1, -1);
    sl_rows_faces(w->scheme, cells, &q, s->minus, s->plus);
    put_across(w, 1, k, j, -1, faces.n, s->plus);
    riemann(w, 1, k, j - 1, -1, faces, s->plus, sl_view_move(s->minus, s->block.nt[0]));
    safe_fluxes(w, 1, k, j, -1, rows, s->block.n[0] + 2);
}

/* The upper z faces of plane k wait for the next; its lower ones get their fluxes, but for plane
 * -1. */
static void along_z(const struct job *w, int k, int j, int rows)
{
    const struct sl_sweep_ct *s = w->s;
    struct sl_shape faces = {1, (rows - 1) * s->block.nt[0] + s->block.n[0] + 2};
    struct sl_near q = near(s, 2, k, j, -1);
    struct sl_view below = plane(s, s->zplus, s->nflow, k - 1, j, -1);
    sl_rows_faces(w->scheme, faces, &q, s->minus, plane(s, s->zplus, s->nflow, k, j, -1));
    if (k < 0) return;
    put_across(w, 2, k, j, -1, faces.n, below);
    riemann(w, 2, k - 1, j, -1, faces, below, s->minus);
    safe_fluxes(w, 2, k, j, -1, rows, s->block.n[0] + 2);
}

static void fluxes(const struct job *w, int k)
{
    const struct sl_sweep_ct *s = w->s;
    int end = w->rows + s->halo;
    for (int j = -s->halo; j < end; j += s->strip)
        along_x(w, k, j, sl_least(s->strip, end - j));
    for (int j = 0; s->block.dim > 1 && j < end; j += s->strip)
        along_y(w, k, j, sl_least(s->strip, end - j));
    for (int j = -s->halo; s->block.dim > 2 && j < end; j += s->strip)
        along_z(w, k, j, sl_least(s->strip, end - j));
}

/* ---- edges and faces ------------------------------------------------------------------------ */

/* Electric field in the cells of plane k, with those around. */
static void cells(const struct job *w, int k)
{
    const struct sl_sweep_ct *s = w->s;
    int n = (w->rows + 1) * s->block.nt[0] + s->block.n[0] + 2;
    struct sl_view q = prim(s, k, -1, -1);
    for (int c = s->block.dim == 3 ? 0 : 2; c < 3; c++) {
        int a = (c + 1) % 3, b = (c + 2) % 3;
        const sl_real *v = q.at + SL_MX * q.var, *m = q.at + s->magnetic * q.var;
        sl_rows_ct_cell(n, v + a * q.var, v + b * q.var, m + a * q.var, m + b * q.var,
                        electric(s, s->cell, c, k, -1, -1));
    }
}

/* Of the edges along c of plane k of the tile those on a side of the block, into its register. */
static void keep_side(const struct job *w, int c, int k, int axis, int upper)
{
    const struct sl_sweep_ct *s = w->s;
    const int *n = s->block.n, line = 3 - axis - c;
    int last = w->j0 + w->rows == n[1], side = upper ? n[axis] : 0;
    int lo[3] = {0, w->j0, k};
    int hi[3] = {n[0] + (c != 0), w->j0 + w->rows + (c != 1 && last), k + 1};
    size_t start = sl_edge_start(s->block.dim, n, axis, upper, c);
    if (side < lo[axis] || side >= hi[axis]) return;
    lo[axis] = side, hi[axis] = side + 1;
    for (int j = lo[1]; j < hi[1]; j++)
        for (int i = lo[0]; i < hi[0]; i++) {
            const int x[3] = {i, j, k};
            size_t at = start + (size_t)x[line] * (size_t)n[c] + (size_t)x[c];
            sl_real e = electric(s, s->edge, c, k, j - w->j0, i)[0];
            for (int to = 0; to < w->keep->count; to++)
                sl_stage_sums_put(w->keep->sums, w->stage, w->keep->start[to] + at, e);
        }
}

static void keep(const struct job *w, int c, int k)
{
    for (int side = 0; side < 6 && w->keep->count > 0; side++)
        if (sl_edge_is(w->s->block.dim, side / 2, c)) keep_side(w, c, k, side / 2, side % 2);
}

/* The lower edges along c of the cells of plane k, one more row and column where the edges end
 * there. */
static void edges(const struct job *w, int c, int k)
{
    const struct sl_sweep_ct *s = w->s;
    int a = (c + 1) % 3, b = (c + 2) % 3, rows = w->rows + (c != 1), n = s->block.n[0] + (c != 0);
    const int da[3] = {a == 0, a == 1, a == 2}, db[3] = {b == 0, b == 1, b == 2};
    struct sl_ct_rows from = {.dt_da = w->dt_dx[a], .dt_db = w->dt_dx[b]};
    for (int up = 0; up < 2; up++) { /* 0: one lower along b (fa), along a (fb) */
        int la[3] = {up ? 0 : da[0], up ? 0 : da[1], up ? 0 : da[2]};
        int lb[3] = {up ? 0 : db[0], up ? 0 : db[1], up ? 0 : db[2]};
        struct sl_view fa = flux(s, a, k - lb[2], -lb[1], -lb[0]);
        struct sl_view fb = flux(s, b, k - la[2], -la[1], -la[0]);
        from.ma[up] = fa.at;
        from.mb[up] = fb.at;
        from.fa[up] = fa.at + (s->magnetic + b) * fa.var;
        from.fb[up] = fb.at + (s->magnetic + a) * fb.var;
        for (int right = 0; right < 2; right++) { /* up: along a here, right: along b */
            int l[3];
            for (int d = 0; d < 3; d++)
                l[d] = la[d] + (right ? 0 : db[d]);
            from.cell[up][right] = electric(s, s->cell, c, k - l[2], -l[1], -l[0]);
            from.rho[up][right] = prim(s, k - l[2], -l[1], -l[0]).at;
        }
    }
    sl_rows_ct_edge((rows - 1) * s->block.nt[0] + n, &from, electric(s, s->edge, c, k, 0, 0));
    keep(w, c, k);
}

/* The field across the lower faces along c of the cells of plane k. */
static void faces(const struct job *w, int c, int k)
{
    const struct sl_sweep_ct *s = w->s;
    int a = (c + 1) % 3, b = (c + 2) % 3, rows = w->rows + (c == 1), n = s->block.n[0] + (c == 0);
    const sl_real *u = w->stage->from_old ? w->u0 : w->u;
    for (int j = 0; j < rows; j++) {
        struct sl_ct_face f = {{NULL, NULL}, {NULL, NULL}, w->dt_dx[a], w->dt_dx[b]};
        for (int up = 0; up < 2; up++) {
            if (a < s->block.dim && (b == 2 || s->block.dim > 2))
                f.eb[up] =
                    electric(s, s->edge, b, k + up * (a == 2), j + up * (a == 1), up * (a == 0));
            if (b < s->block.dim && (a == 2 || s->block.dim > 2))
                f.ea[up] =
                    electric(s, s->edge, a, k + up * (b == 2), j + up * (b == 1), up * (b == 0));
        }
        sl_rows_ct_face(n, w->stage->b, &f, face(w, w->u0, c, k, j, 0), face(w, u, c, k, j, 0),
                        face(w, w->out, c, k, j, 0));
    }
}

/* The field in the cells of plane k from that at its faces. */
static void centres(const struct job *w, int k)
{
    const struct sl_sweep_ct *s = w->s;
    for (int d = 0; d < s->block.dim; d++)
        for (int j = 0; j < w->rows; j++) {
            struct sl_view out = field(w, w->out, k, j, 0);
            sl_rows_ct_centre(s->block.n[0], face(w, w->out, d, k, j, 0),
                              face(w, w->out, d, k + (d == 2), j + (d == 1), d == 0),
                              out.at + (s->magnetic + d) * out.var);
        }
}

/* ---- a tile --------------------------------------------------------------------------------- */

/* The new state of plane k, whose fluxes and edges are there. */
static void finish(const struct job *w, int k)
{
    const struct sl_sweep_ct *s = w->s;
    struct sl_shape inner = {w->rows, s->block.n[0]};
    struct sl_view out = field(w, w->out, k, 0, 0);
    struct sl_fluxes f = {.dim = s->block.dim, .damp = 1, .dt = (sl_real)w->stage->dt};
    f.density = field(w, w->u, k, 0, 0);
    for (int d = 0; d < s->block.dim; d++) {
        f.dt_dx[d] = w->dt_dx[d];
        f.lower[d] = flux(s, d, k, 0, 0);
        f.upper[d] = flux(s, d, k + (d == 2), d == 1, d == 0);
    }
    sl_mass_rows(&s->block, w->stage, &f, w->rows, k, w->j0);
    sl_rows_update(w->scheme, inner, w->stage->b, &f, field(w, w->u0, k, 0, 0),
                   field(w, w->stage->from_old ? w->u0 : w->u, k, 0, 0), out);
    if (s->block.dim > 1) edges(w, 2, k);
    for (int c = 0; c < sl_least(s->block.dim, 2); c++)
        faces(w, c, k);
    if (w->flags) sl_rows_ct_heat(&w->scheme->layout, inner, -1, field(w, w->flags, k, 0, 0), out);
    centres(w, k);
    if (w->flags) sl_rows_ct_heat(&w->scheme->layout, inner, 1, field(w, w->flags, k, 0, 0), out);
    sl_rows_dual(w->scheme, inner, &f, out);
    sl_rows_signal(w->scheme, inner, w->stage->last ? w->per_dx : NULL, out, s->signal);
}

static void tile(const struct job *w)
{
    const struct sl_sweep_ct *s = w->s;
    int first = s->block.dim == 3 ? -1 : 0, last = s->block.dim == 3 ? s->block.n[2] : 0;
    for (int k = first - s->prim.reach; s->block.dim == 3 && k < first + s->prim.reach; k++)
        load(w, k);
    for (int k = first; k <= last; k++) {
        load(w, s->block.dim == 3 ? k + s->prim.reach : k);
        fluxes(w, k);
        if (s->block.dim > 1) cells(w, k);
        if (s->block.dim < 3) {
            finish(w, k);
        } else if (k >= 0) {
            edges(w, 0, k);
            edges(w, 1, k);
            faces(w, 2, k);
            if (k > 0) finish(w, k - 1);
        }
    }
}

struct sl_signal sl_sweep_ct_block(struct sl_sweep_ct *s, const struct sl_stage *stage,
                                   const double dx[3], const struct sl_edge_keep *keep,
                                   const sl_real *flags, const sl_real *u0, const sl_real *u,
                                   sl_real *out)
{
    struct job w = {
        .s = s, .stage = stage, .keep = keep, .flags = flags, .u0 = u0, .u = u, .out = out};
    w.scheme = stage->first_order ? s->plain : s->scheme;
    for (int d = 0; d < s->block.dim; d++) {
        w.per_dx[d] = (sl_real)(1 / dx[d]);
        w.dt_dx[d] = (sl_real)(stage->dt / dx[d]);
    }
    memset(s->signal.at, 0, 3 * (size_t)s->signal.var * sizeof(sl_real));
    for (w.j0 = 0; w.j0 < s->block.n[1]; w.j0 += w.rows) {
        w.rows = sl_least(s->tile, s->block.n[1] - w.j0);
        tile(&w);
    }
    return sl_signal_of(s->block.n[0], s->signal);
}
