/* noise_file.h - white noise of a file in place of random numbers (ic.noise).
 *
 * A data set of one number for each cell of the start's grid, at its centre, of mean 0 and variance
 * 1: [nz][ny][nx], x fastest, in any precision. Noise of MUSIC, monofonIC or Panphasia is such once
 * it is an HDF5 file. Its transform takes the place of the numbers of density_modes.h: that of wave
 * n is sqrt(cells) times the coefficient, of mean square 1. The mean and waves at the Nyquist
 * frequency are left out, as elsewhere.
 *
 * Shapes  rows as of band.h
 * Units   none
 * Errors  SL_EINPUT for a data set that is missing, of another shape, not finite, or whose mean or
 *         variance is far from that of white noise; SL_EIO, SL_EMEM
 * Owns    nothing
 * MPI     collective, each rank reads its planes, unless a function says local
 * Where   host
 * Refs    Hahn & Abel 2011 (MUSIC: starts as convolutions of such a field)
 * Tests   tests/law/noise.sh
 */
#ifndef SL_IC_NOISE_FILE_H
#define SL_IC_NOISE_FILE_H

#include <complex.h>
#include <fftw3.h>
#include <stdbool.h>

#include "core/ic/band.h"

struct sl_config;

struct sl_noise_source {
    const char *path, *set; /* borrowed; path "": none */
    bool fixed, paired;     /* modulus 1; the other sign */
};

/* b: as many cells as modes. planes: scratch, sl_band_planes. The numbers of modes with respect to
 * the corner of the box. */
int sl_noise_file_read(const struct sl_noise_source *source, const struct sl_band *b,
                       fftw_complex *planes, fftw_complex *rows);
/* local. Refuses what a start would refuse of ic.noise: its shape and, where they are no more bytes
 * than that, its numbers. */
int sl_noise_file_look(const struct sl_config *cfg, double bytes);

#endif
