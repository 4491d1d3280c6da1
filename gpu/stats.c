/* stats.c - statistics on CUDA devices, host part: what goes to the device, between ranks, and in
 * which order.
 *
 * A spectrum: planes go up some at a time, are transformed, and each line of modes goes where its
 * row lies, on this rank or in the message to another; rows are transformed along z and added up.
 * Structure functions: the fields stay on the device, and planes of other ranks come to it for each
 * step along z, or, where devices do not reach each other, once, all of them.
 *
 * Shapes  as in core/measure/device.h
 * Units   code units
 * Errors  SL_EMEM, SL_EUNAVAIL, SL_EMPI
 * Owns    the device, its memory, plans
 * MPI     collective over the communicator that it was opened for. Messages go from device to
 *         device through NCCL where it is found and no two ranks share a device, else through
 *         pinned memory
 * Where   host calls
 * Refs    none
 * Tests   tests/gpu/stats.c
 */
#include <stdlib.h>
#include <string.h>

#include "core/measure/device.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/sys/threads.h"
#include "gpu/deposit_gpu.h"
#include "gpu/device.h"
#include "gpu/fft.h"
#include "gpu/friends_gpu.h"
#include "gpu/lent_gpu.h"
#include "gpu/nccl.h"
#include "gpu/node.h"
#include "gpu/stats_gpu.h"

/* What goes up at once waits for what is computed before: not too little, and not all. */
enum { UPLOAD = 64 << 20, ALIGN = 256, MODE = 2 * sizeof(double), LENT = 16 };

struct device {
    struct sl_stats_device face; /* first: what core knows */
    MPI_Comm comm;               /* borrowed */
    struct sl_stats_gpu *gpu;
    struct sl_fft *fft;   /* NULL: there is none */
    struct sl_nccl *nccl; /* borrowed; NULL: messages go through MPI */
    int rank, size;
    /* of structure functions */
    struct sl_slab slab; /* of the fields that are held */
    struct sl_stats_gpu_separation held;
    double *scratch, *sums;
    struct {
        double *at;
        size_t n;
    } lent[LENT]; /* owned; at NULL: none */
};

static int check(const char *text)
{
    SL_CHECK(!text, SL_EUNAVAIL, "CUDA: %s", text);
    return SL_OK;
}

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* A part of the room, behind those before it. */
static size_t part(size_t *total, size_t bytes)
{
    size_t at = *total;
    *total += aligned(bytes);
    return at;
}

static int room(struct device *d, size_t bytes, char **out)
{
    const char *text = sl_stats_gpu_room(d->gpu, bytes, out);
    SL_CHECK(!text, SL_EMEM, "a device has no room for %.3g GB (%s)", 1e-9 * (double)bytes, text);
    return SL_OK;
}

/* ---- spectra --------------------------------------------------------------------------------- */

/* One spectrum: places in the room, and what goes to and comes from the other ranks. */
struct transpose {
    struct device *d;
    const struct sl_slab *s;
    const struct sl_modes *m;
    size_t plane, modes; /* bytes of a plane, before and after its transform */
    size_t pitch; /* from plane to plane on the device: cuFFT takes none that is not aligned */
    int planes;   /* that go up at once */
    char *room, *real, *mode, *row[3], *sums, *windows;
    char *out, *in; /* messages of all ranks one after the other */
};

static size_t rows_bytes(const struct transpose *t)
{
    return (size_t)t->s->ny * (size_t)t->s->n[2] * (size_t)t->m->nkx * MODE;
}

static size_t sums_bytes(const struct transpose *t)
{
    return (size_t)t->s->ny * (size_t)(t->m->nshell + 2) * SL_SPECTRUM_COLUMNS * sizeof(double);
}

/* Of windows along an axis, three in all. */
static size_t window_bytes(const struct transpose *t, int axis)
{
    return ((size_t)t->s->n[axis] / 2 + 1) * sizeof(double);
}

static size_t windows_bytes(const struct transpose *t)
{
    return 3 * (window_bytes(t, 0) + window_bytes(t, 1) + window_bytes(t, 2));
}

