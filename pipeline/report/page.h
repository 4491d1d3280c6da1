/* report/html.h - the page of a report: HTML with everything in it.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EMEM when the page is written (buffer.h)
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/unit/report.c, tests/cli/report.sh
 */
#ifndef SL_PIPELINE_REPORT_PAGE_H
#define SL_PIPELINE_REPORT_PAGE_H

#include "pipeline/report/figure.h"
#include "pipeline/report/html.h"

/* Appends the whole page; fails where a table that is there cannot be read. */
int sl_page_add(struct sl_buffer *html, const struct sl_report *r, const struct sl_drawings *d);

#endif
