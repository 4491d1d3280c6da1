/* neutrinos.c - see neutrinos.h. */
#include "core/cosmo/neutrinos.h"

#include <math.h>

#define PI        3.14159265358979323846
#define BOLTZMANN 8.617333262e-5 /* eV/K */

void sl_neutrinos_init(double mass, int kinds, double massless, double n_eff, double t_cmb,
                       struct sl_neutrinos *out)
{
    static const double first = -7.5, step = 0.25; /* of ln x */
    double t = cbrt(4. / 11) * pow(n_eff / 3, 0.25) * t_cmb;
    out->early = kinds * massless;
    out->rest = mass / kinds / (BOLTZMANN * t);
    for (int i = 0; i < SL_NEUTRINO_WAVES; i++) {
        double x = exp(first + i * step);
        out->x2[i] = x * x;
        out->share[i] = 120 / (7 * pow(PI, 4)) * step * x * x * x / (exp(x) + 1);
    }
}

double sl_neutrinos_density(const struct sl_neutrinos *n, double a)
{
    double y = n->rest * a, sum = 0;
    for (int i = 0; i < SL_NEUTRINO_WAVES; i++)
        sum += n->share[i] * sqrt(n->x2[i] + y * y);
    return n->early * sum / (a * a * a * a);
}

double sl_neutrinos_slope(const struct sl_neutrinos *n, double a)
{
    double y = n->rest * a, sum = 0;
    for (int i = 0; i < SL_NEUTRINO_WAVES; i++)
        sum += n->share[i] * y * y / sqrt(n->x2[i] + y * y);
    return n->early * sum / (a * a * a * a) - 4 * sl_neutrinos_density(n, a);
}
