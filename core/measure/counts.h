/* counts.h - counts in cells: moments of what lies in cells of 1, 2, 4 .. grid cells a side.
 *
 * With N in a cell, its mean M and d = N / M - 1, the connected moments are c2 = <d^2>,
 * c3 = <d^3>, c4 = <d^4> - 3 c2^2. Those of points are over a field that the points sample at
 * random: of factorial moments, N - 1, N - 2 .. for powers of N, so that Poisson points have none.
 * Gravity makes S3 = c3 / c2^2 and S4 = c4 / c2^3 of Gaussian waves, which depend little on the
 * amplitude. Cells are summed in whole numbers.
 *
 * Shapes  contrast [nz][n1][n0], the own planes of a slab
 * Units   none
 * Errors  SL_EMEM
 * Owns    nothing
 * MPI     collective; the same bits for any number of ranks
 * Where   host
 * Refs    Peebles 1980, sections 33 and 36; Bernardeau et al. 2002, sections 5.2 and 6.7
 * Tests   tests/problem/numpy_counts.sh
 */
#ifndef SL_MEASURE_COUNTS_H
#define SL_MEASURE_COUNTS_H

#include <stdbool.h>

#include "core/grid/slab.h"

struct sl_counts {
    int side;                  /* grid cells */
    double cells, mean;        /* how many there are; of N */
    double raw, c2, c3, c4;    /* raw: <d^2> as it is */
    double skewness, kurtosis; /* S3, S4; 0 where c2 is 0 */
};

/* local. Sides of 1, 2, 4 .. that divide all axes, with two cells along each at least. */
int sl_counts_sides(const struct sl_slab *slab);
/* contrast: density over its mean less 1; number: points per grid cell, of a contrast of whole
 * points; 0: of a field, of which N is the mass over that of a mean grid cell. out:
 * [sl_counts_sides]. */
int sl_counts_make(const struct sl_slab *slab, const double *contrast, double number,
                   struct sl_counts *out);

#endif