static int transpose_room(struct transpose *t)
{
    const struct sl_slab *s = t->s;
    size_t total = 0, at[9] = {0}, rows = rows_bytes(t), planes = (size_t)s->nz * t->modes;
    int many = s->size > 1;
    at[0] = part(&total, (size_t)t->planes * t->pitch);
    at[1] = part(&total, t->modes);
    at[2] = part(&total, sums_bytes(t));
    for (int c = 0; c < t->m->ncomp; c++)
        at[3 + c] = part(&total, rows);
    at[6] = part(&total, many ? planes : 0);
    at[7] = part(&total, many ? rows : 0);
    at[8] = part(&total, windows_bytes(t));
    SL_TRY(room(t->d, total + 1, &t->room));
    t->real = t->room + at[0], t->mode = t->room + at[1], t->sums = t->room + at[2];
    for (int c = 0; c < t->m->ncomp; c++)
        t->row[c] = t->room + at[3 + c];
    t->out = t->room + at[6], t->in = t->room + at[7], t->windows = t->room + at[8];
    return SL_OK;
}

/* Rows of rank r, and its planes. */
static int first_row(const struct transpose *t, int r)
{
    return sl_slab_first(t->s->n[1], r, t->s->size);
}

static int first_plane(const struct transpose *t, int r)
{
    return sl_slab_first(t->s->n[2], r, t->s->size);
}

static size_t out_at(const struct transpose *t, int r)
{
    return (size_t)t->s->nz * (size_t)first_row(t, r) * (size_t)t->m->nkx * MODE;
}

static size_t in_at(const struct transpose *t, int r)
{
    return (size_t)first_plane(t, r) * (size_t)t->s->ny * (size_t)t->m->nkx * MODE;
}

/* Lines of own plane k: to own rows, or into messages [own planes][rows there]. */
static int scatter(const struct transpose *t, int c, int k)
{
    const struct sl_slab *s = t->s;
    size_t nkx = (size_t)t->m->nkx, line = nkx * MODE, n2 = (size_t)s->n[2];
    for (int r = 0; r < s->size; r++) {
        int y0 = first_row(t, r), lines = first_row(t, r + 1) - y0, own = r == s->rank;
        char *to = own ? t->row[c] + (size_t)(s->z0 + k) * line
                       : t->out + out_at(t, r) + (size_t)k * (size_t)lines * line;
        SL_TRY(check(sl_stats_gpu_place(t->d->gpu, t->mode + (size_t)y0 * line, to, lines, 1,
                                        t->m->nkx, own ? n2 * nkx : nkx)));
    }
    return SL_OK;
}

static int transform_planes(const struct transpose *t, int c, const double *f)
{
    const struct sl_slab *s = t->s;
    size_t cells = t->plane / sizeof(double);
    for (int k = 0; k < s->nz; k++) {
        int in = k % t->planes, more = s->nz - k < t->planes ? s->nz - k : t->planes;
        char *real = t->real + (size_t)in * t->pitch;
        if (in == 0)
            SL_TRY(check(sl_stats_gpu_put_planes(t->d->gpu, real, t->pitch, f + (size_t)k * cells,
                                                 t->plane, more)));
        SL_TRY(sl_fft_plane(t->d->fft, (double *)(void *)real, t->mode));
        SL_TRY(scatter(t, c, k));
    }
    return SL_OK;
}

/* Messages from device to device. */
static int swap_nccl(const struct transpose *t)
{
    const struct device *d = t->d;
    void *stream = sl_stats_gpu_stream(d->gpu);
    SL_TRY(sl_nccl_begin(d->nccl));
    for (int r = 0; r < d->size; r++) {
        size_t out = out_at(t, r + 1) - out_at(t, r), in = in_at(t, r + 1) - in_at(t, r);
        if (r == d->rank) continue;
        if (out > 0) SL_TRY(sl_nccl_send(d->nccl, t->out + out_at(t, r), out, r, stream));
        if (in > 0) SL_TRY(sl_nccl_receive(d->nccl, t->in + in_at(t, r), in, r, stream));
    }
    return sl_nccl_end(d->nccl);
}

