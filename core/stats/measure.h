/* measure.h - everything that is measured on the fields of one snapshot, as tables.
 *
 * Tables made for snapshot 7, as the recipe asks: spectrum_velocity_0007, spectrum_density_0007,
 * spectrum_energy_0007, spectrum_magnetic_0007, spectrum_cascade_0007, spectrum_log_density_0007,
 * pdf_density_0007, structure_velocity_0007 (.._110, .._111), structure_density_0007, joint_density_speed_0007 (.._magnetic, .._temperature),
 * matter_gas_0007 and others of matter.h, those of clump_tables.h and mass_table.h, slice_density_z_0007, projection_density_z_0007. Spectra and
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
#include "core/grid/slab.h"
#include "core/stats/table.h"
#include "core/sys/config.h"

struct sl_linear;

struct sl_fields {
    const struct sl_slab *slab;     /* borrowed */
    const double *rho, *v[3];       /* borrowed */
    const double *b[3];             /* borrowed; NULL: no magnetic field */
    const double *pressure;         /* borrowed; NULL: not asked for */
    int number;                     /* of the snapshot */
    double time;                    /* code units */
    double scale_factor;            /* of the universe; 0: it is none */
    const struct sl_linear *linear; /* borrowed; NULL: it is none */
};

/* Mean over the volume of what a spectrum sums to, and what of it solenoidal and compressive modes have; the rest is the
 * mean of the box. */
struct sl_parts {
    bool measured;
    double whole, solenoidal, compressive;
};
enum sl_parted { SL_PARTED_velocity, SL_PARTED_kinetic, SL_PARTED_magnetic, SL_PARTED };

/* What of a snapshot goes to the summary of the run, and to its energies against time. */
struct sl_measured {
    struct sl_parts part[SL_PARTED];
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

/* work: each as large as the own planes of a field or, after a turn, its own rows; lost. */
int sl_measure_fields(const struct sl_config *cfg, const struct sl_fields *fields, double *work[3],
                      struct sl_tables *tables, struct sl_measured *out);

/* local. Notes time, and redshift and scale factor of a universe. */
void sl_measure_when(struct sl_table *table, const struct sl_fields *fields);

/* local. Adds the table <kind>_<number of the snapshot>, which tells the time. */
int sl_measure_table(struct sl_tables *tables, const struct sl_fields *fields, const char *kind,
                     int nrow, int ncol, struct sl_table **out, const char *about);

#endif
