/* fill.c - fine cells from a row of coarse ones after the other; see nest.h.
 *
 * What core/cell/prolong.h says of a cell is done for rows of cells, along the axis of which most
 * are asked for: the bits are those of cell after cell. Cells whose slopes may have to give way to
 * pressure are asked one by one. */
#include <string.h>

#include "core/sweep/buffers.h"
#include "core/sweep/lanes.h"
#include "core/transfer/nest.h"

enum { ROW = 32 }; /* coarse cells at once */

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A variable of a row of coarse cells, as struct sl_linear. */
struct linear_row {
    sl_real mean[ROW], quarter[3][ROW];
};

/* A row of coarse cells: n along an axis from `at` on. */
struct row {
    int axis, n;
    ptrdiff_t at;
};

/* What is the same for all rows. All of it is known to the compiler but what is behind pointers. */
struct plan {
    struct sl_prolong p; /* share 1: one state is enough */
    const sl_real *old, *now;
    const ptrdiff_t *step; /* p.step */
    const struct sl_nest_fill *fill;
    const struct sl_prolong *asked; /* and what it was asked of */
    const sl_real *first, *last;
};

ALWAYS_INLINE struct sl_linear linear_at(const struct linear_row *r, int i)
{
    struct sl_linear d = {r->mean[i], {r->quarter[0][i], r->quarter[1][i], r->quarter[2][i]}};
    return d;
}

/* Of a row that was drawn along so many axes. */
ALWAYS_INLINE struct sl_linear linear_of(int dim, const struct linear_row *r, int i)
{
    struct sl_linear d = {r->mean[i], {0, 0, 0}};
    for (int a = 0; a < dim; a++)
        d.quarter[a] = r->quarter[a][i];
    return d;
}

ALWAYS_INLINE void load(const struct plan *w, int axis, ptrdiff_t at, int n, sl_real *to)
{
    ptrdiff_t step = w->step[axis];
    SL_SIMD
    for (int i = 0; i < n; i++)
        to[i] = sl_prolong_at(&w->p, w->old, w->now, at + i * step);
}

ALWAYS_INLINE void quarters(sl_real theta, int n, const sl_real *below, const sl_real *here,
                            const sl_real *above, sl_real *to)
{
    SL_SIMD
    for (int i = 0; i < n; i++)
        to[i] = sl_prolong_quarter(theta, here[i] - below[i], above[i] - here[i]);
}

ALWAYS_INLINE void draw(const struct plan *w, const struct row *r, int variable,
                        struct linear_row *out)
{
    sl_real line[ROW + 2], below[ROW], above[ROW];
    ptrdiff_t at = r->at + (ptrdiff_t)w->p.var * variable;
    load(w, r->axis, at - w->step[r->axis], r->n + 2, line);
    memcpy(out->mean, line + 1, (size_t)r->n * sizeof *line);
    for (int a = 0; a < w->p.dim; a++) {
        if (a == r->axis) {
            quarters(w->p.theta, r->n, line, line + 1, line + 2, out->quarter[a]);
            continue;
        }
        load(w, r->axis, at - w->step[a], r->n, below);
        load(w, r->axis, at + w->step[a], r->n, above);
        quarters(w->p.theta, r->n, below, line + 1, above, out->quarter[a]);
    }
}

/* ---- heat, with dual energy ------------------------------------------------------------------ */

/* What has slopes in place of the entropy of a row, and which of its cells are warm; 1 where one
 * is. */
static __attribute__((noinline)) int draw_heat(const struct plan *w, const struct row *r, int *warm,
                                               struct linear_row *out)
{
    int any = 0;
    for (int i = 0; i < r->n; i++) {
        ptrdiff_t at = r->at + i * w->step[r->axis];
        warm[i] = sl_prolong_is_warm(w->asked, w->first + at, w->last + at);
        struct sl_linear d = sl_prolong_heat_slopes(w->asked, w->first + at, w->last + at, warm[i]);
        any |= warm[i];
        out->mean[i] = d.mean;
        for (int a = 0; a < 3; a++)
            out->quarter[a][i] = d.quarter[a];
    }
    return any;
}

