/* collapse.h - how fast the gas of a cell falls together, and how large it must be to do so: its
 * density, of which the free-fall time is sqrt(3 pi / (32 G rho)), and the square of its Jeans wave
 * number, 4 pi G rho / c^2.
 *
 * Shapes  one cell
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Jeans 1902; Truelove et al. 1997
 * Tests   tests/cli/gravity.sh
 */
#ifndef SL_CELL_COLLAPSE_H
#define SL_CELL_COLLAPSE_H

#include "core/cell/source.h"

SL_FN double sl_collapse_density(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    (void)args;
    (void)at;
    return (double)u[0];
}

/* The square of the Jeans wave number over 4 pi G. */
SL_FN double sl_collapse_jeans(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    struct sl_prim w = sl_source_prim(at, u);
    double sound = (double)sl_sound_speed(&at->gas, w.rho, w.p);
    (void)args;
    return (double)w.rho / (sound * sound);
}

#endif
