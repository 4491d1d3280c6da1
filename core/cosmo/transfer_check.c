/* transfer_check.c - compares a table with the cosmology, the redshift and the scales that it is to
 * be used for; see transfer.h. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cosmo/growth.h"
#include "core/cosmo/transfer.h"
#include "core/cosmo/transfer_fit.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

enum { MOST_POINTS = 256 }; /* of a table that are compared with the fit */

struct examiner {
    struct sl_cosmology all; /* with massive neutrinos as though they were cold */
    const struct sl_transfer *t;
    const struct sl_transfer_ask *ask;
    struct sl_transfer_look *look;
    struct sl_findings *f;
    struct sl_eisenstein_hu fit;
};

void sl_finding(struct sl_findings *f, enum sl_finding_kind kind, const char *fmt, ...)
{
    if (f->n == (int)(sizeof f->item / sizeof f->item[0])) return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(f->item[f->n].text, sizeof f->item[0].text, fmt, args);
    va_end(args);
    f->item[f->n++].kind = kind;
}

double sl_transfer_expected(const struct sl_cosmology *c, double d1, double shape)
{
    double hubble_length = SL_LIGHT_SPEED / (100 * c->h);
    return 0.4 * hubble_length * hubble_length / c->omega_m * d1 * shape;
}

double sl_transfer_power(const struct sl_cosmology *c, double a_s, double n_s, double k_pivot,
                         double k_h, double transfer)
{
    double k = k_h * c->h, h3 = c->h * c->h * c->h;
    return h3 * 2 * PI * PI * k * a_s * pow(k / k_pivot, n_s - 1) * transfer * transfer;
}

static bool has_neutrinos(const struct sl_transfer *t)
{
    return t->heavy > 1e-6;
}

/* ---- shape and amplitude against the fit ---- */

/* Of row i, as a transfer function of all matter; amplitude of a table of power: that of ask->a_s,
 * or without it of 1. */
static double total_at(const struct examiner *e, int i)
{
    const struct sl_transfer_ask *a = e->ask;
    const struct sl_transfer *t = e->t;
    if (!t->power) return t->total[i];
    double unit =
        sl_transfer_power(a->cosmology, a->a_s > 0 ? a->a_s : 1, a->n_s, a->k_pivot, t->k[i], 1);
    return sqrt(t->power[i] / unit);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* ln of the table over the fit, for rows of lo <= k <= hi; stretch: the k of the fit over that of
 * the file. */
static int ratios(const struct examiner *e, double lo, double hi, double stretch,
                  double out[MOST_POINTS])
{
    int rows = 0, n = 0;
    for (int i = 0; i < e->t->n; i++)
        rows += e->t->k[i] >= lo && e->t->k[i] <= hi;
    int every = rows / MOST_POINTS + 1, seen = 0;
    for (int i = 0; i < e->t->n; i++) {
        double k = e->t->k[i];
        if (k < lo || k > hi || seen++ % every != 0) continue;
        double fit =
            sl_transfer_expected(e->ask->cosmology, 1, sl_eisenstein_hu_full(&e->fit, k * stretch));
        double table = total_at(e, i);
        if (table > 0 && fit > 0) out[n++] = log(table / fit);
    }
    return n;
}

static double mean_of(int n, const double *v)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += v[i];
    return sum / n;
}

/* rms about the mean for 0.01 <= k <= hi; -1 with too few points. */
static double shape_off(const struct examiner *e, double hi, double stretch)
{
    double r[MOST_POINTS], square = 0;
    int n = ratios(e, 0.01, hi, stretch, r);
    if (n < 8) return -1;
    double mean = mean_of(n, r);
    for (int i = 0; i < n; i++)
        square += (r[i] - mean) * (r[i] - mean) / n;
    return sqrt(square);
}

/* Mean of ln of the table over the fit in a band; fails with no point in it. */
static bool band(const struct examiner *e, double lo, double hi, double *mean)
{
    double r[MOST_POINTS];
    int n = ratios(e, lo, hi, 1, r);
    *mean = n ? mean_of(n, r) : 0;
    return n > 0;
}

/* By how much the table lies above a power law times the fit on small scales: a tilt has none of
 * it, collapse has. */
static double upturn(const struct examiner *e)
{
    double large, middle, small;
    if (!band(e, 0.02, 0.06, &large) || !band(e, 0.1, 0.2, &middle) || !band(e, 0.5, 1, &small))
        return 0;
    double slope = (middle - large) / log(sqrt(0.1 * 0.2) / sqrt(0.02 * 0.06));
    return small - middle - slope * log(sqrt(0.5 * 1) / sqrt(0.1 * 0.2));
}

static double known_redshift(const struct examiner *e)
{
    return e->ask->z >= 0 ? e->ask->z : e->t->z;
}

/* Power that linear theory has left behind on small scales alone: not before z = 5. */
static bool collapsed(const struct examiner *e)
{
    return e->t->power && known_redshift(e) < 5 && shape_off(e, 0.1, 1) < 0.06 && upturn(e) > 0.15;
}

/* ---- acoustic waves ---- */

enum { MOST_WAVES = 160, SMOOTH = 4 };

struct waves {
    int n;
    double k[MOST_WAVES], table[MOST_WAVES];
    double smooth[SMOOTH][MOST_WAVES]; /* orthonormal: 1 .. x^3, x = ln k */
};

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add_to(int n, double factor, const double *a, double *b)
{
    for (int i = 0; i < n; i++)
        b[i] += factor * a[i];
}

/* Takes from v what a cubic of ln k can follow. */
static void without_smooth(const struct waves *w, int known, double *v)
{
    for (int p = 0; p < known; p++)
        add_to(w->n, -dot(w->n, w->smooth[p], v), w->smooth[p], v);
}

