/* background.h - the homogeneous universe: expansion rate, ages, distances. The one place where
 * initial conditions, solver and statistics take them from.
 *
 * Matter, radiation (photons and massless neutrinos), massive neutrinos, curvature, and dark energy
 * with w(a) = w0 + wa (1 - a), which fills what the others leave: Omega_de = 1 - Omega_m - Omega_r
 * - Omega_nu - Omega_k.
 *
 * omega_m here is the matter that clusters, dark matter and baryons: it makes the masses of
 * particles, the force, and the growth. The key cosmology.omega_m is that of all matter, with
 * Omega_nu in it, as of CAMB and in papers; universe.c takes one from the other. Massive neutrinos
 * are in H(a) alone: here they do not cluster.
 *
 * Shapes  none
 * Units   H in km/s/Mpc, times in Gyr (365.25 d), lengths in comoving Mpc; a = 1 today
 * Errors  SL_EINPUT for parameters that make no universe
 * Owns    nothing: plain data
 * MPI     local
 * Where   host
 * Refs    Chevallier & Polarski 2001 and Linder 2003 (w0, wa); Hogg 1999 (distances); CODATA 2018
 * Tests   tests/unit/cosmology.c
 */
#ifndef SL_COSMO_BACKGROUND_H
#define SL_COSMO_BACKGROUND_H

#include "core/cosmo/neutrinos.h"

#define SL_LIGHT_SPEED 299792.458 /* km/s */
#define SL_COSMO_T_CMB 2.7255     /* K, where t_cmb = 0 leaves photons out of H(a); Fixsen 2009 */
#define SL_MPC_KM      3.0856775814913673e19
#define SL_GYR_S       (1e9 * 365.25 * 86400)

struct sl_cosmology {
    double h;                /* H0 / (100 km/s/Mpc) */
    double omega_m, omega_b; /* all matter but neutrinos; the baryons in it */
    double omega_k, w0, wa;
    double t_cmb, n_eff;      /* K; t_cmb = 0: no radiation */
    double m_nu;              /* sum of the masses of neutrinos in eV; 0: all are massless */
    int massive;              /* neutrinos that share it, of 3 */
    double omega_r, omega_de; /* from here on derived by sl_cosmology_init */
    double omega_nu;
    struct sl_neutrinos neutrinos; /* where m_nu > 0 */
};

/* Temperature of the photons today, K. */
static inline double sl_cosmology_photons(const struct sl_cosmology *c)
{
    return c->t_cmb > 0 ? c->t_cmb : SL_COSMO_T_CMB;
}

/* Omega of all matter today, massive neutrinos in it. */
static inline double sl_cosmology_all(const struct sl_cosmology *c)
{
    return c->omega_m + c->omega_nu;
}

/* Omega_nu, by h, t_cmb, n_eff, m_nu and massive alone. */
double sl_cosmology_neutrinos(const struct sl_cosmology *c);
/* The m_nu that has this Omega_nu, by all of these but m_nu. */
double sl_cosmology_neutrino_mass(const struct sl_cosmology *c, double omega_nu);

/* Fills in what is derived, checks that H is real at all a <= 1. */
int sl_cosmology_init(struct sl_cosmology *c);

/* H / H0; d ln H / d ln a; Omega_m(a); Omega_nu(a) of massive neutrinos; H. */
double sl_cosmology_rate(const struct sl_cosmology *c, double a);
double sl_cosmology_rate_slope(const struct sl_cosmology *c, double a);
double sl_cosmology_matter(const struct sl_cosmology *c, double a);
double sl_cosmology_massive(const struct sl_cosmology *c, double a);
double sl_cosmology_hubble(const struct sl_cosmology *c, double a);
/* Critical density today, g/cm^3. */
double sl_cosmology_critical(const struct sl_cosmology *c);

/* Time from a = 0. */
double sl_cosmology_age(const struct sl_cosmology *c, double a);
/* Integral of da / (a^3 H / H0) from one scale factor to another, by n panels: the time of
 * supercomoving variables, in 1 / H0 (expansion.h). */
double sl_cosmology_tau(const struct sl_cosmology *c, double from, double to, int n);
/* Likewise the integral of dt / a. */
double sl_cosmology_kick(const struct sl_cosmology *c, double from, double to, int n);

/* d ln rho / d (-Omega_k) at equal ages, today: how much denser a universe becomes that is more
 * curved, 3/2 E(1) times the integral of da / (a E)^3 from 0 to 1. */
double sl_cosmology_response(const struct sl_cosmology *c);

#endif
