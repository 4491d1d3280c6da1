/* sweep_ctu.c - see sweep_ctu.h. */
#include "core/sweep/sweep_ctu.h"

#include "core/cell/mirror.h"
#include "core/cell/repair.h"
#include "core/cell/update.h"
#include "core/sweep/buffers.h"
#include "core/sweep/lanes.h"
#include "core/sweep/mass_rows.h"
#include "core/sweep/rows_ct.h"
#include "core/sweep/rows_ctu.h"

enum {
    TILE_BYTES = 900 * 1024, /* buffers of a tile: about a second-level cache */
    HALO = 2                 /* rows and columns of first fluxes beyond the tile */
};

/* Rows and columns of all buffers are numbered like those of the field: row j = 0 is the first of
 * the tile, column i = 0 the first of the block; all have rows of nt0 values, so that rows of work
 * run on over the gaps. */
struct sl_sweep_ctu {
    const struct sl_scheme *scheme; /* borrowed */
    struct sl_extent block;
    int nflow, magnetic;
    int halo;                         /* HALO in a plane, 0 on a line */
    int tile, strip;                  /* rows of a tile, of a strip */
    struct sl_planes prim;            /* one plane */
    struct sl_view minus[2], plus[2]; /* [var][-2 .. tile + 2][x]: values at faces along x and y */
    struct sl_view flux[2];           /* likewise: at the lower faces of the cells */
    struct sl_view cell, edge,
        half[2]; /* [-2 .. tile + 2][x]: E_z in cells, at edges; field after half a step */
    struct sl_view compression; /* [1][strip row][x], where the solver looks at it */
    struct sl_view signal;      /* [3][1][x] */
    struct sl_pool pool;        /* owned */
};

/* What one call works on. */
struct job {
    struct sl_sweep_ctu *s;
    const struct sl_stage *stage;
    const sl_real *flags, *u;
    sl_real *out;
    sl_real per_dx[3], dt_dx[3], half[2]; /* 1 / dx, dt / dx, dt / 2 dx */
    int j0, rows;                         /* the tile */
};

/* ---- making --------------------------------------------------------------------------------- */

static void lay_out(struct sl_sweep_ctu *s)
{
    struct sl_pool *p = &s->pool;
    int rows = s->tile + 2 * HALO, nt0 = s->block.nt[0];
    s->prim.at = sl_pool_take(p, s->nflow, s->tile + 2 * s->block.g[1], nt0);
    for (int d = 0; d < s->block.dim; d++) {
        s->minus[d] = sl_pool_take(p, s->nflow, rows, nt0);
        s->plus[d] = sl_pool_take(p, s->nflow, rows, nt0);
        s->flux[d] = sl_pool_take(p, s->nflow, rows, nt0);
        s->half[d] = sl_pool_take(p, 1, rows, nt0);
    }
    s->cell = sl_pool_take(p, 1, rows, nt0);
    s->edge = sl_pool_take(p, 1, rows, nt0);
    s->compression = sl_pool_take(p, s->scheme->needs_compression, s->strip, nt0);
    s->signal = sl_pool_take(p, 3, 1, nt0);
}

int sl_sweep_ctu_new(const struct sl_mesh *mesh, const struct sl_scheme *scheme,
                     struct sl_sweep_ctu **out)
{
    struct sl_sweep_ctu *s = calloc(1, sizeof *s);
    SL_CHECK(s, SL_EMEM, "no memory for the sweep");
    s->scheme = scheme;
    s->block = sl_extent_of(mesh);
    s->nflow = scheme->layout.nflow;
    s->magnetic = scheme->layout.magnetic;
    s->halo = s->block.dim > 1 ? HALO : 0;
    s->prim = sl_planes_of(&s->block, scheme, s->nflow);
    int row_bytes = (1 + 3 * s->block.dim) * s->nflow * s->block.nt[0] * (int)sizeof(sl_real);
    int fit = TILE_BYTES / row_bytes;
    s->tile = sl_extent_tile(&s->block, fit > 12 ? fit : 12);
    s->strip = sl_extent_strip(&s->block);
    lay_out(s);
    int code = sl_pool_open(&s->pool);
    if (code != SL_OK) {
        sl_sweep_ctu_free(s);
        return code;
    }
    lay_out(s);
    *out = s;
    return SL_OK;
}

