/* flux_register.h - fluxes through sides of blocks that a backend keeps, for the correction at
 * faces where refinement changes.
 *
 * Of each variable that flows, but for a field at faces (0 there): what went through an area of one
 * in a step, so that
 *   u(after) - u(before) = - sum over the axes of (upper - lower) / dx
 * in each cell that nothing but fluxes changed. First-order fluxes of repairs are in it; floors,
 * kicks, damping, what dual energy sets and the heat that a repair with constrained transport adds
 * are not.
 *
 * Shapes  for each side [variable][faces along the later axis][along the earlier one], of interior
 *         cells
 * Units   code units: those of the variable times a length
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Berger & Colella 1989, section 3; Shu & Osher 1988 (what of each stage is in a step)
 * Tests   tests/law/register.c, tests/gpu/flux_register.c
 */
#ifndef SL_TRANSFER_FLUX_REGISTER_H
#define SL_TRANSFER_FLUX_REGISTER_H

#include <stddef.h>

#include "core/cell/fn.h"
#include "core/mesh/nest.h"

/* Faces of a side across an axis. */
SL_FN size_t sl_flux_register_faces(const int n[3], int axis)
{
    return (size_t)n[axis == 0] * (size_t)n[axis == 2 ? 1 : 2];
}

/* Assigns each side its offset in the register and returns the length of the register in values. */
static inline size_t sl_flux_register_assign(const int n[3], int nflow,
                                             struct sl_flux_register_side *side, int count)
{
    size_t values = 0;
    for (int i = 0; i < count; i++) {
        side[i].start = values;
        values += (size_t)nflow * sl_flux_register_faces(n, side[i].axis);
    }
    return values;
}

#endif
