/* fft.c - see fft.h. */
#include "gpu/fft.h"

#include <stdlib.h>
#include <string.h>

#include "core/sys/library.h"
#include "core/sys/status.h"

/* Of cuFFT's interface, the same since version 10. */
enum {
    REAL_TO_COMPLEX = 0x6a,
    COMPLEX_TO_REAL = 0x6c,
    COMPLEX = 0x69,
    FORWARD = -1,
    NO_MEMORY = 2,
    NONE = -1
};

const char *const sl_fft_names = "libcufft.so.12, .11 and .10";

struct sl_fft {
    int n[3];            /* of the plans */
    int plane, row;      /* plans; NONE: there is none, or none is needed */
    int forth, back;     /* of a box; likewise */
    int columns, planes; /* likewise */
    int slab, slab_back; /* likewise */
    int (*plan)(int *plan, int rank, int *n, int *in, int in_step, int in_next, int *out,
                int out_step, int out_next, int type, int batch);
    int (*queue)(int plan, void *stream);
    int (*forget)(int plan);
    int (*real_to_complex)(int plan, double *in, void *out);
    int (*complex_to_real)(int plan, void *in, double *out);
    int (*complex_to_complex)(int plan, void *in, void *out, int sign);
};

static int look_up(struct sl_fft *f)
{
    static const char *const names[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so.10", NULL};
    void *lib = sl_library_open(names);
    return lib && sl_library_find(lib, "cufftPlanMany", &f->plan) &&
           sl_library_find(lib, "cufftSetStream", &f->queue) &&
           sl_library_find(lib, "cufftDestroy", &f->forget) &&
           sl_library_find(lib, "cufftExecD2Z", &f->real_to_complex) &&
           sl_library_find(lib, "cufftExecZ2D", &f->complex_to_real) &&
           sl_library_find(lib, "cufftExecZ2Z", &f->complex_to_complex);
}

struct sl_fft *sl_fft_open(void)
{
    struct sl_fft *f = calloc(1, sizeof *f);
    if (f && !look_up(f)) {
        free(f);
        return NULL;
    }
    if (f) f->plane = f->row = f->forth = f->back = f->columns = f->planes = NONE;
    if (f) f->slab = f->slab_back = NONE;
    return f;
}

static void drop_one(const struct sl_fft *f, int *plan)
{
    if (*plan != NONE) f->forget(*plan);
    *plan = NONE;
}

static void drop(struct sl_fft *f)
{
    drop_one(f, &f->plane);
    drop_one(f, &f->row);
}

static void drop_box(struct sl_fft *f)
{
    drop_one(f, &f->forth);
    drop_one(f, &f->back);
}

static void drop_band(struct sl_fft *f)
{
    drop_one(f, &f->columns);
    drop_one(f, &f->planes);
}

static void drop_slab(struct sl_fft *f)
{
    drop_one(f, &f->slab);
    drop_one(f, &f->slab_back);
}

void sl_fft_drop(struct sl_fft *f)
{
    if (f) drop(f), drop_box(f), drop_band(f), drop_slab(f);
}

void sl_fft_close(struct sl_fft *f)
{
    sl_fft_drop(f);
    free(f);
}

static int check(int code)
{
    SL_CHECK(code != NO_MEMORY, SL_EMEM, "cuFFT: no room on the device");
    SL_CHECK(code == 0, SL_EUNAVAIL, "cuFFT: error %d", code);
    return SL_OK;
}

static int plan_plane(struct sl_fft *f, const int n[3], void *stream)
{
    int sides[2] = {n[1], n[0]}, flat = n[1] == 1;
    SL_TRY(check(
        f->plan(&f->plane, 2 - flat, sides + flat, NULL, 1, 0, NULL, 1, 0, REAL_TO_COMPLEX, 1)));
    return check(f->queue(f->plane, stream));
}

static int plan_row(struct sl_fft *f, const int n[3], void *stream)
{
    int size = n[2], lines = n[0] / 2 + 1;
    SL_TRY(check(f->plan(&f->row, 1, &size, &size, lines, 1, &size, lines, 1, COMPLEX, lines)));
    return check(f->queue(f->row, stream));
}

int sl_fft_plan(struct sl_fft *f, const int n[3], void *stream)
{
    if (f->plane != NONE && memcmp(f->n, n, sizeof f->n) == 0) return SL_OK;
    drop(f);
    int code = plan_plane(f, n, stream);
    if (code == SL_OK && n[2] > 1) code = plan_row(f, n, stream);
    if (code != SL_OK) drop(f);
    memcpy(f->n, n, sizeof f->n);
    return code;
}

int sl_fft_plane(const struct sl_fft *f, double *plane, void *modes)
{
    return check(f->real_to_complex(f->plane, plane, modes));
}

int sl_fft_row(const struct sl_fft *f, void *modes)
{
    if (f->row == NONE) return SL_OK; /* of one cell */
    return check(f->complex_to_complex(f->row, modes, modes, FORWARD));
}

/* ---- a box ---------------------------------------------------------------------------------- */

static int plan_box(const struct sl_fft *f, int *plan, int type, const int n[3], void *stream)
{
    int sides[3] = {n[2], n[1], n[0]}, flat = n[2] > 1 ? 0 : n[1] > 1 ? 1 : 2;
    SL_TRY(check(f->plan(plan, 3 - flat, sides + flat, NULL, 1, 0, NULL, 1, 0, type, 1)));
    return check(f->queue(*plan, stream));
}

int sl_fft_plan_box(struct sl_fft *f, const int n[3], void *stream)
{
    drop_box(f);
    int code = plan_box(f, &f->forth, REAL_TO_COMPLEX, n, stream);
    if (code == SL_OK) code = plan_box(f, &f->back, COMPLEX_TO_REAL, n, stream);
    if (code != SL_OK) drop_box(f);
    return code;
}

int sl_fft_forth(const struct sl_fft *f, double *box)
{
    return check(f->real_to_complex(f->forth, box, box));
}

int sl_fft_back(const struct sl_fft *f, double *box)
{
    return check(f->complex_to_real(f->back, box, box));
}

int sl_fft_plan_back(struct sl_fft *f, const int n[3], void *stream)
{
    drop_box(f);
    int code = plan_box(f, &f->back, COMPLEX_TO_REAL, n, stream);
    if (code != SL_OK) drop_box(f);
    return code;
}

/* ---- a band of modes ------------------------------------------------------------------------- */

int sl_fft_plan_columns(struct sl_fft *f, const struct sl_fft_columns *c, void *stream)
{
    int n = c->n, apart = c->apart;
    drop_one(f, &f->columns);
    if (c->count == 0) return SL_OK;
    SL_TRY(check(f->plan(&f->columns, 1, &n, &n, apart, 1, &n, apart, 1, COMPLEX, c->count)));
    return check(f->queue(f->columns, stream));
}

int sl_fft_columns(const struct sl_fft *f, void *modes, int sign)
{
    if (f->columns == NONE) return SL_OK;
    return check(f->complex_to_complex(f->columns, modes, modes, sign));
}

int sl_fft_plan_planes(struct sl_fft *f, const int n[2], int count, void *stream)
{
    int sides[2] = {n[1], n[0]};
    drop_one(f, &f->planes);
    SL_TRY(check(f->plan(&f->planes, 2, sides, NULL, 1, 0, NULL, 1, 0, COMPLEX_TO_REAL, count)));
    return check(f->queue(f->planes, stream));
}

int sl_fft_planes_back(const struct sl_fft *f, void *modes, double *planes)
{
    return check(f->complex_to_real(f->planes, modes, planes));
}

/* ---- a slab ---------------------------------------------------------------------------------- */

static int plan_slab(const struct sl_fft *f, int *plan, int type, const int n[2], int count,
                     void *stream)
{
    int sides[2] = {n[1], n[0]}, cells[2] = {n[1], 2 * (n[0] / 2 + 1)},
        modes[2] = {n[1], n[0] / 2 + 1};
    int forth = type == REAL_TO_COMPLEX, *in = forth ? cells : modes, *out = forth ? modes : cells;
    SL_TRY(
        check(f->plan(plan, 2, sides, in, 1, in[0] * in[1], out, 1, out[0] * out[1], type, count)));
    return check(f->queue(*plan, stream));
}

int sl_fft_plan_slab(struct sl_fft *f, const int n[2], int count, void *stream)
{
    drop_slab(f);
    if (count == 0) return SL_OK;
    int code = plan_slab(f, &f->slab, REAL_TO_COMPLEX, n, count, stream);
    if (code == SL_OK) code = plan_slab(f, &f->slab_back, COMPLEX_TO_REAL, n, count, stream);
    if (code != SL_OK) drop_slab(f);
    return code;
}

int sl_fft_slab_forth(const struct sl_fft *f, double *slab)
{
    if (f->slab == NONE) return SL_OK;
    return check(f->real_to_complex(f->slab, slab, slab));
}

int sl_fft_slab_back(const struct sl_fft *f, double *slab)
{
    if (f->slab_back == NONE) return SL_OK;
    return check(f->complex_to_real(f->slab_back, slab, slab));
}
