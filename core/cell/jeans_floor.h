/* jeans_floor.h - a floor of the pressure of a cell, such that its Jeans length, c sqrt(pi / (G
 * rho)), has at least so many cells: what falls together beyond that would break up by the mesh
 * alone.
 *
 * Shapes  one cell
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Truelove et al. 1997; Machacek, Bryan & Abel 2001
 * Tests   tests/law/jeans_floor.c
 */
#ifndef SL_CELL_JEANS_FLOOR_H
#define SL_CELL_JEANS_FLOOR_H

#include "core/cell/source.h"

struct sl_jeans_floor {
    double cells, four_pi_g;
};

/* The heat that a cell lacks. */
SL_FN double sl_jeans_floor_lack(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    const struct sl_jeans_floor *w = (const struct sl_jeans_floor *)args;
    const double two_pi = 6.283185307179586;
    double widest = at->dx[0], gamma = (double)at->gas.gamma;
    for (int d = 1; d < at->dim; d++)
        widest = fmax(widest, at->dx[d]);
    double x = w->cells * widest * (double)u[0] / two_pi;
    double lack = w->four_pi_g * x * x / gamma - (double)sl_source_prim(at, u).p;
    return lack > 0 ? lack / (gamma - 1) : 0;
}

/* Gives it that, and tells it. */
SL_FN double sl_jeans_floor_raise(const void *args, const struct sl_source_cell *at, sl_real *u)
{
    double lack = sl_jeans_floor_lack(args, at, u);
    if (!(lack > 0)) return 0;
    sl_real p = sl_source_prim(at, u).p + (at->gas.gamma - 1) * (sl_real)lack;
    sl_source_set_pressure(at, u, p, (sl_real)-lack);
    return lack;
}

#endif
