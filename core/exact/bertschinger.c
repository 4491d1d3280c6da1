/* bertschinger.c - see bertschinger.h. */
#include "core/exact/bertschinger.h"

#include <math.h>
#include <stdlib.h>

#include "core/sys/status.h"

enum { NODES = 4096, HALVINGS = 60, TRIALS = 60 };

static const double pi = 3.14159265358979323846;
static const double deep = 1e-6; /* lambda down to which flows are followed to tell them apart */

/* Both sides of the shock, at even steps of ln lambda: V / lambda, ln D, ln P, ln M; no P
 * outside. */
struct side {
    double first, step;
    double value[NODES][4];
};

struct sl_bertschinger {
    double gamma, shock;
    struct side in, out;
};

/* ---- outside --------------------------------------------------------------------------------- */

/* theta - sin(theta) and 1 - cos(theta). */
static void cycloid(double theta, double *a, double *b)
{
    double t2 = theta * theta;
    *a = theta - sin(theta);
    *b = 2 * pow(sin(0.5 * theta), 2);
    if (theta < 0.05) *a = theta * t2 / 6 * (1 - t2 / 20 * (1 - t2 / 42));
}

static double lambda_of(double theta)
{
    double a, b;
    cycloid(theta, &a, &b);
    return 0.5 * b * pow(a / pi, -8.0 / 9);
}

/* The phase of the shell at lambda: pi where it turns around, 2 pi where it would collapse. */
static double phase_at(double lambda)
{
    double low = 0, high = 2 * pi;
    for (int i = 0; i < HALVINGS; i++) {
        double theta = 0.5 * (low + high);
        if (lambda_of(theta) > lambda)
            low = theta;
        else
            high = theta;
    }
    return 0.5 * (low + high);
}

static struct sl_bertschinger_point infall(double lambda)
{
    double theta = phase_at(lambda), s = sin(theta), a, b;
    cycloid(theta, &a, &b);
    double m = 4.5 * a * a / (b * b * b) * pow(lambda, 3);
    double shift = s / b - 8.0 / 9 * b / a,         /* d ln lambda / d theta */
        growth = 2 * b / a - 3 * s / b + 3 * shift; /* d ln M / d theta */
    return (struct sl_bertschinger_point){lambda * s * a / (b * b),
                                          m * growth / shift / (3 * pow(lambda, 3)), 0, m};
}

/* ---- inside ---------------------------------------------------------------------------------- */

static struct sl_bertschinger_point behind(double gamma, double shock)
{
    struct sl_bertschinger_point p = infall(shock);
    double w = p.v - 8.0 / 9 * shock;
    return (struct sl_bertschinger_point){8.0 / 9 * shock + (gamma - 1) / (gamma + 1) * w,
                                          p.rho * (gamma + 1) / (gamma - 1),
                                          2 / (gamma + 1) * p.rho * w * w, p.m};
}

/* The gas of a flow with the shock at some place: gamma, the power of M and the constant of the
 * entropy. */
struct flow {
    double gamma, power, entropy;
};

static struct flow flow_of(double gamma, double shock)
{
    struct sl_bertschinger_point p = behind(gamma, shock);
    struct flow f = {gamma, 3 * gamma - 10.0 / 3, 0};
    f.entropy = p.p / (pow(p.rho, gamma) * pow(p.m, f.power));
    return f;
}

static struct sl_bertschinger_point from_integrals(const struct flow *f, double lambda, double v,
                                                   double m)
{
    double rho = 2 * m / (9 * lambda * lambda * (8 * lambda / 9 - v));
    return (struct sl_bertschinger_point){v, rho,
                                          f->entropy * pow(rho, f->gamma) * pow(m, f->power), m};
}

/* d(V / lambda, ln M) / d ln lambda. */
static void slopes(const struct flow *f, double x, const double y[2], double out[2])
{
    double lambda = exp(x), m = exp(y[1]), w = y[0] * lambda - 8 * lambda / 9;
    struct sl_bertschinger_point p = from_integrals(f, lambda, y[0] * lambda, m);
    double c = p.p / p.rho, force = p.v / 9 - 2 * m / (9 * lambda * lambda) -
                                    c / w * (2 * f->gamma - 2 * f->gamma * y[0] - 2 * f->power / 3);
    out[0] = force / (w - f->gamma * c / w) - y[0];
    out[1] = -2 * lambda / (3 * w);
}

/* One step of Runge and Kutta. */
static void step(const struct flow *f, double x, double h, double y[2])
{
    static const double at[] = {0, 0.5, 0.5, 1}, weight[] = {1, 2, 2, 1};
    double k[2] = {0, 0}, sum[2] = {0, 0}, trial[2];
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 2; i++)
            trial[i] = y[i] + at[s] * h * k[i];
        slopes(f, x + at[s] * h, trial, k);
        for (int i = 0; i < 2; i++)
            sum[i] += weight[s] * k[i];
    }
    for (int i = 0; i < 2; i++)
        y[i] += h / 6 * sum[i];
}

