/* device.cu - memory, tables, ghost cells and launches of the CUDA backend; see device.h. */
#include <cuda_runtime.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/cell.cuh"

enum { THREADS = 256 };

struct sl_device {
    struct sl_device_spec spec; /* its tables are in device memory */
    struct run_args run;
    stage_kernel *kernel;
    int tile[2], chunk, tiles[3], slots;
    size_t shared; /* bytes of a tile */
    cudaStream_t stream;
    sl_real *field[SL_DEVICE_COPIES], *flags;
    sl_real *send, *receive, *given;                /* device */
    sl_real *host_send, *host_receive, *host_given; /* pinned */
    unsigned long long *most, *host_most;           /* signals and a count; device, pinned */
};

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t code_ = (call);                                                                \
        if (code_ != cudaSuccess) return cudaGetErrorString(code_);                                \
    } while (0)
#define PASS(call)                                                                                 \
    do {                                                                                           \
        const char *text_ = (call);                                                                \
        if (text_) return text_;                                                                   \
    } while (0)

/* ---- making ----------------------------------------------------------------------------------- */

extern "C" int sl_device_count(void)
{
    int n = 0;
    return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

static const char *table(const void *from, size_t size, const void **out)
{
    void *to = NULL;
    TRY(cudaMalloc(&to, size > 0 ? size : 1));
    *out = to;
    if (size > 0) TRY(cudaMemcpy(to, from, size, cudaMemcpyHostToDevice));
    return NULL;
}

static const char *tables(struct sl_device *d, const struct sl_device_spec *s)
{
    struct sl_device_spec *t = &d->spec;
    t->ghost = NULL, t->near = NULL, t->out = t->in = NULL;
    for (int a = 0; a < 3; a++)
        t->face[a] = NULL;
    PASS(table(s->ghost, (size_t)s->nghost * sizeof *s->ghost, (const void **)&t->ghost));
    PASS(table(s->near, (size_t)s->nblock * SL_DEVICE_NDIR * sizeof *s->near,
               (const void **)&t->near));
    PASS(table(s->out, (size_t)s->nout * sizeof *s->out, (const void **)&t->out));
    PASS(table(s->in, (size_t)s->nin * sizeof *s->in, (const void **)&t->in));
    for (int a = 0; a < 3; a++)
        PASS(table(s->face[a], (size_t)s->nface[a] * sizeof *s->face[a],
                   (const void **)&t->face[a]));
    return NULL;
}

static const char *buffer(size_t n, sl_real **device, sl_real **host)
{
    size_t size = (n > 0 ? n : 1) * sizeof(sl_real);
    TRY(cudaMalloc((void **)device, size));
    TRY(cudaMallocHost((void **)host, size));
    return NULL;
}

static const char *buffers(struct sl_device *d)
{
    const struct sl_device_spec *s = &d->spec;
    size_t nvar = (size_t)s->nvar, size = (size_t)s->nblock * nvar * (size_t)d->run.var;
    for (int i = 0; i < SL_DEVICE_COPIES; i++) {
        TRY(cudaMalloc((void **)&d->field[i], (size + 1) * sizeof(sl_real)));
        TRY(cudaMemset(d->field[i], 0, (size + 1) * sizeof(sl_real)));
    }
    PASS(buffer(s->out_cells * nvar, &d->send, &d->host_send));
    PASS(buffer(s->in_cells * nvar, &d->receive, &d->host_receive));
    PASS(buffer(s->given_cells * nvar, &d->given, &d->host_given));
    TRY(cudaMalloc((void **)&d->most, 4 * sizeof *d->most));
    TRY(cudaMemset(d->most, 0, 4 * sizeof *d->most));
    TRY(cudaMallocHost((void **)&d->host_most, 4 * sizeof *d->most));
    return NULL;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int parts(int n, int size)
{
    return (n + size - 1) / size;
}

static const struct stage_row *row_of(int method, int limiter)
{
    static const struct stage_row *const plm[] = {&stage_plm_minmod, &stage_plm_vanleer,
                                                  &stage_plm_mc};
    switch (method) {
    case SL_RECONSTRUCT_constant:
        return &stage_constant;
    case SL_RECONSTRUCT_plm:
        return plm[limiter];
    case SL_RECONSTRUCT_ppm:
        return &stage_ppm;
    default:
        return &stage_wenoz;
    }
}

static size_t shared_of(const struct sl_device *d, int wide, int high)
{
    const struct run_args *r = &d->run;
    int plane = (wide + 2 * r->g[0]) * (high + 2 * r->g[1]);
    int cells = d->slots * r->nvar * plane + r->nvar * (wide + 1) * high;
    if (r->dim > 1) cells += r->nvar * wide * (high + 1);
    if (r->dim > 2) cells += 3 * (r->nvar - r->extra) * wide * high;
    return (size_t)cells * sizeof(sl_real);
}

/* Tiles are as high as threads and shared memory allow; columns are cut until there is work for all multiprocessors. */
static const char *tile_choose(struct sl_device *d)
{
    const struct run_args *r = &d->run;
    int most = 0, processors = 1;
    TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->spec.id));
    TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, d->spec.id));
    int reach = sl_reconstruct_ghosts(d->spec.method) - 1, threads = stage_threads(reach);
    size_t share = (size_t)most / (size_t)stage_blocks(reach);
    int row = r->dim == 1 ? threads : reach < 2 ? 16 : 32;
    int wide = least(r->n[0], row), high = least(r->n[1], threads / wide);
    while (high > 1 && shared_of(d, wide, high) > share)
        high = (high + 1) / 2;
    while (wide > 4 && shared_of(d, wide, high) > (size_t)most)
        wide = (wide + 1) / 2;
    d->shared = shared_of(d, wide, high);
    if (d->shared > (size_t)most) return "too many variables for the shared memory of this device";
    d->tile[0] = wide, d->tile[1] = high;
    d->tiles[0] = parts(r->n[0], wide);
    d->tiles[1] = parts(r->n[1], high);
    d->tiles[2] = 1;
    long long columns = (long long)d->tiles[0] * d->tiles[1] * r->nblock;
    while (columns * d->tiles[2] < 32 * processors && parts(r->n[2], 2 * d->tiles[2]) >= 8)
        d->tiles[2] *= 2;
    d->chunk = parts(r->n[2], d->tiles[2]);
    d->tiles[2] = parts(r->n[2], d->chunk);
    TRY(cudaFuncSetAttribute((const void *)d->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)d->shared));
    return NULL;
}