static void post(const struct transpose *t, char *out, char *in, MPI_Datatype line,
                 MPI_Request *request)
{
    const struct sl_slab *s = t->s;
    size_t bytes = (size_t)t->m->nkx * MODE;
    for (int r = 0; r < s->size; r++) {
        int there = (int)((in_at(t, r + 1) - in_at(t, r)) / bytes),
            here = (int)((out_at(t, r + 1) - out_at(t, r)) / bytes);
        request[2 * r] = request[2 * r + 1] = MPI_REQUEST_NULL;
        if (r == s->rank) continue;
        MPI_Irecv(in + in_at(t, r), there, line, r, 0, t->d->comm, &request[2 * r]);
        MPI_Isend(out + out_at(t, r), here, line, r, 0, t->d->comm, &request[2 * r + 1]);
    }
}

/* Messages through pinned memory, where those to others are: lines are counted, as bytes may be
 * more than an int holds. */
static int swap_mpi(const struct transpose *t, char *const pinned[2], MPI_Request *request)
{
    MPI_Datatype line;
    MPI_Type_contiguous(2 * t->m->nkx, MPI_DOUBLE, &line);
    MPI_Type_commit(&line);
    post(t, pinned[0], pinned[1], line, request);
    MPI_Waitall(2 * t->s->size, request, MPI_STATUSES_IGNORE);
    MPI_Type_free(&line);
    return check(sl_stats_gpu_put(t->d->gpu, t->in, pinned[1], rows_bytes(t)));
}

static int swap(const struct transpose *t)
{
    struct device *d = t->d;
    char *pinned[2];
    MPI_Request *request = NULL;
    if (d->nccl) return swap_nccl(t);
    size_t out = (size_t)t->s->nz * t->modes, in = rows_bytes(t);
    int code = sl_alloc("messages of modes", 2 * (size_t)d->size, sizeof *request, &request);
    if (code == SL_OK) code = check(sl_stats_gpu_pinned(d->gpu, (out > in ? out : in) + 1, pinned));
    if (code == SL_OK) code = check(sl_stats_gpu_get(d->gpu, pinned[0], t->out, out));
    code = sl_agree(d->comm, code);
    if (code == SL_OK) code = swap_mpi(t, pinned, request);
    free(request);
    return code;
}

/* What came, [planes there][own rows], to own rows: planes from z on. */
static int gather(const struct transpose *t, int c, int z, int planes)
{
    size_t nkx = (size_t)t->m->nkx, line = nkx * MODE;
    return check(sl_stats_gpu_place(t->d->gpu, t->in + (size_t)z * (size_t)t->s->ny * line,
                                    t->row[c] + (size_t)z * line, t->s->ny, planes, t->m->nkx,
                                    (size_t)t->s->n[2] * nkx));
}

/* Those below the own ones, and those above. */
static int gather_all(const struct transpose *t, int c)
{
    int end = t->s->z0 + t->s->nz;
    SL_TRY(gather(t, c, 0, t->s->z0));
    return gather(t, c, end, t->s->n[2] - end);
}

static int transform_rows(const struct transpose *t, int c)
{
    size_t row = (size_t)t->s->n[2] * (size_t)t->m->nkx * MODE;
    for (int y = 0; y < t->s->ny; y++)
        SL_TRY(sl_fft_row(t->d->fft, t->row[c] + (size_t)y * row));
    return SL_OK;
}

static int transform(const struct transpose *t, const double *const f[])
{
    int code = SL_OK;
    for (int c = 0; c < t->m->ncomp; c++) {
        if (code == SL_OK) code = transform_planes(t, c, f[c]);
        code = sl_agree(t->d->comm, code);
        if (code == SL_OK && t->s->size > 1) code = swap(t);
        if (code == SL_OK && t->s->size > 1) code = gather_all(t, c);
        if (code == SL_OK) code = transform_rows(t, c);
    }
    return code;
}

/* A list of an axis, if there is one, to where *at is, which moves on. */
static int put_window(const struct transpose *t, int axis, char **at, const double **list)
{
    char *to = *at;
    if (!*list) return SL_OK;
    *at += window_bytes(t, axis);
    SL_TRY(check(sl_stats_gpu_put(t->d->gpu, to, *list, window_bytes(t, axis))));
    *list = (const double *)(void *)to;
    return SL_OK;
}

