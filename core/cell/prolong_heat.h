/* prolong_heat.h - energy and entropy of new children of a coarse cell, with dual energy (eos.h).
 *
 * A slope of the total energy of cold, fast gas tells nothing of its heat: minmod of the
 * differences is off by half of the second one, as much as the kinetic energy of the motion inside
 * a child, and more than cold gas has of heat. So the children have the heat of their entropy.
 *
 * C is the mean kinetic and magnetic energy of the children, c that of the parent, H the mean heat
 * of the children, E the energy of the parent; C - c is N / 32 (eos.h) where the flow is smooth.
 *
 * Where E tells the parent's heat and E - C is more than 32 (C - c) and eta E, the children share
 * E - C in the ratio of their heat, and energy is kept. Elsewhere it is not: they keep their heat,
 * and each gets what remains, E - C - H, motion that is finer than theirs and heat that is not
 * trusted yet, but no less than zero and no more than (C - c) / 2, which is N / 16 of a child.
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
    int trusted = sl_dual_agrees(gas, l, parent, parent_var) &&
                  !sl_entropy_rules(gas, total, (gas->gamma - 1) * left, eta) &&
                  mean - own < (sl_real)0x1p-5 * left;
    sl_real factor = trusted ? sl_div(left, warm) : 1;
    sl_real more = trusted ? 0 : sl_max(0, sl_min(left - warm, (sl_real)0.5 * (mean - own)));
    for (int k = 0; k < 1 << dim; k++) {
        sl_real *at = sl_child_at(u, step, k);
        at[(size_t)l->energy * var] = (motion[k] + heat[k] * factor) + more;
        at[(size_t)l->entropy * var] *= factor;
    }
}

#endif