/* The rows of 0.04 to 0.3 h/Mpc, where waves are seen, too few in some tables. */
static bool waves_of(const struct examiner *e, struct waves *w)
{
    w->n = 0;
    for (int i = 0; i < e->t->n && w->n < MOST_WAVES; i++) {
        double total = total_at(e, i);
        if (e->t->k[i] < 0.04 || e->t->k[i] > 0.3 || !(total > 0)) continue;
        w->k[w->n] = e->t->k[i];
        w->table[w->n++] = log(total);
    }
    if (w->n < 24) return false;
    for (int p = 0; p < SMOOTH; p++) {
        double *v = w->smooth[p];
        for (int i = 0; i < w->n; i++)
            v[i] = pow(log(w->k[i] / 0.11), p);
        without_smooth(w, p, v);
        double norm = sqrt(dot(w->n, v, v));
        for (int i = 0; i < w->n; i++)
            v[i] /= norm;
    }
    without_smooth(w, SMOOTH, w->table);
    return true;
}

/* Part of the waves of the table that those of the fit at k times stretch do not have. */
static double waves_left(const struct examiner *e, const struct waves *w, double stretch)
{
    double v[MOST_WAVES];
    for (int i = 0; i < w->n; i++)
        v[i] = log(sl_eisenstein_hu_full(&e->fit, w->k[i] * stretch));
    without_smooth(w, SMOOTH, v);
    double all = dot(w->n, w->table, w->table), both = dot(w->n, w->table, v);
    return 1 - both * fabs(both) / (all * dot(w->n, v, v));
}

/* The stretch of k at which the fit has the waves of the table; 0: it shows none of them. */
static double wave_stretch(const struct examiner *e)
{
    enum { STEPS = 60 };
    struct waves w;
    double best = 1, least = 1;
    if (!waves_of(e, &w)) return 0;
    for (int i = -STEPS; i <= STEPS; i++) {
        double stretch = exp(0.002 * i), left = waves_left(e, &w, stretch);
        if (left < least) least = left, best = stretch;
    }
    return least < 0.15 ? best : 0;
}

/* Where the bias of the fit was looked at. */
static bool has_known_waves(const struct sl_cosmology *c)
{
    double m = c->omega_m * c->h * c->h, b = c->omega_b * c->h * c->h;
    bool radiation = c->t_cmb == 0 || fabs(c->n_eff - 3.045) < 0.2;
    return radiation && m > 0.11 && m < 0.17 && b > 0.018 && b < 0.028;
}

/* The stretch of k with which the fit has the shape of the table, and the rms that is left. */
static double best_stretch(const struct examiner *e, double *off)
{
    enum { STEPS = 50 };
    double best = 1;
    *off = shape_off(e, 1, 1);
    for (int i = -STEPS; i <= STEPS; i++) {
        double stretch = exp(0.005 * i), left = shape_off(e, 1, stretch);
        if (left >= *off) continue;
        *off = left;
        best = stretch;
    }
    return best;
}

/* The turn-over stands at k h/Mpc that goes with Omega_m h, the acoustic waves at one that goes
 * with the sound horizon: both lie elsewhere in another universe. With the cosmology of a table
 * the fit is found at 1.000 to 1.018 of its k, with neutrinos of 0.2 eV at 1.04, of P(k) today
 * at 1.046: above there is room for them, below P(k) needs none. So P(k), which has no plateau that
 * tells of h and no column of neutrinos, is taken where the recipe's h is up to 3 % (neutrinos:
 * 4 %) below that of the table, and up to 5 % above (where its waves are right: 6 %). Of P(k) of
 * CAMB and CLASS for h 0.7, Omega_m 0.3, Omega_b / Omega_m kept, at z = 0 and 99, recipes with h
 * 0.68 to 0.73 and Omega_m 0.294 to 0.31 pass: there Omega_m h is 3 % below to 6 % above, and the
 * waves, which hardly move with h, are within 1.3 %, as with neutrinos or by the bias of the fit.
 */
static bool is_stretched(struct examiner *e, double as_is)
{
    const struct sl_cosmology *c = e->ask->cosmology;
    double left, stretch = best_stretch(e, &left);
    double waves = has_known_waves(c) ? e->look->waves = wave_stretch(e) : 0;
    bool alike = waves > 0 && fabs(log(waves) - 0.022) < 0.008; /* in all but neutrinos */
    double most = has_neutrinos(e->t) ? 0.065 : e->t->power && alike ? 0.055 : 0.045;
    bool below = e->t->power && log(stretch) < -0.0175, far = fabs(log(stretch)) >= most;
    e->look->stretch = 1 / stretch;
    if (!(below || far) || as_is < (below ? 1.25 : 1.3) * left) return false;
    sl_finding(e->f, SL_FINDING_WRONG,
               "its turn-over and acoustic waves are at %.3g times the k of this cosmology "
               "(Omega_m %g, Omega_b %g, h %g, n_s %g): it was made for another one, of Omega_m h "
               "about %.3g and not %.3g%s",
               1 / stretch, sl_cosmology_all(c), c->omega_b, c->h, e->ask->n_s,
               sl_cosmology_all(c) * c->h / stretch, sl_cosmology_all(c) * c->h,
               e->t->power ? ", or of another n_s" : "");
    return true;
}

/* Waves stand at multiples of the sound horizon times h, whatever the tilt and the amplitude: they
 * tell h where Omega_m h^2 is right, and P(k) that turns over where it should. The fit has them 2.0
 * to 2.4 % too far out in the tables of CAMB and CLASS that were looked at (2.8 % with neutrinos of
 * 0.2 eV); its sound horizon over that of Aubourg et al. (2015) changes by 0.6 % in this range. */
