/* split.c - see split.h. */
#include "core/sweep/split.h"

#include <stdbool.h>

#include "core/cell/relax.h"
#include "core/cell/update.h"
#include "core/sweep/buffers.h"
#include "core/sweep/lanes.h"
#include "core/sweep/mass_rows.h"

enum {
    G = SL_RELAX_GHOSTS,
    CHUNK_BYTES = 640 * 1024, /* buffers of a chunk: most of a second-level cache of 1 MB */
    BUFFERS = 5               /* of all variables; one more value per cell is the frozen speed */
};

struct sl_split {
    const struct sl_scheme *scheme; /* borrowed */
    struct sl_extent block;
    int nvar;
    size_t cells;                           /* that a buffer has room for */
    struct sl_view u, half, q, right, left; /* [var][cell] */
    sl_real *speed;                         /* [cell] */
    struct sl_view signal;                  /* [3][x] */
    struct sl_pool pool;                    /* owned */
};

/* The pencils that are in the buffers: a row of the buffer is a row of the block. */
struct chunk {
    int axis, plane; /* plane: k, or j for an axis of 2 */
    int from, count; /* pencils: rows j for an axis of 0, else columns i */
    int rows, width; /* of the buffer, ghosts along the axis included */
    int step;        /* neighbours along the axis are this far apart */
};

/* ---- buffers -------------------------------------------------------------------------------- */

/* Cells of the longest pencil, and how many pencils fit at once. */
static size_t room(const struct sl_split *s)
{
    int longest = 0;
    for (int d = 0; d < s->block.dim; d++)
        longest = s->block.n[d] > longest ? s->block.n[d] : longest;
    size_t pencil = (size_t)longest + 2 * G;
    size_t cell = ((size_t)BUFFERS * (size_t)s->nvar + 1) * sizeof(sl_real);
    size_t pencils = CHUNK_BYTES / (pencil * cell), lanes = SL_ALIGN / sizeof(sl_real);
    if (pencils < lanes) pencils = lanes;
    return (pencil * pencils + lanes - 1) / lanes * lanes;
}

static void lay_out(struct sl_split *s)
{
    struct sl_view *buffer[BUFFERS] = {&s->u, &s->half, &s->q, &s->right, &s->left};
    for (int i = 0; i < BUFFERS; i++)
        *buffer[i] = sl_pool_take(&s->pool, s->nvar, 1, (int)s->cells);
    s->speed = sl_pool_take(&s->pool, 1, 1, (int)s->cells).at;
    s->signal = sl_pool_take(&s->pool, 3, 1, s->block.n[0]);
}

int sl_split_new(const struct sl_mesh *mesh, const struct sl_scheme *scheme, struct sl_split **out)
{
    struct sl_split *s = calloc(1, sizeof *s);
    SL_CHECK(s, SL_EMEM, "no memory for the sweep");
    s->scheme = scheme;
    s->block = sl_extent_of(mesh);
    s->nvar = scheme->layout.nvar;
    s->cells = room(s);
    lay_out(s);
    int code = sl_pool_open(&s->pool);
    if (code != SL_OK) {
        sl_split_free(s);
        return code;
    }
    lay_out(s);
    *out = s;
    return SL_OK;
}

void sl_split_free(struct sl_split *split)
{
    if (!split) return;
    free(split->pool.memory);
    free(split);
}

/* ---- pencils -------------------------------------------------------------------------------- */

/* Variables of a row from cell (i, j, k), counted from the first interior one. */
static struct sl_view field(const struct sl_split *s, const sl_real *u, int k, int j, int i)
{
    return sl_extent_rows(&s->block, u, k, j, i);
}

/* The row of the block that row r of the buffer is. */
static struct sl_view row_of(const struct sl_split *s, const struct chunk *c, const sl_real *u,
                             int r)
{
    if (c->axis == 0) return field(s, u, c->plane, c->from + r, -G);
    if (c->axis == 1) return field(s, u, c->plane, r - G, c->from);
    return field(s, u, r - G, c->plane, c->from);
}

