/* in_run.h - measures a run where it is: what statistics would measure of a snapshot of this
 * moment, without one.
 *
 * The tables go to a file in place of the snapshot (run_tables.h), and have the bits that they
 * would have by way of it.
 *
 * Shapes  none
 * Units   code units
 * Errors  those of measure.h and run_tables.h
 * Owns    nothing
 * MPI     collective over state->mesh->comm
 * Where   host; particles that a device moves are measured there or brought to the host;
 *         sums on devices where there are any
 * Refs    none
 * Tests   tests/law/in_run.sh
 */
#ifndef SL_STATS_IN_RUN_H
#define SL_STATS_IN_RUN_H

#include "core/state/state.h"

/* Of particles alone (fluid.eos: none). */
int sl_stats_in_run(const struct sl_state *state, const char *dir, int64_t number);

#endif
