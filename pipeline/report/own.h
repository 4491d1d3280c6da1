/* own.h - the part of a report that shows what commands of one's own made (stages.* of the recipe):
 * PNG files as they are, CSV files as curves of each column against the first.
 *
 * Of a group it shows the files of its first finished member; curves are those of all members, with
 * the mean where the ensemble has one. Of snapshots it shows the last.
 *
 * Shapes  none
 * Units   those of the files
 * Errors  a file that cannot be shown is counted beside those for which there is no room
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/stages.sh
 */
#ifndef SL_PIPELINE_REPORT_OWN_H
#define SL_PIPELINE_REPORT_OWN_H

#include "pipeline/report/data.h"

/* Whether the campaign has such commands. */
bool sl_report_own_has(const struct sl_report *r);
/* Draws the curves, report/figures/own_<number>, and appends the part; gnuplot: it can be
 * started. */
void sl_report_own_add(struct sl_buffer *html, const struct sl_report *r, bool gnuplot);

#endif
