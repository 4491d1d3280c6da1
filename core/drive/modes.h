/* modes.h - a random force as a finite sum of Fourier modes, each an Ornstein-Uhlenbeck process.
 *
 * a(x, t) = sum over n of a_n(t) exp(i k.(x - lower corner)), k_i = 2 pi n_i / L_i, over all
 * integer vectors n with kmin <= |kappa| <= kmax, kappa_i = n_i L / L_i and L the longest side. n
 * and -n are conjugate; half of them are kept.
 *
 * Time: numbers z_j of mean 0 and variance 1 per mode, component and part follow z_j = f z_(j-1) +
 * sqrt(1 - f^2) x_j at the times j d, d = SL_DRIVE_STEP of the correlation time T, f = exp(-d / T),
 * x_j and z_0 normal and named by (seed, n, component, j); between these times z is straight. So
 * the force is a function of the seed and of time alone: of no step, no grid, no rank, and no
 * restart.
 *
 * Spectrum, of the acceleration, as in core/cell/drive_spectrum.h; mixture as in
 * core/ic/turbulence_field.h. A steady force has an rms of 1 at every moment, any other one a mean
 * square of 1 over realisations.
 *
 * Shapes  z[mode][component][real, imaginary]
 * Units   times in code units
 * Errors  SL_EINPUT for a specification that makes no sense, SL_EMEM
 * Owns    see the members
 * MPI     local: every rank has all modes
 * Where   host
 * Refs    Uhlenbeck & Ornstein 1930; Eswaran & Pope 1988; Federrath et al. 2010
 * Tests   tests/unit/drive.c
 */
#ifndef SL_DRIVE_MODES_H
#define SL_DRIVE_MODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_DRIVE_STEP 0.0625

struct sl_drive_spec {
    uint64_t seed;
    int dim;
    double length[3]; /* sides of the box; entries beyond dim are ignored */
    int kmin, kmax;   /* in 2 pi / longest side, inclusive */
    int spectrum;     /* enum sl_driving_spectrum */
    double slope, peak;
    double solenoidal;  /* weight zeta: 1 only solenoidal, 0 only compressive */
    double correlation; /* T */
    bool steady;
};

struct sl_drive_mode {
    int n[3];
    double along[3]; /* direction of the wave vector */
    double size;     /* standard deviation of a part, but for the norm */
};

struct sl_drive_modes {
    struct sl_drive_spec spec;
    int reach[3];               /* largest |n_i| */
    int count;                  /* modes kept: one of n and -n */
    struct sl_drive_mode *mode; /* owned */
    double rms;                 /* of the field of the last time that was asked for */
    int64_t step;               /* j of z */
    double (*z)[3][2];          /* owned; z_j */
    double (*next)[3][2];       /* owned; z_(j+1) */
};

/* Starts at time 0. */
int sl_drive_modes_init(const struct sl_drive_spec *spec, struct sl_drive_modes *out);
void sl_drive_modes_release(struct sl_drive_modes *m);

/* Values of the kept modes at time t >= 0: a[mode][component]. *bound, not less than
 * |a(x)| anywhere. */
void sl_drive_modes_at(struct sl_drive_modes *m, double t, double (*a)[3][2], double *bound);

/* The state, for a checkpoint: sl_drive_modes_size numbers. Without it the same bits follow from
 * the seed, by going through all steps from time 0. */
size_t sl_drive_modes_size(const struct sl_drive_modes *m);
void sl_drive_modes_save(const struct sl_drive_modes *m, double *state);
void sl_drive_modes_load(struct sl_drive_modes *m, const double *state);

#endif
