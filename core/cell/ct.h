/* ct.h - constrained transport: the electric field at the edges of cells, upwind, from the fluxes
 * at the four faces that meet there.
 *
 * The field across a face changes by the circulation of E = -v x B along the edges of the face;
 * then its sum over the faces of a cell, div B, keeps its value to rounding. E at an edge is the
 * mean of the fluxes of the four faces plus, for each of them, half a cell's worth of the gradient
 * of E, taken from the side that the gas comes from (the contact wave): where all is uniform along
 * an axis that is the flux of one dimension, and what moves along the grid is carried without
 * noise.
 *
 * a, b, c stand for the axes in cyclic order, c along the edge. The flux of B_b across an a face is
 * -E_c, that of B_a across a b face is E_c. Sums over what a mirror swaps stand in one bracket, and
 * so do a and b: turning or mirroring a problem changes no bit.
 *
 * Shapes  one edge
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host and device
 * Refs    Gardiner & Stone 2005, equations 41, 45 and 50 (there E^c); 2008, section 3.1
 * Tests   tests/law/ct.c
 */
#ifndef SL_CELL_CT_H
#define SL_CELL_CT_H

#include "core/cell/state.h"

/* E_c in a cell. */
SL_FN sl_real sl_ct_cell(sl_real va, sl_real vb, sl_real ba, sl_real bb)
{
    return vb * ba - va * bb;
}

/* Where a flux of mass takes the gas between two cells of densities below and above: 1 up, -1 down,
 * 0 nowhere; share: dt over their distance. Gas that would need some 1e10 steps (single precision:
 * 1e4) for a cell is at rest: where it is so by symmetry, the sign of its flux is that of rounding
 * errors, and the choice between the two sides would change the field by as much as their gradients
 * differ. */
SL_FN int sl_ct_upwind_side(sl_real mass, sl_real share, sl_real below, sl_real above)
{
    const sl_real rest = sizeof(sl_real) == sizeof(float) ? (sl_real)1e-4 : (sl_real)1e-10;
    sl_real far = mass * share, least = rest * (below + above);
    return (far > least) - (far < -least);
}

/* The one that the gas comes from: low when it moves up. */
SL_FN sl_real sl_ct_upwind(int upwind, sl_real low, sl_real high)
{
    return upwind > 0 ? low : upwind < 0 ? high : (sl_real)0.5 * (low + high);
}

/* What meets at an edge: E_c and the upwind side at the a faces below and above it along b, at the
 * b faces below and above it along a, and E_c of the cells [a][b]. */
struct sl_ct_edge {
    sl_real ea[2], eb[2], cell[2][2];
    int wa[2], wb[2];
};

SL_FN sl_real sl_ct_edge(struct sl_ct_edge s)
{
    sl_real along_b = 0, along_a = 0, mean = (s.ea[0] + s.ea[1]) + (s.eb[0] + s.eb[1]);
    along_b = sl_ct_upwind(s.wa[0], s.eb[0] - s.cell[0][0], s.eb[1] - s.cell[1][0]) +
              sl_ct_upwind(s.wa[1], s.eb[0] - s.cell[0][1], s.eb[1] - s.cell[1][1]);
    along_a = sl_ct_upwind(s.wb[0], s.ea[0] - s.cell[0][0], s.ea[1] - s.cell[0][1]) +
              sl_ct_upwind(s.wb[1], s.ea[0] - s.cell[1][0], s.ea[1] - s.cell[1][1]);
    return (sl_real)0.25 * (mean + (along_a + along_b));
}

#endif
