/* prolong.h - the children of a coarse cell: its values with slopes, so that their mean is the
 * coarse value.
 *
 * Each conserved variable is reconstructed with a limited slope along each axis (generalised minmod
 * of the differences to both neighbours), a function of the cell and its 2 dim neighbours alone.
 * Where a child would have no density or no pressure all slopes of the cell are halved, twice at
 * most, and then zero.
 *
 * With dual energy the pressure of a warm cell (sl_prolong_is_warm) has slopes, and its children
 * have the entropy of their density and pressure: gas of uniform pressure stays so wherever its
 * density changes. The entropy of a cold cell has slopes of its own, as its sum is what is known.
 *
 * theta is 1 where values at faces come of slopes too. The smaller of the two differences is off by
 * half of the second one wherever that is not zero: ppm and wenoz know better than that, so their
 * theta is 2, with which smooth data have central slopes, and no child lies beyond the values of
 * the neighbours along an axis. With dual energy the pressure is that of the entropy, as it is
 * wherever the solver reads it, which bounds no velocity: thin gas between dense streams that part
 * or meet has a slope of momentum that is theirs. There slopes give way, too, where a child might
 * have, for its mass, more than twice the energy of its parent and of each neighbour in motion.
 *
 * Of a passive scalar the fraction has slopes, which are those of mass, too: a child has its
 * density times its fraction, and the fraction of the cell is that of the middle of its mass. No
 * child has a fraction beyond those of the cell and its neighbours, for which the slopes of all
 * scalars shrink alike; and their slopes add up to the limited slope of their sum where those of
 * one sign can give way: species that share the gas among them do so in the children, to rounding.
 *
 * A cell is done in two passes: the factor of its slopes, then one variable after the other:
 *
 *   factor = sl_prolong_factor(&p, old, now);
 *   for each variable v that is no scalar
 *       d = sl_prolong_slopes(&p, old, now, v);
 *       for each child c
 *           ... = sl_prolong_child(p.dim, d, factor, c);
 *   for the entropy, with a density rho of the child
 *       warm = sl_prolong_is_warm(&p, old, now);
 *       d = sl_prolong_heat_slopes(&p, old, now, warm);
 *       for each child c
 *           ... = sl_prolong_entropy(&p, warm, rho, sl_prolong_child(p.dim, d, factor, c));
 *   mix = sl_prolong_mix(&p, old, now, factor);
 *   for each scalar i
 *       d = sl_mix_fit(p.dim, &mix, sl_prolong_fraction(&p, old, now, i).d);
 *       for each child c, its density rho
 *           ... = rho * sl_prolong_child(p.dim, d, 1, c);
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
    sl_real share, theta, eta; /* eta: fluid.dual_eta */
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

/* ---- heat, with dual energy ------------------------------------------------------------------ */

/* Whether the total energy of a cell tells the heat of its entropy, no more and no less, and that
 * is no small part of it. */
SL_FN int sl_prolong_is_warm_in(const struct sl_prolong *p, const sl_real *u)
{
    struct sl_prim w = sl_cons_to_prim(&p->gas, sl_gas_of(&p->layout, u, p->var));
    sl_real s = u[(size_t)p->layout.entropy * p->var];
    sl_real adiabatic = sl_entropy_to_pressure(&p->gas, w.rho, s);
    return sl_abs(w.p - adiabatic) <= (sl_real)0x1p-10 * adiabatic &&
           !sl_entropy_rules(&p->gas, u[(size_t)p->layout.energy * p->var], w.p, p->eta);
}

/* In each state that is read. */
SL_FN int sl_prolong_is_warm(const struct sl_prolong *p, const sl_real *old, const sl_real *now)
{
    return (p->share == 0 || sl_prolong_is_warm_in(p, now)) &&
           (p->share == 1 || sl_prolong_is_warm_in(p, old));
}

SL_FN sl_real sl_prolong_pressure_in(const struct sl_prolong *p, const sl_real *u)
{
    return sl_entropy_to_pressure(&p->gas, u[SL_RHO], u[(size_t)p->layout.entropy * p->var]);
}

/* Pressure of the cell `step` away. */
SL_FN sl_real sl_prolong_pressure(const struct sl_prolong *p, const sl_real *old,
                                  const sl_real *now, ptrdiff_t step)
{
    if (p->share == 1) return sl_prolong_pressure_in(p, now + step);
    if (p->share == 0) return sl_prolong_pressure_in(p, old + step);
    return (1 - p->share) * sl_prolong_pressure_in(p, old + step) +
           p->share * sl_prolong_pressure_in(p, now + step);
}

