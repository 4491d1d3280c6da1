/* counts.c - see counts.h. */
#include "core/measure/counts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* Of the mass of a field: 2^-30 of a mean cell, so that that of 2^32 cells is a whole number. */
static const double fine = 1 << 30;

int sl_counts_sides(const struct sl_slab *slab)
{
    int n = 0;
    for (int side = 1;; side *= 2, n++)
        for (int d = 0; d < 3; d++)
            if (slab->n[d] % side || slab->n[d] < 2 * side) return n;
}

/* What own planes have in cells of the layer-th layer, [n1 / side][n0 / side]. */
static void add_layer(const struct sl_slab *s, const double *contrast, double unit, int side,
                      int layer, int64_t *sum)
{
    const size_t across = (size_t)(s->n[0] / side);
    memset(sum, 0, across * (size_t)(s->n[1] / side) * sizeof *sum);
    for (int z = layer * side; z < (layer + 1) * side; z++) {
        if (z < s->z0 || z >= s->z0 + s->nz) continue;
        const double *plane = contrast + (size_t)(z - s->z0) * (size_t)s->n[1] * (size_t)s->n[0];
        for (int y = 0; y < s->n[1]; y++)
            for (int x = 0; x < s->n[0]; x++)
                sum[(size_t)(y / side) * across + (size_t)(x / side)] +=
                    llrint((plane[(size_t)y * (size_t)s->n[0] + (size_t)x] + 1) * unit);
    }
}

/* power: sums of d^2, d^3, d^4. */
static void add_powers(size_t n, const int64_t *sum, double mean, double power[3])
{
    for (size_t i = 0; i < n; i++) {
        double d = (double)sum[i] / mean - 1;
        power[0] += d * d;
        power[1] += d * d * d;
        power[2] += d * d * d * d;
    }
}

/* shot: 1 / M of points, 0 of a field. */
static void correct(struct sl_counts *c, double m3, double m4, double shot)
{
    c->c2 = c->raw - shot;
    c->c3 = m3 - 3 * shot * c->raw + 2 * shot * shot;
    c->c4 = m4 - 3 * c->raw * c->raw - 6 * shot * m3 + 11 * shot * shot * c->raw -
            6 * shot * shot * shot;
    c->skewness = c->c2 != 0 ? c->c3 / (c->c2 * c->c2) : 0;
    c->kurtosis = c->c2 != 0 ? c->c4 / (c->c2 * c->c2 * c->c2) : 0;
}

/* Layer by layer, on all ranks in this order. */
static void count(const struct sl_slab *s, const double *contrast, double number, int64_t *sum,
                  struct sl_counts *c)
{
    const size_t n = (size_t)(s->n[0] / c->side) * (size_t)(s->n[1] / c->side);
    const double unit = number > 0 ? number : fine, volume = pow(c->side, 3);
    int layers = s->n[2] / c->side;
    double power[3] = {0, 0, 0};
    for (int layer = 0; layer < layers; layer++) {
        add_layer(s, contrast, unit, c->side, layer, sum);
        MPI_Allreduce(MPI_IN_PLACE, sum, (int)n, MPI_INT64_T, MPI_SUM, s->comm);
        add_powers(n, sum, unit * volume, power);
    }
    c->cells = (double)n * layers;
    c->mean = number > 0 ? number * volume : volume;
    c->raw = power[0] / c->cells;
    correct(c, power[1] / c->cells, power[2] / c->cells, number > 0 ? 1 / c->mean : 0);
}

int sl_counts_make(const struct sl_slab *slab, const double *contrast, double number,
                   struct sl_counts *out)
{
    int64_t *sum = NULL;
    SL_TRY(sl_agree(slab->comm, sl_alloc("counts in cells", (size_t)slab->n[0] * (size_t)slab->n[1],
                                         sizeof *sum, &sum)));
    for (int i = 0; i < sl_counts_sides(slab); i++) {
        out[i] = (struct sl_counts){.side = 1 << i};
        count(slab, contrast, number, sum, &out[i]);
    }
    free(sum);
    return SL_OK;
}
