/* deposit.h - the density of particles on a grid: by the nearest cell, as a cloud in a cell, as a
 * triangular cloud or as a piecewise cubic one.
 *
 * Weights are summed as whole numbers of 2^-42, so that the sums are the same in any order: for any
 * number of ranks and however the particles are shared out. The larger the cloud, the weaker the
 * aliases. A triangular cloud is smooth where the particles of a lattice start: a cloud in a cell
 * has a cusp there, which adds noise of second order. sl_spectrum_pair divides by the window of a
 * scheme.
 *
 * Shapes  particles x[d][n], own of this rank; contrast [nz][n1][n0], the own planes of the slab
 * Units   positions in sides of the box from its lower corner, any number of boxes away
 * Errors  SL_EINPUT for a position that is not finite, or no particle at all; SL_EGUARD for more
 *         than 2^20 particles in a cell; SL_EMEM
 * Owns    nothing
 * MPI     collective; ranks without particles or planes allowed; the same bits for any number of
 *         ranks
 * Where   host, or memory that the slab's device has lent (lent.h); added up on the slab's device
 *         where there is one (device.h), to the same bits
 * Refs    see touch.h
 * Tests   tests/unit/deposit.c, tests/gpu/deposit.c, tests/problem/numpy_matter.sh
 */
#ifndef SL_MEASURE_DEPOSIT_H
#define SL_MEASURE_DEPOSIT_H

#include <stdint.h>

#include "core/grid/slab.h"

/* order: cells that a particle touches along an axis, 1 nearest, 2 cloud in a cell, 3 triangular
 * cloud, 4 piecewise cubic. contrast: density over its mean, less 1. total: particles of all
 * ranks. */
int sl_deposit_make(const struct sl_slab *slab, int order, size_t n, const double *const x[3],
                    double *contrast, double *total);

#endif
