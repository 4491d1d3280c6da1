/* lattice_point.c - see lattice_point.h. */
#include "core/exact/lattice_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { WAVES = 8192, TIMES = 164 };

static const double pi = 3.14159265358979323846, late = 1e5, step = 0.25;

/* exp(-x) I_i(x): the mean of exp(x (cos a - 1)) cos(i a) over angles a, exact but for orders of
 * WAVES and more. */
static void bessel(double x, int n, double *out)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int w = 0; w < WAVES; w++) {
        double a = 2 * pi * w / WAVES, size = exp(x * (cos(a) - 1)) / WAVES;
        double before = cos(a), now = 1; /* cos(-a), cos(0) */
        for (int i = 0; i < n && size > 0; i++) {
            double next = 2 * cos(a) * now - before;
            out[i] += size * now;
            before = now, now = next;
        }
    }
}

static double *place(const struct sl_lattice_point *g, int x, int y)
{
    return g->of + ((size_t)x * (size_t)g->side + (size_t)y) * (size_t)g->side;
}

/* All later times: the first two terms of the series for large t, summed by the same rule. */
static void add_late(struct sl_lattice_point *g, const double h[3])
{
    double volume = h[0] * h[1] * h[2] * pow(4 * pi, -1.5);
    double first = pow(late, -0.5) / (exp(0.5 * step) - 1),
           second = pow(late, -1.5) / (exp(1.5 * step) - 1);
    for (int x = 0; x < g->side; x++)
        for (int y = 0; y < g->side; y++)
            for (int z = 0; z < g->side; z++) {
                double fall = (4.0 * x * x - 1) * h[0] * h[0] + (4.0 * y * y - 1) * h[1] * h[1] +
                              (4.0 * z * z - 1) * h[2] * h[2];
                place(g, x, y)[z] += step * volume * (first - fall / 16 * second);
            }
}

/* The rule of trapezoids in log t. */
static void add_time(struct sl_lattice_point *g, double t, const double h[3], double *row)
{
    for (int d = 0; d < 3; d++)
        bessel(2 * t / (h[d] * h[d]), g->side, row + d * g->side);
    for (int x = 0; x < g->side; x++)
        for (int y = 0; y < g->side; y++) {
            double part = step * t * row[x] * row[g->side + y], *to = place(g, x, y);
            for (int z = 0; z < g->side; z++)
                to[z] += part * row[2 * g->side + z];
        }
}

/* In cells of side 1 along x. */
int sl_lattice_point_new(int side, const double h[3], struct sl_lattice_point *out)
{
    const double unit[3] = {1, h[1] / h[0], h[2] / h[0]};
    size_t all = (size_t)side * (size_t)side * (size_t)side;
    double *row = NULL;
    *out = (struct sl_lattice_point){.side = side};
    SL_TRY(sl_alloc("a row of the lattice", 3 * (size_t)side, sizeof *row, &row));
    int code = sl_alloc("the lattice", all, sizeof *out->of, &out->of);
    if (code == SL_OK) {
        add_late(out, unit);
        for (int q = 0; q < TIMES; q++)
            add_time(out, late * exp(-step * q), unit, row);
        for (size_t i = 0; i < all; i++)
            out->of[i] *= h[0] * h[0];
    }
    free(row);
    return code;
}

void sl_lattice_point_release(struct sl_lattice_point *g)
{
    free(g->of);
    g->of = NULL;
}

double sl_lattice_point_at(const struct sl_lattice_point *g, int x, int y, int z)
{
    return place(g, abs(x), abs(y))[abs(z)];
}
