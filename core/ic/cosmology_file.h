/* cosmology_file.h - makes the fields of problem `cosmology`, measures them and writes them.
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
 * Shapes  fields [nz][ny][nx]
 * Units   comoving Mpc/h; density over the mean of all matter; velocity a v / (100 km/s);
 *         particles: km/s, proper peculiar
 * Errors  SL_EINPUT for a recipe or table that makes no sense; SL_EGUARD when what is measured on
 *         the grid is not what was put into the modes; SL_EIO, SL_EMEM; no file is left behind
 * Owns    nothing
 * MPI     collective; the values do not depend on the number of ranks
 * Where   host
 * Refs    Schive, Tsai & Chiueh 2010, eq. 15 and 16
 * Tests   tests/law/cosmology.sh
 */
#ifndef SL_IC_COSMOLOGY_FILE_H
#define SL_IC_COSMOLOGY_FILE_H

#include <mpi.h>

struct sl_config;

int sl_cosmology_file_write(MPI_Comm comm, const struct sl_config *cfg, const char *path);

#endif
