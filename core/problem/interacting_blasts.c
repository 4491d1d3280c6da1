/* interacting_blasts.c - two blast waves between walls run into each other (Woodward & Colella
 * 1984): strong shocks, thin contacts.
 *
 * As published: box [0, 1], fluid.gamma 1.4, reflecting, end at t = 0.038. */
#include <math.h>
#include <stdlib.h>

#include "core/exact/profile.h"
#include "core/exact/whole.h"
#include "core/state/problem.h"
#include "core/sys/status.h"

SL_PROBLEM(interacting_blasts, 0, "two blast waves between walls (Woodward & Colella 1984)")
SL_SHOW(interacting_blasts, "profiles energies", "density", "density_error peak_density")
SL_RULE_WALLS(interacting_blasts, solid(cfg), solid(cfg), FREE(periodic), FREE(periodic),
              FREE(periodic), FREE(periodic))
SL_RULE_IDEAL(interacting_blasts)

static const double converged[] = {
#include "core/exact/interacting_blasts.def"
};

static void state(const void *data, const double lo[3], const double hi[3], double t, double *prim)
{
    const struct sl_config *cfg = data;
    double x = 0.5 * (lo[0] + hi[0]);
    (void)t;
    prim[0] = 1;
    prim[1] = prim[2] = prim[3] = 0;
    prim[4] = x < 0.1 ? 1000 : x < 0.9 ? 0.01 : 100;
    for (int i = 0; i < cfg->fluid_scalars; i++)
        prim[5 + i] = x < 0.5;
}

static int measure(const void *data, const struct sl_state *run, struct sl_measures *out)
{
    struct sl_whole w;
    int peak = 0;
    (void)data;
    if (fabs(run->time - 0.038) > 1e-9) return SL_OK;
    SL_TRY(sl_profile_measure(run, sizeof converged / sizeof *converged, converged, out));
    SL_TRY(sl_whole_init(run, &w));
    for (int i = 1; i < w.n[0]; i++)
        if (sl_whole_at(&w, 0, 0, 0, i) > sl_whole_at(&w, 0, 0, 0, peak)) peak = i;
    sl_measure(out, "peak_density", "largest density; converged, as published: 6.50 at t = 0.038",
               sl_whole_at(&w, 0, 0, 0, peak));
    sl_measure(out, "peak_place",
               "x of the largest density; converged, as published: 0.770 at t = 0.038",
               sl_whole_x(&w, 0, peak));
    sl_whole_release(&w);
    return SL_OK;
}

const struct sl_problem sl_problem_interacting_blasts = {
    .name = "interacting_blasts",
    .open = sl_problem_keep,
    .close = free,
    .state = state,
    .converged = {0.038, sizeof converged / sizeof *converged, converged},
    .measure = measure};
