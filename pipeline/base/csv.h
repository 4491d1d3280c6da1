/* csv.h - reads the tables that the programs write: CSV and history.tsv.
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
#ifndef SL_PIPELINE_BASE_CSV_H
#define SL_PIPELINE_BASE_CSV_H

#include "pipeline/base/buffer.h"

struct sl_csv {
    struct sl_buffer text; /* owned */
    const char **cell;     /* owned array of pointers into text */
    const char **name;     /* owned array: the column names; NULL for a matrix */
    const char **comment;  /* owned array: lines that began with "# ", without it */
    long rows;
    int columns, comments;
};

enum sl_csv_kind {
    SL_CSV_NAMED,   /* comments, a line of names, rows; comma separated */
    SL_CSV_MATRIX,  /* comments, rows; comma separated */
    SL_CSV_HISTORY, /* comments, the last of which holds the names; tab separated */
};

/* Empties t on failure. */
int sl_csv_read(struct sl_csv *t, const char *path, enum sl_csv_kind kind);
/* Of a table that may be missing or damaged: then t is empty. Fails where it cannot be read though
 * it is there, so that nobody takes it for missing. */
int sl_csv_try(struct sl_csv *t, const char *path, enum sl_csv_kind kind);
void sl_csv_release(struct sl_csv *t);

/* Column of that name, -1 when there is none. History names match without their unit. */
int sl_csv_column(const struct sl_csv *t, const char *name);
/* The same of a column that has a number, -1 where all of its rows lack one. */
int sl_csv_any(const struct sl_csv *t, const char *name);
/* First row whose first cell is `key`, -1 when there is none. */
long sl_csv_row(const struct sl_csv *t, const char *key);
/* The number of a comment "key: value", NAN when there is none. */
double sl_csv_note(const struct sl_csv *t, const char *key);
/* Its text, "" when there is none. */
const char *sl_csv_note_text(const struct sl_csv *t, const char *key);
/* "" and NAN where there is no such cell or no number in it. */
const char *sl_csv_text(const struct sl_csv *t, long row, int column);
double sl_csv_number(const struct sl_csv *t, long row, int column);

#endif
