/* lpt.c - see lpt.h. */
#include "core/ic/lpt.h"

#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

struct work {
    struct sl_band band;
    double unit[3]; /* 2 pi / length */
    const fftw_complex *phi;
    fftw_complex *rows;      /* [ny][cells z][nkx] */
    fftw_complex *planes[3]; /* [nz][modes y][nkx] */
    double *sum;             /* [nz][cells y][cells x] */
    double *a;               /* two planes */
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

static int work_init(struct work *w, MPI_Comm comm, const int modes[3], const double length[3])
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
    for (int i = 0; i < 3; i++)
        w->planes[i] = fftw_alloc_complex(sl_band_planes(b));
    w->sum = fftw_alloc_real((size_t)b->nz * plane_cells(b) + 1);
    w->a = fftw_alloc_real(2 * plane_cells(b));
    int ok = w->rows && w->planes[0] && w->planes[1] && w->planes[2] && w->sum && w->a;
    return sl_agree(comm, ok ? SL_OK
                             : SL_FAIL(SL_EMEM,
                                       "out of memory for the second order on %d x %d x %d cells",
                                       cells[0], cells[1], cells[2]));
}

static void work_release(struct work *w)
{
    fftw_free(w->rows);
    for (int i = 0; i < 3; i++)
        fftw_free(w->planes[i]);
    fftw_free(w->sum);
    fftw_free(w->a);
    sl_band_release(&w->band);
}

/* ---- derivatives ---- */

/* One line along x of d^2 phi / dx_i dx_j, or of d phi / dx_i with j < 0. */
static void derive_line(const struct work *w, const double k0[3], int i, int j,
                        const fftw_complex *from, fftw_complex *to)
{
    double k[3] = {0, k0[1], k0[2]};
    for (int x = 0; x < w->band.nkx; x++) {
        k[0] = x * w->unit[0];
        to[x] = j >= 0 ? -k[i] * k[j] * from[x] : I * k[i] * from[x];
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

static int make(struct work *w, fftw_complex *s, fftw_complex *e)
{
    SL_TRY(add_diagonal(w));
    SL_TRY(add_square(w, 0, 1, -1));
    SL_TRY(add_square(w, 0, 2, -1));
    SL_TRY(add_square(w, 1, 2, -1));
    SL_TRY(take_back(w, s));
    if (!e) return SL_OK;
    memset(w->sum, 0, (size_t)w->band.nz * plane_cells(&w->band) * sizeof *w->sum);
    for (int i = 0; i < 3; i++)
        SL_TRY(add_square(w, i, -1, 0.5));
    return take_back(w, e);
}

int sl_lpt_sources(MPI_Comm comm, const int modes[3], const double length[3],
                   const fftw_complex *phi, fftw_complex *s, fftw_complex *e)
{
    struct work w = {.phi = phi};
    int code = work_init(&w, comm, modes, length);
    if (code == SL_OK) code = make(&w, s, e);
    work_release(&w);
    return code;
}
