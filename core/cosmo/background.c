/* background.c - see background.h. */
#include "core/cosmo/background.h"

#include <math.h>

#include "core/sys/status.h"

#define PI 3.14159265358979323846

/* Critical density of h = 1 in kg/m^3; G = 6.67430e-11 as in CODATA 2018. */
static double critical(void)
{
    const double g = 6.67430e-11, h100 = 100 / SL_MPC_KM;
    return 3 * h100 * h100 / (8 * PI * g);
}

double sl_cosmology_critical(const struct sl_cosmology *c)
{
    return 1e-3 * critical() * c->h * c->h;
}

/* Photons: 4 sigma_B T^4 / c^3 over the critical density of h = 1, from CODATA 2018. */
static double photons(double t_cmb)
{
    const double sigma = 5.670374419e-8, light = 1e3 * SL_LIGHT_SPEED;
    return 4 * sigma * pow(t_cmb, 4) / (light * light * light) / critical();
}

static double dark_energy(const struct sl_cosmology *c, double a)
{
    return c->omega_de * pow(a, -3 * (1 + c->w0 + c->wa)) * exp(-3 * c->wa * (1 - a));
}

static double rate_square(const struct sl_cosmology *c, double a)
{
    double i = 1 / a;
    return i * i * (i * (i * c->omega_r + c->omega_m) + c->omega_k) + dark_energy(c, a);
}

int sl_cosmology_init(struct sl_cosmology *c)
{
    struct sl_cosmology d = *c;
    SL_CHECK(d.h > 0 && d.omega_m > 0 && d.t_cmb >= 0 && d.n_eff >= 0, SL_EINPUT,
             "a cosmology needs h > 0, omega_m > 0, t_cmb >= 0 and n_eff >= 0");
    SL_CHECK(d.omega_b >= 0 && d.omega_b <= d.omega_m, SL_EINPUT,
             "cosmology.omega_b %g is not between 0 and cosmology.omega_m %g", d.omega_b,
             d.omega_m);
    double neutrinos = 7. / 8 * pow(4. / 11, 4. / 3) * d.n_eff;
    d.omega_r = photons(d.t_cmb) / (d.h * d.h) * (1 + neutrinos);
    d.omega_de = 1 - d.omega_m - d.omega_r - d.omega_k;
    for (double a = 1; a > 1e-10; a *= 0.99)
        SL_CHECK(rate_square(&d, a) > 0, SL_EINPUT,
                 "no universe: H^2 is negative at a = %.3g (omega_m %g, omega_k %g, dark energy "
                 "%g)",
                 a, d.omega_m, d.omega_k, d.omega_de);
    *c = d;
    return SL_OK;
}

double sl_cosmology_rate(const struct sl_cosmology *c, double a)
{
    return sqrt(rate_square(c, a));
}

double sl_cosmology_rate_slope(const struct sl_cosmology *c, double a)
{
    double i = 1 / a, w = c->w0 + c->wa * (1 - a);
    double sum = i * i * (i * (4 * i * c->omega_r + 3 * c->omega_m) + 2 * c->omega_k) +
                 3 * (1 + w) * dark_energy(c, a);
    return -0.5 * sum / rate_square(c, a);
}

double sl_cosmology_matter(const struct sl_cosmology *c, double a)
{
    return c->omega_m / (a * a * a * rate_square(c, a));
}

double sl_cosmology_hubble(const struct sl_cosmology *c, double a)
{
    return 100 * c->h * sl_cosmology_rate(c, a);
}

/* ---- integrals: panels of 8 points of Gauss and Legendre ---- */

static double panels(const struct sl_cosmology *c, double lo, double hi, int n,
                     double (*f)(const struct sl_cosmology *, double))
{
    static const double x[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                0.9602898564975363};
    static const double w[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                0.1012285362903763};
    double sum = 0, half = 0.5 * (hi - lo) / n;
    for (int p = 0; p < n; p++) {
        double mid = lo + (2 * p + 1) * half;
        for (int i = 0; i < 4; i++)
            sum += w[i] * (f(c, mid - half * x[i]) + f(c, mid + half * x[i]));
    }
    return half * sum;
}

/* dt/du with a = u^2: smooth also where matter alone rules. */
static double time_in_root(const struct sl_cosmology *c, double u)
{
    return 2 / (u * sl_cosmology_rate(c, u * u));
}

double sl_cosmology_age(const struct sl_cosmology *c, double a)
{
    double hubble_time = SL_MPC_KM / (100 * c->h) / SL_GYR_S;
    return hubble_time * panels(c, 0, sqrt(a), 256, time_in_root);
}

static double tau_in_log(const struct sl_cosmology *c, double x)
{
    double a = exp(x);
    return 1 / (a * a * sl_cosmology_rate(c, a));
}

double sl_cosmology_tau(const struct sl_cosmology *c, double from, double to, int n)
{
    return panels(c, log(from), log(to), n, tau_in_log);
}

static double kick_in_log(const struct sl_cosmology *c, double x)
{
    double a = exp(x);
    return 1 / (a * sl_cosmology_rate(c, a));
}

double sl_cosmology_kick(const struct sl_cosmology *c, double from, double to, int n)
{
    return panels(c, log(from), log(to), n, kick_in_log);
}

/* Smooth in u = sqrt(a), as that of the age is. */
static double response_in_root(const struct sl_cosmology *c, double u)
{
    return 2 * u / pow(u * u * sl_cosmology_rate(c, u * u), 3);
}

double sl_cosmology_response(const struct sl_cosmology *c)
{
    return 1.5 * sl_cosmology_rate(c, 1) * panels(c, 0, 1, 256, response_in_root);
}