static void check_waves(struct examiner *e)
{
    const struct sl_cosmology *c = e->ask->cosmology;
    double most = has_neutrinos(e->t) ? 0.023 : 0.013, off;
    if (e->look->waves == 0) return;
    off = log(e->look->waves) - 0.022;
    if (fabs(off) < most) return;
    sl_finding(e->f, SL_FINDING_WRONG,
               "its acoustic waves are at %.3g times the k of this cosmology (Omega_m %g, Omega_b "
               "%g, h %g): it was made for another one, of another h, Omega_m or Omega_b",
               exp(-off), sl_cosmology_all(c), c->omega_b, c->h);
}

static void check_shape(struct examiner *e)
{
    double h = e->ask->cosmology->h, as_is = shape_off(e, 1, 1), in_mpc = shape_off(e, 1, 1 / h);
    enum sl_finding_kind kind = as_is > 0.15 ? SL_FINDING_WRONG : SL_FINDING_WARN;
    e->look->shape = as_is;
    if (as_is < 0) {
        sl_finding(e->f, SL_FINDING_WARN,
                   "too few points between k = 0.01 and 1 h/Mpc to judge its shape");
        return;
    }
    if (as_is < 0.06) {
        if (!is_stretched(e, as_is)) check_waves(e);
        return;
    }
    if (in_mpc < 0.05 && in_mpc < 0.5 * as_is)
        sl_finding(e->f, SL_FINDING_WRONG,
                   "its k seems to be in 1/Mpc, not in h/Mpc: its shape is %.0f %% off that of "
                   "this cosmology, and %.0f %% with k divided by h = %g",
                   100 * as_is, 100 * in_mpc, h);
    else if (collapsed(e))
        sl_finding(e->f, kind,
                   "it seems to be non-linear power: it rises above this cosmology's beyond k = "
                   "0.2 h/Mpc (%.0f %% rms); a start needs the linear one",
                   100 * as_is);
    else if (!is_stretched(e, as_is))
        sl_finding(
            e->f, kind,
            "its shape is %.0f %% off that of this cosmology (Omega_m %g, Omega_b %g, h %g, n_s "
            "%g) between k = 0.01 and 1 h/Mpc: another cosmology, or not this kind of table",
            100 * as_is, sl_cosmology_all(e->ask->cosmology), e->ask->cosmology->omega_b, h,
            e->ask->n_s);
}

/* ---- amplitude and redshift ---- */

/* Growth that the amplitude stands for: the median over scales of galaxies; 0: not covered. */
static double implied_growth(const struct examiner *e)
{
    double r[MOST_POINTS];
    int n = ratios(e, 0.05, 1, 1, r);
    if (n < 4) return 0;
    qsort(r, (size_t)n, sizeof r[0], ascending);
    return exp(r[n / 2]);
}

static bool other_redshift(double a, double b)
{
    return fabs(log((1 + a) / (1 + b))) > 1e-3;
}

/* Powers of 2 pi and of h that get lost or come in twice; a power of h is recognised only where it
 * is far from 1. */
static const char *other_units(const struct examiner *e)
{
    static const struct {
        double twopi, h, near;
        const char *text;
    } rows[] = {
        {-3, 0, 0.3, "(2 pi)^3 too low: P(k) / (2 pi)^3 stands in it"},
        {3, 0, 0.3, "(2 pi)^3 too high: (2 pi)^3 P(k) stands in it"},
        {0, -3, 0.06, "1 / h^3 too high: it seems to be in Mpc^3, not in (Mpc/h)^3"},
        {0, 3, 0.06, "h^3 too low: (Mpc/h)^3 seem to have been multiplied by h^3 once more"},
        {0, -4, 0.06,
         "1 / h^4 too high: k^4 of curvature seems to have been in h/Mpc, not in 1/Mpc"},
    };
    double power = 2 * log(e->look->amplitude), log_h = log(e->ask->cosmology->h);
    for (size_t i = 0; e->t->power && i < sizeof rows / sizeof rows[0]; i++) {
        double factor = rows[i].twopi * log(2 * PI) + rows[i].h * log_h;
        if (fabs(factor) >= 0.3 && fabs(power - factor) <= rows[i].near) return rows[i].text;
    }
    return NULL;
}

/* What a recipe says when the amplitude of a table of power is meant. */
static const char *amplitude_meant(const struct examiner *e, char text[100])
{
    double over = e->look->amplitude;
    *text = '\0';
    if (e->t->power && !e->ask->rescaled && fabs(log(over)) < log(2))
        snprintf(text, 100, "; cosmology.a_s: %.3g says that it is meant",
                 e->ask->a_s * over * over);
    return text;
}

/* A redshift first, which an amplitude fits as well as it fits a factor; units: NULL for none. */
static void wrong_amplitude(struct examiner *e, const char *units)
{
    double over = e->look->amplitude, z = e->look->z;
    bool free = e->t->power && e->ask->rescaled;
    enum sl_finding_kind kind = free ? SL_FINDING_WARN : SL_FINDING_WRONG;
    const char *also = free ? "; the run sets the amplitude itself" : "";
    char text[100];
    if (e->look->z_implied >= 0)
        sl_finding(
            e->f, kind,
            "its amplitude is that of z = %.3g, but it is taken for z = %g: the wrong redshift, or "
            "the wrong one of several files (%.3g times what is expected)%s%s%s%s",
            e->look->z_implied, z, over, units ? "; or its power is " : "", units ? units : "",
            also, amplitude_meant(e, text));
    else if (units)
        sl_finding(e->f, kind, "its power is %s%s", units, also);
    else
        sl_finding(e->f, kind,
                   "its amplitude is %.3g times that of unit curvature at z = %g: another "
                   "normalisation (CMBFAST before 4.3?), or other units%s",
                   over, z, also);
}

