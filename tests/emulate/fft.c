/* fft.c - gpu/fft.h by FFTW, for kernels on a processor (tests/emulate): their memory is the
 * host's, and what is queued is done at once. Bits depend on no place in memory, and those of a box
 * in space are those of its planes and its columns: each of them is transformed alone. */
#include "gpu/fft.h"

#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"

enum { HOW = FFTW_ESTIMATE | FFTW_UNALIGNED };

const char *const sl_fft_names = "FFTW, which emulates cuFFT";

struct sl_fft {
    int n[3], box[3], plane[2], planes, slab[2], slabs;
    struct sl_fft_columns columns;
};

struct sl_fft *sl_fft_open(void)
{
    return calloc(1, sizeof(struct sl_fft));
}

void sl_fft_close(struct sl_fft *f)
{
    free(f);
}

void sl_fft_drop(struct sl_fft *f)
{
    (void)f; /* plans are made when they are used */
}

int sl_fft_plan(struct sl_fft *f, const int n[3], void *stream)
{
    (void)stream;
    memcpy(f->n, n, sizeof f->n);
    return SL_OK;
}

int sl_fft_plan_box(struct sl_fft *f, const int n[3], void *stream)
{
    (void)stream;
    memcpy(f->box, n, sizeof f->box);
    return SL_OK;
}

static int run(fftw_plan plan)
{
    SL_CHECK(plan, SL_EMEM, "FFTW cannot plan a transform");
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return SL_OK;
}

int sl_fft_plane(const struct sl_fft *f, double *plane, void *modes)
{
    return run(fftw_plan_dft_r2c_2d(f->n[1], f->n[0], plane, modes, HOW));
}

int sl_fft_row(const struct sl_fft *f, void *modes)
{
    int lines = f->n[0] / 2 + 1;
    return run(fftw_plan_many_dft(1, &f->n[2], lines, modes, NULL, lines, 1, modes, NULL, lines, 1,
                                  FFTW_FORWARD, HOW));
}

static size_t modes_of_plane(const int n[2])
{
    return (size_t)n[1] * (size_t)(n[0] / 2 + 1);
}

static int planes_forth(const int n[2], int count, fftw_complex *box)
{
    for (int k = 0; k < count; k++, box += modes_of_plane(n))
        SL_TRY(run(n[1] > 1 ? fftw_plan_dft_r2c_2d(n[1], n[0], (double *)box, box, HOW)
                            : fftw_plan_dft_r2c_1d(n[0], (double *)box, box, HOW)));
    return SL_OK;
}

static int planes_back(const int n[2], int count, fftw_complex *box)
{
    for (int k = 0; k < count; k++, box += modes_of_plane(n))
        SL_TRY(run(n[1] > 1 ? fftw_plan_dft_c2r_2d(n[1], n[0], box, (double *)box, HOW)
                            : fftw_plan_dft_c2r_1d(n[0], box, (double *)box, HOW)));
    return SL_OK;
}

static void column_copy(fftw_complex *from, size_t step, fftw_complex *to, size_t to_step, int n)
{
    for (int k = 0; k < n; k++, from += step, to += to_step)
        memcpy(to, from, sizeof *to);
}

static int columns(const struct sl_fft_columns *c, fftw_complex *at, int sign)
{
    size_t apart = (size_t)c->apart;
    fftw_complex *list = fftw_malloc((size_t)c->n * sizeof *list);
    fftw_plan plan = list ? fftw_plan_dft_1d(c->n, list, list, sign, HOW) : NULL;
    for (int i = 0; i < c->count && plan; i++, at++) {
        column_copy(at, apart, list, 1, c->n);
        fftw_execute(plan);
        column_copy(list, 1, at, apart, c->n);
    }
    int code = plan ? SL_OK : SL_FAIL(SL_EMEM, "FFTW cannot plan a transform");
    fftw_destroy_plan(plan);
    fftw_free(list);
    return code;
}

static int columns_of(const int n[3], double *box, int sign)
{
    int plane = n[1] * (n[0] / 2 + 1);
    const struct sl_fft_columns all = {n[2], plane, plane};
    return n[2] > 1 ? columns(&all, (fftw_complex *)box, sign) : SL_OK;
}

int sl_fft_forth(const struct sl_fft *f, double *box)
{
    SL_TRY(planes_forth(f->box, f->box[2], (fftw_complex *)box));
    return columns_of(f->box, box, FFTW_FORWARD);
}

int sl_fft_back(const struct sl_fft *f, double *box)
{
    SL_TRY(columns_of(f->box, box, FFTW_BACKWARD));
    return planes_back(f->box, f->box[2], (fftw_complex *)box);
}

int sl_fft_plan_back(struct sl_fft *f, const int n[3], void *stream)
{
    return sl_fft_plan_box(f, n, stream);
}

int sl_fft_plan_columns(struct sl_fft *f, const struct sl_fft_columns *c, void *stream)
{
    (void)stream;
    f->columns = *c;
    return SL_OK;
}

int sl_fft_columns(const struct sl_fft *f, void *modes, int sign)
{
    return columns(&f->columns, modes, sign);
}

int sl_fft_plan_planes(struct sl_fft *f, const int n[2], int count, void *stream)
{
    (void)stream;
    memcpy(f->plane, n, sizeof f->plane);
    f->planes = count;
    return SL_OK;
}

int sl_fft_planes_back(const struct sl_fft *f, void *modes, double *planes)
{
    size_t from = (size_t)f->plane[1] * (size_t)(f->plane[0] / 2 + 1),
           to = (size_t)f->plane[1] * (size_t)f->plane[0];
    for (size_t i = 0; i < (size_t)f->planes; i++)
        SL_TRY(run(fftw_plan_dft_c2r_2d(f->plane[1], f->plane[0], (fftw_complex *)modes + i * from,
                                        planes + i * to, HOW)));
    return SL_OK;
}

int sl_fft_plan_slab(struct sl_fft *f, const int n[2], int count, void *stream)
{
    (void)stream;
    memcpy(f->slab, n, sizeof f->slab);
    f->slabs = count;
    return SL_OK;
}

int sl_fft_slab_forth(const struct sl_fft *f, double *slab)
{
    return planes_forth(f->slab, f->slabs, (fftw_complex *)slab);
}

int sl_fft_slab_back(const struct sl_fft *f, double *slab)
{
    return planes_back(f->slab, f->slabs, (fftw_complex *)slab);
}
