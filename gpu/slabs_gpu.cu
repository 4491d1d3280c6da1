/* slabs_gpu.cu - the part of a periodic box that one of several devices has while they transform it
 * together: some planes of cells, and after a turn some rows of modes; and what goes between these
 * planes and the windows around own blocks; see device.h.
 *
 * Densities of windows are added to planes. A cell may lie in several windows: that of its rank has
 * the density of its gas, the others 0; and mass of particles is whole numbers, so that any order
 * gives the same.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/inside.cuh"
#include "gpu/share.h"

enum { BLOCKS = 32 }; /* of threads that make a sheet */

typedef unsigned long long word; /* a number, whichever it is */

/* As kernels get it. Planes and rows of modes are those of the whole box from z0 and y0 on. */
struct slab {
    int n[3], rank, size, z0, nz, y0, ny;
    double *cells; /* [nz][n1][2 (n0 / 2 + 1)], or modes of x and y */
    double2 *rows; /* [n2][ny][n0 / 2 + 1] */
};

struct sheets {
    const struct sl_device_sheet *at;
    int n;
};

struct slabs {
    struct slab slab;
    word *mass; /* of particles, [nz][n1][n0]: in the place of rows, which come later */
    struct slabs_part window;
    struct sheets own, mine, theirs; /* owned; within the rank, of its window, of its planes */
};

static __host__ __device__ int half(const struct slab &s)
{
    return s.n[0] / 2 + 1;
}

static __device__ int wrapped(int x, int n)
{
    return x < 0 ? x + n : x < n ? x : x - n;
}

/* The sheet that a block of threads makes, and where in it a thread begins. */
static __device__ struct sl_device_sheet sheet_of(const struct sheets &list, size_t *first)
{
    *first = (blockIdx.x % BLOCKS) * (size_t)THREADS + threadIdx.x;
    return list.at[blockIdx.x / BLOCKS];
}

static __device__ size_t area_of(const struct sl_device_sheet &s)
{
    return (size_t)s.n[0] * (size_t)s.n[1];
}

