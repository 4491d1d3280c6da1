/* stepping.h - steps of particles in an expanding universe that know how structure grows, so that a
 * few are enough.
 *
 * Their time is the growth D, velocities are w = dx/dD. A step from D0 to D1 goes straight to the
 * middle Dm, takes the force g = -grad phi, lap phi = delta, there, and goes straight on:
 *   x += w (Dm - D0);  w = alpha w + beta g(x);  x += w (D1 - Dm).
 * A plane wave is exact, until it crosses itself, if alpha + beta Dm = 1, which leaves alpha:
 *   fastpm    F0 / F1, F = a^3 H/H0 dD/da: the momentum of the growing mode
 *   bullfrog  (E1' - B) / (E0' - B), B = (E0 + E0' (Dm - D0)) / Dm - Dm, E the growth of second
 *             order and E' = dE/dD: velocities are those of 2LPT to second order
 * A step may begin at D0 = 0, where F, E and E' are 0: at D = 0 all matter is uniform, and w is the
 * displacement of 1LPT over D.
 *
 * Shapes  none
 * Units   a = 1 today; D, E, F as growth.h has them
 * Errors  none
 * Owns    nothing: plain data
 * MPI     local
 * Where   host
 * Refs    Feng, Chu, Seljak & McDonald 2016 (FastPM), section 2; Rampf, List & Hahn 2025
 *         (BullFrog); List & Hahn 2024 (integrators in D)
 * Tests   tests/unit/stepping.c
 */
#ifndef SL_COSMO_STEPPING_H
#define SL_COSMO_STEPPING_H

#include <stdbool.h>

#include "core/cosmo/background.h"

/* stepping: enum sl_stepping. Whether it goes by the growth; kdk does not, and has no leap. */
bool sl_stepping_grows(int stepping);

struct sl_leap {
    double from, middle, to; /* D0, Dm, D1 */
    double alpha, beta;
};
/* Between two scale factors; from = 0: D0 = 0. */
struct sl_leap sl_stepping_leap(int stepping, const struct sl_cosmology *c, double from, double to);

/* The same for velocities of core/cosmo/expansion.h and the pull of its potential:
 *   x += before v;  v = keep v + gain g(x);  x += after v. */
struct sl_push {
    double before, keep, gain, after;
    double middle; /* scale factor at which the force is found */
};
/* from, to: scale factors; zero: the first step of a run, which is to be that from D = 0 though
 * particles are already on their way; four_pi_g: with which the potential is found. */
struct sl_push sl_stepping_push(int stepping, const struct sl_cosmology *c, double from, double to,
                                bool zero, double four_pi_g);

#endif