/* ---- passive scalars ------------------------------------------------------------------------- */

/* As struct sl_fraction, without its changes. */
struct fraction_row {
    struct linear_row d;
    sl_real least[ROW], most[ROW];
};

/* What the scalars of a row have in common, as struct sl_mix. */
struct mix_row {
    struct sl_mix_sum sum[3][ROW];
    struct sl_mix_axis axis[3][ROW];
    sl_real centre[3][ROW], factor[ROW];
};

ALWAYS_INLINE void load_fraction(const struct plan *w, int axis, ptrdiff_t at, int n, int variable,
                                 sl_real *to)
{
    sl_real rho[ROW + 2];
    load(w, axis, at, n, rho);
    load(w, axis, at + (ptrdiff_t)w->p.var * variable, n, to);
    SL_SIMD
    for (int i = 0; i < n; i++)
        to[i] = sl_div(to[i], rho[i]);
}

/* The slopes of a scalar along an axis. */
ALWAYS_INLINE void draw_along(sl_real theta, int n, const sl_real *before, const sl_real *here,
                              const sl_real *after, sl_real *quarter, struct fraction_row *out,
                              struct sl_mix_sum *sum)
{
    SL_SIMD
    for (int i = 0; i < n; i++) {
        sl_real below = here[i] - before[i], above = after[i] - here[i];
        quarter[i] = sl_prolong_quarter(theta, below, above);
        sl_mix_add(&sum[i], quarter[i], below, above);
        out->least[i] = sl_min(out->least[i], sl_min(before[i], after[i]));
        out->most[i] = sl_max(out->most[i], sl_max(before[i], after[i]));
    }
}

ALWAYS_INLINE void draw_fraction(const struct plan *w, const struct row *r, int variable,
                                 struct fraction_row *out, struct mix_row *mix)
{
    sl_real line[ROW + 2], below[ROW], above[ROW];
    size_t bytes = (size_t)r->n * sizeof *line;
    load_fraction(w, r->axis, r->at - w->step[r->axis], r->n + 2, variable, line);
    memcpy(out->d.mean, line + 1, bytes);
    memcpy(out->least, line + 1, bytes);
    memcpy(out->most, line + 1, bytes);
    for (int a = 0; a < w->p.dim; a++) {
        if (a == r->axis) {
            draw_along(w->p.theta, r->n, line, line + 1, line + 2, out->d.quarter[a], out,
                       mix->sum[a]);
            continue;
        }
        load_fraction(w, r->axis, r->at - w->step[a], r->n, variable, below);
        load_fraction(w, r->axis, r->at + w->step[a], r->n, variable, above);
        draw_along(w->p.theta, r->n, below, line + 1, above, out->d.quarter[a], out, mix->sum[a]);
    }
}

/* factor: of the slopes of the density, NULL: 1. */
ALWAYS_INLINE void mix_axes(const struct plan *w, int n, const struct linear_row *rho,
                            const sl_real *factor, struct mix_row *mix)
{
    for (int a = 0; a < w->p.dim; a++)
        for (int i = 0; i < n; i++) {
            sl_real f = factor ? factor[i] : 1;
            mix->axis[a][i] = sl_mix_axis_of(w->p.theta, mix->sum[a][i]);
            mix->centre[a][i] = sl_mix_centre(f, rho->quarter[a][i], rho->mean[i]);
        }
}

ALWAYS_INLINE struct sl_mix mix_at(const struct mix_row *m, int dim, int i)
{
    struct sl_mix mix = {{{1, 1}, {1, 1}, {1, 1}}, {0, 0, 0}, m->factor[i]};
    for (int a = 0; a < dim; a++) {
        mix.axis[a] = m->axis[a][i];
        mix.centre[a] = m->centre[a][i];
    }
    return mix;
}

