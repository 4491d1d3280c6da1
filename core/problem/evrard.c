/* evrard.c - the collapse of Evrard: a cold sphere of gas, density 1 / r, falls under its own
 * gravity, with nothing around it; it rebounds, a shock moves out through what still falls, and the
 * gas comes to rest near virial equilibrium.
 *
 * rho = M / (2 pi R^2 r) for r < R, thermal energy per mass u G M / R, velocity 0. Energies are
 * compared with those of many Lagrangian shells (fluid.gamma 5/3, evrard.energy 0.05); time.unit:
 * crossing is (R^3 / G M)^(1/2). The core is 0.06 R: cells of that size keep energy and rebound,
 * not its depth.
 *
 * Refs  Evrard 1988; Steinmetz & Mueller 1993; Springel 2010, section 9.1 */
#include <math.h>
#include <stdlib.h>

#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(evrard, 0, "a cold sphere, density 1 / r, falls under its own gravity and rebounds; energies of shells to compare with")
SL_SHOW(evrard, "radial profiles energies", "density pressure", "kinetic_error thermal_error")
SL_REAL_KEY(evrard_radius, "evrard.radius", "1", 1e-30, 1e30, length, "radius of the sphere at the start")
SL_REAL_KEY(evrard_mass, "evrard.mass", "1", 1e-30, 1e30, none, "mass of the sphere")
SL_REAL_KEY(evrard_energy, "evrard.energy", "0.05", 1e-30, 1e30, none, "thermal energy per mass at the start, over G mass / radius")
SL_REAL_KEY(evrard_ambient, "evrard.ambient", "1e-4", 1e-30, 1, none, "density of the gas around, over that at the surface of the sphere")
SL_REALS_KEY(evrard_center, "evrard.center", "[0, 0, 0]", 3, -1e30, 1e30, length, "centre of the sphere")
SL_RULE_IDEAL(evrard)
SL_RULE(evrard, fluid_mhd, cfg->fluid_mhd == SL_MHD_none, "problem evrard has no magnetic field; nearest: none")
SL_RULE(evrard, gravity_four_pi_g, cfg->gravity_four_pi_g > 0, "problem evrard needs gravity of the gas: above 0; nearest: 4*pi")
SL_RULE(evrard, gravity_boundary, sl_config_isolated(cfg), "problem evrard has nothing around it; nearest: isolated, with mesh.boundary: outflow")
/* clang-format on */

enum { POINTS = 6, EVERY = 10 }; /* of a cell along an axis; rows of the table per unit of time */

static const double energies[][3] = {
#include "core/exact/evrard.def"
};
enum { ROWS = sizeof energies / sizeof *energies };

static const double pi = 3.14159265358979323846;

/* G M. */
static double pull(const struct sl_config *cfg)
{
    return cfg->gravity_four_pi_g / (4 * pi) * cfg->evrard_mass;
}

static double crossing(const void *data)
{
    const struct sl_config *cfg = data;
    return sqrt(pow(cfg->evrard_radius, 3) / pull(cfg));
}

static double density_at(const struct sl_config *cfg, const double x[3])
{
    double radius = cfg->evrard_radius, edge = cfg->evrard_mass / (2 * pi * pow(radius, 3)), r2 = 0;
    for (int d = 0; d < 3; d++)
        r2 += pow(x[d] - cfg->evrard_center[d], 2);
    return r2 < radius * radius ? edge * radius / sqrt(r2) : edge * cfg->evrard_ambient;
}

/* Mean over points of the cell. The gas around is as warm as the sphere. */
static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double rho = 0;
    (void)t;
    for (int k = 0; k < POINTS; k++)
        for (int j = 0; j < POINTS; j++)
            for (int i = 0; i < POINTS; i++) {
                const int at[3] = {i, j, k};
                double x[3];
                for (int d = 0; d < 3; d++)
                    x[d] = lo[d] + (at[d] + 0.5) / POINTS * (hi[d] - lo[d]);
                rho += density_at(cfg, x) / (POINTS * POINTS * POINTS);
            }
    prim[0] = rho;
    prim[4] = (cfg->fluid_gamma - 1) * rho * cfg->evrard_energy * pull(cfg) / cfg->evrard_radius;
}

/* Row of the table at a time, between two of its rows. */
static void energies_at(double t, double out[3])
{
    int row = (int)floor(t * EVERY);
    row = row < ROWS - 2 ? row : ROWS - 2;
    double share = t * EVERY - row;
    for (int i = 0; i < 3; i++)
        out[i] = (1 - share) * energies[row][i] + share * energies[row + 1][i];
}

/* Kinetic and thermal energy of all cells. */
static int energies_of(const struct sl_state *run, double out[2])
{
    struct sl_whole w;
    SL_TRY(sl_whole_init(run, &w));
    double volume = w.dx[0] * w.dx[1] * w.dx[2];
    out[0] = out[1] = 0;
    for (int k = 0; k < w.n[2]; k++)
        for (int j = 0; j < w.n[1]; j++)
            for (int i = 0; i < w.n[0]; i++) {
                double square = 0;
                for (int d = 0; d < 3; d++)
                    square += pow(sl_whole_at(&w, 1 + d, k, j, i), 2);
                out[0] += 0.5 * sl_whole_at(&w, 0, k, j, i) * square * volume;
                out[1] += sl_whole_at(&w, 4, k, j, i) / (run->cfg->fluid_gamma - 1) * volume;
            }
    sl_whole_release(&w);
    return SL_OK;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct sl_config *cfg = data;
    double want[3], got[2], t = run->time / crossing(cfg);
    double unit = pull(cfg) * cfg->evrard_mass / cfg->evrard_radius;
    if (!(t > 0) || t > (double)(ROWS - 1) / EVERY + 1e-9) return SL_OK;
    energies_at(t, want);
    SL_TRY(energies_of(run, got));
    sl_measure(out, "kinetic_error",
               "difference of the kinetic energy from that of many shells, over the potential "
               "energy",
               fabs(got[0] / unit - want[0]) / -want[2]);
    sl_measure(out, "thermal_error", "the same of the thermal energy",
               fabs(got[1] / unit - want[1]) / -want[2]);
    return SL_OK;
}

const struct sl_problem sl_problem_evrard = {.name = "evrard",
                                             .open = sl_problem_keep,
                                             .close = free,
                                             .state = state,
                                             .crossing = crossing,
                                             .measure = measure};
