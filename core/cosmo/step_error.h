/* step_error.h - how far a number of steps (time.steps) was measured to be from many.
 *
 * Measured were P(k) of 64^3 particles in (128 Mpc/h)^3 on 128^3 cells at z = 0 over that of 200
 * steps of kdk equal in ln a, of the same random phases, with nothing of the windows of particles
 * and mesh taken out; the largest difference of all shells up to an eighth, a quarter and half of
 * the particles' Nyquist wave number, 1.57 h/Mpc. The recipe: problem: cosmology, mesh.cells: [128,
 * 128, 128], mesh.box: [[0, 128], [0, 128], [0, 128]], cosmology: {h: 0.7, omega_m: 0.3, omega_b:
 * 0.045, n_s: 0.96, normalise: sigma8, sigma8: 0.8}, ic: {redshift: 49, transfer: eisenstein_hu,
 * species: dark_matter, fixed: true, order: 2}, fluid.eos: none, time: {end: 0, unit: redshift},
 * seed: 1; with time.begin: zero ic.order: 1. 100 steps of kdk were 0.1, 0.2 and 0.5 % away from
 * 200, so that is about as much as 200 are away from the truth on that mesh.
 *
 * Shapes  none
 * Units   shares
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/law/few_steps.sh
 */
#ifndef SL_COSMO_STEP_ERROR_H
#define SL_COSMO_STEP_ERROR_H

#include "core/config/config.h"

struct sl_step_error {
    int stepping, begin, steps; /* enum sl_stepping, enum sl_begin */
    double eighth, quarter, half;
};

/* The row of most steps that has no more than a recipe; NULL: it has fewer than were measured, or
 * adaptive ones. */
const struct sl_step_error *sl_step_error_of(const struct sl_config *cfg);

#endif
