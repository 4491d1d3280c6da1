/* text.h - what a report says in words: a paragraph on the methods of the run, to be taken into a
 * paper, and the table of all parameters.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EMEM when the page is written (buffer.h)
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    those that the paragraph names; each is given where its method is (core/cell, core/step,
 *         core/cosmo ...)
 * Tests   tests/cli/report.sh
 */
#ifndef SL_PIPELINE_REPORT_TEXT_H
#define SL_PIPELINE_REPORT_TEXT_H

#include "pipeline/report/data.h"

struct sl_config;

/* Of the first member; what differs between members is named. */
void sl_methods_add(struct sl_buffer *html, const struct sl_report *r);
/* What the recipe of the first member says, whether or not this program would run it. */
void sl_text_recipe(const struct sl_report *r, struct sl_config *out);
/* Each key with its value, where it comes from, and what it is. */
void sl_parameters_add(struct sl_buffer *html, const struct sl_report *r);

#endif
