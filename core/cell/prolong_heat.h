/* prolong_heat.h - energy and entropy of new children of a coarse cell, and the entropy of a cell
 * from its children, with dual energy (eos.h).
 *
 * A slope of the total energy of cold, fast gas tells nothing of its heat: minmod of the
 * differences is off by half of the second one, as much as the kinetic energy of the motion inside
 * a child, and more than cold gas has of heat. So the children have the heat of their entropy.
 *
 * C is the mean kinetic and magnetic energy of the children, c that of the parent, H the mean heat
 * of the children, E the energy of the parent; C - c is N / 32 (eos.h) where the flow is smooth.
 *
 * Where E tells the parent's heat and E - C is more than 32 (C - c) and eta E, the children share
 * E - C in the ratio of their heat, and energy is kept. Elsewhere they keep their heat, and each
 * gets what remains, E - C - H, motion that is finer than theirs and heat that is not trusted yet,
 * as in a shock. Energy is kept so, too, but where less than nothing remains, and where the gas
 * expands, which no shock does, and more than (C - c) / 2 does, N / 16 of a child: they get that.
 *
 * A cell has the energy of its children. Where that tells their heat, as above, the cell has the
 * entropy of it: that of gas of one pressure and several densities is not the mean of theirs.
 * Elsewhere it is.
 *
 * Shapes  variables of a cell var apart; children: the first at u, the next ones step[axis] apart
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    none
 * Tests   tests/unit/prolong.c, tests/law/cold_flow.c
 */
#ifndef SL_CELL_PROLONG_HEAT_H
#define SL_CELL_PROLONG_HEAT_H

#include <stddef.h>

#include "core/cell/eos.h"
#include "core/cell/lift.h"
#include "core/cell/restrict.h"

/* Energy of a cell that is no heat: of motion and field. */
SL_FN sl_real sl_energy_of_motion(const struct sl_layout *l, const sl_real *u, size_t var)
{
    struct sl_cons c = sl_gas_of(l, u, var);
    return (sl_real)0.5 * sl_div(sl_square3(c.mx, c.my, c.mz), c.rho) +
           sl_magnetic_energy(l, u, var);
}

/* Heat of a cell by its entropy. */
SL_FN sl_real sl_energy_of_entropy(const struct sl_gas *gas, const struct sl_layout *l,
                                   const sl_real *u, size_t var)
{
    sl_real s = u[(size_t)l->entropy * var];
    return sl_div(sl_entropy_to_pressure(gas, u[SL_RHO], s), gas->gamma - 1);
}

/* Child k of those of which the first is at u. */
SL_FN sl_real *sl_child_at(sl_real *u, const ptrdiff_t step[3], int k)
{
    return u + (k & 1) * step[0] + (k >> 1 & 1) * step[1] + (k >> 2) * step[2];
}

/* Whether energy tells the heat of children. total, motion: their means; own: motion of the
 * cell. */
SL_FN int sl_heat_is_known(const struct sl_gas *gas, sl_real eta, sl_real total, sl_real motion,
                           sl_real own)
{
    sl_real left = total - motion;
    return !sl_entropy_rules(gas, total, (gas->gamma - 1) * left, eta) &&
           motion - own < (sl_real)0x1p-5 * left;
}

/* Velocity of a cell along an axis. */
SL_FN sl_real sl_heat_velocity(const sl_real *u, size_t var, int axis)
{
    return sl_div(u[(size_t)(SL_MX + axis) * var], u[SL_RHO]);
}

/* Whether the gas of children expands, as sl_dual_spread says it of fluxes. */
SL_FN int sl_heat_expands(int dim, const sl_real *u, const ptrdiff_t step[3], size_t var)
{
    const ptrdiff_t side[3] = {1, 2, 4};
    sl_real v[3][8], grows[3] = {0, 0, 0}, spread[3] = {0, 0, 0};
    for (int k = 0; k < 1 << dim; k++)
        for (int d = 0; d < 3; d++)
            v[d][k] = sl_heat_velocity(
                u + (k & 1) * step[0] + (k >> 1 & 1) * step[1] + (k >> 2) * step[2], var, d);
    for (int a = 0; a < 3; a++) {
        if (a >= dim) continue;
        grows[a] = sl_lift_along(dim, v[a], side, a);
        spread[a] = sl_square3(sl_lift_along(dim, v[0], side, a), sl_lift_along(dim, v[1], side, a),
                               sl_lift_along(dim, v[2], side, a));
    }
    sl_real n = sl_sum_axes(dim, spread), g = sl_sum_axes(dim, grows);
    return g > 0 && 2 * g * g > n;
}

