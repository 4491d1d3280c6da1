/* cosmology_fields.h - the fields of gas and dark matter at the start of a cosmological run, one at
 * a time.
 *
 * Each field is filled in Fourier space from the same random numbers, its own amplitude and
 * products of second order, and transformed: one transform per field, none to prepare the first
 * order. In first order fields of a fluid are the linear ones at cell centres; in second order they
 * are those that its matter carries, brought from where it started to the cell centres
 * (core/ic/remap.h). Displacements and velocities of particles are of the particle that starts at
 * the cell centre.
 *
 * Shapes  out [nz][n1][n0], the own planes of the slab
 * Units   densities as contrast; displacements and velocities u = dx / dln a in comoving Mpc/h
 * Errors  SL_EMEM, SL_EGUARD (remap.h), agreed on by all ranks
 * Owns    the random numbers, S and room for one field: 3 numbers of double precision per cell, in
 *         second order up to 10, without gas 7
 * MPI     collective; the same bits for any number of ranks
 * Where   host
 * Refs    Zel'dovich 1970; Bouchet et al. 1995
 * Tests   tests/law/cosmology.sh
 */
#ifndef SL_IC_COSMOLOGY_FIELDS_H
#define SL_IC_COSMOLOGY_FIELDS_H

#include "core/cosmo/power.h"
#include "core/ic/band.h"
#include "core/ic/density_modes.h"
#include "core/ic/lattice.h"
#include "core/ic/lpt.h"
#include "core/ic/remap.h"

/* What a field is: the sum of first order of `first`, S and R with these weights, as it is (axis
 * SL_RECIPE_SCALAR); a component, 0 to 2, of the vector whose divergence is -1 times that; or what
 * the vector is the gradient of. */
enum { SL_RECIPE_SCALAR = -1, SL_RECIPE_POTENTIAL = 3 };
struct sl_field_recipe {
    enum sl_power_field first;
    int axis;
    double linear, s, r;
    /* at the lower corners of cells, without waves shorter than two of so many; 0: at their
     * centres, with all waves */
    int corner;
};

struct sl_cosmology_fields {
    const struct sl_power *power;         /* borrowed */
    const struct sl_density_modes *modes; /* borrowed */
    int order;
    /* particles start at the lower corner of every so-manieth cell; 0: at all centres */
    int corners;
    double length[3];
    struct sl_band band;
    struct sl_slab slab;
    fftw_complex *noise;     /* owned, as all rows: [ny][n2][n0 / 2] */
    fftw_complex *s;         /* owned, NULL in first order: S of all matter */
    enum sl_power_field gas; /* SL_POWER_BARYON or SL_POWER_TOTAL */
    struct sl_lpt lpt;       /* in second order: on a grid 3/2 times finer */
    struct sl_remap remap;   /* where the gas came from; then, in place of that, its velocity */
    fftw_complex *planes; /* owned, in second order those of lpt: what the last field was made of */
    struct sl_field_recipe made; /* what that is */
    double *value;               /* owned, the last field */
    fftw_complex *held;  /* rows in its place: a potential; R of the gas until it is carried */
    double *k2, *linear; /* owned, of a line of modes: k^2, amplitude of first order */
    /* owned, by index of the mode: from the corner to the centre of a cell; to the corner;
     * from values to
     * coefficients of the finer grid */
    fftw_complex *phase[3], *corner[3], *spread[3];
    /* owned: by the sum of squares of n, in a cube with a cube of cells; else NULL */
    double *amplitude[SL_POWER_FIELDS];
};

int sl_cosmology_fields_init(MPI_Comm comm, const struct sl_power *power,
                             const struct sl_density_modes *modes, int order,
                             enum sl_power_field gas, const int cells[3], const double length[3],
                             struct sl_cosmology_fields *out);
void sl_cosmology_fields_release(struct sl_cosmology_fields *f);

/* The recipes: linear density of a species; of its particles, to f->order. */
struct sl_field_recipe sl_field_linear(enum sl_power_field species);
struct sl_field_recipe sl_field_displacement(const struct sl_cosmology_fields *f, int axis);

/* Shells n - 1/2 <= |n| < n + 1/2 of what was made last: number of modes and sums of |f_n|^2. */
struct sl_field_shell {
    double modes, k, realised,
        linear; /* k: sum of |k|; linear: what the power spectrum gives on average */
};
/* Of columns SL_SHELL_COLUMNS (lattice.h) of own rows, part[ny][nshell + 1], those of all. */
int sl_field_shells_sum(const struct sl_slab *slab, int nshell, const double *part,
                        struct sl_field_shell *shells);
/* Makes a field into f->value; shells [0 .. nshell], may be NULL: of its modes. */
int sl_cosmology_fields_make(struct sl_cosmology_fields *f, const struct sl_field_recipe *recipe,
                             int nshell, struct sl_field_shell *shells);
/* local. Room for a field until the next is made. */
double *sl_cosmology_fields_scratch(struct sl_cosmology_fields *f);
/* The density contrast of the gas, to f->order; shells: before it is carried. In second order it is
 * made once, before all other fields. */
int sl_cosmology_fields_gas(struct sl_cosmology_fields *f, int nshell,
                            struct sl_field_shell *shells);
/* Velocities, to f->order: of the gas, after its density; of particles. */
int sl_cosmology_fields_gas_velocity(struct sl_cosmology_fields *f, int axis);
int sl_cosmology_fields_particle_velocity(struct sl_cosmology_fields *f, int axis);

#endif
