/* mass_function.h - how many haloes of a mass the linear power predicts.
 *
 * dn / dlnM = f(sigma) rho_m / M |dln sigma / dln M|, where sigma(M) is the rms of the linear
 * density of all matter in spheres that hold the mass M at the mean density. Press & Schechter is
 * the argument itself, Sheth & Tormen its form for collapse of ellipsoids, Tinker et al. the fit to
 * haloes of 200 times the mean density in simulations of dark matter, which was made for 0 <= z <=
 * 2.5: beyond it is that of z = 2.5. Regions above a density threshold on a grid are no haloes of
 * these catalogues: expect factors, not per cents.
 *
 * Those of groups of friends of friends with a linking length of 0.2 are fits, too: Crocce et al.
 * (2 % up to 2e15 Msun/h for z <= 1; beyond it is that of z = 1) and Watson et al. (10 % for
 * 0.27 < sigma < 1.73, at all redshifts). Both gave a group of N particles the mass of N (1 -
 * N^-0.6) (Warren et al. 2006), which is 10 % less for 50 particles and 2 % for 500.
 *
 * The bias of haloes of a mass on large scales is what the same argument says of how their number
 * answers to a long wave; beside Tinker's it is the fit of Tinker et al. (2010) for 200 times the
 * mean density.
 *
 * With massive neutrinos power and density are those of dark matter and baryons, with which fits
 * hold (Castorina et al. 2014).
 *
 * Shapes  none
 * Units   M in Msun/h, R in Mpc/h, dn/dlnM in (h/Mpc)^3, comoving
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Press & Schechter 1974; Sheth & Tormen 1999, eq. 10 (with p = 0.3, a = 0.707, A =
 *         0.3222); Tinker et al. 2008, eq. 2, 3, 5-8 and table 2; Crocce et al. 2010, eq. 20 and
 *         22; Watson et al. 2013, eq. 12 and table 2; the bias: Mo & White 1996; Sheth & Tormen
 *         1999, eq. 12; Tinker et al. 2010, eq. 6 and table 2
 * Tests   tests/unit/mass_function.c
 */
#ifndef SL_COSMO_MASS_FUNCTION_H
#define SL_COSMO_MASS_FUNCTION_H

#include "core/cosmo/variance.h"

/* X(name, title); those of groups of friends of friends come last, and say no bias */
#define SL_MASS_FUNCTION_LIST(X)                                                                   \
    X(press_schechter, "Press, Schechter")                                                         \
    X(sheth_tormen, "Sheth, Tormen")                                                               \
    X(tinker, "Tinker et al.")
#define SL_MASS_FUNCTION_GROUPS_LIST(X)                                                            \
    X(crocce, "Crocce et al.")                                                                     \
    X(watson, "Watson et al.")

#define SL_MASS_FUNCTION_ENUM(name, title) SL_MASS_FUNCTION_##name,
enum sl_mass_function {
    SL_MASS_FUNCTION_LIST(SL_MASS_FUNCTION_ENUM) SL_MASS_FUNCTIONS,
    SL_MASS_FUNCTION_BEFORE_GROUPS = SL_MASS_FUNCTIONS - 1,
    SL_MASS_FUNCTION_GROUPS_LIST(SL_MASS_FUNCTION_ENUM) SL_MASS_FUNCTIONS_ALL
};

#define SL_COLLAPSE_DELTA 1.686 /* linear density of a sphere that collapses, Einstein-de Sitter */

/* Mass of the matter in a comoving volume of (Mpc/h)^3 at the mean density; radius of the sphere
 * that holds a mass. */
double sl_mass_of_volume(const struct sl_cosmology *c, double volume);
double sl_mass_radius(const struct sl_cosmology *c, double mass);

struct sl_mass_variance {
    double mass, sigma, slope; /* dln sigma / dln M < 0 */
};

/* At the redshift of the power; v keeps what other masses need, too. */
struct sl_mass_variance sl_mass_variance(struct sl_variance *v, const struct sl_power *p,
                                         double mass);

/* dn/dlnM at redshift z, where all matter has grown by the factor `growth` since that of v. */
double sl_mass_function(enum sl_mass_function kind, const struct sl_cosmology *c,
                        const struct sl_mass_variance *v, double growth, double z);

/* Bias of haloes of this mass where all matter has grown by the factor `growth` since that of v;
 * kind: below SL_MASS_FUNCTIONS. */
double sl_mass_bias(enum sl_mass_function kind, const struct sl_mass_variance *v, double growth);

#endif
