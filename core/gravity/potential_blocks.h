/* potential_blocks.h - the potential of a grid of one level in the blocks of its mesh, with a layer
 * of cells around each, and what follows from it in rows of cells: accelerations, and how they
 * bend.
 *
 * A cell has one number so, which is moved once from the planes of the transforms (poisson.h);
 * central slopes in each of three axes, and their changes, would be six.
 *
 * Shapes  rows of accelerations [axis][n0], 0 along axes that are not there
 * Units   those of poisson.h
 * Errors  SL_EMEM, SL_EMPI
 * Owns    a double for each own cell and each of the layer, and what planes.h owns
 * MPI     collective over mesh->comm unless a function says local; ranks without blocks allowed
 * Where   host
 * Refs    none
 * Tests   tests/law/self_gravity.c, tests/law/poisson.c
 */
#ifndef SL_GRAVITY_POTENTIAL_BLOCKS_H
#define SL_GRAVITY_POTENTIAL_BLOCKS_H

#include "core/cell/fn.h"
#include "core/mesh/mesh.h"

struct sl_poisson;
struct sl_potential_blocks;

/* mesh and poisson, which has the same cells, are borrowed. */
int sl_potential_blocks_new(const struct sl_mesh *mesh, struct sl_poisson *poisson,
                            struct sl_potential_blocks **out);
void sl_potential_blocks_free(struct sl_potential_blocks *p); /* local */

/* Takes the potential of the last solution. */
int sl_potential_blocks_take(struct sl_potential_blocks *p);

/* local. Row k, j of an own block, of which -1 and n are in the layer; its first interior cell. */
const double *sl_potential_blocks_row(const struct sl_potential_blocks *p, int block, int k, int j);

/* local. Of a row of cells: minus the slope of the potential, (phi[i-1] - phi[i+1]) / 2 h; and how
 * much more that is at upper faces than at lower ones. */
void sl_potential_blocks_pull(const struct sl_potential_blocks *p, int block, int k, int j,
                              sl_real *g);
void sl_potential_blocks_bend(const struct sl_potential_blocks *p, int block, int k, int j,
                              sl_real *bend);

#endif
