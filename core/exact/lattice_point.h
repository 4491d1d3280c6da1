/* lattice_point.h - the potential of one cell of mass on an unbounded lattice of cells, at offsets
 * of few cells.
 *
 * g solves sum over the axes of (g[i-1] - 2 g[i] + g[i+1]) / h^2 = -1 in the cell and 0 elsewhere,
 * and is 0 far away: the integral over t of the product over the axes of exp(-x) I_i(x), x = 2 t /
 * h^2. The solver has it as factors of modes (core/gravity/lattice_green.h); this is another way to
 * it, by which that is judged: Bessel functions are means of waves, and late times a series. At
 * offsets of 30 cubic cells it is good to 1e-9 of the value in the cell, of 65 to 1e-7; of cells
 * twice as long along two axes to 7e-7, eight times as long to 4e-4, along one axis to 2e-5.
 *
 * Shapes  offsets 0 .. side - 1 along each axis
 * Units   lengths squared; far away volume / (4 pi r)
 * Errors  SL_EMEM
 * Owns    side^3 numbers
 * MPI     local
 * Where   host
 * Refs    Glasser & Boersma 2000 (values near the cell)
 * Tests   tests/law/isolated.c
 */
#ifndef SL_EXACT_LATTICE_POINT_H
#define SL_EXACT_LATTICE_POINT_H

struct sl_lattice_point {
    int side;
    double *of; /* owned; [side][side][side], offset along x slowest */
};

/* h: sides of a cell. side: some tens at most, as late times are a series in offset / time. */
int sl_lattice_point_new(int side, const double h[3], struct sl_lattice_point *out);
void sl_lattice_point_release(struct sl_lattice_point *g);

/* At an offset below side cells along each axis, of either sign. */
double sl_lattice_point_at(const struct sl_lattice_point *g, int x, int y, int z);

#endif
