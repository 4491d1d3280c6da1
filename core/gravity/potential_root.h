/* potential_root.h - the root grid of a potential on levels on processors: solved exactly, by
 * Fourier transforms (poisson.h).
 *
 * Shapes  as in potential_level.h
 * Units   those of the caller
 * Errors  SL_EMEM, SL_EMPI
 * Owns    what poisson.h and planes.h own
 * MPI     collective over mesh->comm unless a function says local
 * Where   host
 * Refs    poisson.h
 * Tests   tests/law/composite.c
 */
#ifndef SL_GRAVITY_POTENTIAL_ROOT_H
#define SL_GRAVITY_POTENTIAL_ROOT_H

#include "core/gravity/potential_level.h"

struct sl_potential_root;

int sl_potential_root_new(struct sl_potential_level *level, struct sl_potential_root **out);
void sl_potential_root_free(struct sl_potential_root *root); /* local */

/* lap wide = residual on the level, which is the root grid; in an isolated box also the values
 * beyond its sides; 0 in other ghost cells. The residual is lost. */
int sl_potential_root_solve(struct sl_potential_level *level);

#endif
