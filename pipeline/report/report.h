/* report.h - writes the report of a campaign: one page that opens from disk, and its figures.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EINPUT when dir is no campaign, SL_EIO, SL_EMEM. Missing results, failed members and a
 *         missing gnuplot are no errors: the page says what is missing.
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/report.c, tests/cli/report.sh
 */
#ifndef SL_PIPELINE_REPORT_REPORT_H
#define SL_PIPELINE_REPORT_REPORT_H

/* Writes campaign_dir/report/index.html, by rename, report/checks.txt and report/figures. against:
 * the directory of a campaign whose results stand beside these, NULL for none. */
int sl_report_write(const char *campaign_dir, const char *against);

#endif
