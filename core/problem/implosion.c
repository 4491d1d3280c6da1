/* implosion.c - a square diamond of thin gas collapses in a box with walls (Liska & Wendroff 2003,
 * section 4.7): a jet runs along the diagonal as long as x and y stay alike.
 *
 * As published: box [0, 0.3]^2, fluid.gamma 1.4, reflecting, end at t = 2.5. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/gauss.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(implosion, 0, "collapse of a diamond of thin gas, 2D (Liska & Wendroff 2003)")
SL_SHOW(implosion, "energies", "density pressure vorticity", "asymmetry")
SL_RULE_WALLS(implosion, solid(cfg), solid(cfg), solid(cfg), solid(cfg), solid(cfg), solid(cfg))
SL_RULE_IDEAL(implosion)
SL_RULE_PLANE(implosion)

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double hx = 0.5 * (hi[0] - lo[0]), hy = 0.5 * (hi[1] - lo[1]);
    double s = 0.15 - 0.5 * ((lo[0] + lo[1]) + (hi[0] + hi[1]));
    double thin = fabs(s) < 1e-6 * (hx + hy) ? 0.5 : sl_gauss_below(fmax(hx, hy), fmin(hx, hy), s);
    (void)t;
    prim[0] = 1 - 0.875 * thin;
    prim[1] = prim[2] = prim[3] = 0;
    prim[4] = 1 - 0.86 * thin;
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[5 + i] = 0.125 * thin / prim[0];
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    struct sl_whole w;
    double worst = 0;
    (void)data;
    if (run->mesh->dim != 2) return SL_OK;
    SL_TRY(sl_whole_init(run, &w));
    for (int j = 0; j < w.n[1] && w.n[0] == w.n[1]; j++)
        for (int i = 0; i < j; i++) {
            double a = sl_whole_at(&w, 0, 0, j, i), b = sl_whole_at(&w, 0, 0, i, j);
            worst = fmax(worst, 2 * fabs(a - b) / (a + b));
        }
    sl_measure(
        out, "asymmetry",
        "largest relative difference of the density from its mirror image at the diagonal x = y",
        worst);
    sl_whole_release(&w);
    return SL_OK;
}

const struct sl_problem sl_problem_implosion = {.name = "implosion",
                                                .open = sl_problem_keep,
                                                .close = free,
                                                .state = state,
                                                .measure = measure};