/* A cosmology as Boltzmann codes have it, with radiation in H(a). */
static bool with_radiation(const struct sl_cosmology *of, struct sl_cosmology *c)
{
    *c = *of;
    c->t_cmb = sl_cosmology_photons(c);
    return sl_cosmology_init(c) == SL_OK;
}

/* Mean of the transfer function of all matter over the fit at the largest scales that it has; 0: it
 * does not reach beyond the horizon. d1: growth. */
static double largest_scales(const struct examiner *e, const struct sl_cosmology *c, double d1)
{
    const struct sl_transfer *t = e->t;
    double sum = 0;
    int n = 0;
    if (t->plateau > 0) return t->plateau / sl_transfer_expected(c, d1, 1);
    if (t->k[0] > 3e-4) return 0;
    for (; n < t->n && t->k[n] <= fmin(3 * t->k[0], 5e-4); n++)
        sum += t->total[n] / sl_transfer_expected(c, d1, sl_eisenstein_hu_full(&e->fit, t->k[n]));
    return sum / n;
}

/* Transfer functions at the largest scales over 2/5 (c / H0)^2 D / Omega_m, which neither waves
 * nor a fit come into; radiation keeps them back by 2.6 a_eq / a, as CAMB has it at z = 0 to 99 to
 * half a per cent. 0: they do not reach there. */
static double plateau(const struct examiner *e, double *kept_back)
{
    struct sl_cosmology c;
    double a = 1 / (1 + e->look->z), late;
    *kept_back = 0;
    if (e->t->power || !with_radiation(&e->all, &c)) return 0;
    *kept_back = 2.6 * c.omega_r / c.omega_m / a;
    late = 1 - *kept_back;
    return late > 0.7 ? largest_scales(e, &c, sl_growth_at(&c, a).d1) / late : 0;
}

static bool of_class(const struct sl_transfer *t)
{
    return t->layout == SL_TRANSFER_class_synchronous || t->layout == SL_TRANSFER_class_newtonian;
}

/* Massive neutrinos, matter here, were radiation early on.
 *
 * CLASS's own columns are divided by k^2 here, with k in h/Mpc and the h of the recipe: so they
 * tell Omega_m, the others Omega_m h^2. */
static void check_plateau(struct examiner *e)
{
    const struct sl_cosmology *c = e->ask->cosmology;
    double kept_back, at = plateau(e, &kept_back), h2 = of_class(e->t) ? 1 : c->h * c->h;
    double heavy = has_neutrinos(e->t) ? 0.02 + c->omega_nu / sl_cosmology_all(c) : 0;
    double most = 0.01 + 0.1 * kept_back + heavy;
    e->look->plateau = at;
    if (at == 0 || fabs(log(at)) < most) return;
    sl_finding(e->f, SL_FINDING_WRONG,
               "at its largest scales it is %.4g times that of this cosmology at z = %g: made for "
               "%s about %.4g and not %.4g (Omega_m %g, h %g), or of another redshift",
               at, e->look->z, of_class(e->t) ? "Omega_m" : "Omega_m h^2",
               sl_cosmology_all(c) * h2 / at, sl_cosmology_all(c) * h2, sl_cosmology_all(c), c->h);
}

/* The expansion that densities and velocities of a Newtonian gauge stand for beyond the horizon,
 * H(z) / h^2 as k is in h/Mpc, over that of the cosmology. Good to 1e-4; massive neutrinos may be
 * in Omega_m of the recipe or not. */
static void check_gauge(struct examiner *e)
{
    struct sl_cosmology c;
    double a = 1 / (1 + e->look->z);
    if (!(e->t->rate > 0) || known_redshift(e) < 0 || !with_radiation(e->ask->cosmology, &c))
        return;
    double own = e->t->rate * SL_LIGHT_SPEED, over = own / (a * sl_cosmology_hubble(&c, a));
    e->look->rate = over;
    if (fabs(log(over)) < (has_neutrinos(e->t) ? 0.02 : 0.005)) return;
    sl_finding(e->f, SL_FINDING_WRONG,
               "its densities and velocities beyond the horizon go with an expansion of H / h^2 = "
               "%.4g km/s/Mpc at z = %g, and this cosmology (Omega_m %g, h %g) has %.4g: made for "
               "another one, or of another redshift",
               own / a / (c.h * c.h), e->look->z, sl_cosmology_all(&c), c.h,
               sl_cosmology_hubble(&c, a) / (c.h * c.h));
}

/* From A_s, which a table of power, too, is compared with: the fit knows it to 3 %. */
#define AMPLITUDE_OFF 0.1

static void check_redshift(struct examiner *e)
{
    const struct sl_cosmology *c = e->ask->cosmology;
    struct sl_transfer_look *look = e->look;
    double header = e->t->z, asked = e->ask->z, d1 = implied_growth(e);
    bool judged = !e->t->power || e->ask->a_s > 0;
    double share = d1 / sl_growth_at(c, 1).d1;
    look->z_implied = d1 <= 0 || !judged         ? -1
                      : share > 1 && share < 1.1 ? 0
                                                 : sl_growth_redshift(c, share);
    look->z = asked >= 0 ? asked : header >= 0 ? header : look->z_implied;
    if (header >= 0 && asked >= 0 && other_redshift(header, asked))
        sl_finding(e->f, SL_FINDING_WRONG, "its header says z = %g, but it is taken for z = %g",
                   header, asked);
    if (d1 <= 0 || !judged) {
        sl_finding(e->f, SL_FINDING_WARN, "its amplitude does not tell the redshift");
        return;
    }
    if (look->z < 0) {
        sl_finding(e->f, SL_FINDING_WRONG,
                   "its amplitude is %.3g times that of unit curvature today: another "
                   "normalisation (CMBFAST before 4.3?), or other units",
                   share);
        return;
    }
    look->amplitude = d1 / sl_growth_at(c, 1 / (1 + look->z)).d1;
    const char *units = other_units(e);
    if (units || fabs(log(look->amplitude)) > AMPLITUDE_OFF)
        wrong_amplitude(e, units);
    else
        check_plateau(e);
}

