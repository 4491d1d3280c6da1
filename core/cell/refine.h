/* refine.h - where a mesh is to be finer: what the criteria of mesh.refine (refine_list.h) say of
 * a cell.
 *
 * A criterion makes a number of a cell and the neighbours across its faces. Above `above` the cell
 * is to be refined, up to the level of the rule; down to `below` it stays as fine as it is. Numbers
 * that the mesh gives by itself ("change across a cell") become smaller where it is refined; those
 * of a jump do not. Regions are of blocks, not of cells.
 *
 * A mirrored or turned state gives the same bits. A number that is none (0 / 0 in gas at rest) asks
 * for nothing.
 *
 * Shapes  a cell at u, its variables a->var apart, its neighbours a->step
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Loehner 1987; Mignone et al. 2012, section 3.3 (second derivative along the axes);
 *         Truelove et al. 1997 (Jeans length)
 * Tests   tests/unit/refine.c, tests/law/added.sh
 */
#ifndef SL_CELL_REFINE_H
#define SL_CELL_REFINE_H

#include "core/cell/eos.h"
#include "core/cell/refine_level.h"
#include "core/lists/refine_list.h"

/* ---- quantities ---- */

SL_FN sl_real sl_refine_quantity(const struct sl_refine_level *a, int of, const sl_real *u)
{
    if (of == SL_REFINE_OF_density) return u[SL_RHO];
    if (of >= SL_REFINE_OF_scalar1)
        return u[(size_t)(a->layout.scalar0 + of - SL_REFINE_OF_scalar1) * a->var] / u[SL_RHO];
    if (of == SL_REFINE_OF_magnetic) return sl_sqrt(2 * sl_magnetic_energy(&a->layout, u, a->var));
    if (of >= SL_REFINE_OF_magnetic_x && of <= SL_REFINE_OF_magnetic_z)
        return u[(size_t)(a->layout.magnetic + of - SL_REFINE_OF_magnetic_x) * a->var];
    struct sl_prim w = sl_cell_prim(&a->gas, &a->layout, u, a->var);
    sl_real speed = sl_sqrt(sl_square3(w.u, w.v, w.w));
    switch (of) {
    case SL_REFINE_OF_pressure:
        return w.p;
    case SL_REFINE_OF_temperature:
        return w.p / w.rho;
    case SL_REFINE_OF_entropy:
        return sl_pressure_to_entropy(&a->gas, w.rho, w.p) / w.rho;
    case SL_REFINE_OF_speed:
        return speed;
    case SL_REFINE_OF_mach:
        return speed / sl_sound_speed(&a->gas, w.rho, w.p);
    case SL_REFINE_OF_heat:
        return w.p / ((sl_real)(a->gas.gamma - 1) * w.rho);
    case SL_REFINE_OF_beta:
        return w.p / sl_magnetic_energy(&a->layout, u, a->var);
    case SL_REFINE_OF_alfven_mach:
        return speed * sl_sqrt(w.rho / (2 * sl_magnetic_energy(&a->layout, u, a->var)));
    case SL_REFINE_OF_velocity_x:
        return w.u;
    case SL_REFINE_OF_velocity_y:
        return w.v;
    default:
        return w.w;
    }
}

/* A quantity in a cell and its neighbours below and above along the axes. */
struct sl_refine_cross {
    sl_real here, below[3], above[3];
};

SL_FN struct sl_refine_cross sl_refine_cross_of(const struct sl_refine_level *a, int of,
                                                const sl_real *u)
{
    struct sl_refine_cross q;
    q.here = sl_refine_quantity(a, of, u);
    for (int d = 0; d < 3; d++) {
        q.below[d] = d < a->dim ? sl_refine_quantity(a, of, u - a->step[d]) : q.here;
        q.above[d] = d < a->dim ? sl_refine_quantity(a, of, u + a->step[d]) : q.here;
    }
    return q;
}

