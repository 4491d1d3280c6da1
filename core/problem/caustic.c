/* caustic.c - cold gas falls onto itself: u = sin(2 pi x) / (2 pi), so cold that the thermal energy
 * is lost in the rounding of the total energy (Ryu et al. 1993; Bryan et al. 1995). It asks for
 * fluid.dual_energy.
 *
 * Box [0, 1], periodic, fluid.gamma 5/3; a caustic forms at t = 1. Before it the exact flow is
 * ballistic: x = q + u(q) t, rho = 1 / (1 + t cos 2 pi q), p = p0 rho^gamma. At t = 3 density_error
 * is the distance from a run of 8192 cells, and with 128 cells point_error is measured. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/profile.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(caustic, 0, "cold gas falls onto itself, 1D (Ryu et al. 1993)")
SL_SHOW(caustic, "profiles energies", "density", "density_error entropy_error")
SL_REAL_KEY(caustic_pressure, "caustic.pressure", "1e-10", 1e-30, 1e30, none,
            "pressure at the start, where density and fastest velocity are 1 and 1/(2 pi)")
SL_RULE_IDEAL(caustic)

static const double pi = 3.14159265358979323846;

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    (void)t;
    prim[0] = 1;
    /* about the middle of the box, so that mirrored cells get mirrored bits */
    double at = pi * ((lo[0] - 0.5) + (hi[0] - 0.5)), half = pi * (hi[0] - lo[0]);
    prim[1] = -sin(at) / (2 * pi) * (sin(half) / half);
    prim[2] = prim[3] = 0;
    prim[4] = cfg->caustic_pressure;
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[5 + i] = 1;
}

static const double converged[] = {
#include "core/exact/caustic.def"
};

/* Where the gas that is at x at time t < 1 started: x(q) grows with q. */
static double started(double x, double t)
{
    double lo = x - 0.2, hi = x + 0.2;
    for (int round = 0; round < 60; round++) {
        double q = 0.5 * (lo + hi);
        *(q + t * sin(2 * pi * q) / (2 * pi) > x ? &hi : &lo) = q;
    }
    return 0.5 * (lo + hi);
}

/* The ballistic flow: gas that is at lo .. hi at time t was at q[0] .. q[1], with the mean velocity
 * of that cell of the start; the mean of p / rho over its mass is that of the points of Gauss. */
static bool flow(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    static const double at[] = {-0.7745966692414834, 0, 0.7745966692414834},
                        weight[] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    if (!(t < 1)) return false;
    double q[2] = {started(lo[0], t), started(hi[0], t)}, mass = q[1] - q[0], heat = 0;
    for (int i = 0; i < 3; i++) {
        double here = 0.5 * (q[0] + q[1]) + 0.5 * at[i] * mass;
        double rho = 1 / (1 + t * cos(2 * pi * here));
        heat += weight[i] * cfg->caustic_pressure * pow(rho, cfg->fluid_gamma - 1);
    }
    state(data, (double[3]){q[0], lo[1], lo[2]}, (double[3]){q[1], hi[1], hi[2]}, 0, prim);
    prim[0] = mass / (hi[0] - lo[0]);
    prim[4] = prim[0] * heat;
    return true;
}

static int before_caustic(const struct sl_config *cfg, const struct sl_state *run,
                          struct sl_measures *out)
{
    struct sl_whole w;
    double off = 0, norm = 0, worst = 0, t = run->time;
    SL_TRY(sl_whole_init(run, &w));
    for (int i = 0; i < w.n[0]; i++) {
        double x = sl_whole_x(&w, 0, i), h = 0.5 * w.dx[0];
        double exact = (started(x + h, t) - started(x - h, t)) / w.dx[0];
        double rho = sl_whole_at(&w, 0, 0, 0, i);
        if (exact > 2) continue;
        double adiabatic = cfg->caustic_pressure * pow(rho, cfg->fluid_gamma);
        off += fabs(rho - exact);
        norm += exact;
        worst = fmax(worst, fabs(sl_whole_at(&w, 4, 0, 0, i) / adiabatic - 1));
    }
    sl_whole_release(&w);
    sl_measure(out, "density_error",
               "relative L1 error of the density, of the cells where the exact one is below 2",
               off / norm);
    sl_measure(out, "entropy_error",
               "largest relative error of the entropy p / rho^gamma, of the cells where the exact "
               "density is below 2",
               worst);
    return SL_OK;
}

static const double points[][3] = {
#include "core/exact/caustic_points.def"
};
enum { POINTS = sizeof points / sizeof *points, KINDS = 4 };

/* Density, momentum, energy, heat. */
static void kinds(const struct sl_config *cfg, double rho, double u, double p, double out[KINDS])
{
    double heat = p / (cfg->fluid_gamma - 1);
    out[0] = rho;
    out[1] = rho * u;
    out[2] = heat + 0.5 * rho * u * u;
    out[3] = heat;
}

static int from_points(const struct sl_config *cfg, const struct sl_state *run,
                       struct sl_measures *out)
{
    struct sl_whole w;
    double off[KINDS] = {0}, size[KINDS] = {0}, square = 0, norm = 0;
    SL_TRY(sl_whole_init(run, &w));
    for (int i = 0; i < POINTS && w.n[0] == POINTS; i++) {
        double here[KINDS], fine[KINDS];
        kinds(cfg, sl_whole_at(&w, 0, 0, 0, i), sl_whole_at(&w, 1, 0, 0, i),
              sl_whole_at(&w, 4, 0, 0, i), here);
        kinds(cfg, points[i][0], points[i][1], points[i][2], fine);
        for (int k = 0; k < KINDS; k++) {
            off[k] += fabs(here[k] - fine[k]);
            size[k] += fabs(fine[k]);
        }
    }
    for (int k = 0; k < KINDS; k++) {
        square += off[k] * off[k];
        norm += size[k] * size[k];
    }
    if (w.n[0] == POINTS)
        sl_measure(out, "point_error",
                   "distance from a run of 2048 cells at the centres of 128: root of the summed "
                   "squares of the L1 differences of density, momentum, energy and heat, over that "
                   "of their L1 norms",
                   sqrt(square / norm));
    sl_whole_release(&w);
    return SL_OK;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    if (run->mesh->dim != 1) return SL_OK;
    if (run->time < 1) return before_caustic(data, run, out);
    if (fabs(run->time - 3) > 1e-9) return SL_OK;
    SL_TRY(from_points(data, run, out));
    return sl_profile_measure(run, sizeof converged / sizeof *converged, converged, out);
}

const struct sl_problem sl_problem_caustic = {.name = "caustic",
                                              .open = sl_problem_keep,
                                              .close = free,
                                              .state = state,
                                              .flow = flow,
                                              .measure = measure};
