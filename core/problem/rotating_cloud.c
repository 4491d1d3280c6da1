/* rotating_cloud.c - a uniform sphere of isothermal gas that turns as a solid and is denser on two
 * sides falls together under its own gravity, to a bar or two bodies within a disc: the test of
 * Boss and Bodenheimer. Gas that stays isothermal makes no more bodies than that; false ones appear
 * where a Jeans length has less than four cells.
 *
 * alpha = 5 R c^2 / (2 G M) is the thermal energy over that of gravity and gives the mass, beta =
 * Omega^2 R^3 / (3 G M) the energy of the rotation about z. The gas around is at rest, a hundredth
 * as dense. time.unit: crossing is the free-fall time (3 pi / (32 G rho))^(1/2).
 *
 * Refs  Boss & Bodenheimer 1979; Burkert & Bodenheimer 1993; Truelove et al. 1997, 1998 */
#include <math.h>
#include <stdlib.h>

#include "core/exact/densest.h"
#include "core/exact/points.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(rotating_cloud, 0, "a sphere of isothermal gas that turns falls together to two bodies in a disc (Boss & Bodenheimer 1979)")
SL_SHOW(rotating_cloud, "profiles energies", "density speed", "density_grown cells_per_jeans_length angular_momentum asymmetry")
SL_REAL_KEY(rotating_cloud_alpha, "rotating_cloud.alpha", "0.26", 1e-6, 1, none, "thermal energy over that of gravity")
SL_REAL_KEY(rotating_cloud_beta, "rotating_cloud.beta", "0.16", 0, 1, none, "energy of the rotation over that of gravity")
SL_REAL_KEY(rotating_cloud_amplitude, "rotating_cloud.amplitude", "0.1", 0, 0.99, none, "change of density with twice the angle about the axis, over the mean")
SL_REAL_KEY(rotating_cloud_radius, "rotating_cloud.radius", "1", 1e-30, 1e30, length, "radius of the sphere")
SL_REAL_KEY(rotating_cloud_ambient, "rotating_cloud.ambient", "0.01", 1e-30, 1, none, "density of the gas around, over that of the sphere")
SL_REALS_KEY(rotating_cloud_center, "rotating_cloud.center", "[0, 0, 0]", 3, -1e30, 1e30, length, "centre of the sphere")
SL_RULE(rotating_cloud, fluid_eos, cfg->fluid_eos == SL_EOS_isothermal, "problem rotating_cloud is one of isothermal gas; nearest: isothermal")
SL_RULE(rotating_cloud, fluid_mhd, cfg->fluid_mhd == SL_MHD_none, "problem rotating_cloud has no magnetic field; nearest: none")
SL_RULE(rotating_cloud, gravity_four_pi_g, cfg->gravity_four_pi_g > 0, "problem rotating_cloud needs gravity of the gas: above 0; nearest: 4*pi")
SL_RULE(rotating_cloud, gravity_boundary, sl_config_isolated(cfg), "problem rotating_cloud has nothing around it; nearest: isolated, with mesh.boundary: outflow")
/* clang-format on */

static const double pi = 3.14159265358979323846;
enum { POINTS = 4 }; /* of a cell along an axis */

/* 4 pi G rho of the sphere: 4 pi G times its mass, from alpha, over its volume. */
static double four_pi_g_rho(const struct sl_config *cfg)
{
    double gm = 2.5 * cfg->rotating_cloud_radius * pow(cfg->fluid_sound_speed, 2) /
                cfg->rotating_cloud_alpha;
    return 3 * gm / pow(cfg->rotating_cloud_radius, 3);
}

static double density(const struct sl_config *cfg)
{
    return four_pi_g_rho(cfg) / cfg->gravity_four_pi_g;
}

/* Omega^2 = 3 beta G M / R^3. */
static double rotation(const struct sl_config *cfg)
{
    return sqrt(cfg->rotating_cloud_beta * four_pi_g_rho(cfg));
}

static double crossing(const void *data)
{
    return pi * sqrt(3 / (8 * four_pi_g_rho(data)));
}

