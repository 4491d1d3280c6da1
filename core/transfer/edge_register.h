/* edge_register.h - the electric field along the edges on the surfaces of blocks that constrained
 * transport used, kept for the correction where refinement changes (processor).
 *
 * What an edge had in a step, times that step: across each face of a side, a, b, c in cyclic order,
 *   B_c(after) - B_c(before) = - (E_b(upper along a) - E_b(lower)) / dx_a
 *                              + (E_a(upper along b) - E_a(lower)) / dx_b
 * First-order fluxes of repairs are in it.
 *
 * Shapes  as in core/cell/edge.h
 * Units   code units: those of the field times a length
 * Errors  SL_EINPUT, SL_EMEM; on error nothing has changed
 * Owns    the registers
 * MPI     local
 * Where   host
 * Refs    Berger & Colella 1989; Balsara 2001
 * Tests   tests/law/register.c
 */
#ifndef SL_TRANSFER_EDGE_REGISTER_H
#define SL_TRANSFER_EDGE_REGISTER_H

#include "core/cell/edge.h"
#include "core/mesh/mesh.h"
#include "core/sweep/stage_sums.h"

struct sl_edges {
    struct sl_stage_sums sums;
    size_t each;  /* values of a block */
    int *slot[2]; /* owned; [fine, coarse][block]: place in the list, or -1 */
};

/* For the edges of these blocks, those of the fine ones in sums over steps; NULL where there are no
 * blocks. has_edges: the integrator has such a field. */
int sl_edges_new(const struct sl_mesh *mesh, bool has_edges, const int *fine, int nfine,
                 const int *coarse, int ncoarse, struct sl_edges **out);
void sl_edges_free(struct sl_edges *edges);

/* The values of a block of the fine and of one of the coarse list. */
const sl_real *sl_edges_fine(const struct sl_edges *edges, int block);
const sl_real *sl_edges_coarse(const struct sl_edges *edges, int block);

/* Where a stage of a block puts its edges; edges may be NULL. */
struct sl_edge_keep sl_edges_keep(const struct sl_edges *edges, const struct sl_stage *stage,
                                  int block);

#endif