static void run_set(struct sl_device *d)
{
    const struct sl_device_spec *s = &d->spec;
    struct run_args *r = &d->run;
    r->dim = s->dim, r->nvar = s->nvar, r->nblock = s->nblock;
    for (int a = 0; a < 3; a++)
        r->n[a] = s->n[a], r->g[a] = s->g[a], r->nt[a] = s->nt[a];
    r->var = (ptrdiff_t)s->nt[0] * s->nt[1] * s->nt[2];
    r->theta = s->theta, r->dual_eta = s->dual_eta;
    r->gas = s->gas, r->layout = s->layout;
    r->extra = s->layout.energy < 0 ? 4 : 5;
    int reach = sl_reconstruct_ghosts(s->method) - 1;
    int plain = s->dim == 3 && s->gas.eos == SL_EOS_ideal && s->nvar == 5;
    d->slots = s->dim < 3 ? 1 : reach > 0 ? 2 * reach + 1 : 2;
    d->kernel = row_of(s->method, s->limiter)->kernel[s->solver][plain];
}

static const char *fill(struct sl_device *d, const struct sl_device_spec *spec)
{
    TRY(cudaSetDevice(spec->id));
    TRY(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    PASS(tables(d, spec));
    PASS(buffers(d));
    PASS(tile_choose(d));
    TRY(cudaDeviceSynchronize());
    return NULL;
}

extern "C" const char *sl_device_new(const struct sl_device_spec *spec, struct sl_device **out)
{
    struct sl_device *d = (struct sl_device *)calloc(1, sizeof *d);
    if (!d) return "no memory on the host";
    d->spec = *spec;
    run_set(d);
    const char *text = fill(d, spec);
    if (text) {
        sl_device_free(d);
        return text;
    }
    *out = d;
    return NULL;
}

extern "C" void sl_device_free(struct sl_device *d)
{
    if (!d) return;
    for (int i = 0; i < SL_DEVICE_COPIES; i++)
        cudaFree(d->field[i]);
    for (int a = 0; a < 3; a++)
        cudaFree((void *)d->spec.face[a]);
    cudaFree((void *)d->spec.ghost), cudaFree((void *)d->spec.near);
    cudaFree((void *)d->spec.out), cudaFree((void *)d->spec.in);
    cudaFree(d->flags), cudaFree(d->send), cudaFree(d->receive), cudaFree(d->given);
    cudaFree(d->most);
    cudaFreeHost(d->host_send), cudaFreeHost(d->host_receive), cudaFreeHost(d->host_given);
    cudaFreeHost(d->host_most);
    if (d->stream) cudaStreamDestroy(d->stream);
    free(d);
}

extern "C" sl_real *sl_device_field(struct sl_device *d, int copy)
{
    return d->field[copy];
}

extern "C" sl_real *sl_device_send_buffer(struct sl_device *d)
{
    return d->host_send;
}

extern "C" sl_real *sl_device_receive_buffer(struct sl_device *d)
{
    return d->host_receive;
}

extern "C" sl_real *sl_device_given(struct sl_device *d)
{
    return d->host_given;
}

static const char *move(struct sl_device *d, void *to, const void *from, size_t n,
                        enum cudaMemcpyKind kind)
{
    TRY(cudaMemcpyAsync(to, from, n, kind, d->stream));
    return NULL;
}

static const char *wait(struct sl_device *d)
{
    TRY(cudaStreamSynchronize(d->stream));
    return NULL;
}

static size_t field_size(const struct sl_device *d)
{
    return (size_t)d->run.nblock * (size_t)d->run.nvar * (size_t)d->run.var * sizeof(sl_real);
}

extern "C" const char *sl_device_push(struct sl_device *d, sl_real *field, const sl_real *host)
{
    PASS(move(d, field, host, field_size(d), cudaMemcpyHostToDevice));
    return wait(d);
}

extern "C" const char *sl_device_pull(struct sl_device *d, const sl_real *field, sl_real *host)
{
    PASS(move(d, host, field, field_size(d), cudaMemcpyDeviceToHost));
    return wait(d);
}

/* ---- ghost cells ------------------------------------------------------------------------------ */

/* Value `i` of a message: cell of a link's box, within the field. */
static __device__ ptrdiff_t link_cell(const struct run_args &r, const struct sl_device_link *l,
                                      int nvar, size_t i)
{
    int v = (int)(i / l->cells), c = (int)(i % l->cells);
    int x = c % l->n[0], y = c / l->n[0] % l->n[1], z = c / (l->n[0] * l->n[1]);
    ptrdiff_t at = ((ptrdiff_t)(z + l->lo[2]) * r.nt[1] + y + l->lo[1]) * r.nt[0] + x + l->lo[0];
    return ((ptrdiff_t)l->block * nvar + v) * r.var + at;
}

static __global__ void pack(struct run_args r, const struct sl_device_link *link, int nvar,
                            const sl_real *u, sl_real *buffer)
{
    const struct sl_device_link *l = link + blockIdx.x;
    sl_real *to = buffer + l->start * nvar;
    for (size_t i = threadIdx.x; i < l->cells * nvar; i += blockDim.x)
        to[i] = u[link_cell(r, l, nvar, i)];
}

static __global__ void unpack(struct run_args r, const struct sl_device_link *link, int nvar,
                              const sl_real *buffer, sl_real *u)
{
    const struct sl_device_link *l = link + blockIdx.x;
    const sl_real *from = buffer + l->start * nvar;
    for (size_t i = threadIdx.x; i < l->cells * nvar; i += blockDim.x)
        u[link_cell(r, l, nvar, i)] = from[i];
}

static __global__ void local(struct run_args r, int nghost, int parts,
                             const struct sl_device_ghost *ghost, const int *near, int nvar,
                             sl_real *u)
{
    int block = (int)blockIdx.x / parts;
    int i = (int)blockIdx.x % parts * (int)blockDim.x + (int)threadIdx.x;
    if (i >= nghost) return;
    struct sl_device_ghost g = ghost[i];
    int other = near[block * SL_DEVICE_NDIR + g.dir];
    if (other < 0) return;
    sl_real *to = u + (ptrdiff_t)block * nvar * r.var + g.to;
    const sl_real *from = u + (ptrdiff_t)other * nvar * r.var + g.from;
    for (int v = 0; v < nvar; v++, to += r.var, from += r.var)
        *to = *from;
}

static __device__ int source(const struct run_args &r, const struct sl_device_face *f, int i,
                             bool mirror)
{
    int g = r.g[f->axis], last = g + r.n[f->axis] - 1;
    if (mirror) return f->upper ? 2 * last + 1 - i : 2 * g - 1 - i;
    return f->upper ? last : g;
}

static __global__ void boundary(struct run_args r, const struct sl_device_face *face, int nvar,
                                int vector, const sl_real *given, sl_real *u)
{
    const struct sl_device_face *f = face + blockIdx.y;
    int cells = f->n[0] * f->n[1] * f->n[2];
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= cells) return;
    int at[3] = {i % f->n[0] + f->lo[0], i / f->n[0] % f->n[1] + f->lo[1],
                 i / (f->n[0] * f->n[1]) + f->lo[2]};
    sl_real *block = u + (ptrdiff_t)f->block * nvar * r.var;
    sl_real *to = block + ((ptrdiff_t)at[2] * r.nt[1] + at[1]) * r.nt[0] + at[0];
    bool mirror = f->rule != SL_DEVICE_NEAREST;
    const sl_real *value = given ? given + (f->start + i) * nvar : NULL;
    at[f->axis] = source(r, f, at[f->axis], mirror);
    const sl_real *from = block + ((ptrdiff_t)at[2] * r.nt[1] + at[1]) * r.nt[0] + at[0];
    bool set = f->rule == SL_DEVICE_GIVEN && (!value || value[0] == value[0]);
    for (int v = 0; v < nvar; v++) {
        bool flip = mirror && vector >= 0 && v == vector + f->axis;
        sl_real copied = flip ? -from[v * r.var] : from[v * r.var];
        to[v * r.var] = set ? (value ? value[v] : 0) : copied;
    }
}