static struct chunk chunk_of(const struct sl_split *s, int axis, int plane, int from)
{
    int across = axis == 0 ? s->block.n[1] : s->block.n[0], pencil = s->block.n[axis] + 2 * G;
    struct chunk c = {.axis = axis, .plane = plane, .from = from};
    c.count = sl_least(across - from, (int)(s->cells / (size_t)pencil));
    c.rows = axis == 0 ? c.count : pencil;
    c.width = axis == 0 ? pencil : c.count;
    c.step = axis == 0 ? 1 : c.width;
    return c;
}

static void gather(const struct sl_split *s, const struct chunk *c, const sl_real *u)
{
    for (int r = 0; r < c->rows; r++) {
        struct sl_view from = row_of(s, c, u, r);
        for (int v = 0; v < s->nvar; v++)
            memcpy(s->u.at + v * s->u.var + r * c->width, from.at + v * from.var,
                   (size_t)c->width * sizeof(sl_real));
    }
}

/* ---- the scheme ----------------------------------------------------------------------------- */

/* A buffer from cell i on. */
static struct sl_view cells_from(struct sl_view v, ptrdiff_t i)
{
    return sl_view_move(v, i);
}

/* n cells whose conserved and primitive variables and frozen speeds are known, and their parts.
 * halfway: those of passive scalars stay what they were at the beginning of the step. */
struct parts {
    const struct sl_scheme *scheme;
    int axis, n, halfway;
    struct sl_view u, q, right, left;
    sl_real *speed;
};

SL_FN void speed_row(int eos, const struct sl_gas *of, const struct parts *p)
{
    struct sl_gas gas = *of;
    gas.eos = eos;
    const sl_real *rho = p->q.at, *u = rho + (1 + p->axis) * p->q.var;
    const sl_real *pressure = rho + (eos == SL_EOS_isothermal ? 0 : 4 * p->q.var);
    sl_real *restrict c = p->speed;
    SL_SIMD for (int i = 0; i < p->n; i++)
    {
        struct sl_prim w = {rho[i], u[i], 0, 0, pressure[i]};
        c[i] = sl_relax_speed(&gas, w);
    }
}

/* push: share of the pressure that variable v is pushed with; energy: work is done by it too. */
SL_FN void part_row(int push, int energy, const struct parts *p, int v)
{
    const sl_real *value = p->u.at + v * p->u.var, *mass = p->u.at + (1 + p->axis) * p->u.var;
    const sl_real *speed = p->q.at + (1 + p->axis) * p->q.var;
    const sl_real *pressure = p->q.at + 4 * p->q.var, *c = p->speed;
    sl_real *restrict right = p->right.at + v * p->right.var;
    sl_real *restrict left = p->left.at + v * p->left.var;
    SL_SIMD for (int i = 0; i < p->n; i++)
    {
        sl_real f = v == SL_RHO ? mass[i] : value[i] * speed[i];
        if (push) f = f + pressure[i];
        if (energy) f = (value[i] + pressure[i]) * speed[i];
        right[i] = sl_relax_right(c[i], value[i], f);
        left[i] = sl_relax_left(c[i], value[i], f);
    }
}

/* The momentum along the axis of an isothermal gas. */
static void part_isothermal(const struct parts *p, int v)
{
    const struct sl_gas *gas = &p->scheme->gas;
    const sl_real *value = p->u.at + v * p->u.var, *rho = p->q.at, *c = p->speed;
    const sl_real *speed = p->q.at + (1 + p->axis) * p->q.var, square = gas->cs * gas->cs;
    sl_real *restrict right = p->right.at + v * p->right.var;
    sl_real *restrict left = p->left.at + v * p->left.var;
    SL_SIMD for (int i = 0; i < p->n; i++)
    {
        sl_real f = value[i] * speed[i] + rho[i] * square;
        right[i] = sl_relax_right(c[i], value[i], f);
        left[i] = sl_relax_left(c[i], value[i], f);
    }
}

/* A passive scalar has no parts: its fraction takes the place of the right one. */
static bool is_scalar(const struct sl_layout *l, int v)
{
    return v >= l->scalar0 && v < l->scalar0 + l->nscalar;
}

static void part_scalar(const struct parts *p, int v)
{
    if (p->halfway) return;
    memcpy(p->right.at + v * p->right.var, p->q.at + v * p->q.var, (size_t)p->n * sizeof(sl_real));
}

