/* relax.h - relaxing TVD fluxes at a face (Jin & Xin 1995; Trac & Pen 2003): each variable u with
 * flux f moves as two parts, (c u + f) / 2 to the right and (c u - f) / 2 to the left, at the
 * frozen speed c of the cell, and each part is carried upwind with a limited slope.
 *
 * Passive scalars go with the mass.
 *
 * No characteristic waves and no Riemann solver: robust and cheap, but contacts spread even at
 * rest, as c jumps there. Swapping the sides and the sign of f gives the mirrored flux to the bit.
 *
 * Shapes  one face: right and left parts of the cells around it
 * Units   those of the flux
 * Errors  none: a bad state gives a bad flux, which the step finds in the cell
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Schive, Tsai & Chiueh 2010, equations 7-14
 * Tests   tests/unit/cell.c, tests/law/tvd.c
 */
#ifndef SL_CELL_RELAX_H
#define SL_CELL_RELAX_H

#include "core/cell/eos.h"
#include "core/cell/reconstruct.h"

enum { SL_RELAX_GHOSTS = 3 }; /* one for the half step, two for the limited fluxes */

SL_FN sl_real sl_relax_speed(const struct sl_gas *gas, struct sl_prim w)
{
    return sl_abs(w.u) + sl_sound_speed(gas, w.rho, w.p);
}

SL_FN sl_real sl_relax_right(sl_real c, sl_real u, sl_real f)
{
    return (sl_real)0.5 * (c * u + f);
}

SL_FN sl_real sl_relax_left(sl_real c, sl_real u, sl_real f)
{
    return (sl_real)0.5 * (c * u - f);
}

/* First order, from the cells below and above the face. */
SL_FN sl_real sl_relax_upwind(sl_real right, sl_real left)
{
    return right - left;
}

/* Second order: right parts of the two cells below the face and the one above, left parts of the
 * one below and the two above. */
SL_FN sl_real sl_relax_limited(sl_real r0, sl_real r1, sl_real r2, sl_real l1, sl_real l2,
                               sl_real l3)
{
    return (r1 + sl_slope_vanleer(0, r1 - r0, r2 - r1)) -
           (l2 - sl_slope_vanleer(0, l2 - l1, l3 - l2));
}

/* A passive scalar is no variable of its own: parts at the speed of sound would take it out of [0,
 * 1]. Its fraction x of the mass goes with the flux of mass, from the side that this comes from:
 * first the cell before the face, then the one after it. */
SL_FN sl_real sl_relax_carried(sl_real mass, sl_real x1, sl_real x2)
{
    return mass * (mass > 0 ? x1 : x2);
}

/* Second order, from two cells at both sides of the face at the beginning of the step: the mean of
 * what leaves the cell in the step, part of its mass, has its slope's place (Lax & Wendroff 1960).
 * So x stays between those of its neighbours where no more than its mass leaves a cell. part: flux
 * of mass over the step through a face, over the mass of the cell before, and after it. */
SL_FN sl_real sl_relax_carried_limited(sl_real mass, sl_real part1, sl_real part2, sl_real x0,
                                       sl_real x1, sl_real x2, sl_real x3)
{
    sl_real before = sl_max(0, 1 - part1), after = sl_max(0, 1 + part2);
    return sl_relax_carried(mass, x1 + before * sl_slope_vanleer(0, x1 - x0, x2 - x1),
                            x2 - after * sl_slope_vanleer(0, x2 - x1, x3 - x2));
}

#endif