/* Of the pressure of a warm cell, of the entropy of another. */
SL_FN struct sl_linear sl_prolong_heat_slopes(const struct sl_prolong *p, const sl_real *old,
                                              const sl_real *now, int warm)
{
    struct sl_linear d = {0, {0, 0, 0}};
    if (!warm) return sl_prolong_slopes(p, old, now, p->layout.entropy);
    sl_real here = d.mean = sl_prolong_pressure(p, old, now, 0);
    for (int a = 0; a < 3; a++) {
        if (a >= p->dim) continue;
        sl_real below = sl_prolong_pressure(p, old, now, -p->step[a]);
        sl_real above = sl_prolong_pressure(p, old, now, p->step[a]);
        d.quarter[a] = sl_prolong_quarter(p->theta, here - below, above - here);
    }
    return d;
}

/* Entropy of a child of that density, from what such slopes give it. */
SL_FN sl_real sl_prolong_entropy(const struct sl_prolong *p, int warm, sl_real rho, sl_real drawn)
{
    return warm ? sl_pressure_to_entropy(&p->gas, rho, drawn) : drawn;
}

/* ---- children -------------------------------------------------------------------------------- */

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

/* ---- passive scalars ------------------------------------------------------------------------- */

enum { SL_MAX_SCALAR = 8 };

/* Fraction of a scalar: changes to the next cells and from those before along each axis, their
 * sign that of the axis, and the least and the largest of all. */
struct sl_fraction {
    struct sl_linear d;
    sl_real below[3], above[3], least, most;
};

SL_FN sl_real sl_prolong_fraction_at(const struct sl_prolong *p, const sl_real *old,
                                     const sl_real *now, int variable, ptrdiff_t step)
{
    ptrdiff_t at = (ptrdiff_t)p->var * variable;
    return sl_div(sl_prolong_at(p, old, now, at + step), sl_prolong_at(p, old, now, step));
}

/* Of scalar number i. */
SL_FN struct sl_fraction sl_prolong_fraction(const struct sl_prolong *p, const sl_real *old,
                                             const sl_real *now, int i)
{
    int v = p->layout.scalar0 + i;
    sl_real mean = sl_prolong_fraction_at(p, old, now, v, 0);
    struct sl_fraction f = {{mean, {0, 0, 0}}, {0, 0, 0}, {0, 0, 0}, mean, mean};
    for (int a = 0; a < 3; a++) {
        if (a >= p->dim) continue;
        sl_real below = sl_prolong_fraction_at(p, old, now, v, -p->step[a]);
        sl_real above = sl_prolong_fraction_at(p, old, now, v, p->step[a]);
        f.below[a] = mean - below;
        f.above[a] = above - mean;
        f.d.quarter[a] = sl_prolong_quarter(p->theta, f.below[a], f.above[a]);
        f.least = sl_min(f.least, sl_min(below, above));
        f.most = sl_max(f.most, sl_max(below, above));
    }
    return f;
}

/* What the slopes of one sign are multiplied by that add up to `sum` and should to `want`, if that
 * is less. */
SL_FN sl_real sl_mix_share(sl_real want, sl_real sum)
{
    return want < sum && sum > sl_tiny() ? sl_div(sl_max(want, 0), sum) : 1;
}

/* Sums over the scalars of a cell along an axis: their slopes of each sign, the sizes of these, and
 * their changes. */
struct sl_mix_sum {
    sl_real up, down, below, above;
};

SL_FN void sl_mix_add(struct sl_mix_sum *s, sl_real quarter, sl_real below, sl_real above)
{
    s->up += sl_max(quarter, 0);
    s->down += sl_max(-quarter, 0);
    s->below += below;
    s->above += above;
}

/* What slopes of each sign are multiplied by. */
struct sl_mix_axis {
    sl_real up, down;
};

SL_FN struct sl_mix_axis sl_mix_axis_of(sl_real theta, struct sl_mix_sum s)
{
    sl_real want = sl_prolong_quarter(theta, s.below, s.above);
    struct sl_mix_axis m = {sl_mix_share(want + s.down, s.up), sl_mix_share(s.up - want, s.down)};
    return m;
}

SL_FN sl_real sl_mix_slope(struct sl_mix_axis m, sl_real quarter)
{
    return quarter * (quarter > 0 ? m.up : m.down);
}

/* Where the middle of the mass of a cell lies along an axis, in units of that of its upper
 * children; quarter: of the density. */
SL_FN sl_real sl_mix_centre(sl_real factor, sl_real quarter, sl_real rho)
{
    return sl_div(factor * quarter, rho);
}

/* What slopes are multiplied by whose children lie up to `reach` away, but should not more than
 * `room`. */
SL_FN sl_real sl_mix_within(sl_real room, sl_real reach)
{
    sl_real share = reach > sl_tiny() ? sl_div(room, reach) : 0;
    return reach > room ? share : 1;
}

