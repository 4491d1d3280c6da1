/* scatter.h - the results of a sample of parameters: each against each, and what they hang on.
 *
 * Shapes  none
 * Units   as the keys and the summaries
 * Errors  SL_EMEM
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    those of sensitivity.h
 * Tests   tests/cli/design.sh
 */
#ifndef SL_PIPELINE_REPORT_SCATTER_H
#define SL_PIPELINE_REPORT_SCATTER_H

#include "pipeline/report/data.h"

/* Whether its groups are points in several parameters at once rather than a product of values. */
bool sl_scatter_has(const struct sl_report *r);

/* Appends the table of sensitivities; nothing where there are too few points. */
int sl_scatter_add(struct sl_buffer *html, const struct sl_report *r);

#endif
