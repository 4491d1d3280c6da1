/* cosmology_file.h - makes the fields of problem `cosmology`, measures them and writes them, or
 * hands the particles of a run to it.
 *
 * density, velocity_x, velocity_y, velocity_z, pressure are those of the gas in code units, as
 * sluice-sim reads them; temperature is in K; dark_matter_density is over the mean of all matter.
 * Group particles: position_* and velocity_* of dark matter, one particle per cell, in the order of
 * the cells they start from. Groups spectrum_gas and spectrum_dark_matter: power measured on the
 * grid beside that of the input. Attributes tell cosmology, growth, table, mode, normalisation and
 * units; gas_mass_correction is the relative excess of the mass of gas that interpolation left and
 * that was taken out of it. Without gas (ic.species: dark_matter) what is of the gas is not there.
 * spectrum_gas.csv and spectrum_dark_matter.csv beside it hold the spectra.
 *
 * A run of particles alone needs no file (sl_config_makes_start): its ranks make what it would
 * read, to the bit, and the spectra.
 *
 * Shapes  fields [nz][ny][nx]
 * Units   comoving Mpc/h; density over the mean of all matter; velocity a v / (100 km/s);
 *         particles: km/s, proper peculiar
 * Errors  SL_EINPUT for a recipe or table that makes no sense; SL_EGUARD when what is measured on
 *         the grid is not what was put into the modes; SL_EIO, SL_EMEM; no file is left behind, and
 *         no list
 * Owns    nothing; lists are the caller's to release
 * MPI     collective; the values do not depend on the number of ranks
 * Where   host
 * Refs    Schive, Tsai & Chiueh 2010, eq. 15 and 16
 * Tests   tests/law/cosmology.sh, tests/law/start_here.sh
 */
#ifndef SL_IC_COSMOLOGY_FILE_H
#define SL_IC_COSMOLOGY_FILE_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct sl_config;

int sl_cosmology_file_write(MPI_Comm comm, const struct sl_config *cfg, const char *path);

/* Particles that a run moves, one in particles.spacing cells along each axis: those of some planes
 * of their lattice, in its order. */
enum { SL_COSMOLOGY_PLACE, SL_COSMOLOGY_VELOCITY = 3, SL_COSMOLOGY_LISTS = 6 };
struct sl_cosmology_particles {
    size_t n;
    uint64_t first;                   /* number of the first one in the lattice */
    double *list[SL_COSMOLOGY_LISTS]; /* owned; [n], as the file has them, in its precision */
};
/* The spectra go to the working directory. */
int sl_cosmology_particles_make(MPI_Comm comm, const struct sl_config *cfg,
                                struct sl_cosmology_particles *out);
void sl_cosmology_particles_release(struct sl_cosmology_particles *p); /* local */

#endif
