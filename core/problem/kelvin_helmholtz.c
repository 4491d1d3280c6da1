/* kelvin_helmholtz.c - the shear instability with resolved layers (McNally, Lyra & Passy 2012): a
 * problem with a converging answer.
 *
 * As published: box [0, 1]^2, periodic, fluid.gamma 5/3. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/gauss.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(kelvin_helmholtz, 0, "shear instability with resolved layers, 2D (McNally et al. 2012)")
SL_SHOW(kelvin_helmholtz, "energies spectra", "density vorticity scalar", "mode")
SL_RULE_IDEAL(kelvin_helmholtz)
SL_RULE_PLANE(kelvin_helmholtz)

static const double pi = 3.14159265358979323846;

/* From the value below (or above) the layers to that between them. */
static double ramp(double y, double outside, double between)
{
    const double width = 0.025, half = 0.5 * (outside - between);
    double d = y < 0.5 ? y - 0.25 : 0.75 - y; /* into the middle is positive */
    return d < 0 ? outside - half * exp(d / width) : between + half * exp(-d / width);
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    struct sl_gauss gauss;
    double mass = 0, along = 0, kinetic = 0;
    double sine = (cos(4 * pi * lo[0]) - cos(4 * pi * hi[0])) / (4 * pi * (hi[0] - lo[0]));
    (void)t;
    sl_gauss_init(&gauss, 6);
    for (int i = 0; i < gauss.n; i++) {
        double y = lo[1] + gauss.x[i] * (hi[1] - lo[1]), w = gauss.w[i];
        double rho = ramp(y, 1, 2), u = ramp(y, 0.5, -0.5);
        mass += w * rho;
        along += w * rho * u;
        kinetic += 0.5 * w * rho * u * u;
    }
    prim[0] = mass;
    prim[1] = along / mass;
    prim[2] = 0.01 * sine;
    prim[3] = 0;
    prim[4] = 2.5 + (cfg->fluid_gamma - 1) * (kinetic - 0.5 * along * along / mass);
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[5 + i] = mass > 1.5;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    struct sl_whole w;
    double s = 0, c = 0, d = 0;
    (void)data;
    if (run->mesh->dim != 2) return SL_OK;
    SL_TRY(sl_whole_init(run, &w));
    for (int j = 0; j < w.n[1]; j++)
        for (int i = 0; i < w.n[0]; i++) {
            double x = sl_whole_x(&w, 0, i), y = sl_whole_x(&w, 1, j);
            double weight = exp(-4 * pi * fabs((y < 0.5 ? y : 1 - y) - 0.25));
            double v = sl_whole_at(&w, 2, 0, j, i);
            s += weight * v * sin(4 * pi * x);
            c += weight * v * cos(4 * pi * x);
            d += weight;
        }
    sl_measure(
        out, "mode",
        "amplitude of the velocity across the layers in the mode that was seeded, two waves along "
        "x (McNally et al. 2012, equations 10-13); converged, in their box: 0.148 at t = 1.5",
        2 * sqrt(s * s + c * c) / d);
    sl_whole_release(&w);
    return SL_OK;
}

const struct sl_problem sl_problem_kelvin_helmholtz = {.name = "kelvin_helmholtz",
                                                       .open = sl_problem_keep,
                                                       .close = free,
                                                       .state = state,
                                                       .measure = measure};
