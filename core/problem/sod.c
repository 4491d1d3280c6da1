/* sod.c - the shock tube of Sod 1978 along x, with the exact solution; fluid.gamma is 1.4 in the
 * paper. Along other directions: problem riemann, whose defaults are these two states. */
#include <stdlib.h>

#include "core/exact/plateau.h"
#include "core/exact/tube.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(sod, 0, "shock tube of Sod 1978 along x; exact solution")
SL_SHOW(sod, "profiles error", "density pressure", "relative_l1")
SL_RULE_TUBE(sod)
SL_RULE_EXACT(sod)
SL_REAL_KEY(sod_x0, "sod.x0", "0.5", -1e30, 1e30, none, "place of the diaphragm")

struct sod {
    struct sl_tube tube;
    int nscalar;
};

static int set(const struct sl_config *cfg, struct sod *sod)
{
    const double x_axis[3] = {1, 0, 0};
    sod->tube = (struct sl_tube){.eos = cfg->fluid_eos,
                                 .gamma = cfg->fluid_gamma,
                                 .cs = cfg->fluid_sound_speed,
                                 .left = {1, 0, 0, 0, 1},
                                 .right = {0.125, 0, 0, 0, 0.1},
                                 .x0 = cfg->sod_x0};
    sod->nscalar = (int)cfg->fluid_scalars;
    SL_TRY(sl_tube_aim(&sod->tube, x_axis));
    return sl_tube_solve(&sod->tube);
}

static int open(const struct sl_config *cfg, void **data)
{
    struct sod *sod = calloc(1, sizeof *sod);
    SL_CHECK(sod, SL_EMEM, "no memory for the shock tube");
    int code = set(cfg, sod);
    if (code != SL_OK) {
        free(sod);
        return code;
    }
    *data = sod;
    return SL_OK;
}

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sod *sod = data;
    sl_tube_average(&sod->tube, lo, hi, t, sod->nscalar, prim);
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    return sl_plateau_measure(&((const struct sod *)data)->tube, run, out);
}

const struct sl_problem sl_problem_sod = {
    .name = "sod", .exact = true, .open = open, .close = free, .state = state, .measure = measure};