/* Root of the squares of second differences over those of the sums of the first ones. */
SL_FN sl_real sl_refine_loehner(const struct sl_refine_cross *q, int dim, sl_real filter)
{
    sl_real up[3] = {0, 0, 0}, down[3] = {0, 0, 0};
    for (int d = 0; d < dim; d++) {
        sl_real r = q->above[d] - q->here, l = q->here - q->below[d];
        sl_real size = (sl_abs(q->above[d]) + sl_abs(q->below[d])) + 2 * sl_abs(q->here);
        sl_real first = (sl_abs(r) + sl_abs(l)) + filter * size;
        up[d] = (r - l) * (r - l);
        down[d] = first * first;
    }
    return sl_sqrt(sl_sum3(up[0], up[1], up[2]) / sl_sum3(down[0], down[1], down[2]));
}

/* Root of the squares of half the differences between the neighbours. */
SL_FN sl_real sl_refine_change(const struct sl_refine_cross *q)
{
    sl_real c[3];
    for (int d = 0; d < 3; d++)
        c[d] = (sl_real)0.5 * (q->above[d] - q->below[d]);
    return sl_sqrt(sl_square3(c[0], c[1], c[2]));
}

/* ---- derivatives of vectors ---- */

/* Change of component c along axis d across a cell, along axes with larger cells less. first: the
 * variable of the first component; per: the variable that they are divided by, -1: none. */
struct sl_refine_rates {
    sl_real by[3][3]; /* [axis][component] */
};

SL_FN struct sl_refine_rates sl_refine_rates_of(const struct sl_refine_level *a, int first, int per,
                                                const sl_real *u)
{
    struct sl_refine_rates r;
    double least = a->dx[0];
    for (int d = 1; d < a->dim; d++)
        least = a->dx[d] < least ? a->dx[d] : least;
    for (int d = 0; d < 3; d++)
        for (int c = 0; c < 3; c++) {
            r.by[d][c] = 0;
            if (d >= a->dim) continue;
            const sl_real *up = u + a->step[d], *down = u - a->step[d];
            sl_real above = up[(size_t)(first + c) * a->var];
            sl_real below = down[(size_t)(first + c) * a->var];
            if (per >= 0) above /= up[(size_t)per * a->var], below /= down[(size_t)per * a->var];
            r.by[d][c] = (sl_real)(0.5 * (least / a->dx[d])) * (above - below);
        }
    return r;
}

SL_FN sl_real sl_refine_curl(const struct sl_refine_rates *r)
{
    sl_real x = r->by[1][2] - r->by[2][1], y = r->by[2][0] - r->by[0][2];
    sl_real z = r->by[0][1] - r->by[1][0];
    return sl_sqrt(sl_square3(x, y, z));
}

SL_FN sl_real sl_refine_expansion(const struct sl_refine_rates *r)
{
    return sl_sum3(r->by[0][0], r->by[1][1], r->by[2][2]);
}

/* sqrt(2 S:S) of the rate of strain S without its trace: the rate itself in a plane shear. */
SL_FN sl_real sl_refine_strain(const struct sl_refine_rates *r)
{
    sl_real third = sl_refine_expansion(r) / 3;
    sl_real own = sl_square3(r->by[0][0] - third, r->by[1][1] - third, r->by[2][2] - third);
    sl_real across =
        sl_square3(r->by[0][1] + r->by[1][0], r->by[1][2] + r->by[2][1], r->by[2][0] + r->by[0][2]);
    return sl_sqrt(2 * own + across);
}

/* ---- the numbers of criteria, by name ---- */

SL_FN sl_real sl_refine_number_loehner(const struct sl_refine_rule *r,
                                       const struct sl_refine_level *a,
                                       const struct sl_refine_cross *q)
{
    return sl_refine_loehner(q, a->dim, (sl_real)r->filter);
}

SL_FN sl_real sl_refine_number_gradient(const struct sl_refine_rule *r,
                                        const struct sl_refine_level *a,
                                        const struct sl_refine_cross *q)
{
    (void)r, (void)a;
    return sl_refine_change(q) / sl_abs(q->here);
}

SL_FN sl_real sl_refine_number_jump(const struct sl_refine_rule *r, const struct sl_refine_level *a,
                                    const struct sl_refine_cross *q)
{
    (void)r, (void)a;
    return sl_refine_change(q);
}

SL_FN sl_real sl_refine_number_vorticity(const struct sl_refine_rule *r,
                                         const struct sl_refine_level *a,
                                         const struct sl_refine_rates *v)
{
    (void)r, (void)a;
    return sl_refine_curl(v);
}

