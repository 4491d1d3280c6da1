/* lpt.h - the second order of Lagrangian perturbation theory, free of aliasing.
 *
 * With phi of laplace phi = delta (first order), the displacement is psi = -grad phi + d2 grad chi
 * and laplace chi = S, S = sum over i < j of (phi_ii phi_jj - phi_ij^2); d2 = D2 / D^2 < 0. Of a
 * fluid on a grid the density is wanted that it carries to the place where its matter is, from
 * where it started: 1 + R there, the volume of its displacement inverted, which keeps mass to all
 * orders. The usual second order in Eulerian space, delta + laplace (1/2 |grad phi|^2) + (1 - d2)
 * S, has 11 % too much power at half the Nyquist frequency of 256^3 cells in 100 Mpc/h at z = 99,
 * where waves are as short as displacements.
 *
 * Shapes  phi and products: rows [ny][modes z][modes x / 2] complex, as those of a band
 * Units   those of phi: k of length 2 pi / length
 * Errors  SL_EMEM, agreed on by all ranks
 * Owns    its room: 4.5 numbers of double precision per mode
 * MPI     collective; the same bits for any number of ranks
 * Where   host
 * Refs    Bouchet et al. 1995; Bernardeau et al. 2002, eq. 45 (F2) and section 2.7; Orszag 1971
 * Tests   tests/unit/lpt.c
 */
#ifndef SL_IC_LPT_H
#define SL_IC_LPT_H

#include "core/ic/band.h"

/* Where each product of a potential goes; NULL: it is not wanted. S of phi; R = 1 / det(1 - phi_ij)
 * - 1. Each costs three transforms along z and six along x and y, to a grid 3/2 times finer, and
 * one back. */
struct sl_lpt_products {
    fftw_complex *s, *r;
};

/* Room and plans for them. Derivatives along x and y are made plane by plane and line by line, from
 * those along z alone. */
struct sl_lpt {
    struct sl_band band;
    double unit[3]; /* 2 pi / length */
    /* owned, phi, d phi / dz, d^2 phi / dz^2: [nz][modes y][nkx]; then work; room for the planes of
     * a grid of as many cells as modes too, on any number of ranks */
    fftw_complex *planes[3];
    fftw_complex *d; /* owned, derivatives of a plane, on the grid along y */
    double *line;    /* owned, a line of each, and of their product */
};
int sl_lpt_init(MPI_Comm comm, const int modes[3], const double length[3], struct sl_lpt *out);
void sl_lpt_release(struct sl_lpt *w);
/* The last product may take the place of phi. */
int sl_lpt_make(struct sl_lpt *w, const fftw_complex *phi, const struct sl_lpt_products *out);
/* local. After the last product: gives back all room but the first planes. */
void sl_lpt_trim(struct sl_lpt *w);

/* local. Cells of the finer grid for that many modes, where the product is wanted for `wanted` of
 * them: sl_lpt_cells is of all. */
int sl_lpt_cells_of(int modes, int wanted);
int sl_lpt_cells(int modes);

#endif
