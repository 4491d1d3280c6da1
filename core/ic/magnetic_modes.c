/* magnetic_modes.c - see magnetic_modes.h. */
#include "core/ic/magnetic_modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/random.h"
#include "core/sys/status.h"

static const double pi = 3.14159265358979323846;

static size_t width(const struct sl_magnetic_modes *m, int axis)
{
    return axis == 0 ? (size_t)m->most[0] + 1 : 2 * (size_t)m->most[axis] + 1;
}

static size_t volume(const struct sl_magnetic_modes *m)
{
    return width(m, 0) * width(m, 1) * width(m, 2);
}

static double complex *wave_at(const struct sl_magnetic_modes *m, int component, const int n[3])
{
    size_t y = (size_t)(n[1] + m->most[1]), z = (size_t)(n[2] + m->most[2]);
    return m->b + (size_t)component * volume(m) + ((size_t)n[0] * width(m, 1) + y) * width(m, 2) +
           z;
}

/* ---- making ---------------------------------------------------------------------------------- */

static double size_of(const double k[3])
{
    return sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int d = 0; d < 3; d++)
        out[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* Two directions that make a right-handed set with k. */
static void across(const double k[3], double first[3], double second[3])
{
    double unit[3] = {0, 0, 0}, unit_k[3], size = size_of(k);
    int least = 0;
    for (int d = 1; d < 3; d++)
        if (fabs(k[d]) < fabs(k[least])) least = d;
    unit[least] = 1;
    for (int d = 0; d < 3; d++)
        unit_k[d] = k[d] / size;
    cross(unit_k, unit, first);
    size = size_of(first);
    for (int d = 0; d < 3; d++)
        first[d] /= size;
    cross(unit_k, first, second);
}

/* Puts the wave n; its share of the mean square of the field comes back. */
static double put_wave(const struct sl_magnetic_spec *s, const struct sl_magnetic_modes *m,
                       const int n[3], const double k[3])
{
    double first[3], second[3], amount = 0;
    double power = pow(size_of(k), s->slope - (s->dim - 1));
    across(k, first, second);
    for (int sense = 0; sense < 2; sense++) { /* curl k B, curl -k B */
        struct sl_random_name name = {
            s->seed, SL_RANDOM_MAGNETIC, (uint32_t)sense, {n[0], n[1], n[2]}};
        double v[2], share = 0.5 * (1 + (sense ? -s->helicity : s->helicity));
        sl_random_gauss(&name, 0, v);
        double complex a = sqrt(power * share) * (v[0] + I * v[1]);
        for (int d = 0; d < 3; d++)
            *wave_at(m, d, n) += a * (first[d] + (sense ? -I : I) * second[d]);
    }
    for (int d = 0; d < 3; d++)
        amount += 2 * creal(*wave_at(m, d, n) * conj(*wave_at(m, d, n)));
    return amount;
}

static int wanted(const struct sl_magnetic_spec *s, const int n[3], double k[3])
{
    double longest = 0;
    for (int d = 0; d < s->dim; d++)
        longest = fmax(longest, s->length[d]);
    for (int d = 0; d < 3; d++)
        k[d] = d < s->dim ? n[d] * longest / s->length[d] : 0;
    int half = n[0] > 0 || (n[0] == 0 && (n[1] > 0 || (n[1] == 0 && n[2] > 0)));
    return half && size_of(k) >= s->kmin && size_of(k) <= s->kmax;
}

int sl_magnetic_modes_init(const struct sl_magnetic_spec *s, struct sl_magnetic_modes *out)
{
    struct sl_magnetic_modes m = {{0, 0, 0}, NULL};
    double longest = 0, square = 0, k[3];
    int n[3];
    for (int d = 0; d < s->dim; d++)
        longest = fmax(longest, s->length[d]);
    for (int d = 0; d < s->dim; d++)
        m.most[d] = (int)floor(s->kmax * s->length[d] / longest);
    m.b = calloc(3 * volume(&m), sizeof *m.b);
    SL_CHECK(m.b, SL_EMEM, "no memory for the waves of a magnetic field");
    for (n[0] = 0; n[0] <= m.most[0]; n[0]++)
        for (n[1] = -m.most[1]; n[1] <= m.most[1]; n[1]++)
            for (n[2] = -m.most[2]; n[2] <= m.most[2]; n[2]++)
                if (wanted(s, n, k)) square += put_wave(s, &m, n, k);
    if (!(square > 0)) {
        sl_magnetic_modes_release(&m);
        return SL_FAIL(SL_EINPUT, "no wave of the magnetic field has a |k| of %d to %d", s->kmin,
                       s->kmax);
    }
    for (size_t i = 0; i < 3 * volume(&m); i++)
        m.b[i] *= s->rms / sqrt(square);
    *out = m;
    return SL_OK;
}

void sl_magnetic_modes_release(struct sl_magnetic_modes *m)
{
    free(m->b);
    m->b = NULL;
}

/* ---- averages -------------------------------------------------------------------------------- */

/* exp(i k x) of all waves along an axis at place i of a part, averaged over a cell but along
 * `face`; the angle is reduced in whole numbers, so that both ends of the box have the same
 * bits. */
static void phases(const struct sl_magnetic_modes *m, const struct sl_magnetic_part *p, int axis,
                   int i, double complex *out)
{
    int64_t cells = p->cells[axis], x = 2 * (p->from[axis] + i) + (axis != p->face);
    int first = axis == 0 ? 0 : -m->most[axis];
    for (size_t w = 0; w < width(m, axis); w++) {
        int64_t n = first + (int64_t)w, phase = n * x % (2 * cells);
        double angle = pi * (double)(phase < 0 ? phase + 2 * cells : phase) / (double)cells;
        double half = pi * (double)n / (double)cells;
        double mean = axis == p->face || n == 0 ? 1 : sin(half) / half;
        out[w] = mean * (cos(angle) + I * sin(angle));
    }
}

/* Sums over the last index of in[rows][n]. */
static void collapse(size_t rows, size_t n, const double complex *in, const double complex *phase,
                     double complex *out)
{
    for (size_t r = 0; r < rows; r++) {
        double complex sum = 0;
        for (size_t w = 0; w < n; w++)
            sum += in[r * n + w] * phase[w];
        out[r] = sum;
    }
}

int sl_magnetic_modes_average(const struct sl_magnetic_modes *m, const struct sl_magnetic_part *p,
                              double *out)
{
    size_t nx = width(m, 0), ny = width(m, 1), nz = width(m, 2), row = (size_t)p->n[0];
    double complex *plane = malloc((nx * ny + nx + ny + nz + row * nx) * sizeof *plane);
    SL_CHECK(plane, SL_EMEM, "no memory for a sum of waves");
    double complex *line = plane + nx * ny, *py = line + nx, *pz = py + ny, *px = pz + nz;
    for (int i = 0; i < p->n[0]; i++)
        phases(m, p, 0, i, px + (size_t)i * nx);
    for (int k = 0; k < p->n[2]; k++) {
        phases(m, p, 2, k, pz);
        collapse(nx * ny, nz, m->b + (size_t)p->component * volume(m), pz, plane);
        for (int j = 0; j < p->n[1]; j++) {
            phases(m, p, 1, j, py);
            collapse(nx, ny, plane, py, line);
            for (size_t i = 0; i < row; i++) {
                double complex sum;
                collapse(1, nx, line, px + i * nx, &sum);
                *out++ = 2 * creal(sum);
            }
        }
    }
    free(plane);
    return SL_OK;
}
