/* nfw.h - haloes as Navarro, Frenk & White have them, and how dense a halo is that has settled.
 *
 * rho(r) = rho_s / (x (1 + x)^2), x = r / r_s; the mass within r grows as m(x) = ln(1 + x) - x / (1
 * + x). The concentration of a halo is r_200 / r_s.
 *
 * Shapes  r, density, weight [n]
 * Units   any; density over that of the whole
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Navarro, Frenk & White 1997; Bryan & Norman 1998, eq. 6 (a flat universe); Klypin,
 *         Trujillo-Gomez & Primack 2011 (concentration from speeds)
 * Tests   tests/unit/haloes.c
 */
#ifndef SL_COSMO_NFW_H
#define SL_COSMO_NFW_H

#include "core/cosmo/background.h"

/* m(x). */
double sl_nfw_mass(double x);

/* The concentration at which the square of the largest circular speed is this many times that at
 * r_200; the least that tells it is 2.163, where both are the same. */
double sl_nfw_concentration(double speed_ratio_square);

struct sl_nfw {
    double concentration, density; /* r_200 / r_s, rho_s */
};

/* The profile nearest to densities in shells of radius r / r_200: least squares of ln rho, each
 * shell with its weight; shells of weight 0 are left out. Concentration 0 where fewer than three
 * are left. */
struct sl_nfw sl_nfw_fit(int n, const double *r, const double *density, const double *weight);
/* Density of it at r / r_200. */
double sl_nfw_density(const struct sl_nfw *p, double r);

/* Density of a halo that has settled over the critical one at scale factor a.
 */
double sl_virial_contrast(const struct sl_cosmology *c, double a);

#endif
