/* expansion.h - the scale factor as a function of the time of a run, in the variables in which a
 * gas with gamma = 5/3 keeps its equations while the universe expands.
 *
 * Lengths are comoving Mpc/h, densities comoving over the mean of all matter (all that clusters:
 * background.h), velocities a v / (100 km/s) with v the peculiar one; the time tau is counted from
 * the start in (Mpc/h) / (100 km/s) = 1 / H0 with d tau = dt / a^2. Then da/d tau = a^3 E(a), E = H
 * / H0, and lap phi = 3/2 Omega_m a (rho - 1). Pressures are a^5 p, magnetic fields a^(5/2) B;
 * those, and the pressure of a gas with another gamma, grow with a (core/source/comoving.c).
 *
 * tau(a) is an integral by panels of Gauss and Legendre, a(tau) its inverse by Newton's method:
 * both are as good as doubles go (1e-14), and functions of their argument alone.
 *
 * Shapes  none
 * Units   above
 * Errors  SL_EINPUT for keys that make no universe, SL_EIO for cosmology.file, SL_EMEM
 * Owns    its table
 * MPI     _new is collective, the rest local
 * Where   host
 * Refs    Martel & Shapiro 1998 (supercomoving variables); Schive, Tsai & Chiueh 2010, eq. 15 and
 *         16
 * Tests   tests/law/expansion.c
 */
#ifndef SL_COSMO_EXPANSION_H
#define SL_COSMO_EXPANSION_H

#include <mpi.h>

#include "core/cosmo/universe.h"

struct sl_expansion {
    struct sl_universe u;
    double start; /* scale factor at tau = 0 */
    double last;  /* that of today: 1, but for ic.mean_overdensity */
    double end;   /* that of time.end, if that is a redshift */
    int n;        /* panels of equal length in ln a, from the start to the last */
    double *tau;  /* owned; [n + 1] */
};

/* From ic.redshift on; *out is NULL where the recipe's universe does not expand
 * (sl_config_expands). cosmology.file is read by rank 0. */
int sl_expansion_new(MPI_Comm comm, const struct sl_config *cfg, struct sl_expansion **out);
/* The same for whatever is of a universe (sl_config_of_universe), also for a start that goes
 * nowhere. */
int sl_expansion_of(MPI_Comm comm, const struct sl_config *cfg, struct sl_expansion **out);
void sl_expansion_free(struct sl_expansion *e);

/* start <= a <= last, 0 <= tau <= that of the last a. */
double sl_expansion_tau(const struct sl_expansion *e, double a);
double sl_expansion_a(const struct sl_expansion *e, double tau);
/* The integral of a d tau, which is dt / a: what a force that grows with a gives in that time. */
double sl_expansion_kick(const struct sl_expansion *e, double from, double to);
/* d ln a / d tau. */
double sl_expansion_rate(const struct sl_expansion *e, double a);
/* 4 pi G of these variables: 3/2 Omega_m a. */
double sl_expansion_four_pi_g(const struct sl_expansion *e, double tau);

/* A code unit at scale factor a in CGS, as files of FLASH have it: comoving cm, comoving g/cm^3,
 * and cm/s of the change of comoving coordinates, which is the peculiar velocity over a. */
void sl_expansion_units(const struct sl_expansion *e, double a, double *length, double *density,
                        double *velocity);
/* The magnetic field in code units at scale factor a, of a^2 B in gauss. */
void sl_expansion_field(const struct sl_expansion *e, double a, const double gauss[3],
                        double out[3]);
/* What a pressure is multiplied by from the start to a scale factor where density stays. */
double sl_expansion_heat(const struct sl_expansion *e, double gamma, double a);

#endif