/* From u to q, speed and the two parts. */
static void part(const struct parts *p)
{
    const struct sl_scheme *s = p->scheme;
    struct sl_shape shape = {1, p->n};
    int isothermal = s->layout.energy < 0;
    sl_rows_prim(s, shape, p->u, p->q);
    if (isothermal)
        speed_row(SL_EOS_isothermal, &s->gas, p);
    else
        speed_row(SL_EOS_ideal, &s->gas, p);
    for (int v = 0; v < s->layout.nvar; v++) {
        if (v == SL_MX + p->axis && isothermal)
            part_isothermal(p, v);
        else if (v == SL_MX + p->axis)
            part_row(1, 0, p, v);
        else if (v == s->layout.energy)
            part_row(0, 1, p, v);
        else if (is_scalar(&s->layout, v))
            part_scalar(p, v);
        else
            part_row(0, 0, p, v);
    }
}

/* half = u after a time with dt / dx = share, upwind; cells 0 .. n, with neighbours. Scalars wait
 * for the whole step. */
static void half_step(int n, int step, sl_real share, const struct parts *p, struct sl_view half)
{
    const struct sl_layout *layout = &p->scheme->layout;
    for (int v = 0; v < layout->nvar; v++) {
        if (is_scalar(layout, v)) {
            memcpy(half.at + v * half.var, p->u.at + v * p->u.var, (size_t)n * sizeof(sl_real));
            continue;
        }
        const sl_real *u = p->u.at + v * p->u.var, *r = p->right.at + v * p->right.var;
        const sl_real *l = p->left.at + v * p->left.var;
        sl_real *restrict out = half.at + v * half.var;
        SL_SIMD for (int i = 0; i < n; i++)
        {
            sl_real above = sl_relax_upwind(r[i], l[i + step]);
            sl_real below = sl_relax_upwind(r[i - step], l[i]);
            out[i] = u[i] - (above - below) * share;
        }
    }
}

/* What an acceleration gives to n cells of the half-way state in a time. */
static void accelerate(const struct sl_layout *l, int axis, int n, sl_real kick,
                       struct sl_view half)
{
    SL_SIMD for (int i = 0; i < n; i++)
        sl_update_half_gravity(l, axis, kick, half.at + i, (size_t)half.var);
}

/* Pencils in the buffers: their length, how many, how far the cells of one are apart: 1, or `count`
 * where cells of all pencils lie side by side. The first `low` and the last `high` of their cells
 * lie behind a wall. */
struct pencils {
    int length, count, step, low, high;
};

/* All but the first and the last cell of each; behind a wall the acceleration points the other
 * way. */
static void add_half_gravity(const struct sl_split *s, int axis, const struct pencils *p,
                             sl_real dt)
{
    int edge[4] = {1, sl_most(p->low, 1), sl_least(p->length - p->high, p->length - 1),
                   p->length - 1};
    int rows = p->step == 1 ? p->count : 1, together = p->step == 1 ? 1 : p->count;
    sl_real kick = sl_update_kick((sl_real)0.5, dt, s->scheme->gravity[axis]);
    if (kick == 0) return;
    for (int part = 0; part < 3; part++)
        for (int r = 0; r < rows; r++)
            accelerate(&s->scheme->layout, axis, (edge[part + 1] - edge[part]) * together,
                       part == 1 ? kick : -kick,
                       cells_from(s->half, r * p->length + edge[part] * together));
}

/* Of a passive scalar, from those of mass and the state before the step. */
static void limited_scalar(int v, int n, int step, sl_real dt_dx, const struct parts *p,
                           struct sl_view flux)
{
    const sl_real *x = p->right.at + v * p->right.var, *mass = flux.at, *rho = p->u.at;
    sl_real *restrict out = flux.at + v * flux.var;
    SL_SIMD for (int i = 0; i < n; i++)
    {
        sl_real moved = mass[i] * dt_dx;
        out[i] = sl_relax_carried_limited(mass[i], moved / rho[i], moved / rho[i + step],
                                          x[i - step], x[i], x[i + step], x[i + 2 * step]);
    }
}

