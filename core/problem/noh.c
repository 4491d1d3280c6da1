/* noh.c - cold gas runs into a wall, an axis or a point at unit speed (Noh 1987): a strong shock of
 * constant speed moves out through gas that geometry compresses. The exact solution is known in 1D,
 * 2D and 3D; every code heats the wall too much.
 *
 * An octant: box from 0, reflecting at 0 and fixed (the exact inflow) outside, fluid.gamma 5/3, end
 * at t = 2. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(noh, 0, "cold gas runs into a wall, an axis or a point (Noh 1987); exact solution")
SL_SHOW(noh, "radial profiles error", "density pressure", "relative_l1")
SL_RULE_WALLS(noh, inflow_at(cfg, 0), inflow_at(cfg, 1), inflow_at(cfg, 2), inflow_at(cfg, 3),
              inflow_at(cfg, 4), inflow_at(cfg, 5))
SL_RULE_EXACT(noh)
SL_REAL_KEY(
    noh_pressure, "noh.pressure", "1e-6", 1e-30, 1, none,
    "pressure of the gas at the start, where density and speed are 1; the exact solution has none")
SL_RULE_IDEAL(noh)

enum { POINTS = 4 }; /* along each axis of a cell */

static double shock_at(const struct sl_config *cfg, double t)
{
    return 0.5 * (cfg->fluid_gamma - 1) * t;
}

static double compressed(const struct sl_config *cfg)
{
    return pow((cfg->fluid_gamma + 1) / (cfg->fluid_gamma - 1), cfg->mesh_cells_n);
}

/* Adds density and momentum at x to sum[0..3], and counts x in sum[4] where it lies before the
 * shock. */
static void add(const struct sl_config *cfg, const double x[3], double t, double sum[5])
{
    double r = 0, rho = 1;
    int dim = cfg->mesh_cells_n;
    for (int i = 0; i < dim; i++)
        r += x[i] * x[i];
    r = sqrt(r);
    if (r < shock_at(cfg, t)) {
        sum[0] += compressed(cfg);
        return;
    }
    for (int i = 1; i < dim; i++)
        rho *= 1 + t / r;
    for (int i = 0; i < dim; i++)
        sum[1 + i] -= r > 0 ? rho * x[i] / r : 0;
    sum[0] += rho;
    sum[4]++;
}

/* Energy, half of the density on both sides of the shock, is averaged but for the pressure before
 * it, which is that of the average density: a pressure that small needs no more. */
static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    int dim = cfg->mesh_cells_n, n = 1;
    double sum[5] = {0}, g = cfg->fluid_gamma, kinetic = 0;
    for (int i = 0; i < dim; i++)
        n *= POINTS;
    for (int p = 0; p < n; p++) {
        const int at[3] = {p % POINTS, p / POINTS % POINTS, p / POINTS / POINTS};
        double x[3] = {0};
        for (int i = 0; i < dim; i++)
            x[i] = lo[i] + (at[i] + 0.5) / POINTS * (hi[i] - lo[i]);
        add(cfg, x, t, sum);
    }
    prim[0] = sum[0] / n;
    for (int i = 1; i < 4; i++) {
        prim[i] = sum[i] / sum[0];
        kinetic += 0.5 * prim[0] * prim[i] * prim[i];
    }
    prim[4] =
        (g - 1) * (0.5 * prim[0] - kinetic) + sum[4] / n * cfg->noh_pressure * pow(prim[0], g);
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[5 + i] = 1;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct sl_config *cfg = data;
    struct sl_whole w;
    double mass = 0, cells = 0, hot = 0, shock = shock_at(cfg, run->time), post = compressed(cfg);
    if (run->time <= 0) return SL_OK;
    SL_TRY(sl_whole_init(run, &w));
    for (int k = 0; k < w.n[2]; k++)
        for (int j = 0; j < w.n[1]; j++)
            for (int i = 0; i < w.n[0]; i++) {
                const int at[3] = {i, j, k};
                double r = 0;
                for (int a = 0; a < run->mesh->dim; a++)
                    r += pow(sl_whole_x(&w, a, at[a]) / shock, 2);
                r = sqrt(r);
                if (r > 0.3 && r < 0.8) mass += sl_whole_at(&w, 0, k, j, i), cells++;
                hot += sl_whole_at(&w, 4, k, j, i) > 0.25 * (cfg->fluid_gamma - 1) * post;
            }
    const double ball[] = {0, 1, 0.78539816339744831, 0.52359877559829887}; /* in an octant */
    for (int a = 0; a < run->mesh->dim; a++)
        hot *= w.dx[a];
    sl_whole_release(&w);
    if (cells > 0)
        sl_measure(out, "plateau_error",
                   "relative error of the mean density between 0.3 and 0.8 radii of the shock",
                   fabs(mass / cells / post - 1));
    double radius = pow(hot / ball[run->mesh->dim], 1.0 / run->mesh->dim);
    sl_measure(out, "shock_error",
               "relative error of the radius of the shock, that of the ball which the gas above "
               "half the pressure fills",
               fabs(radius / shock - 1));
    return SL_OK;
}

const struct sl_problem sl_problem_noh = {.name = "noh",
                                          .exact = true,
                                          .open = sl_problem_keep,
                                          .close = free,
                                          .state = state,
                                          .measure = measure};
