/* own_table.h - tables of numbers that commands of one's own wrote as CSV: against the first
 * column, with a line of names or, as numpy.savetxt writes it, a comment with them.
 *
 * Shapes  number[row][column]
 * Units   those of the file
 * Errors  SL_EIO, SL_EINPUT for a file that is no such table, SL_EMEM
 * Owns    what sl_own_table_release frees
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/own_table.c
 */
#ifndef SL_PIPELINE_CAMPAIGN_OWN_TABLE_H
#define SL_PIPELINE_CAMPAIGN_OWN_TABLE_H

#include <stdbool.h>

#include "pipeline/base/csv.h"

struct sl_own_table {
    struct sl_csv text; /* owned */
    char *names;        /* owned: each with its end */
    const char **name;  /* owned array of pointers into names: x, then the values */
    double *number;     /* owned; NAN where there is none */
    long rows;
    int columns;
};

/* Reads a table of two columns or more, of which the first is a number in every row. */
int sl_own_table_read(struct sl_own_table *table, const char *path);
void sl_own_table_release(struct sl_own_table *table);

static inline double sl_own_number(const struct sl_own_table *t, long row, int column)
{
    return t->number[row * t->columns + column];
}

/* Whether a column has numbers. */
bool sl_own_table_has(const struct sl_own_table *table, int column);
/* Whether two tables have the same columns and the same first column, so that means make sense. */
bool sl_own_table_alike(const struct sl_own_table *a, const struct sl_own_table *b);

#endif
