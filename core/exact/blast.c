/* blast.c - see blast.h. */
#include "core/exact/blast.h"

#include <math.h>

#include "core/exact/gauss.h"
#include "core/sys/status.h"

/* The four logarithms of Kamm & Timmes (38)-(41) as functions of x2 = b (c V - 1), which runs from
 * 0 at the centre to 1 at the shock. */
struct logs {
    double v, x1, x2, x3, x4;
};

static struct logs logs_at(const struct sl_blast *s, double log_x2)
{
    double x2 = exp(log_x2);
    struct logs l;
    l.v = (1 + x2 / s->b) / s->c;
    l.x1 = log(s->a * l.v);
    l.x2 = log_x2;
    l.x3 = log(s->d * (1 - s->e * l.v));
    l.x4 = log(s->b * (1 - (1 + x2 / s->b) / s->gamma));
    return l;
}

static double log_lambda(const struct sl_blast *s, const struct logs *l)
{
    return -s->power[0] * l->x1 - s->power[2] * l->x2 - s->power[1] * l->x3;
}

static void profiles(const struct sl_blast *s, const struct logs *l, double out[3])
{
    out[0] = exp(s->power[3] * l->x2 + s->power[4] * l->x3 + s->power[5] * l->x4);
    out[1] = exp(l->x1 + log_lambda(s, l));
    out[2] = exp(s->power[0] * s->dim * l->x1 + (s->power[4] - 2 * s->power[1]) * l->x3 +
                 (1 + s->power[5]) * l->x4);
}

void sl_blast_profile(const struct sl_blast *s, double lambda, double out[3])
{
    if (lambda <= 0) {
        out[0] = out[1] = 0;
        out[2] = s->central_pressure;
        return;
    }
    double want = log(fmin(lambda, 1)), lo = -700, hi = 0;
    for (int round = 0; round < 100; round++) {
        double mid = 0.5 * (lo + hi);
        struct logs l = logs_at(s, mid);
        if (mid <= lo || mid >= hi) break;
        *(log_lambda(s, &l) > want ? &hi : &lo) = mid;
    }
    struct logs l = logs_at(s, hi);
    profiles(s, &l, out);
}

void sl_blast_lookup(const struct sl_blast *s, double lambda, double out[3])
{
    double x = fmin(fmax(lambda, 0), 1) * SL_BLAST_TABLE;
    int first = (int)x - 1;
    first = first < 0 ? 0 : first > SL_BLAST_TABLE - 3 ? SL_BLAST_TABLE - 3 : first;
    double f = x - first; /* cubic through the points 0, 1, 2, 3 */
    double w0 = -(f - 1) * (f - 2) * (f - 3) / 6, w1 = f * (f - 2) * (f - 3) / 2;
    double w2 = -f * (f - 1) * (f - 3) / 2, w3 = f * (f - 1) * (f - 2) / 6;
    for (int i = 0; i < 3; i++)
        out[i] = w0 * s->table[first][i] + w1 * s->table[first + 1][i] +
                 w2 * s->table[first + 2][i] + w3 * s->table[first + 3][i];
}

/* Kinetic and thermal energy over rho0 D^2 R^dim and the surface of the unit sphere. Near the
 * centre lambda^dim goes like q where x2 = q^m, so that the integrands are regular in q. */
static void energies(const struct sl_blast *s, double *kinetic, double *thermal)
{
    double g = s->gamma, m = -1 / (s->power[2] * s->dim);
    struct sl_gauss gauss;
    sl_gauss_init(&gauss, 20);
    *kinetic = *thermal = 0;
    for (double top = 1; top > 1e-12; top *= 0.5) {
        for (int i = 0; i < gauss.n; i++) {
            double q = 0.5 * top * (1 + gauss.x[i]), out[3];
            struct logs l = logs_at(s, m * log(q));
            double slope =
                m / q *
                (-s->power[2] - exp(l.x2) / (s->b * s->c) *
                                    (s->power[0] / l.v - s->power[1] * s->e / (1 - s->e * l.v)));
            double volume = 0.5 * top * gauss.w[i] * slope * exp(s->dim * log_lambda(s, &l));
            profiles(s, &l, out);
            *kinetic += volume * out[0] * out[1] * out[1] * 2 / ((g + 1) * (g - 1));
            *thermal += volume * out[2] * 2 / ((g + 1) * (g - 1));
        }
    }
}

static void exponents(struct sl_blast *s)
{
    double g = s->gamma, j = s->dim, j2 = j + 2;
    s->a = j2 * (g + 1) / 4;
    s->b = (g + 1) / (g - 1);
    s->c = j2 * g / 2;
    s->d = j2 * (g + 1) / (j2 * (g + 1) - 2 * (2 + j * (g - 1)));
    s->e = (2 + j * (g - 1)) / 2;
    s->power[0] = 2 / j2;
    s->power[2] = -(g - 1) / (2 * (g - 1) + j);
    s->power[1] = j2 * g / (2 + j * (g - 1)) * (2 * j * (2 - g) / (g * j2 * j2) - s->power[2]);
    s->power[3] = j / (2 * (g - 1) + j);
    s->power[4] = j2 / (2 - g) * s->power[1];
    s->power[5] = -2 / (2 - g);
}

int sl_blast_init(struct sl_blast *s, double gamma, int dim)
{
    static const double surface[4] = {0, 2, 2 * 3.14159265358979323846, 4 * 3.14159265358979323846};
    double kinetic, thermal, speed = 2.0 / (dim + 2);
    SL_CHECK(fabs(gamma - 2) > 1e-4, SL_EINPUT,
             "the closed form of the Sedov solution is singular at gamma = 2: use 2.001");
    SL_CHECK((dim + 2) * (gamma + 1) > 2.001 * (2 + dim * (gamma - 1)), SL_EINPUT,
             "gamma = %g: the Sedov blast is hollow in %d dimensions, no exact solution here",
             gamma, dim);
    s->gamma = gamma;
    s->dim = dim;
    exponents(s);
    energies(s, &kinetic, &thermal);
    s->alpha = surface[dim] * speed * speed * (kinetic + thermal);
    s->xi0 = pow(s->alpha, -1.0 / (dim + 2));
    s->kinetic = kinetic / (kinetic + thermal);
    struct logs centre = logs_at(s, -700);
    double out[3];
    profiles(s, &centre, out);
    s->central_pressure = out[2];
    for (int i = 0; i <= SL_BLAST_TABLE; i++)
        sl_blast_profile(s, (double)i / SL_BLAST_TABLE, s->table[i]);
    return SL_OK;
}

double sl_blast_radius(const struct sl_blast *s, double energy, double rho0, double t)
{
    return s->xi0 * pow(energy * t * t / rho0, 1.0 / (s->dim + 2));
}
