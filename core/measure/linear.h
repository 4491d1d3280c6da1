/* linear.h - the linear theory that statistics of a universe are compared with.
 *
 * Shapes  none
 * Units   those of core/cosmo
 * Errors  those of reading the files and of core/cosmo/universe.h
 * Owns    the power and its variances
 * MPI     sl_linear_init is collective, the rest local
 * Where   host
 * Refs    none
 * Tests   tests/law/mass_function.sh
 */
#ifndef SL_MEASURE_LINEAR_H
#define SL_MEASURE_LINEAR_H

#include <mpi.h>

#include "core/cosmo/mass_function.h"
#include "core/cosmo/universe.h"

struct sl_linear {
    struct sl_universe u;
    struct sl_power power;       /* at ic.redshift */
    struct sl_variance variance; /* of it */
};

/* Of a recipe with `problem: cosmology`. */
int sl_linear_init(MPI_Comm comm, const struct sl_config *cfg, struct sl_linear *out);
void sl_linear_release(struct sl_linear *l);

/* How much all matter has grown from the start to the scale factor a: D(a) / D(start). */
double sl_linear_growth(const struct sl_linear *l, double a);

/* sl_mass_variance (core/cosmo/mass_function.h) of the power at ic.redshift. */
struct sl_mass_variance sl_linear_variance(struct sl_linear *l, double mass);

#endif
