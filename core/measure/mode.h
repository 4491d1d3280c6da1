/* mode.h - what a spectrum sums of one mode of a transformed field, for those who sum: the
 * processor and devices.
 *
 * Shapes  a mode is n[3], wave numbers along the axes, n[0] >= 0; k_i = n_i stretch_i
 * Units   k in 2 pi / longest side
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/unit/spectrum.c, tests/gpu/stats.c
 */
#ifndef SL_MEASURE_MODE_H
#define SL_MEASURE_MODE_H

#include "core/cell/fn.h"

/* Columns of a spectrum. modes: k and -k are two. solenoidal + compressive = total but for the mean
 * mode; solenoidal and compressive are 0 for a scalar. */
enum {
    SL_SPECTRUM_MODES,
    SL_SPECTRUM_K, /* mean |k| of the modes of the shell */
    SL_SPECTRUM_TOTAL,
    SL_SPECTRUM_SOLENOIDAL,
    SL_SPECTRUM_COMPRESSIVE,
    SL_SPECTRUM_COLUMNS
};

/* Columns of the spectrum of a product, and of multipoles, after those of modes and k. */
enum {
    SL_PAIR_RAW = SL_SPECTRUM_TOTAL, /* sum of Re(a_k b_k*) */
    SL_PAIR_CORRECTED,               /* each mode over the windows of both */
    /* sum over the modes of what Poisson points give to the corrected sum, times their number */
    SL_PAIR_SHOT
};
/* The raw power, and of each mode over its window the parts that go with the Legendre polynomials
 * of order 2 and 4 of the cosine between k and the line of sight. */
enum { SL_POLE_RAW = SL_SPECTRUM_TOTAL, SL_POLE_2, SL_POLE_4 };

enum sl_modes_kind { SL_MODES_FIELDS, SL_MODES_PAIR, SL_MODES_POLES };

/* A spectrum of ncomp fields: modes x = 0 .. nkx - 1 along the first axis are there. */
struct sl_modes {
    enum sl_modes_kind kind;
    int ncomp, n[3], nkx; /* of a pair the first and the last field */
    int nshell;           /* last complete shell; what lies beyond goes to nshell + 1 */
    int sight;            /* of poles: the axis along which one looks */
    double stretch[3], weight, norm;
    /* borrowed; by |n| = 0 .. N / 2 along each axis: what power is multiplied with; of a pair also
     * sums of images over it, without and with signs (spectrum.c) */
    const double *window[3], *alias[3], *images[3];
};

/* Wave number of place i of n. */
SL_FN int sl_mode_wrapped(int i, int n)
{
    return 2 * i < n ? i : i - n;
}

/* At the Nyquist frequency of an axis k and -k are one mode. */
SL_FN int sl_mode_at_nyquist(int i, int n)
{
    return 2 * i == n || 2 * i == -n;
}

/* Modes that one stands for: itself, and -n where that is not there. */
SL_FN double sl_mode_count(int x, int n)
{
    return x > 0 && 2 * x < n ? 2 : 1;
}

SL_FN double sl_mode_length(double kx, double ky, double kz)
{
    return sqrt(kx * kx + ky * ky + kz * kz);
}

SL_FN int sl_mode_shell(double length, int nshell)
{
    int shell = (int)(length + 0.5);
    return shell > nshell ? nshell + 1 : shell;
}

/* |k.v|^2 / k^2 of v = re + i im. alone: along an axis at its Nyquist frequency the mean over both
 * signs of k has no products of that component with others. */
SL_FN double sl_mode_compressive(const double k[3], const int alone[3], const double re[3],
                                 const double im[3])
{
    double along_re = 0, along_im = 0, apart = 0, k2 = 0;
    for (int c = 0; c < 3; c++) {
        double a = k[c] * re[c], b = k[c] * im[c];
        along_re += alone[c] ? 0 : a;
        along_im += alone[c] ? 0 : b;
        apart += alone[c] ? a * a + b * b : 0;
        k2 += k[c] * k[c];
    }
    return (along_re * along_re + along_im * along_im + apart) / (k2 > 0 ? k2 : 1);
}

/* 5 and 9 times the Legendre polynomials of order 2 and 4 of a cosine, of which this is the square:
 * the mean over a shell of power times them is its quadrupole and its hexadecapole. */
SL_FN double sl_mode_quadrupole(double mu2)
{
    return 2.5 * (3 * mu2 - 1);
}

SL_FN double sl_mode_hexadecapole(double mu2)
{
    return 1.125 * ((35 * mu2 - 30) * mu2 + 3);
}

/* The square of the cosine between k and an axis; 0 of the mean mode. */
SL_FN double sl_mode_sight(const double k[3], int axis)
{
    double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    return k2 > 0 ? k[axis] * k[axis] / k2 : 0;
}

#endif
