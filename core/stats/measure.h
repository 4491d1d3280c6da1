/* measure.h - everything that is measured on the fields of one snapshot, as tables.
 *
 * Tables made for snapshot 7, as the recipe asks: spectrum_velocity_0007, spectrum_density_0007,
 * spectrum_energy_0007, spectrum_magnetic_0007, spectrum_cascade_0007, spectrum_log_density_0007,
 * pdf_density_0007, structure_velocity_0007 (.._110, .._111), structure_density_0007,
 * joint_density_speed_0007 (.._magnetic, .._temperature), matter_gas_0007 and others of matter.h,
 * those of clump_tables.h, mass_table.h, halo_tables.h and maps.h. Spectra and structure functions
 * need a periodic box and are left out otherwise; maps need two dimensions.
 *
 * Shapes  fields [nz][n1][n0], the own planes of a slab
 * Units   code units
 * Errors  SL_EINPUT for a density that is not positive; SL_EGUARD, SL_EMEM
 * Owns    tables are added to the caller's
 * MPI     collective; every rank gets all tables, the same bits for any number of ranks
 * Where   host
 * Refs    see spectrum.h, pdf.h, structure.h
 * Tests   tests/cli/stats.sh, tests/problem/numpy_spectrum.sh
 */
#ifndef SL_STATS_MEASURE_H
#define SL_STATS_MEASURE_H

#include "core/measure/fields.h"

struct sl_config;

/* work: each as large as the own planes of a field or, after a transpose, its own rows; lost. */
int sl_measure_fields(const struct sl_config *cfg, const struct sl_fields *fields, double *work[3],
                      struct sl_tables *tables, struct sl_measured *out);

#endif
