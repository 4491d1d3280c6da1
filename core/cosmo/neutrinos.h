/* neutrinos.h - the energy of massive neutrinos in the homogeneous universe: relativistic early,
 * matter late.
 *
 * They keep the momenta x k_B T / a of a Fermi-Dirac distribution, so that with y = m a / (k_B T)
 *     rho = rho of massless ones * 120 / (7 pi^4) integral of x^2 sqrt(x^2 + y^2) / (e^x + 1) dx
 * by the trapezoidal rule in ln x, which is good to 1e-10 at all y. All have the same mass. Their
 * temperature today is (4/11)^(1/3) (n_eff / 3)^(1/4) T_cmb, as CAMB takes it, so that n_eff counts
 * all kinds while they are relativistic; a sum of masses of 93.00 eV is Omega_nu h^2 = 1 with n_eff
 * 3.046 and 2.7255 K.
 *
 * Shapes  none
 * Units   masses in eV, densities over the critical one of today; a = 1 today
 * Errors  none
 * Owns    nothing: plain data
 * MPI     local
 * Where   host
 * Refs    Mangano et al. 2005 (temperature); Zennaro et al. 2017, section 2 (integral); CODATA 2018
 * Tests   tests/unit/cosmology.c, tests/law/neutrinos.sh
 */
#ifndef SL_COSMO_NEUTRINOS_H
#define SL_COSMO_NEUTRINOS_H

enum { SL_NEUTRINO_WAVES = 45 };

struct sl_neutrinos {
    double early;                 /* rho a^4 while they are relativistic; 0: there are none */
    double rest;                  /* y of today */
    double x2[SL_NEUTRINO_WAVES]; /* x^2 and the share of sqrt(x^2 + y^2) */
    double share[SL_NEUTRINO_WAVES];
};

/* kinds: that share the mass of all, each a third of n_eff. massless: the density today of one
 * kind with n_eff / 3, were it massless. */
void sl_neutrinos_init(double mass, int kinds, double massless, double n_eff, double t_cmb,
                       struct sl_neutrinos *out);
/* rho, and d rho / d ln a. */
double sl_neutrinos_density(const struct sl_neutrinos *n, double a);
double sl_neutrinos_slope(const struct sl_neutrinos *n, double a);

#endif
