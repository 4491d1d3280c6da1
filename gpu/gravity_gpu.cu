/* gravity_gpu.cu - the potential of gas on one device, and kicks by it: core/gravity/poisson.c, its
 * transforms by cuFFT between the calls (gpu/gravity.c); see device.h.
 *
 * The grid is transformed in place: rows have 2 (N0 / 2 + 1) numbers, N twice the cells where
 * nothing is around them. Where several devices share the transforms (slabs_gpu.cu), what is read
 * and written here is a window: the cells of own blocks, with layers around them. An acceleration
 * is made from the potential where it is used.
 */
#include <stdlib.h>
#include <string.h>

#include "core/cell/drive.h"
#include "core/measure/mode.h"
#include "gpu/inside.cuh"

enum { CHUNKS = 8 }; /* parts of modes with one wave number along y, added up alone */

/* The box on the device: n cells, of N that are transformed, or with screening charges have a place
 * in it: the layer around the cells. lo..hi: what the grid has; of a whole box lo and hi - 1 are
 * beside each other. from..to: own cells, or own wave numbers along y. */
struct box {
    int n[3], N[3], isolated, places;
    double scale[3], h[3];
    double *grid;
    int row, rows;    /* numbers of a row, rows of a plane */
    ptrdiff_t origin; /* of cell 0 0 0 in the grid */
    int lo[3], hi[3], from[3], to[3];
    const double *square; /* one axis after the other */
    const double *green;  /* [n2 + 1][n1 + 1][n0 + 1]; NULL: periodic */
};

struct gravity {
    struct box box;
    int nother, gas;
    const int *own, *other;   /* first cells of blocks [][3], of this rank and of the others */
    const double *axis[3];    /* of the lattice, until its factors are made */
    double *part;             /* [rows of modes][CHUNKS] products, then the mean */
    unsigned long long *most; /* [2], as bits */
    struct screen *screen;    /* owned; NULL: none */
    struct slabs *slabs;      /* owned; NULL: this device has the whole box */
};

static __device__ double *box_at(const struct box &b, int x, int y, int z)
{
    return b.grid + (b.origin + ((ptrdiff_t)z * b.rows + y) * b.row + x);
}

/* Where in the box interior cell i of blocks of the shape of r lies, whose first cells are at; its
 * block. */
static __device__ unsigned box_place(const struct run_args &r, const int *at, size_t i, int x[3])
{
    unsigned row = (unsigned)i / (unsigned)r.n[0], plane = row / (unsigned)r.n[1];
    unsigned block = plane / (unsigned)r.n[2];
    x[0] = at[3 * block] + (int)((unsigned)i - row * (unsigned)r.n[0]);
    x[1] = at[3 * block + 1] + (int)(row - plane * (unsigned)r.n[1]);
    x[2] = at[3 * block + 2] + (int)(plane - block * (unsigned)r.n[2]);
    return block;
}

/* The potential on both sides of the cell x, `here`, along an axis; one cell beyond a side is that
 * of the other side, or, around an isolated box, one of what is transformed besides. */
static __device__ void box_beside(const struct box &b, const int x[3], const double *here, int d,
                                  double *lower, double *upper)
{
    ptrdiff_t step = d == 0   ? 1
                     : d == 1 ? b.row
                              : (ptrdiff_t)b.row * b.rows,
              across = (b.hi[d] - b.lo[d] - 1) * step;
    *lower = here[x[d] > b.lo[d] ? -step : across];
    *upper = here[x[d] + 1 < b.hi[d] ? step : -across];
}

/* Minus the slopes at a cell, in the numbers of the fields. */
static __device__ void box_pull(const struct box &b, const int x[3], sl_real g[3])
{
    const double *here = box_at(b, x[0], x[1], x[2]);
#pragma unroll
    for (int d = 0; d < 3; d++) {
        double lower, upper;
        box_beside(b, x, here, d, &lower, &upper);
        g[d] = (sl_real)(b.scale[d] * (lower - upper));
    }
}

/* How much more that is at the upper faces of the cell than at its lower ones. */
static __device__ void box_bend(const struct box &b, const int x[3], sl_real bend[3])
{
    const double *here = box_at(b, x[0], x[1], x[2]);
#pragma unroll
    for (int d = 0; d < 3; d++) {
        double lower, upper;
        box_beside(b, x, here, d, &lower, &upper);
        bend[d] = (sl_real)(1 / b.h[d] * (2 * *here - (lower + upper)));
    }
}

