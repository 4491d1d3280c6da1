/* table.h - a result as a table of numbers with names, units and one sentence; written as CSV and
 * as a group of HDF5 datasets, read from CSV.
 *
 * CSV: lines "# text" (about, "# unit <column>: <unit>", "# <note>: <value>"), a line of names,
 * lines of numbers (%.10g, whole ones in full). A matrix has no line of names and its columns are
 * cells along x, its lines cells along y.
 *
 * Shapes  value[row][column]
 * Units   one text per column, one per matrix
 * Errors  SL_EINPUT with file:line for a file that is not such a table; SL_EIO, SL_EMEM
 * Owns    the arrays of a struct sl_table, the tables of a struct sl_tables
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/table.c
 */
#ifndef SL_MEASURE_TABLE_H
#define SL_MEASURE_TABLE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/sys/file.h"

enum { SL_TABLE_NAME = 64, SL_TABLE_UNIT = 48, SL_TABLE_NOTES = 16 };

struct sl_column {
    char name[SL_TABLE_NAME], unit[SL_TABLE_UNIT];
};

struct sl_table {
    char name[SL_TABLE_NAME]; /* of the file and of the group */
    char about[512];
    bool matrix; /* column[0] says the unit of all values */
    int nrow, ncol;
    struct sl_column *column; /* owned */
    double *value;            /* owned */
    int nnote;
    struct {
        char key[SL_TABLE_NAME];
        double value;
    } note[SL_TABLE_NOTES];
};

struct sl_tables {
    int n, room;
    struct sl_table *table; /* owned */
};

/* Adds a table of zeros; the pointer holds until the next table is added. */
int sl_tables_add(struct sl_tables *tables, const char *name, int nrow, int ncol,
                  struct sl_table **out, const char *about, ...)
    __attribute__((format(printf, 6, 7)));
void sl_tables_release(struct sl_tables *tables);

void sl_table_column(struct sl_table *table, int column, const char *name, const char *unit);
void sl_table_note(struct sl_table *table, const char *key, double value);
/* That note, 0 without one. */
double sl_table_noted(const struct sl_table *table, const char *key);
static inline double *sl_table_at(const struct sl_table *t, int row, int column)
{
    return &t->value[(size_t)row * (size_t)t->ncol + (size_t)column];
}
/* Index of a column, -1 when there is none. */
int sl_table_find(const struct sl_table *table, const char *column);

/* dir/<name>.csv, complete or not at all; of many, the last file of the directory may be the one
 * that is made durable with all before it. */
int sl_table_write_csv(const struct sl_table *table, const char *dir, enum sl_durable durable);
int sl_table_write_hdf(const struct sl_table *table, hid_t parent);

/* Reads a table with names into an empty struct; sl_table_release frees it. */
int sl_table_read_csv(const char *path, struct sl_table *out);
void sl_table_release(struct sl_table *table);

/* One line of summary.csv: quantity,value,error,unit. */
struct sl_quantity {
    char name[SL_TABLE_NAME], unit[SL_TABLE_UNIT];
    double value, error;
};
enum { SL_QUANTITIES = 64 };
struct sl_summary {
    int n;
    struct sl_quantity row[SL_QUANTITIES];
};
void sl_summary_add(struct sl_summary *summary, const char *name, double value, double error,
                    const char *unit);
const struct sl_quantity *sl_summary_find(const struct sl_summary *summary, const char *name);
int sl_summary_write_csv(const struct sl_summary *summary, const char *path);
int sl_summary_write_hdf(const struct sl_summary *summary, hid_t parent);
int sl_summary_read_csv(const char *path, struct sl_summary *out);

#endif
