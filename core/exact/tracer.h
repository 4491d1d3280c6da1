/* tracer.h - the gas that the first passive scalar marks: its mass, how fast it is, where, and
 * how far it has mixed.
 *
 * Shapes  leaves of all levels
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI, on all ranks alike
 * Owns    nothing
 * MPI     collective over state->mesh->comm; the same bits on any number of ranks
 * Where   host
 * Refs    Klein, McKee & Colella 1994, section 2
 * Tests   pipeline/suite/suite.def
 */
#ifndef SL_EXACT_TRACER_H
#define SL_EXACT_TRACER_H

#include "core/state/problem.h"
#include "core/state/state.h"

struct sl_tracer {
    double mass;
    double velocity, place; /* its means along x */
    double mixed;           /* share of it in cells with less than 9/10 and more than 1/10 of it */
    double dense;           /* share of it in cells that are denser than asked */
};

/* Adds cloud_place and mixing. */
void sl_tracer_report(const struct sl_tracer *tracer, struct sl_measures *out);

/* All is 0 where no scalar marks any gas. */
int sl_tracer_measure(const struct sl_state *state, double dense, struct sl_tracer *out);

#endif