ALWAYS_INLINE void mix_bound(int dim, int n, const struct fraction_row *f, struct mix_row *mix)
{
    for (int i = 0; i < n; i++) {
        struct sl_mix m = mix_at(mix, dim, i);
        struct sl_linear d = sl_mix_slopes(&m, linear_of(dim, &f->d, i));
        sl_real bound = sl_mix_bound(dim, m.centre, d, f->least[i], f->most[i]);
        mix->factor[i] = sl_min(mix->factor[i], bound);
    }
}

ALWAYS_INLINE void mix_fit(int dim, int n, const struct mix_row *mix, struct linear_row *d)
{
    for (int i = 0; i < n; i++) {
        struct sl_mix m = mix_at(mix, dim, i);
        struct sl_linear fit = sl_mix_fit(dim, &m, linear_of(dim, d, i));
        d->mean[i] = fit.mean;
        for (int a = 0; a < dim; a++)
            d->quarter[a][i] = fit.quarter[a];
    }
}

/* The fractions of all scalars of a row as sl_prolong_child takes them. */
ALWAYS_INLINE void draw_fractions(const struct plan *w, const struct row *r,
                                  const struct linear_row *rho, const sl_real *factor,
                                  struct linear_row *out)
{
    const struct sl_layout *l = &w->p.layout;
    struct fraction_row f[SL_MAX_SCALAR];
    struct mix_row mix;
    memset(mix.sum, 0, sizeof mix.sum);
    for (int i = 0; i < r->n; i++)
        mix.factor[i] = 1;
    for (int i = 0; i < l->nscalar; i++)
        draw_fraction(w, r, l->scalar0 + i, &f[i], &mix);
    mix_axes(w, r->n, rho, factor, &mix);
    for (int i = 0; i < l->nscalar; i++)
        mix_bound(w->p.dim, r->n, &f[i], &mix);
    for (int i = 0; i < l->nscalar; i++) {
        mix_fit(w->p.dim, r->n, &mix, &f[i].d);
        out[i] = f[i].d;
    }
}

/* ---- slopes that keep the gas a gas ---------------------------------------------------------- */

ALWAYS_INLINE int safe_plain(int dim, int n, const struct linear_row *rho, int *safe)
{
    int all = 1;
    SL_SIMD
    for (int i = 0; i < n; i++) {
        safe[i] = sl_prolong_least(dim, linear_at(rho, i), 1) > 0;
        all &= safe[i];
    }
    return all;
}

/* The energy of the cell alone is at most the largest of the cell and its neighbours. */
ALWAYS_INLINE int safe_dual(int dim, int n, const struct linear_row *u, const struct linear_row *en,
                            const struct linear_row *s, int *safe)
{
    int all = 1;
    SL_SIMD
    for (int i = 0; i < n; i++) {
        struct sl_linear_dual g = {linear_at(u, i),
                                   {linear_at(u + 1, i), linear_at(u + 2, i), linear_at(u + 3, i)},
                                   linear_at(s, i)};
        safe[i] = sl_prolong_holds(dim, &g, sl_div(en->mean[i], u->mean[i]), 1);
        all &= safe[i];
    }
    return all;
}

ALWAYS_INLINE int safe_gas(int dim, int n, const struct linear_row *u, const struct linear_row *en,
                           const struct linear_row *b, int *safe)
{
    int all = 1;
    SL_SIMD
    for (int i = 0; i < n; i++) {
        struct sl_linear none = {0, {0, 0, 0}};
        struct sl_linear_gas g = {linear_at(u, i),
                                  {linear_at(u + 1, i), linear_at(u + 2, i), linear_at(u + 3, i)},
                                  linear_at(en, i),
                                  {none, none, none}};
        for (int d = 0; d < 3 && b; d++)
            g.b[d] = linear_at(b + d, i);
        safe[i] = sl_prolong_is_safe(dim, &g);
        all &= safe[i];
    }
    return all;
}

