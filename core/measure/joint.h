/* joint.h - how two quantities of the gas go together: shares of the volume over the logarithm of
 * the density and of another quantity.
 *
 * Bins of 0.1 in log10(x / mean x) and in log10(y / rms y), both from -4 to 4. Use it to see what a
 * power of the density tells of the other; a mean over bins of unequal counts is no fit.
 *
 * Shapes  x, y [nz][n1][n0], the own planes of a slab; share[bin of y][bin of x]
 * Units   shares of the volume
 * Errors  SL_EMEM; SL_EINPUT for values that are not finite
 * Owns    nothing
 * MPI     collective; the same bits for any number of ranks
 * Where   host
 * Refs    none
 * Tests   tests/problem/numpy_spectrum.sh
 */
#ifndef SL_MEASURE_JOINT_H
#define SL_MEASURE_JOINT_H

#include "core/grid/slab.h"

#define SL_JOINT_FIRST (-4.0)
#define SL_JOINT_WIDTH 0.1
enum { SL_JOINT_BINS = 80 };

struct sl_joint {
    double mean_x, rms_y;
    double outside; /* share of the volume beyond the bins, cells with x or y <= 0 among it */
    double share[SL_JOINT_BINS * SL_JOINT_BINS];
};

int sl_joint_make(const struct sl_slab *slab, const double *x, const double *y,
                  struct sl_joint *out);

#endif
