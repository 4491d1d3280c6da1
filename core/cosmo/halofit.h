/* halofit.h - the nonlinear power of all matter that simulations have, from the linear one: revised
 * HALOFIT.
 *
 * The scale k_sigma where the linear density in Gaussian spheres is 1, and slope and curvature of
 * its variance there, make the coefficients. The fit is to simulations of flat universes with a
 * constant w, for z <= 10 and k <= 30 h/Mpc: 5 % up to k = 1 h/Mpc, 10 % up to 10. Between an open
 * universe and a flat one exponents of Omega_m are mixed as Smith et al. do; a closed one counts as
 * flat. With w0 and wa, w is that at the time. Before z = 10, and where k_sigma is beyond all k of
 * structures, the power is linear. Oscillations of baryons are not damped.
 * With massive neutrinos it is that of dark matter and baryons from their own linear power, which
 * simulations have to some per cent (Castorina et al. 2015).
 *
 * Shapes  none
 * Units   k in h/Mpc, power in (Mpc/h)^3, comoving
 * Errors  none
 * Owns    nothing: plain data
 * MPI     local
 * Where   host
 * Refs    Takahashi et al. 2012, eq. A1-A14; Smith et al. 2003, appendix C (open universes)
 * Tests   tests/unit/halofit.c
 */
#ifndef SL_COSMO_HALOFIT_H
#define SL_COSMO_HALOFIT_H

#include "core/cosmo/power.h"

struct sl_halofit {
    double k_sigma;          /* 0: linear at all k */
    double n_eff, curvature; /* -3 - dln sigma^2 / dln R there, - d^2 ln sigma^2 / dln R^2 */
    double a, b, c, alpha, beta, gamma, nu; /* of the paper, with index n */
    double f1, f2, f3;
};

/* At scale factor a, where all matter has grown by the factor `growth` since the redshift of the
 * power. Some milliseconds. */
void sl_halofit_init(const struct sl_power *p, double growth, double a, struct sl_halofit *out);

/* Nonlinear over linear power at k, where the linear one is `linear` then. */
double sl_halofit_ratio(const struct sl_halofit *h, double k, double linear);

#endif
