/* ryu_jones.c - the shock tube 2a of Ryu & Jones 1995: all seven waves of MHD, each a jump, along
 * any axis, with the exact solution.
 *
 * As published: fluid.gamma 5/3, box [-0.5, 0.5] along the axis, outflow, end at t = 0.2. States
 * and speeds of the exact solution to five digits (Ryu & Jones 1995, table 2a). */
#include <math.h>
#include <stdlib.h>

#include "core/state/problem.h"

SL_PROBLEM(ryu_jones, 0, "MHD shock tube 2a of Ryu & Jones (1995): all seven waves; exact solution")
SL_SHOW(ryu_jones, "profiles error", "density", "relative_l1")
SL_RULE_TUBE(ryu_jones)
SL_RULE_EXACT(ryu_jones)
SL_INT_KEY(ryu_jones_axis, "ryu_jones.axis", "0", 0, 2, none,
           "axis of the tube: 0, 1, 2 for x, y, z")
SL_RULE_FIELD(ryu_jones)
SL_RULE_IDEAL(ryu_jones)
SL_RULE(ryu_jones, ryu_jones_axis, cfg->ryu_jones_axis < cfg->mesh_cells_n,
        "the grid of mesh.cells has %d axes, 0 .. %d", cfg->mesh_cells_n, cfg->mesh_cells_n - 1)

enum { NSTATE = 8, NVALUE = 7 };

/* 1 / sqrt(4 pi) */
#define Q 0.28209479177387814

/* rho, u, v, w, p, and the field across; the field along is 2 / sqrt(4 pi). */
static const double states[NSTATE][NVALUE] = {
    {1.08, 1.2, 0.01, 0.5, 0.95, 3.6 * Q, 2 * Q},
    {1.49032, 0.60587, 0.11233, 0.55685, 1.65578, 1.43831, 0.79906},
    {1.49043, 0.60587, 0.22138, 0.30122, 1.65608, 1.57147, 0.48698},
    {1.63407, 0.57538, 0.04753, 0.24731, 1.93159, 1.41261, 0.43774},
    {1.47327, 0.57538, 0.04753, 0.24731, 1.93159, 1.41261, 0.43774},
    {1.30896, 0.53435, -0.18381, 0.17553, 1.58437, 1.61002, 0.49902},
    {1.30896, 0.53435, -0.09458, -0.04729, 1.58437, 1.50785, 0.75393},
    {1, 0, 0, 0, 1, 4 * Q, 2 * Q}};
static const double speed[NSTATE - 1] = {-0.95787, 0.14372, 0.25968, 0.57538,
                                         0.90211,  1.02744, 2.2638};

/* Adds a share of a state as density, momentum, field across and energy without that of the field
 * along. */
static void add(const double *s, double share, double heat, double sum[NVALUE])
{
    double kinetic = 0.5 * s[0] * (s[1] * s[1] + s[2] * s[2] + s[3] * s[3]);
    sum[0] += share * s[0];
    for (int i = 1; i < 4; i++)
        sum[i] += share * s[0] * s[i];
    sum[4] += share * (s[4] * heat + kinetic + 0.5 * (s[5] * s[5] + s[6] * s[6]));
    sum[5] += share * s[5];
    sum[6] += share * s[6];
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    int x = (int)cfg->ryu_jones_axis, y = (x + 1) % 3, z = (x + 2) % 3;
    double sum[NVALUE] = {0}, heat = 1 / (cfg->fluid_gamma - 1), from = lo[x];
    for (int i = 0; i < NSTATE; i++) {
        double end = i < NSTATE - 1 ? fmin(hi[x], fmax(from, speed[i] * t)) : hi[x];
        add(states[i], (end - from) / (hi[x] - lo[x]), heat, sum);
        from = end;
    }
    double kinetic = 0.5 * (sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3]) / sum[0];
    double field = 0.5 * (sum[5] * sum[5] + sum[6] * sum[6]);
    prim[0] = sum[0];
    prim[1 + x] = sum[1] / sum[0];
    prim[1 + y] = sum[2] / sum[0];
    prim[1 + z] = sum[3] / sum[0];
    prim[4] = (sum[4] - kinetic - field) / heat;
    prim[SL_PRIM_B + x] = 2 * Q;
    prim[SL_PRIM_B + y] = sum[5];
    prim[SL_PRIM_B + z] = sum[6];
    double contact = fmin(hi[x], fmax(lo[x], speed[3] * t));
    for (int i = 0; i < cfg->fluid_scalars; i++) /* by volume: for looks, not for errors */
        prim[SL_PRIM_SCALAR + i] = (hi[x] - contact) / (hi[x] - lo[x]);
}

const struct sl_problem sl_problem_ryu_jones = {
    .name = "ryu_jones", .exact = true, .open = sl_problem_keep, .close = free, .state = state};