/* The potential of a cell, or beyond the sides of the box that it is at what follows from the
 * central slopes there. */
static __device__ void box_value(const struct box &b, enum sl_device_gravity_value what,
                                 const int x[3], sl_real out[3])
{
    sl_real g[3];
    if (what == SL_DEVICE_GRAVITY_POTENTIAL) {
        out[0] = (sl_real)*box_at(b, x[0], x[1], x[2]), out[1] = out[2] = 0;
        return;
    }
    box_pull(b, x, g);
#pragma unroll
    for (int d = 0; d < 3; d++) {
        int inner[3] = {x[0], x[1], x[2]};
        bool upper = x[d] == b.n[d] - 1;
        out[d] = 0;
        if (!upper && x[d] > 0) continue;
        inner[d] += upper ? -1 : 1;
        sl_real twice = 2 * (sl_real)b.h[d] * g[d],
                here = (sl_real)*box_at(b, inner[0], inner[1], inner[2]);
        out[d] = upper ? here - twice : here + twice;
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* Densities of own cells into the box. */
static __global__ void gravity_density(struct run_args r, struct box b, const int *at,
                                       const sl_real *u)
{
    ptrdiff_t place = cell_at(r, this_cell(), r.nvar);
    int x[3];
    if (place < 0) return;
    box_place(r, at, this_cell(), x);
    *box_at(b, x[0], x[1], x[2]) = (double)u[place];
}

/* The same for other ranks. */
static __global__ void gravity_pack(struct run_args r, const sl_real *u, sl_real *to)
{
    ptrdiff_t place = cell_at(r, this_cell(), r.nvar);
    if (place >= 0) to[this_cell()] = u[place];
}

/* Those of the other ranks into the box. */
static __global__ void gravity_lay(struct run_args r, struct box b, const int *at, size_t count,
                                   const sl_real *from)
{
    int x[3];
    if (this_cell() >= count) return;
    box_place(r, at, this_cell(), x);
    *box_at(b, x[0], x[1], x[2]) = (double)from[this_cell()];
}

/* The factors of all modes of a lattice, in the order of core/gravity/lattice_green.c. */
static __global__ void gravity_green(struct box b, const double *gx, const double *gy,
                                     const double *gz, double *out)
{
    size_t n0 = (size_t)b.n[0] + 1, n1 = (size_t)b.n[1] + 1, n2 = (size_t)b.n[2] + 1,
           i = this_cell(), x = i % n0, y = i / n0 % n1, z = i / n0 / n1;
    double sum = 0;
    if (z >= n2) return;
    for (int q = 0; q < b.places; q++) {
        double across = gy[(size_t)q * n1 + y] * gz[(size_t)q * n2 + z];
        sum += across * gx[(size_t)q * n0 + x];
    }
    out[i] = sum;
}

static __device__ int box_folded(int k, int n)
{
    return k <= n ? k : 2 * n - k;
}

static __device__ double box_green(const struct box &b, double factor, double cells, int x, int y,
                                   int z)
{
    if (b.isolated) {
        size_t row =
            (size_t)box_folded(z, b.n[2]) * (size_t)(b.n[1] + 1) + (size_t)box_folded(y, b.n[1]);
        return -factor / (8 * cells) * b.green[row * (size_t)(b.n[0] + 1) + (size_t)x];
    }
    double across = b.square[b.n[0] + y] + b.square[b.n[0] + b.n[1] + z];
    return -factor / (cells * (b.square[x] + across));
}

/* Modes of the density to those of the potential, of those with wave numbers from..to along y. A
 * block of threads makes one of these rows in some planes, and the next block the next row, which
 * lies beside it; products are added in an order that is always the same. */
static __global__ void gravity_modes(struct box b, double factor, double *part, double *mean)
{
    __shared__ double sum[THREADS];
    int rows = b.to[1] - b.from[1], row = (int)blockIdx.x % rows, chunk = (int)blockIdx.x / rows;
    int y = b.from[1] + row;
    int nx = b.N[0] / 2 + 1, z0 = b.N[2] * chunk / CHUNKS, end = b.N[2] * (chunk + 1) / CHUNKS;
    double cells = (double)b.n[0] * b.n[1] * b.n[2], product = 0;
    for (int i = (int)threadIdx.x; i < (end - z0) * nx; i += THREADS) {
        int z = z0 + i / nx, x = i % nx;
        double *mode = box_at(b, 2 * x, y, z), re = mode[0], im = mode[1], green = 0;
        bool is_mean = x == 0 && y == 0 && z == 0;
        if (is_mean) *mean = re / cells;
        if (!is_mean || b.isolated) green = box_green(b, factor, cells, x, y, z);
        mode[0] = green * re;
        mode[1] = green * im;
        product += sl_mode_count(x, b.N[0]) * (green * (re * re + im * im));
    }
    sum[threadIdx.x] = product;
    for (int by = THREADS / 2; by > 0; by /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < by) sum[threadIdx.x] += sum[threadIdx.x + by];
    }
    if (threadIdx.x == 0) part[row * CHUNKS + chunk] = sum[0];
}

/* The largest |g| / h along an axis, and |g|^2; a row of cells for a block of threads at a time. */
static __global__ void gravity_largest(struct box b, unsigned long long *most)
{
    int rows = b.to[1] - b.from[1], all = rows * (b.to[2] - b.from[2]);
    double square = 0, pull = 0;
    for (int row = (int)blockIdx.x; row < all; row += (int)gridDim.x)
        for (int i = b.from[0] + (int)threadIdx.x; i < b.to[0]; i += (int)blockDim.x) {
            const int x[3] = {i, b.from[1] + row % rows, b.from[2] + row / rows};
            sl_real g[3];
            double sum = 0;
            box_pull(b, x, g);
            for (int d = 0; d < 3; d++) {
                square = fmax(square, fabs((double)g[d]) / b.h[d]);
                sum += (double)g[d] * (double)g[d];
            }
            pull = fmax(pull, sum);
        }
    most_raise(most, square);
    most_raise(most + 1, pull);
}

/* The potential of own cells into a list. */
static __global__ void gravity_potential(struct run_args r, struct box b, const int *at,
                                         double *list)
{
    int x[3];
    if (cell_at(r, this_cell(), 1) < 0) return;
    box_place(r, at, this_cell(), x);
    list[this_cell()] = *box_at(b, x[0], x[1], x[2]);
}

/* What box_value says of own cells to a field. */
static __global__ void gravity_spread(struct run_args r, struct box b,
                                      enum sl_device_gravity_value what, const int *at,
                                      sl_real *field)
{
    const ptrdiff_t step[3] = {1, r.nt[0], (ptrdiff_t)r.nt[0] * r.nt[1]};
    ptrdiff_t place = cell_at(r, this_cell(), 1);
    sl_real v[3];
    int x[3];
    if (place < 0) return;
    box_place(r, at, this_cell(), x);
    box_value(b, what, x, v);
    if (what == SL_DEVICE_GRAVITY_POTENTIAL) {
        field[place] = v[0];
        return;
    }
    for (int d = 0; d < 3; d++) {
        if (x[d] == 0) field[place - step[d]] = v[d];
        if (x[d] == b.n[d] - 1) field[place + step[d]] = v[d];
    }
}

/* As core/step/kick.c; what it gives to the energy. */
static __device__ sl_real kick_cell(const struct run_args &r, const sl_real g[3], sl_real time,
                                    sl_real *cell)
{
    sl_real work[3], rho = cell[0];
#pragma unroll
    for (int d = 0; d < 3; d++) {
        sl_real *m = cell + (1 + d) * r.var, dv = time * g[d];
        work[d] = sl_drive_work(rho, *m, dv);
        *m += rho * dv;
    }
    sl_real given = (work[0] + work[1]) + work[2];
    if (r.layout.energy >= 0) cell[r.layout.energy * r.var] += given;
    return given;
}

static __global__ void gravity_kick(struct run_args r, struct box b, const int *at, sl_real time,
                                    sl_real *u, sl_real *kicked)
{
    ptrdiff_t place = cell_at(r, this_cell(), r.nvar);
    sl_real g[3];
    int x[3];
    if (place < 0) return;
    box_place(r, at, this_cell(), x);
    box_pull(b, x, g);
    sl_real given = kick_cell(r, g, time, u + place);
    if (kicked) kicked[this_cell()] += given;
}

static __global__ void gravity_work(struct run_args r, struct box b, const int *at,
                                    const __grid_constant__ struct sl_device_work what, sl_real *u)
{
    ptrdiff_t place = cell_at(r, this_cell(), r.nvar);
    sl_real g[3], bend[3];
    int x[3];
    if (place < 0) return;
    box_place(r, at, this_cell(), x);
    box_pull(b, x, g);
    box_bend(b, x, bend);
    work_on_cell(r, what, this_cell(), g, bend, u + place);
}

/* Both, which read and write the cell once. */
static __global__ void gravity_close(struct run_args r, struct box b, const int *at, sl_real time,
                                     const __grid_constant__ struct sl_device_work what, sl_real *u)
{
    ptrdiff_t place = cell_at(r, this_cell(), r.nvar);
    sl_real g[3], bend[3];
    int x[3];
    if (place < 0) return;
    box_place(r, at, this_cell(), x);
    box_pull(b, x, g);
    box_bend(b, x, bend);
    what.kicked[this_cell()] += kick_cell(r, g, time, u + place);
    work_on_cell(r, what, this_cell(), g, bend, u + place);
}

/* ---- the device ------------------------------------------------------------------------------ */

void gravity_free(struct gravity *g)
{
    if (!g) return;
    if (!g->slabs) room_free(g->box.grid);
    room_free(g->box.square), room_free(g->box.green);
    for (int a = 0; a < 3; a++)
        room_free(g->axis[a]);
    room_free(g->own), room_free(g->other), room_free(g->part), room_free(g->most);
    screen_free(g->screen);
    slabs_free(g->slabs);
    free(g);
}

static size_t other_cells(const struct sl_device *d)
{
    const struct run_args *r = &d->run;
    return (size_t)r->n[0] * (size_t)r->n[1] * (size_t)r->n[2] * (size_t)d->gravity->nother;
}

static size_t grid_size(const struct box *b)
{
    return (size_t)b->row * (size_t)b->rows * (size_t)b->N[2] * sizeof(double);
}

extern "C" int sl_device_gravity_rows(const struct sl_device *d)
{
    const struct box *b = &d->gravity->box;
    return b->N[1] > b->N[2] ? b->N[1] : b->N[2];
}

static size_t parts_of(const struct sl_device *d)
{
    return (size_t)sl_device_gravity_rows(d) * CHUNKS + 1;
}

/* The axes of the lattice are given back when its factors are made. */
static const char *lattice_make(struct sl_device *d, const struct sl_device_gravity *what)
{
    struct gravity *g = d->gravity;
    struct box *b = &g->box;
    size_t modes = 1;
    for (int a = 0; a < 3; a++) {
        size_t row = (size_t)b->n[a] + 1;
        modes *= row;
        PASS(table(what->green[a], row * (size_t)b->places * sizeof(double),
                   (const void **)&g->axis[a]));
    }
    PASS(room_new(modes * sizeof *b->green, (void **)&b->green));
    gravity_green<<<blocks_of(modes), THREADS, 0, d->stream>>>(*b, g->axis[0], g->axis[1],
                                                               g->axis[2], (double *)b->green);
    TRY(cudaGetLastError());
    PASS(wait(d)); /* the host's numbers may go */
    for (int a = 0; a < 3; a++) {
        room_free(g->axis[a]);
        g->axis[a] = NULL;
    }
    return NULL;
}

static const char *box_make(struct sl_device *d, const struct sl_device_gravity *what)
{
    struct gravity *g = d->gravity;
    struct box *b = &g->box;
    size_t cells = (size_t)(b->n[0] + b->n[1] + b->n[2]), parts = parts_of(d);
    if (what->slabs)
        PASS(slabs_new(what->slabs, &g->slabs));
    else
        PASS(room_new(grid_size(b), (void **)&b->grid));
    PASS(table(what->square, cells * sizeof(double), (const void **)&b->square));
    PASS(room_zero(parts * sizeof *g->part, (void **)&g->part));
    PASS(room_new(2 * sizeof *g->most, (void **)&g->most));
    PASS(host_room(d->shared, HOST_SUMS, (parts + 2) * sizeof(double)));
    if (what->screen) return screen_new(d, what->screen, &g->screen);
    return b->isolated ? lattice_make(d, what) : wait(d);
}

extern "C" const char *sl_device_gravity_new(struct sl_device *d,
                                             const struct sl_device_gravity *what)
{
    struct gravity *g = d->gravity = (struct gravity *)calloc(1, sizeof *g);
    if (!g) return "no memory on the host";
    struct box *b = &g->box;
    for (int a = 0; a < 3; a++) {
        b->n[a] = what->n[a];
        b->N[a] = what->screen ? what->n[a] + 2 : what->isolated ? 2 * what->n[a] : what->n[a];
        b->scale[a] = what->scale[a], b->h[a] = what->h[a];
        b->hi[a] = b->N[a], b->to[a] = b->n[a];
    }
    b->row = 2 * (b->N[0] / 2 + 1), b->rows = b->N[1];
    b->isolated = what->isolated, b->places = what->places;
    g->gas = d->run.nvar > 0;
    return box_make(d, what);
}

extern "C" const char *sl_device_gravity_places(struct sl_device *d,
                                                const struct sl_device_gravity *what)
{
    struct gravity *g = d->gravity;
    room_free(g->own), room_free(g->other);
    g->own = g->other = NULL, g->nother = what->nother;
    PASS(table(what->own, 3 * (size_t)d->run.nblock * sizeof(int), (const void **)&g->own));
    if (g->nother > 0)
        PASS(table(what->other, 3 * (size_t)g->nother * sizeof(int), (const void **)&g->other));
    if (g->slabs) PASS(slabs_window(g->slabs, what->slabs, g->gas));
    return wait(d);
}

extern "C" void sl_device_gravity_hand(struct sl_device *from, struct sl_device *to)
{
    to->gravity = from->gravity;
    from->gravity = NULL;
}

struct gravity_grid gravity_grid_of(const struct sl_device *d)
{
    const struct box *b = &d->gravity->box;
    return gravity_grid{
        b->grid, {b->n[0], b->n[1], b->n[2]}, {b->N[0], b->N[1], b->N[2]}, (size_t)b->row};
}

struct gravity_parts gravity_parts_of(const struct sl_device *d)
{
    return gravity_parts{d->gravity->part, parts_of(d)};
}

struct slabs *slabs_of(const struct sl_device *d)
{
    return d->gravity->slabs;
}

struct screen *screen_of(const struct sl_device *d)
{
    return d->gravity->screen;
}

extern "C" double *sl_device_gravity_grid(struct sl_device *d)
{
    return d->gravity->box.grid;
}

/* What of the box kernels of own cells find: all of it, or the window around own blocks. */
static struct box box_of(const struct sl_device *d)
{
    const struct gravity *g = d->gravity;
    struct box b = g->box;
    if (!g->slabs) return b;
    struct slabs_part w = slabs_window_of(g->slabs);
    b.grid = w.at;
    b.row = w.n[0], b.rows = w.n[1];
    b.origin = -(((ptrdiff_t)w.lo[2] * b.rows + w.lo[1]) * b.row + w.lo[0]);
    for (int a = 0; a < 3; a++) {
        b.lo[a] = w.lo[a], b.hi[a] = w.lo[a] + w.n[a];
        b.from[a] = w.lo[a] + w.layers, b.to[a] = b.hi[a] - w.layers;
    }
    return b;
}

/* The same of modes, of which the device has all or those with some wave numbers along y. */
static struct box modes_of(const struct sl_device *d)
{
    const struct gravity *g = d->gravity;
    struct box b = g->box;
    b.to[1] = b.N[1];
    if (!g->slabs) return b;
    struct slabs_part m = slabs_modes_of(g->slabs);
    b.grid = m.at;
    b.rows = m.n[1];
    b.origin = -(ptrdiff_t)m.lo[1] * b.row;
    b.from[1] = m.lo[1], b.to[1] = m.lo[1] + m.n[1];
    return b;
}

/* Where densities do not cover the grid. */
static const char *grid_clear(struct sl_device *d)
{
    struct gravity *g = d->gravity;
    const struct box *b = &g->box;
    if (g->slabs) return slabs_clear(d);
    if (b->isolated || !g->gas) TRY(cudaMemsetAsync(b->grid, 0, grid_size(b), d->stream));
    return NULL;
}

extern "C" const char *sl_device_gravity_density(struct sl_device *d, int nvar, const sl_real *u)
{
    struct gravity *g = d->gravity;
    struct run_args r = d->run;
    r.nvar = nvar;
    PASS(grid_clear(d));
    if (!g->gas || r.nblock == 0) return NULL;
    gravity_density<<<all_cells(d), THREADS, 0, d->stream>>>(r, box_of(d), g->own, u);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_gravity_pack(struct sl_device *d, int nvar, const sl_real *u)
{
    struct run_args r = d->run;
    r.nvar = nvar;
    if (r.nblock == 0) return NULL;
    gravity_pack<<<all_cells(d), THREADS, 0, d->stream>>>(r, u,
                                                          (sl_real *)d->shared->message[SEND]);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_gravity_lay(struct sl_device *d)
{
    struct gravity *g = d->gravity;
    size_t cells = other_cells(d);
    const sl_real *from = (const sl_real *)d->shared->message[RECEIVE];
    if (cells == 0) return NULL;
    gravity_lay<<<blocks_of(cells), THREADS, 0, d->stream>>>(d->run, g->box, g->other, cells, from);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_gravity_modes(struct sl_device *d, double factor)
{
    struct gravity *g = d->gravity;
    const struct box b = modes_of(d);
    int rows = b.to[1] - b.from[1];
    if (rows == 0) return NULL;
    gravity_modes<<<(unsigned)(rows * CHUNKS), THREADS, 0, d->stream>>>(b, factor, g->part,
                                                                        g->part + parts_of(d) - 1);
    TRY(cudaGetLastError());
    return NULL;
}

static const char *largest(struct sl_device *d)
{
    struct gravity *g = d->gravity;
    const struct box b = box_of(d);
    int rows = b.to[1] > b.from[1] ? (b.to[1] - b.from[1]) * (b.to[2] - b.from[2]) : 0;
    TRY(cudaMemsetAsync(g->most, 0, 2 * sizeof *g->most, d->stream));
    if (!g->gas || rows == 0) return NULL;
    gravity_largest<<<(unsigned)(rows < 4096 ? rows : 4096), THREADS, 0, d->stream>>>(b, g->most);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_gravity_sums(struct sl_device *d, double *row, double *mean,
                                              double most[2])
{
    struct gravity *g = d->gravity;
    size_t parts = parts_of(d);
    double *host = (double *)d->shared->host[HOST_SUMS];
    PASS(largest(d));
    PASS(move(d, host, g->part, parts * sizeof *host, cudaMemcpyDeviceToHost));
    PASS(move(d, host + parts, g->most, 2 * sizeof *host, cudaMemcpyDeviceToHost));
    PASS(wait(d));
    for (size_t i = 0; i + 1 < parts; i++)
        row[i / CHUNKS] = (i % CHUNKS ? row[i / CHUNKS] : 0) + host[i];
    *mean = host[parts - 1];
    most[0] = host[parts], most[1] = host[parts + 1];
    return NULL;
}

extern "C" const char *sl_device_gravity_kick(struct sl_device *d, sl_real time, sl_real *u,
                                              sl_real *kicked)
{
    struct gravity *g = d->gravity;
    if (d->run.nblock == 0) return NULL;
    gravity_kick<<<all_cells(d), THREADS, 0, d->stream>>>(d->run, box_of(d), g->own, time, u,
                                                          kicked);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_gravity_work(struct sl_device *d,
                                              const struct sl_device_work *what, sl_real *u)
{
    struct gravity *g = d->gravity;
    if (d->run.nblock == 0) return NULL;
    gravity_work<<<all_cells(d), THREADS, 0, d->stream>>>(d->run, box_of(d), g->own, *what, u);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_gravity_close(struct sl_device *d, sl_real time,
                                               const struct sl_device_work *what, sl_real *u)
{
    struct gravity *g = d->gravity;
    if (d->run.nblock == 0) return NULL;
    gravity_close<<<all_cells(d), THREADS, 0, d->stream>>>(d->run, box_of(d), g->own, time, *what,
                                                           u);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_gravity_potential(struct sl_device *d, double *own)
{
    struct gravity *g = d->gravity;
    const struct run_args *r = &d->run;
    size_t cells = (size_t)r->n[0] * (size_t)r->n[1] * (size_t)r->n[2] * (size_t)r->nblock,
           bytes = cells * sizeof *own;
    double *list = NULL;
    if (cells == 0) return NULL;
    PASS(room_new(bytes, (void **)&list));
    gravity_potential<<<all_cells(d), THREADS, 0, d->stream>>>(d->run, box_of(d), g->own, list);
    const char *text = cudaGetLastError() == cudaSuccess ? NULL : "a kernel did not start";
    if (!text) text = move(d, own, list, bytes, cudaMemcpyDeviceToHost);
    if (!text) text = wait(d);
    room_free(list);
    return text;
}

extern "C" const char *sl_device_gravity_spread(struct sl_device *d,
                                                enum sl_device_gravity_value what, sl_real *field)
{
    struct gravity *g = d->gravity;
    if (d->run.nblock == 0) return NULL;
    gravity_spread<<<all_cells(d), THREADS, 0, d->stream>>>(d->run, box_of(d), what, g->own, field);
    TRY(cudaGetLastError());
    return NULL;
}
