/* edge.h - the electric field along the edges on the surface of a block, as it is kept for the
 * correction where refinement changes, and what it does to the faces of the block.
 *
 * With two axes there are edges along z alone, with one there are none.
 *
 * Shapes  of a block [side: x-, x+, y- ..][axis along the edges, the earlier first][line][cell
 *         along it]: a side has a line more than it has cells across them. An edge of two sides is
 *         there twice
 * Units   code units: those of the field times a length
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   host and device
 * Refs    Balsara 2001
 * Tests   tests/law/register.c, tests/law/levels_ct.c
 */
#ifndef SL_CELL_EDGE_H
#define SL_CELL_EDGE_H

#include <stddef.h>

#include "core/cell/fn.h"

/* Whether a side across an axis has edges along another. */
SL_FN int sl_edge_is(int dim, int axis, int along)
{
    return axis != along && axis < dim && (dim > 2 || (dim == 2 && along == 2));
}

/* Where the edges along an axis on a side begin within the values of a block; along 3: those of the
 * next side. */
SL_FN size_t sl_edge_start(int dim, const int n[3], int axis, int upper, int along)
{
    size_t at = 0;
    for (int side = 0; side <= 2 * axis + upper; side++)
        for (int c = 0; c < 3; c++) {
            if (side == 2 * axis + upper && c == along) return at;
            if (sl_edge_is(dim, side / 2, c))
                at += (size_t)n[c] * (size_t)(n[3 - side / 2 - c] + 1);
        }
    return at;
}

/* Values of a block. */
SL_FN size_t sl_edge_values(int dim, const int n[3])
{
    return dim > 1 ? sl_edge_start(dim, n, dim - 1, 1, 3) : 0;
}

/* The value of the edge along c that begins at the lower corner of cell x, 0 .. n along the other
 * axes: of two sides that of the earlier axis, 0 where it is not on the surface. */
SL_FN sl_real sl_edge_at(int dim, const int n[3], const sl_real *values, int c, const int x[3])
{
    for (int a = 0; a < 3; a++) {
        if (!sl_edge_is(dim, a, c) || (x[a] != 0 && x[a] != n[a])) continue;
        size_t line = (size_t)x[3 - a - c] * (size_t)n[c];
        return values[sl_edge_start(dim, n, a, x[a] != 0, c) + line + (size_t)x[c]];
    }
    return 0;
}

/* What the field across the lower face along d of cell x loses by the edges around that face;
 * per_dx: 1 / dx. */
SL_FN sl_real sl_edge_loss(int dim, const int n[3], const sl_real *values, const sl_real per_dx[3],
                           int d, const int x[3])
{
    int a = (d + 1) % 3, b = (d + 2) % 3, up[3] = {x[0], x[1], x[2]};
    sl_real loss = 0;
    if (a < dim) {
        up[a]++;
        loss = (sl_edge_at(dim, n, values, b, up) - sl_edge_at(dim, n, values, b, x)) * per_dx[a];
        up[a]--;
    }
    if (b >= dim) return loss;
    up[b]++;
    return loss -
           (sl_edge_at(dim, n, values, a, up) - sl_edge_at(dim, n, values, a, x)) * per_dx[b];
}

#endif