void sl_sweep_ctu_free(struct sl_sweep_ctu *sweep)
{
    if (!sweep) return;
    free(sweep->pool.memory);
    free(sweep);
}

/* ---- views ---------------------------------------------------------------------------------- */

/* Rows from (j, i) of a field of the block; j counts from the first row of the tile. */
static struct sl_view field(const struct job *w, const sl_real *u, int j, int i)
{
    return sl_extent_rows(&w->s->block, u, 0, w->j0 + j, i);
}

/* The field across the faces along axis d. */
static sl_real *face(const struct job *w, const sl_real *u, int d, int j, int i)
{
    struct sl_view v = field(w, u, j, i);
    return v.at + (w->s->scheme->layout.face + d) * v.var;
}

static struct sl_view prim(const struct sl_sweep_ctu *s, int j, int i)
{
    return sl_planes_rows(&s->prim, 0, j, i);
}

static struct sl_view at(const struct sl_sweep_ctu *s, struct sl_view v, int j, int i)
{
    return sl_view_move(v, (j + HALO) * v.row + i + s->block.g[0]);
}

/* Distance of neighbours along axis d in all buffers. */
static ptrdiff_t step(const struct sl_sweep_ctu *s, int d)
{
    return d == 0 ? 1 : s->block.nt[0];
}

/* Values in rows of n, with gaps, as one row. */
static int run(const struct sl_sweep_ctu *s, int rows, int n)
{
    return (rows - 1) * s->block.nt[0] + n;
}

/* ---- first fluxes ---------------------------------------------------------------------------- */

static void push(sl_real *restrict v, int n, sl_real by)
{
    SL_SIMD for (int i = 0; i < n; i++) v[i] += by;
}

/* What half a step of the acceleration along a gives to the velocity of cell i along a of the
 * block; behind a wall it pulls the other way. */
static sl_real kick_at(const struct job *w, int a, int i)
{
    sl_real by = sl_update_kick((sl_real)0.5, (sl_real)w->stage->dt, w->s->scheme->gravity[a]);
    return sl_mirror_acceleration(by, w->stage->walls, a, i, w->s->block.n[a]);
}

/* On row j of values in cells. */
static void add_gravity(const struct job *w, int a, int j, struct sl_view values)
{
    const int n = w->s->block.n[0], from = w->s->block.dim > 1 ? -HALO : -1;
    const int edge[4] = {from, 0, n, n - from};
    sl_real *v = values.at + (1 + a) * values.var;
    for (int part = 0; part < 3 && w->s->scheme->gravity[a] != 0; part++)
        push(v + edge[part] - from, edge[part + 1] - edge[part],
             kick_at(w, a, a == 0 ? edge[part] : w->j0 + j));
}

/* On the values at both faces along d of rows j ..: all components, as the corrections are of
 * fluxes alone. */
static void add_gravity_to_faces(const struct job *w, int d, int j, int rows)
{
    const struct sl_sweep_ctu *s = w->s;
    int from = s->block.dim > 1 ? -HALO : -1;
    for (int r = j; r < j + rows && s->scheme->has_gravity; r++)
        for (int a = 0; a < s->block.dim; a++) {
            add_gravity(w, a, r, at(s, s->minus[d], r, from));
            add_gravity(w, a, r, at(s, s->plus[d], r, from));
        }
}

/* Values at the faces along d of rows j .. of cells, moved by half a step. */
static void predict(const struct job *w, int d, int j, int rows)
{
    const struct sl_sweep_ctu *s = w->s;
    int from = s->block.dim > 1 ? -HALO : -1, n = run(s, rows, s->block.n[0] - 2 * from);
    struct sl_shape cells = {1, n};
    struct sl_view q = prim(s, j, from), minus = at(s, s->minus[d], j, from);
    struct sl_view plus = at(s, s->plus[d], j, from);
    struct sl_near near = sl_near_of(q, step(s, d), d);
    const sl_real *across = s->magnetic >= 0 ? face(w, w->u, d, j, from) : NULL;
    sl_rows_faces(s->scheme, cells, &near, minus, plus);
    sl_rows_ctu_predict(s->scheme, n, d, w->half[d], across, step(s, d), q, minus, plus);
    add_gravity_to_faces(w, d, j, rows);
    if (across)
        memcpy(plus.at + (s->magnetic + d) * plus.var, across + step(s, d),
               (size_t)n * sizeof *across);
}

