/* lpt.h - the second order of Lagrangian perturbation theory, free of aliasing.
 *
 * With phi of laplace phi = delta (first order, all matter), the displacement is psi = -grad phi + d2 grad chi and
 * laplace chi = S, S = sum over i < j of (phi_ii phi_jj - phi_ij^2). In Eulerian space both orders of density and
 * velocity need only one product more, E = 1/2 |grad phi|^2:
 *   delta = delta_1 + laplace E + (1 - d2) S,   u = -f grad phi - f grad E + f2 d2 grad chi,
 * since the divergence of delta grad phi is laplace E + 2 S less delta^2, which cancels. So nine transforms to a
 * grid 3/2 times finer and two back do, six and one for displacements alone. d2 = D2 / D^2 < 0.
 *
 * Shapes  phi, s, e: rows [ny][modes z][modes x / 2] complex, as the rows of a band whose grid is its modes
 * Units   those of phi: k of length 2 pi / length
 * Errors  SL_EMEM, agreed on by all ranks
 * Owns    nothing
 * MPI     collective; the same bits for any number of ranks
 * Where   host
 * Refs    Bouchet et al. 1995; Bernardeau et al. 2002, eq. 45 (F2) and section 2.7; Orszag 1971
 * Tests   tests/unit/lpt.c
 */
#ifndef SL_IC_LPT_H
#define SL_IC_LPT_H

#include "core/ic/band.h"

/* Modes of S and, where e is not NULL, of E. */
int sl_lpt_sources(MPI_Comm comm, const int modes[3], const double length[3],
                   const fftw_complex *phi, fftw_complex *s, fftw_complex *e);

/* local. Cells of the finer grid for that many modes. */
int sl_lpt_cells(int modes);

#endif
