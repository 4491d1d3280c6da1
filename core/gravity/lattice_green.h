/* lattice_green.h - the potential of one cell of mass on an unbounded lattice of cells, as the
 * factor by which the modes of a density on a grid of twice the cells are multiplied.
 *
 * g solves sum over the axes of (g[i-1] - 2 g[i] + g[i+1]) / h^2 = -1 in the cell and 0 elsewhere,
 * and is 0 far away: the integral over t of the product over the axes of exp(-x) I_i(x), x = 2 t /
 * h^2. The trapezoidal rule in a function of log t, whose error falls as exp(-10 / step), makes it
 * a sum of products, and so is its transform. Modes of a density that fills half of the grid along
 * each axis, times that factor, are those of its potential in that half and in the layer of cells
 * around it.
 *
 * Shapes  n: cells along each axis; a grid of 2 n cells has factors 0 .. n along each axis, as
 *         mode 2 n - k has that of k
 * Units   lengths squared
 * Errors  SL_EMEM
 * Owns    some hundred numbers for each cell along the axes
 * MPI     local
 * Where   host
 * Refs    Hockney & Eastwood 1981, section 6-5-4; Glasser & Boersma 2000 (values near the cell)
 * Tests   tests/law/isolated.c
 */
#ifndef SL_GRAVITY_LATTICE_GREEN_H
#define SL_GRAVITY_LATTICE_GREEN_H

struct sl_lattice_green;

/* h: sides of a cell. */
int sl_lattice_green_new(const int n[3], const double h[3], struct sl_lattice_green **out);
void sl_lattice_green_free(struct sl_lattice_green *g);

/* Factors of modes 0 .. n[0] along x of modes y and z. */
void sl_lattice_green_row(const struct sl_lattice_green *g, int y, int z, double *out);

/* Values along an axis at offsets 0 .. n + 1 in each place, before their transform:
 * out[places][n + 2]. The potential is the sum over places of the products of those of the axes. */
void sl_lattice_green_values(const struct sl_lattice_green *g, int axis, double *out);

/* The numbers of an axis, [places][0 .. n], borrowed: factors are sums over places of the products
 * of those of y and z times that of x. */
const double *sl_lattice_green_axis(const struct sl_lattice_green *g, int axis, int *places);

#endif
