/* spectrum.c - see spectrum.h.
 *
 * Planes are transformed in x and y, turned, and transformed in z. All transforms run on the same
 * scratch buffers with the same plan on every rank: FFTW's own MPI transforms choose other plans
 * for other numbers of ranks, and then the last bits differ.
 */
#include "core/stats/spectrum.h"

#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

struct work {
    const struct sl_slab *slab;
    int ncomp, nkx;
    double weight;
    double stretch[3]; /* k_i / n_i */
    int nshell;
    double *real;          /* one plane */
    fftw_complex *plane;   /* one plane, transformed */
    fftw_complex *planes;  /* own planes of one component */
    fftw_complex *rows[3]; /* own rows of each component */
    fftw_complex *row[3];  /* one row of each: [n2][nkx] */
    double *part;          /* sums of each row */
    fftw_plan xy, z;
};

int sl_spectrum_shells(const struct sl_slab *s)
{
    double longest = 0, least = 1e300;
    for (int d = 0; d < s->dim; d++)
        longest = fmax(longest, s->length[d]);
    for (int d = 0; d < s->dim; d++)
        least = fmin(least, 0.5 * s->n[d] * longest / s->length[d]);
    return (int)floor(least * (1 + 1e-12));
}

void sl_spectrum_release(struct sl_shells *spectrum)
{
    free(spectrum->value);
    spectrum->value = NULL;
}

static void work_release(struct work *w)
{
    fftw_free(w->real);
    fftw_free(w->plane);
    fftw_free(w->planes);
    for (int c = 0; c < 3; c++) {
        fftw_free(w->rows[c]);
        fftw_free(w->row[c]);
    }
    free(w->part);
    if (w->xy) fftw_destroy_plan(w->xy);
    if (w->z) fftw_destroy_plan(w->z);
}

static int work_init(struct work *w)
{
    const struct sl_slab *s = w->slab;
    size_t n1 = (size_t)s->n[1], n2 = (size_t)s->n[2], nkx = (size_t)w->nkx;
    int ok = 1;
    w->real = fftw_alloc_real(n1 * (size_t)s->n[0]);
    w->plane = fftw_alloc_complex(n1 * nkx);
    w->planes = fftw_alloc_complex((size_t)s->nz * n1 * nkx + 1);
    w->part =
        calloc((size_t)s->ny * (size_t)(w->nshell + 2) * SL_SPECTRUM_COLUMNS + 1, sizeof(double));
    for (int c = 0; c < w->ncomp; c++) {
        w->rows[c] = fftw_alloc_complex((size_t)s->ny * n2 * nkx + 1);
        w->row[c] = fftw_alloc_complex(n2 * nkx);
        ok = ok && w->rows[c] && w->row[c];
    }
    SL_CHECK(ok && w->real && w->plane && w->planes && w->part, SL_EMEM,
             "out of memory for spectra of %d x %d x %d cells", s->n[0], s->n[1], s->n[2]);
    w->xy = fftw_plan_dft_r2c_2d(s->n[1], s->n[0], w->real, w->plane, FFTW_ESTIMATE);
    w->z = fftw_plan_many_dft(1, &s->n[2], w->nkx, w->row[0], NULL, w->nkx, 1, w->row[0], NULL,
                              w->nkx, 1, FFTW_FORWARD, FFTW_ESTIMATE);
    SL_CHECK(w->xy && w->z, SL_EMEM, "FFTW cannot plan %d x %d x %d", s->n[0], s->n[1], s->n[2]);
    return SL_OK;
}

/* Sum of f^2 over a plane, line by line: 10^5 equal values added to one sum lose the same bits again
 * and again, 10^-12 of it in all. */
static double plane_square(const struct work *w, int n0, int n1)
{
    double sum = 0;
    for (int j = 0; j < n1; j++) {
        const double *line = w->real + (size_t)j * (size_t)n0;
        double part = 0;
        for (int i = 0; i < n0; i++)
            part += line[i] * line[i];
        sum += part;
    }
    return sum;
}

/* The sum of f^2 over each own plane is added to square[nz]. */
static int transform_xy(struct work *w, int c, const double *f, double *square)
{
    const struct sl_slab *s = w->slab;
    size_t cells = (size_t)s->n[0] * (size_t)s->n[1];
    size_t modes = (size_t)w->nkx * (size_t)s->n[1];
    for (int k = 0; k < s->nz; k++) {
        memcpy(w->real, f + (size_t)k * cells, cells * sizeof(double));
        square[k] += plane_square(w, s->n[0], s->n[1]);
        fftw_execute(w->xy);
        memcpy(w->planes + (size_t)k * modes, w->plane, modes * sizeof(fftw_complex));
    }
    return sl_slab_turn(s, 2 * (size_t)w->nkx, (const double *)w->planes, (double *)w->rows[c]);
}

static int wrapped(int i, int n)
{
    return 2 * i < n ? i : i - n;
}

/* |k.v|^2 / k^2. Along an axis at its Nyquist frequency k and -k are the same mode: the mean over both
 * signs has no products of that component with others. */
static double compressive_part(const struct work *w, const int n[3], const double k[3],
                               double square, size_t at, double norm)
{
    double complex along = 0;
    double apart = 0;
    for (int c = 0; c < 3; c++) {
        double complex v = w->row[c][at] * norm * k[c];
        if (2 * abs(n[c]) == w->slab->n[c])
            apart += creal(v) * creal(v) + cimag(v) * cimag(v);
        else
            along += v;
    }
    return (creal(along) * creal(along) + cimag(along) * cimag(along) + apart) / square;
}

