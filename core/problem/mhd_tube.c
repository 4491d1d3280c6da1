/* mhd_tube.c - shock tubes of MHD along x whose exact solutions are tabled: 1a of Ryu & Jones 1995,
 * streams that run into each other, and 4d, a slow fan that switches a field on; and that of
 * Torrilhon 2003, whose fields are almost opposite, so that a scheme makes a compound wave in place
 * of a rotation and a shock until its grid is fine.
 *
 * As published: fluid.gamma 5/3, outflow; ryu_jones_1a in a box [-0.5, 0.5] to t = 0.08,
 * ryu_jones_4d to t = 0.16, torrilhon in [-1, 1.5] to t = 0.4.
 *
 * Refs  Ryu & Jones 1995, figures 1a and 4d; Torrilhon 2003, J. Plasma Phys. 69, 253 */
#include <math.h>
#include <stdlib.h>

#include "core/state/problem.h"

#define SL_MHD_TUBE_LIST(X)                                                                        \
    X(ryu_jones_1a, "streams of Mach 10 that collide in a field across them: four shocks")         \
    X(torrilhon, "fields on both sides at an angle of 3: almost coplanar")                         \
    X(ryu_jones_4d, "a slow fan that switches a field on")

SL_PROBLEM(mhd_tube, 0,
           "shock tubes of MHD along x; exact solution (Ryu & Jones 1995, Torrilhon 2003)")
SL_SHOW(mhd_tube, "profiles error", "density", "relative_l1")
SL_RULE_TUBE(mhd_tube)
SL_RULE_EXACT(mhd_tube)
SL_ENUM_KEY(mhd_tube_name, "mhd_tube.name", "torrilhon", SL_MHD_TUBE_LIST, "which tube")
SL_RULE_FIELD(mhd_tube)
SL_RULE_IDEAL(mhd_tube)
SL_RULE(mhd_tube, fluid_gamma, fabs(cfg->fluid_gamma - 5. / 3) < 1e-9,
        "%g: the exact solutions are those of 5/3; nearest: 1.6666666666666667", cfg->fluid_gamma)
SL_RULE(mhd_tube, mesh_box, cfg->mesh_box[0]<0 && cfg->mesh_box[1]> 0,
        "the jump at x = 0 is not within the box; nearest: [-1, 1.5]")

enum { NVALUE = 7 }; /* rho, u, v, w, p, B_y, B_z */

static const struct node {
    int tube;
    double place; /* x / t */
    double value[NVALUE];
} nodes[] = {
#define SL_MHD_TUBE_NODE(tube, place, ...) {SL_MHD_TUBE_##tube, place, {__VA_ARGS__}},
#include "core/exact/mhd_tube.def"
#undef SL_MHD_TUBE_NODE
};
enum { NNODE = sizeof nodes / sizeof *nodes };

/* The field along x of each tube. */
static const double along[] = {1.4104739588693909, 1, 0.7};

/* Adds a share of a primitive state as a conserved one, without the energy of the field along. */
static void add(const double w[NVALUE], double share, double heat, double sum[NVALUE])
{
    double kinetic = 0.5 * w[0] * (w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
    sum[0] += share * w[0];
    for (int i = 1; i < 4; i++)
        sum[i] += share * w[0] * w[i];
    sum[4] += share * (w[4] * heat + kinetic + 0.5 * (w[5] * w[5] + w[6] * w[6]));
    sum[5] += share * w[5];
    sum[6] += share * w[6];
}

/* Adds what lies between two nodes, of which one may be missing, within the cell: its mean is the
 * value in the middle. */
static void add_between(const struct node *a, const struct node *b, const double cell[2], double t,
                        double heat, double sum[NVALUE])
{
    double lo = a ? fmax(cell[0], a->place * t) : cell[0];
    double hi = b ? fmin(cell[1], b->place * t) : cell[1], w[NVALUE];
    if (!(hi > lo)) return;
    for (int i = 0; i < NVALUE; i++) {
        double part = a && b ? (0.5 * (lo + hi) / t - a->place) / (b->place - a->place) : 0;
        w[i] = a && b ? a->value[i] + part * (b->value[i] - a->value[i]) : (a ? a : b)->value[i];
    }
    add(w, (hi - lo) / (cell[1] - cell[0]), heat, sum);
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    const double cell[2] = {lo[0], hi[0]};
    const struct node *before = NULL;
    double sum[NVALUE] = {0}, heat = 1 / (cfg->fluid_gamma - 1);
    for (int i = 0; i < NNODE; i++) {
        if (nodes[i].tube != cfg->mhd_tube_name) continue;
        add_between(before, &nodes[i], cell, t, heat, sum);
        before = &nodes[i];
    }
    add_between(before, NULL, cell, t, heat, sum);
    double kinetic = 0.5 * (sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3]) / sum[0];
    double field = 0.5 * (sum[5] * sum[5] + sum[6] * sum[6]);
    prim[0] = sum[0];
    for (int i = 1; i < 4; i++)
        prim[i] = sum[i] / sum[0];
    prim[4] = (sum[4] - kinetic - field) / heat;
    prim[SL_PRIM_B] = along[cfg->mhd_tube_name];
    prim[SL_PRIM_B + 1] = sum[5];
    prim[SL_PRIM_B + 2] = sum[6];
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[SL_PRIM_SCALAR + i] = 1;
}

const struct sl_problem sl_problem_mhd_tube = {
    .name = "mhd_tube", .exact = true, .open = sl_problem_keep, .close = free, .state = state};