/* Limited fluxes at the upper faces of cells 0 .. n. */
static void limited(int n, int step, sl_real dt_dx, const struct parts *p, struct sl_view flux)
{
    const struct sl_layout *layout = &p->scheme->layout;
    for (int v = 0; v < layout->nvar; v++) {
        if (is_scalar(layout, v)) {
            limited_scalar(v, n, step, dt_dx, p, flux);
            continue;
        }
        const sl_real *r = p->right.at + v * p->right.var, *l = p->left.at + v * p->left.var;
        sl_real *restrict out = flux.at + v * flux.var;
        SL_SIMD for (int i = 0; i < n; i++) out[i] =
            sl_relax_limited(r[i - step], r[i], r[i + step], l[i], l[i + step], l[i + 2 * step]);
    }
}

/* Fluxes at the upper faces of the cells of a buffer, in its place of primitive values, from the
 * third cell of a pencil on. */
static void fluxes(const struct sl_split *s, int axis, const struct pencils *along, sl_real dt,
                   sl_real dt_dx)
{
    int step = along->step, n = along->length * along->count;
    struct parts p = {s->scheme, axis, n, 0, s->u, s->q, s->right, s->left, s->speed};
    part(&p);
    p.u = cells_from(s->u, step);
    p.right = cells_from(s->right, step);
    p.left = cells_from(s->left, step);
    half_step(n - 2 * step, step, (sl_real)0.5 * dt_dx, &p, cells_from(s->half, step));
    add_half_gravity(s, axis, along, dt);
    struct parts h = {s->scheme,
                      axis,
                      n - 2 * step,
                      1,
                      cells_from(s->half, step),
                      cells_from(s->q, step),
                      cells_from(s->right, step),
                      cells_from(s->left, step),
                      s->speed + step};
    part(&h);
    h.right = cells_from(s->right, 2 * step);
    h.left = cells_from(s->left, 2 * step);
    h.u = cells_from(s->u, 2 * step);
    limited(n - 5 * step, step, dt_dx, &h, cells_from(s->q, 2 * step));
}

/* Keeps the mass that crosses the faces along the axis of n cells in each of `rows` rows. */
static void keep_mass(const struct sl_split *s, const struct sl_stage *stage, const struct chunk *c,
                      const struct sl_fluxes *f, int rows, int n)
{
    const struct sl_extent *e = &s->block;
    for (int r = 0; r < rows && stage->mass; r++) {
        const sl_real *low = f->lower[0].at + r * f->lower[0].row;
        const sl_real *high = f->upper[0].at + r * f->upper[0].row;
        int k = c->axis == 2 ? r : c->plane, i = c->axis == 0 ? 0 : c->from,
            j = c->axis == 0   ? c->from + r
                : c->axis == 1 ? r
                               : c->plane;
        size_t at = sl_mass_flux_at(e->dim, e->n, 0, c->axis, k, j, i);
        sl_mass_row(stage, at, n, low);
        if (c->axis == 0) sl_mass_row(stage, at + (size_t)n, 1, high + n - 1);
        if (c->axis == 0 || r < rows - 1) continue;
        size_t over =
            sl_mass_flux_at(e->dim, e->n, 0, c->axis, k + (c->axis == 2), j + (c->axis == 1), i);
        sl_mass_row(stage, over, n, high);
    }
}

/* Interior cells of the pencils into the block. */
static void update(const struct sl_split *s, const struct sl_stage *stage, const struct chunk *c,
                   sl_real dt_dx, sl_real *out)
{
    sl_real dt = (sl_real)stage->dt;
    int x = c->axis == 0, first = x ? 0 : G, last = x ? c->rows : c->rows - G;
    int from = x ? G : 0, n = c->width - 2 * from;
    struct sl_shape cells = {last - first, n};
    struct sl_fluxes f = {
        .dim = 1, .axis = c->axis, .sweep = 1, .dt_dx = {dt_dx}, .damp = 1, .dt = dt};
    struct sl_view u = s->u, to = row_of(s, c, out, first);
    to.row = row_of(s, c, out, first + 1).at - to.at;
    u.row = c->width;
    f.upper[0] = cells_from(s->q, first * c->width + from);
    f.upper[0].row = c->width;
    f.lower[0] = cells_from(f.upper[0], -c->step);
    f.density = cells_from(s->half, first * c->width + from);
    f.density.row = c->width;
    u = cells_from(u, first * c->width + from);
    keep_mass(s, stage, c, &f, last - first, n);
    sl_rows_update(s->scheme, cells, 1, &f, u, u, cells_from(to, from));
    sl_rows_dual(s->scheme, cells, &f, cells_from(to, from));
}

