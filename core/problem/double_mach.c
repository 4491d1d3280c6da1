/* double_mach.c - a Mach 10 shock meets a wall at 60 degrees (Woodward & Colella 1984).
 *
 * As published: box [0, 4] x [0, 1], fluid.gamma 1.4, boundary [fixed, outflow, fixed, fixed], end
 * at t = 0.2. The bottom is a wall from x = 1/6 on; before it, at the left and along the top the
 * state is the exact one of the undisturbed shock. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/gauss.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(double_mach, 0, "Mach 10 shock on a wall at 60 degrees, 2D (Woodward & Colella 1984)")
SL_SHOW(double_mach, "energies", "density pressure vorticity", "incident_error stem")
SL_RULE_WALLS(double_mach, FREE(fixed), FREE(outflow), FREE(fixed), FREE(fixed), FREE(periodic),
              FREE(periodic))
SL_RULE_IDEAL(double_mach)
SL_RULE_PLANE(double_mach)

static const double foot = 1. / 6, root3 = 1.7320508075688772;

/* Share of the cell behind the shock, whose place at height y is foot + (y + 20 t) / sqrt 3. */
static double share_behind(const double lo[3], const double hi[3], double t)
{
    double x = 0.5 * (lo[0] + hi[0]), y = 0.5 * (lo[1] + hi[1]);
    double hx = 0.5 * (hi[0] - lo[0]), hy = 0.5 * (hi[1] - lo[1]) / root3;
    return sl_gauss_below(fmax(hx, hy), fmin(hx, hy), foot + (y + 20 * t) / root3 - x);
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    const double rho = 8, u = 8.25 * 0.5 * root3, v = -8.25 * 0.5, p = 116.5;
    double g = cfg->fluid_gamma, behind = share_behind(lo, hi, t), ahead = 1 - behind;
    prim[0] = rho * behind + 1.4 * ahead;
    prim[1] = rho * behind * u / prim[0];
    prim[2] = rho * behind * v / prim[0];
    prim[3] = 0;
    double energy = behind * (p / (g - 1) + 0.5 * rho * (u * u + v * v)) + ahead / (g - 1);
    prim[4] = behind == 1 ? p
              : behind == 0
                  ? 1
                  : (g - 1) * (energy - 0.5 * prim[0] * (prim[1] * prim[1] + prim[2] * prim[2]));
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[5 + i] = rho * behind / prim[0];
    if (hi[1] <= cfg->mesh_box[2] && 0.5 * (lo[0] + hi[0]) > foot) prim[0] = 0; /* a wall */
}

/* The last place along a row where the gas is denser than twice the gas ahead. */
static double front(const struct sl_whole *w, int j)
{
    int i = w->n[0] - 1;
    while (i > 0 && sl_whole_at(w, 0, 0, j, i) < 2.8)
        i--;
    return sl_whole_x(w, 0, i) + 0.5 * w->dx[0];
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    struct sl_whole w;
    double most = 0;
    (void)data;
    if (run->mesh->dim != 2) return SL_OK;
    SL_TRY(sl_whole_init(run, &w));
    for (int i = 0; i < w.n[0] * w.n[1]; i++)
        most = fmax(most, w.value[i]);
    double exact = foot + (sl_whole_x(&w, 1, w.n[1] - 1) + 20 * run->time) / root3;
    sl_measure(out, "stem", "x of the Mach stem on the wall", front(&w, 0));
    sl_measure(out, "incident_error",
               "distance of the incident shock along the top from its exact x",
               fabs(front(&w, w.n[1] - 1) - exact));
    sl_measure(out, "densest", "largest density", most);
    sl_whole_release(&w);
    return SL_OK;
}

const struct sl_problem sl_problem_double_mach = {.name = "double_mach",
                                                  .open = sl_problem_keep,
                                                  .close = free,
                                                  .state = state,
                                                  .measure = measure};