/* Adds one mode to the sums of its shell. */
static void add_mode(const struct work *w, const int n[3], size_t at, double norm, double *part)
{
    int twice = n[0] > 0 && 2 * n[0] < w->slab->n[0]; /* stands for -n as well */
    double k[3], square = 0, total = 0, count = twice ? 2 : 1;
    for (int d = 0; d < 3; d++) {
        k[d] = n[d] * w->stretch[d];
        square += k[d] * k[d];
    }
    for (int c = 0; c < w->ncomp; c++) {
        double complex v = w->row[c][at] * norm;
        total += creal(v) * creal(v) + cimag(v) * cimag(v);
    }
    int shell = (int)floor(sqrt(square) + 0.5);
    double *sum = part + (shell > w->nshell ? w->nshell + 1 : shell) * SL_SPECTRUM_COLUMNS;
    sum[SL_SPECTRUM_MODES] += count;
    sum[SL_SPECTRUM_K] += count * sqrt(square);
    sum[SL_SPECTRUM_TOTAL] += count * w->weight * total;
    if (w->ncomp < 3 || square <= 0) return;
    double compressive = compressive_part(w, n, k, square, at, norm);
    sum[SL_SPECTRUM_SOLENOIDAL] += count * w->weight * (total - compressive);
    sum[SL_SPECTRUM_COMPRESSIVE] += count * w->weight * compressive;
}

static void add_row(struct work *w, int y)
{
    const struct sl_slab *s = w->slab;
    size_t size = (size_t)s->n[2] * (size_t)w->nkx;
    double norm = 1.0 / ((double)s->n[0] * s->n[1] * s->n[2]);
    for (int c = w->ncomp - 1; c >= 0; c--) { /* the plan works on row[0] */
        memcpy(w->row[0], w->rows[c] + (size_t)y * size, size * sizeof(fftw_complex));
        fftw_execute(w->z);
        if (c > 0) memcpy(w->row[c], w->row[0], size * sizeof(fftw_complex));
    }
    double *part = w->part + (size_t)y * (size_t)(w->nshell + 2) * SL_SPECTRUM_COLUMNS;
    for (int z = 0; z < s->n[2]; z++)
        for (int x = 0; x < w->nkx; x++) {
            int n[3] = {x, wrapped(s->y0 + y, s->n[1]), wrapped(z, s->n[2])};
            add_mode(w, n, (size_t)z * (size_t)w->nkx + (size_t)x, norm, part);
        }
}

static int finish(const struct work *w, const double *square, struct sl_shells *out)
{
    const struct sl_slab *s = w->slab;
    double cells = (double)s->n[0] * s->n[1] * s->n[2];
    SL_TRY(sl_slab_sum_rows(s, (w->nshell + 2) * SL_SPECTRUM_COLUMNS, w->part, out->value));
    SL_TRY(sl_slab_sum(s, 1, square, &out->grid));
    out->grid *= w->weight / cells;
    out->nshell = w->nshell;
    out->modes = 0;
    for (int i = 0; i < w->nshell + 2; i++) {
        double *sum = out->value + i * SL_SPECTRUM_COLUMNS;
        out->modes += sum[SL_SPECTRUM_TOTAL];
        if (sum[SL_SPECTRUM_MODES] > 0) sum[SL_SPECTRUM_K] /= sum[SL_SPECTRUM_MODES];
    }
    out->parseval = out->grid > 0 ? fabs(out->modes - out->grid) / out->grid : out->modes;
    SL_CHECK(out->parseval <= 1e-12, SL_EGUARD,
             "a spectrum sums up to %.17g over its modes and %.17g over its cells", out->modes,
             out->grid);
    return SL_OK;
}

static int make(struct work *w, const double *const f[], double *square, struct sl_shells *out)
{
    SL_TRY(sl_agree(w->slab->comm, work_init(w)));
    for (int c = 0; c < w->ncomp; c++)
        SL_TRY(transform_xy(w, c, f[c], square));
    for (int y = 0; y < w->slab->ny; y++)
        add_row(w, y);
    return finish(w, square, out);
}

int sl_spectrum_make(const struct sl_slab *s, int ncomp, const double *const f[], double weight,
                     struct sl_shells *out)
{
    struct work w = {.slab = s, .ncomp = ncomp, .nkx = s->n[0] / 2 + 1, .weight = weight};
    struct sl_shells result = {.nshell = 0};
    double longest = 0;
    w.nshell = sl_spectrum_shells(s);
    for (int d = 0; d < s->dim; d++)
        longest = fmax(longest, s->length[d]);
    for (int d = 0; d < s->dim; d++)
        w.stretch[d] = longest / s->length[d];
    double *square = calloc((size_t)s->nz + 1, sizeof *square);
    result.value = calloc((size_t)(w.nshell + 2) * SL_SPECTRUM_COLUMNS, sizeof(double));
    int code = square && result.value ? SL_OK : SL_FAIL(SL_EMEM, "out of memory");
    code = sl_agree(s->comm, code);
    if (code == SL_OK) code = make(&w, f, square, &result);
    work_release(&w);
    free(square);
    if (code == SL_OK)
        *out = result;
    else
        sl_spectrum_release(&result);
    return code;
}
