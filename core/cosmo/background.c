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
    double rest = i * i * (i * (i * c->omega_r + c->omega_m) + c->omega_k) + dark_energy(c, a);
    return c->m_nu > 0 ? rest + sl_neutrinos_density(&c->neutrinos, a) : rest;
}

/* Of a third of n_eff, today. */
static double one_massless(const struct sl_cosmology *c)
{
    return 7. / 8 * pow(4. / 11, 4. / 3) * c->n_eff / 3 * photons(c->t_cmb) / (c->h * c->h);
}

static void neutrinos_of(const struct sl_cosmology *c, struct sl_neutrinos *out)
{
    sl_neutrinos_init(c->m_nu, c->massive, one_massless(c), c->n_eff, c->t_cmb, out);
}

double sl_cosmology_neutrinos(const struct sl_cosmology *c)
{
    struct sl_neutrinos n;
    if (!(c->m_nu > 0)) return 0;
    neutrinos_of(c, &n);
    return sl_neutrinos_density(&n, 1);
}

double sl_cosmology_neutrino_mass(const struct sl_cosmology *c, double omega_nu)
{
    struct sl_cosmology with = *c;
    double lo = log(1e-6), hi = log(1e4);
    for (int i = 0; i < 50; i++) {
        with.m_nu = exp(0.5 * (lo + hi));
        *(sl_cosmology_neutrinos(&with) < omega_nu ? &lo : &hi) = log(with.m_nu);
    }
    return omega_nu > 0 ? with.m_nu : 0;
}

static int check_neutrinos(const struct sl_cosmology *c)
{
    if (c->m_nu == 0) return SL_OK;
    SL_CHECK(c->m_nu > 0 && c->massive >= 1 && c->massive <= 3, SL_EINPUT,
             "cosmology.m_nu %g eV of %d neutrinos: a mass of 1 to 3 is needed", c->m_nu,
             c->massive);
    SL_CHECK(c->t_cmb > 0 && c->n_eff > 0, SL_EINPUT,
             "cosmology.m_nu: %g: neutrinos with a mass have a temperature, and cosmology.t_cmb is "
             "%g, cosmology.n_eff %g; nearest: m_nu: 0, or 2.7255 and 3.046",
             c->m_nu, c->t_cmb, c->n_eff);
    return SL_OK;
}

/* Massive ones, and what is left for massless ones. */
static void take_neutrinos(struct sl_cosmology *c)
{
    if (c->m_nu == 0) return;
    neutrinos_of(c, &c->neutrinos);
    c->omega_nu = sl_neutrinos_density(&c->neutrinos, 1);
    c->omega_r = photons(c->t_cmb) / (c->h * c->h) + (3 - c->massive) * one_massless(c);
}

int sl_cosmology_init(struct sl_cosmology *c)
{
    struct sl_cosmology d = *c;
    SL_CHECK(d.h > 0 && d.omega_m > 0 && d.t_cmb >= 0 && d.n_eff >= 0, SL_EINPUT,
             "a cosmology needs h > 0, omega_m > 0, t_cmb >= 0 and n_eff >= 0");
    SL_CHECK(d.omega_b >= 0 && d.omega_b <= d.omega_m, SL_EINPUT,
             "cosmology.omega_b %g is not between 0 and cosmology.omega_m %g%s", d.omega_b,
             d.omega_m, d.m_nu > 0 ? ", which is that without massive neutrinos" : "");
    SL_TRY(check_neutrinos(&d));
    double neutrinos = 7. / 8 * pow(4. / 11, 4. / 3) * d.n_eff;
    d.omega_r = photons(d.t_cmb) / (d.h * d.h) * (1 + neutrinos);
    d.omega_nu = 0;
    take_neutrinos(&d);
    d.omega_de = 1 - d.omega_m - d.omega_r - d.omega_k - d.omega_nu;
    for (double a = 1; a > 1e-10; a *= 0.99)
        SL_CHECK(rate_square(&d, a) > 0, SL_EINPUT,
                 "no universe: H^2 is negative at a = %.3g (omega_m %g, omega_k %g, dark energy "
                 "%g)",
                 a, sl_cosmology_all(&d), d.omega_k, d.omega_de);
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
    if (c->m_nu > 0) sum -= sl_neutrinos_slope(&c->neutrinos, a);
    return -0.5 * sum / rate_square(c, a);
}

double sl_cosmology_matter(const struct sl_cosmology *c, double a)
{
    return c->omega_m / (a * a * a * rate_square(c, a));
}

double sl_cosmology_massive(const struct sl_cosmology *c, double a)
{
    return c->m_nu > 0 ? sl_neutrinos_density(&c->neutrinos, a) / rate_square(c, a) : 0;
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
