/* columns.h - a text file of numbers in columns, with the names that its comment lines give them.
 *
 * Lines that begin with # are comments; all other lines hold the same number of numbers, separated
 * by blanks. Fortran's D exponents are read. Refused with the line: words, nan, inf, numbers that
 * overflow or that Fortran printed as *****, a changing number of columns.
 *
 * Shapes  value[row][column]
 * Units   those of the file
 * Errors  SL_EINPUT with file:line, SL_EMEM
 * Owns    value, line and comment
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/transfer.c, tests/fuzz/transfer.c
 */
#ifndef SL_COSMO_COLUMNS_H
#define SL_COSMO_COLUMNS_H

#include <stddef.h>

enum { SL_COLUMNS_MAX = 64, SL_COLUMN_NAME = 48, SL_COLUMNS_BYTES = 64 << 20 };

struct sl_columns {
    const char *path; /* borrowed */
    int ncol, nrow;
    double *value; /* owned */
    int *line;     /* owned, of each row */
    char *comment; /* owned, all comment lines */
    int nname;     /* 0: no comment line names columns; else = ncol */
    char name[SL_COLUMNS_MAX][SL_COLUMN_NAME];
};

/* path is for messages. */
int sl_columns_parse(const char *path, const char *bytes, size_t size, struct sl_columns *out);
void sl_columns_release(struct sl_columns *c);

static inline double sl_columns_at(const struct sl_columns *c, int row, int column)
{
    return c->value[(size_t)row * (size_t)c->ncol + (size_t)column];
}
/* Index of a name, -1 when no column has it. */
int sl_columns_find(const struct sl_columns *c, const char *name);

#endif
