/* bubble.c - a ball of light or heavy gas in a uniform stream, in pressure equilibrium: the first
 * moments of a cloud in a wind.
 *
 * Refs  none */
#include <stdlib.h>

#include "core/state/problem.h"

SL_PROBLEM(bubble, 0, "a ball of other density in a uniform stream along x")
SL_REAL_KEY(bubble_density, "bubble.density", "0.1", 1e-9, 1e9, none,
            "density of the ball over that around it")
SL_REAL_KEY(bubble_radius, "bubble.radius", "0.1", 1e-30, 1e30, none,
            "radius of the ball, whose centre is that of the box")
SL_REAL_KEY(bubble_wind, "bubble.wind", "0.5", -1e30, 1e30, none,
            "velocity along x of the gas around it")
SL_RULE_IDEAL(bubble)
SL_RULE_UNKNOWN(bubble)

/* Cell averages: half of a cell that the surface cuts is taken by its centre. */
static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double r2 = 0;
    (void)t;
    for (int d = 0; d < cfg->mesh_cells_n; d++) {
        double centre = 0.5 * (cfg->mesh_box[2 * d] + cfg->mesh_box[2 * d + 1]);
        double x = 0.5 * (lo[d] + hi[d]) - centre;
        r2 += x * x;
    }
    bool inside = r2 < cfg->bubble_radius * cfg->bubble_radius;
    prim[0] = inside ? cfg->bubble_density : 1;
    prim[1] = inside ? 0 : cfg->bubble_wind;
    prim[2] = prim[3] = 0;
    prim[4] = 1 / cfg->fluid_gamma; /* sound speed 1 around it */
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = inside;
}

const struct sl_problem sl_problem_bubble = {
    .name = "bubble", .open = sl_problem_keep, .close = free, .state = state};
