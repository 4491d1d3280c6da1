/* planes.h - values of cells between the blocks of a mesh and the planes, or rows of planes, of a
 * pencil decomposition (pencil.h) of the same grid.
 *
 * A message holds, block by block, the rows of cells that a rank has of another's share. Which
 * these are is found once, when the table is made; an exchange then sends to the ranks alone that
 * share cells.
 *
 * Shapes  uniform grids; a row is a block's line of cells along x
 * Units   none
 * Errors  SL_EMEM, SL_EMPI
 * Owns    its table of rows and its buffers: a value per cell of the own blocks, and one of the own
 *         rows of the pencil
 * MPI     collective over the mesh's communicator, which is the pencil's; ranks without blocks or
 *         rows allowed
 * Where   host
 * Refs    none
 * Tests   tests/law/self_gravity.c
 */
#ifndef SL_GRID_PLANES_H
#define SL_GRID_PLANES_H

#include "core/grid/pencil.h"
#include "core/mesh/mesh.h"

struct sl_planes;

/* mesh and pencil are borrowed. */
int sl_planes_new(const struct sl_mesh *mesh, const struct sl_pencil *pencil,
                  struct sl_planes **out);
void sl_planes_free(struct sl_planes *planes);

/* Row (k, j) of an own block, counted from its first cell; cells i .. i + n - 1 of own row j
 * of own plane k. */
typedef void sl_planes_block_row(void *context, int block, int k, int j, sl_real *row);
typedef void sl_planes_plane_row(void *context, int k, int j, int i, int n, sl_real *row);

/* `from` fills the rows of all own blocks, `to` gets those of all own planes; and the way back. */
int sl_planes_gather(struct sl_planes *planes, sl_planes_block_row *from, sl_planes_plane_row *to,
                     void *context);
int sl_planes_spread(struct sl_planes *planes, sl_planes_plane_row *from, sl_planes_block_row *to,
                     void *context);

#endif
