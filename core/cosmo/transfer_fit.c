/* transfer_fit.c - see transfer_fit.h. Names are those of the paper. */
#include "core/cosmo/transfer_fit.h"

#include <math.h>

#define E 2.71828182845904523536

static void sound_horizon(double obh2, double theta4, double z_eq, struct sl_eisenstein_hu *e)
{
    double om = e->omh2;
    double b1 = 0.313 * pow(om, -0.419) * (1 + 0.607 * pow(om, 0.674));
    double b2 = 0.238 * pow(om, 0.223);
    e->z_drag = 1291 * pow(om, 0.251) / (1 + 0.659 * pow(om, 0.828)) * (1 + b1 * pow(obh2, b2));
    double r = 31.5 * obh2 / theta4 * 1000, r_eq = r / z_eq;
    e->r_drag = r / (1 + e->z_drag);
    e->s = 2 / (3 * e->k_eq) * sqrt(6 / r_eq) *
           log((sqrt(1 + e->r_drag) + sqrt(e->r_drag + r_eq)) / (1 + sqrt(r_eq)));
    e->k_silk = 1.6 * pow(obh2, 0.52) * pow(om, 0.73) * (1 + pow(10.4 * om, -0.95));
}

static void suppression(double z_eq, struct sl_eisenstein_hu *e)
{
    double om = e->omh2, fb = e->f_b;
    double a1 = pow(46.9 * om, 0.670) * (1 + pow(32.1 * om, -0.532));
    double a2 = pow(12.0 * om, 0.424) * (1 + pow(45.0 * om, -0.582));
    e->alpha_c = pow(a1, -fb) * pow(a2, -fb * fb * fb);
    double b1 = 0.944 / (1 + pow(458 * om, -0.708)), b2 = pow(0.395 * om, -0.0266);
    e->beta_c = 1 / (1 + b1 * (pow(1 - fb, b2) - 1));
    double y = z_eq / (1 + e->z_drag), root = sqrt(1 + y);
    double g = y * (-6 * root + (2 + 3 * y) * log((root + 1) / (root - 1)));
    e->alpha_b = 2.07 * e->k_eq * e->s * pow(1 + e->r_drag, -0.75) * g;
    e->beta_node = 8.41 * pow(om, 0.435);
    e->beta_b = 0.5 + fb + (3 - 2 * fb) * sqrt(17.2 * om * 17.2 * om + 1);
}

void sl_eisenstein_hu_init(const struct sl_cosmology *c, struct sl_eisenstein_hu *e)
{
    double theta = sl_cosmology_photons(c) / 2.7, theta4 = pow(theta, 4);
    double obh2 = c->omega_b * c->h * c->h;
    e->h = c->h;
    e->f_b = c->omega_b / c->omega_m;
    e->theta2 = theta * theta;
    e->omh2 = c->omega_m * c->h * c->h;
    double om = e->omh2, fb = e->f_b, z_eq = 2.50e4 * om / theta4;
    e->k_eq = 0.0746 * om / e->theta2;
    if (fb > 0) {
        sound_horizon(obh2, theta4, z_eq, e);
        suppression(z_eq, e);
    }
    e->s_fit = 44.5 * log(9.83 / om) / sqrt(1 + 10 * pow(obh2, 0.75));
    e->alpha_gamma = 1 - 0.328 * log(431 * om) * fb + 0.38 * log(22.3 * om) * fb * fb;
}

/* Eq. 19 and 20. */
static double pressureless(double q, double alpha, double beta)
{
    double l = log(E + 1.8 * beta * q);
    double c = 14.2 / alpha + 386 / (1 + 69.9 * pow(q, 1.08));
    return l / (l + c * q * q);
}

double sl_eisenstein_hu_full(const struct sl_eisenstein_hu *e, double k_h)
{
    double k = k_h * e->h, q = k / (13.41 * e->k_eq);
    if (!(k > 0)) return 1;
    if (!(e->f_b > 0)) return pressureless(q, 1, 1);
    double ks = k * e->s, f = 1 / (1 + pow(ks / 5.4, 4));
    double cdm =
        f * pressureless(q, 1, e->beta_c) + (1 - f) * pressureless(q, e->alpha_c, e->beta_c);
    double shifted = ks / cbrt(1 + pow(e->beta_node / ks, 3));
    double b = pressureless(q, 1, 1) / (1 + ks / 5.2 * ks / 5.2) +
               e->alpha_b / (1 + pow(e->beta_b / ks, 3)) * exp(-pow(k / e->k_silk, 1.4));
    return e->f_b * b * sin(shifted) / shifted + (1 - e->f_b) * cdm;
}

double sl_eisenstein_hu_smooth(const struct sl_eisenstein_hu *e, double k_h)
{
    double k = k_h * e->h;
    double shape =
        e->omh2 * (e->alpha_gamma + (1 - e->alpha_gamma) / (1 + pow(0.43 * k * e->s_fit, 4)));
    double q = k * e->theta2 / shape, l = log(2 * E + 1.8 * q);
    return l / (l + (14.2 + 731 / (1 + 62.5 * q)) * q * q);
}

double sl_bbks(const struct sl_cosmology *c, double k)
{
    double gamma = c->omega_m * c->h * exp(-c->omega_b * (1 + sqrt(2 * c->h) / c->omega_m));
    double q = k / gamma, x = 2.34 * q;
    if (x < 1e-12) return 1;
    double sum = 1 + q * (3.89 + q * (16.1 * 16.1 + q * (pow(5.46, 3) + q * pow(6.71, 4))));
    return log1p(x) / x / sqrt(sqrt(sum));
}
