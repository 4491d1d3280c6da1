/* polytrope.c - a sphere of gas, p = K rho^(1 + 1 / n), at rest under its own gravity: it should
 * stay so. Its energy is a small difference of gravity and pressure.
 *
 * The sphere ends where its density is polytrope.surface of that of the centre; gas around it has
 * the pressure of the surface and is so thin that its weight over a radius is a tenth of that. A
 * sphere of gas with fluid.gamma above 4/3 is stable, and does not convect where that is 1 + 1 / n
 * or more. time.unit: crossing is (R^3 / G M)^(1/2), about the time that sound takes to the centre.
 *
 * Refs  lane_emden.h; Chandrasekhar 1939, chapter 4 */
#include <math.h>
#include <stdlib.h>

#include "core/exact/densest.h"
#include "core/exact/lane_emden.h"
#include "core/exact/points.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* clang-format off */
SL_PROBLEM(polytrope, 0, "a sphere of gas at rest under its own gravity; exact solution")
SL_SHOW(polytrope, "radial profiles error energies", "density", "centre_error speed relative_l1")
SL_REAL_KEY(polytrope_index, "polytrope.index", "1.5", 0.5, 4.5, none, "n of p = K rho^(1 + 1 / n)")
SL_REAL_KEY(polytrope_radius, "polytrope.radius", "1", 1e-30, 1e30, length, "radius of the sphere")
SL_REAL_KEY(polytrope_mass, "polytrope.mass", "1", 1e-30, 1e30, none, "mass of the sphere")
SL_REAL_KEY(polytrope_surface, "polytrope.surface", "0.01", 1e-4, 0.5, none, "density at the surface over that at the centre")
SL_REALS_KEY(polytrope_center, "polytrope.center", "[0, 0, 0]", 3, -1e30, 1e30, length, "centre of the sphere")
SL_RULE_IDEAL(polytrope)
SL_RULE(polytrope, fluid_mhd, cfg->fluid_mhd == SL_MHD_none, "problem polytrope has no magnetic field; nearest: none")
SL_RULE(polytrope, fluid_gamma, cfg->fluid_gamma >= 1 + 1 / cfg->polytrope_index - 1e-4, "%g: gas with polytrope.index %g convects below %.4g", cfg->fluid_gamma, cfg->polytrope_index, 1 + 1 / cfg->polytrope_index)
SL_RULE(polytrope, fluid_gamma, cfg->fluid_gamma > 4.0 / 3 + 1e-4, "%g: a sphere of gas falls together unless it is above 4/3; nearest: 5/3", cfg->fluid_gamma)
SL_RULE(polytrope, gravity_four_pi_g, cfg->gravity_four_pi_g > 0, "problem polytrope needs gravity of the gas: above 0; nearest: 4*pi")
SL_RULE(polytrope, gravity_boundary, sl_config_isolated(cfg), "problem polytrope has nothing around it; nearest: isolated, with mesh.boundary: outflow")
SL_RULE_EXACT_WITH(polytrope, self_gravity)
/* clang-format on */

static const double pi = 3.14159265358979323846;
enum { ROWS = 1024, POINTS = 4 /* of a cell along an axis */ };

struct star {
    struct sl_config cfg;
    double theta[ROWS + 1];   /* from the centre to the surface */
    double density, pressure; /* of the centre */
    double around;            /* density of the gas around */
};

static double pull(const struct sl_config *cfg)
{
    return cfg->gravity_four_pi_g / (4 * pi) * cfg->polytrope_mass;
}

static double crossing(const void *data)
{
    const struct star *s = data;
    return sqrt(pow(s->cfg.polytrope_radius, 3) / pull(&s->cfg));
}