static struct sl_signal signal_of(const struct sl_split *s, const sl_real *per_dx, sl_real *out)
{
    struct sl_shape shape = {s->block.n[1], s->block.n[0]};
    memset(s->signal.at, 0, 3 * (size_t)s->signal.var * sizeof(sl_real));
    for (int k = 0; k < s->block.n[2]; k++)
        sl_rows_signal(s->scheme, shape, per_dx, field(s, out, k, 0, 0), s->signal);
    return sl_signal_of(s->block.n[0], s->signal);
}

struct sl_signal sl_split_block(struct sl_split *s, const struct sl_stage *stage,
                                const double dx[3], const sl_real *u, sl_real *out)
{
    int axis = stage->axis, planes = axis == 2 ? s->block.n[1] : s->block.n[2];
    int across = axis == 0 ? s->block.n[1] : s->block.n[0];
    sl_real dt = (sl_real)stage->dt, dt_dx = (sl_real)(stage->dt / dx[axis]), per_dx[3] = {0};
    for (int d = 0; d < s->block.dim; d++)
        per_dx[d] = (sl_real)(1 / dx[d]);
    int low = stage->walls >> 2 * axis & 1 ? G : 0, high = stage->walls >> 2 * axis & 2 ? G : 0;
    for (int plane = 0; plane < planes; plane++)
        for (int from = 0; from < across;) {
            struct chunk c = chunk_of(s, axis, plane, from);
            struct pencils along = {s->block.n[axis] + 2 * G, c.count, c.step, low, high};
            gather(s, &c, u);
            fluxes(s, axis, &along, dt, dt_dx);
            update(s, stage, &c, dt_dx, out);
            from += c.count;
        }
    return signal_of(s, stage->last ? per_dx : NULL, out);
}

/* ---- one cell, for repairs and registers ---------------------------------------------------- */

struct sl_split_cell sl_split_cell_of(const struct sl_mesh *m, const struct sl_stage *stage,
                                      int block, int where)
{
    int axis = stage->axis;
    unsigned walls = sl_mesh_walls(m, block) >> 2 * axis;
    struct sl_split_cell of = {.axis = axis, .dt = (sl_real)stage->dt};
    of.dt_dx = (sl_real)(stage->dt / m->blocks[block].dx[axis]);
    if (walls & 1) of.low = sl_most(G - where, 0);
    if (walls & 2) of.high = sl_most(G + 1 + where - m->n[axis], 0);
    return of;
}

sl_real sl_split_fluxes(const struct sl_scheme *scheme, const struct sl_split_cell *of,
                        struct sl_view line, struct sl_view flux, struct sl_view safe)
{
    enum { N = SL_SPLIT_LINE, SIZE = SL_MAX_VAR * N };
    sl_real u[SIZE], half[SIZE], q[SIZE], right[SIZE], left[SIZE], speed[N];
    struct sl_split s = {.scheme = scheme, .nvar = scheme->layout.nvar, .speed = speed};
    s.u = (struct sl_view){u, N, 0};
    s.half = (struct sl_view){half, N, 0};
    s.q = (struct sl_view){q, N, 0};
    s.right = (struct sl_view){right, N, 0};
    s.left = (struct sl_view){left, N, 0};
    for (int v = 0; v < s.nvar; v++)
        memcpy(u + v * N, line.at + v * line.var, N * sizeof(sl_real));
    struct parts p = {scheme, of->axis, N, 0, s.u, s.q, s.right, s.left, speed};
    struct pencils along = {N, 1, 1, of->low, of->high};
    part(&p);
    for (int v = 0; v < s.nvar; v++)
        for (int i = 0; i < 2; i++) {
            const sl_real *r = right + v * N + G - 1 + i;
            safe.at[v * safe.var + i] = is_scalar(&scheme->layout, v)
                                            ? sl_relax_carried(safe.at[i], r[0], r[1])
                                            : sl_relax_upwind(r[0], left[v * N + G + i]);
        }
    fluxes(&s, of->axis, &along, of->dt, of->dt_dx);
    for (int v = 0; v < s.nvar; v++)
        for (int i = 0; i < 2; i++)
            flux.at[v * flux.var + i] = q[v * N + G - 1 + i];
    return half[G];
}
