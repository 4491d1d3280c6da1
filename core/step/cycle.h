/* cycle.h - a step of all levels of a run: the order in which they go.
 *
 * A level steps first, then the next finer one takes its steps (ratio.h) to the same time, with
 * ghost cells from the coarser one interpolated in time; then the fluxes between both are made the
 * same (refluxing), and the covered blocks of the coarser one become the means of the finer.
 *
 * The sweeps of tvd go over all levels one after the other, each as a step of that kind
 * (sl_step_parts).
 *
 * A level whose state asks for a shorter step in the midst of a step of the root takes two in place
 * of one. A uniform mesh is one level that is never refined.
 *
 * Shapes  as in sim.h
 * Units   code units
 * Errors  SL_EDIVERGED, SL_EMEM, SL_EMPI
 * Owns    nothing
 * MPI     collective over the mesh's communicator
 * Where   host
 * Refs    Berger & Oliger 1984; Berger & Colella 1989
 * Tests   tests/law/levels.c
 */
#ifndef SL_STEP_CYCLE_H
#define SL_STEP_CYCLE_H

#include <stdbool.h>

#include "core/step/sim.h"

/* As sl_sim_step, but for the length of the next step; *due: a regrid is to follow. */
int sl_cycle_step(struct sl_sim *root, double until, bool *due);

#endif
