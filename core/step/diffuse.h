/* diffuse.h - stages of super time steps of viscosity, conduction and resistivity
 * (core/cell/diffuse.h) on a uniform mesh.
 *
 * Shapes  as in sim.h
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI
 * Owns    sim->work->diffuse: the first state of a super step and its rate, of what changes
 * MPI     collective over mesh->comm unless a function says local
 * Where   host; the state where the backend has it
 * Refs    Meyer, Balsara & Aslam 2014
 * Tests   tests/law/diffusion.c, tests/gpu/diffusion.c
 */
#ifndef SL_STEP_DIFFUSE_H
#define SL_STEP_DIFFUSE_H

#include "core/cell/diffuse.h"
#include "core/step/sim.h"

struct sl_diffuse_room; /* private to diffuse.c */

struct sl_diffuse_stage {
    double nu, kappa, eta;
    struct sl_diffuse_mix mix;
    int begin; /* the first stage: its state and rate are kept */
};

/* The state becomes that after the stage; the one before it is kept beside it for the next
 * stage. */
int sl_diffuse_step(struct sl_sim *sim, const struct sl_diffuse_stage *stage);

/* local. What the operators need to know of the gas and of blocks in the layout of a pack. */
struct sl_diffuse sl_diffuse_of(const struct sl_sim *sim, const struct sl_diffuse_stage *stage);

/* local. The stage of all blocks of the rank on the processor, from the state now, ghost cells
 * filled, to next; and what this needs, which free takes, NULL too. */
int sl_diffuse_blocks(struct sl_sim *sim, const struct sl_diffuse_stage *stage);
void sl_diffuse_free(struct sl_diffuse_room *room);

/* What viscosity takes from the kinetic energy of the box per time, and resistivity from the
 * magnetic one; the present state comes to the host. */
int sl_diffuse_losses(const struct sl_sim *sim, const struct sl_diffuse_stage *of, double out[2]);

#endif
