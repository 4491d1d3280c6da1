/* transfer_fit.h - transfer functions without a table: fitting formulae of the literature, 1 at k
 * -> 0.
 *
 * Eisenstein and Hu follow a Boltzmann code to about 3 %; their form without wiggles is for tests
 * and for comparisons; BBKS, without baryon wiggles and with Gamma of Sugiyama, is for old work.
 *
 * Shapes  none
 * Units   k in h/Mpc, comoving
 * Errors  none
 * Owns    nothing: plain data
 * MPI     local
 * Where   host
 * Refs    Eisenstein & Hu 1998, eq. 2-24 (full) and 26-31 (no wiggles); Bardeen, Bond, Kaiser &
 *         Szalay 1986, eq. G3; Sugiyama 1995, eq. 3.9
 * Tests   tests/unit/transfer_fit.c
 */
#ifndef SL_COSMO_TRANSFER_FIT_H
#define SL_COSMO_TRANSFER_FIT_H

#include "core/cosmo/background.h"

struct sl_eisenstein_hu {
    double h, f_b;
    double theta2;            /* (T_cmb / 2.7 K)^2 */
    double omh2, k_eq;        /* k_eq in 1/Mpc */
    double z_drag, r_drag, s; /* sound horizon s in Mpc */
    double k_silk;            /* 1/Mpc */
    double alpha_c, beta_c, alpha_b, beta_b, beta_node;
    double s_fit, alpha_gamma; /* no wiggles */
};

/* c->t_cmb = 0 is taken as SL_COSMO_T_CMB: the photons matter to the shape whatever H(a) holds. */
void sl_eisenstein_hu_init(const struct sl_cosmology *c, struct sl_eisenstein_hu *out);
double sl_eisenstein_hu_full(const struct sl_eisenstein_hu *e, double k);
double sl_eisenstein_hu_smooth(const struct sl_eisenstein_hu *e, double k);
double sl_bbks(const struct sl_cosmology *c, double k);

#endif