/* The same modes, whose windows are on the device. */
static int put_windows(const struct transpose *t, struct sl_modes *there)
{
    char *at = t->windows;
    *there = *t->m;
    for (int axis = 0; axis < 3; axis++) {
        SL_TRY(put_window(t, axis, &at, &there->window[axis]));
        SL_TRY(put_window(t, axis, &at, &there->alias[axis]));
        SL_TRY(put_window(t, axis, &at, &there->images[axis]));
    }
    return SL_OK;
}

static int add_modes(const struct transpose *t, double *sums)
{
    struct sl_stats_gpu *gpu = t->d->gpu;
    const void *const row[] = {t->row[0], t->row[1], t->row[2]};
    double *on = (double *)(void *)t->sums;
    struct sl_modes there;
    SL_TRY(check(sl_stats_gpu_clear(gpu, on, sums_bytes(t))));
    SL_TRY(put_windows(t, &there));
    SL_TRY(check(sl_stats_gpu_shells(gpu, &there, t->s->y0, t->s->ny, row, on)));
    return check(sl_stats_gpu_get(gpu, sums, on, sums_bytes(t)));
}

static int modes(struct sl_stats_device *face, const struct sl_slab *s, const struct sl_modes *m,
                 const double *const f[], double *sums)
{
    struct device *d = (struct device *)face;
    struct transpose t = {.d = d, .s = s, .m = m};
    t.plane = (size_t)s->n[1] * (size_t)s->n[0] * sizeof(double);
    t.modes = (size_t)s->n[1] * (size_t)m->nkx * MODE;
    t.pitch = aligned(t.plane);
    t.planes = t.plane < UPLOAD ? (int)(UPLOAD / t.plane) : 1;
    if (t.planes > s->nz) t.planes = s->nz > 0 ? s->nz : 1;
    int code = check(sl_stats_gpu_take(d->gpu));
    if (code == SL_OK) code = sl_fft_plan(d->fft, s->n, sl_stats_gpu_stream(d->gpu));
    if (code == SL_OK) code = transpose_room(&t);
    SL_TRY(sl_agree(d->comm, code));
    code = transform(&t, f);
    if (code == SL_OK) code = add_modes(&t, sums);
    return sl_agree(d->comm, code);
}

/* ---- structure functions --------------------------------------------------------------------- */

static size_t plane_bytes(const struct sl_stats_gpu_separation *w)
{
    return (size_t)w->n[1] * (size_t)w->n[0] * sizeof(double);
}

/* Where devices reach each other: own planes, and for each step those of others. Else all planes of
 * all ranks. */
static int hold_room(struct device *d)
{
    struct sl_stats_gpu_separation *w = &d->held;
    size_t bytes = (size_t)(d->nccl ? w->nz : w->n[2]) * plane_bytes(w), total = 0, first[3],
           far[3];
    size_t sums = part(&total, (size_t)w->nz * SL_STRUCTURE_COLUMNS * sizeof(double)),
           scratch = part(&total, (size_t)w->nz * sl_stats_gpu_scratch(w->n) * sizeof(double));
    char *at;
    for (int c = 0; c < w->ncomp; c++) {
        first[c] = part(&total, bytes);
        far[c] = d->nccl ? part(&total, bytes) : first[c];
    }
    SL_TRY(room(d, total + 1, &at));
    d->sums = (double *)(void *)(at + sums), d->scratch = (double *)(void *)(at + scratch);
    for (int c = 0; c < w->ncomp; c++) {
        size_t own = d->nccl ? 0 : (size_t)w->z0 * plane_bytes(w);
        w->near[c] = (const double *)(void *)(at + first[c] + own);
        w->far[c] = (const double *)(void *)(at + far[c]);
    }
    return SL_OK;
}

/* n planes of component c, from z on, from rank r to the devices of all others. */
static int spread(const struct device *d, int c, int r, int z, int n, const double *f, char *pinned)
{
    const struct sl_stats_gpu_separation *w = &d->held;
    size_t plane = plane_bytes(w), bytes = (size_t)n * plane;
    int mine = r == d->rank;
    char *from = mine ? (char *)(uintptr_t)f + (size_t)(z - w->z0) * plane : pinned;
    SL_CHECK(MPI_Bcast(from, (int)(bytes / sizeof(double)), MPI_DOUBLE, r, d->comm) == MPI_SUCCESS,
             SL_EMPI, "cannot hand planes on to other ranks");
    if (mine) return SL_OK;
    char *to = (char *)(uintptr_t)w->far[c] + (size_t)z * plane;
    SL_TRY(check(sl_stats_gpu_put(d->gpu, to, pinned, bytes)));
    return check(sl_stats_gpu_wait(d->gpu));
}

