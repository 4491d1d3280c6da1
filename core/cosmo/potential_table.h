/* potential_table.h - the table that potential.table names: an external potential, or its
 * acceleration, by radius.
 *
 * Rows of r, rising from 0 or above, and of phi, or of g = d phi / d r, the acceleration to the
 * centre. phi becomes a cubic of r in each interval that has the value and the slope of both its
 * rows, so that a slope is the gradient of what is there and continuous: of a table of phi the
 * slopes of a cubic spline, whose ends have that of the cubic through the nearest four rows; of a
 * table of g its values, and phi the integral of the cubic spline of g, the potential of a point
 * beyond the last row. phi is of fourth order in the distance of the rows, slopes of third.
 *
 * Shapes  row[n][SL_POTENTIAL_ROW]: r, phi and its slope (core/cell/potential.h)
 * Units   those of the file: code units
 * Errors  SL_EINPUT with the file and its line, SL_EMEM
 * Owns    row
 * MPI     local: rank 0 reads and sends the rows
 * Where   host
 * Refs    de Boor 1978, chapter IV
 * Tests   tests/law/potential.c, tests/cli/inputs.sh
 */
#ifndef SL_COSMO_POTENTIAL_TABLE_H
#define SL_COSMO_POTENTIAL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { SL_POTENTIAL_LEAST = 4, SL_POTENTIAL_MOST = 10000 }; /* rows */

struct sl_potential_table {
    int n;
    double *row; /* owned */
};

/* pulls: the second column is g. */
int sl_potential_table_parse(const char *path, const char *bytes, size_t size, bool pulls,
                             struct sl_potential_table *out);
void sl_potential_table_release(struct sl_potential_table *t);

#endif
