/* cycle.h - a step of all levels of a run: how many steps each level takes in one of the root
 * level, and the order in which they go.
 *
 * A level steps first, then the next finer one takes its steps to the same time, with ghost cells
 * from the coarser one interpolated in time; then the fluxes between both are made the same
 * (refluxing), and the covered blocks of the coarser one become the means of the finer.
 * time.levels: one: all levels take the same step; each: every level takes two steps in one of the
 * coarser; auto: one or two, whichever of all combinations updates the fewest cells per unit of
 * time, from the number of leaves and the step that each level allows, and lets the finest level
 * take mesh.regrid steps at most from one regrid to the next, as a regrid falls at the end of a
 * step of the root.
 *
 * A level whose state asks for a shorter step in the midst of a step of the root takes two in place
 * of one.
 *
 * Shapes  as in sim.h
 * Units   code units
 * Errors  SL_EDIVERGED, SL_EMEM, SL_EMPI
 * Owns    nothing
 * MPI     collective over the mesh's communicator unless a function says local
 * Where   host
 * Refs    Berger & Oliger 1984; Berger & Colella 1989; Schive et al. 2010, section 2.3
 * Tests   tests/law/levels.c
 */
#ifndef SL_STEP_CYCLE_H
#define SL_STEP_CYCLE_H

#include <stdbool.h>

#include "core/mesh/hierarchy.h"
#include "core/step/sim.h"

/* As sl_sim_step, of a run with a hierarchy. */
int sl_cycle_step(struct sl_sim *root, double until);

/* The end of a step: the regrid, where one is due, and the length of the next step. */
int sl_cycle_end(struct sl_sim *root, bool regrid);

/* local. Steps of each level in one of the root level, and the length of that. */
struct sl_cycle {
    int steps[SL_LEVELS];
    double dt;
};
struct sl_cycle sl_cycle_of(const struct sl_sim *root);

/* local. Cells of a level around one that is to be refined which are refined with it: mesh.buffer,
 * or where a step of the root holds more steps of the level than mesh.regrid, as many as signals
 * cross in these if that is more; mesh.buffer of a mesh without levels. */
int sl_cycle_buffer(const struct sl_sim *sim);

/* local. Whether the next step ends with a regrid: one more such step would bring the steps of the
 * finest level since the last one above mesh.regrid. */
bool sl_cycle_regrids(const struct sl_sim *root);

/* Ghost cells of the present state of a level that criteria and the children of its cells read;
 * coarser levels have theirs. */
int sl_cycle_ghosts(struct sl_sim *sim);

/* Covered blocks of all levels become the means of their children. */
int sl_cycle_cover(struct sl_sim *root);

#endif
