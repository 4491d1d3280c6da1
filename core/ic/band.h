/* band.h - a field between its Fourier modes and a grid, which may be finer than the modes need.
 *
 * Modes are those with |n_i| < modes_i / 2, the grid has cells_i >= modes_i cells. Rows of modes
 * along z are shared out over the ranks in their order along y, planes of the grid in their order
 * along z. One-dimensional transforms of columns that hold no mode are left out: on a grid 3/2
 * times finer, as products of two fields need to be free of aliasing, a transform costs 2.4 times
 * that of the plain grid, not 3.4. The same plan runs on every rank, and so the bits do not depend
 * on the number of ranks.
 *
 * Shapes  rows [ny][modes z][modes x / 2] complex: y and z wrap around, x >= 0; planes [nz][modes
 *         y][modes x / 2] complex; a plane on the grid along y [cells y][pitch] complex, on the
 *         grid [cells y][cells x]
 * Units   f(x) = sum over n of f_n exp(2 pi i n x / L)
 * Errors  SL_EMEM
 * Owns    plans, one row and one plane of scratch; rows, planes and further scratch are the
 *         caller's
 * MPI     collective unless a function says local; ranks without rows or planes allowed
 * Where   host
 * Refs    Orszag 1971 (3/2 rule); Frigo & Johnson 2005 (FFTW)
 * Tests   tests/unit/band.c
 */
#ifndef SL_IC_BAND_H
#define SL_IC_BAND_H

#include <complex.h>
#include <fftw3.h>

#include "core/grid/slab.h"

struct sl_band {
    int modes[3], cells[3];
    int nkx;             /* modes[0] / 2 */
    struct sl_slab slab; /* planes along z, rows along y */
    int y0, ny, z0, nz;
    /* of lines of the row and the plane: no power of two, or they share a few places of the
     * cache */
    int pitch;
    fftw_complex *row;   /* owned scratch: [cells z][pitch] */
    fftw_complex *plane; /* owned scratch: [cells y][pitch] */
    fftw_complex *line;  /* owned scratch: [cells x / 2 + 1] */
    double *real;        /* owned scratch: [cells x] */
    fftw_plan z_back, z_forth, y_back, y_forth, x_back, x_forth;
};

/* modes even, cells even and not fewer. */
int sl_band_init(MPI_Comm comm, const int modes[3], const int cells[3], struct sl_band *out);
void sl_band_release(struct sl_band *b);

/* local. Complex numbers in rows and in planes of this rank, and in the work of _to_rows, at least
 * 1. */
size_t sl_band_rows(const struct sl_band *b);
size_t sl_band_planes(const struct sl_band *b);
size_t sl_band_work(const struct sl_band *b);
/* local. Wave number of index i among n, and where wave number k lies. */
static inline int sl_band_wave(int i, int n)
{
    return 2 * i < n ? i : i - n;
}

/* local. Number in the rows at which the modes of own row y and index z begin. */
static inline size_t sl_band_line_start(const struct sl_band *b, int y, int z)
{
    return ((size_t)y * (size_t)b->modes[2] + (size_t)z) * (size_t)b->nkx;
}

/* Modes to planes that are still modes in x and y, made line by line, [nkx], of own row y and index
 * z among the modes. */
typedef void sl_band_line(void *context, int y, int z, fftw_complex *line);
int sl_band_make_planes(const struct sl_band *b, sl_band_line *line, void *context,
                        fftw_complex *planes);
/* local. Own plane k of them, nx times differentiated along x and ny times along y, in units of a
 * box of sides 2 pi, times factor: on the grid along y, into scratch, sl_band_scratch complex
 * numbers from memory of sl_alloc_large on. */
size_t sl_band_scratch(const struct sl_band *b);
void sl_band_derive_y(const struct sl_band *b, const fftw_complex *planes, int k, int nx, int ny,
                      double factor, fftw_complex *scratch);
/* local. Line y of that on the grid, [cells x], memory as of sl_alloc_large. */
void sl_band_line_back(const struct sl_band *b, const fftw_complex *scratch, int y, double *out);
/* local. Both for a whole plane: [cells y][cells x]. */
void sl_band_derive(const struct sl_band *b, const fftw_complex *planes, int k, int nx, int ny,
                    double factor, double *out);

/* local. The way back: line y of a plane on the grid; when all lines are in, the plane to plane
 * k. */
void sl_band_take_line(const struct sl_band *b, int y, double *line);
void sl_band_take_plane(const struct sl_band *b, fftw_complex *planes, int k);
/* Modes of the planes, normalised; what is beyond the band is dropped. work: scratch of the
 * caller's. */
int sl_band_to_rows(const struct sl_band *b, const fftw_complex *planes, fftw_complex *work,
                    fftw_complex *rows);

#endif