static __attribute__((noinline)) sl_real factor_of(const struct sl_prolong *p, const sl_real *old,
                                                   const sl_real *now)
{
    return sl_prolong_factor(p, old, now);
}

/* 1 where all slopes stay as they are; else what they are multiplied by. */
ALWAYS_INLINE int factors(const struct plan *w, const struct row *r, const struct linear_row *u,
                          sl_real *factor)
{
    const struct sl_layout *l = &w->p.layout;
    int safe[ROW], all, dim = w->p.dim;
    if (l->energy < 0)
        all = safe_plain(dim, r->n, u, safe);
    else if (l->entropy >= 0)
        all = safe_dual(dim, r->n, u, u + l->energy, u + l->entropy, safe);
    else if (l->magnetic >= 0)
        all = safe_gas(dim, r->n, u, u + l->energy, u + l->magnetic, safe);
    else
        all = safe_gas(dim, r->n, u, u + l->energy, NULL, safe);
    for (int i = 0; i < r->n && !all; i++) {
        ptrdiff_t at = r->at + i * w->step[r->axis];
        factor[i] = safe[i] ? 1 : factor_of(w->asked, w->first + at, w->last + at);
    }
    return all;
}

/* ---- children -------------------------------------------------------------------------------- */

/* The children of a row that are asked for: along the other axes, and where the first of them
 * goes. */
struct children {
    int from[3], to[3];
    int first, n; /* along the row, of 2 for each coarse cell */
    sl_real *at;
};

/* A variable of a row, and what its slopes are multiplied by, NULL: 1; what of the density it is:
 * a fraction, or with `warm` a pressure that tells the entropy in those cells. */
struct drawn {
    const struct linear_row *u;
    const sl_real *factor;
    const int *warm;
};

/* sign: as of sl_prolong_place, across the row. */
ALWAYS_INLINE void row_of_children(int dim, int axis, int n, struct drawn of, const sl_real sign[3],
                                   sl_real *out)
{
    sl_real low[3] = {sign[0], sign[1], sign[2]}, high[3] = {sign[0], sign[1], sign[2]};
    low[axis] = -1;
    high[axis] = 1;
    sl_real low0 = low[0], low1 = low[1], low2 = low[2];
    sl_real high0 = high[0], high1 = high[1], high2 = high[2];
    SL_SIMD
    for (int i = 0; i < n; i++) {
        const sl_real below[3] = {low0, low1, low2}, above[3] = {high0, high1, high2};
        struct sl_linear d = linear_at(of.u, i);
        sl_real f = of.factor ? of.factor[i] : 1;
        out[2 * i] = sl_prolong_place(dim, d, f, below);
        out[2 * i + 1] = sl_prolong_place(dim, d, f, above);
    }
}

ALWAYS_INLINE void put(int n, const sl_real *from, sl_real *to, ptrdiff_t step)
{
    if (step == 1)
        memcpy(to, from, (size_t)n * sizeof *to);
    else
        for (int i = 0; i < n; i++)
            to[i * step] = from[i];
}

/* The entropies of children of warm cells, from pressures; of others as they are. */
static __attribute__((noinline)) void heat_children(const struct sl_prolong *p, int n,
                                                    const int *warm, const sl_real *rho, sl_real *s)
{
    for (int q = 0; q < 2 * n; q++)
        s[q] = sl_prolong_entropy(p, warm[q / 2], rho[q], s[q]);
}

