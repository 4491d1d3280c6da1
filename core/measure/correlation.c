/* correlation.c - see correlation.h. */
#include "core/measure/correlation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

enum { LAGS, R, XI, COLUMNS };

/* Length of a lag to the nearest image along an axis. */
static double image(const struct sl_slab *s, int d, int i)
{
    return (2 * i <= s->n[d] ? i : s->n[d] - i) * s->length[d] / s->n[d];
}

/* Sums of one plane of lags. */
static void add_plane(const struct sl_slab *s, int k, const double *plane, double dx, int nbin,
                      double *sum)
{
    double z = image(s, 2, k);
    for (int j = 0; j < s->n[1]; j++)
        for (int i = 0; i < s->n[0]; i++) {
            double x = image(s, 0, i), y = image(s, 1, j), r = sqrt(x * x + y * y + z * z);
            int bin = (int)floor(r / dx + 0.5) - 1;
            if (bin < 0 || bin >= nbin) continue;
            sum[bin * COLUMNS + LAGS] += 1;
            sum[bin * COLUMNS + R] += r;
            sum[bin * COLUMNS + XI] += plane[(size_t)j * (size_t)s->n[0] + (size_t)i];
        }
}

static int allocate(struct sl_correlation *c)
{
    double *all = calloc(3 * (size_t)c->nbin + 1, sizeof *all);
    SL_CHECK(all, SL_EMEM, "out of memory for a correlation function");
    c->lags = all;
    c->r = all + c->nbin;
    c->xi = all + 2 * c->nbin;
    return SL_OK;
}

static int sum_planes(const struct sl_slab *s, const double *at_lags, double dx, double *part,
                      struct sl_correlation *c)
{
    int columns = c->nbin * COLUMNS;
    size_t plane = (size_t)s->n[0] * (size_t)s->n[1];
    double *sum = part + (size_t)s->nz * (size_t)columns;
    for (int k = 0; k < s->nz; k++)
        add_plane(s, s->z0 + k, at_lags + (size_t)k * plane, dx, c->nbin,
                  part + (size_t)k * (size_t)columns);
    SL_TRY(sl_slab_sum(s, columns, part, sum));
    for (int i = 0; i < c->nbin; i++) {
        c->lags[i] = sum[i * COLUMNS + LAGS];
        c->r[i] = sum[i * COLUMNS + R] / c->lags[i];
        c->xi[i] = sum[i * COLUMNS + XI] / c->lags[i];
    }
    return SL_OK;
}

int sl_correlation_make(const struct sl_slab *s, const double *at_lags, struct sl_correlation *out)
{
    struct sl_correlation c = {.nbin = 0};
    double dx = INFINITY, half = INFINITY;
    for (int d = 0; d < s->dim; d++) {
        dx = fmin(dx, s->length[d] / s->n[d]);
        half = fmin(half, 0.5 * s->length[d]);
    }
    c.nbin = (int)floor(half / dx + 1e-6);
    double *part = calloc(((size_t)s->nz + 1) * (size_t)c.nbin * COLUMNS + 1, sizeof *part);
    int code = part ? allocate(&c) : SL_FAIL(SL_EMEM, "out of memory");
    code = sl_agree(s->comm, code);
    if (code == SL_OK) code = sum_planes(s, at_lags, dx, part, &c);
    free(part);
    if (code == SL_OK)
        *out = c;
    else
        sl_correlation_release(&c);
    return code;
}

void sl_correlation_release(struct sl_correlation *c)
{
    free(c->lags); /* r and xi lie behind */
    *c = (struct sl_correlation){0, NULL, NULL, NULL};
}
