/* variance.h - sigma(R) of one power for many radii: a mass function asks for it at each of its
 * masses, and by sl_power_sigma each takes as long as the haloes of a small mock.
 *
 * The sum of sl_power_sigma is over wave numbers whose logarithms are a step apart. Of radii whose
 * logarithms are multiples of it apart, too, it is the product of two lists that are made once: the
 * power, and the window of a sphere. Nodes of such radii are summed up when one near them is asked
 * for; between them ln sigma is a polynomial through six.
 *
 * Shapes  none
 * Units   R in Mpc/h
 * Errors  SL_EMEM
 * Owns    its lists
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/power.c
 */
#ifndef SL_COSMO_VARIANCE_H
#define SL_COSMO_VARIANCE_H

#include "core/cosmo/power.h"

struct sl_variance {
    double *window; /* owned; squares of that of a sphere, by ln(k R) */
    double *power;  /* owned; of a wave in ln k; what no radius asked for yet is not there */
    double *node;   /* owned; ln sigma by ln R; 0: not yet known */
    int first, end; /* what is there of the power */
};

int sl_variance_init(struct sl_variance *out);
void sl_variance_release(struct sl_variance *v);

/* sl_power_sigma to 1e-9. Every call with one v is of one power. */
double sl_variance_sigma(struct sl_variance *v, const struct sl_power *p, double radius);

#endif
