/* super_step.h - super time steps of diffusion (diffusion.*): how many stages one takes, for the
 * source and for plans.
 *
 * RKL2 of s stages is of second order and stable for (s^2 + s - 2) / 4 times the explicit limit of
 * the step, which is 2 over the largest eigenvalue of the operator.
 *
 * Shapes  none
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Meyer, Balsara & Aslam 2014, section 2.2
 * Tests   tests/law/diffusion.c, tests/unit/plan.c
 */
#ifndef SL_CONFIG_SUPER_STEP_H
#define SL_CONFIG_SUPER_STEP_H

#include <math.h>

#include "core/config/config.h"

/* Of a half step; where it would take more, the step of the gas is shortened. */
enum { SL_SUPER_STAGES_MAX = 101 };

/* Over the explicit limit. */
static inline double sl_super_reach(int stages)
{
    return 0.25 * ((double)stages * stages + stages - 2);
}

/* The least odd number of stages that is enough: at the limit even polynomials do not damp the
 * shortest waves. Of short steps two, which for a linear operator are the rule of Heun. */
static inline int sl_super_stages(double dt, double explicit_limit)
{
    int s = dt <= 0.5 * explicit_limit ? 2 : 3;
    while (s < SL_SUPER_STAGES_MAX && sl_super_reach(s) * explicit_limit < dt)
        s += 2;
    return s;
}

/* Explicit limit on the root grid of the recipe. */
static inline double sl_super_explicit_limit(const struct sl_config *cfg)
{
    double sum = 0, fastest = fmax(4.0 / 3 * cfg->diffusion_viscosity, cfg->diffusion_resistivity);
    fastest = fmax(fastest, (cfg->fluid_gamma - 1) * cfg->diffusion_heat);
    for (int d = 0; d < cfg->mesh_cells_n; d++)
        sum +=
            pow((double)cfg->mesh_cells[d] / (cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d]), 2);
    return 0.5 / (fastest * sum);
}

#endif