/* mass: NULL, or the density that the variable needs (struct drawn). */
ALWAYS_INLINE void write_children(const struct sl_prolong *p, int axis, int n, struct drawn of,
                                  const struct drawn *mass, const struct children *c,
                                  const ptrdiff_t *step, sl_real *to)
{
    sl_real out[2 * ROW], rho[2 * ROW];
    int dim = p->dim;
    for (int k = c->from[2]; k <= c->to[2]; k++)
        for (int j = c->from[1]; j <= c->to[1]; j++)
            for (int i = c->from[0]; i <= c->to[0]; i++) {
                const sl_real sign[3] = {(sl_real)(2 * i - 1), (sl_real)(2 * j - 1),
                                         (sl_real)(2 * k - 1)};
                sl_real *first = to + (k - c->from[2]) * step[2] + (j - c->from[1]) * step[1] +
                                 (i - c->from[0]) * step[0];
                row_of_children(dim, axis, n, of, sign, out);
                if (mass) row_of_children(dim, axis, n, *mass, sign, rho);
                if (mass && of.warm) {
                    heat_children(p, n, of.warm, rho, out);
                } else if (mass) {
                    SL_SIMD
                    for (int q = 0; q < 2 * n; q++)
                        out[q] *= rho[q];
                }
                put(c->n, out + c->first, first, step[axis]);
            }
}

/* The scalars of a row; factor: of all other variables. */
ALWAYS_INLINE void fill_scalars(const struct plan *w, const struct row *r, struct drawn rho,
                                const struct children *c)
{
    const struct sl_layout *l = &w->p.layout;
    struct linear_row f[SL_MAX_SCALAR];
    draw_fractions(w, r, rho.u, rho.factor, f);
    for (int i = 0; i < l->nscalar; i++) {
        struct drawn of = {&f[i], NULL, NULL};
        sl_real *to = c->at + (size_t)(l->scalar0 + i) * w->fill->var;
        write_children(&w->p, r->axis, r->n, of, &rho, c, w->fill->step, to);
    }
}

static __attribute__((noinline)) void fill_scalars_of(const struct plan *w, const struct row *r,
                                                      struct drawn rho, const struct children *c)
{
    struct plan of = *w;
    switch (w->p.dim) {
    case 1:
        of.p.dim = 1;
        fill_scalars(&of, r, rho, c);
        break;
    case 2:
        of.p.dim = 2;
        fill_scalars(&of, r, rho, c);
        break;
    default:
        of.p.dim = 3;
        fill_scalars(&of, r, rho, c);
    }
}

/* The entropies of a row with warm cells, from what tells them. */
static __attribute__((noinline)) void fill_heat(const struct plan *w, const struct row *r,
                                                struct drawn rho, struct drawn of,
                                                const struct children *c)
{
    sl_real *to = c->at + (size_t)w->p.layout.entropy * w->fill->var;
    write_children(&w->p, r->axis, r->n, of, &rho, c, w->fill->step, to);
}

ALWAYS_INLINE void fill_row(const struct plan *w, const struct row *r, const struct children *c)
{
    const struct sl_layout *l = &w->p.layout;
    struct linear_row u[SL_MAX_VAR];
    sl_real factor[ROW];
    int warm[ROW], any = 0;
    for (int v = 0; v < l->scalar0; v++)
        if (v != l->entropy) draw(w, r, v, &u[v]);
    if (l->entropy >= 0) any = draw_heat(w, r, warm, &u[l->entropy]);
    int all = factors(w, r, u, factor);
    for (int v = 0; v < l->scalar0; v++) {
        struct drawn one = {&u[v], NULL, NULL}, less = {&u[v], factor, NULL};
        sl_real *to = c->at + (size_t)v * w->fill->var;
        if (any && v == l->entropy) continue;
        if (all)
            write_children(&w->p, r->axis, r->n, one, NULL, c, w->fill->step, to);
        else
            write_children(&w->p, r->axis, r->n, less, NULL, c, w->fill->step, to);
    }
    struct drawn rho = {u, all ? NULL : factor, NULL};
    if (any) {
        struct drawn heat = {u + l->entropy, rho.factor, warm};
        fill_heat(w, r, rho, heat, c);
    }
    if (l->nscalar > 0) fill_scalars_of(w, r, rho, c);
}

/* ---- boxes ----------------------------------------------------------------------------------- */

