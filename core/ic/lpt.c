/* lpt.c - see lpt.h. */
#include "core/ic/lpt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

#define PI 3.14159265358979323846

enum { SECONDS = 6 };

/* The smallest number of cells free of aliasing that FFTW likes: products of modes up to m/2 - 1
 * must not come back into those that are wanted. */
int sl_lpt_cells_of(int modes, int wanted)
{
    for (int n = modes + (wanted + 1) / 2 - 2;; n++) {
        int rest = n;
        static const int primes[] = {2, 3, 5, 7};
        for (int i = 0; i < 4; i++)
            while (rest > 0 && rest % primes[i] == 0)
                rest /= primes[i];
        if (rest == 1 && n % 2 == 0 && n >= modes) return n;
    }
}

int sl_lpt_cells(int modes)
{
    return sl_lpt_cells_of(modes, modes);
}

static int allocate(struct sl_lpt *w)
{
    const struct sl_band *b = &w->band;
    size_t plane = (size_t)b->modes[1] * (size_t)b->nkx, work = sl_band_work(b),
           planes = sl_band_planes(b) +
                    plane; /* its share of a coarser grid is one plane larger at most */
    w->d = sl_alloc_large(SECONDS * sl_band_scratch(b) * sizeof *w->d);
    w->line = sl_alloc_large((SECONDS + 1) * (size_t)b->cells[0] * sizeof *w->line);
    int ok = w->d && w->line;
    for (int i = 0; i < 3; i++) {
        w->planes[i] = sl_alloc_large((planes > work ? planes : work) * sizeof *w->planes[i]);
        ok = ok && w->planes[i];
    }
    SL_CHECK(ok, SL_EMEM, "out of memory for the second order on %d x %d x %d cells", b->cells[0],
             b->cells[1], b->cells[2]);
    return SL_OK;
}

int sl_lpt_init(MPI_Comm comm, const int modes[3], const double length[3], struct sl_lpt *out)
{
    struct sl_lpt w = {.d = NULL};
    int cells[3];
    for (int d = 0; d < 3; d++) {
        cells[d] = sl_lpt_cells(modes[d]);
        w.unit[d] = 2 * PI / length[d];
    }
    SL_TRY(sl_agree(comm, sl_band_init(comm, modes, cells, &w.band)));
    int code = sl_agree(comm, allocate(&w));
    if (code == SL_OK)
        *out = w;
    else
        sl_lpt_release(&w);
    return code;
}

void sl_lpt_release(struct sl_lpt *w)
{
    for (int i = 0; i < 3; i++)
        free(w->planes[i]);
    free(w->d);
    free(w->line);
    sl_band_release(&w->band);
    *w = (struct sl_lpt){.d = NULL};
}

void sl_lpt_trim(struct sl_lpt *w)
{
    for (int i = 1; i < 3; i++) {
        free(w->planes[i]);
        w->planes[i] = NULL;
    }
    free(w->d);
    free(w->line);
    w->d = NULL;
    w->line = NULL;
}

/* ---- derivatives ---- */

struct along_z {
    const struct sl_lpt *w;
    const fftw_complex *phi;
    int order;
};

/* A line of modes times (i kz)^order. */
static void derive_line(void *context, int y, int z, fftw_complex *line)
{
    const struct along_z *a = context;
    const struct sl_band *b = &a->w->band;
    double k = sl_band_wave(z, b->modes[2]) * a->w->unit[2];
    double complex factor = a->order == 0 ? 1 : a->order == 1 ? I * k : -k * k;
    const fftw_complex *from = a->phi + sl_band_line_start(b, y, z);
    for (int x = 0; x < b->nkx; x++)
        line[x] = factor * from[x];
}

static int derive_z(struct sl_lpt *w, const fftw_complex *phi)
{
    for (int i = 0; i < 3; i++) {
        struct along_z a = {w, phi, i};
        SL_TRY(sl_band_make_planes(&w->band, derive_line, &a, w->planes[i]));
    }
    return SL_OK;
}

/* Second derivatives, each so often along x, y and z. */
static const int second[SECONDS][3] = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2},
                                       {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};

/* Those of own plane k into the planes of w->d, on the grid along y. */
static void derive_plane(struct sl_lpt *w, int k)
{
    for (int i = 0; i < SECONDS; i++) {
        const int *t = second[i];
        double factor = pow(w->unit[0], t[0]) * pow(w->unit[1], t[1]);
        sl_band_derive_y(&w->band, w->planes[t[2]], k, t[0], t[1], factor,
                         w->d + (size_t)i * sl_band_scratch(&w->band));
    }
}

/* ---- products, of derivatives d[][n], into sum[n] ---- */

static void second_invariant(size_t n, const double *restrict d, double *restrict sum)
{
    const double *xx = d, *yy = d + n, *zz = d + 2 * n, *xy = d + 3 * n, *xz = d + 4 * n,
                 *yz = d + 5 * n;
    for (size_t c = 0; c < n; c++)
        sum[c] =
            xx[c] * yy[c] + (xx[c] + yy[c]) * zz[c] - xy[c] * xy[c] - xz[c] * xz[c] - yz[c] * yz[c];
}

/* 1 / det(1 - phi_ij) - 1, from the difference of the determinant from 1 so that no digits are
 * lost. */
static inline double compression(double xx, double yy, double zz, double xy, double xz, double yz)
{
    double one = xx + yy + zz, two = xx * yy + xx * zz + yy * zz - xy * xy - xz * xz - yz * yz;
    double three = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
    double less = one - two + three;
    return less / (1 - less);
}

static void density(size_t n, const double *restrict d, double *restrict sum)
{
    for (size_t c = 0; c < n; c++)
        sum[c] =
            compression(d[c], d[n + c], d[2 * n + c], d[3 * n + c], d[4 * n + c], d[5 * n + c]);
}

/* ---- all together ---- */

typedef void product_fn(size_t n, const double *restrict d, double *restrict sum);

/* Line by line, so that derivatives and product stay in the first cache. */
static void multiply_plane(struct sl_lpt *w, product_fn *product)
{
    const struct sl_band *b = &w->band;
    size_t n = (size_t)b->cells[0];
    for (int y = 0; y < b->cells[1]; y++) {
        for (size_t i = 0; i < SECONDS; i++)
            sl_band_line_back(b, w->d + i * sl_band_scratch(b), y, w->line + i * n);
        product(n, w->line, w->line + SECONDS * n);
        sl_band_take_line(b, y, w->line + SECONDS * n);
    }
}

/* Each plane of the product takes the place of that of phi, of which it was made. */
static int make_product(struct sl_lpt *w, const fftw_complex *phi, product_fn *product,
                        fftw_complex *out)
{
    const struct sl_band *b = &w->band;
    SL_TRY(derive_z(w, phi));
    for (int k = 0; k < b->nz; k++) {
        derive_plane(w, k);
        multiply_plane(w, product);
        sl_band_take_plane(b, w->planes[0], k);
    }
    return sl_band_to_rows(b, w->planes[0], w->planes[1], out);
}

int sl_lpt_make(struct sl_lpt *w, const fftw_complex *phi, const struct sl_lpt_products *out)
{
    if (out->s) SL_TRY(make_product(w, phi, second_invariant, out->s));
    return out->r ? make_product(w, phi, density, out->r) : SL_OK;
}
