/* thermal.c - see thermal.h. Backward Euler in ln a: the equations are stiff before z = 1000. SI
 * units. */
#include "core/cosmo/thermal.h"

#include <math.h>

#define PI        3.14159265358979323846
#define BOLTZMANN 1.380649e-23
#define PLANCK    6.62607015e-34
#define ELECTRON  9.1093837015e-31
#define HYDROGEN  1.6735328e-27
#define THOMSON   6.6524587321e-29
#define RADIATION 7.565723e-16 /* energy density over T^4 */
#define LYMAN     1.215668e-7  /* wave length of Lyman alpha */
#define TWO_GAMMA 8.2245809    /* decays by two photons per second */
#define LIGHT     299792458.0

enum { STEPS = 4000 }; /* per e-fold of a */

static const double first_z = 1700;

struct gas {
    double hydrogen; /* nuclei per m^3 today */
    double f_he;     /* helium nuclei per hydrogen nucleus */
    double t_cmb;
};

static double saha(double n, double t)
{
    double thermal = pow(2 * PI * ELECTRON * BOLTZMANN * t / (PLANCK * PLANCK), 1.5);
    double s = thermal / n * exp(-157887.5 / t); /* 13.6 eV */
    return 2 / (1 + sqrt(1 + 4 / s));
}

/* Recombination and ionisation rates for this gas; the share of excited atoms that come down for
 * good. */
static void rates(double n, double hubble, double t, double tr, double x, double *down, double *up)
{
    double t4 = t / 1e4;
    double alpha = 1.14e-19 * 4.309 * pow(t4, -0.6166) / (1 + 0.6703 * pow(t4, 0.5300));
    double beta = alpha * pow(2 * PI * ELECTRON * BOLTZMANN * tr / (PLANCK * PLANCK), 1.5);
    double ionise = beta * exp(-39471.9 / tr); /* from n = 2: 3.4 eV */
    double k = LYMAN * LYMAN * LYMAN / (8 * PI * hubble) * n * (1 - x);
    double share = (1 + k * TWO_GAMMA) / (1 + k * (TWO_GAMMA + ionise));
    *down = share * alpha * n;
    *up = share * beta * exp(-157887.5 / tr);
}

static void step(const struct sl_cosmology *c, const struct gas *g, double a, double da,
                 struct sl_thermal *s)
{
    double hubble = sl_cosmology_hubble(c, a) / SL_MPC_KM, n = g->hydrogen / (a * a * a);
    double tr = g->t_cmb / a, x = s->electrons, down, up;
    rates(n, hubble, s->temperature, tr, x, &down, &up);
    double p = da / hubble * down, q = da / hubble * up;
    s->electrons = 2 * (x + q) / (1 + q + sqrt((1 + q) * (1 + q) + 4 * p * (x + q)));
    double heat = 8 * THOMSON * RADIATION * pow(tr, 4) * s->electrons /
                  (3 * ELECTRON * LIGHT * (1 + g->f_he + s->electrons)) / hubble;
    s->temperature = (s->temperature + da * heat * tr) / (1 + da * (2 + heat));
    s->response = (s->response + da * 2 / 3) / (1 + da * (1 + heat * tr / s->temperature));
}

struct sl_thermal sl_thermal_at(const struct sl_cosmology *c, double helium, double z)
{
    const double h100 = 100 / SL_MPC_KM, critical = 3 * h100 * h100 / (8 * PI * 6.67430e-11);
    struct gas g = {.t_cmb = sl_cosmology_photons(c)};
    g.hydrogen = (1 - helium) * c->omega_b * c->h * c->h * critical / HYDROGEN;
    g.f_he = helium / (4 * (1 - helium));
    double from = 1 + fmax(z, first_z), tr = g.t_cmb * from;
    struct sl_thermal s = {tr, saha(g.hydrogen * from * from * from, tr), 0};
    double length = log(from / (1 + z));
    int n = (int)ceil(STEPS * length);
    for (int i = 1; i <= n; i++)
        step(c, &g, exp(length * i / n) / from, length / n, &s);
    return s;
}
