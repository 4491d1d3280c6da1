/* lattice.c - a start of dark matter on a CUDA device, host part: the order of calls.
 *
 * The device of each rank makes the modes and the particles of the whole box and keeps those in its
 * blocks, so that nothing goes between ranks and the bits do not depend on their number.
 *
 * Shapes  as in core/ic/lattice.h
 * Units   as there
 * Errors  SL_EMEM: no room for it on the device; SL_EUNAVAIL
 * Owns    transforms, and what the device holds besides particles, until it returns
 * MPI     local
 * Where   host calls; modes, fields and particles in device memory
 * Refs    Orszag 1971 (3/2 rule)
 * Tests   tests/gpu/lattice.c
 */
#include <limits.h>
#include <math.h>

#include "core/ic/lattice.h"
#include "gpu/cuda.h"
#include "gpu/fft.h"

enum { SECONDS = 6, ALONG_Z = 3, FORTH = -1, BACK = 1 };

struct work {
    struct device *d;
    const struct sl_lattice *what;
    struct sl_fft *fft; /* owned */
    void *stream;
    int fine, side, wanted; /* wanted: modes along x that particles have */
    double hi[3];           /* of the box of the run */
};

/* A call that needs memory of the device. */
static int room(const char *text)
{
    SL_CHECK(!text, SL_EMEM, "the device has no room for the start (%s)", text);
    return SL_OK;
}

/* ---- second order ---------------------------------------------------------------------------- */

/* The rows of a field along z, where each has `width` modes along x and there are n of them. */
static int transform_rows(const struct work *w, int field, int n, int width, int sign)
{
    for (int y = 0; y < n; y++)
        SL_TRY(sl_fft_columns(w->fft, sl_device_lattice_row(w->d->on, field, y, width), sign));
    return SL_OK;
}

static int plan_rows(const struct work *w, int n, int width)
{
    const struct sl_fft_columns c = {w->fine, width, n * width};
    return sl_fft_plan_columns(w->fft, &c, w->stream);
}

static int derive_along_z(const struct work *w)
{
    int cells = w->what->cells;
    DEVICE(sl_device_lattice_potential(w->d->on));
    SL_TRY(plan_rows(w, cells, cells / 2));
    for (int i = 0; i < ALONG_Z; i++)
        SL_TRY(transform_rows(w, i, cells, cells / 2, BACK));
    return SL_OK;
}

static int multiply_planes(const struct work *w)
{
    struct sl_device *on = w->d->on;
    const struct sl_device_lattice_planes p = sl_device_lattice_planes(on);
    const int plane[3] = {w->fine, w->fine, 1};
    SL_TRY(sl_fft_plan_planes(w->fft, plane, SECONDS, w->stream));
    SL_TRY(sl_fft_plan(w->fft, plane, w->stream));
    for (int k = 0; k < w->fine; k++) {
        DEVICE(sl_device_lattice_spread(on, k));
        SL_TRY(sl_fft_planes_back(w->fft, p.modes, p.planes));
        DEVICE(sl_device_lattice_multiply(on));
        SL_TRY(sl_fft_plane(w->fft, p.product, p.product_modes));
        DEVICE(sl_device_lattice_take(on, k));
    }
    return SL_OK;
}

static int make_second(const struct work *w)
{
    SL_TRY(room(sl_device_lattice_products(w->d->on)));
    SL_TRY(derive_along_z(w));
    SL_TRY(multiply_planes(w));
    SL_TRY(plan_rows(w, w->side, w->wanted));
    SL_TRY(transform_rows(w, 0, w->side, w->wanted, FORTH));
    DEVICE(sl_device_lattice_keep(w->d->on));
    return SL_OK;
}

/* ---- particles ------------------------------------------------------------------------------- */

static int put(const struct work *w, int field, int axis)
{
    struct sl_device *on = w->d->on;
    DEVICE(sl_device_lattice_field(on, w->what, field, axis));
    SL_TRY(sl_fft_back(w->fft, sl_device_lattice_box(on)));
    DEVICE(sl_device_lattice_put(on, w->what, field, axis, w->hi[axis]));
    return SL_OK;
}

static int make_particles(const struct work *w)
{
    const int box[3] = {w->side, w->side, w->side};
    SL_TRY(room(sl_device_lattice_room(w->d->on)));
    SL_TRY(sl_fft_plan_back(w->fft, box, w->stream));
    for (int field = SL_LATTICE_PLACE; field <= SL_LATTICE_SPEED; field++)
        for (int axis = 0; axis < 3; axis++)
            SL_TRY(put(w, field, axis));
    return room(sl_device_lattice_end(w->d->on));
}

/* ---- all together ---------------------------------------------------------------------------- */

/* cuFFT counts the numbers of a transform in 32 bits: of columns of modes, and of the box. */
static int check_size(const struct work *w)
{
    double cells = w->what->cells, side = w->side;
    double most = fmax(0.5 * cells * cells * w->fine, side * side * (side + 2));
    SL_CHECK(most < INT_MAX, SL_EMEM, "a start of %.4g numbers, more than the 2^31 of a transform",
             most);
    return SL_OK;
}

static int make_all(const struct work *w, double *part)
{
    const struct sl_lattice *l = w->what;
    struct sl_device *on = w->d->on;
    SL_CHECK(w->fft, SL_EMEM, "there is no cuFFT (%s)", sl_fft_names);
    SL_TRY(check_size(w));
    SL_TRY(room(sl_device_lattice_new(on, l, w->fine)));
    DEVICE(sl_device_lattice_shells(on, l->nshell, l->y0, l->ny, part));
    if (l->order > 1) SL_TRY(make_second(w));
    return make_particles(w);
}

int sl_cuda_lattice(const struct sl_sim *sim, const struct sl_lattice *what, double *part)
{
    struct device *d = sl_cuda_device(sim);
    struct work w = {.d = d,
                     .what = what,
                     .fft = sl_fft_open(),
                     .stream = sl_device_stream(d->on),
                     .fine = sl_lattice_fine(what),
                     .side = what->cells / what->spacing};
    w.wanted = (w.side + 1) / 2;
    for (int a = 0; a < 3; a++)
        w.hi[a] = sim->state.mesh->spec.hi[a];
    int code = make_all(&w, part);
    sl_fft_close(w.fft);
    sl_device_lattice_free(d->on);
    return code;
}
