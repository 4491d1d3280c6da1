/* riemann.c - the Riemann problem: any two states, along any direction, with the exact solution.
 *
 * Velocities are given along and across the normal of the diaphragm, so that turning the normal
 * turns the whole problem. A magnetic field that jumps across an oblique diaphragm has a potential
 * for constrained transport: sides that are told by the middles of cells would make a stair of the
 * diaphragm, which has a divergence at any angle but 45 degrees. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/plateau.h"
#include "core/exact/tube.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(riemann, 0, "two states separated by a diaphragm, along any direction; exact solution")
SL_SHOW(riemann, "profiles error", "density pressure", "relative_l1")
SL_RULE_WALLS(riemann, end_of(cfg->riemann_normal, 0), end_of(cfg->riemann_normal, 0),
              end_of(cfg->riemann_normal, 1), end_of(cfg->riemann_normal, 1),
              end_of(cfg->riemann_normal, 2), end_of(cfg->riemann_normal, 2))
SL_RULE_EXACT(riemann)
SL_REALS_KEY(riemann_left, "riemann.left", "[1, 0, 0, 0, 1]", 5, -1e30, 1e30, none,
             "density, velocity along the normal, two velocities across it, pressure (rho cs^2 if "
             "isothermal)")
SL_REALS_KEY(riemann_right, "riemann.right", "[0.125, 0, 0, 0, 0.1]", 5, -1e30, 1e30, none,
             "the same beyond the diaphragm")
SL_REALS_KEY(
    riemann_magnetic_left, "riemann.magnetic_left", "[0, 0, 0]", 3, -1e30, 1e30, none,
    "magnetic field (MHD): along the normal, and across it in the two directions of the "
    "velocities; with one along the normal alone, and no jump of the velocities across, the "
    "exact solution is that without a field, else none is known")
SL_REALS_KEY(riemann_magnetic_right, "riemann.magnetic_right", "[0, 0, 0]", 3, -1e30, 1e30, none,
             "the same beyond the diaphragm; the field along the normal is that on the left")
SL_REALS_KEY(riemann_normal, "riemann.normal", "[1, 0, 0]", 3, -1e30, 1e30, none,
             "direction from left to right, of any length; along an axis the velocities across "
             "follow in cyclic order")
SL_REAL_KEY(riemann_x0, "riemann.x0", "0.5", -1e30, 1e30, none,
            "place of the diaphragm along the normal")
SL_RULE(riemann, riemann_left, cfg->riemann_left_n == 5, "needs five numbers: rho, u, v, w, p")
SL_RULE(riemann, riemann_right, cfg->riemann_right_n == 5, "needs five numbers: rho, u, v, w, p")
SL_RULE(riemann, riemann_left, positive(cfg, cfg->riemann_left),
        "density %g and pressure %g must be positive", cfg->riemann_left[0], cfg->riemann_left[4])
SL_RULE(riemann, riemann_right, positive(cfg, cfg->riemann_right),
        "density %g and pressure %g must be positive", cfg->riemann_right[0], cfg->riemann_right[4])
SL_RULE(riemann, riemann_normal, cfg->riemann_normal_n == 3, "needs three numbers, not %d",
        cfg->riemann_normal_n)
SL_RULE(riemann, riemann_normal, directed(cfg->riemann_normal),
        "has no direction: all three are zero")
SL_RULE(riemann, riemann_magnetic_right,
        cfg->riemann_magnetic_right[0] == cfg->riemann_magnetic_left[0],
        "%g along the normal must be %g as on the left", cfg->riemann_magnetic_right[0],
        cfg->riemann_magnetic_left[0])
SL_RULE(riemann, fluid_mhd,
        cfg->fluid_mhd != SL_MHD_none ||
            !(directed(cfg->riemann_magnetic_left) || directed(cfg->riemann_magnetic_right)),
        "riemann.magnetic_left and riemann.magnetic_right need a field; nearest: glm or ct")
SL_RULE(riemann, verify, !cfg->verify || !sl_config_riemann_magnetic(cfg),
        "no exact solution is known with a magnetic field, except with one along the normal where "
        "the velocities across do not jump")

struct riemann {
    struct sl_tube tube;
    double magnetic[2][3]; /* left and right, in box axes */
    bool curled;           /* the field jumps across an oblique diaphragm */
    bool unknown;          /* the exact solution: the state is that of the start at all times */
    int nscalar;
};

