/* field_planes.h - fields that the ranks of a run have made by planes of its root grid, or of one
 * as fine as a level of its mesh, as its start: what it holds is what it would of a file that they
 * were written to (field_file.h), to the bit.
 *
 * Shapes  a field: [nz][n1][n0], the planes of a slab of that grid; the blocks are those of the
 *         state's mesh, all of the root grid or those that there are of a level
 * Units   code units
 * Errors  SL_EMEM, SL_EMPI; the state is then not to be used
 * Owns    from the first field on, for each cell five numbers and, while fields come, one of its
 *         block and one of its plane; of a grid of a level five for each of its cells until it is
 *         freed, and as many again for the cells of the level that is filled
 * MPI     collective; the same bits for any number of ranks
 * Where   host
 * Refs    none
 * Tests   tests/law/start_gas.sh, tests/law/start_planes.c
 */
#ifndef SL_IO_FIELD_PLANES_H
#define SL_IO_FIELD_PLANES_H

#include <stdbool.h>

#include "core/grid/slab.h"

struct sl_state;
struct sl_field_planes;

/* state is borrowed, and has gas; magnetic: the uniform field; single: numbers are rounded as in a
 * file of that precision; level: of the mesh, as fine as which the grid is; above 0 the planes are
 * kept until they are freed. */
int sl_field_planes_new(struct sl_state *state, const double magnetic[3], bool single, int level,
                        struct sl_field_planes **out);
void sl_field_planes_free(struct sl_field_planes *p); /* local; NULL allowed */

/* Takes the own planes of the field that datasets call so; others than density, velocities and
 * pressure are let go. */
int sl_field_planes_put(struct sl_field_planes *p, const struct sl_slab *slab, const char *name,
                        const double *value);

/* Sets the interior of state->u, once the fields are there, and gives back the room for them. Of a
 * grid of a level nothing: */
int sl_field_planes_fill(struct sl_field_planes *p);

/* Sets the interior of a level that is no finer than the grid: coarser ones have the means of its
 * mass, momentum and heat. */
int sl_field_planes_level(const struct sl_field_planes *p, const struct sl_state *state);

#endif