/* Growth since z over that of the same universe with radiation of today's temperature. */
static double growth_without_radiation(const struct sl_cosmology *c, double z)
{
    struct sl_cosmology with = *c;
    with.t_cmb = SL_COSMO_T_CMB;
    if (sl_cosmology_init(&with) != SL_OK) return 1;
    return sl_growth_at(c, 1).d1 / sl_growth_at(c, 1 / (1 + z)).d1 *
           sl_growth_at(&with, 1 / (1 + z)).d1 / sl_growth_at(&with, 1).d1;
}

static void check_radiation(struct examiner *e)
{
    const struct sl_cosmology *c = e->ask->cosmology;
    if (c->t_cmb > 0 || !(e->look->z > 0)) return;
    sl_finding(e->f, SL_FINDING_WARN,
               "Boltzmann codes have radiation in H(a), cosmology.t_cmb is 0: growth from z = %g "
               "to today is %.2g %% more than with 2.7255 K",
               e->look->z, 100 * (growth_without_radiation(c, e->look->z) - 1));
}

static void check_one_for_both(struct examiner *e)
{
    if (!e->ask->one_fluid && e->look->z >= 10)
        sl_finding(e->f, SL_FINDING_WARN,
                   "one spectrum for baryons and dark matter, behind which baryons stay at z = %g: "
                   "transfer functions tell them apart",
                   e->look->z);
}

/* ---- what only transfer functions have ---- */

static bool holds_zeros_alone(const struct examiner *e, const double *v)
{
    for (int i = 0; i < e->t->n; i++)
        if (v[i] != 0) return false;
    return true;
}

/* Where the total alone is used, baryons that are next to nothing of it may be anything. */
static bool baryons_matter(const struct examiner *e)
{
    return !e->ask->one_fluid || e->ask->cosmology->omega_b > 1e-4 * e->ask->cosmology->omega_m;
}

static bool check_filled(struct examiner *e)
{
    bool baryons = !baryons_matter(e) || !holds_zeros_alone(e, e->t->baryon);
    bool cdm = !holds_zeros_alone(e, e->t->cdm);
    if (!baryons || !cdm)
        sl_finding(e->f, SL_FINDING_WRONG,
                   "its column of %s holds nothing but zeros: made without them; a table with both "
                   "is needed",
                   cdm ? "baryons" : "dark matter");
    return baryons && cdm;
}

static bool check_signs(struct examiner *e)
{
    const struct sl_transfer *t = e->t;
    for (int i = 0; i < t->n; i++) {
        bool finite = isfinite(t->cdm[i]) && isfinite(t->baryon[i]) && isfinite(t->total[i]);
        if (finite && t->cdm[i] > 0 && t->total[i] > 0) continue;
        sl_finding(e->f, SL_FINDING_WRONG,
                   "at k = %g h/Mpc dark matter is %g and all matter %g: both must be positive "
                   "(CLASS's format=class without its # lines has other signs and columns)",
                   t->k[i], t->cdm[i], t->total[i]);
        return false;
    }
    return true;
}

/* H(a) of the cosmology turns a Newtonian gauge: that of another one leaves waves larger than the
 * horizon uneven. */
static void check_flat(struct examiner *e)
{
    const struct sl_transfer *t = e->t;
    const struct sl_cosmology *c = e->ask->cosmology;
    double off = 0;
    if (t->k[0] > 1e-4) return;
    for (int i = 0; i < t->n && t->k[i] <= fmin(10 * t->k[0], 1e-3); i++)
        off = fmax(off, fabs(t->cdm[i] / t->cdm[0] - 1));
    if (off > 0.01 && t->layout == SL_TRANSFER_class_newtonian)
        sl_finding(
            e->f, SL_FINDING_WRONG,
            "dark matter, turned from the Newtonian gauge by the expansion of this cosmology "
            "(Omega_m %g, h %g), changes by %.3g %% over the first decade of k, where "
            "delta / k^2 is flat: made for another one, or for another redshift",
            sl_cosmology_all(c), c->h, 100 * off);
    else if (off > 0.01)
        sl_finding(
            e->f, SL_FINDING_WRONG,
            "dark matter changes by %.3g %% over the first decade of k, where delta / k^2 is flat: "
            "these are not delta / k^2 (delta itself, or a table of something else)",
            100 * off);
}

static void check_species(struct examiner *e)
{
    const struct sl_transfer *t = e->t;
    for (int i = 0; i < t->n && t->k[i] < 1e-3 && baryons_matter(e); i++) {
        double off = t->baryon[i] / t->cdm[i] - 1;
        if (fabs(off) <= 2e-3) continue;
        sl_finding(e->f, SL_FINDING_WRONG,
                   "baryons and dark matter differ by %.2g %% at k = %.2g h/Mpc, where they must "
                   "agree: other columns than those of dark matter and baryons",
                   100 * off, t->k[i]);
        return;
    }
}

