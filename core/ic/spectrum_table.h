/* spectrum_table.h - the spectrum of turbulence that turbulence.table names: two columns, k and
 * E(k), k in 2 pi / longest side, increasing; lines that begin with # are comments, Fortran's D
 * exponents are read.
 *
 * Shapes  k[n], e[n]
 * Units   k in 2 pi / longest side
 * Errors  SL_EINPUT with file:line, SL_EIO, SL_EMEM
 * Owns    k and e
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/turbulence_field.c, tests/cli/inputs.sh
 */
#ifndef SL_IC_SPECTRUM_TABLE_H
#define SL_IC_SPECTRUM_TABLE_H

#include <stddef.h>

struct sl_table_spectrum {
    int n;
    double *k, *e;
};

int sl_table_spectrum_read(const char *path, struct sl_table_spectrum *out);
void sl_table_spectrum_release(struct sl_table_spectrum *table);

/* Refuses a table that does not reach over the waves from kmin to kmax. */
int sl_table_spectrum_covers(const struct sl_table_spectrum *table, double kmin, double kmax);

#endif
