/* power.h - linear power of dark matter, baryons and all matter at one redshift, with its
 * amplitude.
 *
 * Amplitudes are sqrt(P) with a sign: baryons and velocities of a table may cross zero, so what is
 * interpolated is the logarithm of the total and the ratio of each species to it, by splines in ln
 * k. The amplitude comes from A_s, from sigma8 today, or stands in a table of power; the factor
 * that brings the table there is reported, never hidden.
 *
 * All matter is that which clusters: dark matter and baryons, without massive neutrinos.
 *
 * Shapes  none
 * Units   k in h/Mpc, P in (Mpc/h)^3, R in Mpc/h
 * Errors  SL_EINPUT, SL_EMEM
 * Owns    its splines
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/power.c
 */
#ifndef SL_COSMO_POWER_H
#define SL_COSMO_POWER_H

#include <stdbool.h>

#include "core/cosmo/growth.h"
#include "core/cosmo/spline.h"
#include "core/cosmo/transfer.h"
#include "core/cosmo/transfer_fit.h"

enum sl_power_fit { SL_POWER_eisenstein_hu, SL_POWER_eisenstein_hu_smooth, SL_POWER_bbks };
enum sl_power_norm { SL_POWER_a_s, SL_POWER_sigma8, SL_POWER_as_table };

/* VELOCITY: growth rate times density: -div v / (a H). */
enum sl_power_field {
    SL_POWER_TOTAL,
    SL_POWER_BARYON,
    SL_POWER_CDM,
    SL_POWER_BARYON_VELOCITY,
    SL_POWER_CDM_VELOCITY,
    SL_POWER_FIELDS
};

struct sl_power_spec {
    struct sl_cosmology cosmology;
    double n_s, k_pivot; /* k_pivot in 1/Mpc */
    enum sl_power_norm norm;
    double a_s, sigma8;              /* the one that norm names; sigma8: today */
    double z;                        /* where it is wanted */
    const struct sl_transfer *table; /* borrowed during _init; NULL: the fit */
    enum sl_power_fit fit;
    double table_z; /* of the table; other than z: scaled with the growth of all matter, and all
                                species follow the total */
    bool one_fluid; /* all species follow the total in any case */
};

struct sl_power {
    struct sl_power_spec spec;
    struct sl_growth now, table, today; /* at z, table_z, 0 */
    struct sl_eisenstein_hu fit;
    double k_first, k_last;         /* of the table; 0 and infinity without */
    enum sl_transfer_layout layout; /* of the table; SL_TRANSFER_LAYOUTS without */
    struct sl_spline total;         /* ln sqrt(P / primordial shape) against ln k */
    struct sl_spline ratio[SL_POWER_FIELDS];
    bool has_ratio[SL_POWER_FIELDS];
    double rate;   /* growth rate over that of the universe of a table (sl_power_to_box), 1 */
    double factor; /* amplitude at z over that of the table as it stands */
    double end[2]; /* table over fit, in ln, at its ends */
    double sigma8; /* today, by the growth of all matter */
};

int sl_power_init(const struct sl_power_spec *spec, struct sl_power *out);
void sl_power_release(struct sl_power *p);

/* To a box that is a universe of its own (separate.h), at its scale factor now: waves were the same
 * early on, and grew as they do there. sigma8 stays that of the universe around. */
void sl_power_to_box(struct sl_power *p, const struct sl_cosmology *box, double now, double today);

/* sqrt(P) at k > 0, signed. */
double sl_power_amplitude(const struct sl_power *p, enum sl_power_field field, double k);

/* Transform of a sphere of radius 1 with the volume 1, at wave number x. */
double sl_power_sphere(double x);
/* The sum over waves that makes a variance: SL_SPHERE_WAVES values of ln(k R), a step apart, from
 * scales much larger than R to where the window has cut all off, dense enough for its
 * oscillations. */
enum { SL_SPHERE_PER_FOLD = 1024, SL_SPHERE_FIRST = -12 * SL_SPHERE_PER_FOLD };
enum { SL_SPHERE_WAVES = 35 * SL_SPHERE_PER_FOLD / 2 };
/* Its part of a wave with the window 1. */
double sl_power_part(const struct sl_power *p, double k);

/* rms of the total in a sphere of radius R; of many radii variance.h is faster. */
double sl_power_sigma(const struct sl_power *p, double radius);

/* Of 10^12 Gaussian displacements one is longer than so many times their rms with a chance of
 * 10^-3; the second order is a small part of them. */
enum { SL_POWER_REACH = 8 };

/* rms of the displacement of first order along an axis, in Mpc/h, in a periodic box of these
 * sides. */
double sl_power_displacement(const struct sl_power *p, enum sl_power_field field,
                             const double length[3], int axis);

#endif