/* Gas falls into the wells of dark matter from recombination on, and is never ahead of it. */
static void check_order_of_species(struct examiner *e)
{
    const struct sl_transfer *t = e->t;
    double least = INFINITY, most = -INFINITY, z = known_redshift(e);
    int n = 0;
    for (int i = 0; i < t->n; i++) {
        if (t->k[i] < 0.1 || t->k[i] > 1) continue;
        least = fmin(least, t->baryon[i] / t->cdm[i]);
        most = fmax(most, t->baryon[i] / t->cdm[i]);
        n++;
    }
    if (n < 4 || z > 200) return;
    if (least > 1.02)
        sl_finding(e->f, SL_FINDING_WRONG,
                   "baryons are %.3g times dark matter and more between k = 0.1 and 1 h/Mpc: their "
                   "columns are swapped",
                   least);
    else if (!e->ask->one_fluid && z >= 10 && fmax(most - 1, 1 - least) < 1e-3)
        sl_finding(e->f, SL_FINDING_WRONG,
                   "baryons are the same as dark matter, behind which they stay at z = %g: one "
                   "transfer function for both; ic.species: one_fluid says that this is meant",
                   z);
}

/* From which k on a total is compared with its species. CLASS has its own at rest with all matter,
 * and that moves against dark matter where neutrinos do not fall with it: up to k = 0.03 h/Mpc at z
 * = 49 they would tell 10 % too little. In a Newtonian gauge H(a) of the recipe has turned the
 * rest; both, and photons in a total, are next to nothing well within the horizon. */
static double least_k(const struct sl_transfer *t)
{
    bool turned = t->layout == SL_TRANSFER_class_newtonian;
    return turned || (t->layout == SL_TRANSFER_class_synchronous && has_neutrinos(t)) ? 0.1 : 1e-3;
}

/* Shares of baryons and of massive neutrinos with which the species make a total of the file, least
 * squares; false: they are too alike to tell, or it is dark matter alone. */
static bool shares(const struct sl_transfer *t, double *baryons, double *neutrinos)
{
    const double *total = t->unheavy ? t->unheavy : t->file_total;
    bool heavy = !t->unheavy && t->neutrino && t->heavy > 1e-6;
    double bb = 0, bn = 0, nn = 0, by = 0, ny = 0;
    int n = 0;
    for (int i = 0; total && i < t->n; i++) {
        double c = t->cdm[i], b = t->baryon[i] / c - 1, y = total[i] / c - 1;
        double nu = heavy ? t->neutrino[i] / c - 1 : 0;
        if (t->k[i] < least_k(t)) continue;
        bb += b * b, bn += b * nu, nn += nu * nu, by += b * y, ny += nu * y;
        n++;
    }
    double det = heavy ? bb * nn - bn * bn : bb;
    if (n < 10 || !(bb > 1e-6 * n) || (heavy && !(det > 1e-9 * bb * nn))) return false;
    *baryons = heavy ? (by * nn - ny * bn) / det : by / bb;
    *neutrinos = heavy ? (ny * bb - by * bn) / det : 0;
    return *baryons > 1e-3;
}

/* Of dark matter and baryons. */
static void check_shares(struct examiner *e)
{
    const struct sl_cosmology *c = e->ask->cosmology;
    double want = c->omega_b / c->omega_m, b, nu;
    if (e->t->layout == SL_TRANSFER_camb7 && !e->t->named) return; /* or CLASS's format=camb */
    if (has_neutrinos(e->t) && c->m_nu == 0) return; /* refused, and in this Omega_m */
    if (!(c->omega_b > 0) || !baryons_matter(e) || !shares(e->t, &b, &nu)) return;
    if (fabs(b / (1 - nu) / want - 1) < 0.02) return;
    sl_finding(e->f, SL_FINDING_WRONG,
               "its total is made of species with Omega_b / Omega_m = %.4g, and that of this "
               "cosmology is %.4g%s: made for other parameters",
               b / (1 - nu), want, c->m_nu > 0 ? ", massive neutrinos left out" : "");
}

/* Largest difference of the file's total from ours for k from lo to hi, and where it is. */
static double total_off(const struct sl_transfer *t, double lo, double hi, double *at)
{
    double worst = 0;
    for (int i = 0; t->file_total && i < t->n; i++) {
        double off = t->file_total[i] / t->total[i] - 1;
        if (t->k[i] < lo || t->k[i] > hi || fabs(off) <= fabs(worst)) continue;
        worst = off, *at = t->k[i];
    }
    return worst;
}

static void wrong_total(struct examiner *e, double worst, double at)
{
    const struct sl_transfer *t = e->t;
    const struct sl_cosmology *c = e->ask->cosmology;
    double unused, small = total_off(t, 0.1, INFINITY, &unused);
    if (of_class(t) && fabs(small) < 2e-3)
        sl_finding(e->f, SL_FINDING_WRONG,
                   "its total is %+.2g %% off that of its species at k = %.2g h/Mpc and not beyond "
                   "0.1: species and total are of two gauges (`Nbody gauge transfer functions`?); "
                   "nearest: CLASS's gauge = synchronous alone",
                   100 * worst, at);
    else
        sl_finding(e->f, SL_FINDING_WRONG,
                   "its total is %+.2g %% off f_b T_b + f_c T_c at k = %.2g h/Mpc with Omega_b / "
                   "Omega_m = %g: made for other parameters%s",
                   100 * worst, at, c->omega_b / c->omega_m,
                   t->layout == SL_TRANSFER_camb7 && !t->named
                       ? ", or CLASS's format=camb, whose total has photons and neutrinos in it, "
                         "without its # lines"
                       : "");
}

