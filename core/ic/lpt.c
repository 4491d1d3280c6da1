/* lpt.c - see lpt.h. */
#include "core/ic/lpt.h"

#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

enum { FIRST = -1, SECONDS = 6 };

struct work {
    struct sl_band band;
    double unit[3]; /* 2 pi / length */
    const fftw_complex *phi;
    fftw_complex *rows;            /* [ny][cells z][nkx] */
    fftw_complex *planes[SECONDS]; /* [nz][modes y][nkx]; the last three for R alone */
    double *sum;                   /* [nz][cells y][cells x] */
    double *a;                     /* five planes */
};

/* The smallest number of cells free of aliasing that FFTW likes: products of modes up to m/2 - 1 must not come back
 * into them. */
int sl_lpt_cells(int modes)
{
    for (int n = (3 * modes - 4 + 1) / 2;; n++) {
        int rest = n;
        static const int primes[] = {2, 3, 5, 7};
        for (int i = 0; i < 4; i++)
            while (rest > 0 && rest % primes[i] == 0)
                rest /= primes[i];
        if (rest == 1 && n % 2 == 0 && n >= modes) return n;
    }
}

static size_t plane_cells(const struct sl_band *b)
{
    return (size_t)b->cells[0] * (size_t)b->cells[1];
}

static int work_init(struct work *w, MPI_Comm comm, const int modes[3], const double length[3],
                     int nplanes)
{
    int cells[3], code;
    for (int d = 0; d < 3; d++) {
        cells[d] = sl_lpt_cells(modes[d]);
        w->unit[d] = 2 * PI / length[d];
    }
    code = sl_agree(comm, sl_band_init(comm, modes, cells, &w->band));
    if (code != SL_OK) return code;
    const struct sl_band *b = &w->band;
    w->rows = fftw_alloc_complex(sl_band_rows(b));
    int ok = 1;
    for (int i = 0; i < nplanes; i++) {
        w->planes[i] = fftw_alloc_complex(sl_band_planes(b));
        ok = ok && w->planes[i];
    }
    w->sum = fftw_alloc_real((size_t)b->nz * plane_cells(b) + 1);
    w->a = fftw_alloc_real((SECONDS - 1) * plane_cells(b));
    ok = ok && w->rows && w->sum && w->a;
    return sl_agree(comm, ok ? SL_OK
                             : SL_FAIL(SL_EMEM,
                                       "out of memory for the second order on %d x %d x %d cells",
                                       cells[0], cells[1], cells[2]));
}

static void work_release(struct work *w)
{
    fftw_free(w->rows);
    for (int i = 0; i < SECONDS; i++)
        fftw_free(w->planes[i]);
    fftw_free(w->sum);
    fftw_free(w->a);
    sl_band_release(&w->band);
}

/* ---- derivatives ---- */

/* One line along x of d^2 phi / dx_i dx_j, with j = FIRST of d phi / dx_i. */
static void derive_line(const struct work *w, const double k0[3], int i, int j,
                        const fftw_complex *from, fftw_complex *to)
{
    double k[3] = {0, k0[1], k0[2]};
    for (int x = 0; x < w->band.nkx; x++) {
        k[0] = x * w->unit[0];
        to[x] = j == FIRST ? I * k[i] * from[x] : -k[i] * k[j] * from[x];
    }
}

/* Modes of a derivative on the finer band: between the modes lie zeros. */
static void derive_rows(struct work *w, int i, int j)
{
    const struct sl_band *b = &w->band;
    size_t nkx = (size_t)b->nkx;
    memset(w->rows, 0, sl_band_rows(b) * sizeof *w->rows);
    for (int y = 0; y < b->ny; y++)
        for (int z = 0; z < b->modes[2]; z++) {
            int wave = sl_band_wave(z, b->modes[2]), at = wave < 0 ? wave + b->cells[2] : wave;
            double k[3] = {0, sl_band_wave(b->y0 + y, b->modes[1]) * w->unit[1], wave * w->unit[2]};
            derive_line(w, k, i, j, w->phi + ((size_t)y * (size_t)b->modes[2] + (size_t)z) * nkx,
                        w->rows + ((size_t)y * (size_t)b->cells[2] + (size_t)at) * nkx);
        }
}

static int derive(struct work *w, int i, int j, fftw_complex *planes)
{
    derive_rows(w, i, j);
    return sl_band_to_planes(&w->band, w->rows, planes);
}

/* ---- products ---- */

