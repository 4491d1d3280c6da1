/* densest.h - the densest cell of a run and how it falls towards a centre, for problems that
 * collapse.
 *
 * Shapes  none
 * Units   code units
 * Errors  SL_EMPI, on all ranks alike
 * Owns    nothing
 * MPI     collective over run->mesh->comm
 * Where   host; the state is there
 * Refs    none
 * Tests   pipeline/suite/suite.def (collapse)
 */
#ifndef SL_EXACT_DENSEST_H
#define SL_EXACT_DENSEST_H

#include "core/state/state.h"

struct sl_densest {
    double rho;
    double rate; /* velocity towards the centre over the distance from it */
    double side; /* of the cell, along x */
};

/* Of the leaves of all levels and ranks; of cells alike that of the lowest rank. */
int sl_densest_find(const struct sl_state *run, const double centre[3], struct sl_densest *out);

#endif
