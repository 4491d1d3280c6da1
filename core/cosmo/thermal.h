/* thermal.h - temperature of the gas after recombination, before stars: hydrogen by the three-level
 * atom, heated by the microwave background through the electrons that are left.
 *
 * Helium is neutral throughout. The residual ionisation is good to some per cent, the temperature
 * at z = 10 .. 500 to about 2 %. Perturbations of the temperature follow those of the density as
 * far as scattering lets them: dT / T = response * drho / rho, for density that grows as a.
 *
 * Shapes  none
 * Units   K
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Peebles 1968; Seager, Sasselov & Scott 1999 (coefficients, factor 1.14); Barkana & Loeb
 *         2005, eq. 22
 * Tests   tests/unit/thermal.c
 */
#ifndef SL_COSMO_THERMAL_H
#define SL_COSMO_THERMAL_H

#include "core/config/scale.h"
#include "core/cosmo/background.h"

struct sl_thermal {
    double temperature;
    double electrons; /* per hydrogen atom */
    double response;
};

/* c->t_cmb = 0 is taken as SL_COSMO_T_CMB. helium: mass fraction. */
struct sl_thermal sl_thermal_at(const struct sl_cosmology *c, double helium, double z);

#endif
