/* vortex.c - an isentropic vortex, at rest or carried along: smooth flow that stays as it is, so
 * that what it loses is the error of the scheme (Shu 1998; Yee, Sandham & Djomehri 1999).
 *
 * As published: box [-5, 5]^2, periodic, gamma 1.4, strength 5, carried along the diagonal with
 * velocity (1, 1), which brings it back at t = 10. At strength 9 the fastest gas has Mach 2.3.
 *
 * With r the distance from the centre, u = strength / (2 pi) exp((1 - r^2) / 2) (-y, x), p / rho =
 * 1 - (gamma - 1) strength^2 / (8 gamma pi^2) exp(1 - r^2), and p = rho^gamma. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/gauss.h"
#include "core/state/problem.h"

SL_PROBLEM(vortex, 0, "isentropic vortex, at rest or carried along, 2D; exact solution (Shu 1998)")
SL_SHOW(vortex, "energies error", "density vorticity speed", "relative_l1")
SL_RULE_EXACT(vortex)
SL_REAL_KEY(vortex_strength, "vortex.strength", "5", 0, 1e3, none,
            "the fastest gas, at a distance of 1 from the centre, turns with strength / (2 pi)")
SL_REALS_KEY(vortex_velocity, "vortex.velocity", "[1, 1]", 2, -1e30, 1e30, none,
             "velocity with which the vortex is carried along")
SL_RULE_IDEAL(vortex)
SL_RULE_PLANE(vortex)
SL_RULE(vortex, mesh_boundary, periodic(cfg), "the vortex needs a periodic box; nearest: periodic")
SL_RULE(vortex, vortex_strength,
        cfg->vortex_strength * cfg->vortex_strength * (cfg->fluid_gamma - 1) <
            29 * cfg->fluid_gamma,
        "no pressure would be left at the centre; nearest: %.3g",
        sqrt(29 * cfg->fluid_gamma / (cfg->fluid_gamma - 1)))

/* The distance from the centre of the vortex along an axis, across the walls of the box. */
static double from_centre(const struct sl_config *cfg, int axis, double x, double t)
{
    double lo = cfg->mesh_box[2 * axis], size = cfg->mesh_box[2 * axis + 1] - lo;
    double d = x - (lo + 0.5 * size) - cfg->vortex_velocity[axis] * t;
    return d - size * round(d / size);
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    const double pi = acos(-1), g = cfg->fluid_gamma, turn = cfg->vortex_strength / (2 * pi);
    double rho = 0, m[2] = {0, 0}, energy = 0;
    struct sl_gauss gauss;
    sl_gauss_init(&gauss, 4);
    for (int j = 0; j < gauss.n; j++)
        for (int i = 0; i < gauss.n; i++) {
            double x = from_centre(cfg, 0, lo[0] + gauss.x[i] * (hi[0] - lo[0]), t);
            double y = from_centre(cfg, 1, lo[1] + gauss.x[j] * (hi[1] - lo[1]), t);
            double w = gauss.w[i] * gauss.w[j], fall = exp(1 - x * x - y * y);
            double d = pow(1 - (g - 1) / (2 * g) * turn * turn * fall, 1 / (g - 1));
            double u = cfg->vortex_velocity[0] - turn * sqrt(fall) * y;
            double v = cfg->vortex_velocity[1] + turn * sqrt(fall) * x;
            rho += w * d;
            m[0] += w * d * u;
            m[1] += w * d * v;
            energy += w * (pow(d, g) / (g - 1) + 0.5 * d * (u * u + v * v));
        }
    prim[0] = rho;
    prim[1] = m[0] / rho;
    prim[2] = m[1] / rho;
    prim[3] = 0;
    prim[4] = (g - 1) * (energy - 0.5 * (m[0] * m[0] + m[1] * m[1]) / rho);
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = rho < 0.9;
}

const struct sl_problem sl_problem_vortex = {
    .name = "vortex", .exact = true, .open = sl_problem_keep, .close = free, .state = state};
