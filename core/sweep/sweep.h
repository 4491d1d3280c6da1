/* sweep.h - one stage of the method of lines over one block: reads the state once, writes it once,
 * keeps everything between in buffers of a few planes that fit the second-level cache.
 *
 * A block is cut along y into tiles of rows, and a tile is marched plane by plane along z.
 * Primitive values of a plane are made when it is first needed and kept while it is; each cell
 * gives the values at its two faces once per axis; fluxes along y and z wait in a buffer until the
 * next row or plane needs them. Lanes run along x for all three axes. The output may be the input:
 * what a later tile still needs is kept.
 *
 * Shapes  u[nvar][nt2][nt1][nt0] of one block, ghosts filled to scheme->ghosts
 * Units   code units
 * Errors  SL_EMEM
 * Owns    its buffers
 * MPI     local
 * Where   host
 * Refs    Shu & Osher 1988 (stages)
 * Tests   tests/law
 */
#ifndef SL_SWEEP_SWEEP_H
#define SL_SWEEP_SWEEP_H

#include "core/mesh/mesh.h"
#include "core/sweep/rows.h"

struct sl_sweep; /* buffers of one thread */

/* plain: the scheme of stages of first order. */
int sl_sweep_new(const struct sl_mesh *mesh, const struct sl_scheme *scheme,
                 const struct sl_scheme *plain, struct sl_sweep **out);
void sl_sweep_free(struct sl_sweep *sweep);

/* One stage: out = (1 - b) u0 + b (u + dt L(u)), or u0 + dt L(u). u0 is not read when b is 1 and
 * the result starts from u. */
struct sl_stage {
    sl_real b;
    double dt;
    sl_real damp;    /* what is left of psi (MHD) after the stage: 1 but for the last */
    int last;        /* the cells' signals are wanted, not only whether they are bad */
    int from_old;    /* the result is u0 + dt L(u); b is 1 */
    int first_order; /* fluxes from cell averages */
    int axis;        /* of a split sweep (split.h) */
    unsigned walls;  /* of the block: bit 2 axis for its lower, 2 axis + 1 for its upper face */
    /* Where the mass goes that crosses the faces (core/cell/mass_flux.h), of all blocks, or of that
     * which a sweep is given; NULL: it is not wanted. mass_before: what the stages before brought,
     * NULL: nothing. Both may be the same. */
    sl_real *mass;
    const sl_real *mass_before;
};

/* Signals of the block's new cells come back; u0, u, out point to the block's first value. beyond:
 * what lies across y and z (mesh.h); NULL: the ghost cells of u. */
struct sl_signal sl_sweep_block(struct sl_sweep *sweep, const struct sl_stage *stage,
                                const double dx[3], const struct sl_beyond *beyond,
                                const sl_real *u0, const sl_real *u, sl_real *out);

/* Signals of a block as it is. */
struct sl_signal sl_sweep_signal(struct sl_sweep *sweep, const double dx[3], sl_real *u);

#endif