static struct sl_tube_state side(const double *v)
{
    struct sl_tube_state s = {v[0], v[1], v[2], v[3], v[4]};
    return s;
}

/* Whether the field jumps, and the normal lies between axes of the grid, all of which it has. */
static bool oblique(const struct sl_config *cfg)
{
    bool jumps = false;
    int along = 0, beyond = 0;
    for (int i = 0; i < 3; i++) {
        jumps |= cfg->riemann_magnetic_left[i] != cfg->riemann_magnetic_right[i];
        *(i < cfg->mesh_cells_n ? &along : &beyond) += cfg->riemann_normal[i] != 0;
    }
    return jumps && along > 1 && beyond == 0;
}

static int set(const struct sl_config *cfg, struct riemann *r)
{
    r->tube.eos = cfg->fluid_eos;
    r->tube.gamma = cfg->fluid_gamma;
    r->tube.cs = cfg->fluid_sound_speed;
    r->tube.left = side(cfg->riemann_left);
    r->tube.right = side(cfg->riemann_right);
    r->tube.x0 = cfg->riemann_x0;
    r->nscalar = (int)cfg->fluid_scalars;
    SL_TRY(sl_tube_aim(&r->tube, cfg->riemann_normal));
    for (int s = 0; s < 2; s++) {
        const double *b = s ? cfg->riemann_magnetic_right : cfg->riemann_magnetic_left;
        for (int i = 0; i < 3; i++)
            r->magnetic[s][i] =
                b[0] * r->tube.normal[i] + b[1] * r->tube.along[i] + b[2] * r->tube.cross[i];
    }
    r->curled = oblique(cfg);
    r->unknown = sl_config_riemann_magnetic(cfg);
    return sl_tube_solve(&r->tube);
}

static int open(const struct sl_config *cfg, void **data)
{
    struct riemann *r = calloc(1, sizeof *r);
    SL_CHECK(r, SL_EMEM, "no memory for the Riemann problem");
    int code = set(cfg, r);
    if (code != SL_OK) {
        free(r);
        return code;
    }
    *data = r;
    return SL_OK;
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct riemann *r = data;
    sl_tube_average(&r->tube, lo, hi, r->unknown ? 0 : t, r->nscalar, prim);
    double place = -r->tube.x0;
    for (int i = 0; i < 3; i++)
        place += 0.5 * (lo[i] + hi[i]) * r->tube.normal[i];
    for (int i = 0; i < 3; i++)
        prim[SL_PRIM_B + i] = r->magnetic[place > 0][i];
}

/* Distance of a place from the diaphragm, to the right. */
static double distance(const struct riemann *r, const double x[3])
{
    const double *n = r->tube.normal;
    return ((x[0] * n[0] + x[1] * n[1]) + x[2] * n[2]) - r->tube.x0;
}

/* (J x n) |s| / 2, with the jump J of the field and the distance s from the diaphragm, whose curl
 * is -J / 2 on the left, J / 2 on the right; so the mean of |s| along the edge. */
static double potential(const void *data, int axis, const double lo[3], const double hi[3],
                        double t)
{
    const struct riemann *r = data;
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    double jump_a = r->magnetic[1][a] - r->magnetic[0][a];
    double jump_b = r->magnetic[1][b] - r->magnetic[0][b];
    double from = distance(r, lo), to = distance(r, hi);
    double mean = from * to < 0 ? 0.5 * (from * from + to * to) / fabs(to - from)
                                : 0.5 * (fabs(from) + fabs(to));
    (void)t;
    return 0.5 * mean * (jump_a * r->tube.normal[b] - jump_b * r->tube.normal[a]);
}

static void uniform(const void *data, double b[3])
{
    const struct riemann *r = data;
    for (int i = 0; i < 3; i++)
        b[i] = 0.5 * (r->magnetic[0][i] + r->magnetic[1][i]);
}

static bool curled(const void *data)
{
    return ((const struct riemann *)data)->curled;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    if (((const struct riemann *)data)->unknown) return SL_OK;
    return sl_plateau_measure(&((const struct riemann *)data)->tube, run, out);
}

const struct sl_problem sl_problem_riemann = {.name = "riemann",
                                              .exact = true,
                                              .open = open,
                                              .close = free,
                                              .state = state,
                                              .potential = potential,
                                              .uniform = uniform,
                                              .curled = curled,
                                              .measure = measure};