SL_FN sl_real sl_refine_number_shear(const struct sl_refine_rule *r,
                                     const struct sl_refine_level *a,
                                     const struct sl_refine_rates *v)
{
    (void)r, (void)a;
    return sl_refine_strain(v);
}

SL_FN sl_real sl_refine_number_compression(const struct sl_refine_rule *r,
                                           const struct sl_refine_level *a,
                                           const struct sl_refine_rates *v)
{
    (void)r, (void)a;
    return -sl_refine_expansion(v);
}

SL_FN sl_real sl_refine_number_value(const struct sl_refine_rule *r,
                                     const struct sl_refine_level *a, const sl_real *u)
{
    return sl_refine_quantity(a, r->of, u);
}

SL_FN sl_real sl_refine_number_low(const struct sl_refine_rule *r, const struct sl_refine_level *a,
                                   const sl_real *u)
{
    return sl_refine_quantity(a, r->of, u);
}

SL_FN sl_real sl_refine_number_current(const struct sl_refine_rule *r,
                                       const struct sl_refine_level *a, const sl_real *u)
{
    (void)r;
    struct sl_refine_rates b = sl_refine_rates_of(a, a->layout.magnetic, -1, u);
    struct sl_prim w = sl_cell_prim(&a->gas, &a->layout, u, a->var);
    sl_real pressure = w.p + sl_magnetic_energy(&a->layout, u, a->var);
    return sl_refine_curl(&b) / sl_sqrt(2 * pressure);
}

/* The cells that a Jeans length should have over those that it has; it is cs sqrt(pi / (G rho)). */
SL_FN sl_real sl_refine_number_jeans(const struct sl_refine_rule *r,
                                     const struct sl_refine_level *a, const sl_real *u)
{
    struct sl_prim w = sl_cell_prim(&a->gas, &a->layout, u, a->var);
    double widest = a->dx[0];
    for (int d = 1; d < a->dim; d++)
        widest = a->dx[d] > widest ? a->dx[d] : widest;
    sl_real two_pi = (sl_real)6.283185307179586;
    sl_real length =
        two_pi * sl_sound_speed(&a->gas, w.rho, w.p) / sl_sqrt((sl_real)a->four_pi_g * w.rho);
    return (sl_real)(r->cells * widest) / length;
}

/* 2^-(dim level): a cell of the level over one of the root grid. */
SL_FN sl_real sl_refine_share(const struct sl_refine_level *a)
{
    sl_real share = 1;
    for (int i = 0; i < a->dim * a->level; i++)
        share *= (sl_real)0.5;
    return share;
}

SL_FN sl_real sl_refine_number_mass(const struct sl_refine_rule *r, const struct sl_refine_level *a,
                                    const sl_real *u)
{
    return u[SL_RHO] / (sl_real)r->mean * sl_refine_share(a);
}

#define SL_REFINE_NUMBER(name, ...) r->by == SL_REFINE_##name ? sl_refine_number_##name(r, a, from):

SL_FN sl_real sl_refine_cross_number(const struct sl_refine_rule *r,
                                     const struct sl_refine_level *a, const sl_real *u)
{
    const struct sl_refine_cross q = sl_refine_cross_of(a, r->of, u), *from = &q;
    return SL_REFINE_CROSS_LIST(SL_REFINE_NUMBER) 0;
}

SL_FN sl_real sl_refine_flow_number(const struct sl_refine_rule *r, const struct sl_refine_level *a,
                                    const sl_real *u)
{
    const struct sl_refine_rates v = sl_refine_rates_of(a, SL_MX, SL_RHO, u), *from = &v;
    sl_real rate = SL_REFINE_FLOW_LIST(SL_REFINE_NUMBER) 0;
    struct sl_prim w = sl_cell_prim(&a->gas, &a->layout, u, a->var);
    return rate / sl_sound_speed(&a->gas, w.rho, w.p);
}

SL_FN sl_real sl_refine_cell_number(const struct sl_refine_rule *r, const struct sl_refine_level *a,
                                    const sl_real *u)
{
    const sl_real *from = u;
    return SL_REFINE_CELL_LIST(SL_REFINE_NUMBER) 0;
}
#undef SL_REFINE_NUMBER