static int add_diagonal(struct work *w)
{
    const struct sl_band *b = &w->band;
    size_t n = plane_cells(b);
    for (int i = 0; i < 3; i++)
        SL_TRY(derive(w, i, i, w->planes[i]));
    for (int k = 0; k < b->nz; k++) {
        double *sum = w->sum + (size_t)k * n, *xx = w->a, *yy = w->a + n;
        memcpy(xx, sl_band_plane(b, w->planes[0], k), n * sizeof *xx);
        memcpy(yy, sl_band_plane(b, w->planes[1], k), n * sizeof *yy);
        const double *zz = sl_band_plane(b, w->planes[2], k);
        for (size_t c = 0; c < n; c++)
            sum[c] = xx[c] * yy[c] + (xx[c] + yy[c]) * zz[c];
    }
    return SL_OK;
}

/* Adds weight times the square of a derivative. */
static int add_square(struct work *w, int i, int j, double weight)
{
    const struct sl_band *b = &w->band;
    size_t n = plane_cells(b);
    SL_TRY(derive(w, i, j, w->planes[0]));
    for (int k = 0; k < b->nz; k++) {
        double *sum = w->sum + (size_t)k * n;
        const double *v = sl_band_plane(b, w->planes[0], k);
        for (size_t c = 0; c < n; c++)
            sum[c] += weight * v[c] * v[c];
    }
    return SL_OK;
}

/* 1 / det(1 - phi_ij) - 1, from the difference of the determinant from 1 so that no digits are lost. */
static double compression(double xx, double yy, double zz, double xy, double xz, double yz)
{
    double first = xx + yy + zz, second = xx * yy + xx * zz + yy * zz - xy * xy - xz * xz - yz * yz;
    double third = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    double less = first - second + third;
    return less / (1 - less);
}

static int set_density(struct work *w)
{
    static const int pair[SECONDS][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const struct sl_band *b = &w->band;
    size_t n = plane_cells(b);
    for (int i = 0; i < SECONDS; i++)
        SL_TRY(derive(w, pair[i][0], pair[i][1], w->planes[i]));
    for (int k = 0; k < b->nz; k++) {
        double *sum = w->sum + (size_t)k * n, *a = w->a;
        for (size_t i = 0; i < SECONDS - 1; i++)
            memcpy(a + i * n, sl_band_plane(b, w->planes[i], k), n * sizeof *a);
        const double *yz = sl_band_plane(b, w->planes[SECONDS - 1], k);
        for (size_t c = 0; c < n; c++)
            sum[c] = compression(a[c], a[n + c], a[2 * n + c], a[3 * n + c], a[4 * n + c], yz[c]);
    }
    return SL_OK;
}

/* The sum back to modes. */
static int take_back(struct work *w, fftw_complex *out)
{
    const struct sl_band *b = &w->band;
    size_t n = plane_cells(b), nkx = (size_t)b->nkx;
    for (int k = 0; k < b->nz; k++) {
        memcpy(b->real, w->sum + (size_t)k * n, n * sizeof *b->real);
        sl_band_take_plane(b, w->planes[0], k);
    }
    SL_TRY(sl_band_to_rows(b, w->planes[0], w->rows));
    for (int y = 0; y < b->ny; y++)
        for (int z = 0; z < b->modes[2]; z++) {
            int wave = sl_band_wave(z, b->modes[2]), at = wave < 0 ? wave + b->cells[2] : wave;
            memcpy(out + ((size_t)y * (size_t)b->modes[2] + (size_t)z) * nkx,
                   w->rows + ((size_t)y * (size_t)b->cells[2] + (size_t)at) * nkx,
                   nkx * sizeof *out);
        }
    return SL_OK;
}

static void clear(struct work *w)
{
    memset(w->sum, 0, (size_t)w->band.nz * plane_cells(&w->band) * sizeof *w->sum);
}

static int make(struct work *w, const struct sl_lpt_products *out)
{
    if (out->s) {
        SL_TRY(add_diagonal(w));
        SL_TRY(add_square(w, 0, 1, -1));
        SL_TRY(add_square(w, 0, 2, -1));
        SL_TRY(add_square(w, 1, 2, -1));
        SL_TRY(take_back(w, out->s));
    }
    if (out->e) {
        clear(w);
        for (int i = 0; i < 3; i++)
            SL_TRY(add_square(w, i, FIRST, 0.5));
        SL_TRY(take_back(w, out->e));
    }
    if (!out->r) return SL_OK;
    SL_TRY(set_density(w));
    return take_back(w, out->r);
}

int sl_lpt_make(MPI_Comm comm, const int modes[3], const double length[3], const fftw_complex *phi,
                const struct sl_lpt_products *out)
{
    struct work w = {.phi = phi};
    int code = work_init(&w, comm, modes, length, out->r ? SECONDS : SECONDS / 2);
    if (code == SL_OK) code = make(&w, out);
    work_release(&w);
    return code;
}