/* Planes that go through the host at once. */
static int planes_at_once(const struct sl_stats_gpu_separation *w)
{
    size_t plane = plane_bytes(w);
    return plane < UPLOAD ? (int)(UPLOAD / plane) : 1;
}

/* A rank that fails takes part in what is left: the others wait for it. */
static int spread_all(const struct device *d, const double *const f[], char *pinned)
{
    const struct sl_stats_gpu_separation *w = &d->held;
    int code = SL_OK, most = planes_at_once(w);
    for (int i = 0; i < d->size * w->ncomp; i++) {
        int r = i / w->ncomp, c = i % w->ncomp, end = sl_slab_first(w->n[2], r + 1, d->size);
        for (int z = sl_slab_first(w->n[2], r, d->size); z < end; z += most) {
            int done = spread(d, c, r, z, end - z < most ? end - z : most, f[c], pinned);
            if (code == SL_OK) code = done;
        }
    }
    return code;
}

static int put_own(struct device *d, const double *const f[])
{
    const struct sl_stats_gpu_separation *w = &d->held;
    SL_TRY(check(sl_stats_gpu_take(d->gpu)));
    SL_TRY(hold_room(d));
    for (int c = 0; c < w->ncomp; c++)
        SL_TRY(check(sl_stats_gpu_put(d->gpu, (void *)(uintptr_t)w->near[c], f[c],
                                      (size_t)w->nz * plane_bytes(w))));
    return SL_OK;
}

static int hold(struct sl_stats_device *face, const struct sl_slab *s, int ncomp,
                const double *const f[])
{
    struct device *d = (struct device *)face;
    struct sl_stats_gpu_separation *w = &d->held;
    char *pinned[2];
    *w = (struct sl_stats_gpu_separation){.ncomp = ncomp, .z0 = s->z0, .nz = s->nz};
    memcpy(w->n, s->n, sizeof w->n);
    d->slab = *s;
    int code = put_own(d, f);
    if (d->size == 1 || d->nccl) return code;
    size_t bytes = (size_t)planes_at_once(w) * plane_bytes(w);
    if (code == SL_OK) code = check(sl_stats_gpu_pinned(d->gpu, bytes, pinned));
    SL_TRY(sl_agree(d->comm, code));
    return spread_all(d, f, pinned[0]);
}

/* Planes next to each other that rank `owner` has and rank `wants` steps to, as they count them;
 * the second of two: those beyond the upper end of the box. */
struct run {
    int there, here, n;
};

static struct run run_of(const struct sl_slab *s, int owner, int wants, int step, int beyond)
{
    int n2 = s->n[2], wrap = beyond ? n2 : 0;
    int from = sl_slab_first(n2, wants, s->size) + step,
        end = sl_slab_first(n2, wants + 1, s->size) + step,
        own = sl_slab_first(n2, owner, s->size) + wrap,
        own_end = sl_slab_first(n2, owner + 1, s->size) + wrap;
    int lo = from > own ? from : own, hi = end < own_end ? end : own_end;
    return (struct run){lo - own, lo - from, hi > lo ? hi - lo : 0};
}

/* Component c, to and from rank r. */
static int fetch(const struct device *d, int c, int r, int step, int beyond)
{
    const struct sl_stats_gpu_separation *w = &d->held;
    struct run out = run_of(&d->slab, d->rank, r, step, beyond),
               in = run_of(&d->slab, r, d->rank, step, beyond);
    size_t plane = plane_bytes(w);
    const char *from = (const char *)w->near[c] + (size_t)out.there * plane;
    char *to = (char *)(uintptr_t)w->far[c] + (size_t)in.here * plane;
    if (r == d->rank)
        return out.n > 0 ? check(sl_stats_gpu_copy(d->gpu, to, from, (size_t)out.n * plane))
                         : SL_OK;
    void *stream = sl_stats_gpu_stream(d->gpu);
    if (out.n > 0) SL_TRY(sl_nccl_send(d->nccl, from, (size_t)out.n * plane, r, stream));
    if (in.n > 0) SL_TRY(sl_nccl_receive(d->nccl, to, (size_t)in.n * plane, r, stream));
    return SL_OK;
}