/* Fluxes at n faces per row from (j, i), from the values on both sides. */
static void fluxes(const struct job *w, int d, int j, int i, int rows, int n)
{
    const struct sl_sweep_ctu *s = w->s;
    for (int r = j; r < j + rows; r += s->strip) {
        struct sl_shape faces = {1, run(s, sl_least(s->strip, j + rows - r), n)};
        struct sl_view below = sl_view_move(at(s, s->plus[d], r, i), -step(s, d));
        const sl_real *compression = NULL;
        if (s->scheme->needs_compression)
            compression = sl_planes_compression(&s->prim, d, 0, r - (d == 1), i - (d == 0), faces,
                                                s->compression);
        sl_rows_flux(s->scheme, faces, d, below, at(s, s->minus[d], r, i), compression,
                     at(s, s->flux[d], r, i));
    }
}

static void first(const struct job *w)
{
    const struct sl_sweep_ctu *s = w->s;
    int end = w->rows + s->halo;
    for (int d = 0; d < s->block.dim; d++)
        for (int j = -s->halo; j < end; j += s->strip)
            predict(w, d, j, sl_least(s->strip, end - j));
    if (s->block.dim == 1) return;
    fluxes(w, 0, -2, -1, w->rows + 4, s->block.n[0] + 3);
    fluxes(w, 1, -1, -2, w->rows + 3, s->block.n[0] + 4);
}

/* ---- the field ------------------------------------------------------------------------------- */

/* E_z at the lower edges of n cells per row from (j, i). */
static void edges(const struct job *w, int j, int i, int rows, int n)
{
    const struct sl_sweep_ctu *s = w->s;
    struct sl_ct_rows from = {.dt_da = w->dt_dx[0], .dt_db = w->dt_dx[1]};
    for (int a = 0; a < 2; a++) { /* 0: one row, one column before */
        struct sl_view fx = at(s, s->flux[0], j - !a, i), fy = at(s, s->flux[1], j, i - !a);
        from.ma[a] = fx.at;
        from.mb[a] = fy.at;
        from.fa[a] = fx.at + (s->magnetic + 1) * fx.var;
        from.fb[a] = fy.at + s->magnetic * fy.var;
        for (int b = 0; b < 2; b++) {
            from.cell[a][b] = at(s, s->cell, j - !b, i - !a).at;
            from.rho[a][b] = prim(s, j - !b, i - !a).at;
        }
    }
    sl_rows_ct_edge(run(s, rows, n), &from, at(s, s->edge, j, i).at);
}

/* The field across faces along d after a time, from that now. */
static void move_faces(const struct job *w, int d, int j, int i, int n, const sl_real *dt_dx,
                       sl_real *out)
{
    const struct sl_sweep_ctu *s = w->s;
    struct sl_ct_face f = {{NULL, NULL}, {NULL, NULL}, dt_dx[1], dt_dx[0]};
    for (int up = 0; up < 2; up++) {
        sl_real *e = at(s, s->edge, j + up * (d == 0), i + up * (d == 1)).at;
        if (d == 0)
            f.eb[up] = e;
        else
            f.ea[up] = e;
    }
    const sl_real *now = face(w, w->u, d, j, i);
    sl_rows_ct_face(n, 1, &f, now, now, out);
}

static void electric_now(const struct job *w)
{
    const struct sl_sweep_ctu *s = w->s;
    struct sl_view q = prim(s, -2, -2);
    const sl_real *v = q.at + SL_MX * q.var, *b = q.at + s->magnetic * q.var;
    sl_rows_ct_cell(run(s, w->rows + 4, s->block.n[0] + 4), v, v + q.var, b, b + q.var,
                    at(s, s->cell, -2, -2).at);
}

/* E_z after half a step in n cells per row from (j, i). */
static void electric_half(const struct job *w, int j, int i, int rows, int n)
{
    const struct sl_sweep_ctu *s = w->s;
    struct sl_ctu_cells from = {.half = {w->half[0], w->half[1]}, .row = s->block.nt[0]};
    for (int d = 0; d < 2; d++)
        from.kick[d] = kick_at(w, d, d == 0 ? i : w->j0 + j);
    from.u = field(w, w->u, j, i);
    from.xlow = at(s, s->flux[0], j, i);
    from.xhigh = at(s, s->flux[0], j, i + 1);
    from.ylow = at(s, s->flux[1], j, i);
    from.yhigh = at(s, s->flux[1], j + 1, i);
    from.bx = at(s, s->half[0], j, i).at;
    from.by = at(s, s->half[1], j, i).at;
    sl_rows_ctu_electric(run(s, rows, n), &from, at(s, s->cell, j, i).at);
}

