/* drive.cu - a random force on the device: what core/source/driving.c does row by row. The sums
 * along z are made once per change of the force and plane, those along y once per row. */
#include <stdlib.h>
#include <string.h>

#include "core/cell/drive.h"
#include "gpu/inside.cuh"

enum { MOST_TERMS = 64 }; /* of a sum, per thread */

/* The force on the device. */
struct waves {
    int reach[3], cells[3], columns; /* of a row: [component][n_x] */
    const double *even[2], *odd[2];
    double *plane; /* [cells along z][real, imaginary][n_y][column] */
    sl_real *row;  /* [nblock][n2][n1][real, imaginary][column] */
    const sl_real *cosine[3], *sine[3];
    const int *at; /* [nblock][3]: first cell of the blocks */
};

struct force {
    struct waves w;
    int version;
    double *coefficient;     /* even and odd, next to each other */
    unsigned long long *sum; /* [SL_DRIVE_SUMS][2] */
};

enum { FORCE_VALUES = 2 * SL_DRIVE_SUMS };

/* ---- waves ----------------------------------------------------------------------------------- */

/* Sum of a column at cell i of an axis, as fold_at of core/source/driving.c. */
struct complex {
    double re, im;
};

static __device__ struct complex wave_add(struct complex s, double even_re, double even_im,
                                          double odd_re, double odd_im, double c, double n)
{
    s.re += even_re * c - odd_im * n;
    s.im += even_im * c + odd_re * n;
    return s;
}

static __global__ void planes(struct waves w)
{
    int columns = w.columns * (2 * w.reach[1] + 1), k = (int)blockIdx.x;
    for (int q = (int)threadIdx.x; q < columns; q += (int)blockDim.x) {
        struct complex s = {w.even[0][q], w.even[1][q]};
        for (int n = 1; n <= w.reach[2]; n++) {
            int i = n * columns + q, j = n * w.cells[2] + k;
            s = wave_add(s, w.even[0][i], w.even[1][i], w.odd[0][i], w.odd[1][i],
                         (double)w.cosine[2][j], (double)w.sine[2][j]);
        }
        w.plane[(2 * k) * columns + q] = s.re;
        w.plane[(2 * k + 1) * columns + q] = s.im;
    }
}

/* The sums of column q of row j of plane k. */
static __device__ struct complex row_sum(const struct waves &w, int k, int j, int q)
{
    int all = w.columns * (2 * w.reach[1] + 1);
    const double *re = w.plane + 2 * k * all + w.reach[1] * w.columns + q, *im = re + all;
    struct complex s = {0 + re[0], 0 + im[0]};
    for (int n = 1; n <= w.reach[1]; n++) {
        int up = n * w.columns, i = n * w.cells[1] + j;
        s = wave_add(s, re[-up] + re[up], im[-up] + im[up], -re[-up] + re[up], -im[-up] + im[up],
                     (double)w.cosine[1][i], (double)w.sine[1][i]);
    }
    return s;
}

/* What the cells of a row have in common, for all rows of the rank. */
static __global__ void rows(struct run_args r, struct waves w)
{
    size_t e = this_cell(), row = e / (size_t)w.columns;
    int q = (int)(e - row * (size_t)w.columns);
    size_t block = row / (size_t)(r.n[1] * r.n[2]);
    if (block >= (size_t)r.nblock) return;
    int j = (int)(row % (size_t)r.n[1]), k = (int)(row / (size_t)r.n[1] % (size_t)r.n[2]);
    const int *at = w.at + 3 * block;
    struct complex s = row_sum(w, at[2] + k, at[1] + j, q);
    w.row[2 * row * (size_t)w.columns + (size_t)q] = (sl_real)s.re;
    w.row[(2 * row + 1) * (size_t)w.columns + (size_t)q] = (sl_real)s.im;
}

/* The force in interior cell i of the rank. */
static __device__ void force_at(const struct run_args &r, const struct waves &w, size_t i,
                                sl_real (&a)[3])
{
    unsigned row = (unsigned)i / (unsigned)r.n[0], block = row / (unsigned)(r.n[1] * r.n[2]);
    int x = w.at[3 * block] + (int)((unsigned)i - row * (unsigned)r.n[0]), waves = w.reach[0] + 1;
    const sl_real *re = w.row + 2 * (size_t)row * (size_t)w.columns, *im = re + w.columns;
    a[0] = a[1] = a[2] = 0;
    for (int n = 0; n < waves; n++) {
        sl_real cosine = w.cosine[0][n * w.cells[0] + x], sine = w.sine[0][n * w.cells[0] + x];
#pragma unroll
        for (int c = 0; c < 3; c++)
            a[c] = sl_drive_add(a[c], re[c * waves + n], im[c * waves + n], cosine, sine);
    }
}

