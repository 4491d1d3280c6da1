/* sweep_ct.h - one stage of the method of lines with constrained transport over one block.
 *
 * A block is cut along y into tiles of rows, and a tile is marched plane by plane along z, like in
 * sweep.h. But the electric field at an edge needs the fluxes of all faces around it: fluxes are
 * made for one more row, column and plane at each side, and wait in planes until their edges are
 * done; tiles and blocks make those twice, with the same bits. So the output may not be the input.
 *
 * A block makes the field on all its faces. Those that two blocks share get the same bits in both.
 *
 * Shapes  u[nvar][nt2][nt1][nt0] of one block, ghosts filled to scheme->ghosts;
 *         flags[nt2][nt1][nt0]
 * Units   code units
 * Errors  SL_EMEM
 * Owns    its buffers
 * MPI     local
 * Where   host
 * Refs    Gardiner & Stone 2005, 2008; Shu & Osher 1988 (stages)
 * Tests   tests/law/ct.c
 */
#ifndef SL_SWEEP_SWEEP_CT_H
#define SL_SWEEP_SWEEP_CT_H

#include "core/sweep/sweep.h"

struct sl_sweep_ct; /* buffers of one thread */
struct sl_edge_keep;

int sl_sweep_ct_new(const struct sl_mesh *mesh, const struct sl_scheme *scheme,
                    const struct sl_scheme *plain, struct sl_sweep_ct **out);
void sl_sweep_ct_free(struct sl_sweep_ct *sweep);

/* As sl_sweep_block. Faces of cells that have a flag above 0 get first-order fluxes; above 1, and
 * their energy follows the field at the faces (sl_rows_ct_heat). NULL: none has. The electric field
 * along the edges of the block goes to keep (stage_sums.h). */
struct sl_signal sl_sweep_ct_block(struct sl_sweep_ct *sweep, const struct sl_stage *stage,
                                   const double dx[3], const struct sl_edge_keep *keep,
                                   const sl_real *flags, const sl_real *u0, const sl_real *u,
                                   sl_real *out);

#endif
