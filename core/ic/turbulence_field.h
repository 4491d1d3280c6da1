/* turbulence_field.h - a Gaussian random velocity field as a finite sum of Fourier modes.
 *
 * v(x) = sum over n of v_n exp(i k.(x - lower corner)), k_i = 2 pi n_i / L_i, over all integer
 * vectors n with kmin <= |kappa| <= kmax, kappa_i = n_i L / L_i and L the longest side. The value
 * of a mode is a function of the seed and of n alone, so the same continuous field results for any
 * grid and any number of ranks; sampling is at cell centres. There is no mode n = 0: no net
 * momentum at uniform density.
 *
 * Spectrum: E(k) is the one-dimensional (shell-integrated) energy spectrum, so that the variance of
 * a mode is E(kappa) / kappa^(dim - 1). Mixture: a mode is P_zeta a with a isotropic and P_zeta =
 * zeta (1 - kk/k^2) + (1 - zeta) kk/k^2; the compressive share of the power is (1 - zeta)^2 / ((dim
 * - 1) zeta^2 + (1 - zeta)^2). The realised field, not its expectation, has the given rms.
 *
 * Shapes  planes: v[component][nz][n1][n0], x fastest
 * Units   those of v_rms
 * Errors  SL_EINPUT for a specification that makes no sense, SL_EMEM
 * Owns    nothing; the table of the spectrum is borrowed
 * MPI     local: every rank makes its own planes, with the same bits however they are shared out
 * Where   host
 * Refs    Federrath et al. 2010, section 2.2 (projection); Box & Muller 1958
 * Tests   tests/unit/turbulence_field.c, tests/law/ic.sh
 */
#ifndef SL_IC_TURBULENCE_FIELD_H
#define SL_IC_TURBULENCE_FIELD_H

#include <stdint.h>

#include "core/ic/spectrum_table.h"

/* A table is straight in the logarithms between its points. */
struct sl_turbulence_spec {
    uint64_t seed;
    int dim;
    double length[3];                      /* sides of the box; entries beyond dim are ignored */
    double v_rms;                          /* root of the mean square of the whole vector */
    double solenoidal;                     /* zeta: 1 only solenoidal, 0 only compressive */
    int kmin, kmax;                        /* in 2 pi / longest side, inclusive */
    double slope;                          /* E(k) ~ k^slope, when there is no table */
    const struct sl_table_spectrum *table; /* borrowed, may be NULL */
};

struct sl_turbulence_field {
    struct sl_turbulence_spec spec;
    double stretch[3]; /* kappa_i / n_i */
    int reach[3];      /* largest |n_i| of a mode */
    double amplitude;  /* makes the rms what was asked for */
    int64_t modes;     /* n and -n counted */
    uint64_t hash;     /* of the values of the modes with all |n_i| <= 4 */
};

int sl_turbulence_field_init(const struct sl_turbulence_spec *spec,
                             struct sl_turbulence_field *out);

/* Complex value of mode n, all zero outside the range: v[component] = {real, imaginary}. */
void sl_turbulence_field_mode(const struct sl_turbulence_field *field, const int n[3],
                              double v[3][2]);

/* Turns an isotropic complex vector into the mixture zeta for a wave along the unit vector
 * `along`. */
void sl_turbulence_mix(double zeta, const double along[3], int dim, double a[3][2]);
/* |v|^2 of a complex vector. */
double sl_turbulence_square(double v[3][2]);

/* One shell, s - 1/2 <= kappa < s + 1/2. */
struct sl_turbulence_shell {
    double modes;    /* of the field; n and -n counted */
    double realised; /* sum of 1/2 |v_n|^2 */
    double expected; /* what the spectrum, with the amplitude of this field, gives on average */
};
/* Shells 0 .. kmax. */
void sl_turbulence_field_shells(const struct sl_turbulence_field *field,
                                struct sl_turbulence_shell *shell);

/* Samples planes z0 .. z0 + nz - 1 of a grid of n cells into v[0 .. 2][nz][n1][n0]. Refuses a grid
 * on which the modes up to kmax are not below the Nyquist frequency. */
int sl_turbulence_field_planes(const struct sl_turbulence_field *field, const int n[3], int z0,
                               int nz, double *const v[3]);

#endif
