/* fields.h - the fields of one snapshot, as its statistics take them, the head of their tables, and
 * what of them goes to the summary of a run.
 *
 * Shapes  fields are the own planes of a slab (core/grid/slab.h)
 * Units   code units
 * Errors  SL_EMEM
 * Owns    nothing; fields are borrowed from the reader, tables from the caller
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/spectrum.c, tests/unit/table.c
 */
#ifndef SL_MEASURE_FIELDS_H
#define SL_MEASURE_FIELDS_H

#include <stdbool.h>

#include "core/config/choices.h"
#include "core/config/numbers.h"
#include "core/grid/slab.h"
#include "core/measure/fit.h"
#include "core/measure/lent.h"
#include "core/measure/table.h"

struct sl_linear;
struct sl_particle_source;
struct sl_halo_history;

struct sl_fields {
    const struct sl_slab *slab; /* borrowed */
    const double *rho, *v[3];   /* borrowed */
    /* borrowed; of particles: where contrast is there, rho is not set */
    struct sl_lent_density lent;
    const double *b[3];      /* borrowed; NULL: no magnetic field */
    const double *pressure;  /* borrowed; NULL: not asked for */
    const double *scalar;    /* borrowed; the first passive scalar; NULL: not asked for */
    const double *potential; /* borrowed; of self-gravity; NULL: not asked for */
    /* borrowed; where particles are that move; NULL: there are none */
    const struct sl_particle_source *particles;
    int number;               /* of the snapshot */
    double time;              /* code units */
    double scale_factor;      /* of the universe; 0: it is none */
    double redshift_around;   /* with ic.mean_overdensity, of the universe around the box */
    struct sl_linear *linear; /* borrowed; NULL: it is none */
    /* borrowed; haloes of snapshots before, to which those of this one are added; NULL: not matched
     */
    struct sl_halo_history *history;
};

/* Mean over the volume of what a spectrum sums to, and what of it solenoidal and compressive modes
 * have; the rest is the mean of the box. */
struct sl_parts {
    bool measured;
    double whole, solenoidal, compressive;
};
enum sl_parted { SL_PARTED_velocity, SL_PARTED_kinetic, SL_PARTED_magnetic, SL_PARTED };

/* What of a snapshot goes to the summary of the run, and to its energies against time. */
struct sl_measured {
    struct sl_parts part[SL_PARTED];
    double parseval; /* largest of all spectra */
    /* of the shells of statistics.fit; no points: not fitted */
    struct sl_power_law slope[SL_SPECTRA];
#define SL_NUMBER_MEMBER(name, ...) double name;
    SL_NUMBER_LIST(SL_NUMBER_MEMBER) /* not a number: not measured */
#undef SL_NUMBER_MEMBER
};

/* Notes time, and redshift and scale factor of a universe; of a box of its own mean density also
 * the redshift around it. */
void sl_fields_note(const struct sl_fields *fields, struct sl_table *table);

/* Adds the table <kind>_<number of the snapshot>, which tells the time. */
int sl_fields_table(const struct sl_fields *fields, struct sl_tables *tables, const char *kind,
                    int nrow, int ncol, struct sl_table **out, const char *about);

#endif