/* Where cell i of a sheet lies in planes with rows of `row` numbers. */
static __device__ size_t place_in(const struct slab &s, const struct sl_device_sheet &sheet,
                                  size_t i, size_t row)
{
    size_t y = i / (size_t)sheet.n[0];
    int gx = wrapped(sheet.lo[0] + (int)(i - y * (size_t)sheet.n[0]), s.n[0]),
        gy = wrapped(sheet.lo[1] + (int)y, s.n[1]);
    return ((size_t)sheet.plane * (size_t)s.n[1] + (size_t)gy) * row + (size_t)gx;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Sheets of a window into a message, and out of it. */
static __global__ void window_pack(struct sheets list, const word *window, word *to)
{
    size_t i, step = (size_t)BLOCKS * THREADS;
    struct sl_device_sheet s = sheet_of(list, &i);
    const word *from = window + (size_t)s.window * area_of(s);
    for (; i < area_of(s); i += step)
        to[s.start + i] = from[i];
}

static __global__ void window_put(struct sheets list, const word *from, word *window)
{
    size_t i, step = (size_t)BLOCKS * THREADS;
    struct sl_device_sheet s = sheet_of(list, &i);
    word *to = window + (size_t)s.window * area_of(s);
    for (; i < area_of(s); i += step)
        to[i] = from[s.start + i];
}

/* Adds sheets of a message to planes; a layer around a window of the whole box is its other side
 * again, so that several numbers may come to one cell. */
template <class T>
static __global__ void slab_add(struct slab slab, struct sheets list, size_t row, const T *from,
                                T *to)
{
    size_t i, step = (size_t)BLOCKS * THREADS;
    struct sl_device_sheet s = sheet_of(list, &i);
    for (; i < area_of(s); i += step) {
        T value = from[s.start + i];
        if (value != 0) atomicAdd(to + place_in(slab, s, i, row), value);
    }
}

static __global__ void slab_pack(struct slab slab, struct sheets list, double *to)
{
    size_t i, step = (size_t)BLOCKS * THREADS, row = 2 * (size_t)half(slab);
    struct sl_device_sheet s = sheet_of(list, &i);
    for (; i < area_of(s); i += step)
        to[s.start + i] = slab.cells[place_in(slab, s, i, row)];
}

/* The density of particles, besides that of gas. */
static __global__ void slab_lay(struct slab s, const word *mass, double density)
{
    size_t i = this_cell(), width = (size_t)s.n[0], row = i / width;
    if (row >= (size_t)s.nz * (size_t)s.n[1]) return;
    s.cells[row * (size_t)(2 * half(s)) + (i - row * width)] +=
        (double)(long long)mass[i] * density;
}

/* Where mode i of the own planes is among the rows of its rank: in the own ones, or in the message
 * that it has with another. */
static __device__ double2 *turned(const struct slab &s, size_t i, double2 *message)
{
    size_t width = (size_t)half(s), row = i / width, x = i - row * width;
    int z = (int)(row / (size_t)s.n[1]), y = (int)(row % (size_t)s.n[1]);
    int q = sl_share_of(y, s.n[1], s.size), y0 = sl_share_first(s.n[1], q, s.size),
        ny = sl_share_count(s.n[1], q, s.size);
    if (q == s.rank) return s.rows + (size_t)((s.z0 + z) * s.ny + y - y0) * width + x;
    size_t before = (size_t)s.nz * (size_t)(q > s.rank ? y0 - s.ny : y0);
    return message + (before + (size_t)(z * ny + y - y0)) * width + x;
}

static __global__ void slab_turn(struct slab s, size_t modes, double2 *message)
{
    size_t i = this_cell();
    if (i < modes) *turned(s, i, message) = ((const double2 *)s.cells)[i];
}

static __global__ void slab_turn_back(struct slab s, size_t modes, double2 *message)
{
    size_t i = this_cell();
    if (i < modes) ((double2 *)s.cells)[i] = *turned(s, i, message);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void sheets_free(struct slabs *s)
{
    room_free(s->own.at), room_free(s->mine.at), room_free(s->theirs.at);
    s->own.at = s->mine.at = s->theirs.at = NULL;
}

void slabs_free(struct slabs *s)
{
    if (!s) return;
    room_free(s->slab.cells), room_free(s->slab.rows);
    room_free(s->window.at);
    sheets_free(s);
    free(s);
}

static size_t modes_of(const struct slab *s)
{
    return (size_t)s->nz * (size_t)s->n[1] * (size_t)half(*s);
}

static size_t cells_of(const struct slab *s)
{
    return (size_t)s->nz * (size_t)s->n[1] * (size_t)s->n[0];
}

static size_t rows_of(const struct slab *s)
{
    return (size_t)s->n[2] * (size_t)s->ny * (size_t)half(*s);
}

static size_t window_size(const struct slabs_part *w)
{
    return (size_t)w->n[0] * (size_t)w->n[1] * (size_t)w->n[2] * sizeof(double);
}

const char *slabs_new(const struct sl_device_slabs *what, struct slabs **out)
{
    struct slabs *all = *out = (struct slabs *)calloc(1, sizeof *all);
    if (!all) return "no memory on the host";
    struct slab *s = &all->slab;
    memcpy(s->n, what->n, sizeof s->n);
    s->rank = what->rank, s->size = what->size;
    s->z0 = sl_share_first(s->n[2], s->rank, s->size);
    s->nz = sl_share_count(s->n[2], s->rank, s->size);
    s->y0 = sl_share_first(s->n[1], s->rank, s->size);
    s->ny = sl_share_count(s->n[1], s->rank, s->size);
    size_t rows = rows_of(s) * sizeof(double2), mass = cells_of(s) * sizeof(word);
    PASS(room_new(modes_of(s) * sizeof(double2), (void **)&s->cells));
    PASS(room_new(rows > mass ? rows : mass, (void **)&s->rows));
    all->mass = (word *)s->rows;
    return NULL;
}

static const char *sheets_new(const struct sl_device_sheets *from, struct sheets *out)
{
    out->n = from->n;
    if (from->n == 0) return NULL;
    return table(from->at, (size_t)from->n * sizeof *from->at, (const void **)&out->at);
}

const char *slabs_window(struct slabs *s, const struct sl_device_slabs *what, int gas)
{
    struct slabs_part *w = &s->window;
    sheets_free(s);
    room_free(w->at);
    w->at = NULL;
    w->layers = what->layers;
    memcpy(w->lo, what->lo, sizeof w->lo);
    memcpy(w->n, what->wide, sizeof w->n);
    if (gas) PASS(room_new(window_size(w), (void **)&w->at));
    PASS(sheets_new(&what->own, &s->own));
    PASS(sheets_new(&what->mine, &s->mine));
    return sheets_new(&what->theirs, &s->theirs);
}

struct slabs_part slabs_window_of(const struct slabs *s)
{
    return s->window;
}

struct slabs_part slabs_modes_of(const struct slabs *s)
{
    const struct slab *p = &s->slab;
    return slabs_part{(double *)p->rows, {0, p->y0, 0}, {2 * half(*p), p->ny, p->n[2]}, 0};
}

/* ---- windows and planes ---------------------------------------------------------------------- */

const char *slabs_clear(struct sl_device *d)
{
    const struct slabs_part *w = &slabs_of(d)->window;
    if (w->at) TRY(cudaMemsetAsync(w->at, 0, window_size(w), d->stream));
    return NULL;
}

static word *message_of(const struct sl_device *d, enum message_room which)
{
    return (word *)d->shared->message[which];
}

static unsigned grid_of(const struct sheets *s)
{
    return (unsigned)(s->n * BLOCKS);
}

static const char *pack_window(struct sl_device *d, const struct sheets *s, const word *window,
                               word *to)
{
    if (s->n == 0) return NULL;
    window_pack<<<grid_of(s), THREADS, 0, d->stream>>>(*s, window, to);
    TRY(cudaGetLastError());
    return NULL;
}

static double *window_with(const struct sl_device *d, enum sl_device_matter what)
{
    return what == SL_DEVICE_GAS ? slabs_of(d)->window.at : particles_field(d);
}

extern "C" const char *sl_device_slabs_pack(struct sl_device *d, enum sl_device_matter what,
                                            size_t came)
{
    struct slabs *s = slabs_of(d);
    const word *window = (const word *)window_with(d, what);
    PASS(pack_window(d, &s->mine, window, message_of(d, SEND)));
    return pack_window(d, &s->own, window, message_of(d, RECEIVE) + came);
}

template <class T>
static const char *add(struct sl_device *d, const struct sheets *list, size_t row, const word *from,
                       T *to)
{
    if (list->n == 0) return NULL;
    slab_add<T><<<grid_of(list), THREADS, 0, d->stream>>>(slabs_of(d)->slab, *list, row,
                                                          (const T *)from, to);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_slabs_clear(struct sl_device *d)
{
    const struct slab *s = &slabs_of(d)->slab;
    TRY(cudaMemsetAsync(s->cells, 0, modes_of(s) * sizeof(double2), d->stream));
    return NULL;
}

static const char *add_mass(struct sl_device *d, size_t came)
{
    struct slabs *s = slabs_of(d);
    size_t size = cells_of(&s->slab) * sizeof *s->mass, row = (size_t)s->slab.n[0];
    TRY(cudaMemsetAsync(s->mass, 0, size, d->stream));
    PASS(add(d, &s->theirs, row, message_of(d, RECEIVE), s->mass));
    return add(d, &s->own, row, message_of(d, RECEIVE) + came, s->mass);
}

extern "C" const char *sl_device_slabs_add(struct sl_device *d, enum sl_device_matter what,
                                           size_t came)
{
    struct slabs *s = slabs_of(d);
    size_t row = 2 * (size_t)half(s->slab);
    if (what == SL_DEVICE_PARTICLES) return add_mass(d, came);
    PASS(add(d, &s->theirs, row, message_of(d, RECEIVE), s->slab.cells));
    return add(d, &s->own, row, message_of(d, RECEIVE) + came, s->slab.cells);
}

extern "C" const char *sl_device_slabs_lay(struct sl_device *d, double density)
{
    const struct slabs *s = slabs_of(d);
    size_t cells = cells_of(&s->slab);
    if (cells == 0) return NULL;
    slab_lay<<<blocks_of(cells), THREADS, 0, d->stream>>>(s->slab, s->mass, density);
    TRY(cudaGetLastError());
    return NULL;
}

static const char *pack_slab(struct sl_device *d, const struct sheets *list, word *to)
{
    if (list->n == 0) return NULL;
    slab_pack<<<grid_of(list), THREADS, 0, d->stream>>>(slabs_of(d)->slab, *list, (double *)to);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_slabs_pack_back(struct sl_device *d, size_t came)
{
    struct slabs *s = slabs_of(d);
    PASS(pack_slab(d, &s->theirs, message_of(d, SEND)));
    return pack_slab(d, &s->own, message_of(d, RECEIVE) + came);
}

static const char *put(struct sl_device *d, const struct sheets *list, const word *from,
                       double *window)
{
    if (list->n == 0) return NULL;
    window_put<<<grid_of(list), THREADS, 0, d->stream>>>(*list, from, (word *)window);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_slabs_put(struct sl_device *d, enum sl_device_matter what,
                                           size_t came)
{
    struct slabs *s = slabs_of(d);
    double *window = s->window.at;
    if (what == SL_DEVICE_PARTICLES) PASS(particles_field_new(d, &window));
    PASS(put(d, &s->mine, message_of(d, RECEIVE), window));
    return put(d, &s->own, message_of(d, RECEIVE) + came, window);
}

/* ---- the turn -------------------------------------------------------------------------------- */

extern "C" double *sl_device_slabs_cells(struct sl_device *d)
{
    return slabs_of(d)->slab.cells;
}

extern "C" void *sl_device_slabs_rows(struct sl_device *d)
{
    return slabs_of(d)->slab.rows;
}

extern "C" const char *sl_device_slabs_turn(struct sl_device *d)
{
    const struct slab *s = &slabs_of(d)->slab;
    size_t modes = modes_of(s);
    if (modes == 0) return NULL;
    slab_turn<<<blocks_of(modes), THREADS, 0, d->stream>>>(*s, modes,
                                                           (double2 *)message_of(d, SEND));
    TRY(cudaGetLastError());
    return NULL;
}

/* Own rows between a message, which leaves out the own planes, and where they lie. */
static const char *rows_move(struct sl_device *d, enum message_room which, int into_rows)
{
    const struct slab *s = &slabs_of(d)->slab;
    double2 *message = (double2 *)message_of(d, which);
    size_t plane = (size_t)s->ny * (size_t)half(*s), before = (size_t)s->z0 * plane,
           own = (size_t)s->nz * plane, after = (size_t)s->n[2] * plane - before - own;
    double2 *to[2] = {s->rows, s->rows + before + own}, *from[2] = {message, message + before};
    const size_t count[2] = {before, after};
    for (int i = 0; i < 2; i++)
        if (count[i] > 0)
            PASS(move(d, into_rows ? to[i] : from[i], into_rows ? from[i] : to[i],
                      count[i] * sizeof(double2), cudaMemcpyDeviceToDevice));
    return NULL;
}

extern "C" const char *sl_device_slabs_turned(struct sl_device *d)
{
    return rows_move(d, RECEIVE, 1);
}

extern "C" const char *sl_device_slabs_turn_back(struct sl_device *d)
{
    return rows_move(d, SEND, 0);
}

extern "C" const char *sl_device_slabs_turned_back(struct sl_device *d)
{
    const struct slab *s = &slabs_of(d)->slab;
    size_t modes = modes_of(s);
    if (modes == 0) return NULL;
    slab_turn_back<<<blocks_of(modes), THREADS, 0, d->stream>>>(*s, modes,
                                                                (double2 *)message_of(d, RECEIVE));
    TRY(cudaGetLastError());
    return NULL;
}
