/* mirror.h - ghost cells outside the box: which cell each copies, and which values change sign in
 * the mirror image that lies behind a wall.
 *
 * The equations of ideal MHD have two mirror images, because they stay the same when the magnetic
 * field changes sign everywhere. Behind a perfectly conducting wall the field across the wall is
 * odd (0 at the wall) and the field along it even; behind a symmetric (pseudo-vacuum) wall the
 * field across is even and the field along odd. The velocity across a wall is odd behind both, so
 * that without a field both are the same. psi of divergence cleaning has the parity of div B:
 * even behind a conducting wall, odd behind a symmetric one.
 *
 * Shapes  one variable; cells along an axis
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Dedner et al. 2002 (psi)
 * Tests   tests/law/walls.c, tests/unit/mesh.c
 */
#ifndef SL_CELL_MIRROR_H
#define SL_CELL_MIRROR_H

#include "core/cell/fn.h"

/* The first variable of each vector, or the variable; -1: there is none. */
struct sl_mirror {
    int velocity; /* or momentum; three variables */
    int field;    /* magnetic field in the cells; three variables */
    int psi;      /* of divergence cleaning */
    int face;     /* magnetic field at lower faces, one per axis; no variable comes after them */
};

/* Whether variable v changes sign behind a wall across `axis`. symmetric: the field meets the
 * wall at right angles; else the wall conducts. */
SL_FN int sl_mirror_turns(struct sl_mirror x, int symmetric, int v, int axis)
{
    if (x.velocity >= 0 && v == x.velocity + axis) return 1;
    if (x.psi >= 0 && v == x.psi) return symmetric;
    if (x.face >= 0 && v >= x.face) return (v == x.face + axis) != symmetric;
    if (x.field >= 0 && v >= x.field && v < x.field + 3) return (v == x.field + axis) != symmetric;
    return 0;
}

/* Whether variable v lives on the faces across `axis`. */
SL_FN int sl_mirror_is_across(struct sl_mirror x, int v, int axis)
{
    return x.face >= 0 && v == x.face + axis;
}

/* The side of an axis, 0 lower, 1 upper, beyond which variable v of cell i lies, -1: none. */
SL_FN int sl_mirror_side(struct sl_mirror x, int v, int axis, int first, int end, int i)
{
    return i < first ? 0 : i < end + sl_mirror_is_across(x, v, axis) ? -1 : 1;
}

/* The cell of a block that ghost cell i copies along an axis whose interior cells are first .. end
 * - 1: the mirror image, or the nearest. upper: beyond the upper face. parallel: values on faces
 * parallel to that one, of which the one at it is part of the state. */
SL_FN int sl_mirror_source(int first, int end, int upper, int mirror, int parallel, int i)
{
    if (mirror) return 2 * (upper ? end : first) - (parallel ? 0 : 1) - i;
    return upper && !parallel ? end - 1 : upper ? end : first;
}

/* An acceleration, or a change of velocity, along an axis, `by` within the box, in cell i of a
 * block of n cells; walls: bits 2 * axis + upper of faces of the block that are walls. Behind one
 * it has the other sign. */
SL_FN sl_real sl_mirror_acceleration(sl_real by, unsigned walls, int axis, int i, int n)
{
    unsigned at = walls >> 2 * axis;
    return (i < 0 && at & 1) || (i >= n && at & 2) ? -by : by;
}

#endif
