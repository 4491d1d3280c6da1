/* touch.h - which cells a particle gives its mass to and how much of it, for those who add up: the
 * processor and devices (deposit.h).
 *
 * Shapes  a particle; order: cells that it touches along an axis, 1 nearest, 2 cloud in a cell, 3
 *         triangular cloud, 4 piecewise cubic
 * Units   positions in sides of the box, or in cells; mass in particles, or in 2^-42 of one
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Hockney & Eastwood 1981, section 5-3; Sefusatti et al. 2016, eq. 13 (piecewise cubic)
 * Tests   tests/unit/deposit.c, tests/gpu/deposit.c
 */
#ifndef SL_MEASURE_TOUCH_H
#define SL_MEASURE_TOUCH_H

#include <stddef.h>
#include <stdint.h>

#include "core/cell/fn.h"

enum { SL_TOUCH_CELLS = 4 };
#define SL_TOUCH_UNIT 4398046511104.0     /* 2^42 */
#define SL_TOUCH_MOST 0x4000000000000000L /* 2^62: 2^20 particles in a cell */

/* What adding up may find: a position that is not finite, a cell with SL_TOUCH_MOST or more. */
enum { SL_TOUCH_NOWHERE = 1, SL_TOUCH_FULL = 2 };

/* Positions of particles along each axis, `stride` doubles apart, in sides of the box. */
struct sl_touch_list {
    size_t n, stride;
    const double *x[3]; /* borrowed */
};

/* What a particle gives to the cells of one axis. */
struct sl_touch {
    int cell[SL_TOUCH_CELLS];
    double weight[SL_TOUCH_CELLS];
};

/* Place in the box of a position any number of boxes away, in cells: 0 <= place < cells. */
SL_FN double sl_touch_place(double x, int cells)
{
    double inside = (x - floor(x)) * cells;
    return inside < cells ? inside : 0;
}

/* x in cells from the lower corner of the box; centres of cells are at halves. */
SL_FN struct sl_touch sl_touch_axis(int order, double x, int cells)
{
    struct sl_touch t = {{0, 0, 0, 0}, {1, 0, 0, 0}};
    double below = floor(order % 2 ? x : x - 0.5), first = below - (order - 1) / 2;
    double d = x - (below + 0.5); /* from the nearest centre, of even orders from the one below */
    if (order == 2) {
        t.weight[0] = 1 - d;
        t.weight[1] = d;
    } else if (order == 3) {
        t.weight[0] = 0.5 * (0.5 - d) * (0.5 - d);
        t.weight[1] = 0.75 - d * d;
        t.weight[2] = 0.5 * (0.5 + d) * (0.5 + d);
    } else if (order == 4) {
        double e = 1 - d;
        t.weight[0] = e * e * e / 6;
        t.weight[1] = (4 - 6 * d * d + 3 * d * d * d) / 6;
        t.weight[2] = (4 - 6 * e * e + 3 * e * e * e) / 6;
        t.weight[3] = d * d * d / 6;
    }
    for (int i = 0; i < order; i++)
        t.cell[i] = (int)(first + i + 2 * cells) % cells;
    return t;
}

/* A share of a particle. */
SL_FN int64_t sl_touch_whole(double share)
{
    return (int64_t)llrint(share * SL_TOUCH_UNIT);
}

/* The density over its mean, less 1, of a cell that has so much; mean: particles in a cell. */
SL_FN double sl_touch_contrast(int64_t sum, double mean)
{
    return (double)sum / SL_TOUCH_UNIT / mean - 1;
}

#endif
