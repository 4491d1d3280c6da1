/* sod.c - the shock tube of Sod 1978 along x. */
#include "core/problem/problem.h"

SL_PROBLEM(sod, 0, "shock tube of Sod 1978")
SL_REAL_KEY(sod_x0, "sod.x0", "0.5", -1e30, 1e30, none, "place of the diaphragm")

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    (void)data, (void)t;
    double left = 0.5 * (lo[0] + hi[0]) < 0.5;
    prim[0] = left > 0 ? 1 : 0.125;
    prim[1] = prim[2] = prim[3] = 0;
    prim[4] = left > 0 ? 1 : 0.1;
}

const struct sl_problem sl_problem_sod = {.name = "sod", .state = state};
