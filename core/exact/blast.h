/* blast.h - the self-similar solution of Sedov for a point explosion in a cold uniform gas, in
 * plane, cylindrical or spherical symmetry.
 *
 * Shapes  profiles are density, velocity and pressure over their values behind the shock, as
 *         functions of lambda = r / R
 * Units   code units; the energy is that of the whole space (per area, per length, or all)
 * Errors  SL_EINPUT for a gamma at which the closed form is singular or the blast is hollow
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    Sedov 1959, section 4.11; Kamm & Timmes 2007, LA-UR-07-2849 (standard case, omega = 0)
 * Tests   tests/unit/exact.c
 */
#ifndef SL_EXACT_BLAST_H
#define SL_EXACT_BLAST_H

enum { SL_BLAST_TABLE = 4096 };

struct sl_blast {
    double gamma;
    int dim;                             /* 1 plane, 2 cylindrical, 3 spherical */
    double a, b, c, d, e;                /* Kamm & Timmes (33)-(37) */
    double power[6];                     /* their alpha_0 .. alpha_5 (42)-(47) */
    double alpha;                        /* energy = alpha rho0 R^(dim+2) / t^2 */
    double xi0;                          /* alpha^(-1/(dim+2)) */
    double kinetic;                      /* share of the energy that is kinetic */
    double central_pressure;             /* p(0) / p behind the shock */
    double table[SL_BLAST_TABLE + 1][3]; /* profiles at lambda = i / SL_BLAST_TABLE */
};

int sl_blast_init(struct sl_blast *blast, double gamma, int dim);

/* Radius of the shock. */
double sl_blast_radius(const struct sl_blast *blast, double energy, double rho0, double t);

/* The profiles at 0 <= lambda <= 1: by solving for the parameter of the closed form, or (quick, to
 * about 1e-8) from the table. */
void sl_blast_profile(const struct sl_blast *blast, double lambda, double out[3]);
void sl_blast_lookup(const struct sl_blast *blast, double lambda, double out[3]);

#endif