/* E_z after half a step in all cells around the edges of the tile. Behind walls the acceleration is
 * mirrored: with one, the cells beyond the ends of a row go alone, and so do the rows. */
static void electric_around(const struct job *w)
{
    int n = w->s->block.n[0];
    if (!w->s->scheme->has_gravity) {
        electric_half(w, -1, -1, w->rows + 2, n + 2);
        return;
    }
    for (int j = -1; j <= w->rows; j++) {
        electric_half(w, j, -1, 1, 1);
        electric_half(w, j, 0, 1, n);
        electric_half(w, j, n, 1, 1);
    }
}

/* The field at faces, then E_z in cells, after half a step. */
static void half_step(const struct job *w)
{
    const struct sl_sweep_ctu *s = w->s;
    electric_now(w);
    edges(w, -1, -1, w->rows + 3, s->block.n[0] + 3);
    for (int j = -1; j < w->rows + 1; j++)
        move_faces(w, 0, j, -1, s->block.n[0] + 3, w->half, at(s, s->half[0], j, -1).at);
    for (int j = -1; j < w->rows + 2; j++)
        move_faces(w, 1, j, -1, s->block.n[0] + 2, w->half, at(s, s->half[1], j, -1).at);
    electric_around(w);
}

/* ---- second fluxes --------------------------------------------------------------------------- */

/* The values at both faces along d of a row of cells. */
static void correct(const struct job *w, int d, int j)
{
    const struct sl_sweep_ctu *s = w->s;
    int n = s->block.n[0] + 2;
    struct sl_ctu_row with = {.axis = d, .half = {w->half[0], w->half[1]}, .next = step(s, d)};
    with.q = prim(s, j, -1);
    with.lower = at(s, s->flux[1 - d], j, -1);
    with.upper = sl_view_move(with.lower, step(s, 1 - d));
    if (s->magnetic >= 0) {
        with.across = with.old = face(w, w->u, d, j, -1);
        with.half_way = at(s, s->half[d], j, -1).at;
    }
    sl_rows_ctu_correct(s->scheme, n, &with, at(s, s->minus[d], j, -1));
    if (s->magnetic >= 0) with.old += with.next, with.half_way += with.next;
    sl_rows_ctu_correct(s->scheme, n, &with, at(s, s->plus[d], j, -1));
}

/* First-order flux at the lower face of a cell. */
static void safe_flux(const struct job *w, int d, int j, int i)
{
    const struct sl_sweep_ctu *s = w->s;
    struct sl_view q = prim(s, j, i), from = sl_view_move(q, -step(s, d));
    struct sl_shape one = {1, 1};
    sl_real low[SL_MAX_VAR];
    struct sl_view below = {low, 1, 0};
    for (int v = 0; v < s->nflow; v++)
        low[v] = from.at[v * from.var];
    if (s->magnetic >= 0) low[s->magnetic + d] = *face(w, w->u, d, j, i);
    sl_rows_flux_safe(s->scheme, one, d, below, q, at(s, s->flux[d], j, i));
}

static void safe_fluxes(const struct job *w, int d, int j, int i, int rows, int n)
{
    const struct sl_sweep_ctu *s = w->s;
    if (!w->flags) return;
    for (int r = j; r < j + rows; r++)
        for (int c = i; c < i + n; c++) {
            const sl_real *flag = field(w, w->flags, r, c).at;
            if (sl_repair_is_safe(flag[-step(s, d)], flag[0])) safe_flux(w, d, r, c);
        }
}

static void last_fluxes(const struct job *w, int d, int j, int i, int rows, int n)
{
    fluxes(w, d, j, i, rows, n);
    safe_fluxes(w, d, j, i, rows, n);
}

/* In a plane the edges at the rim of the tile look at fluxes one row, or one column, beyond it. */
static void second(const struct job *w)
{
    const struct sl_sweep_ctu *s = w->s;
    int n = s->block.n[0];
    if (s->block.dim == 1) {
        last_fluxes(w, 0, 0, 0, w->rows, n + 1);
        return;
    }
    for (int d = 0; d < 2; d++)
        for (int j = -1; j < w->rows + 1; j++)
            correct(w, d, j);
    last_fluxes(w, 0, -1, 0, w->rows + 2, n + 1);
    last_fluxes(w, 1, 0, -1, w->rows + 1, n + 2);
}

