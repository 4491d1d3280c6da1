/* pulse.c - one wavelength of sound runs along x through gas at rest, and over the edges of a
 * refined slab where there is one (the WavePool of Enzo, Bryan et al. 2014): what goes back from
 * there is an error.
 *
 * The pulse is a simple wave of gas with density 1 and pressure 1: all of it lies on one family
 * of characteristics, which it follows until they cross. Usual: box [0, 1], boundary [fixed,
 * outflow], fluid.gamma 1.4, 100 cells.
 *
 * Waves to the left are recognised by their invariant u - 2 c / (gamma - 1), which is the same
 * everywhere in the exact solution.
 *
 * Refs  Landau & Lifshitz 1987, section 101 (simple waves) */
#include <math.h>
#include <stdlib.h>

#include "core/exact/gauss.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(pulse, 0, "a pulse of sound along x, over edges of levels; exact solution")
SL_SHOW(pulse, "profiles error", "density pressure", "relative_l1")
SL_RULE_WALLS(pulse, WALL(fixed), WALL(outflow), FREE(periodic), FREE(periodic), FREE(periodic),
              FREE(periodic))
SL_RULE_EXACT(pulse)
SL_REAL_KEY(pulse_amplitude, "pulse.amplitude", "0.01", 1e-9, 0.1, none,
            "velocity over the sound speed")
SL_REAL_KEY(pulse_length, "pulse.length", "0.1", 1e-30, 1e30, none, "wavelength")
SL_REAL_KEY(
    pulse_place, "pulse.place", "-0.1", -1e30, 1e30, none,
    "lower end of the pulse at the start; below the box it comes in through a fixed boundary")
SL_RULE_IDEAL(pulse)
SL_RULE(pulse, time_end,
        cfg->time_end * 3.1416 * (cfg->fluid_gamma + 1) * sqrt(cfg->fluid_gamma) *
                cfg->pulse_amplitude <
            cfg->pulse_length,
        "%g: the pulse breaks before that; nearest: %g", cfg->time_end,
        0.99 * cfg->pulse_length /
            (3.1416 * (cfg->fluid_gamma + 1) * sqrt(cfg->fluid_gamma) * cfg->pulse_amplitude))

static const double pi = 3.14159265358979323846;

static double sound(const struct sl_config *cfg)
{
    return sqrt(cfg->fluid_gamma);
}

/* Velocity at the start. */
static double velocity(const struct sl_config *cfg, double x)
{
    double phase = (x - cfg->pulse_place) / cfg->pulse_length;
    if (phase <= 0 || phase >= 1) return 0;
    return sound(cfg) * cfg->pulse_amplitude * sin(2 * pi * phase);
}

/* Velocity at x: it came along a characteristic, of speed c + (gamma + 1) u / 2. */
static double velocity_at(const struct sl_config *cfg, double x, double t)
{
    double half = 0.5 * (cfg->fluid_gamma + 1), from = x - sound(cfg) * t;
    double reach = half * sound(cfg) * cfg->pulse_amplitude * t;
    double lo = from - reach, hi = from + reach;
    for (int i = 0; i < 60 && lo < hi; i++) {
        double mid = 0.5 * (lo + hi);
        if (mid + half * velocity(cfg, mid) * t < from)
            lo = mid;
        else
            hi = mid;
    }
    return velocity(cfg, 0.5 * (lo + hi));
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double g = cfg->fluid_gamma, sum[3] = {0};
    struct sl_gauss gauss;
    sl_gauss_init(&gauss, 4);
    for (int i = 0; i < gauss.n; i++) {
        double u = velocity_at(cfg, lo[0] + gauss.x[i] * (hi[0] - lo[0]), t);
        double rho = pow(1 + 0.5 * (g - 1) * u / sound(cfg), 2 / (g - 1));
        sum[0] += gauss.w[i] * rho;
        sum[1] += gauss.w[i] * rho * u;
        sum[2] += gauss.w[i] * (pow(rho, g) / (g - 1) + 0.5 * rho * u * u);
    }
    prim[0] = sum[0];
    prim[1] = sum[1] / sum[0];
    prim[2] = prim[3] = 0;
    prim[4] = (g - 1) * (sum[2] - 0.5 * sum[1] * prim[1]);
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct sl_config *cfg = data;
    struct sl_whole w;
    double c0 = sound(cfg), g = cfg->fluid_gamma, back = 0, peak = 0;
    double behind = cfg->pulse_place - cfg->pulse_length + c0 * run->time;
    SL_TRY(sl_whole_init(run, &w));
    for (int i = 0; i < w.n[0]; i++) {
        double rho = sl_whole_at(&w, 0, 0, 0, i);
        double c = c0 * pow(sl_whole_at(&w, 4, 0, 0, i), 0.5 * (g - 1) / g);
        double left = sl_whole_at(&w, 1, 0, 0, i) - 2 * (c - c0) / (g - 1);
        if (sl_whole_x(&w, 0, i) < behind) back = fmax(back, fabs(0.5 * left));
        peak = fmax(peak, fabs(rho - 1));
    }
    sl_whole_release(&w);
    sl_measure(out, "reflected",
               "largest amplitude of waves that run back, a wavelength or more behind the pulse, "
               "over the pulse's; exact: 0",
               back / (c0 * cfg->pulse_amplitude));
    sl_measure(out, "peak", "largest change of the density, over that at the start",
               peak / cfg->pulse_amplitude);
    return SL_OK;
}

const struct sl_problem sl_problem_pulse = {.name = "pulse",
                                            .exact = true,
                                            .open = sl_problem_keep,
                                            .close = free,
                                            .state = state,
                                            .measure = measure};