extern "C" const char *sl_device_pack(struct sl_device *d, int nvar, const sl_real *u)
{
    if (d->spec.nout == 0) return NULL;
    pack<<<d->spec.nout, THREADS, 0, d->stream>>>(d->run, d->spec.out, nvar, u, d->send);
    TRY(cudaGetLastError());
    PASS(move(d, d->host_send, d->send, d->spec.out_cells * (size_t)nvar * sizeof(sl_real),
              cudaMemcpyDeviceToHost));
    return wait(d);
}

extern "C" const char *sl_device_local(struct sl_device *d, int nvar, sl_real *u)
{
    int n = parts(d->spec.nghost, THREADS);
    if (n == 0 || d->spec.nblock == 0) return NULL;
    local<<<(unsigned)n * (unsigned)d->spec.nblock, THREADS, 0, d->stream>>>(
        d->run, d->spec.nghost, n, d->spec.ghost, d->spec.near, nvar, u);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_unpack(struct sl_device *d, int nvar, sl_real *u)
{
    if (d->spec.nin == 0) return NULL;
    PASS(move(d, d->receive, d->host_receive, d->spec.in_cells * (size_t)nvar * sizeof(sl_real),
              cudaMemcpyHostToDevice));
    unpack<<<d->spec.nin, THREADS, 0, d->stream>>>(d->run, d->spec.in, nvar, d->receive, u);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_boundary(struct sl_device *d, int nvar, int vector, int given,
                                          sl_real *u)
{
    const struct sl_device_spec *s = &d->spec;
    if (given && s->given_cells > 0)
        PASS(move(d, d->given, d->host_given, s->given_cells * (size_t)nvar * sizeof(sl_real),
                  cudaMemcpyHostToDevice));
    for (int a = 0; a < s->dim; a++) {
        int most = s->g[a] * (s->nt[0] * s->nt[1] * s->nt[2] / s->nt[a]);
        for (int first = 0; first < s->nface[a]; first += 65535) {
            dim3 grid((unsigned)parts(most, THREADS),
                      (unsigned)least(s->nface[a] - first, 65535));
            boundary<<<grid, THREADS, 0, d->stream>>>(d->run, s->face[a] + first, nvar, vector,
                                                      given ? d->given : NULL, u);
            TRY(cudaGetLastError());
        }
    }
    return NULL;
}

/* ---- stages ----------------------------------------------------------------------------------- */

extern "C" const char *sl_device_advance(struct sl_device *d, const struct sl_device_stage *s)
{
    struct stage_args a;
    if (d->run.nblock == 0) return NULL;
    a.run = d->run;
    a.s = *s;
    a.chunk = d->chunk;
    a.signal = d->most;
    unsigned tiles = (unsigned)d->run.nblock;
    for (int i = 0; i < 3; i++)
        tiles *= (unsigned)(a.tiles[i] = d->tiles[i]);
    a.tile[0] = d->tile[0], a.tile[1] = d->tile[1];
    dim3 threads((unsigned)d->tile[0], (unsigned)d->tile[1]);
    d->kernel<<<tiles, threads, d->shared, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

/* Offset of the variables of interior cell `i` of the rank, -1 beyond the last. */
static __device__ ptrdiff_t cell_at(const struct run_args &r, size_t i, int nvar)
{
    size_t n0 = (size_t)r.n[0], n1 = (size_t)r.n[1], n2 = (size_t)r.n[2];
    size_t block = i / (n0 * n1 * n2);
    if (block >= (size_t)r.nblock) return -1;
    int x = (int)(i % n0) + r.g[0], y = (int)(i / n0 % n1) + r.g[1];
    int z = (int)(i / (n0 * n1) % n2) + r.g[2];
    return (ptrdiff_t)block * nvar * r.var + ((ptrdiff_t)z * r.nt[1] + y) * r.nt[0] + x;
}

static unsigned all_cells(const struct sl_device *d)
{
    const struct run_args *r = &d->run;
    size_t n = (size_t)r->n[0] * (size_t)r->n[1] * (size_t)r->n[2] * (size_t)r->nblock;
    return (unsigned)((n + THREADS - 1) / THREADS);
}

static __device__ size_t this_cell(void)
{
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

struct three {
    sl_real x[3];
};

static __global__ void signals(struct run_args r, struct three per_dx, sl_real *u,
                               unsigned long long *most)
{
    struct signal s = {0, 0, 0};
    ptrdiff_t at = cell_at(r, this_cell(), r.nvar);
    if (at >= 0) {
        if (r.layout.entropy >= 0) agree(r, u + at);
        signal_add(r, per_dx.x, 1, cons_at(r, u + at), &s);
    }
    signal_put(most, s);
}

extern "C" const char *sl_device_signal(struct sl_device *d, const sl_real per_dx[3], sl_real *u)
{
    struct three p = {{per_dx[0], per_dx[1], per_dx[2]}};
    if (d->run.nblock == 0) return NULL;
    signals<<<all_cells(d), THREADS, 0, d->stream>>>(d->run, p, u, d->most);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_signal_take(struct sl_device *d, double signal[3])
{
    PASS(move(d, d->host_most, d->most, 3 * sizeof *d->most, cudaMemcpyDeviceToHost));
    TRY(cudaMemsetAsync(d->most, 0, 3 * sizeof *d->most, d->stream));
    PASS(wait(d));
    memcpy(signal, d->host_most, 3 * sizeof *signal);
    return NULL;
}

/* ---- repairs ---------------------------------------------------------------------------------- */

extern "C" const char *sl_device_flags(struct sl_device *d, sl_real **flags)
{
    size_t size = ((size_t)d->run.nblock * (size_t)d->run.var + 1) * sizeof(sl_real);
    if (!d->flags) TRY(cudaMalloc((void **)&d->flags, size));
    TRY(cudaMemsetAsync(d->flags, 0, size, d->stream));
    *flags = d->flags;
    return NULL;
}

static const char *count_take(struct sl_device *d, long long *count)
{
    PASS(move(d, d->host_most, d->most + 3, sizeof *d->most, cudaMemcpyDeviceToHost));
    TRY(cudaMemsetAsync(d->most + 3, 0, sizeof *d->most, d->stream));
    PASS(wait(d));
    *count = (long long)d->host_most[0];
    return NULL;
}

static __global__ void flag(struct run_args r, const sl_real *out, sl_real *flags,
                            unsigned long long *count)
{
    ptrdiff_t at = cell_at(r, this_cell(), r.nvar), mark = cell_at(r, this_cell(), 1);
    if (at < 0 || flags[mark] > 0 || !sl_bad_state(&r.gas, cons_at(r, out + at))) return;
    flags[mark] = 1;
    atomicAdd(count, 1);
}

extern "C" const char *sl_device_flag(struct sl_device *d, const sl_real *out, long long *count)
{
    if (d->run.nblock > 0)
        flag<<<all_cells(d), THREADS, 0, d->stream>>>(d->run, out, d->flags, d->most + 3);
    TRY(cudaGetLastError());
    return count_take(d, count);
}

/* A line of seven cells' primitive values, all that the two faces of the middle one depend on. */
enum { LINE = 7, MIDDLE = 3 };

static __device__ sl_real any_side(int method, int limiter, const sl_real *q, bool upper,
                                   sl_real theta)
{
    struct near o = near_of(1);
    switch (method) {
    case SL_RECONSTRUCT_constant:
        return side<SL_RECONSTRUCT_constant, 0>(q, o, upper, theta);
    case SL_RECONSTRUCT_ppm:
        return side<SL_RECONSTRUCT_ppm, 0>(q, o, upper, theta);
    case SL_RECONSTRUCT_wenoz:
        return side<SL_RECONSTRUCT_wenoz, 0>(q, o, upper, theta);
    default:
        break;
    }
    switch (limiter) {
#define ANY_PLM(name, about)                                                                       \
    case SL_LIMITER_##name:                                                                        \
        return side<SL_RECONSTRUCT_plm, SL_LIMITER_##name>(q, o, upper, theta);
        SL_LIMITER_LIST(ANY_PLM)
#undef ANY_PLM
    default:
        return q[0];
    }
}

struct scheme {
    int method, limiter, solver;
};

/* All variables at a face of the cell at q. */
static __device__ void face_of(const struct run_args &r, struct scheme s, const sl_real *q,
                               bool upper, sl_real *w)
{
    for (int v = 0; v < r.nvar; v++)
        w[v] = any_side(s.method, s.limiter, q + v * LINE, upper, r.theta);
    if (s.method != SL_RECONSTRUCT_ppm && s.method != SL_RECONSTRUCT_wenoz) return;
    bool warm = r.gas.eos != SL_EOS_isothermal;
    if (w[0] > 0 && (!warm || w[4] > 0)) return;
    for (int v = 0; v < r.nvar; v++)
        w[v] = q[v * LINE];
}

static __device__ struct sl_prim turned(const struct run_args &r, int axis, const sl_real *w)
{
    struct sl_prim p = {w[0], w[1 + axis], w[1 + (axis + 1) % 3], w[1 + (axis + 2) % 3], 0};
    p.p = r.gas.eos == SL_EOS_isothermal ? p.rho * (r.gas.cs * r.gas.cs) : w[4];
    return p;
}

static __device__ void any_flux(const struct run_args &r, int solver, int axis, const sl_real *l,
                                const sl_real *h, sl_real *f)
{
    struct sl_cons c = sl_riemann(solver, &r.gas, turned(r, axis, l), turned(r, axis, h));
    f[0] = c.rho;
    f[1 + axis] = c.mx;
    f[1 + (axis + 1) % 3] = c.my;
    f[1 + (axis + 2) % 3] = c.mz;
    if (r.gas.eos != SL_EOS_isothermal) f[4] = c.en;
    for (int v = r.extra; v < r.nvar; v++)
        f[v] = c.rho * (c.rho > 0 ? l[v] : h[v]);
}

/* Flux at a face of the middle cell: first order where a cell beside it is flagged. */
static __device__ void one_face(const struct run_args &r, struct scheme s, int axis, bool upper,
                                bool safe, const sl_real *q, sl_real *f)
{
    sl_real low[SL_MAX_VAR], high[SL_MAX_VAR];
    const sl_real *below = q + (upper ? 0 : -1), *above = below + 1;
    for (int v = 0; v < r.nvar && safe; v++)
        low[v] = below[v * LINE], high[v] = above[v * LINE];
    if (!safe) {
        face_of(r, s, below, true, low);
        face_of(r, s, above, false, high);
    }
    any_flux(r, safe ? (int)SL_RIEMANN_llf : s.solver, axis, low, high, f);
}

static __global__ void remake(struct run_args r, struct scheme s, int reach,
                              struct sl_device_stage g, const sl_real *flags)
{
    ptrdiff_t at = cell_at(r, this_cell(), r.nvar), mark = cell_at(r, this_cell(), 1);
    if (at < 0) return;
    const ptrdiff_t step[3] = {1, r.nt[0], (ptrdiff_t)r.nt[0] * r.nt[1]};
    bool any = flags[mark] > 0;
    for (int a = 0; a < r.dim; a++)
        any = any || flags[mark - step[a]] > 0 || flags[mark + step[a]] > 0;
    if (!any) return;
    sl_real change[SL_MAX_VAR], q[SL_MAX_VAR * LINE], f[2][SL_MAX_VAR];
    for (int a = 0; a < r.dim; a++) {
        for (int i = -reach; i <= reach; i++)
            prim_of(r, g.u + at + i * step[a], q + MIDDLE + i, LINE);
        for (int up = 0; up < 2; up++) {
            bool safe = flags[mark] > 0 || flags[mark + (up ? step[a] : -step[a])] > 0;
            one_face(r, s, a, up, safe, q + MIDDLE, f[up]);
        }
        for (int v = 0; v < r.nvar; v++) {
            sl_real d = (f[1][v] - f[0][v]) * g.dt_dx[a];
            change[v] = a == 0 ? d : change[v] + d;
        }
    }
    for (int v = 0; v < r.nvar; v++) {
        ptrdiff_t i = at + v * r.var;
        sl_real made = g.u[i] - change[v];
        g.out[i] = g.b == 1 ? made : g.u0[i] + g.b * (made - g.u0[i]);
    }
    if (r.layout.entropy >= 0) agree(r, g.out + at);
}

extern "C" const char *sl_device_remake(struct sl_device *d, const struct sl_device_stage *s)
{
    struct scheme scheme = {d->spec.method, d->spec.limiter, d->spec.solver};
    if (d->run.nblock > 0)
        remake<<<all_cells(d), THREADS, 0, d->stream>>>(
            d->run, scheme, sl_reconstruct_ghosts(d->spec.method), *s, d->flags);
    TRY(cudaGetLastError());
    return NULL;
}

static __device__ void raise_cell(const struct run_args &r, const sl_real *old, sl_real *u)
{
    const sl_real tiny = sizeof(sl_real) == sizeof(float) ? (sl_real)1.1920928955078125e-07f
                                                          : (sl_real)2.220446049250313e-16;
    const sl_real least_rho = (sl_real)(sizeof(sl_real) == sizeof(float) ? 0 : 2.2250738585072014e-308);
    if (!(u[0] > 0)) {
        sl_real rho = sl_max(r.gas.rho_floor, least_rho);
        for (int v = 1; v < 4; v++)
            u[v * r.var] = rho * (old[v * r.var] / old[0]);
        for (int v = r.layout.scalar0; v < r.nvar; v++)
            u[v * r.var] = rho * (old[v * r.var] / old[0]);
        u[0] = rho;
    }
    if (r.layout.energy < 0) return;
    struct sl_cons c = cons_at(r, u);
    sl_real kinetic = (sl_real)0.5 * sl_speed_squared(c.mx, c.my, c.mz) / c.rho;
    sl_real least = sl_max(r.gas.p_floor / (r.gas.gamma - 1), 8 * tiny * kinetic);
    u[4 * r.var] = kinetic + sl_max(c.en - kinetic, least);
    if (r.layout.entropy >= 0)
        u[r.layout.entropy * r.var] =
            sl_pressure_to_entropy(&r.gas, c.rho, (r.gas.gamma - 1) * least);
}

static __global__ void floors(struct run_args r, const sl_real *start, sl_real *out,
                              unsigned long long *count)
{
    ptrdiff_t at = cell_at(r, this_cell(), r.nvar);
    if (at < 0 || !sl_bad_state(&r.gas, cons_at(r, out + at))) return;
    const sl_real *old = start + at;
    sl_real *u = out + at;
    bool finite = true;
    for (int v = 0; v < r.nvar; v++)
        finite = finite && u[v * r.var] - u[v * r.var] == 0;
    if (finite) raise_cell(r, old, u);
    atomicAdd(count, 1);
    if (!sl_bad_state(&r.gas, cons_at(r, u))) return;
    for (int v = 0; v < r.nvar; v++)
        u[v * r.var] = old[v * r.var];
}

extern "C" const char *sl_device_floor(struct sl_device *d, const struct sl_device_stage *s,
                                       long long *count)
{
    if (d->run.nblock > 0)
        floors<<<all_cells(d), THREADS, 0, d->stream>>>(d->run, s->u0, s->out, d->most + 3);
    TRY(cudaGetLastError());
    return count_take(d, count);
}

/* ---- bandwidth -------------------------------------------------------------------------------- */

extern "C" const char *sl_device_copy_rate(double *bytes_per_s)
{
    enum { TIMES = 10 };
    size_t size = (size_t)1 << 30;
    void *a = NULL, *b = NULL;
    cudaEvent_t start, end;
    float ms = 0;
    TRY(cudaMalloc(&a, size));
    TRY(cudaMalloc(&b, size));
    TRY(cudaMemset(a, 1, size));
    TRY(cudaEventCreate(&start));
    TRY(cudaEventCreate(&end));
    for (int i = 0; i <= TIMES; i++) {
        if (i == 1) TRY(cudaEventRecord(start));
        TRY(cudaMemcpyAsync(b, a, size, cudaMemcpyDeviceToDevice));
    }
    TRY(cudaEventRecord(end));
    TRY(cudaEventSynchronize(end));
    TRY(cudaEventElapsedTime(&ms, start, end));
    *bytes_per_s = 2.0 * TIMES * (double)size / (1e-3 * ms);
    cudaEventDestroy(start), cudaEventDestroy(end);
    cudaFree(a), cudaFree(b);
    return NULL;
}