/* Coarse cells along an axis (0 at the lower corner of the octant); one where the mesh does not
 * have it. */
struct range {
    int first, last;
};

static struct range range_of(const struct sl_nest_fill *fill, int dim, int axis)
{
    struct range r = {0, 0};
    if (axis >= dim) return r;
    r.first = fill->first[axis] / 2;
    r.last = (fill->first[axis] + fill->n[axis] - 1) / 2;
    return r;
}

/* Which children of a coarse cell are asked for along an axis that is not that of the row; where
 * the first of them is among the cells to fill. */
static ptrdiff_t choose(const struct sl_nest_fill *fill, int dim, int axis, int cell,
                        struct children *c)
{
    int first = fill->first[axis], last = first + fill->n[axis] - 1;
    c->from[axis] = c->to[axis] = 0;
    if (axis >= dim) return 0;
    c->from[axis] = 2 * cell < first;
    c->to[axis] = 2 * cell + 1 <= last;
    return (2 * cell + c->from[axis] - first) * fill->step[axis];
}

/* The same along the row, for n of its cells from `cell` on. */
static ptrdiff_t choose_row(const struct sl_nest_fill *fill, int axis, int cell, int n,
                            struct children *c)
{
    int first = fill->first[axis], end = first + fill->n[axis];
    int from = sl_most(first, 2 * cell), to = sl_least(2 * (cell + n), end);
    c->from[axis] = c->to[axis] = 0;
    c->first = from - 2 * cell;
    c->n = to - from;
    return (from - first) * fill->step[axis];
}

/* Rows along one axis, side by side along the two others. */
ALWAYS_INLINE void fill_rows(const struct plan *w, int axis)
{
    const struct sl_nest_fill *fill = w->fill;
    int b = axis == 0, c = axis == 2 ? 1 : 2, dim = w->p.dim;
    struct range x = range_of(fill, dim, axis), y = range_of(fill, dim, b);
    struct range z = range_of(fill, dim, c);
    struct children of;
    for (int k = z.first; k <= z.last; k++) {
        ptrdiff_t to_z = choose(fill, dim, c, k, &of);
        for (int j = y.first; j <= y.last; j++) {
            ptrdiff_t to_y = choose(fill, dim, b, j, &of);
            for (int i = x.first; i <= x.last; i += ROW) {
                struct row r = {axis, sl_least(x.last + 1 - i, ROW), 0};
                r.at = i * w->step[axis] + j * w->step[b] + k * w->step[c];
                of.at = fill->to + choose_row(fill, axis, i, r.n, &of) + to_y + to_z;
                fill_row(w, &r, &of);
            }
        }
    }
}

/* The axis along which most cells are asked for, the earliest of these. */
static int longest(const struct sl_nest_fill *fill, int dim)
{
    int axis = 0;
    for (int a = 1; a < dim; a++)
        if (fill->n[a] > fill->n[axis]) axis = a;
    return axis;
}

/* The number of axes, and whether one state is enough, are known when this is compiled. */
ALWAYS_INLINE void fill_box(const struct sl_prolong *p, int dim, const sl_real *old,
                            const sl_real *now, const struct sl_nest_fill *fill)
{
    struct plan w = {*p, old, now, p->step, fill, p, old, now};
    int axis = longest(fill, dim);
    w.p.dim = dim;
    if (p->share != 0 && p->share != 1) {
        fill_rows(&w, axis);
        return;
    }
    w.old = w.now = p->share == 1 ? now : old;
    w.p.share = 1;
    fill_rows(&w, axis);
}

void sl_nest_fill(const struct sl_prolong *p, const sl_real *old, const sl_real *now,
                  const struct sl_nest_fill *fill)
{
    switch (p->dim) {
    case 1:
        fill_box(p, 1, old, now, fill);
        break;
    case 2:
        fill_box(p, 2, old, now, fill);
        break;
    default:
        fill_box(p, 3, old, now, fill);
    }
}
