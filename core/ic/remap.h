/* remap.h - values of fields at points that lie away from the cell centres: from the places where matter started to
 * those where it is.
 *
 * Interpolation by splines of degree 5 on a grid of their own, finer than the points if that is wanted; their
 * coefficients are made in Fourier space, where the field is made anyway, by dividing each mode by sl_remap_filter.
 * The error is at most 3e-3 of a wave at half the Nyquist frequency of that grid, 3e-5 at a quarter of it.
 *
 * Shapes  points [nz][n1][n0], coefficients [n1][n0] for each plane: own planes of two slabs of one box; points are at
 *         cell centres, coefficient 0 at the corner of the box
 * Units   shifts in cells of the points
 * Errors  SL_EMEM, agreed on by all ranks
 * Owns    the shifts and the halo
 * MPI     collective; each value is made by one rank, so the bits do not depend on their number
 * Where   host
 * Refs    Unser 1999 (splines)
 * Tests   tests/unit/remap.c
 */
#ifndef SL_IC_REMAP_H
#define SL_IC_REMAP_H

#include <stdint.h>

#include "core/stats/slab.h"

struct sl_remap {
    struct sl_slab points, grid;
    double *shift[3]; /* owned; the place of a point is its cell centre less this */
    int halo;         /* planes of the grid on either side; set by _ready */
    int64_t lo, hi;   /* planes that are here, the halo included */
    double *planes;   /* owned, [hi - lo]; each with some of its beginning again at its end */
};

int sl_remap_init(const struct sl_slab *points, const struct sl_slab *grid, struct sl_remap *out);
/* When the shifts are set. */
int sl_remap_ready(struct sl_remap *r);
void sl_remap_release(struct sl_remap *r);

/* local. The coefficients of own plane k of the grid, [n1][n0]. */
void sl_remap_put(const struct sl_remap *r, int k, const double *plane);
/* When they are there: the value at each point. */
int sl_remap_apply(struct sl_remap *r, double *out);

/* local. Factor of wave number n among N cells along one axis; values over coefficients. */
double sl_remap_filter(int n, int cells);

#endif
