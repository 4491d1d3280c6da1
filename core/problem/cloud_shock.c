/* cloud_shock.c - a plane shock runs over a dense cloud at rest, in 2D (a cylinder) or 3D.
 *
 * The gas ahead has density 1 and pressure 1, the cloud has the same pressure and a radius of 1
 * with its centre at the origin. Usual: box [-3, 7] x [-2.5, 2.5]^2, boundary [fixed, outflow],
 * fluid.gamma 5/3, end after a few cloud-crushing times sqrt(contrast) / speed of the shock, which
 * is the unit "crossing". A magnetic field lies along the path of the shock, which leaves it as it
 * is.
 *
 * What is measured of the gas of the cloud needs fluid.scalars 1, which marks it.
 *
 * Refs  Klein, McKee & Colella 1994, section 2; Mac Low et al. 1994 (with a field); Wang, Abel &
 *       Kaehler 2010, section 7 (there with refinement) */
#include <math.h>
#include <stdlib.h>

#include "core/exact/tracer.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(cloud_shock, 0, "a shock runs over a dense cloud, 2D or 3D, without or with a field")
SL_SHOW(cloud_shock, "energies", "density pressure vorticity magnetic", "cloud_velocity mixing")
SL_RULE_WALLS(cloud_shock, FREE(fixed), FREE(outflow), FREE(outflow), FREE(outflow), FREE(outflow),
              FREE(outflow))
SL_REAL_KEY(cloud_shock_mach, "cloud_shock.mach", "10", 1.01, 1e6, none, "Mach number of the shock")
SL_REAL_KEY(cloud_shock_contrast, "cloud_shock.contrast", "10", 1e-6, 1e6, none,
            "density of the cloud over that around it")
SL_REAL_KEY(cloud_shock_beta, "cloud_shock.beta", "0", 0, 1e30, none,
            "pressure of the gas ahead over that of the magnetic field (MHD); 0: no field")
SL_REAL_KEY(cloud_shock_x0, "cloud_shock.x0", "-2", -1e30, 1e30, none,
            "place of the shock at the start")
SL_RULE_IDEAL(cloud_shock)
SL_RULE_PLANE(cloud_shock)
SL_RULE(cloud_shock, fluid_mhd, cfg->fluid_mhd != SL_MHD_none || cfg->cloud_shock_beta == 0,
        "cloud_shock.beta needs a magnetic field; nearest: glm or ct")

static double shock_speed(const struct sl_config *cfg)
{
    return cfg->cloud_shock_mach * sqrt(cfg->fluid_gamma);
}

/* Share of the cell that the cloud fills, from 8 points along each axis. */
static double share(int dim, const double lo[3], const double hi[3])
{
    enum { N = 8 };
    int inside = 0, all = 0, nk = dim > 2 ? N : 1;
    for (int k = 0; k < nk; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++) {
                double x = lo[0] + (i + 0.5) / N * (hi[0] - lo[0]);
                double y = lo[1] + (j + 0.5) / N * (hi[1] - lo[1]);
                double z = dim > 2 ? lo[2] + (k + 0.5) / N * (hi[2] - lo[2]) : 0;
                inside += x * x + (y * y + z * z) < 1;
                all++;
            }
    return (double)inside / all;
}

/* Behind the shock: Rankine-Hugoniot, the gas ahead at rest. */
static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double g = cfg->fluid_gamma, m2 = cfg->cloud_shock_mach * cfg->cloud_shock_mach;
    bool behind = 0.5 * (lo[0] + hi[0]) < cfg->cloud_shock_x0 + shock_speed(cfg) * t;
    double cloud = behind ? 0 : share(cfg->mesh_cells_n, lo, hi);
    double jump = (g + 1) * m2 / ((g - 1) * m2 + 2);
    prim[0] = behind ? jump : 1 + (cfg->cloud_shock_contrast - 1) * cloud;
    prim[1] = behind ? shock_speed(cfg) * (1 - 1 / jump) : 0;
    prim[2] = prim[3] = 0;
    prim[4] = behind ? 1 + 2 * g / (g + 1) * (m2 - 1) : 1;
    if (cfg->cloud_shock_beta > 0) prim[SL_PRIM_B] = sqrt(2 / cfg->cloud_shock_beta);
    if (cfg->fluid_scalars > 0) prim[SL_PRIM_SCALAR] = cfg->cloud_shock_contrast * cloud / prim[0];
}

static double crossing(const void *data)
{
    const struct sl_config *cfg = data;
    return sqrt(cfg->cloud_shock_contrast) / shock_speed(cfg);
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct sl_config *cfg = data;
    struct sl_tracer cloud;
    SL_TRY(sl_tracer_measure(run, 0.5 * cfg->cloud_shock_contrast, &cloud));
    if (!(cloud.mass > 0)) return SL_OK;
    sl_measure(out, "cloud_velocity",
               "mean velocity of the cloud's gas along x, over the speed of the shock",
               cloud.velocity / shock_speed(cfg));
    sl_tracer_report(&cloud, out);
    return SL_OK;
}

const struct sl_problem sl_problem_cloud_shock = {.name = "cloud_shock",
                                                  .open = sl_problem_keep,
                                                  .close = free,
                                                  .state = state,
                                                  .crossing = crossing,
                                                  .measure = measure};
