/* prolong.h - the children of a coarse cell: its values with slopes, so that their mean is the
 * coarse value.
 *
 * Each conserved variable is reconstructed with a limited slope along each axis (generalised minmod
 * of the differences to both neighbours), a function of the cell and its 2 dim neighbours alone.
 * Where a child would have no density or no pressure all slopes of the cell are halved, twice at
 * most, and then zero.
 *
 * theta is 1 where values at faces come of slopes too. The smaller of the two differences is off by
 * half of the second one wherever that is not zero: ppm and wenoz know better than that, so their
 * theta is 2, with which smooth data have central slopes, and no child lies beyond the values of
 * the neighbours along an axis. With dual energy the pressure is that of the entropy, as it is
 * wherever the solver reads it, which bounds no velocity: thin gas between dense streams that part
 * or meet has a slope of momentum that is theirs. There slopes give way, too, where a child might
 * have, for its mass, more than twice the energy of its parent and of each neighbour in motion.
 *
 * A cell is done in two passes: the factor of its slopes, then one variable after the other:
 *
 *   factor = sl_prolong_factor(&p, old, now);
 *   for each variable v
 *       d = sl_prolong_slopes(&p, old, now, v);
 *       for each child c
 *           ... = sl_prolong_child(p.dim, d, factor, c);
 *
 * Mirrored or turned data give mirrored or turned children, to the bit. Loops over axes go over all
 * three, so that a device unrolls them: an array that a loop indexes lies in its memory.
 *
 * Shapes  values of a cell at u[v * var], its neighbours step[axis] apart; bit `axis` of the number
 *         of a child is 1 for those in the upper half along it
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    Schive et al. 2010, section 2.2 (theta 1); Kurganov & Tadmor 2000 (theta); Wang, Abel &
 *         Kaehler 2010, section 3
 * Tests   tests/unit/prolong.c
 */
#ifndef SL_CELL_PROLONG_H
#define SL_CELL_PROLONG_H

#include <stddef.h>

#include "core/cell/reconstruct.h"

/* Coarse cells at a time between two states, (1 - share) old + share now: at 0 and at 1 the bits of
 * one of them, the other is not read. */
struct sl_prolong {
    struct sl_gas gas;
    struct sl_layout layout;
    int dim;
    ptrdiff_t step[3];
    size_t var;
    sl_real share, theta;
};

/* theta of a method of reconstruct.h. */
SL_FN sl_real sl_prolong_theta(int method)
{
    return sl_reconstruct_curved(method) ? 2 : 1;
}

/* A quarter of the slope, from the differences to both sides. */
SL_FN sl_real sl_prolong_quarter(sl_real theta, sl_real below, sl_real above)
{
    return (sl_real)0.5 * sl_slope_minmod(theta, below, above);
}

/* A variable of a cell: its value, and what it changes by from the middle of the cell to that of a
 * child, along each axis (a quarter of its slope; 0 along axes that there are not). */
struct sl_linear {
    sl_real mean, quarter[3];
};

SL_FN sl_real sl_prolong_at(const struct sl_prolong *p, const sl_real *old, const sl_real *now,
                            ptrdiff_t i)
{
    if (p->share == 1) return now[i];
    if (p->share == 0) return old[i];
    return (1 - p->share) * old[i] + p->share * now[i];
}

/* old, now: the cell in both states. */
SL_FN struct sl_linear sl_prolong_slopes(const struct sl_prolong *p, const sl_real *old,
                                         const sl_real *now, int variable)
{
    struct sl_linear d = {0, {0, 0, 0}};
    ptrdiff_t at = (ptrdiff_t)p->var * variable;
    d.mean = sl_prolong_at(p, old, now, at);
    for (int a = 0; a < 3; a++) {
        if (a >= p->dim) continue;
        sl_real below = sl_prolong_at(p, old, now, at - p->step[a]);
        sl_real above = sl_prolong_at(p, old, now, at + p->step[a]);
        d.quarter[a] = sl_prolong_quarter(p->theta, d.mean - below, above - d.mean);
    }
    return d;
}

