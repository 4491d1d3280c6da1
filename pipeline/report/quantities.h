/* quantities.h - the table of all quantities of an ensemble, beside those of another campaign.
 *
 * Shapes  none
 * Units   as the quantities say
 * Errors  none; what is missing is a dash
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/report.sh
 */
#ifndef SL_PIPELINE_REPORT_QUANTITIES_H
#define SL_PIPELINE_REPORT_QUANTITIES_H

#include "pipeline/report/data.h"

/* Appends the table of a group; nothing when it has no results. The difference from another
 * campaign is in units of both standard errors together. */
void sl_quantities_add(struct sl_buffer *html, const struct sl_report *r, int group);

#endif
