/* halo_tables.h - haloes of the dark matter of one snapshot, as tables.
 *
 * Tables made for snapshot 7 where statistics.haloes asks for them: haloes_0007, the catalogue;
 * halo_mass_function_0007, of groups and of spheres of 200 times the mean density, with the errors
 * of Poisson, beside those of core/cosmo/mass_function.h at that redshift; halo_profiles_0007, mean
 * density in shells of haloes by their number of particles, each stack with the profile of Navarro,
 * Frenk & White that is nearest; halo_bias_0007, the bias by number of particles beside that of
 * theory. Each particle stands for all matter: its mass is that of the box over their number.
 * Particles are those of the snapshot where a run moves them, else those of ic.h5, with the first
 * snapshot. Number of haloes, and share of the mass, go to *out. With a history the haloes go into
 * it, which adds tables of its own (halo_history.h).
 *
 * Shapes  fields as in measure.h
 * Units   comoving Mpc/h, Msun/h, km/s; positions from the lower corner of the box
 * Errors  those of points.h and haloes.h
 * Owns    tables are added to the caller's
 * MPI     collective; every rank gets all tables, the same bits for any number of ranks
 * Where   host
 * Refs    see haloes.h
 * Tests   tests/law/haloes.sh
 */
#ifndef SL_HALO_HALO_TABLES_H
#define SL_HALO_HALO_TABLES_H

#include "core/measure/fields.h"

struct sl_config;

int sl_halo_tables(const struct sl_config *cfg, const struct sl_fields *fields,
                   struct sl_tables *tables, struct sl_measured *out);

#endif
