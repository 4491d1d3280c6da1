/* separate.h - a box that is denser than the universe around it, as a universe of its own.
 *
 * A wave much longer than the box is felt in it as a mean density and a curvature that differ from
 * those around. Early on both universes are one; from then on each follows Friedmann's equation,
 * with the same physical densities at the same scale factor and another curvature,
 *     Omega_k(box) = Omega_k - K,  K = delta / (3/2 E(1) integral from 0 to 1 of da / (a E)^3),
 * in units of H0 of the universe around, which stay the units of the box: its E is not 1 at a = 1.
 * delta is the density contrast of the box today by linear theory; by the same equation the true
 * one is (a / a_box)^3 - 1 at equal times. The growth of waves in the box is that of its own H(a).
 *
 * Dark energy must be a constant: any other has waves, too. Radiation is compressed with the box,
 * as it is on scales beyond the horizon. There are no massive neutrinos.
 *
 * Shapes  none
 * Units   a = 1 today around the box; mean comoving densities of matter are the same in both
 * Errors  SL_EINPUT for a box that stops expanding, or nearly so, before today
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Sirko 2005; Li, Hu & Takada 2014; Wagner, Schmidt, Chiang & Komatsu 2015; Heath 1977
 *         (the integral)
 * Tests   tests/unit/separate.c, tests/law/separate.sh
 */
#ifndef SL_COSMO_SEPARATE_H
#define SL_COSMO_SEPARATE_H

#include "core/cosmo/background.h"

int sl_separate_init(const struct sl_cosmology *around, double delta, struct sl_cosmology *box);

/* The scale factor of one at the age at which the other has the scale factor a; of the universe
 * around up to a = 1. About a millisecond. */
double sl_separate_box(const struct sl_cosmology *around, const struct sl_cosmology *box, double a);
double sl_separate_around(const struct sl_cosmology *around, const struct sl_cosmology *box,
                          double a);

#endif
