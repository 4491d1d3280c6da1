/* report_table.h - reads the tables that the programs write: CSV and history.tsv.
 *
 * Shapes  cell[row][column] of texts; every row has `columns` cells (missing ones are "")
 * Units   those of the file
 * Errors  SL_EIO, SL_EINPUT, SL_EMEM
 * Owns    the text of the file, cut into cells in place
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/report.c
 */
#ifndef SL_PIPELINE_REPORT_TABLE_H
#define SL_PIPELINE_REPORT_TABLE_H

#include "pipeline/report_text.h"

struct sl_table {
    struct sl_text text;  /* owned */
    const char **cell;    /* owned array of pointers into text */
    const char **name;    /* owned array: the column names; NULL for a matrix */
    const char **comment; /* owned array: lines that began with "# ", without it */
    long rows;
    int columns, comments;
};

enum sl_table_kind {
    SL_TABLE_CSV,     /* comments, a line of names, rows; comma separated */
    SL_TABLE_MATRIX,  /* comments, rows; comma separated */
    SL_TABLE_HISTORY, /* comments, the last of which holds the names; tab separated */
};

/* Empties t on failure. */
int sl_table_read(struct sl_table *t, const char *path, enum sl_table_kind kind);
void sl_table_release(struct sl_table *t);

/* Column of that name, -1 when there is none. History names match without their unit. */
int sl_table_column(const struct sl_table *t, const char *name);
/* First row whose first cell is `key`, -1 when there is none. */
long sl_table_row(const struct sl_table *t, const char *key);
/* "" and NAN where there is no such cell or no number in it. */
const char *sl_table_text(const struct sl_table *t, long row, int column);
double sl_table_number(const struct sl_table *t, long row, int column);

#endif
