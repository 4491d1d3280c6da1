/* dust_collapse.c - a uniform sphere of cold gas falls together under its own gravity, with nothing
 * around it: it stays uniform, and all of it comes to the centre after one free-fall time.
 *
 * R = R_0 cos^2 a, t = (2 / pi) t_ff (a + sin(2 a) / 2), t_ff = pi (3 / (8 (4 pi G) rho))^(1/2).
 * The gas around is so thin that it does not count; time.unit: crossing is t_ff. End before 0.95
 * t_ff, when R is 0.23 R_0, with some cells left.
 *
 * Refs  Hunter 1962; Truelove et al. 1998; ball.h (shares of cells) */
#include <math.h>
#include <stdlib.h>

#include "core/exact/ball.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(dust_collapse, 0, "a uniform sphere of cold gas falls together under its own gravity; exact solution")
SL_SHOW(dust_collapse, "radial profiles error energies", "density", "radius_error relative_l1")
SL_REAL_KEY(dust_collapse_radius, "dust_collapse.radius", "1", 1e-30, 1e30, length, "radius of the sphere at the start")
SL_REAL_KEY(dust_collapse_density, "dust_collapse.density", "1", 1e-30, 1e30, none, "density of the sphere at the start")
SL_REAL_KEY(dust_collapse_ambient, "dust_collapse.ambient", "1e-6", 1e-30, 1, none, "density of the gas around, over that of the sphere")
SL_REAL_KEY(dust_collapse_pressure, "dust_collapse.pressure", "1e-8", 1e-30, 1e30, none, "pressure everywhere at the start; the exact solution has none")
SL_REALS_KEY(dust_collapse_center, "dust_collapse.center", "[0, 0, 0]", 3, -1e30, 1e30, length, "centre of the sphere")
SL_RULE_IDEAL(dust_collapse)
SL_RULE(dust_collapse, fluid_mhd, cfg->fluid_mhd == SL_MHD_none, "problem dust_collapse has no magnetic field; nearest: none")
SL_RULE(dust_collapse, gravity_four_pi_g, cfg->gravity_four_pi_g > 0, "problem dust_collapse needs gravity of the gas: above 0; nearest: 1")
SL_RULE(dust_collapse, gravity_boundary, sl_config_isolated(cfg), "problem dust_collapse has nothing around it; nearest: isolated, with mesh.boundary: outflow")
SL_RULE_EXACT_WITH(dust_collapse, self_gravity)
/* clang-format on */

static const double pi = 3.14159265358979323846;

/* Time in free-fall times at which the angle is a. */
static double time_of(double a)
{
    return 2 / pi * (a + 0.5 * sin(2 * a));
}

/* The angle at a time in free-fall times, by halving. */
static double angle_at(double t)
{
    double low = 0, high = 0.5 * pi;
    for (int i = 0; i < 60; i++) {
        double a = 0.5 * (low + high);
        if (time_of(a) < t)
            low = a;
        else
            high = a;
    }
    return 0.5 * (low + high);
}

static double crossing(const void *data)
{
    const struct sl_config *cfg = data;
    return pi * sqrt(3 / (8 * cfg->gravity_four_pi_g * cfg->dust_collapse_density));
}

/* Radius over that of the start, and the rate at which the sphere shrinks, over its radius. */
static double radius_at(const struct sl_config *cfg, double t, double *rate)
{
    double fall = crossing(cfg), a = angle_at(t / fall), size = cos(a) * cos(a);
    *rate = size > 0 ? 0.5 * pi / fall * tan(a) / size : 0;
    return size;
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double rate, size = radius_at(cfg, t, &rate), from[3], to[3];
    for (int d = 0; d < 3; d++) {
        from[d] = lo[d] - cfg->dust_collapse_center[d];
        to[d] = hi[d] - cfg->dust_collapse_center[d];
    }
    double share = sl_ball_share(3, from, to, size * cfg->dust_collapse_radius),
           dust = share / (size * size * size),
           rho = dust + (1 - share) * cfg->dust_collapse_ambient;
    prim[0] = cfg->dust_collapse_density * rho;
    for (int d = 0; d < 3; d++)
        prim[1 + d] = -rate * 0.5 * (from[d] + to[d]) * dust / rho;
    prim[4] = cfg->dust_collapse_pressure * (share > 0 ? pow(size, -3 * cfg->fluid_gamma) : 1);
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = share;
}

/* Mass, the sum of mass times r^2, and the largest density, of gas within the first radius. */
struct seen {
    double mass, square, densest;
};

static void look(const struct sl_config *cfg, const struct sl_whole *w, struct seen *s)
{
    for (int k = 0; k < w->n[2]; k++)
        for (int j = 0; j < w->n[1]; j++)
            for (int i = 0; i < w->n[0]; i++) {
                const int at[3] = {i, j, k};
                double r2 = 0, rho = sl_whole_at(w, 0, k, j, i);
                for (int d = 0; d < 3; d++)
                    r2 += pow(sl_whole_x(w, d, at[d]) - cfg->dust_collapse_center[d], 2);
                if (r2 > pow(cfg->dust_collapse_radius, 2)) continue;
                s->mass += rho;
                s->square += rho * r2;
                s->densest = fmax(s->densest, rho);
            }
}

/* A uniform sphere has a mean r^2 of 3/5 R^2, of cells a little more. */
static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct sl_config *cfg = data;
    struct sl_whole w;
    struct seen s = {0};
    double rate, size = radius_at(cfg, run->time, &rate), spread = 0;
    if (!(run->time > 0)) return SL_OK;
    SL_TRY(sl_whole_init(run, &w));
    look(cfg, &w, &s);
    for (int d = 0; d < 3; d++)
        spread += w.dx[d] * w.dx[d] / 12;
    sl_whole_release(&w);
    double radius = sqrt(5.0 / 3 * (s.square / s.mass + spread)) / cfg->dust_collapse_radius;
    sl_measure(out, "radius_error",
               "relative error of the radius of the sphere, by the mean of its r^2",
               fabs(radius / size - 1));
    sl_measure(out, "density_max_error", "relative error of the largest density",
               fabs(s.densest / cfg->dust_collapse_density * pow(size, 3) - 1));
    return SL_OK;
}

const struct sl_problem sl_problem_dust_collapse = {.name = "dust_collapse",
                                                    .exact = true,
                                                    .force = "self_gravity",
                                                    .open = sl_problem_keep,
                                                    .close = free,
                                                    .state = state,
                                                    .crossing = crossing,
                                                    .measure = measure};
