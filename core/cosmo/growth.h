/* growth.h - growth of small perturbations of the matter, to second order, by the same H(a) that
 * the solver integrates.
 *
 * D'' + (2 + dlnH/dlna) D' = 3/2 Omega_m(a) D and
 * D2'' + (2 + dlnH/dlna) D2' = 3/2 Omega_m(a) (D2 - D^2), primes by ln a, on the growing modes.
 * With radiation in H the start is that of Meszaros, D = a + 2/3 a_eq; without it D = a early on,
 * so that in an Einstein-de Sitter universe D = a and D2 = -3/7 a^2 at all times. Massive neutrinos
 * are in H(a) and not in Omega_m(a): with their share f of all matter, D goes as a^(1 - 3/5 f)
 * where matter rules, as below their free streaming. Growth that depends on the scale (neutrinos
 * that cluster on larger ones, radiation near the horizon) is not in it. Beside CLASS 3.3.4 without
 * neutrinos (Omega_m 0.3, h 0.7) growth in amplitude from z = 49 to 0 is right to 1e-4 at k = 0.05
 * to 5 h/Mpc, too low by 0.2 % at 0.01, 1.3 % at 0.003 and 2.9 % at 0.001; from z = 99 by 0.7, 3.8
 * and 6.2 %.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Meszaros 1974; Bouchet, Colombi, Hivon & Juszkiewicz 1995, eq. 9 and 10 (D2)
 * Tests   tests/unit/cosmology.c
 */
#ifndef SL_COSMO_GROWTH_H
#define SL_COSMO_GROWTH_H

#include "core/cosmo/background.h"

struct sl_growth {
    double d1, f1; /* f = dln D / dln a */
    double d2, f2; /* d2 < 0; f2 = dln |D2| / dln a */
};

/* At scale factor a, 1e-7 <= a <= 100. About a tenth of a millisecond. */
struct sl_growth sl_growth_at(const struct sl_cosmology *c, double a);

/* The redshift at which D is this share of its value today, -1 when none between 0 and 10000 is. */
double sl_growth_redshift(const struct sl_cosmology *c, double share);

/* The scale factor at which D is d1, which it is between 1e-7 and 100. */
double sl_growth_scale_factor(const struct sl_cosmology *c, double d1);

#endif
