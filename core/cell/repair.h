/* repair.h - what a repair does to one cell: whether it is bad, its flag, and the floors.
 *
 * A cell that is bad after a stage is flagged and made again with first-order fluxes, and so are
 * its neighbours, which may be bad then: some rounds of that. What is still bad gets the floors.
 * Where they do not help either, the state before the step comes back.
 *
 * Shapes  a cell whose variables lie stride apart; flags, one value a cell, whose neighbours lie
 *         step[axis] apart
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Lemaster & Stone 2009, section 2 (first-order flux correction)
 * Tests   tests/unit/cell.c, tests/law/positivity.c, tests/gpu/same.c
 */
#ifndef SL_CELL_REPAIR_H
#define SL_CELL_REPAIR_H

#include <stddef.h>

#include "core/cell/eos.h"

SL_FN int sl_repair_is_bad(const struct sl_gas *gas, const struct sl_layout *l, const sl_real *u,
                           size_t stride)
{
    sl_real field = sl_magnetic_energy(l, u, stride);
    return sl_bad_state(gas, sl_gas_of(l, u, stride)) || !(field < (sl_real)HUGE_VAL);
}

SL_FN int sl_repair_is_finite(const struct sl_layout *l, const sl_real *u, size_t stride)
{
    int finite = 1;
    for (int v = 0; v < l->nvar; v++)
        finite &= sl_abs(u[(size_t)v * stride]) < (sl_real)HUGE_VAL;
    return finite;
}

/* 1 for a cell that is bad and not yet flagged, which is flagged now. With constrained transport
 * also for one that is bad with first-order fluxes: the field at its faces is not the one that they
 * make, its energy is to follow. */
SL_FN int sl_repair_flag(const struct sl_gas *gas, const struct sl_layout *l, const sl_real *u,
                         size_t stride, sl_real *flag)
{
    sl_real most = l->face >= 0 ? 2 : 1;
    if (*flag >= most || !sl_repair_is_bad(gas, l, u, stride)) return 0;
    *flag += 1;
    return 1;
}

/* Whether the flux at the face between two cells with these flags is of first order. */
SL_FN int sl_repair_is_safe(sl_real below, sl_real above)
{
    return below > 0 || above > 0;
}

/* Whether a cell or a neighbour across a face is flagged: it has a flux of first order. */
SL_FN int sl_repair_is_near(int dim, const sl_real *flag, const ptrdiff_t step[3])
{
    int near = *flag > 0;
    for (int a = 0; a < dim; a++)
        near = near || sl_repair_is_safe(flag[-step[a]], flag[step[a]]);
    return near;
}

/* Thermal energy not below its floor, nor lost beside the others; keep: that of the cell counts
 * where it is more. */
SL_FN void sl_repair_heat(const struct sl_gas *gas, const struct sl_layout *l, int keep, sl_real *u,
                          size_t stride)
{
    if (l->energy < 0) return;
    struct sl_cons c = sl_gas_of(l, u, stride);
    sl_real field = sl_magnetic_energy(l, u, stride), ratio = gas->gamma - 1;
    sl_real kinetic = (sl_real)0.5 * sl_square3(c.mx, c.my, c.mz) / c.rho;
    sl_real tiny = (sl_real)(sizeof(sl_real) == sizeof(float) ? 0x1p-20 : 0x1p-49);
    sl_real heat = sl_max(gas->p_floor / ratio, tiny * (kinetic + field));
    if (keep) heat = sl_max(c.en - kinetic, heat);
    u[(size_t)l->energy * stride] = (kinetic + heat) + field;
    if (l->entropy >= 0)
        u[(size_t)l->entropy * stride] = sl_pressure_to_entropy(gas, c.rho, ratio * heat);
}

/* Density and pressure at least at their floors; the velocity and the scalars of the old state
 * where there was no mass. */
SL_FN void sl_repair_raise(const struct sl_gas *gas, const struct sl_layout *l, const sl_real *old,
                           sl_real *u, size_t stride)
{
    if (!(u[SL_RHO] > 0)) {
        sl_real least = (sl_real)(sizeof(sl_real) == sizeof(float) ? 0 : 0x1p-1022);
        sl_real rho = sl_max(gas->rho_floor, least);
        for (int v = SL_MX; v < l->nflow; v++)
            if (v <= SL_MZ || v >= l->scalar0)
                u[(size_t)v * stride] = rho * (old[(size_t)v * stride] / old[SL_RHO]);
        u[SL_RHO] = rho;
    }
    sl_repair_heat(gas, l, 1, u, stride);
}

/* What is done to a bad cell in the end. */
SL_FN void sl_repair_floor(const struct sl_gas *gas, const struct sl_layout *l, const sl_real *old,
                           sl_real *u, size_t stride)
{
    if (sl_repair_is_finite(l, u, stride)) sl_repair_raise(gas, l, old, u, stride);
    if (!sl_repair_is_bad(gas, l, u, stride)) return;
    for (int v = 0; v < l->nflow; v++) /* the field at faces belongs to the neighbours, too */
        if (l->face < 0 || v < l->magnetic || v >= l->magnetic + 3)
            u[(size_t)v * stride] = old[(size_t)v * stride];
}

#endif
