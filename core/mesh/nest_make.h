/* nest_make.h - makes the nest of a level within the next coarser one.
 *
 * Private to core/mesh.
 *
 * Shapes  see nest.h
 * Units   none
 * Errors  SL_EINPUT: the levels are not balanced; SL_EMEM
 * Owns    none
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/hierarchy.c
 */
#ifndef SL_MESH_NEST_MAKE_H
#define SL_MESH_NEST_MAKE_H

#include "core/mesh/level.h"
#include "core/mesh/nest.h"

/* Both levels have an index, and know what lies around their blocks. */
int sl_nest_make(const struct sl_mesh *coarse_mesh, const struct sl_level *coarse,
                 const struct sl_mesh *fine_mesh, const struct sl_level *fine,
                 struct sl_nest **out);

/* Adds what fields on faces need. */
int sl_nest_make_faces(const struct sl_mesh *coarse_mesh, const struct sl_level *coarse,
                       const struct sl_mesh *fine_mesh, const struct sl_level *fine,
                       struct sl_nest *nest);

#endif
