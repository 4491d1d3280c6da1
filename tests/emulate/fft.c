/* fft.c - gpu/fft.h by FFTW, for kernels on a processor (tests/emulate): their memory is the
 * host's, and what is queued is done at once. Bits depend on no place in memory. */
#include "gpu/fft.h"

#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"

enum { HOW = FFTW_ESTIMATE | FFTW_UNALIGNED };

const char *const sl_fft_names = "FFTW, which emulates cuFFT";

struct sl_fft {
    int n[3], box[3], plane[2], planes;
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

int sl_fft_forth(const struct sl_fft *f, double *box)
{
    const int *n = f->box;
    return run(fftw_plan_dft_r2c_3d(n[2], n[1], n[0], box, (fftw_complex *)box, HOW));
}

int sl_fft_back(const struct sl_fft *f, double *box)
{
    const int *n = f->box;
    return run(fftw_plan_dft_c2r_3d(n[2], n[1], n[0], (fftw_complex *)box, box, HOW));
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
    const struct sl_fft_columns *c = &f->columns;
    return run(fftw_plan_many_dft(1, &c->n, c->count, modes, NULL, c->apart, 1, modes, NULL,
                                  c->apart, 1, sign, HOW));
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
