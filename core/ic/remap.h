/* remap.h - values of fields at points that lie away from the cell centres: from the places where
 * matter started to those where it is.
 *
 * Interpolation by splines of degree 5 on a grid of their own, finer than the points if that is
 * wanted; their coefficients are made in Fourier space, where the fields are made anyway, by
 * dividing each mode by sl_remap_filter. The error is at most 3e-3 of a wave at half the Nyquist
 * frequency of that grid, 3e-5 at a quarter of it. Up to four fields are carried together, and of
 * the grid only so many planes are held as the longest shift spans. Sums and shifts are in single
 * precision: after a shift of a few cells a value is off by some 3e-7 of the largest coefficient
 * near it.
 *
 * Shapes  points [nz][n1][n0], own planes of a slab; points are at cell centres, coefficient 0 at
 *         the corner of the box
 * Units   shifts in cells of the points
 * Errors  SL_EMEM, SL_EGUARD (a shift is longer than the reach), agreed on by all ranks
 * Owns    the shifts; while it works, some 2 reach + 16 planes of four fields, in single precision
 * MPI     collective; each value is made by one rank, so the bits do not depend on their number
 * Where   host
 * Refs    Unser 1999 (splines)
 * Tests   tests/unit/remap.c
 */
#ifndef SL_IC_REMAP_H
#define SL_IC_REMAP_H

#include <stdint.h>

#include "core/ic/band.h"

enum { SL_REMAP_FIELDS = 4, SL_REMAP_MODES = 3, SL_REMAP_STEPS = 3 };

/* Fields as derivatives (sl_band_derive) of the coefficients whose modes are in planes of the
 * band. */
struct sl_remap_part {
    int of, nx, ny;
    double factor;
};
struct sl_remap_fields {
    int nmodes, n;
    const fftw_complex *modes[SL_REMAP_MODES]; /* borrowed, own planes */
    struct sl_remap_part part[SL_REMAP_FIELDS];
};

struct sl_remap {
    const struct sl_band *band; /* borrowed */
    struct sl_slab points, grid;
    float *shift[3]; /* owned; the place of a point is its cell centre less this */
    double reach;    /* no shift along z is longer, in cells of the points */
    /* while it works */
    double longest;                    /* shift along z that was met here */
    int64_t lo, hi;                    /* planes of the grid that are needed here */
    fftw_complex *far[SL_REMAP_MODES]; /* owned, those of other ranks among them */
    fftw_complex *plane;               /* owned, of each field, on the grid along y */
    double *line;                      /* owned, of each field */
    float *window;                     /* owned, fields side by side */
};

/* reach: what no shift along z will be longer than, in cells of the points. */
int sl_remap_init(const struct sl_slab *points, const struct sl_band *band, double reach,
                  struct sl_remap *out);
void sl_remap_release(struct sl_remap *r);

/* Where what is at the cell centres x came from: x - q = psi(q) of three fields psi, in cells of
 * the points. From q = x on, SL_REMAP_STEPS steps, which leave an error of psi times the third
 * power of its gradient. SL_EGUARD: a shift is longer than the reach. */
int sl_remap_follow(struct sl_remap *r, const struct sl_remap_fields *psi);
/* The value of each field at each point. out[] NULL: it takes the place of r->shift, which is then
 * lost. */
int sl_remap_apply(struct sl_remap *r, const struct sl_remap_fields *fields, double *const out[]);

/* local. Factor of wave number n among N cells along one axis; values over coefficients. */
double sl_remap_filter(int n, int cells);

#endif
