/* spectrum.h - shell-summed power spectra and cross spectra of periodic fields on a uniform grid.
 *
 * f_k = (1/N) sum f exp(-ikx), so that the sum of |f_k|^2 over all modes is the mean of f^2; k in
 * units of 2 pi / longest side; shell s holds s - 1/2 <= k < s + 1/2, s = 1 .. the Nyquist
 * frequency of the coarsest axis; the corners beyond it go to an overflow entry, the mean of the
 * field to entry 0. At the Nyquist frequency of an axis, where k and -k are one mode, the split
 * into parts is the mean over both signs. Use when the field is periodic; a field that is not leaks
 * power to all k.
 *
 * Shapes  fields [nz][n1][n0], the own planes of a slab
 * Units   total: those of weight f^2
 * Errors  SL_EMEM; SL_EGUARD when the sums over modes and over cells differ by more than 1e-12
 * Owns    the arrays of a struct sl_shells
 * MPI     collective; the same bits for any number of ranks
 * Where   host; on the slab's device where there is one (device.h) what makes no field: filters,
 *         interlacing and correlations are the host's
 * Refs    Frigo & Johnson 2005 (FFTW); Hockney & Eastwood 1981 (windows; section 7-8, interlacing);
 *         Jing 2005, eq. 20 (shot noise); Sefusatti et al. 2016, section 3; Cole, Fisher &
 *         Weinberg 1994 (multipoles)
 * Tests   tests/unit/spectrum.c, tests/gpu/stats.c, tests/problem/numpy_spectrum.sh,
 *         tests/problem/numpy_matter.sh
 */
#ifndef SL_MEASURE_SPECTRUM_H
#define SL_MEASURE_SPECTRUM_H

#include <stdbool.h>

#include "core/grid/slab.h"
#include "core/measure/mode.h"

struct sl_shells {
    int nshell;      /* last complete shell; entry nshell + 1 is the overflow */
    double *value;   /* owned, [nshell + 2][SL_SPECTRUM_COLUMNS] */
    double grid;     /* weight <f^2> from the cells */
    double modes;    /* the same from the modes */
    double parseval; /* |modes - grid| / grid */
};

/* local */
int sl_spectrum_shells(const struct sl_slab *slab);
static inline double sl_spectrum_at(const struct sl_shells *s, int shell, int column)
{
    return s->value[shell * SL_SPECTRUM_COLUMNS + column];
}
void sl_spectrum_release(struct sl_shells *spectrum);

/* Spectrum of weight |f|^2 of ncomp fields taken together. ncomp = 3: a vector, with its solenoidal
 * and compressive parts. ncomp = 1: a scalar. room: arrays as large as the fields, one for each,
 * for their modes, and lost then; they may be the fields themselves, which are left as they were
 * otherwise. NULL: memory is taken for it. */
int sl_spectrum_make(const struct sl_slab *slab, int ncomp, const double *const f[], double weight,
                     double *const room[], struct sl_shells *out);

/* A field, and how often the top hat of a cell was folded with it: 0 a field that is sampled, 1 to
 * 4 particles as in deposit.h. interlaced: made by sl_spectrum_interlace, which the shot noise
 * knows. */
struct sl_windowed {
    const double *f;
    int order;
    bool interlaced;
};

/* Spectrum of the product of two fields, columns SL_PAIR_ of mode.h; b->f == a->f: of one with
 * itself, for which a transform is saved. The windows are those of the alias that lies on the grid;
 * what lies beyond adds to them. correlation, may be NULL: own planes of <a(x) b(x + r)> over all
 * x, at lags r = (i, j, k) cells, made of the raw modes. room as above, for as many fields as are
 * transformed; one of them may be the correlation. */
int sl_spectrum_pair(const struct sl_slab *slab, const struct sl_windowed *a,
                     const struct sl_windowed *b, double *correlation, double *const room[],
                     struct sl_shells *out);

/* Quadrupole and hexadecapole, columns SL_POLE_ of mode.h, of a field whose line of sight is an
 * axis everywhere; room as above, for one field. */
int sl_spectrum_multipoles(const struct sl_slab *slab, const struct sl_windowed *a, int axis,
                           double *const room[], struct sl_shells *out);

/* The waves of shells first .. last alone, each over the window, as a field, own planes: out. f is
 * lost where it is out or room[0]. */
int sl_spectrum_filter(const struct sl_slab *slab, const struct sl_windowed *a, int first, int last,
                       double *const room[], double *out);

/* Takes out of f all images of modes whose numbers of turns along the axes are odd in sum, the
 * strongest among them: moved holds the density of the same particles moved by half a cell along
 * every axis, and f becomes the mean of f and of moved shifted back; moved is lost. A mode at the
 * Nyquist frequency of an axis is halved: k and -k are shifted by opposite quarters. */
int sl_spectrum_interlace(const struct sl_slab *slab, double *f, double *moved);

#endif
