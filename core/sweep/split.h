/* split.h - one sweep along one axis of the relaxing TVD scheme over one block: a half step with
 * upwind fluxes, then a full one with limited fluxes of the half-way state.
 *
 * A step is a sweep along each axis in turn and the same sweeps in reverse order, each over half of
 * the step; an acceleration along the axis acts in each, on the half-way state and on its density.
 * Ghost cells are filled before each: three are enough for any number of axes, no cell is computed
 * twice, walls and fixed edges hold after each sweep, and a block of any shape sees what one block
 * over the whole grid would see.
 *
 * Pencils along the axis are copied into a buffer, as many as fit the second-level cache, and
 * worked on as one long row: neighbours along the axis are `step` values apart, lanes run along x.
 *
 * Shapes  u[nvar][nt2][nt1][nt0] of one block, ghosts filled to SL_RELAX_GHOSTS
 * Units   code units
 * Errors  SL_EMEM
 * Owns    its buffers
 * MPI     local
 * Where   host
 * Refs    Schive, Tsai & Chiueh 2010, section 2.2; Trac & Pen 2003; Strang 1968
 * Tests   tests/law/tvd.c, tests/law/gravity.c
 */
#ifndef SL_SWEEP_SPLIT_H
#define SL_SWEEP_SPLIT_H

#include "core/sweep/sweep.h"

struct sl_split; /* buffers of one thread */

int sl_split_new(const struct sl_mesh *mesh, const struct sl_scheme *scheme, struct sl_split **out);
void sl_split_free(struct sl_split *split);

/* The sweep along stage->axis over stage->dt. out may be u. */
struct sl_signal sl_split_block(struct sl_split *split, const struct sl_stage *stage,
                                const double dx[3], const sl_real *u, sl_real *out);

/* The same for one cell, the one that lies `where` cells above the lower side of its block: fluxes
 * at its lower and upper face, from itself and three neighbours at each side along the axis, of
 * which the first `low` and the last `high` lie behind a wall; line.at points to the first. safe:
 * upwind fluxes over the whole step. Its density after half the step comes back. */
enum { SL_SPLIT_LINE = 7 };
struct sl_split_cell {
    int axis, low, high;
    sl_real dt, dt_dx;
};
struct sl_split_cell sl_split_cell_of(const struct sl_mesh *mesh, const struct sl_stage *stage,
                                      int block, int where);
sl_real sl_split_fluxes(const struct sl_scheme *scheme, const struct sl_split_cell *of,
                        struct sl_view line, struct sl_view flux, struct sl_view safe);

#endif
