/* lane_emden.h - spheres of gas at rest under their own gravity, the pressure a power of the
 * density: p = K rho^(1 + 1 / n).
 *
 * rho = rho_c theta^n, r = alpha xi, alpha^2 = (n + 1) p_c / (4 pi G rho_c^2), and
 *   (xi^2 theta')' = -xi^2 theta^n
 * from theta = 1 at the centre. An isothermal sphere is the limit of infinite n: rho = rho_c
 * exp(-psi), alpha^2 = c^2 / (4 pi G rho_c), (xi^2 psi')' = xi^2 exp(-psi). Values have errors of
 * 1e-6.
 *
 * Shapes  profile[rows + 1], at xi = edge i / rows
 * Units   of the centre and of alpha
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Lane 1870; Emden 1907; Chandrasekhar 1939, chapter 4
 * Tests   tests/unit/exact.c
 */
#ifndef SL_EXACT_LANE_EMDEN_H
#define SL_EXACT_LANE_EMDEN_H

/* theta, or with n = INFINITY exp(-psi); returns xi^2 |theta'|, or xi^2 psi', at the edge. theta of
 * n = 0 may fall below 0; with any other n it stays 0 from there on. */
double sl_lane_emden(double n, double edge, int rows, double *profile);

/* The xi at which the density is this part, between 0 and 1, of that of the centre; INFINITY: it
 * is not so thin before xi = 1000. n is finite. */
double sl_lane_emden_edge(double n, double density);

#endif
