/* update.h - the new values of a cell from its fluxes, and what a constant acceleration adds to
 * them: momentum with the density, work with the mass that crosses the faces, so that the sum of
 * thermal, kinetic and potential energy is conserved.
 *
 * Shapes  one variable of a cell, or a cell whose variables lie stride apart
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Gottlieb & Shu 1998 (stages as blends of Euler steps)
 * Tests   tests/law/order.c, tests/law/conservation.c, tests/law/gravity.c, tests/unit/cell.c,
 *         tests/gpu/same.c
 */
#ifndef SL_CELL_UPDATE_H
#define SL_CELL_UPDATE_H

#include <stddef.h>

#include "core/cell/drive.h"
#include "core/cell/state.h"

/* From the state u of a stage and the old state u0, which has no part in it where b is 1; d: what
 * the fluxes take away in dt. */
SL_FN sl_real sl_update(sl_real b, sl_real u0, sl_real u, sl_real d)
{
    return b == 1 ? u - d : u0 + b * ((u - d) - u0);
}

/* Density after half a step, as the fluxes of mass across an axis have it. */
SL_FN sl_real sl_update_half_density(sl_real rho, sl_real dt_dx, sl_real low, sl_real high)
{
    return rho - (sl_real)0.5 * dt_dx * (high - low);
}

/* kick: the velocity that the acceleration g gives in the share b of dt. */
SL_FN sl_real sl_update_kick(sl_real b, sl_real dt, sl_real g)
{
    return b * dt * g;
}

/* What that adds to the momentum and to the energy; low, high: fluxes of mass. */
SL_FN sl_real sl_update_impulse(sl_real kick, sl_real rho)
{
    return kick * rho;
}

SL_FN sl_real sl_update_work(sl_real kick, sl_real low, sl_real high)
{
    return kick * ((sl_real)0.5 * (low + high));
}

/* Adds both to the cell at u; mass: the fluxes at its lower and upper face. */
SL_FN void sl_update_gravity(const struct sl_layout *l, int axis, sl_real kick, sl_real rho,
                             const sl_real mass[2], sl_real *u, size_t stride)
{
    u[(size_t)(SL_MX + axis) * stride] += sl_update_impulse(kick, rho);
    if (l->energy >= 0) u[(size_t)l->energy * stride] += sl_update_work(kick, mass[0], mass[1]);
}

/* Where there are no fluxes, in the half-way state of a sweep: the energy that it brings to the
 * momentum, so that the heat stays. */
SL_FN void sl_update_half_gravity(const struct sl_layout *l, int axis, sl_real kick, sl_real *u,
                                  size_t stride)
{
    sl_real rho = u[SL_RHO], *m = u + (size_t)(SL_MX + axis) * stride;
    if (l->energy >= 0) u[(size_t)l->energy * stride] += sl_drive_work(rho, *m, kick);
    *m += sl_update_impulse(kick, rho);
}

#endif
