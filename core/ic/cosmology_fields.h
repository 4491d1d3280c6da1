/* cosmology_fields.h - the fields of gas and dark matter at the start of a cosmological run, one at a time.
 *
 * Each field is filled in Fourier space from the same random numbers, its own amplitude and the two products of
 * second order, and transformed: one transform per field, none to prepare the first order. Densities are Eulerian,
 * at cell centres; displacements and velocities of particles are Lagrangian, of the particle that starts at the
 * cell centre.
 *
 * Shapes  out [nz][n1][n0], the own planes of the slab
 * Units   densities as contrast; displacements and velocities u = dx / dln a in comoving Mpc/h
 * Errors  SL_EMEM, agreed on by all ranks
 * Owns    the random numbers, the products and room for one field: 4 or, with the second order, 6 times the cells
 *         of the rank in double precision
 * MPI     collective; the same bits for any number of ranks
 * Where   host
 * Refs    Zel'dovich 1970; Bouchet et al. 1995
 * Tests   tests/law/cosmology.sh, tests/unit/lpt.c
 */
#ifndef SL_IC_COSMOLOGY_FIELDS_H
#define SL_IC_COSMOLOGY_FIELDS_H

#include "core/cosmo/power.h"
#include "core/ic/band.h"
#include "core/ic/density_modes.h"

struct sl_cosmology_fields {
    const struct sl_power *power;         /* borrowed */
    const struct sl_density_modes *modes; /* borrowed */
    int order;
    double length[3];
    struct sl_band band;
    struct sl_slab slab;
    fftw_complex *noise, *s, *e; /* owned, [ny][n2][n0 / 2]; s, e NULL in first order */
    fftw_complex *rows, *planes; /* owned scratch */
    double *value;               /* owned, the last field */
    fftw_complex *phase[3];      /* owned: from the corner to the centre of a cell */
    double *amplitude
        [SL_POWER_FIELDS]; /* owned: by the sum of squares of n, in a cube with a cube of cells;
                                           else NULL */
};

/* What a field is: the sum of first order of `first` and of S and E with these weights, as it is or, with axis >= 0,
 * as the vector whose divergence is -1 times that. */
struct sl_field_recipe {
    enum sl_power_field first;
    int axis;
    double s, e; /* e: of k^2 E */
};

int sl_cosmology_fields_init(MPI_Comm comm, const struct sl_power *power,
                             const struct sl_density_modes *modes, int order, const int cells[3],
                             const double length[3], struct sl_cosmology_fields *out);
void sl_cosmology_fields_release(struct sl_cosmology_fields *f);

/* The recipes. */
struct sl_field_recipe sl_field_density(const struct sl_cosmology_fields *f,
                                        enum sl_power_field species);
struct sl_field_recipe sl_field_velocity(const struct sl_cosmology_fields *f,
                                         enum sl_power_field species, int axis);
struct sl_field_recipe sl_field_displacement(const struct sl_cosmology_fields *f,
                                             enum sl_power_field species, int axis);
struct sl_field_recipe sl_field_particle_velocity(const struct sl_cosmology_fields *f,
                                                  enum sl_power_field species, int axis);

/* Shells n - 1/2 <= |n| < n + 1/2 of what was made last: number of modes and sums of |f_n|^2. */
struct sl_field_shell {
    double modes, k, realised,
        linear; /* k: sum of |k|; linear: what the power spectrum gives on average */
};
/* Makes a field into f->value; shells [0 .. nshell], may be NULL: sl_spectrum_shells of the slab. */
int sl_cosmology_fields_make(struct sl_cosmology_fields *f, const struct sl_field_recipe *recipe,
                             int nshell, struct sl_field_shell *shells);

#endif