/* All planes that are a step along z on, from device to device. */
static int fetch_all(const struct device *d, int step)
{
    SL_TRY(sl_nccl_begin(d->nccl));
    for (int i = 0; i < 2 * d->held.ncomp * d->size; i++)
        SL_TRY(fetch(d, i / 2 % d->held.ncomp, i / 2 / d->held.ncomp, step, i % 2));
    return sl_nccl_end(d->nccl);
}

static int add_separation(const struct device *d, const struct sl_separation *separation)
{
    struct sl_stats_gpu_separation w = d->held;
    int deep = separation->step[2] > 0; /* else plane by plane among the own ones */
    w.separation = *separation;
    w.far_all = deep && !d->nccl;
    for (int a = 0; a < 3; a++)
        w.separation.step[a] = (separation->step[a] + w.n[a]) % w.n[a];
    for (int c = 0; c < w.ncomp && !deep; c++)
        w.far[c] = w.near[c];
    return check(sl_stats_gpu_differences(d->gpu, &w, d->scratch, d->sums));
}

static int differences(struct sl_stats_device *face, int nseparation,
                       const struct sl_separation *separation, double *sums)
{
    struct device *d = (struct device *)face;
    size_t bytes = (size_t)d->held.nz * SL_STRUCTURE_COLUMNS * sizeof(double);
    int step = 0;
    for (int i = 0; i < nseparation; i++)
        step = separation[i].step[2] > step ? separation[i].step[2] : step;
    SL_TRY(check(sl_stats_gpu_take(d->gpu)));
    SL_TRY(check(sl_stats_gpu_clear(d->gpu, d->sums, bytes)));
    if (step > 0 && d->nccl) SL_TRY(fetch_all(d, step));
    for (int i = 0; i < nseparation; i++)
        SL_TRY(add_separation(d, separation + i));
    return check(sl_stats_gpu_get(d->gpu, sums, d->sums, bytes));
}

/* ---- friends of friends ---------------------------------------------------------------------- */

static int friends(struct sl_stats_device *face, size_t n, const uint32_t *x, double length,
                   const double side[3], uint32_t *root)
{
    struct device *d = (struct device *)face;
    int full;
    const char *text = sl_friends_gpu(d->gpu, n, x, length, side, root, &full);
    SL_CHECK(!full, SL_EMEM, "a device has no room for %zu particles (%s)", n, text);
    return check(text);
}

/* ---- particles in cells ---------------------------------------------------------------------- */

static int deposit(struct sl_stats_device *face, const struct sl_slab *s, int order,
                   const struct sl_touch_list *list, double mean, double *contrast, unsigned *found)
{
    struct device *d = (struct device *)face;
    struct sl_deposit_gpu what = {.order = order, .z0 = s->z0, .nz = s->nz, .mean = mean};
    int full;
    memcpy(what.n, s->n, sizeof what.n);
    const char *text = sl_deposit_gpu(d->gpu, &what, list, contrast, found, &full);
    SL_CHECK(!full, SL_EMEM, "a device has no room for %d x %d x %d cells (%s)", s->n[0], s->n[1],
             s->nz, text);
    return check(text);
}

/* ---- what stays there ------------------------------------------------------------------------ */

static int lend(struct sl_stats_device *face, size_t n, double **out)
{
    struct device *d = (struct device *)face;
    int i = 0;
    while (i < LENT && d->lent[i].at)
        i++;
    SL_CHECK(i < LENT, SL_EMEM, "a device has lent all that it keeps a list of");
    const char *text = sl_lent_gpu_new(d->gpu, n, &d->lent[i].at);
    SL_CHECK(!text, SL_EMEM, "a device has no room for %.3g GB (%s)", 8e-9 * (double)n, text);
    d->lent[i].n = n;
    *out = d->lent[i].at;
    return SL_OK;
}

static void take_back(struct sl_stats_device *face, double *lent)
{
    struct device *d = (struct device *)face;
    for (int i = 0; lent && i < LENT; i++)
        if (d->lent[i].at == lent) {
            sl_lent_gpu_free(d->gpu, lent);
            d->lent[i].at = NULL;
        }
}

