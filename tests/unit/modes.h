/* modes.h - rows of modes, wave by wave, for the tests of core/ic/band.h and core/ic/remap.h.
 *
 * Shapes those of band.h. Units none. Errors those of band.h. Owns nothing. MPI collective, but for
 * the slot. Where host. Refs none. Tests itself.
 */
#ifndef TESTS_UNIT_MODES_H
#define TESTS_UNIT_MODES_H

#include <string.h>

#include "core/ic/band.h"

/* Place of wave n in rows of this rank; NULL when another rank has it, or -n stands for it. */
static inline fftw_complex *modes_slot(const struct sl_band *b, fftw_complex *rows, const int n[3])
{
    int y = n[1] < 0 ? n[1] + b->modes[1] : n[1], z = n[2] < 0 ? n[2] + b->modes[2] : n[2];
    if (n[0] < 0 || y < b->y0 || y >= b->y0 + b->ny) return NULL;
    return rows + sl_band_line_start(b, y - b->y0, z) + n[0];
}

/* v of wave n and its conjugate of -n, each where it is in rows of this rank. */
static inline void modes_put(const struct sl_band *b, fftw_complex *rows, const int n[3],
                             double complex v)
{
    const int minus[3] = {-n[0], -n[1], -n[2]};
    fftw_complex *at = modes_slot(b, rows, n), *other = modes_slot(b, rows, minus);
    if (at) *at = v;
    if (other) *other = conj(v);
}

struct modes_kept {
    const struct sl_band *b;
    const fftw_complex *rows;
};

static inline void modes_copy_line(void *context, int y, int z, fftw_complex *line)
{
    const struct modes_kept *k = context;
    memcpy(line, k->rows + sl_band_line_start(k->b, y, z), (size_t)k->b->nkx * sizeof *line);
}

static inline int modes_to_planes(const struct sl_band *b, const fftw_complex *rows,
                                  fftw_complex *planes)
{
    struct modes_kept k = {b, rows};
    return sl_band_make_planes(b, modes_copy_line, &k, planes);
}

#endif