/* sign: 1 along axes along which the child lies in the upper half, else -1. */
SL_FN sl_real sl_prolong_place(int dim, struct sl_linear d, sl_real factor, const sl_real sign[3])
{
    sl_real change[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++)
        change[a] = sign[a] * (factor * d.quarter[a]);
    return d.mean + sl_sum_axes(dim, change);
}

SL_FN sl_real sl_prolong_sign(int child, int axis)
{
    return (sl_real)(child >> axis & 1 ? 1 : -1);
}

SL_FN sl_real sl_prolong_child(int dim, struct sl_linear d, sl_real factor, int child)
{
    sl_real sign[3] = {sl_prolong_sign(child, 0), sl_prolong_sign(child, 1),
                       sl_prolong_sign(child, 2)};
    return sl_prolong_place(dim, d, factor, sign);
}

/* The largest distance of a child from the mean. */
SL_FN sl_real sl_prolong_reach(int dim, struct sl_linear d, sl_real factor)
{
    sl_real change[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++)
        change[a] = factor * sl_abs(d.quarter[a]);
    return sl_sum_axes(dim, change);
}

SL_FN sl_real sl_prolong_least(int dim, struct sl_linear d, sl_real factor)
{
    return d.mean - sl_prolong_reach(dim, d, factor);
}

/* What tells the pressure of an ideal gas; b: 0 without a field. */
struct sl_linear_gas {
    struct sl_linear rho, m[3], en, b[3];
};

SL_FN struct sl_linear_gas sl_prolong_gas(const struct sl_prolong *p, const sl_real *old,
                                          const sl_real *now)
{
    struct sl_linear none = {0, {0, 0, 0}};
    struct sl_linear_gas g = {sl_prolong_slopes(p, old, now, SL_RHO),
                              {none, none, none},
                              sl_prolong_slopes(p, old, now, p->layout.energy),
                              {none, none, none}};
    for (int d = 0; d < 3; d++) {
        g.m[d] = sl_prolong_slopes(p, old, now, SL_MX + d);
        if (p->layout.magnetic >= 0)
            g.b[d] = sl_prolong_slopes(p, old, now, p->layout.magnetic + d);
    }
    return g;
}

/* Whether all children have pressure, from the largest that momentum and field can be in any of
 * them: far fewer operations than to ask each. The margin is far above what rounding can make of
 * it. */
SL_FN int sl_prolong_is_safe(int dim, const struct sl_linear_gas *g)
{
    sl_real m[3], b[3], least = sl_prolong_least(dim, g->rho, 1);
    for (int d = 0; d < 3; d++) {
        m[d] = sl_abs(g->m[d].mean) + sl_prolong_reach(dim, g->m[d], 1);
        b[d] = sl_abs(g->b[d].mean) + sl_prolong_reach(dim, g->b[d], 1);
    }
    sl_real kinetic = sl_div((sl_real)0.5 * sl_square3(m[0], m[1], m[2]), least);
    sl_real field = (sl_real)0.5 * sl_square3(b[0], b[1], b[2]);
    sl_real heat = (sl_prolong_least(dim, g->en, 1) - kinetic) - field;
    return least > 0 && heat > (sl_real)0x1p-10 * g->en.mean;
}

SL_FN int sl_prolong_has_bad(const struct sl_prolong *p, const struct sl_linear_gas *g,
                             sl_real factor)
{
    int bad = 0;
    for (int c = 0; c < 1 << p->dim; c++) {
        sl_real field = 0;
        struct sl_cons u = {sl_prolong_child(p->dim, g->rho, factor, c),
                            sl_prolong_child(p->dim, g->m[0], factor, c),
                            sl_prolong_child(p->dim, g->m[1], factor, c),
                            sl_prolong_child(p->dim, g->m[2], factor, c),
                            sl_prolong_child(p->dim, g->en, factor, c)};
        if (p->layout.magnetic >= 0)
            field = (sl_real)0.5 * sl_square3(sl_prolong_child(p->dim, g->b[0], factor, c),
                                              sl_prolong_child(p->dim, g->b[1], factor, c),
                                              sl_prolong_child(p->dim, g->b[2], factor, c));
        u.en -= field;
        bad |= sl_bad_state(&p->gas, u);
    }
    return bad;
}

