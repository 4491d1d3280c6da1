/* mass_table.h - the mass function of clumps in a universe beside those of theory.
 *
 * Table mass_function_0007 of snapshot 7: mass (all matter of the region, from its share of the
 * gas), the number of clumps in bins of 0.25 in log10 M, dn/dlnM of it, and dn/dlnM of
 * core/cosmo/mass_function.h at that redshift. From bins of one cell of mean density on.
 *
 * Shapes  none
 * Units   Msun/h, comoving (h/Mpc)^3
 * Errors  SL_EMEM
 * Owns    the table is the caller's
 * MPI     local; the same on all ranks
 * Where   host
 * Refs    see core/cosmo/mass_function.h
 * Tests   tests/law/mass_function.sh
 */
#ifndef SL_MEASURE_MASS_TABLE_H
#define SL_MEASURE_MASS_TABLE_H

#include "core/measure/fields.h"

/* count[bins]: clumps in bins of log10 of their share of the mass of the box, from `first` in steps
 * of `width`. */
struct sl_mass_counts {
    int bins;
    double first, width;
    const double *count; /* borrowed */
};

/* Of a snapshot whose f->linear is there. */
int sl_mass_table(const struct sl_fields *f, const struct sl_mass_counts *masses,
                  struct sl_tables *tables);

#endif