static bool has(const struct sl_stats_device *face, const double *p)
{
    const struct device *d = (const struct device *)face;
    for (int i = 0; i < LENT; i++)
        if (d->lent[i].at && p >= d->lent[i].at && p <= d->lent[i].at + d->lent[i].n) return true;
    return false;
}

static int fetch_lent(struct sl_stats_device *face, const double *lent, size_t n, double *out)
{
    struct device *d = (struct device *)face;
    SL_TRY(check(sl_stats_gpu_take(d->gpu)));
    return check(sl_stats_gpu_get(d->gpu, out, lent, n * sizeof *out));
}

static struct sl_stats_gpu *gpu_of(struct sl_stats_device *face)
{
    return ((struct device *)face)->gpu;
}

static int places(struct sl_stats_device *face, const struct sl_particle_lists *lists,
                  const struct sl_lent_places *to)
{
    return check(sl_lent_gpu_places(gpu_of(face), lists, to));
}

/* Some points after the other through two pinned buffers: while one fills, threads empty the
 * other. */
enum { POINTS = 1 << 20 };
struct points {
    struct sl_stats_gpu *gpu;
    const struct sl_particle_lists *lists;
    const struct sl_lent_places *of;
    double unit;
    char *pinned[2], *room;
    struct sl_point *out;
    size_t first; /* that are copied */
};

static const char *points_ask(const struct points *p, size_t first)
{
    size_t left = p->lists->n - first, n = left < POINTS ? left : (size_t)POINTS;
    int k = first / POINTS % 2;
    struct sl_point *by = (struct sl_point *)(void *)p->room + (k ? POINTS : 0);
    return sl_lent_gpu_points(p->gpu, p->lists, p->of, p->unit, first, n, by,
                              (struct sl_point *)(void *)p->pinned[k]);
}

static int points_copy(void *of, size_t from, size_t end)
{
    const struct points *p = of;
    const struct sl_point *pinned = (const void *)p->pinned[p->first / POINTS % 2];
    memcpy(p->out + p->first + from, pinned + from, (end - from) * sizeof *pinned);
    return SL_OK;
}

static int points_all(struct points *p)
{
    size_t n = p->lists->n;
    if (n > 0) SL_TRY(check(points_ask(p, 0)));
    for (p->first = 0; p->first < n; p->first += POINTS) {
        size_t next = p->first + POINTS, some = n < next ? n - p->first : (size_t)POINTS;
        SL_TRY(check(sl_stats_gpu_wait(p->gpu)));
        if (next < n) SL_TRY(check(points_ask(p, next)));
        SL_TRY(sl_threads_run(some, POINTS / 32, points_copy, p));
    }
    return SL_OK;
}

static int points(struct sl_stats_device *face, const struct sl_particle_lists *lists,
                  const struct sl_lent_places *of, double unit, struct sl_point *out)
{
    struct points p = {.gpu = gpu_of(face), .lists = lists, .of = of, .unit = unit, .out = out};
    const size_t bytes = (lists->n < POINTS ? lists->n : (size_t)POINTS) * sizeof *out;
    SL_TRY(check(sl_stats_gpu_take(p.gpu)));
    SL_TRY(room((struct device *)face, (lists->n > POINTS ? 2 : 1) * bytes, &p.room));
    const char *text = sl_stats_gpu_pinned(p.gpu, bytes, p.pinned);
    SL_CHECK(!text, SL_EMEM, "no pinned memory for particles (%s)", text);
    return points_all(&p);
}

static int shift(struct sl_stats_device *face, size_t n, double part, const double *v, double *x)
{
    return check(sl_lent_gpu_shift(gpu_of(face), n, part, v, x));
}

static int squares(struct sl_stats_device *face, const struct sl_slab *s, const double *f,
                   double *out)
{
    return check(sl_lent_gpu_squares(gpu_of(face), s->n, f, out));
}

static int planes(struct sl_stats_device *face, const struct sl_slab *s,
                  const struct sl_lent_density *rho, double *out)
{
    return check(sl_lent_gpu_planes(gpu_of(face), s->n, rho, out));
}

