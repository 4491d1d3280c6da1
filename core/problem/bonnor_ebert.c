/* bonnor_ebert.c - a critical sphere of isothermal gas, too dense to stay at rest, collapses: its
 * middle nears the similarity solution of Larson and Penston while its density grows by decades.
 *
 * rho = factor rho_c exp(-psi(xi)), xi = r (4 pi G rho_c)^(1/2) / c, psi'' + 2 psi' / xi =
 * exp(-psi), out to xi = 6.451; around it the density of its edge. time.unit: crossing is (4 pi G
 * rho_c)^(-1/2). In the similarity solution 4 pi G rho (t_0 - t)^2 = 1.667 at the centre, and v =
 * -2/3 r / (t_0 - t): the velocity of the densest cell says how much time is left. It is neared
 * from within, slowly.
 *
 * Refs  Bonnor 1956; Ebert 1955; Larson 1969; Penston 1969; Foster & Chevalier 1993 */
#include <math.h>
#include <stdlib.h>

#include "core/exact/densest.h"
#include "core/exact/lane_emden.h"
#include "core/exact/points.h"
#include "core/state/problem.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(bonnor_ebert, 0, "a critical sphere of isothermal gas that is too heavy falls together towards the solution of Larson and Penston")
SL_SHOW(bonnor_ebert, "radial profiles energies", "density velocity_x", "similarity cells_per_jeans_length")
SL_REAL_KEY(bonnor_ebert_density, "bonnor_ebert.density", "1", 1e-30, 1e30, none, "density at the centre of the critical sphere")
SL_REAL_KEY(bonnor_ebert_factor, "bonnor_ebert.factor", "1.3", 1, 1000, none, "density at the start over that of the critical sphere")
SL_REALS_KEY(bonnor_ebert_center, "bonnor_ebert.center", "[0, 0, 0]", 3, -1e30, 1e30, length, "centre of the sphere")
SL_RULE(bonnor_ebert, fluid_eos, cfg->fluid_eos == SL_EOS_isothermal, "problem bonnor_ebert is one of isothermal gas; nearest: isothermal")
SL_RULE(bonnor_ebert, fluid_mhd, cfg->fluid_mhd == SL_MHD_none, "problem bonnor_ebert has no magnetic field; nearest: none")
SL_RULE(bonnor_ebert, gravity_four_pi_g, cfg->gravity_four_pi_g > 0, "problem bonnor_ebert needs gravity of the gas: above 0; nearest: 1")
SL_RULE(bonnor_ebert, gravity_boundary, sl_config_isolated(cfg), "problem bonnor_ebert has nothing around it; nearest: isolated, with mesh.boundary: outflow")
/* clang-format on */

static const double pi = 3.14159265358979323846, edge = 6.451;
enum { ROWS = 512 };

struct sphere {
    struct sl_config cfg;
    double per_length;        /* xi of a unit of length */
    double profile[ROWS + 1]; /* exp(-psi) at xi = edge i / ROWS */
};

static int open_sphere(const struct sl_config *cfg, void **data)
{
    struct sphere *s = NULL;
    SL_TRY(sl_alloc("the critical sphere", 1, sizeof *s, &s));
    s->cfg = *cfg;
    s->per_length =
        sqrt(cfg->gravity_four_pi_g * cfg->bonnor_ebert_density) / cfg->fluid_sound_speed;
    sl_lane_emden(INFINITY, edge, ROWS, s->profile);
    *data = s;
    return SL_OK;
}

static double crossing(const void *data)
{
    const struct sphere *s = data;
    return 1 / sqrt(s->cfg.gravity_four_pi_g * s->cfg.bonnor_ebert_density);
}

static double density_at(const struct sphere *s, const double x[3])
{
    double r2 = 0;
    for (int d = 0; d < 3; d++)
        r2 += pow(x[d] - s->cfg.bonnor_ebert_center[d], 2);
    double row = fmin(sqrt(r2) * s->per_length / edge, 1) * ROWS;
    int i = row < ROWS - 1 ? (int)row : ROWS - 1;
    double profile = s->profile[i] + (row - i) * (s->profile[i + 1] - s->profile[i]);
    return s->cfg.bonnor_ebert_density * profile * (row < ROWS ? s->cfg.bonnor_ebert_factor : 1);
}

enum { POINTS = 4 }; /* of a cell along an axis */

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sphere *s = data;
    double x[3], sum = 0;
    (void)t;
    for (int q = 0; q < POINTS * POINTS * POINTS; q++) {
        sl_cell_point(POINTS, q, lo, hi, x);
        sum += density_at(s, x);
    }
    prim[0] = sum / (POINTS * POINTS * POINTS);
    for (int i = 0; i < s->cfg.fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct sphere *s = data;
    const double four_pi_g = s->cfg.gravity_four_pi_g;
    struct sl_densest d;
    SL_TRY(sl_densest_find(run, s->cfg.bonnor_ebert_center, &d));
    double left = d.rate > 0 ? 2.0 / 3 / d.rate : 0;
    sl_measure(out, "density_grown", "largest density over that of the critical sphere",
               d.rho / s->cfg.bonnor_ebert_density);
    sl_measure(out, "similarity",
               "4 pi G rho (t_0 - t)^2 of the densest cell, 1.667 in the solution of Larson and "
               "Penston",
               four_pi_g * d.rho * left * left);
    sl_measure(out, "cells_per_jeans_length", "cells of a Jeans length at the densest cell",
               2 * pi * s->cfg.fluid_sound_speed / sqrt(four_pi_g * d.rho) / d.side);
    return SL_OK;
}

const struct sl_problem sl_problem_bonnor_ebert = {.name = "bonnor_ebert",
                                                   .open = open_sphere,
                                                   .close = free,
                                                   .state = state,
                                                   .crossing = crossing,
                                                   .measure = measure};
