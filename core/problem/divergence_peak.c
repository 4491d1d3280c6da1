/* divergence_peak.c - a field that has a divergence at the start, to see it leave (Dedner et al.
 * 2002, section 5.1).
 *
 * As published: box [-0.5, 1.5]^2, periodic, fluid.gamma 5/3. The divergence stands in the history
 * columns divergence_max and divergence_mean. */
#include <math.h>
#include <stdlib.h>

#include "core/state/problem.h"

SL_PROBLEM(divergence_peak, 0, "peak of B_x with div B, carried along, 2D (Dedner et al. 2002)")
SL_SHOW(divergence_peak, "energies", "magnetic_x pressure", "divergence_max")
SL_RULE_UNKNOWN(divergence_peak)
SL_RULE_FIELD(divergence_peak)
SL_RULE_IDEAL(divergence_peak)
SL_RULE_PLANE(divergence_peak)

static const double pi = 3.14159265358979323846;

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double x = 0.5 * (lo[0] + hi[0]), y = 0.5 * (lo[1] + hi[1]);
    double s = 8 * (x * x + y * y), b0 = 1 / sqrt(4 * pi); /* (r / r0)^2, r0 = 1 / sqrt 8 */
    (void)t;
    prim[0] = 1;
    prim[1] = prim[2] = 1;
    prim[3] = 0;
    prim[4] = 6;
    prim[SL_PRIM_B] = s < 1 ? b0 * (s * s - 2 * s + 1) : 0;
    prim[SL_PRIM_B + 1] = 0;
    prim[SL_PRIM_B + 2] = b0;
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = s < 1;
}

const struct sl_problem sl_problem_divergence_peak = {
    .name = "divergence_peak", .open = sl_problem_keep, .close = free, .state = state};
