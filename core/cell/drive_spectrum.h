/* drive_spectrum.h - how strong the modes of a random force are against each other: one function
 * sl_drive_amplitude_<name> for each choice of driving.spectrum (drive_spectrum_list.h).
 *
 * power     E(k) ~ k^slope, shell-integrated, so that the variance of a mode is k^(slope - dim + 1)
 * parabola  |a_k| ~ q (2 - q), q = (k / peak)^2, and none beyond q = 2, as AthenaPK has it
 * quartic   |a_k| ~ q^2 (2 - q)^2, q = k / peak, and none beyond q = 2, as Enzo has it
 *
 * Shapes  one mode
 * Units   k and peak in 2 pi / longest side of the box; amplitudes up to a factor
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Schmidt et al. 2009 (quartic)
 * Tests   tests/unit/drive.c, tests/law/added.sh
 */
#ifndef SL_CELL_DRIVE_SPECTRUM_H
#define SL_CELL_DRIVE_SPECTRUM_H

#include "core/cell/fn.h"
#include "core/lists/drive_spectrum_list.h"

struct sl_drive_shape {
    int spectrum, dim;
    double slope, peak;
};

SL_FN double sl_drive_amplitude_power(const struct sl_drive_shape *s, double k)
{
    return sqrt(pow(k, s->slope - s->dim + 1));
}

SL_FN double sl_drive_amplitude_parabola(const struct sl_drive_shape *s, double k)
{
    double q = k / s->peak;
    return fmax(0.0, q * q * (2 - q * q));
}

SL_FN double sl_drive_amplitude_quartic(const struct sl_drive_shape *s, double k)
{
    double q = k / s->peak, parabola = fmax(0.0, q * (2 - q));
    return parabola * parabola;
}

#define SL_DRIVE_AMPLITUDE(name, about)                                                            \
    s->spectrum == SL_DRIVING_SPECTRUM_##name ? sl_drive_amplitude_##name(s, k):

SL_FN double sl_drive_amplitude(const struct sl_drive_shape *s, double k)
{
    return SL_DRIVING_SPECTRUM_LIST(SL_DRIVE_AMPLITUDE) 0;
}
#undef SL_DRIVE_AMPLITUDE

#endif
