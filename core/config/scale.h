/* scale.h - what a unit such as "code energy" is: in CGS for a run that sets units.*, in Mpc/h and
 * km/s of a universe.
 *
 * Shapes  none
 * Units   factors: CGS over code units; fields in G, of which the code's is B / sqrt(4 pi)
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/scale.c
 */
#ifndef SL_CONFIG_SCALE_H
#define SL_CONFIG_SCALE_H

#include <stddef.h>

struct sl_config;

/* One code unit in CGS; length 0: the run has no physical units. */
struct sl_scale {
    double length, density, velocity;
    int dim;             /* of the box: its mass is one per cm^(3 - dim) */
    double scale_factor; /* of a universe; negative: not one alone; 0: there is no universe */
    double kelvin;       /* temperature where p / rho is 1 (km/s)^2; 0: not known */
};

/* Mean mass of a particle of neutral gas, in masses of the hydrogen atom; helium: mass fraction. */
static inline double sl_thermal_weight(double helium)
{
    return 1 / (1 - 0.75 * helium);
}

/* k_B / mass of the hydrogen atom, (km/s)^2 / K */
#define SL_BOLTZMANN_OVER_HYDROGEN 8.2501e-3

/* Temperature of neutral gas where p / rho is 1 (km/s)^2, in K. */
static inline double sl_scale_kelvin(double helium)
{
    return sl_thermal_weight(helium) / SL_BOLTZMANN_OVER_HYDROGEN;
}

struct sl_scale sl_scale_of(const struct sl_config *cfg);
/* The same for what is of one time; scale_factor of its universe, negative: of several times. */
struct sl_scale sl_scale_at(const struct sl_config *cfg, double scale_factor);

/* The unit with "code density" and its like replaced by "1.7e-24 g/cm^3", in brackets where it is a
 * part of more; as it is without physical units. Of a universe: rho_m, the comoving mean density of
 * matter, comoving Mpc/h, and 100 km/s / a; of fields the proper one, in gauss where these are
 * CGS. */
void sl_scale_say(const struct sl_scale *scale, const char *unit, char *out, size_t room);
/* That of a temperature, p / rho: in K where that is known, else as sl_scale_say. */
void sl_scale_say_temperature(const struct sl_scale *scale, const char *unit, char *out,
                              size_t room);

#endif
