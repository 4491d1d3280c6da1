/* halofit.c - see halofit.h. */
#include "core/cosmo/halofit.h"

#include <math.h>

#define PI     3.14159265358979323846
#define LAST_Z 10.0 /* of the fit */

/* ---- variance in Gaussian spheres ---- */

enum { WAVES = 2048 };

/* k^2 and the share of ln k in the variance, from waves longer than the horizon to those of the
 * least structures. */
struct waves {
    double k2[WAVES], share[WAVES];
};

static void waves_init(const struct sl_power *p, double growth, struct waves *w)
{
    static const double lo = 1e-4, hi = 1e4;
    double step = log(hi / lo) / (WAVES - 1);
    for (int i = 0; i < WAVES; i++) {
        double k = lo * exp(i * step);
        double amplitude = growth * sl_power_amplitude(p, SL_POWER_TOTAL, k);
        w->k2[i] = k * k;
        w->share[i] = step * k * k * k * amplitude * amplitude / (2 * PI * PI);
    }
}

/* sigma^2(R), and its first and second derivative by ln R. */
struct variance {
    double s, slope, bend;
};

static struct variance variance_at(const struct waves *w, double radius)
{
    struct variance v = {0, 0, 0};
    for (int i = 0; i < WAVES; i++) {
        double y = w->k2[i] * radius * radius, part = w->share[i] * exp(-y);
        v.s += part;
        v.slope -= 2 * y * part;
        v.bend += 4 * y * (y - 1) * part;
    }
    return v;
}

/* The radius where sigma is 1; 0: it is less everywhere. */
static double radius_of_one(const struct waves *w)
{
    static const double least = 1e-3, most = 100;
    double lo = log(least), hi = log(most);
    if (variance_at(w, least).s < 1) return 0;
    for (int i = 0; i < 48; i++) {
        double middle = (lo + hi) / 2;
        if (variance_at(w, exp(middle)).s > 1)
            lo = middle;
        else
            hi = middle;
    }
    return exp((lo + hi) / 2);
}

/* ---- coefficients ---- */

/* dark: Omega of dark energy at the time times 1 + w. */
static void set_coefficients(double dark, struct sl_halofit *h)
{
    double n = h->n_eff, n2 = n * n, n3 = n2 * n, n4 = n3 * n, c = h->curvature;
    h->a = pow(10, 1.5222 + 2.8553 * n + 2.3706 * n2 + 0.9903 * n3 + 0.2250 * n4 - 0.6038 * c +
                       0.1749 * dark);
    h->b = pow(10, -0.5642 + 0.5864 * n + 0.5716 * n2 - 1.5474 * c + 0.2279 * dark);
    h->c = pow(10, 0.3698 + 2.0404 * n + 0.8161 * n2 + 0.5869 * c);
    h->gamma = 0.1971 - 0.0843 * n + 0.8460 * c;
    h->alpha = fabs(6.0835 + 1.3373 * n - 0.1959 * n2 - 5.5274 * c);
    h->beta = 2.0379 - 0.7354 * n + 0.3157 * n2 + 1.2490 * n3 + 0.3980 * n4 - 0.1682 * c;
    h->nu = pow(10, 5.2105 + 3.6902 * n);
}

/* flat: the share of dark energy in what is neither matter nor radiation. */
static double mixed(double flat, double matter, double of_flat, double of_open)
{
    return flat * pow(matter, of_flat) + (1 - flat) * pow(matter, of_open);
}

static void set_universe(const struct sl_cosmology *u, double a, struct sl_halofit *h)
{
    double rate = sl_cosmology_rate(u, a), matter = sl_cosmology_matter(u, a);
    double bent = u->omega_k / pow(a * rate, 2), radiation = u->omega_r / pow(a * a * rate, 2);
    double dark = 1 - matter - bent - radiation - sl_cosmology_massive(u, a);
    double flat = bent > 0 ? fmax(dark, 0) / (fmax(dark, 0) + bent) : 1;
    set_coefficients(dark * (1 + u->w0 + u->wa * (1 - a)), h);
    h->f1 = mixed(flat, matter, -0.0307, -0.0732);
    h->f2 = mixed(flat, matter, -0.0585, -0.1423);
    h->f3 = mixed(flat, matter, 0.0743, 0.0725);
}

void sl_halofit_init(const struct sl_power *p, double growth, double a, struct sl_halofit *out)
{
    struct waves w;
    *out = (struct sl_halofit){.k_sigma = 0};
    if (1 / a - 1 > LAST_Z * (1 + 1e-9)) return;
    waves_init(p, growth, &w);
    double radius = radius_of_one(&w);
    if (!(radius > 0)) return;
    struct variance v = variance_at(&w, radius);
    out->k_sigma = 1 / radius;
    out->n_eff = -3 - v.slope / v.s;
    out->curvature = pow(v.slope / v.s, 2) - v.bend / v.s;
    set_universe(&p->spec.cosmology, a, out);
}

/* ---- the power ---- */

double sl_halofit_ratio(const struct sl_halofit *h, double k, double linear)
{
    if (!(h->k_sigma > 0)) return 1;
    double y = k / h->k_sigma, delta2 = k * k * k * linear / (2 * PI * PI);
    double quasilinear =
        pow(1 + delta2, h->beta) / (1 + h->alpha * delta2) * exp(-y / 4 - y * y / 8);
    double haloes = h->a * pow(y, 3 * h->f1) /
                    (1 + h->b * pow(y, h->f2) + pow(h->c * h->f3 * y, 3 - h->gamma)) /
                    (1 + h->nu / (y * y));
    return quasilinear + haloes / delta2;
}