/* The children have all but their energy; their entropy is that of the slopes. */
SL_FN void sl_prolong_heat(const struct sl_gas *gas, const struct sl_layout *l, sl_real eta,
                           int dim, const sl_real *parent, size_t parent_var, sl_real *u,
                           const ptrdiff_t step[3], size_t var)
{
    const ptrdiff_t side[3] = {1, 2, 4};
    sl_real motion[8], heat[8];
    for (int k = 0; k < 1 << dim; k++) {
        const sl_real *at = sl_child_at(u, step, k);
        motion[k] = sl_energy_of_motion(l, at, var);
        heat[k] = sl_energy_of_entropy(gas, l, at, var);
    }
    sl_real total = parent[(size_t)l->energy * parent_var];
    sl_real own = sl_energy_of_motion(l, parent, parent_var);
    sl_real mean = sl_restrict(dim, motion, side), warm = sl_restrict(dim, heat, side);
    sl_real left = total - mean;
    int trusted =
        sl_dual_agrees(gas, l, parent, parent_var) && sl_heat_is_known(gas, eta, total, mean, own);
    sl_real factor = trusted ? sl_div(left, warm) : 1;
    sl_real rest = sl_max(0, left - warm), most = (sl_real)0.5 * (mean - own);
    sl_real more = sl_heat_expands(dim, u, step, var) ? sl_max(0, sl_min(rest, most)) : rest;
    if (trusted) more = 0;
    for (int k = 0; k < 1 << dim; k++) {
        sl_real *at = sl_child_at(u, step, k);
        at[(size_t)l->energy * var] = (motion[k] + heat[k] * factor) + more;
        at[(size_t)l->entropy * var] *= factor;
    }
}

/* Entropy of a cell of that density and heat. */
SL_FN sl_real sl_heat_to_entropy(const struct sl_gas *gas, sl_real rho, sl_real heat)
{
    return sl_pressure_to_entropy(gas, rho, (gas->gamma - 1) * heat);
}

/* Motion of the mean of 2^dim children. */
SL_FN sl_real sl_energy_of_mean(const struct sl_layout *l, int dim, const sl_real *u,
                                const ptrdiff_t step[3], size_t var)
{
    sl_real m[3], b[3] = {0, 0, 0}, rho = sl_restrict(dim, u, step);
    for (int d = 0; d < 3; d++) {
        m[d] = sl_restrict(dim, u + (size_t)(SL_MX + d) * var, step);
        if (l->magnetic >= 0) b[d] = sl_restrict(dim, u + (size_t)(l->magnetic + d) * var, step);
    }
    return (sl_real)0.5 * sl_div(sl_square3(m[0], m[1], m[2]), rho) +
           (sl_real)0.5 * sl_square3(b[0], b[1], b[2]);
}

/* Entropy of a cell from its children, of which the first is at u. */
SL_FN sl_real sl_cover_entropy(const struct sl_gas *gas, const struct sl_layout *l, sl_real eta,
                               int dim, const sl_real *u, const ptrdiff_t step[3], size_t var)
{
    const ptrdiff_t side[3] = {1, 2, 4};
    sl_real motion[8], heat[8];
    for (int k = 0; k < 1 << dim; k++) {
        const sl_real *at = u + (k & 1) * step[0] + (k >> 1 & 1) * step[1] + (k >> 2) * step[2];
        motion[k] = sl_energy_of_motion(l, at, var);
        heat[k] = sl_energy_of_entropy(gas, l, at, var);
    }
    sl_real total = sl_restrict(dim, u + (size_t)l->energy * var, step);
    sl_real own = sl_energy_of_mean(l, dim, u, step, var), mean = sl_restrict(dim, motion, side);
    sl_real warm = sl_restrict(dim, heat, side);
    int known = sl_abs((total - mean) - warm) <= (sl_real)0x1p-10 * warm &&
                sl_heat_is_known(gas, eta, total, mean, own);
    return known ? sl_heat_to_entropy(gas, sl_restrict(dim, u, step), total - own)
                 : sl_restrict(dim, u + (size_t)l->entropy * var, step);
}

#endif
