/* transfer_level.h - what the transfers between levels know of a level: its blocks and their jobs,
 * its two states, and what it keeps for the others. They know no run.
 *
 * Shapes  old, now: u[block][var][nt2][nt1][nt0]
 * Units   code units
 * Errors  none
 * Owns    nothing: all is borrowed from the level, and good until its states change places
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/law/nest.c
 */
#ifndef SL_TRANSFER_TRANSFER_LEVEL_H
#define SL_TRANSFER_TRANSFER_LEVEL_H

#include <stdint.h>

#include "core/cell/state.h"
#include "core/mesh/mesh.h"
#include "core/mesh/nest.h"

struct sl_edges;
struct sl_level_buffers;
struct sl_register;
struct sl_scheme;

struct sl_transfer_level {
    struct sl_mesh *mesh;
    const struct sl_nest *nest; /* of this level in the coarser one; NULL: it is the coarsest */
    const struct sl_scheme *scheme;
    const struct sl_ghost_arg *ghost; /* of a state */
    struct sl_layout layout;
    struct sl_gas gas;
    sl_real *old, *now; /* before and after the last step */
    /* Accelerations of the interior cells, [block][n2][n1][axis][n0], and how long they act on the
     * ghost cells that are made of this level; 0: not at all. */
    const sl_real *pull;
    double pull_time;
    sl_real *mass; /* through faces in the last step (core/cell/mass_flux.h); NULL: not kept */
    const struct sl_register *fluxes;
    const struct sl_edges *edges;
    struct sl_level_buffers **buffers; /* where the pointer to those of its messages is kept */
};

/* Cells of a rank that had no density or pressure once fluxes were corrected at level edges
 * (core/cell/reflux.h): */
struct sl_corrected {
    int64_t repaired, floored; /* by what others gave; by a floor */
};

#endif