/* ---- a tile --------------------------------------------------------------------------------- */

static void finish_field(const struct job *w, struct sl_view out)
{
    const struct sl_sweep_ctu *s = w->s;
    if (s->block.dim > 1) edges(w, 0, 0, w->rows + 1, s->block.n[0] + 1);
    for (int d = 0; d < s->block.dim; d++)
        for (int j = 0; j < w->rows + (d == 1); j++) {
            sl_real *to = face(w, w->out, d, j, 0);
            if (s->block.dim > 1)
                move_faces(w, d, j, 0, s->block.n[0] + (d == 0), w->dt_dx, to);
            else
                memcpy(to, face(w, w->u, d, j, 0), (size_t)(s->block.n[0] + 1) * sizeof *to);
        }
    struct sl_shape inner = {w->rows, s->block.n[0]};
    if (w->flags) sl_rows_ct_heat(&s->scheme->layout, inner, -1, field(w, w->flags, 0, 0), out);
    for (int d = 0; d < s->block.dim; d++)
        for (int j = 0; j < w->rows; j++)
            sl_rows_ct_centre(s->block.n[0], face(w, w->out, d, j, 0),
                              face(w, w->out, d, j + (d == 1), d == 0),
                              out.at + j * out.row + (s->magnetic + d) * out.var);
    if (w->flags) sl_rows_ct_heat(&s->scheme->layout, inner, 1, field(w, w->flags, 0, 0), out);
}

static void tile(const struct job *w)
{
    const struct sl_sweep_ctu *s = w->s;
    struct sl_shape inner = {w->rows, s->block.n[0]},
                    all = {1, (w->rows + 2 * s->block.g[1]) * s->block.nt[0]};
    struct sl_fluxes f = {.dim = s->block.dim, .damp = 1, .dt = (sl_real)w->stage->dt};
    struct sl_view u = field(w, w->u, 0, 0), out = field(w, w->out, 0, 0);
    sl_rows_prim(s->scheme, all, field(w, w->u, -s->block.g[1], -s->block.g[0]),
                 prim(s, -s->block.g[1], -s->block.g[0]));
    first(w);
    if (s->magnetic >= 0 && s->block.dim > 1) half_step(w);
    second(w);
    for (int d = 0; d < s->block.dim; d++) {
        f.dt_dx[d] = w->dt_dx[d];
        f.lower[d] = at(s, s->flux[d], 0, 0);
        f.upper[d] = sl_view_move(f.lower[d], step(s, d));
    }
    f.density = at(s, s->minus[0], 0, 0); /* nothing reads these values any more */
    if (s->scheme->has_gravity) sl_rows_ctu_density(inner, &f, u, f.density);
    sl_mass_rows(&s->block, w->stage, &f, w->rows, 0, w->j0);
    sl_rows_update(s->scheme, inner, 1, &f, u, u, out);
    if (s->magnetic >= 0) finish_field(w, out);
    sl_rows_dual(s->scheme, inner, &f, out);
    sl_rows_signal(s->scheme, inner, w->stage->last ? w->per_dx : NULL, out, s->signal);
}

struct sl_signal sl_sweep_ctu_block(struct sl_sweep_ctu *s, const struct sl_stage *stage,
                                    const double dx[3], const sl_real *flags, const sl_real *u,
                                    sl_real *out)
{
    struct job w = {.s = s, .stage = stage, .flags = flags, .u = u, .out = out};
    for (int d = 0; d < s->block.dim; d++) {
        w.per_dx[d] = (sl_real)(1 / dx[d]);
        w.dt_dx[d] = (sl_real)(stage->dt / dx[d]);
        w.half[d] = (sl_real)0.5 * w.dt_dx[d];
    }
    memset(s->signal.at, 0, 3 * (size_t)s->signal.var * sizeof(sl_real));
    for (w.j0 = 0; w.j0 < s->block.n[1]; w.j0 += w.rows) {
        w.rows = sl_least(s->tile, s->block.n[1] - w.j0);
        tile(&w);
    }
    return sl_signal_of(s->block.n[0], s->signal);
}
