/* pdf.c - see pdf.h. */
#include "core/measure/pdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/measure/hopkins.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

/* Sums of one plane: moments by volume and by mass, then the bins. */
enum { S1, S2, M1, M2, OUTSIDE, VOLUME, MASS = VOLUME + SL_PDF_BINS, SUMS = MASS + SL_PDF_BINS };

static int mean_density(const struct sl_slab *s, const double *rho, double *part, double *mean)
{
    size_t plane = (size_t)s->n[0] * (size_t)s->n[1];
    int code = SL_OK;
    for (size_t k = 0; k < (size_t)s->nz; k++) {
        part[k] = 0;
        for (size_t i = 0; i < plane; i++) {
            double value = rho[k * plane + i];
            if (!(value > 0 && isfinite(value)))
                code = SL_FAIL(SL_EINPUT, "the density is %g in a cell of plane %d", value,
                               s->z0 + (int)k);
            part[k] += value;
        }
    }
    SL_TRY(sl_agree(s->comm, code));
    SL_TRY(sl_slab_sum(s, 1, part, mean));
    *mean /= (double)plane * s->n[2];
    return SL_OK;
}

static void add_plane(const double *rho, size_t cells, double mean, double *sum)
{
    for (size_t i = 0; i < cells; i++) {
        double share = rho[i] / mean, s = log(share);
        double place = floor((s - SL_PDF_FIRST) / SL_PDF_WIDTH);
        sum[S1] += s;
        sum[S2] += s * s;
        sum[M1] += share * s;
        sum[M2] += share * s * s;
        if (place < 0 || place >= SL_PDF_BINS) {
            sum[OUTSIDE] += 1;
        } else {
            sum[VOLUME + (int)place] += 1;
            sum[MASS + (int)place] += share;
        }
    }
}

static double width(double square, double mean)
{
    double variance = square - mean * mean;
    return variance > 1e-15 * square ? sqrt(variance) : 0;
}

static void finish(const double *sum, double cells, struct sl_pdf *out)
{
    out->s_mean = sum[S1] / cells;
    out->s_sigma = width(sum[S2] / cells, out->s_mean);
    out->s_mean_mass = sum[M1] / cells;
    out->s_sigma_mass = width(sum[M2] / cells, out->s_mean_mass);
    out->outside = sum[OUTSIDE] / cells;
    for (int i = 0; i < SL_PDF_BINS; i++) {
        double x = SL_PDF_FIRST + (i + 0.5) * SL_PDF_WIDTH - out->s_mean, sigma = out->s_sigma;
        out->volume[i] = sum[VOLUME + i] / cells / SL_PDF_WIDTH;
        out->mass[i] = sum[MASS + i] / cells / SL_PDF_WIDTH;
        out->lognormal[i] =
            sigma > 0 ? exp(-0.5 * x * x / (sigma * sigma)) / (sigma * sqrt(2 * acos(-1))) : 0;
    }
}

static void fit_hopkins(struct sl_pdf *out)
{
    double s[SL_PDF_BINS], variance = out->s_sigma * out->s_sigma;
    for (int i = 0; i < SL_PDF_BINS; i++)
        s[i] = SL_PDF_FIRST + (i + 0.5) * SL_PDF_WIDTH;
    out->hopkins_t = sl_hopkins_fit(SL_PDF_BINS, s, out->volume, variance);
    for (int i = 0; i < SL_PDF_BINS; i++)
        out->hopkins[i] = variance > 0 ? sl_hopkins_pdf(s[i], variance, out->hopkins_t) : 0;
}

static int make(const struct sl_slab *s, const double *rho, double *part, struct sl_pdf *out)
{
    size_t plane = (size_t)s->n[0] * (size_t)s->n[1];
    double sum[SUMS];
    SL_TRY(mean_density(s, rho, part, &out->mean));
    memset(part, 0, (size_t)s->nz * SUMS * sizeof *part);
    for (size_t k = 0; k < (size_t)s->nz; k++)
        add_plane(rho + k * plane, plane, out->mean, part + k * SUMS);
    SL_TRY(sl_slab_sum(s, SUMS, part, sum));
    finish(sum, (double)plane * s->n[2], out);
    fit_hopkins(out);
    return SL_OK;
}

int sl_pdf_make(const struct sl_slab *s, const double *rho, struct sl_pdf *out)
{
    struct sl_pdf result;
    double *part = malloc(((size_t)s->nz * SUMS + 1) * sizeof *part);
    int code = sl_agree(s->comm, part ? SL_OK : SL_FAIL(SL_EMEM, "out of memory"));
    if (code == SL_OK) code = make(s, rho, part, &result);
    free(part);
    if (code == SL_OK) *out = result;
    return code;
}
