/* correlation.h - the correlation function of periodic fields over distance, xi(r) = <a(x) b(x +
 * r)>.
 *
 * Of all pairs of cells, made by transforms. It is that of the field as it lies on the grid: below
 * two or three cells the window of a deposit of particles is in it.
 *
 * Shapes  correlation at lags [nz][n1][n0], the own planes of a slab
 * Units   xi: of the product; r: code length
 * Errors  SL_EMEM
 * Owns    the arrays of a struct sl_correlation
 * MPI     collective; the same bits for any number of ranks
 * Where   host
 * Refs    none
 * Tests   tests/unit/spectrum.c, tests/problem/numpy_matter.sh
 */
#ifndef SL_MEASURE_CORRELATION_H
#define SL_MEASURE_CORRELATION_H

#include "core/grid/slab.h"

/* What a correlation is over distance: bins of one smallest cell, r - 1/2 <= |lag| < r + 1/2 of
 * them, r = 1 .. half the shortest side; lags to the nearest image. */
struct sl_correlation {
    int nbin;
    double *lags; /* owned, [nbin]: how many; a lag and its opposite are two */
    double *r;    /* [nbin], behind lags: their mean length */
    double *xi;   /* likewise: the mean over them */
};

/* Of own planes of lags, as sl_spectrum_pair makes them. */
int sl_correlation_make(const struct sl_slab *slab, const double *at_lags,
                        struct sl_correlation *out);
void sl_correlation_release(struct sl_correlation *correlation);

#endif