/* ---- sums and kicks -------------------------------------------------------------------------- */

/* Few blocks of threads: all of them end at the same numbers in memory. */
static unsigned few(const struct sl_device *d)
{
    unsigned all = all_cells(d), least = all / MOST_TERMS + 1, grid = all < 4096 ? all : 4096;
    return grid > least ? grid : least;
}

static __global__ void most(struct run_args r, const sl_real *u, unsigned long long *out)
{
    sl_real rho = 0, square = 0;
    for (size_t i = this_cell();; i += (size_t)gridDim.x * blockDim.x) {
        ptrdiff_t at = cell_at(r, i, r.nvar);
        if (at < 0) break;
        sl_real x = u[at + r.var], y = u[at + 2 * r.var], z = u[at + 3 * r.var];
        rho = sl_max(rho, u[at]);
        square = sl_max(square, x * x + y * y + z * z);
    }
    most_add(out, rho);
    most_add(out + 1, square);
}

struct magic {
    double of[SL_DRIVE_SUMS];
};

static __device__ long long term_of(double magic, double x)
{
    return __double_as_longlong(magic + x) - __double_as_longlong(magic);
}

/* Whole numbers: any order of the cells gives the same. */
static __global__ void sums(struct run_args r, struct waves w, struct magic magic, const sl_real *u,
                            unsigned long long *out)
{
    __shared__ unsigned long long all[FORCE_VALUES];
    long long t[SL_DRIVE_SUMS] = {0};
    if (threadIdx.x < FORCE_VALUES) all[threadIdx.x] = 0;
    __syncthreads();
    for (size_t i = this_cell();; i += (size_t)gridDim.x * blockDim.x) {
        ptrdiff_t at = cell_at(r, i, r.nvar);
        if (at < 0) break;
        sl_real f[3];
        double m[3], a[3], term[SL_DRIVE_SUMS];
        force_at(r, w, i, f);
        for (int d = 0; d < 3; d++)
            a[d] = (double)f[d], m[d] = (double)u[at + (1 + d) * r.var];
        sl_drive_terms((double)u[at], m, a, term);
        for (int q = 0; q < SL_DRIVE_SUMS; q++)
            t[q] += term_of(magic.of[q], term[q]);
    }
    for (int q = 0; q < SL_DRIVE_SUMS; q++) {
        for (int by = 16; by > 0; by /= 2)
            t[q] += __shfl_xor_sync(0xffffffff, t[q], by);
        long long low = t[q] & 0xffffffffLL;
        if (threadIdx.x % 32 > 0) continue;
        atomicAdd(&all[2 * q], (unsigned long long)((t[q] - low) / (1LL << 32)));
        atomicAdd(&all[2 * q + 1], (unsigned long long)low);
    }
    __syncthreads();
    if (threadIdx.x < FORCE_VALUES) atomicAdd(&out[threadIdx.x], all[threadIdx.x]);
}

struct push {
    sl_real lambda, mean[3];
};

static __global__ void kick(struct run_args r, struct waves w, struct push p, sl_real *u)
{
    sl_real a[3], dv[3], work[3];
    ptrdiff_t place = cell_at(r, this_cell(), r.nvar);
    if (place < 0) return;
    sl_real *at = u + place, rho = at[0];
    force_at(r, w, this_cell(), a);
#pragma unroll
    for (int d = 0; d < 3; d++) {
        sl_real *m = at + (1 + d) * r.var;
        dv[d] = p.lambda * (a[d] - p.mean[d]);
        work[d] = sl_drive_work(rho, *m, dv[d]);
        *m += rho * dv[d];
    }
    if (r.layout.energy >= 0) at[r.layout.energy * r.var] += (work[0] + work[1]) + work[2];
}

/* ---- the device ------------------------------------------------------------------------------ */

void force_free(struct force *f)
{
    if (!f) return;
    for (int a = 0; a < 3; a++)
        room_free(f->w.cosine[a]), room_free(f->w.sine[a]);
    room_free(f->coefficient), room_free(f->w.plane), room_free(f->w.row);
    room_free(f->w.at);
    room_free(f->sum);
    free(f);
}

static size_t coefficients_of(const struct sl_device_force *from)
{
    return (size_t)(from->reach[2] + 1) * (size_t)(3 * (from->reach[0] + 1)) *
           (size_t)(2 * from->reach[1] + 1);
}