/* With dual energy: entropy, and what is at most in motion. */
struct sl_linear_dual {
    struct sl_linear rho, m[3], s;
};

/* Whether no child has less than nothing, or for its mass more in motion than twice so much
 * energy. */
SL_FN int sl_prolong_holds(int dim, const struct sl_linear_dual *g, sl_real energy, sl_real factor)
{
    sl_real m[3], least = sl_prolong_least(dim, g->rho, factor);
    for (int d = 0; d < 3; d++)
        m[d] = sl_abs(g->m[d].mean) + sl_prolong_reach(dim, g->m[d], factor);
    return (int)(least > 0) & (int)(sl_prolong_least(dim, g->s, factor) > 0) &
           (int)((sl_real)0.25 * sl_square3(m[0], m[1], m[2]) <= least * least * energy);
}

/* Energy of a unit of mass. */
SL_FN sl_real sl_prolong_energy_at(const struct sl_prolong *p, const sl_real *old,
                                   const sl_real *now, ptrdiff_t step)
{
    ptrdiff_t energy = (ptrdiff_t)p->var * p->layout.energy;
    return sl_div(sl_prolong_at(p, old, now, step + energy), sl_prolong_at(p, old, now, step));
}

/* The largest of the cell and its neighbours. */
SL_FN sl_real sl_prolong_energy(const struct sl_prolong *p, const sl_real *old, const sl_real *now)
{
    sl_real most = sl_prolong_energy_at(p, old, now, 0);
    for (int a = 0; a < 3; a++) {
        if (a >= p->dim) continue;
        most = sl_max(most, sl_prolong_energy_at(p, old, now, -p->step[a]));
        most = sl_max(most, sl_prolong_energy_at(p, old, now, p->step[a]));
    }
    return most;
}

SL_FN sl_real sl_prolong_factor_dual(const struct sl_prolong *p, const struct sl_linear_dual *g,
                                     const sl_real *old, const sl_real *now)
{
    sl_real energy = sl_prolong_energy(p, old, now);
    for (sl_real factor = 1; factor > (sl_real)0.2; factor *= (sl_real)0.5)
        if (sl_prolong_holds(p->dim, g, energy, factor)) return factor;
    return 0;
}

/* Of an isothermal gas. */
SL_FN sl_real sl_prolong_factor_plain(const struct sl_prolong *p, struct sl_linear rho)
{
    for (sl_real factor = 1; factor > (sl_real)0.2; factor *= (sl_real)0.5)
        if (sl_prolong_least(p->dim, rho, factor) > 0) return factor;
    return 0;
}

SL_FN sl_real sl_prolong_factor_gas(const struct sl_prolong *p, const struct sl_linear_gas *g)
{
    if (sl_prolong_is_safe(p->dim, g)) return 1;
    for (sl_real factor = 1; factor > (sl_real)0.2; factor *= (sl_real)0.5)
        if (!sl_prolong_has_bad(p, g, factor)) return factor;
    return 0;
}

/* What the slopes of a cell are multiplied by: 1, or less where a child would have no density or no
 * pressure. */
SL_FN sl_real sl_prolong_factor(const struct sl_prolong *p, const sl_real *old, const sl_real *now)
{
    if (p->layout.energy < 0)
        return sl_prolong_factor_plain(p, sl_prolong_slopes(p, old, now, SL_RHO));
    if (p->layout.entropy >= 0) {
        struct sl_linear_dual g = {sl_prolong_slopes(p, old, now, SL_RHO),
                                   {sl_prolong_slopes(p, old, now, SL_MX),
                                    sl_prolong_slopes(p, old, now, SL_MX + 1),
                                    sl_prolong_slopes(p, old, now, SL_MX + 2)},
                                   sl_prolong_slopes(p, old, now, p->layout.entropy)};
        return sl_prolong_factor_dual(p, &g, old, now);
    }
    struct sl_linear_gas g = sl_prolong_gas(p, old, now);
    return sl_prolong_factor_gas(p, &g);
}

#endif
