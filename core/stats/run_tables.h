/* run_tables.h - the file in which a run leaves what it measured in place of a snapshot: tables and
 * numbers, as statistics of the snapshot would have made them.
 *
 * CAMPAIGN_tables_NNNN.h5: a dataset tables/NAME [row][column] for each table, with its sentence,
 * names and units of columns and notes as attributes, and their order; numbers of struct
 * sl_measured and that of the moment as attributes; recipe and provenance. It is small, complete or
 * not there, and on the list of what the run has written (sealed.h).
 *
 * Shapes  those of the tables
 * Units   those of the tables
 * Errors  SL_EIO, SL_EMEM; SL_EINPUT for a file that is missing, damaged or not as the run wrote
 *         it, of another recipe (keys that may change at a restart do not count, unless they are of
 *         statistics), or not on the list of a run that has ended (written.tsv)
 * Owns    nothing; tables are added to the caller's
 * MPI     local; for rank 0
 * Where   host
 * Refs    none
 * Tests   tests/unit/run_tables.c, tests/law/in_run.sh
 */
#ifndef SL_STATS_RUN_TABLES_H
#define SL_STATS_RUN_TABLES_H

#include <stdbool.h>

#include "core/measure/fields.h"

struct sl_config;
struct sl_sealed;

/* Behind the name of the campaign; of a format of a number. */
#define SL_RUN_TABLES_ENDING(number) "_tables_" number ".h5"

/* What there is beside the tables. */
struct sl_run_tables {
    double time, when; /* code time; in time.unit, or the scale factor */
    struct sl_measured measured;
};

/* sealed: is told of the file; NULL: nothing is. dir is made if need be. */
int sl_run_tables_write(const struct sl_config *cfg, const char *dir, int number,
                        const struct sl_tables *tables, const struct sl_run_tables *beside,
                        struct sl_sealed *sealed);
int sl_run_tables_read(const struct sl_config *cfg, const char *dir, int number,
                       struct sl_tables *tables, struct sl_run_tables *beside);

/* The list that a run leaves at its end in the working directory; *there: whether it did. *list is
 * the caller's to release. */
int sl_run_tables_written(struct sl_sealed *list, bool *there);

#endif