/* ---- massive neutrinos ---- */

/* Share of massive neutrinos in the energy of all matter at scale factor a with which the species
 * make the total of the file in the universe c, least squares; 0: it does not tell. That of CLASS's
 * format=camb has photons and massless neutrinos in it, which are even on small scales. Those have
 * most of the weight: at k = 0.1 h/Mpc CLASS's own total, at rest with all matter, is off by 0.4 %
 * of the share at z = 99. */
static double neutrino_share(const struct sl_transfer *t, const struct sl_cosmology *c, double a)
{
    bool photons = t->layout == SL_TRANSFER_class_camb;
    bool told = t->file_total && (t->layout != SL_TRANSFER_camb7 || t->named); /* or format=camb */
    double least = photons ? 0.1 : least_k(t), fb = c->omega_b / c->omega_m, nn = 0, ny = 0;
    double matter = c->omega_m + a * a * a * sl_neutrinos_density(&c->neutrinos, a) * (c->m_nu > 0);
    double with_light = photons ? 1 + c->omega_r / a / matter : 1;
    for (int i = 0; told && i < t->n; i++) {
        double cold = t->unheavy ? t->unheavy[i] : fb * t->baryon[i] + (1 - fb) * t->cdm[i];
        double nu = t->neutrino[i] / cold - 1, weight = pow(t->k[i], 4);
        if (t->k[i] < least) continue;
        nn += weight * nu * nu;
        ny += weight * nu * (with_light * t->file_total[i] / cold - 1);
    }
    return nn > 0 ? ny / nn : 0;
}

/* The share by a mass, where all matter today is that of the recipe, less that which the table
 * tells of; 1: there is no such universe, or the table does not tell. */
static double share_over(const struct examiner *e, double mass, double a)
{
    struct sl_cosmology c = *e->ask->cosmology;
    double all = sl_cosmology_all(&c);
    if (c.massive < 1) c.massive = 3;
    c.m_nu = mass;
    c.omega_m = all - sl_cosmology_neutrinos(&c);
    if (sl_cosmology_init(&c) != SL_OK) return 1;
    double told = neutrino_share(e->t, &c, a), nu = sl_neutrinos_density(&c.neutrinos, a);
    return told > 0 && told < 0.5 ? nu / (nu + c.omega_m / (a * a * a)) - told : 1;
}

/* At which the file was made, whatever it is taken for; -1: not known. */
static double own_redshift(const struct examiner *e)
{
    return e->t->z >= 0 ? e->t->z : e->ask->z;
}

/* The sum of masses that the total tells of, in eV; 0: it does not. */
static double told_mass(const struct examiner *e)
{
    const struct sl_cosmology *c = e->ask->cosmology;
    double lo = log(1e-3), hi = log(100), a = 1 / (1 + own_redshift(e));
    if (!(c->t_cmb > 0 && c->n_eff > 0 && own_redshift(e) >= 0)) return 0;
    if (share_over(e, exp(lo), a) > 0) return 0;
    for (int i = 0; i < 40; i++) {
        double mid = 0.5 * (lo + hi);
        *(share_over(e, exp(mid), a) < 0 ? &lo : &hi) = mid;
    }
    return exp(0.5 * (lo + hi));
}

/* A share that is right to 0.3 % is right: while neutrinos are relativistic it hardly depends on
 * their mass, and CLASS's usual temperature, T_ncdm 0.71611, is of 0.2 % less energy.
 * Several masses have more energy than equal ones of the same sum, at z = 49 those of 0.06 and
 * twice 0.02 eV as 0.104 eV. */
static bool other_mass(const struct examiner *e, double mass)
{
    const struct sl_cosmology *c = e->ask->cosmology;
    double a = 1 / (1 + own_redshift(e)), most = e->t->masses > 1 ? 0.1 : 0.01;
    return fabs(mass / c->m_nu - 1) > most &&
           fabs(share_over(e, c->m_nu, a)) > 0.003 * neutrino_share(e->t, c, a);
}

/* The recipe has none. */
static void check_left_out(struct examiner *e, double mass)
{
    char nearest[64];
    snprintf(nearest, sizeof nearest, mass > 0 ? "%.3g" : "the mass that it was made with", mass);
    if (has_neutrinos(e->t))
        sl_finding(e->f, SL_FINDING_WRONG,
                   "massive neutrinos (up to %.2g of dark matter) are in it, and cosmology.m_nu, "
                   "the sum of their masses in eV, is 0; nearest: cosmology.m_nu: %s, and "
                   "cosmology.omega_m with them in it",
                   e->t->heavy, nearest);
}

static void check_neutrinos(struct examiner *e)
{
    const struct sl_cosmology *c = e->ask->cosmology;
    double mass = has_neutrinos(e->t) ? told_mass(e) : 0;
    if (c->m_nu == 0)
        check_left_out(e, mass);
    else if (!has_neutrinos(e->t))
        sl_finding(e->f, SL_FINDING_WRONG,
                   "%s, and cosmology.m_nu is %g; nearest: transfer functions made with them, or "
                   "cosmology.m_nu: 0",
                   e->t->power ? "one spectrum does not tell dark matter and baryons from massive "
                                 "neutrinos"
                               : "no massive neutrinos are in it",
                   c->m_nu);
    else if (mass == 0)
        sl_finding(e->f, SL_FINDING_WARN,
                   "it does not tell the mass of its neutrinos, which is taken to be "
                   "cosmology.m_nu: %g",
                   c->m_nu);
    else if (other_mass(e, mass))
        sl_finding(e->f, SL_FINDING_WRONG,
                   "its total was made with neutrinos of %.4g eV in all, if %d share that, and "
                   "cosmology.m_nu is %g; nearest: cosmology.m_nu: %.4g, or another "
                   "cosmology.massive_neutrinos",
                   mass, c->massive, c->m_nu, mass);
    else if (e->t->masses > 1)
        sl_finding(e->f, SL_FINDING_WARN,
                   "neutrinos of several masses are in it, and %d share cosmology.m_nu: %g in "
                   "equal parts: H(a) is that of these",
                   c->massive, c->m_nu);
}