static int along(struct sl_stats_device *face, const struct sl_slab *s,
                 const struct sl_lent_density *rho, int axis, double *out)
{
    return check(sl_lent_gpu_along(gpu_of(face), s->n, rho, axis, out));
}

static int slice(struct sl_stats_device *face, const struct sl_slab *s,
                 const struct sl_lent_density *rho, int axis, int at, double *out)
{
    return check(sl_lent_gpu_slice(gpu_of(face), s->n, rho, axis, at, out));
}

static int over(struct sl_stats_device *face, const struct sl_slab *s,
                const struct sl_lent_density *rho, double mean, double *out)
{
    return check(sl_lent_gpu_over(gpu_of(face), s->n, rho, mean, out));
}

static const struct sl_lent of_lone_rank = {.lend = lend,
                                            .take_back = take_back,
                                            .has = has,
                                            .fetch = fetch_lent,
                                            .places = places,
                                            .points = points,
                                            .shift = shift,
                                            .squares = squares,
                                            .planes = planes,
                                            .along = along,
                                            .slice = slice,
                                            .over = over};

/* ---- opening --------------------------------------------------------------------------------- */

static void take_all_back(struct sl_stats_device *face)
{
    struct device *d = (struct device *)face;
    for (int i = 0; i < LENT; i++)
        take_back(face, d->lent[i].at);
}

static void rest(struct sl_stats_device *face)
{
    struct device *d = (struct device *)face;
    take_all_back(face);
    sl_fft_drop(d->fft);
    sl_stats_gpu_rest(d->gpu);
}

static void close_device(struct sl_stats_device *face)
{
    struct device *d = (struct device *)face;
    take_all_back(face);
    sl_fft_close(d->fft);
    sl_stats_gpu_free(d->gpu);
    free(d);
}

/* Whether all ranks say so. */
static int all(MPI_Comm comm, int here, int *yes)
{
    *yes = here;
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, yes, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS, SL_EMPI,
             "cannot compare the devices of the ranks");
    return SL_OK;
}

/* Spectra are left to the processor where a rank has no cuFFT. */
static int find_fft(struct device *d)
{
    int have;
    d->fft = sl_fft_open();
    SL_TRY(all(d->comm, d->fft != NULL, &have));
    if (have) d->face.modes = modes;
    if (!have && d->rank == 0)
        sl_log(SL_LOG_NOTE, "stats: no cuFFT (%s): spectra on the processor", sl_fft_names);
    return SL_OK;
}

static int open_on(struct device *d, int id)
{
    const char *text = sl_stats_gpu_new(id, &d->gpu);
    SL_CHECK(!text, SL_EUNAVAIL, "CUDA: %s", text);
    return SL_OK;
}

static int open_device(struct device *d, int found)
{
    int id, alone;
    MPI_Comm_rank(d->comm, &d->rank);
    MPI_Comm_size(d->comm, &d->size);
    SL_TRY(sl_node_device(d->comm, found, &id, &alone));
    SL_TRY(sl_agree(d->comm, open_on(d, id)));
    SL_TRY(find_fft(d));
    if (d->size == 1 && d->fft) d->face.lent = &of_lone_rank;
    if (d->size == 1) return SL_OK;
    int code = sl_nccl_of(d->comm, alone, &d->nccl);
    if (code == SL_EUNAVAIL && d->rank == 0)
        sl_log(SL_LOG_NOTE, "stats: messages through the host: %s", sl_error_text());
    return code == SL_EUNAVAIL ? SL_OK : code;
}

int sl_stats_cuda_open(MPI_Comm comm, struct sl_stats_device **out)
{
    int found = sl_device_count(), every;
    struct device *d = NULL;
    *out = NULL;
    SL_TRY(all(comm, found > 0, &every));
    if (!every) return SL_OK;
    int code = sl_agree(comm, sl_alloc("a device", 1, sizeof *d, &d));
    if (code != SL_OK) {
        free(d);
        return code;
    }
    d->face = (struct sl_stats_device){.hold = hold,
                                       .differences = differences,
                                       .friends = friends,
                                       .deposit = deposit,
                                       .rest = rest,
                                       .close = close_device};
    d->comm = comm;
    code = open_device(d, found);
    if (code == SL_OK)
        *out = &d->face;
    else
        close_device(&d->face);
    return code;
}