/* The number of a criterion of cells. */
SL_FN sl_real sl_refine_indicator(const struct sl_refine_rule *r, const struct sl_refine_level *a,
                                  const sl_real *u)
{
    if (SL_REFINE_CROSSES >> r->by & 1) return sl_refine_cross_number(r, a, u);
    if (SL_REFINE_FLOWS >> r->by & 1) return sl_refine_flow_number(r, a, u);
    return sl_refine_cell_number(r, a, u);
}

/* What a rule asks of a cell, or of a block, of a level: SL_REFINE_CELL_* bits. At its own level a
 * rule asks for no finer one, but for this one still; of finer ones, which another rule made, it
 * asks nothing. */
SL_FN unsigned sl_refine_asks(const struct sl_refine_rule *r, int level, double number)
{
    double x = r->by == SL_REFINE_low ? -number : number;
    double up = r->by == SL_REFINE_low ? -r->below : r->above;
    double down = r->by == SL_REFINE_low ? -r->above : r->below;
    if (level > r->level) return 0;
    if (x > up)
        return SL_REFINE_CELL_HERE | SL_REFINE_CELL_KEEP |
               (level < r->level ? (unsigned)SL_REFINE_CELL_FINER : 0u);
    return x > down ? (unsigned)SL_REFINE_CELL_KEEP : 0u;
}

SL_FN unsigned sl_refine_cell(const struct sl_refine_level *a, const sl_real *u)
{
    unsigned asks = 0;
    for (int i = 0; i < a->nrule; i++)
        asks |=
            sl_refine_asks(&a->rule[i], a->level, (double)sl_refine_indicator(&a->rule[i], a, u));
    return asks;
}

/* Directions in which cell (i, j, k) of the interior is near the side of its block, itself
 * included. */
SL_FN unsigned sl_refine_sides(const struct sl_refine_level *a, int k, int j, int i)
{
    const int at[3] = {i, j, k};
    unsigned sides = 1;
    for (int d = 0, width = 1; d < 3; d++, width *= 3) {
        unsigned there = d < a->dim;
        unsigned low = there & (at[d] < a->buffer), high = there & (at[d] >= a->n[d] - a->buffer);
        sides = (low ? sides : 0u) | sides << width | (high ? sides << 2 * width : 0u);
    }
    return sides;
}

SL_FN void sl_refine_mark(struct sl_refine_marks *m, unsigned asks, unsigned sides)
{
    if (asks & SL_REFINE_CELL_FINER) m->finer |= sides;
    if (asks & SL_REFINE_CELL_HERE) m->here |= sides;
    if (asks & SL_REFINE_CELL_KEEP) m->keep |= sides;
}

/* ---- regions ---- */

/* How far the block [lo, hi] is from [from, to] along an axis; below 0 where they overlap. */
SL_FN double sl_refine_gap(double lo, double hi, double from, double to)
{
    return from - hi > lo - to ? from - hi : lo - to;
}

SL_FN int sl_refine_reaches_box(const struct sl_refine_rule *r, int dim, const double lo[3],
                                const double hi[3])
{
    int reaches = 1;
    for (int d = 0; d < dim; d++)
        reaches &= sl_refine_gap(lo[d], hi[d], r->lo[d], r->hi[d]) < 0;
    return reaches;
}

SL_FN int sl_refine_reaches_sphere(const struct sl_refine_rule *r, int dim, const double lo[3],
                                   const double hi[3])
{
    double far2 = 0;
    for (int d = 0; d < dim; d++) {
        double gap = sl_refine_gap(lo[d], hi[d], r->lo[d], r->lo[d]);
        if (gap > 0) far2 += gap * gap;
    }
    return far2 < r->radius * r->radius;
}

#define SL_REFINE_REACHES(name, ...)                                                               \
    r->by == SL_REFINE_##name ? sl_refine_reaches_##name(r, dim, lo, hi):

/* 1 where a block reaches into the shape of a rule, else 0. */
SL_FN int sl_refine_reaches(const struct sl_refine_rule *r, int dim, const double lo[3],
                            const double hi[3])
{
    return SL_REFINE_SHAPE_LIST(SL_REFINE_REACHES) 0;
}
#undef SL_REFINE_REACHES

#endif
