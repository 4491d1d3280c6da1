/* hubble_flow.c - cold gas that expands as the universe does, v = rate (x - middle) / (1 + rate t),
 * far faster than sound: it cools adiabatically, and what heats it is an error of the scheme, or of
 * levels that come and go.
 *
 * Density is 1 at the start. Usual: box [0, 1], boundary fixed, fluid.dual_energy.
 *
 * Refs  Bryan et al. 1995 (dual energy) */
#include <math.h>
#include <stdlib.h>

#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(hubble_flow, 0, "cold gas that expands with Mach numbers of a thousand; exact solution")
SL_SHOW(hubble_flow, "profiles error", "temperature speed", "heating")
SL_RULE_WALLS(hubble_flow, WALL(fixed), WALL(fixed), WALL(fixed), WALL(fixed), WALL(fixed),
              WALL(fixed))
SL_RULE_EXACT(hubble_flow)
SL_REAL_KEY(
    hubble_flow_rate, "hubble_flow.rate", "1", -1e30, 1e30, none,
    "velocity over distance from the middle of the box, at the start; gas runs together where "
    "it is less than zero")
SL_REAL_KEY(hubble_flow_pressure, "hubble_flow.pressure", "1e-7", 1e-30, 1e30, none,
            "pressure at the start")
SL_RULE_IDEAL(hubble_flow)
SL_RULE(hubble_flow, time_end, 1 + cfg->hubble_flow_rate * cfg->time_end > 0,
        "%g: all gas is in the middle before that; nearest: %g", cfg->time_end,
        -0.9 / cfg->hubble_flow_rate)

static double stretch(const struct sl_config *cfg, double t)
{
    return 1 + cfg->hubble_flow_rate * t;
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double a = stretch(cfg, t), rho = 1;
    for (int d = 0; d < cfg->mesh_cells_n; d++) {
        double middle = 0.5 * (cfg->mesh_box[2 * d] + cfg->mesh_box[2 * d + 1]);
        prim[1 + d] = cfg->hubble_flow_rate * (0.5 * (lo[d] + hi[d]) - middle) / a;
        rho /= a;
    }
    prim[0] = rho;
    prim[4] = cfg->hubble_flow_pressure * pow(rho, cfg->fluid_gamma);
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

/* Largest difference of p / rho from its exact value, over that. */
static double heating(const struct sl_whole *w, double exact)
{
    double worst = 0;
    for (int k = 0; k < w->n[2]; k++)
        for (int j = 0; j < w->n[1]; j++)
            for (int i = 0; i < w->n[0]; i++) {
                double t = sl_whole_at(w, 4, k, j, i) / sl_whole_at(w, 0, k, j, i);
                worst = fmax(worst, fabs(t / exact - 1));
            }
    return worst;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct sl_config *cfg = data;
    struct sl_whole w;
    double cooled = pow(stretch(cfg, run->time), -cfg->mesh_cells_n * (cfg->fluid_gamma - 1));
    SL_TRY(sl_whole_init(run, &w));
    double worst = heating(&w, cfg->hubble_flow_pressure * cooled);
    sl_whole_release(&w);
    sl_measure(out, "heating",
               "largest difference of the temperature of a cell from that of adiabatic gas, over "
               "that; exact: 0",
               worst);
    return SL_OK;
}

const struct sl_problem sl_problem_hubble_flow = {.name = "hubble_flow",
                                                  .exact = true,
                                                  .open = sl_problem_keep,
                                                  .close = free,
                                                  .state = state,
                                                  .measure = measure};
