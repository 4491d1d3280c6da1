/* riemann.c - the Riemann problem: any two states, along any direction, with the exact solution.
 *
 * Velocities are given along and across the normal of the diaphragm, so that turning the normal
 * turns the whole problem. */
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
    bool unknown;          /* the exact solution: the state is that of the start at all times */
    int nscalar;
};

static struct sl_tube_state side(const double *v)
{
    struct sl_tube_state s = {v[0], v[1], v[2], v[3], v[4]};
    return s;
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
                                              .measure = measure};
