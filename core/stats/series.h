/* series.h - reads history.tsv.
 *
 * Shapes  value[row][column]
 * Units   as the names of the columns say
 * Errors  SL_EINPUT with file:line for a file that is missing, cut short in a line, or not a
 *         history
 * Owns    the arrays of a struct sl_series
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/series.c
 */
#ifndef SL_STATS_SERIES_H
#define SL_STATS_SERIES_H

enum { SL_SERIES_COLUMNS = 64, SL_SERIES_NAME = 48 };

struct sl_series {
    int ncol, nrow;
    char name[SL_SERIES_COLUMNS][SL_SERIES_NAME]; /* without the unit */
    double *value;                                /* owned */
};

/* Lines whose time is not past that of the line before replace the lines from that time on. */
int sl_series_read(const char *path, struct sl_series *out);
void sl_series_release(struct sl_series *history);

/* Index of a column, -1 when there is none. */
int sl_series_find(const struct sl_series *history, const char *name);
/* The same where the column must be there: SL_EINPUT when there is none. */
int sl_series_column(const struct sl_series *history, const char *name, int *column);
static inline double sl_series_at(const struct sl_series *h, int row, int column)
{
    return h->value[row * h->ncol + column];
}

#endif
