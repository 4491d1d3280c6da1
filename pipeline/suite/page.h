/* report/html.h - the page of the verification suite: one table of what was measured, what is asked
 * for and what other codes get, and our figures for those of three papers.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EIO, SL_EMEM. Failed runs and a missing gnuplot are no errors: the page says what is
 *         missing.
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/verify.sh
 */
#ifndef SL_PIPELINE_SUITE_PAGE_H
#define SL_PIPELINE_SUITE_PAGE_H

#include "pipeline/suite/run.h"
#include "pipeline/suite/suite.h"

/* Writes ask->report/index.html, by rename, and ask->report/figures; makes the runs of the
 * figures. */
int sl_suite_page_write(const struct sl_suite_ask *ask, int n, const struct sl_suite_result *result,
                        struct sl_suite_runs *runs);

#endif
