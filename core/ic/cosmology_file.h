/* cosmology_file.h - makes the fields of problem `cosmology`, measures them and writes them, or
 * hands them to the run that begins with them.
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
 * A run needs no file (sl_config_makes_start): its ranks make what it would read, to the bit, and
 * the spectra, gas and particles of the same modes, which are made once. A device makes the
 * particles of a cube itself (lattice.h), to rounding; then the spectrum of dark matter is that of
 * its modes, and without gas nothing is made on the host.
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
 * Tests   tests/law/cosmology.sh, tests/law/start_here.sh, tests/law/start_gas.sh
 */
#ifndef SL_IC_COSMOLOGY_FILE_H
#define SL_IC_COSMOLOGY_FILE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sl_config;
struct sl_field_planes;
struct sl_lattice;

int sl_cosmology_file_write(MPI_Comm comm, const struct sl_config *cfg, const char *path);

/* Particles that a run moves, one in particles.spacing cells along each axis: those of some planes
 * of their lattice, in its order. */
enum { SL_COSMOLOGY_PLACE, SL_COSMOLOGY_VELOCITY = 3, SL_COSMOLOGY_LISTS = 6 };
struct sl_cosmology_particles {
    size_t n;
    uint64_t first;                   /* number of the first one in the lattice */
    double share;                     /* of the gas in all matter */
    double *list[SL_COSMOLOGY_LISTS]; /* owned; [n], as the file has them, in its precision */
};
/* Where the start of a run goes: its gas into a state (core/io/field_planes.h; NULL: there is
 * none); tables: the spectra go to the working directory. */
struct sl_cosmology_start {
    struct sl_field_planes *gas; /* borrowed */
    bool tables;
    /* Asks a device for the particles (core/particles/backend.h); NULL: none moves them. of: what
     * it gets, borrowed; to_code: a km/s in units of the run. */
    int (*place)(void *of, const struct sl_lattice *what, double *part, bool *made);
    void *of;
    double to_code;
    struct sl_cosmology_particles dark; /* no lists where there is no dark matter, where a device
                                           has it, or on failure */
};
int sl_cosmology_start_make(MPI_Comm comm, const struct sl_config *cfg,
                            struct sl_cosmology_start *out);
void sl_cosmology_particles_release(struct sl_cosmology_particles *p); /* local */

#endif
