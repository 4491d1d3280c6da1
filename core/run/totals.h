/* totals.h - what a line of the history says of the present state.
 *
 * Shapes  none
 * Units   as in core/io/history.h
 * Errors  SL_EMEM, SL_EMPI; SL_EDIVERGED when a total is not finite
 * Owns    nothing
 * MPI     collective over mesh->comm
 * Where   host calls; the sums are made where the state is
 * Refs    none
 * Tests   tests/unit/history.c
 */
#ifndef SL_RUN_TOTALS_H
#define SL_RUN_TOTALS_H

#include "core/io/history.h"
#include "core/step/sim.h"

/* Totals of the field and of the expansion are 0 without them. The same bits for any number of
 * ranks: sums go leaf by leaf (sl_sum_columns). */
int sl_run_totals(const struct sl_sim *sim, struct sl_totals *out);

#endif
