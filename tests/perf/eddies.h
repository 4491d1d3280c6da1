/* eddies.h - turbulence to measure on: nine solenoidal waves of rms Mach number M, half a crossing
 * later, when shocks are everywhere. Smooth flow tells nothing of what shocks cost.
 *
 *   turbulence=M   among the words of a case; all others are keys of a recipe
 *
 * Shapes box [0, 1]^3, periodic. Units sound speed and density of the start are 1, for the default
 * fluid.gamma. Errors those of sl_sim_step. Owns nothing. MPI collective. Where host. Refs none.
 * Tests itself.
 */
#ifndef TESTS_PERF_EDDIES_H
#define TESTS_PERF_EDDIES_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/state/problem.h"
#include "core/step/sim.h"
#include "core/sys/status.h"

static double eddies_mach; /* 0: smooth flow */

/* Whether a word of a case asks for turbulence. */
static inline int eddies_asked(const char *word)
{
    static const char key[] = "turbulence=";
    if (strncmp(word, key, sizeof key - 1) != 0) return 0;
    eddies_mach = strtod(word + sizeof key - 1, NULL);
    return 1;
}

static inline void eddies_state(const void *data, const double lo[3], const double hi[3], double t,
                                double *prim)
{
    static const struct {
        double k[3], v[3];
    } wave[] = {
        {{1, 0, 0}, {0, 1, 0}},      {{0, 1, 0}, {0, 0, 1}},      {{0, 0, 1}, {1, 0, 0}},
        {{1, 1, 0}, {0.7, -0.7, 0}}, {{0, 1, 1}, {0, 0.7, -0.7}}, {{1, 0, 1}, {-0.7, 0, 0.7}},
        {{2, 0, 0}, {0, 0, 1}},      {{0, 2, 0}, {1, 0, 0}},      {{0, 0, 2}, {0, 1, 0}}};
    enum { WAVES = sizeof wave / sizeof *wave };
    const double twopi = 2 * acos(-1), size = eddies_mach * sqrt(2.0 / WAVES);
    (void)data, (void)t;
    prim[0] = 1;
    prim[4] = 0.6;
    for (int d = 0; d < 3; d++)
        prim[1 + d] = 0, prim[SL_PRIM_B + d] = 0.3;
    for (int i = 0; i < WAVES; i++) {
        double phase = 0.37 * i;
        for (int d = 0; d < 3; d++)
            phase += wave[i].k[d] * 0.5 * (lo[d] + hi[d]);
        for (int d = 0; d < 3; d++)
            prim[1 + d] += size * wave[i].v[d] * sin(twopi * phase);
    }
}

/* Steps for half a crossing. */
static inline int eddies_develop(struct sl_sim *sim)
{
    while (eddies_mach > 0 && sim->state.time < 0.5 / eddies_mach)
        SL_TRY(sl_sim_step(sim, 1e9));
    return SL_OK;
}

#endif
