/* kick.h - a sudden change of the velocities of a row of cells, as a force acts over a short time:
 * the energy changes by exactly what the kinetic energy does, so that the heat of the gas stays.
 *
 * Shapes  u: a row of a block whose variables lie `var` apart; a[component][n]
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Strang 1968
 * Tests   tests/law/drive.c, tests/law/self_gravity.c
 */
#ifndef SL_STEP_KICK_H
#define SL_STEP_KICK_H

#include <stddef.h>

#include "core/cell/state.h"

/* v += lambda (a - mean). given[n]: what that gives to the energy is added to it, too; NULL: it is
 * not wanted. */
struct sl_kick {
    sl_real lambda, mean[3];
};
void sl_kick_row(const struct sl_kick *kick, const struct sl_layout *layout, size_t var, int n,
                 const sl_real *a, sl_real *u, sl_real *given);

/* A kick of size a dt adds to the fastest signal, which crosses the share cfl of a cell in dt: 1 /
 * dt = 1 / dt_0 + square dt, square = a / (cfl dx). Gas at rest without pressure falls through half
 * that share. */
double sl_kick_limit(double dt, double square);

#endif
