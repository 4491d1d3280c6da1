/* lattice_green.c - see lattice_green.h. */
#include "core/gravity/lattice_green.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"

/* Places of the integral are t = scale exp(v - exp(-v)), v = FIRST + step q, up to FAR times the
 * square of the longest side; beyond it terms fall as t^(-1/2), a geometric series. */
static const double first_place = -4.2, step = 0.28, far = 1e10;

enum {
    LATE = 64,  /* times the square of the order: from there on Bessel functions are a series */
    TERMS = 24, /* of it */
    SPARE = 24  /* orders above the last that counts */
};

struct sl_lattice_green {
    int n[3], nplace;
    double h[3];
    double *place, *weight; /* owned; [nplace] */
    double *axis[3];        /* owned; [nplace][n + 1]; with the weight along x */
};

/* ---- the integral ---------------------------------------------------------------------------- */

static double time_at(double scale, double v)
{
    return scale * exp(v - exp(-v));
}

/* The places, if there is memory for them; else how many there are. */
static int set_places(struct sl_lattice_green *g, const double h[3])
{
    double scale = fmin(fmin(h[0] * h[0], h[1] * h[1]), h[2] * h[2]), last = 0;
    int q = 0;
    for (int d = 0; d < 3; d++)
        last = fmax(last, pow(g->n[d] * h[d], 2));
    for (double t = 0; t < far * last; q++) {
        double v = first_place + step * q;
        t = time_at(scale, v);
        if (!g->place) continue;
        g->place[q] = t;
        g->weight[q] = step * t * (1 + exp(-v));
    }
    if (g->place) g->weight[q - 1] /= 1 - exp(-0.5 * step);
    return q;
}

/* exp(-x) I_i(x) of i = 0 .. n for x well above n^2. */
static void bessel_late(double x, int n, double *out)
{
    for (int i = 0; i <= n; i++) {
        double term = 1 / sqrt(2 * acos(-1) * x), sum = term;
        for (int k = 1; k <= TERMS; k++) {
            term *= -(4.0 * i * i - (2.0 * k - 1) * (2 * k - 1)) / (8 * k * x);
            sum += term;
        }
        out[i] = sum;
    }
}

/* The same by recurrence from an order that is 0 (Miller), with I_0 + 2 (I_1 + I_2 + ...) =
 * exp(x). */
static void bessel_early(double x, int n, double *out)
{
    int top = SPARE + (int)(10 * sqrt(x));
    double above = 0, now = 1, sum = 0;
    memset(out, 0, ((size_t)n + 1) * sizeof *out);
    for (int i = top; i >= 0; i--) {
        double below = above + 2 * i / x * now;
        if (i <= n) out[i] = now;
        sum += i > 0 ? 2 * now : now;
        above = now, now = below;
        if (fabs(now) < 1e250 || i == 0) continue;
        now *= 1e-250, above *= 1e-250, sum *= 1e-250;
        for (int k = i; k <= n && k <= top; k++)
            out[k] *= 1e-250;
    }
    for (int i = 0; i <= n; i++)
        out[i] /= sum;
}

/* Values of cells 0 .. n of an axis at place q. */
static void set_row(const struct sl_lattice_green *g, int d, int q, int n, double *row)
{
    double x = 2 * g->place[q] / (g->h[d] * g->h[d]);
    if (x > LATE * ((double)n * n + 1))
        bessel_late(x, n, row);
    else
        bessel_early(x, n, row);
    for (int i = 0; i <= n && d == 0; i++)
        row[i] *= g->weight[q];
}

/* Values of the cells of an axis at each place, transformed. */
static int set_axis(struct sl_lattice_green *g, int d)
{
    int n = g->n[d];
    double *row = g->axis[d];
    fftw_plan plan =
        fftw_plan_r2r_1d(n + 1, row, row, FFTW_REDFT00, FFTW_ESTIMATE | FFTW_UNALIGNED);
    SL_CHECK(plan, SL_EMEM, "FFTW cannot plan a row of %d cells", n + 1);
    for (int q = 0; q < g->nplace; q++, row += n + 1) {
        set_row(g, d, q, n, row);
        fftw_execute_r2r(plan, row, row);
    }
    fftw_destroy_plan(plan);
    return SL_OK;
}

/* ---- making ---------------------------------------------------------------------------------- */

static int make(struct sl_lattice_green *g, const double h[3])
{
    g->nplace = set_places(g, h);
    size_t count = (size_t)g->nplace;
    g->weight = malloc(count * sizeof *g->weight);
    g->place = malloc(count * sizeof *g->place);
    SL_CHECK(g->place && g->weight, SL_EMEM, "no memory for a lattice");
    set_places(g, h);
    for (int d = 0; d < 3; d++) {
        g->axis[d] = malloc(count * ((size_t)g->n[d] + 1) * sizeof *g->axis[d]);
        SL_CHECK(g->axis[d], SL_EMEM, "no memory for a lattice of %d cells", g->n[d]);
        SL_TRY(set_axis(g, d));
    }
    return SL_OK;
}

int sl_lattice_green_new(const int n[3], const double h[3], struct sl_lattice_green **out)
{
    struct sl_lattice_green *g = calloc(1, sizeof *g);
    *out = NULL;
    SL_CHECK(g, SL_EMEM, "no memory for a lattice");
    memcpy(g->n, n, sizeof g->n);
    memcpy(g->h, h, sizeof g->h);
    int code = make(g, h);
    if (code == SL_OK)
        *out = g;
    else
        sl_lattice_green_free(g);
    return code;
}

void sl_lattice_green_free(struct sl_lattice_green *g)
{
    if (!g) return;
    for (int d = 0; d < 3; d++)
        free(g->axis[d]);
    free(g->place);
    free(g->weight);
    free(g);
}

/* ---- its transform --------------------------------------------------------------------------- */

void sl_lattice_green_row(const struct sl_lattice_green *g, int y, int z, double *out)
{
    int n = g->n[0];
    memset(out, 0, ((size_t)n + 1) * sizeof *out);
    for (int q = 0; q < g->nplace; q++) {
        const double *row = g->axis[0] + (size_t)q * ((size_t)n + 1);
        double across = g->axis[1][(size_t)q * ((size_t)g->n[1] + 1) + (size_t)y] *
                        g->axis[2][(size_t)q * ((size_t)g->n[2] + 1) + (size_t)z];
        for (int x = 0; x <= n; x++)
            out[x] += across * row[x];
    }
}

const double *sl_lattice_green_axis(const struct sl_lattice_green *g, int axis, int *places)
{
    *places = g->nplace;
    return g->axis[axis];
}

void sl_lattice_green_values(const struct sl_lattice_green *g, int axis, double *out)
{
    int n = g->n[axis] + 1;
    for (int q = 0; q < g->nplace; q++)
        set_row(g, axis, q, n, out + (size_t)q * ((size_t)n + 1));
}
