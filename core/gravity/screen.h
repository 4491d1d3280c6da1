/* screen.h - the potential at the sides of a box with nothing around it, from one that is odd
 * beyond them: the method of James.
 *
 * psi is the potential of the density with psi[-1] = -psi[0] at each side, and nothing beyond. On
 * the unbounded lattice this is the potential of the density and of charges psi / h^2 in the cells
 * on both sides of each face: they screen the density. The potential of the density alone is psi
 * and that of the charges, which the lattice (lattice_green.h) gives: no order is cut off, it is
 * exact but for rounding. Between sides that face each other it is a convolution, by transforms of
 * twice the cells; between sides that meet at an edge the sums of products of lattice_green.h are
 * summed along one axis after the other.
 *
 * A rank finds a part of it, the sums of all parts have one term each: the bits do not depend on
 * ranks.
 *
 * Shapes  values at the sides: [axis][side][later axis][earlier axis] of the other two axes
 * Units   those of the potential and its lengths
 * Errors  SL_EMEM, SL_EMPI
 * Owns    13 values for each cell of a side of each axis, and some hundred for each along the axes
 * MPI     collective over comm unless a function says local
 * Where   host
 * Refs    James 1977; Hockney & Eastwood 1981, section 6-5-4
 * Tests   tests/law/isolated.c
 */
#ifndef SL_GRAVITY_SCREEN_H
#define SL_GRAVITY_SCREEN_H

#include <mpi.h>
#include <stddef.h>

struct sl_screen;

/* local. n: cells; h: sides of a cell. */
int sl_screen_new(const int n[3], const double h[3], struct sl_screen **out);
void sl_screen_free(struct sl_screen *s);

/* local. Cells of a side across an axis. */
static inline size_t sl_screen_area(const int n[3], int axis)
{
    return (size_t)n[(axis + 1) % 3] * (size_t)n[(axis + 2) % 3];
}

/* local. Where the values of a side begin; of axis 3: how many there are of all sides. */
static inline size_t sl_screen_at(const int n[3], int axis, int side)
{
    size_t at = side ? sl_screen_area(n, axis) : 0;
    for (int d = 0; d < axis; d++)
        at += 2 * sl_screen_area(n, d);
    return at;
}

/* local. What it is made of, for a device: of each axis sums of the lattice over two cells side by
 * side, [places][n + 1], and values at distances 1 - n .. n - 1, [places][2 n - 1]; factors of the
 * modes [n1 + 1][n0 + 1] of the charges of a side for its own potential and that of the other one.
 * All borrowed. */
struct sl_screen_tables {
    int places;
    const double *near[3], *along[3], *same[3], *far[3];
};
struct sl_screen_tables sl_screen_tables_of(const struct sl_screen *s);

/* psi in the cells at the sides; out: the potential of the density at the sides, the mean of that
 * of the cells beside them. All ranks have all of psi and get all of it. */
int sl_screen_solve(struct sl_screen *s, MPI_Comm comm, const double *psi, double *out);

#endif
