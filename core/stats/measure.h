/* measure.h - everything that is measured on the fields of one snapshot, as tables.
 *
 * Tables made for snapshot 7, as the recipe asks: spectrum_velocity_0007, spectrum_density_0007,
 * spectrum_energy_0007, spectrum_magnetic_0007, spectrum_cascade_0007, spectrum_log_density_0007,
 * pdf_density_0007, structure_velocity_0007 (.._110, .._111), structure_density_0007, joint_density_speed_0007 (.._magnetic, .._temperature),
 * matter_gas_0007 and others of matter.h, those of clump_tables.h, slice_density_z_0007, projection_density_z_0007. Spectra and
 * structure functions need a periodic box and are left out otherwise; maps need two dimensions.
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

#include <stdbool.h>

#include "core/stats/fit.h"
#include "core/stats/slab.h"
#include "core/stats/table.h"
#include "core/sys/config.h"

struct sl_fields {
    const struct sl_slab *slab; /* borrowed */
    const double *rho, *v[3];   /* borrowed */
    const double *b[3];         /* borrowed; NULL: no magnetic field */
    const double *pressure;     /* borrowed; NULL: not asked for */
    int number;                 /* of the snapshot */
    double time;                /* code units */
};

/* What of a snapshot goes to the summary of the run. */
struct sl_measured {
    double density_sigma; /* of ln(rho / mean), by volume */
    double intermittency; /* T of the distribution of Hopkins (2013) */
    double
        solenoidal_share; /* of the power of the velocity without its mean; 0 when not measured */
    double parseval;      /* largest of all spectra */
    struct sl_power_law
        slope[SL_SPECTRA]; /* of the shells of statistics.fit; no points: not fitted */
    int clumps, leaves;    /* -1: not looked for */
    double clump_share;    /* of the mass, in clumps */
    double leaf_share;     /* of the mass, in leaves of the tree */
};

int sl_measure_fields(const struct sl_config *cfg, const struct sl_fields *fields,
                      struct sl_tables *tables, struct sl_measured *out);

/* local. Adds the table <kind>_<number of the snapshot>, which tells the time. */
int sl_measure_table(struct sl_tables *tables, const struct sl_fields *fields, const char *kind,
                     int nrow, int ncol, struct sl_table **out, const char *about);

#endif
