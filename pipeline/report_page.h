/* report_page.h - the page of a report: HTML with everything in it.
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

#include "pipeline/report_figure.h"

/* Appends the whole page. */
void sl_page_add(struct sl_buffer *html, const struct sl_report *r, const struct sl_drawings *d);

/* Appends value and error as people write them: 5.17 ± 0.12, 3.1 × 10^-13; "–" for NAN. error NAN:
 * none. */
void sl_page_number(struct sl_buffer *html, double value, double error);
/* Appends a duration of that many seconds: 42 s, 3 min 20 s, 5 h 12 min. */
void sl_page_duration(struct sl_buffer *html, double seconds);

#endif
