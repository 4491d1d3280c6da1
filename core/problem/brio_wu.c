/* brio_wu.c - the shock tube of MHD of Brio & Wu 1988, with its compound wave.
 *
 * As published: fluid.gamma 2, box [-0.5, 0.5], outflow, end at t = 0.1, for which the measure
 * density_error compares with a converged profile. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/profile.h"
#include "core/state/problem.h"
#include "core/state/state.h"
#include "core/sys/status.h"

SL_PROBLEM(brio_wu, 0, "MHD shock tube with a compound wave (Brio & Wu 1988)")
SL_SHOW(brio_wu, "profiles energies", "density", "density_error")
SL_RULE_TUBE(brio_wu)
SL_REAL_KEY(brio_wu_x0, "brio_wu.x0", "0", -1e30, 1e30, none, "place of the diaphragm")
SL_RULE_FIELD(brio_wu)
SL_RULE_IDEAL(brio_wu)

static const double converged[] = {
#include "core/exact/brio_wu.def"
};

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    bool left = 0.5 * (lo[0] + hi[0]) < cfg->brio_wu_x0;
    (void)t;
    prim[0] = left ? 1 : 0.125;
    prim[1] = prim[2] = prim[3] = 0;
    prim[4] = left ? 1 : 0.1;
    prim[SL_PRIM_B] = 0.75;
    prim[SL_PRIM_B + 1] = left ? 1 : -1;
    prim[SL_PRIM_B + 2] = 0;
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = !left;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct sl_config *cfg = data;
    if (fabs(run->time - 0.1) > 1e-9 || cfg->brio_wu_x0 != 0) return SL_OK;
    return sl_profile_measure(run, sizeof converged / sizeof *converged, converged, out);
}

const struct sl_problem sl_problem_brio_wu = {
    .name = "brio_wu",
    .open = sl_problem_keep,
    .close = free,
    .state = state,
    .converged = {0.1, sizeof converged / sizeof *converged, converged},
    .measure = measure};