static const char *force_fill(struct sl_device *d, const struct sl_device_force *from)
{
    struct force *f = d->force;
    struct waves *w = &f->w;
    size_t size = coefficients_of(from);
    w->columns = 3 * (from->reach[0] + 1);
    for (int a = 0; a < 3; a++) {
        size_t waves = (size_t)(from->reach[a] + 1) * (size_t)from->cells[a] * sizeof(sl_real);
        w->reach[a] = from->reach[a], w->cells[a] = from->cells[a];
        PASS(table(from->cosine[a], waves, (const void **)&w->cosine[a]));
        PASS(table(from->sine[a], waves, (const void **)&w->sine[a]));
    }
    PASS(table(from->at, 3 * (size_t)d->run.nblock * sizeof(int), (const void **)&w->at));
    PASS(room_new(4 * size * sizeof(double), (void **)&f->coefficient));
    for (int part = 0; part < 2; part++) {
        w->even[part] = f->coefficient + (size_t)part * size;
        w->odd[part] = f->coefficient + (size_t)(2 + part) * size;
    }
    size_t plane = 2 * (size_t)w->columns * (size_t)(2 * w->reach[1] + 1) * (size_t)w->cells[2];
    PASS(room_new(plane * sizeof(double), (void **)&w->plane));
    size_t rows = (size_t)d->run.nblock * (size_t)d->run.n[1] * (size_t)d->run.n[2];
    PASS(room_new(2 * rows * (size_t)w->columns * sizeof *w->row, (void **)&w->row));
    PASS(host_room(d->shared, HOST_SUMS, FORCE_VALUES * sizeof *f->sum));
    return room_new(FORCE_VALUES * sizeof *f->sum, (void **)&f->sum);
}

/* Brings the force of the present time to the device. */
static const char *force_update(struct sl_device *d, const struct sl_device_force *from)
{
    size_t size = coefficients_of(from) * sizeof(double);
    if (!d->force) {
        d->force = (struct force *)calloc(1, sizeof *d->force);
        if (!d->force) return "no memory on the host";
        PASS(force_fill(d, from));
    }
    struct force *f = d->force;
    if (f->version == from->version) return NULL;
    f->version = from->version;
    for (int part = 0; part < 2; part++) {
        PASS(move(d, (void *)f->w.even[part], from->even[part], size, cudaMemcpyHostToDevice));
        PASS(move(d, (void *)f->w.odd[part], from->odd[part], size, cudaMemcpyHostToDevice));
    }
    planes<<<(unsigned)f->w.cells[2], THREADS, 0, d->stream>>>(f->w);
    TRY(cudaGetLastError());
    size_t sums = (size_t)d->run.nblock * (size_t)d->run.n[1] * (size_t)d->run.n[2];
    sums *= (size_t)f->w.columns;
    rows<<<(unsigned)((sums + THREADS - 1) / THREADS), THREADS, 0, d->stream>>>(d->run, f->w);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_force_most(struct sl_device *d, const sl_real *u, double out[2])
{
    TRY(cudaMemsetAsync(d->most, 0, 2 * sizeof *d->most, d->stream));
    if (d->run.nblock > 0) ::most<<<few(d), THREADS, 0, d->stream>>>(leaves_of(d), u, d->most);
    TRY(cudaGetLastError());
    PASS(move(d, d->host_most, d->most, 2 * sizeof *d->most, cudaMemcpyDeviceToHost));
    TRY(cudaMemsetAsync(d->most, 0, 2 * sizeof *d->most, d->stream));
    PASS(wait(d));
    memcpy(out, d->host_most, 2 * sizeof *out);
    return NULL;
}

extern "C" const char *sl_device_force_sums(struct sl_device *d,
                                            const struct sl_device_force *force, const sl_real *u,
                                            const double *unit, long long *sum)
{
    struct magic magic;
    if (d->run.nblock == 0) return NULL;
    PASS(force_update(d, force));
    struct force *f = d->force;
    memcpy(magic.of, unit, sizeof magic.of);
    TRY(cudaMemsetAsync(f->sum, 0, FORCE_VALUES * sizeof *f->sum, d->stream));
    sums<<<few(d), THREADS, 0, d->stream>>>(leaves_of(d), f->w, magic, u, f->sum);
    TRY(cudaGetLastError());
    const unsigned long long *host = (const unsigned long long *)d->shared->host[HOST_SUMS];
    PASS(move(d, (void *)host, f->sum, FORCE_VALUES * sizeof *f->sum, cudaMemcpyDeviceToHost));
    PASS(wait(d));
    for (int i = 0; i < FORCE_VALUES; i++)
        sum[i] += (long long)host[i];
    return NULL;
}

extern "C" const char *sl_device_force_kick(struct sl_device *d,
                                            const struct sl_device_force *force, sl_real lambda,
                                            const sl_real mean[3], sl_real *u)
{
    struct push p = {lambda, {mean[0], mean[1], mean[2]}};
    if (d->run.nblock == 0) return NULL;
    PASS(force_update(d, force));
    kick<<<all_cells(d), THREADS, 0, d->stream>>>(leaves_of(d), d->force->w, p, u);
    TRY(cudaGetLastError());
    return NULL;
}
