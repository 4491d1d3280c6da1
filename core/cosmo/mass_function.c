/* mass_function.c - see mass_function.h. */
#include "core/cosmo/mass_function.h"

#include <math.h>

#include "core/sys/units.h"

#define PI       3.14159265358979323846
#define TINKER_Z 2.5 /* last redshift of the fit */
#define CROCCE_Z 1.0 /* likewise */

double sl_mass_of_volume(const struct sl_cosmology *c, double volume)
{
    return SL_CRITICAL_DENSITY * c->omega_m * volume;
}

double sl_mass_radius(const struct sl_cosmology *c, double mass)
{
    return cbrt(3 * mass / (4 * PI * sl_mass_of_volume(c, 1)));
}

struct sl_mass_variance sl_mass_variance(struct sl_variance *v, const struct sl_power *p,
                                         double mass)
{
    static const double step = 0.02; /* of ln M */
    const struct sl_cosmology *c = &p->spec.cosmology;
    double below = sl_variance_sigma(v, p, sl_mass_radius(c, mass * exp(-step)));
    double above = sl_variance_sigma(v, p, sl_mass_radius(c, mass * exp(step)));
    return (struct sl_mass_variance){mass, sl_variance_sigma(v, p, sl_mass_radius(c, mass)),
                                     log(above / below) / (2 * step)};
}

static double press_schechter(double sigma)
{
    double nu = SL_COLLAPSE_DELTA / sigma;
    return sqrt(2 / PI) * nu * exp(-nu * nu / 2);
}

static double sheth_tormen(double sigma)
{
    static const double norm = 0.3222, a = 0.707, p = 0.3;
    double nu = SL_COLLAPSE_DELTA / sigma, nu2 = a * nu * nu;
    return norm * sqrt(2 * a / PI) * (1 + pow(nu2, -p)) * nu * exp(-nu2 / 2);
}

/* Of 200 times the mean density. */
static double tinker(double sigma, double z)
{
    double past = 1 + fmin(z, TINKER_Z), alpha = pow(10, -pow(0.75 / log10(200.0 / 75), 1.2));
    double norm = 0.186 * pow(past, -0.14), a = 1.47 * pow(past, -0.06);
    double b = 2.57 * pow(past, -alpha), c = 1.19;
    return norm * (pow(sigma / b, -a) + 1) * exp(-c / (sigma * sigma));
}

static double crocce(double sigma, double z)
{
    double past = 1 + fmin(z, CROCCE_Z), norm = 0.58 * pow(past, -0.13);
    double a = 1.37 * pow(past, -0.15), b = 0.3 * pow(past, -0.084), c = 1.036 * pow(past, -0.024);
    return norm * (pow(sigma, -a) + b) * exp(-c / (sigma * sigma));
}

static double watson(double sigma)
{
    static const double norm = 0.282, alpha = 2.163, beta = 1.406, gamma = 1.21;
    return norm * (pow(beta / sigma, alpha) + 1) * exp(-gamma / (sigma * sigma));
}

static double multiplicity(enum sl_mass_function kind, double sigma, double z)
{
    switch (kind) {
    case SL_MASS_FUNCTION_press_schechter:
        return press_schechter(sigma);
    case SL_MASS_FUNCTION_sheth_tormen:
        return sheth_tormen(sigma);
    case SL_MASS_FUNCTION_crocce:
        return crocce(sigma, z);
    case SL_MASS_FUNCTION_watson:
        return watson(sigma);
    default:
        return tinker(sigma, z);
    }
}

double sl_mass_function(enum sl_mass_function kind, const struct sl_cosmology *c,
                        const struct sl_mass_variance *v, double growth, double z)
{
    double f = multiplicity(kind, growth * v->sigma, z);
    return f * sl_mass_of_volume(c, 1) / v->mass * fabs(v->slope);
}

/* ---- bias ---- */

static double bias_tinker(double nu)
{
    double y = log10(200), near = exp(-pow(4 / y, 4));
    double norm = 1 + 0.24 * y * near, a = 0.44 * y - 0.88;
    double c = 0.019 + 0.107 * y + 0.19 * near;
    return 1 - norm * pow(nu, a) / (pow(nu, a) + pow(SL_COLLAPSE_DELTA, a)) + 0.183 * pow(nu, 1.5) +
           c * pow(nu, 2.4);
}

double sl_mass_bias(enum sl_mass_function kind, const struct sl_mass_variance *v, double growth)
{
    static const double a = 0.707, p = 0.3, delta = SL_COLLAPSE_DELTA;
    double nu = delta / (growth * v->sigma), nu2 = a * nu * nu;
    if (kind == SL_MASS_FUNCTION_press_schechter) return 1 + (nu * nu - 1) / delta;
    if (kind == SL_MASS_FUNCTION_tinker) return bias_tinker(nu);
    return 1 + (nu2 - 1) / delta + 2 * p / delta / (1 + pow(nu2, p));
}
