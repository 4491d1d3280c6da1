/* bispectrum.h - B(k1, k2, k3) of a periodic field for equilateral triangles and for squeezed ones.
 *
 * B V^-2 is the mean of a_k1 a_k2 a_k3 over all triangles k1 + k2 + k3 = 0 whose sides lie in
 * shells (spectrum.h): the sum over cells of the product of three fields that hold the waves of one
 * shell each, over the same for waves of amplitude 1. Equilateral: all three in one shell.
 * Squeezed: one of shells 1 to 3, two of the shell of k. A triangle of waves up to two thirds of
 * the Nyquist frequency has no aliases. Reduced: B over P1 P2 + P2 P3 + P3 P1 with the powers of
 * the same shells; it depends little on the amplitude, and is 4/7 for equilateral triangles where
 * gravity has grown them from Gaussian ones.
 *
 * Shapes  the field [nz][n1][n0], the own planes of a slab
 * Units   those of the field, cubed
 * Errors  SL_EMEM
 * Owns    the arrays of a struct sl_bispectrum
 * MPI     collective; the same bits for any number of ranks
 * Where   host
 * Refs    Scoccimarro 2000 (estimator by transforms); Fry 1984 (reduced)
 * Tests   tests/problem/numpy_bispectrum.sh
 */
#ifndef SL_MEASURE_BISPECTRUM_H
#define SL_MEASURE_BISPECTRUM_H

#include "core/measure/spectrum.h"

enum { SL_BISPECTRUM_LONG = 3 }; /* last shell of the long side of squeezed triangles */

struct sl_triangles {
    double number, mean, reduced; /* how many, of the products, over the powers */
};

struct sl_bispectrum {
    int nshell;                                  /* shells 1 .. nshell, of entries 0 .. */
    struct sl_triangles *equilateral, *squeezed; /* owned, [nshell] */
};

/* local. Up to two thirds of the Nyquist frequency. */
int sl_bispectrum_shells(const struct sl_slab *slab);
/* power[i], modes[i]: the mean of |a_k|^2, over the window, of the modes of shell i + 1; how many
 * there are. Takes four fields of memory. */
int sl_bispectrum_make(const struct sl_slab *slab, const struct sl_windowed *a, const double *power,
                       const double *modes, struct sl_bispectrum *out);
void sl_bispectrum_release(struct sl_bispectrum *b); /* local */

#endif