/* The flow inside a shock at some place, to the nodes of `in` as far as it goes. 1: gas falls onto
 * a mass in the centre; -1: mass runs out before. */
static int inward(double gamma, double shock, struct side *in)
{
    const double hole = 8.0 / 9 - 1e-3, fall = -30; /* of V / lambda */
    struct flow f = flow_of(gamma, shock);
    struct sl_bertschinger_point p = behind(gamma, shock);
    double y[2] = {p.v / shock, log(p.m)};
    in->first = log(deep);
    in->step = (log(shock) - in->first) / (NODES - 1);
    for (int i = NODES - 1; i >= 0; i--) {
        double x = in->first + i * in->step, lambda = exp(x);
        p = from_integrals(&f, lambda, y[0] * lambda, exp(y[1]));
        const double node[] = {y[0], log(p.rho), log(p.p), y[1]};
        for (int k = 0; k < 4; k++)
            in->value[i][k] = node[k];
        if (y[0] > hole) return -1;
        if (y[0] < fall) return 1;
        double before = y[0];
        if (i > 0) step(&f, x, -in->step, y);
        if (!isfinite(y[0]) || !isfinite(y[1])) return before > 0 ? -1 : 1;
    }
    return y[0] > 0 ? -1 : 1;
}

static int find_shock(struct sl_bertschinger *b)
{
    const double from = 0.05, to = 0.9;
    double low = from, high = 0;
    int first = inward(b->gamma, from, &b->in);
    for (int i = 1; i < TRIALS && high <= 0; i++) {
        double at = from + (to - from) * i / (TRIALS - 1);
        if (inward(b->gamma, at, &b->in) == first)
            low = at;
        else
            high = at;
    }
    SL_CHECK(high > 0, SL_EINPUT, "there is no self-similar infall of gas with gamma %g", b->gamma);
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        if (inward(b->gamma, middle, &b->in) == first)
            low = middle;
        else
            high = middle;
    }
    b->shock = 0.5 * (low + high);
    inward(b->gamma, b->shock, &b->in);
    return SL_OK;
}

static void fill_outside(struct sl_bertschinger *b)
{
    struct side *out = &b->out;
    out->first = log(b->shock);
    out->step = (log(SL_BERTSCHINGER_MOST) - out->first) / (NODES - 1);
    for (int i = 0; i < NODES; i++) {
        double lambda = exp(out->first + i * out->step);
        struct sl_bertschinger_point p = infall(lambda);
        out->value[i][0] = p.v / lambda;
        out->value[i][1] = log(p.rho);
        out->value[i][2] = 0;
        out->value[i][3] = log(p.m);
    }
}

int sl_bertschinger_new(double gamma, struct sl_bertschinger **out)
{
    struct sl_bertschinger *b = malloc(sizeof *b);
    SL_CHECK(b, SL_EMEM, "out of memory for the flow of Bertschinger");
    b->gamma = gamma;
    int code = find_shock(b);
    if (code == SL_OK) {
        fill_outside(b);
        *out = b;
    } else {
        free(b);
    }
    return code;
}

/* ---- values ---------------------------------------------------------------------------------- */

double sl_bertschinger_shock(const struct sl_bertschinger *b)
{
    return b->shock;
}

/* By the cubic through the four nodes around. */
static struct sl_bertschinger_point read_side(const struct side *s, double lambda)
{
    double at = (log(lambda) - s->first) / s->step, y[4] = {0, 0, 0, 0};
    int i = (int)floor(at) - 1;
    i = i < 0 ? 0 : i < NODES - 4 ? i : NODES - 4;
    double t = at - i;
    const double w[] = {-(t - 1) * (t - 2) * (t - 3) / 6, t * (t - 2) * (t - 3) / 2,
                        -t * (t - 1) * (t - 3) / 2, t * (t - 1) * (t - 2) / 6};
    for (int n = 0; n < 4; n++)
        for (int k = 0; k < 4; k++)
            y[k] += w[n] * s->value[i + n][k];
    return (struct sl_bertschinger_point){y[0] * lambda, exp(y[1]), exp(y[2]), exp(y[3])};
}

struct sl_bertschinger_point sl_bertschinger_at(const struct sl_bertschinger *b, double lambda)
{
    double inner = fmin(lambda / SL_BERTSCHINGER_LEAST, 1);
    if (lambda >= SL_BERTSCHINGER_MOST)
        return (struct sl_bertschinger_point){2 * lambda / 3, 1, 0, pow(lambda, 3)};
    struct sl_bertschinger_point p =
        read_side(lambda < b->shock ? &b->in : &b->out, fmax(lambda, SL_BERTSCHINGER_LEAST));
    if (lambda >= b->shock) p.p = 0;
    p.v *= inner * inner;
    p.rho *= pow(inner, -9.0 / 4);
    p.p *= pow(inner, -5.0 / 2);
    p.m *= pow(inner, 3.0 / 4);
    return p;
}