/* Adds the density, momentum and mass of the sphere at a point. */
static void add_point(const struct sl_config *cfg, const double x[3], double sum[5])
{
    double r2 = 0, y[3];
    for (int d = 0; d < 3; d++) {
        y[d] = x[d] - cfg->rotating_cloud_center[d];
        r2 += y[d] * y[d];
    }
    if (r2 >= pow(cfg->rotating_cloud_radius, 2)) {
        sum[0] += cfg->rotating_cloud_ambient;
        return;
    }
    double across = y[0] * y[0] + y[1] * y[1];
    double twice = across > 0 ? (y[0] * y[0] - y[1] * y[1]) / across : 0; /* cos of the angle */
    double rho = 1 + cfg->rotating_cloud_amplitude * twice;
    sum[0] += rho;
    sum[1] -= rho * rotation(cfg) * y[1];
    sum[2] += rho * rotation(cfg) * y[0];
    sum[4] += rho;
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    enum { N = POINTS * POINTS * POINTS };
    const struct sl_config *cfg = data;
    double x[3], sum[5] = {0};
    (void)t;
    for (int q = 0; q < N; q++) {
        sl_cell_point(POINTS, q, lo, hi, x);
        add_point(cfg, x, sum);
    }
    prim[0] = density(cfg) * sum[0] / N;
    for (int d = 0; d < 3; d++)
        prim[1 + d] = sum[1 + d] / sum[0];
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = sum[4] / sum[0];
}

/* ---- what came of it ------------------------------------------------------------------------- */

struct seen {
    double spin; /* angular momentum about the axis */
    double
        asymmetry; /* largest difference of density after half a turn, over the largest density */
};

static void look(const struct sl_config *cfg, const struct sl_whole *w, struct seen *s)
{
    double volume = w->dx[0] * w->dx[1] * w->dx[2], most = 0;
    for (int k = 0; k < w->n[2]; k++)
        for (int j = 0; j < w->n[1]; j++)
            for (int i = 0; i < w->n[0]; i++) {
                double x = sl_whole_x(w, 0, i) - cfg->rotating_cloud_center[0];
                double y = sl_whole_x(w, 1, j) - cfg->rotating_cloud_center[1];
                double rho = sl_whole_at(w, 0, k, j, i);
                double turned = sl_whole_at(w, 0, k, w->n[1] - 1 - j, w->n[0] - 1 - i);
                s->spin += volume * rho *
                           (x * sl_whole_at(w, 2, k, j, i) - y * sl_whole_at(w, 1, k, j, i));
                s->asymmetry = fmax(s->asymmetry, fabs(rho - turned));
                most = fmax(most, rho);
            }
    s->asymmetry /= most;
}

/* 2/5 M R^2 Omega. */
static double spin_of(const struct sl_config *cfg)
{
    double mass = 4 * pi / 3 * density(cfg) * pow(cfg->rotating_cloud_radius, 3);
    return 0.4 * mass * pow(cfg->rotating_cloud_radius, 2) * rotation(cfg);
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct sl_config *cfg = data;
    struct sl_densest d;
    struct sl_whole w;
    struct seen s = {0, 0};
    SL_TRY(sl_densest_find(run, cfg->rotating_cloud_center, &d));
    SL_TRY(sl_whole_init(run, &w));
    look(cfg, &w, &s);
    sl_whole_release(&w);
    sl_measure(out, "density_grown", "largest density over that of the sphere at the start",
               d.rho / density(cfg));
    sl_measure(
        out, "cells_per_jeans_length",
        "cells of a Jeans length at the densest cell; bodies made with less than 4 are false",
        2 * pi * cfg->fluid_sound_speed / sqrt(cfg->gravity_four_pi_g * d.rho) / d.side);
    if (cfg->rotating_cloud_beta > 0)
        sl_measure(out, "angular_momentum",
                   "angular momentum about the axis over that at the start", s.spin / spin_of(cfg));
    sl_measure(out, "asymmetry",
               "largest difference of density after half a turn about the middle of the box, over "
               "the largest density; exact 0",
               s.asymmetry);
    return SL_OK;
}

const struct sl_problem sl_problem_rotating_cloud = {.name = "rotating_cloud",
                                                     .open = sl_problem_keep,
                                                     .close = free,
                                                     .state = state,
                                                     .crossing = crossing,
                                                     .measure = measure};
