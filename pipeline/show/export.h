/* export.h - a campaign as a table, as JSON, or as an SQLite database.
 *
 * Shapes  CSV: a line per member, columns: member, state, the keys that differ, cost, results;
 *         a table per statistic: a line per member, snapshot and row of it;
 *         SQLite: tables campaign, member, parameter, attempt, result, ensemble, journal
 * Units   seconds, core hours; results as the unit column says
 * Errors  SL_EIO, SL_EMEM, SL_EINPUT
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    RFC 4180 (CSV)
 * Tests   tests/cli/export.sh
 */
#ifndef SL_PIPELINE_SHOW_EXPORT_H
#define SL_PIPELINE_SHOW_EXPORT_H

#include "pipeline/report/data.h"

void sl_export_csv(const struct sl_report *r, struct sl_buffer *out);
int sl_export_json(const struct sl_report *r, struct sl_buffer *out);
/* The database appears complete, by rename, in place of the file that was there; SL_EINPUT: it was
 * no plain file. */
int sl_export_sqlite(const struct sl_report *r, const char *path);
/* dir/STATISTIC.csv with the rows of all members: member, the keys that differ, of snapshots their
 * number, time and redshift, then the columns of the statistic; maps are left out. SL_EINPUT where
 * no plain file is in the place of one. */
int sl_export_tables(const struct sl_report *r, const char *dir);

#endif