/* M = 4 pi rho_c alpha^3 xi^2 |theta'| of the surface, p_c = 4 pi G alpha^2 rho_c^2 / (n + 1). */
static int open_star(const struct sl_config *cfg, void **data)
{
    struct star *s = NULL;
    double n = cfg->polytrope_index, edge = sl_lane_emden_edge(n, cfg->polytrope_surface);
    double alpha = cfg->polytrope_radius / edge;
    SL_CHECK(isfinite(edge), SL_EINPUT, "polytrope.surface %g lies too far out",
             cfg->polytrope_surface);
    SL_TRY(sl_alloc("the sphere", 1, sizeof *s, &s));
    s->cfg = *cfg;
    s->density =
        cfg->polytrope_mass / (4 * pi * pow(alpha, 3) * sl_lane_emden(n, edge, ROWS, s->theta));
    s->pressure = cfg->gravity_four_pi_g * pow(alpha * s->density, 2) / (n + 1);
    s->around = 0.1 * s->pressure * pow(s->theta[ROWS], n + 1) * cfg->polytrope_radius / pull(cfg);
    *data = s;
    return SL_OK;
}

static void add_point(const struct star *s, const double x[3], double *rho, double *p)
{
    double r2 = 0, n = s->cfg.polytrope_index;
    for (int d = 0; d < 3; d++)
        r2 += pow(x[d] - s->cfg.polytrope_center[d], 2);
    double row = fmin(sqrt(r2) / s->cfg.polytrope_radius, 1) * ROWS;
    int i = row < ROWS - 1 ? (int)row : ROWS - 1;
    double theta = s->theta[i] + (row - i) * (s->theta[i + 1] - s->theta[i]);
    *rho += row < ROWS ? s->density * pow(theta, n) : s->around;
    *p += s->pressure * pow(theta, n + 1);
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    enum { N = POINTS * POINTS * POINTS };
    const struct star *s = data;
    double x[3], rho = 0, p = 0;
    (void)t;
    for (int q = 0; q < N; q++) {
        sl_cell_point(POINTS, q, lo, hi, x);
        add_point(s, x, &rho, &p);
    }
    prim[0] = rho / N;
    prim[4] = p / N;
    for (int i = 0; i < s->cfg.fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

/* The largest speed within nine tenths of the radius. */
static int fastest(const struct star *s, const struct sl_state *run, double *speed)
{
    struct sl_whole w;
    double most = 0, within = pow(0.9 * s->cfg.polytrope_radius, 2);
    SL_TRY(sl_whole_init(run, &w));
    for (int k = 0; k < w.n[2]; k++)
        for (int j = 0; j < w.n[1]; j++)
            for (int i = 0; i < w.n[0]; i++) {
                const int at[3] = {i, j, k};
                double r2 = 0, square = 0;
                for (int d = 0; d < 3; d++) {
                    r2 += pow(sl_whole_x(&w, d, at[d]) - s->cfg.polytrope_center[d], 2);
                    square += pow(sl_whole_at(&w, 1 + d, k, j, i), 2);
                }
                if (r2 < within) most = fmax(most, square);
            }
    sl_whole_release(&w);
    *speed = sqrt(most);
    return SL_OK;
}

/* Density at the start of the cell, of this size, that holds the centre, or has it as a corner. */
static double densest(const struct star *s, double side)
{
    double prim[SL_PRIM_MAX] = {0}, lo[3], hi[3];
    for (int d = 0; d < 3; d++) {
        double low = s->cfg.mesh_box[2 * d];
        lo[d] = low + side * floor((s->cfg.polytrope_center[d] - low) / side + 1e-9);
        hi[d] = lo[d] + side;
    }
    state(s, lo, hi, 0, prim);
    return prim[0];
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    const struct star *s = data;
    struct sl_densest d;
    double speed, sound = sqrt(s->cfg.fluid_gamma * s->pressure / s->density);
    if (!(run->time > 0)) return SL_OK;
    SL_TRY(sl_densest_find(run, s->cfg.polytrope_center, &d));
    SL_TRY(fastest(s, run, &speed));
    sl_measure(out, "centre_error", "relative error of the largest density",
               fabs(d.rho / densest(s, d.side) - 1));
    sl_measure(out, "speed",
               "largest speed within 0.9 of the radius, over that of sound at the centre",
               speed / sound);
    return SL_OK;
}

const struct sl_problem sl_problem_polytrope = {.name = "polytrope",
                                                .exact = true,
                                                .force = "self_gravity",
                                                .open = open_star,
                                                .close = free,
                                                .state = state,
                                                .crossing = crossing,
                                                .measure = measure};
