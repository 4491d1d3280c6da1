/* direction.h - numbers of the 27 directions from a block to those that touch it and to itself:
 * (dx + 1) + 3 (dy + 1) + 9 (dz + 1), d = -1, 0 or 1.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    none
 * Tests   tests/unit/mesh.c
 */
#ifndef SL_MESH_DIRECTION_H
#define SL_MESH_DIRECTION_H

#include <stdbool.h>

#include "core/cell/fn.h"

enum { SL_NDIR = 27, SL_DIR_HERE = SL_NDIR / 2 };

SL_FN int sl_dir_of(int dx, int dy, int dz)
{
    return SL_DIR_HERE + dx + 3 * dy + 9 * dz;
}

/* One block further along an axis adds this to a direction. */
SL_FN int sl_dir_step(int axis)
{
    return axis == 0 ? 1 : axis == 1 ? 3 : 9;
}

/* Across a face of the block. */
SL_FN int sl_dir_across(int axis, int upper)
{
    return SL_DIR_HERE + (upper ? sl_dir_step(axis) : -sl_dir_step(axis));
}

SL_FN int sl_opposite(int dir)
{
    return SL_NDIR - 1 - dir;
}

/* Its d along an axis. */
SL_FN int sl_shift_of(int dir, int axis)
{
    return dir / sl_dir_step(axis) % 3 - 1;
}

/* Whether a block of a mesh of dim dimensions has a neighbour there. */
SL_FN bool sl_is_neighbour(int dir, int dim)
{
    return dir != SL_DIR_HERE && (dim > 1 || sl_shift_of(dir, 1) == 0) &&
           (dim > 2 || sl_shift_of(dir, 2) == 0);
}

/* Whether a direction leads across a face: along one axis alone. */
SL_FN bool sl_is_face(int dir)
{
    return (sl_shift_of(dir, 0) != 0) + (sl_shift_of(dir, 1) != 0) + (sl_shift_of(dir, 2) != 0) ==
           1;
}

/* The first axis along which it leads. */
SL_FN int sl_axis_of(int dir)
{
    return sl_shift_of(dir, 0) != 0 ? 0 : sl_shift_of(dir, 1) != 0 ? 1 : 2;
}

#endif
