/* rayleigh_taylor.c - heavy gas on light gas in a constant acceleration, 2D.
 *
 * As usual: box [-1/4, 1/4] x [-3/4, 3/4], periodic along x and reflecting along y, fluid.gamma
 * 1.4, gravity.acceleration [0, -0.1]. Linear theory lets the seeded velocity grow as exp(omega t),
 * omega^2 = A g k tanh(k H) with A the Atwood number, k = 4 pi and H = 3/4 the height of each gas.
 *
 * Refs  Liska & Wendroff 2003, section 4.6; Chandrasekhar 1961, section 92 */
#include <math.h>
#include <stdlib.h>

#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(rayleigh_taylor, 0, "heavy gas on light gas in a constant acceleration, 2D")
SL_SHOW(rayleigh_taylor, "energies", "density vorticity scalar", "mode")
SL_RULE_WALLS(rayleigh_taylor, FREE(periodic), FREE(periodic), FREE(conducting), FREE(conducting),
              FREE(periodic), FREE(periodic))
SL_REAL_KEY(rayleigh_taylor_heavy, "rayleigh_taylor.heavy", "2", 1e-30, 1e30, none,
            "density above y = 0; it is 1 below")
SL_REAL_KEY(rayleigh_taylor_amplitude, "rayleigh_taylor.amplitude", "0.01", 0, 1, none,
            "largest velocity of the disturbance")
SL_REAL_KEY(rayleigh_taylor_pressure, "rayleigh_taylor.pressure", "2.5", 1e-30, 1e30, none,
            "pressure at y = 0")
SL_REALS_KEY(rayleigh_taylor_magnetic, "rayleigh_taylor.magnetic", "[0, 0, 0]", 3, -1e30, 1e30,
             none, "uniform magnetic field (MHD); along x it holds the gas back")
SL_RULE_IDEAL(rayleigh_taylor)
SL_RULE_PLANE(rayleigh_taylor)

static const double pi = 3.14159265358979323846;

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double x = 0.5 * (lo[0] + hi[0]), y = 0.5 * (lo[1] + hi[1]);
    bool above = y > 0;
    (void)t;
    prim[0] = above ? cfg->rayleigh_taylor_heavy : 1;
    prim[1] = prim[3] = 0;
    prim[2] =
        0.25 * cfg->rayleigh_taylor_amplitude * (1 + cos(4 * pi * fabs(x))) * (1 + cos(3 * pi * y));
    prim[4] = cfg->rayleigh_taylor_pressure + cfg->gravity_acceleration[1] * prim[0] * y;
    for (int i = 0; i < 3; i++)
        prim[SL_PRIM_B + i] = cfg->rayleigh_taylor_magnetic[i];
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = above;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    struct sl_whole w;
    double sum = 0, weights = 0, off = 0, most = 0;
    (void)data;
    if (run->mesh->dim != 2) return SL_OK;
    SL_TRY(sl_whole_init(run, &w));
    for (int j = 0; j < w.n[1]; j++)
        for (int i = 0; i < w.n[0]; i++) {
            double weight = exp(-4 * pi * fabs(sl_whole_x(&w, 1, j)));
            double rho = sl_whole_at(&w, 0, 0, j, i);
            sum += weight * sl_whole_at(&w, 2, 0, j, i) * cos(4 * pi * sl_whole_x(&w, 0, i));
            weights += 0.5 * weight;
            off = fmax(off, fabs(rho - sl_whole_at(&w, 0, 0, j, w.n[0] - 1 - i)));
            most = fmax(most, rho);
        }
    sl_measure(out, "mode",
               "amplitude of the vertical velocity in the mode that was seeded, cos(4 pi x), near "
               "the interface",
               sum / weights);
    sl_measure(out, "asymmetry",
               "largest difference of the density from its mirror image at x = 0, over the largest "
               "density",
               off / most);
    sl_whole_release(&w);
    return SL_OK;
}

const struct sl_problem sl_problem_rayleigh_taylor = {.name = "rayleigh_taylor",
                                                      .open = sl_problem_keep,
                                                      .close = free,
                                                      .state = state,
                                                      .measure = measure};
