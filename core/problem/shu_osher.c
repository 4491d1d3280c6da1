/* shu_osher.c - a Mach 3 shock runs into a sinusoidal density: fine structure behind a shock.
 *
 * As published (Shu & Osher 1989, example 8): box [-5, 5], fluid.gamma 1.4, outflow, end at t
 * = 1.8, for which the measure compares with a converged profile. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/profile.h"
#include "core/state/problem.h"
#include "core/state/state.h"
#include "core/sys/status.h"

SL_PROBLEM(shu_osher, 0, "Mach 3 shock into a sinusoidal density (Shu & Osher 1989)")
SL_SHOW(shu_osher, "profiles energies", "density", "density_error")
SL_RULE_TUBE(shu_osher)
SL_REAL_KEY(shu_osher_x0, "shu_osher.x0", "-4", -1e30, 1e30, none,
            "place of the shock at the start")
SL_RULE_IDEAL(shu_osher)

static const double converged[] = {
#include "core/exact/shu_osher.def"
};

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    bool behind = 0.5 * (lo[0] + hi[0]) < cfg->shu_osher_x0;
    double wave = (cos(5 * lo[0]) - cos(5 * hi[0])) / (5 * (hi[0] - lo[0]));
    (void)t;
    prim[0] = behind ? 3.857143 : 1 + 0.2 * wave;
    prim[1] = behind ? 2.629369 : 0;
    prim[2] = prim[3] = 0;
    prim[4] = behind ? 10.33333 : 1;
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[5 + i] = !behind;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    (void)data;
    if (fabs(run->time - 1.8) > 1e-9) return SL_OK;
    return sl_profile_measure(run, sizeof converged / sizeof *converged, converged, out);
}

const struct sl_problem sl_problem_shu_osher = {
    .name = "shu_osher",
    .open = sl_problem_keep,
    .close = free,
    .state = state,
    .converged = {1.8, sizeof converged / sizeof *converged, converged},
    .measure = measure};
