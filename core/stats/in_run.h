/* in_run.h - measures a run where it is: what statistics would measure of a snapshot of this
 * moment, without one.
 *
 * The tables go to a file in place of the snapshot (run_tables.h), and have the bits that they
 * would have by way of it. What measures stays from moment to moment: the linear theory, the device
 * and its messages. Memory for fields and that on the device is given back after each, as steps
 * need it.
 *
 * Shapes  none
 * Units   code units
 * Errors  those of measure.h and run_tables.h
 * Owns    what _new makes, freed by _free
 * MPI     collective over the communicator of _new, which is that of the mesh, but for _free
 * Where   host; particles that a device moves are measured there or brought to the host;
 *         sums on devices where there are any
 * Refs    none
 * Tests   tests/law/in_run.sh
 */
#ifndef SL_STATS_IN_RUN_H
#define SL_STATS_IN_RUN_H

#include "core/state/state.h"

struct sl_in_run;

/* Of particles alone (fluid.eos: none). cfg is borrowed. tight: where a device has no room for what
 * is to stay there, the host measures in its place, and may have too little memory for that. */
int sl_in_run_new(MPI_Comm comm, const struct sl_config *cfg, bool tight, struct sl_in_run **out);
void sl_in_run_free(struct sl_in_run *r);

/* The moment is that of the state, and in place of snapshot `number` in dir. */
int sl_in_run_measure(struct sl_in_run *r, const struct sl_state *state, const char *dir,
                      int64_t number);

#endif
