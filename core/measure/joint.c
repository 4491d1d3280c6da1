/* joint.c - see joint.h. */
#include "core/measure/joint.h"

#include <math.h>
#include <stdlib.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

static size_t plane_cells(const struct sl_slab *s)
{
    return (size_t)s->n[0] * (size_t)s->n[1];
}

/* Mean of x and rms of y over the box. */
static int scales(const struct sl_slab *s, const double *x, const double *y, double *part,
                  struct sl_joint *out)
{
    double sum[2], cells = (double)plane_cells(s) * s->n[2];
    for (size_t k = 0; k < (size_t)s->nz; k++) {
        part[2 * k] = part[2 * k + 1] = 0;
        for (size_t i = k * plane_cells(s); i < (k + 1) * plane_cells(s); i++) {
            part[2 * k] += x[i];
            part[2 * k + 1] += y[i] * y[i];
        }
    }
    SL_TRY(sl_slab_sum(s, 2, part, sum));
    SL_CHECK(isfinite(sum[0]) && isfinite(sum[1]), SL_EINPUT,
             "a joint distribution of values that are not finite");
    out->mean_x = sum[0] / cells;
    out->rms_y = sqrt(sum[1] / cells);
    return SL_OK;
}

/* Bin of value / scale, -1 outside. */
static int bin(double value, double scale)
{
    if (!(value > 0 && scale > 0)) return -1;
    double at = floor((log10(value / scale) - SL_JOINT_FIRST) / SL_JOINT_WIDTH);
    return at >= 0 && at < SL_JOINT_BINS ? (int)at : -1;
}

/* Counts of the own cells; whole numbers, so their sum over ranks is exact in any order. */
static void count(const struct sl_slab *s, const double *x, const double *y, struct sl_joint *own)
{
    for (size_t i = 0; i < sl_slab_cells(s); i++) {
        int a = bin(x[i], own->mean_x), b = bin(y[i], own->rms_y);
        if (a < 0 || b < 0)
            own->outside += 1;
        else
            own->share[b * SL_JOINT_BINS + a] += 1;
    }
}

static void add_ranks(const struct sl_slab *s, struct sl_joint *j)
{
    double cells = (double)plane_cells(s) * s->n[2];
    MPI_Allreduce(MPI_IN_PLACE, &j->outside, 1 + SL_JOINT_BINS * SL_JOINT_BINS, MPI_DOUBLE, MPI_SUM,
                  s->comm);
    j->outside /= cells;
    for (int i = 0; i < SL_JOINT_BINS * SL_JOINT_BINS; i++)
        j->share[i] /= cells;
}

int sl_joint_make(const struct sl_slab *s, const double *x, const double *y, struct sl_joint *out)
{
    double *part = malloc((2 * (size_t)s->nz + 1) * sizeof *part);
    struct sl_joint *own = calloc(1, sizeof *own);
    int code = sl_agree(s->comm, part && own ? SL_OK : SL_FAIL(SL_EMEM, "out of memory"));
    if (code == SL_OK) code = scales(s, x, y, part, own);
    if (code == SL_OK) {
        count(s, x, y, own);
        add_ranks(s, own);
        *out = *own;
    }
    free(part);
    free(own);
    return code;
}