static void check_total(struct examiner *e)
{
    const struct sl_transfer *t = e->t;
    double at = 0, worst = total_off(t, least_k(t), INFINITY, &at);
    e->look->total_off = fabs(worst);
    if (t->layout == SL_TRANSFER_class_camb) {
        sl_finding(e->f, SL_FINDING_NOTE,
                   "its total has photons and neutrinos in it, as CLASS's format=camb has (%.2g %% "
                   "at k = %.2g h/Mpc): not used",
                   100 * worst, at);
        return;
    }
    if (!has_neutrinos(t) && fabs(worst) > 2e-3)
        wrong_total(e, worst, at);
    else
        check_shares(e);
}

/* Growth rate that velocities of CLASS and CAMB stand for: those of CLASS were divided by aH of the
 * recipe, which may be without radiation. */
static double expected_rate(const struct examiner *e)
{
    struct sl_cosmology c;
    double a = 1 / (1 + e->look->z);
    if (!with_radiation(e->ask->cosmology, &c)) return sl_growth_at(e->ask->cosmology, a).f1;
    double divided = of_class(e->t) ? sl_cosmology_hubble(e->ask->cosmology, a) : 1;
    double right = of_class(e->t) ? sl_cosmology_hubble(&c, a) : 1;
    return sl_growth_at(&c, a).f1 * right / divided;
}

/* Right ones agree to 3e-4; massive neutrinos take up to 3/5 of their share of matter from it, and
 * a redshift that the amplitude tells is good to 3 %. */
static double most_off_in_rate(const struct examiner *e)
{
    return has_neutrinos(e->t) || known_redshift(e) < 0 ? 0.03 : 0.007;
}

static void check_velocities(struct examiner *e)
{
    const struct sl_transfer *t = e->t;
    const struct sl_cosmology *c = e->ask->cosmology;
    double fb = c->omega_b / c->omega_m, rate = 0;
    int n = 0;
    for (int i = 0; t->v_cdm && i < t->n; i++) {
        if (t->k[i] < 0.05 || t->k[i] > 1) continue;
        rate += (fb * t->v_baryon[i] + (1 - fb) * t->v_cdm[i]) / t->total[i];
        n++;
    }
    if (n < 4 || e->look->z < 0) return;
    double expected = expected_rate(e);
    if (fabs(rate / n / expected - 1) > most_off_in_rate(e))
        sl_finding(e->f, SL_FINDING_WRONG,
                   "its velocities stand for a growth rate of %.3g, that of the cosmology at z = "
                   "%.3g is %.3g: another redshift, another cosmology, or other units",
                   rate / n, e->look->z, expected);
}

/* ---- scales ---- */

static void check_range(struct examiner *e)
{
    const struct sl_transfer *t = e->t;
    double lo = e->ask->k_low, hi = e->ask->k_high, last = t->k[t->n - 1];
    enum sl_finding_kind kind = e->ask->extrapolate ? SL_FINDING_WARN : SL_FINDING_WRONG;
    const char *more = e->ask->extrapolate ? "continued with the shape of Eisenstein & Hu"
                                           : "a longer table is needed, or ic.extrapolate: true";
    if (lo > 0 && lo < t->k[0])
        sl_finding(e->f, kind, "it begins at k = %.4g h/Mpc, the box has waves of %.4g: %s",
                   t->k[0], lo, more);
    if (hi > last)
        sl_finding(e->f, kind,
                   "it ends at k = %.4g h/Mpc, the grid has waves of up to %.4g (sqrt(3) times its "
                   "Nyquist frequency): %s",
                   last, hi, more);
    double widest = 0;
    for (int i = 1; i < t->n; i++)
        if (t->k[i] > 0.01 && t->k[i - 1] < 1) widest = fmax(widest, log10(t->k[i] / t->k[i - 1]));
    if (widest > 0.15)
        sl_finding(
            e->f, SL_FINDING_WARN,
            "its points are up to a factor of %.2g apart in k: too coarse for the acoustic waves",
            pow(10, widest));
}

static void set_all(struct examiner *e)
{
    e->all = *e->ask->cosmology;
    e->all.omega_m = sl_cosmology_all(e->ask->cosmology);
    e->all.m_nu = 0;
    if (e->all.omega_nu > 0) (void)sl_cosmology_init(&e->all);
}

void sl_transfer_examine(const struct sl_transfer *t, const struct sl_transfer_ask *ask,
                         struct sl_transfer_look *look, struct sl_findings *f)
{
    struct examiner e = {.t = t, .ask = ask, .look = look, .f = f};
    *look = (struct sl_transfer_look){.z = -1, .z_implied = -1, .shape = -1};
    sl_eisenstein_hu_init(ask->cosmology, &e.fit);
    set_all(&e);
    check_neutrinos(&e);
    if (!t->power) {
        if (!check_filled(&e) || !check_signs(&e)) return;
        check_flat(&e);
        check_species(&e);
        check_order_of_species(&e);
        check_total(&e);
    }
    check_shape(&e);
    check_redshift(&e);
    check_radiation(&e);
    if (t->power)
        check_one_for_both(&e);
    else {
        check_gauge(&e);
        check_velocities(&e);
    }
    check_range(&e);
}
