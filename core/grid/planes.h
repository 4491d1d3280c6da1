/* planes.h - values of cells between the blocks of a mesh and the planes, or rows of planes, of a
 * pencil decomposition (pencil.h) of the same grid.
 *
 * A message holds, block by block, the rows of cells that a rank has of another's share. Which
 * these are is found once, when the table is made; an exchange then sends to the ranks alone that
 * share cells.
 *
 * Shapes  uniform grids; a row is a block's line of cells along x, with what is around it
 * Units   none
 * Errors  SL_EMEM, SL_EMPI
 * Owns    its table of rows and its buffers: a value per cell that the own blocks, or the own rows
 *         of the pencil, share with other ranks
 * MPI     collective over the mesh's communicator, which is the pencil's; ranks without blocks or
 *         rows allowed
 * Where   host
 * Refs    none
 * Tests   tests/law/self_gravity.c, tests/law/particles.c
 */
#ifndef SL_GRID_PLANES_H
#define SL_GRID_PLANES_H

#include "core/grid/pencil.h"
#include "core/mesh/mesh.h"

struct sl_planes;

/* Rows of sl_real. mesh and pencil are borrowed. */
int sl_planes_new(const struct sl_mesh *mesh, const struct sl_pencil *pencil,
                  struct sl_planes **out);
/* Rows of numbers of 8 bytes of blocks with so many layers of cells around them, no more than there
 * are planes; they are those of other blocks, or lie beyond the grid at its other side. The grid of
 * the pencil may have more cells than the mesh. */
int sl_planes_new_around(const struct sl_mesh *mesh, const struct sl_pencil *pencil, int layers,
                         size_t number, struct sl_planes **out);
void sl_planes_free(struct sl_planes *planes);

/* Row (k, j) of an own block, counted from its first cell (-1: the layer before that); cells i .. i
 * + n - 1 of own row j of own plane k, i < 0: beyond the grid. */
typedef void sl_planes_block_row(void *context, int block, int k, int j, void *row);
typedef void sl_planes_plane_row(void *context, int k, int j, int i, int n, void *row);

/* `from` fills the rows of all own blocks, `to` gets those of all own planes; and the way back. */
int sl_planes_gather(struct sl_planes *planes, sl_planes_block_row *from, sl_planes_plane_row *to,
                     void *context);
int sl_planes_spread(struct sl_planes *planes, sl_planes_plane_row *from, sl_planes_block_row *to,
                     void *context);

#endif
