/* sample.h - the section `sample:` of a recipe: values drawn from ranges and lists by a design.
 *
 * Shapes  one axis of the sweep, a value of each key for each point
 * Units   of the keys
 * Errors  SL_EINPUT with file:line:column, SL_EMEM
 * Owns    nothing; what it makes belongs to the axis
 * MPI     local
 * Where   host
 * Refs    those of design.h
 * Tests   tests/unit/design.c, tests/cli/design.sh
 */
#ifndef SL_PIPELINE_CAMPAIGN_SAMPLE_H
#define SL_PIPELINE_CAMPAIGN_SAMPLE_H

#include "pipeline/campaign/sweep.h"

/* "1..10", "1..10 log": all numbers between. */
int sl_sample_range(const struct sl_sweep_row *from, struct sl_sweep_key *key);

/* Draws the values of the axis of all sampled keys, NULL without any. *fixed: more points would be
 * other points. */
int sl_sample_fill(const struct sl_inputs *in, struct sl_sweep_axis *axis, bool *fixed);

#endif