/* So that all children lie between least and most; d: with slopes that are fit for their sum. */
SL_FN sl_real sl_mix_bound(int dim, const sl_real centre[3], struct sl_linear d, sl_real least,
                           sl_real most)
{
    sl_real up[3] = {0, 0, 0}, down[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++) {
        sl_real shift = centre[a] * d.quarter[a], size = sl_abs(d.quarter[a]);
        up[a] = size - shift;
        down[a] = size + shift;
    }
    return sl_min(sl_mix_within(most - d.mean, sl_sum_axes(dim, up)),
                  sl_mix_within(d.mean - least, sl_sum_axes(dim, down)));
}

/* The fraction of children as sl_prolong_child makes it with factor 1. */
SL_FN struct sl_linear sl_mix_centred(int dim, const sl_real centre[3], sl_real factor,
                                      struct sl_linear d)
{
    sl_real shift[3] = {0, 0, 0};
    for (int a = 0; a < 3; a++) {
        d.quarter[a] *= factor;
        shift[a] = centre[a] * d.quarter[a];
    }
    d.mean -= sl_sum_axes(dim, shift);
    return d;
}

/* What the scalars of a cell have in common. */
struct sl_mix {
    struct sl_mix_axis axis[3];
    sl_real centre[3], factor;
};

SL_FN struct sl_linear sl_mix_slopes(const struct sl_mix *m, struct sl_linear d)
{
    for (int a = 0; a < 3; a++)
        d.quarter[a] = sl_mix_slope(m->axis[a], d.quarter[a]);
    return d;
}

/* factor: of the slopes of the density. */
SL_FN struct sl_mix sl_prolong_mix(const struct sl_prolong *p, const sl_real *old,
                                   const sl_real *now, sl_real factor)
{
    struct sl_linear rho = sl_prolong_slopes(p, old, now, SL_RHO);
    struct sl_mix_sum sum[3] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    struct sl_mix m = {{{1, 1}, {1, 1}, {1, 1}}, {0, 0, 0}, 1};
    for (int i = 0; i < p->layout.nscalar; i++) {
        struct sl_fraction f = sl_prolong_fraction(p, old, now, i);
        for (int a = 0; a < 3; a++)
            sl_mix_add(&sum[a], f.d.quarter[a], f.below[a], f.above[a]);
    }
    for (int a = 0; a < 3; a++) {
        m.axis[a] = sl_mix_axis_of(p->theta, sum[a]);
        m.centre[a] = sl_mix_centre(factor, rho.quarter[a], rho.mean);
    }
    for (int i = 0; i < p->layout.nscalar; i++) {
        struct sl_fraction f = sl_prolong_fraction(p, old, now, i);
        struct sl_linear d = sl_mix_slopes(&m, f.d);
        m.factor = sl_min(m.factor, sl_mix_bound(p->dim, m.centre, d, f.least, f.most));
    }
    return m;
}

/* The fraction of children as sl_prolong_child makes it with factor 1; d: as it is drawn. */
SL_FN struct sl_linear sl_mix_fit(int dim, const struct sl_mix *m, struct sl_linear d)
{
    return sl_mix_centred(dim, m->centre, m->factor, sl_mix_slopes(m, d));
}

/* ---- slopes that keep the gas a gas ---------------------------------------------------------- */

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

/* With dual energy: what tells the heat, and what is at most in motion. */
struct sl_linear_dual {
    struct sl_linear rho, m[3], heat;
};

/* Whether no child has less than nothing, or for its mass more in motion than twice so much
 * energy. */
SL_FN int sl_prolong_holds(int dim, const struct sl_linear_dual *g, sl_real energy, sl_real factor)
{
    sl_real m[3], least = sl_prolong_least(dim, g->rho, factor);
    for (int d = 0; d < 3; d++)
        m[d] = sl_abs(g->m[d].mean) + sl_prolong_reach(dim, g->m[d], factor);
    return (int)(least > 0) & (int)(sl_prolong_least(dim, g->heat, factor) > 0) &
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
        int warm = sl_prolong_is_warm(p, old, now);
        struct sl_linear_dual g = {sl_prolong_slopes(p, old, now, SL_RHO),
                                   {sl_prolong_slopes(p, old, now, SL_MX),
                                    sl_prolong_slopes(p, old, now, SL_MX + 1),
                                    sl_prolong_slopes(p, old, now, SL_MX + 2)},
                                   sl_prolong_heat_slopes(p, old, now, warm)};
        return sl_prolong_factor_dual(p, &g, old, now);
    }
    struct sl_linear_gas g = sl_prolong_gas(p, old, now);
    return sl_prolong_factor_gas(p, &g);
}

#endif
