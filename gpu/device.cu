/* device.cu - memory, tables, ghost cells and launches of the CUDA backend; see device.h. */
#include <cuda_runtime.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cell/prolong.h"
#include "gpu/inside.cuh"
#include "kernel_lists.h"

/* ---- making ---------------------------------------------------------------------------------- */

static const char *tables(struct sl_device *d, const struct sl_device_spec *s)
{
    struct sl_device_spec *t = &d->spec;
    t->ghost = NULL, t->near = t->edges = NULL, t->walls = NULL, t->out = t->in = NULL;
    t->face = NULL;
    PASS(table(s->ghost, (size_t)s->nghost * sizeof *s->ghost, (const void **)&t->ghost));
    PASS(table(s->near, (size_t)s->nblock * SL_NDIR * sizeof *s->near, (const void **)&t->near));
    PASS(table(s->edges, (size_t)s->nblock * sizeof *s->edges, (const void **)&t->edges));
    PASS(table(s->walls, (size_t)s->nblock * sizeof *s->walls, (const void **)&t->walls));
    PASS(table(s->out, (size_t)s->nout * sizeof *s->out, (const void **)&t->out));
    PASS(table(s->in, (size_t)s->nin * sizeof *s->in, (const void **)&t->in));
    PASS(table(s->face, (size_t)s->nface * sizeof *s->face, (const void **)&t->face));
    return NULL;
}

/* What the edges need of faces and cells: from the beginning of a stage to its end, so that all
 * levels have one. */
static const char *kept_make(struct sl_device *d)
{
    struct shared *s = d->shared;
    size_t values = (size_t)d->run.nblock * (size_t)d->run.var;
    if (halo_of(d->run) == 0 || values <= s->emf_values) return NULL;
    if (d->spec.levels) values = room_rounded(values);
    room_free(s->emf.value), room_free(s->emf.upwind);
    s->emf.value = NULL, s->emf.upwind = NULL, s->emf_values = 0;
    PASS(room_new(EDGE_VALUES * values * sizeof(sl_real), (void **)&s->emf.value));
    PASS(room_new(3 * values, (void **)&s->emf.upwind));
    s->emf_values = values;
    return NULL;
}

static const char *buffers(struct sl_device *d)
{
    const struct sl_device_spec *s = &d->spec;
    size_t given = s->given_cells * (size_t)s->nvar * sizeof(sl_real);
    if (given > 0) PASS(room_new(given, (void **)&d->given));
    if (given > 0) PASS(host_room(d->shared, HOST_GIVEN, given));
    PASS(kept_make(d));
    return room_zero(SIGNALS * sizeof *d->most, (void **)&d->most);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int parts(int n, int size)
{
    return (n + size - 1) / size;
}

/* The kernel of gpu/kernels.def for the fluid, limiter and solver of a run, a method and a kind;
 * NULL: there is none. Only plm has a choice of slopes, and the monotonised central ones are those
 * of minmod with its parameter 2. */
static const struct kernel *kernel_of(const struct sl_device_spec *s, int method, int kind)
{
    static const struct kernel *const lists[] = {KERNEL_LISTS};
    bool slopes = method == SL_RECONSTRUCT_plm && s->limiter != SL_LIMITER_mc;
    int limiter = slopes ? s->limiter : (int)SL_LIMITER_minmod, solver = s->solver;
    if (kind == KIND_OPEN) limiter = solver = CHOSEN;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct kernel *k = lists[i]; k->start; k++)
            if (k->method == method && k->limiter == limiter && k->solver == solver &&
                k->field == field_of(s->layout) && k->kind == kind)
                return k;
    return NULL;
}

/* Whether only an open kernel has the choices of the scheme. */
static bool is_open(const struct sl_device *d, int method)
{
    const struct run_args *r = &d->run;
    return r->needs_compression ||
           (method != SL_RECONSTRUCT_constant && (r->gas.shocks == SL_SHOCK_flatten || r->waves)) ||
           !kernel_of(&d->spec, method, KIND_ANY);
}

static size_t shared_of(const struct run_args *r, int slots, int wide, int high)
{
    int plane = (wide + 2 * r->g[0]) * (high + 2 * r->g[1]);
    int cells = slots * r->nflow * plane + changed_of(*r) * (wide + 1) * high;
    if (r->dim > 1) cells += changed_of(*r) * wide * (high + 1);
    if (r->dim > 2) cells += 3 * (r->nflow - r->extra) * wide * high;
    return (size_t)cells * sizeof(sl_real);
}

/* Cells along an axis whose fluxes are made. */
static int columns_of(const struct run_args *r, int axis)
{
    return r->n[axis] + 2 * halo_of(*r);
}

/* Warps that the columns of a block take. */
static int warps_of(const struct run_args *r, struct shape t)
{
    return parts(columns_of(r, 0), t.wide) * parts(columns_of(r, 1), t.high) * threads_of(t) / 32;
}

/* A kernel that knows its tile, where the blocks are that wide and the shared memory, `most` bytes,
 * holds it: the one of fewest warps; else one that takes any. */
static enum kind kind_of(const struct sl_device *d, int method, size_t most)
{
    const struct run_args *r = &d->run;
    int reach = sl_reconstruct_ghosts(method) - 1, isothermal = r->gas.eos == SL_EOS_isothermal,
        least = 0;
    enum kind best = KIND_ANY;
    if (is_open(d, method)) return KIND_OPEN;
    for (int i = KIND_IDEAL; i < KINDS; i++) {
        const struct kernel *k = kernel_of(&d->spec, method, i);
        if (!k) continue;
        struct shape t = tile_of_kernel(reach, field_of(r->layout), i);
        int fits = columns_of(r, 0) >= t.wide && columns_of(r, 1) >= t.high &&
                   (r->nt[0] % 2 == 0 || k->takes.odd_rows) &&
                   shared_of(r, slots_of(reach, t.helpers, i), t.wide, t.high) <= most;
        bool extras = r->nflow != r->extra;
        if ((i == KIND_ISOTHERMAL) != isothermal || (i == KIND_EXTRAS) != extras || !fits) continue;
        if (best != KIND_ANY && warps_of(r, t) >= least) continue;
        best = (enum kind)i;
        least = warps_of(r, t);
    }
    return r->dim == 3 && !r->has_gravity ? best : KIND_ANY;
}

/* Shrinks the kernel's tile to the block and to the shared memory, but not below two rows: each
 * thread computes one face at the upper edges of the tile at most. */
static const char *tile_choose(struct sl_device *d, int method, struct launch *l, size_t most)
{
    const struct run_args *r = &d->run;
    int reach = sl_reconstruct_ghosts(method) - 1;
    enum kind kind = kind_of(d, method, most);
    struct shape t = tile_of_kernel(reach, field_of(r->layout), kind);
    int wide = t.wide, high = t.high;
    l->helpers = knows(kind) ? t.helpers : 0;
    l->slots = r->dim < 3 ? 1 : slots_of(reach, l->helpers, kind);
    if (!knows(kind)) {
        int threads = t.wide * t.high;
        wide = least(columns_of(r, 0), r->dim == 1 ? threads : t.wide);
        high = least(columns_of(r, 1), threads / wide);
        while (high > 2 && shared_of(r, l->slots, wide, high) > most / (size_t)t.blocks)
            high = (high + 1) / 2;
        while (wide > 4 && shared_of(r, l->slots, wide, high) > most)
            wide = (wide + 1) / 2;
    }
    l->tile[0] = wide, l->tile[1] = high;
    l->shared = shared_of(r, l->slots, wide, high);
    if (l->shared > most) return "too many variables for the shared memory of this device";
    const struct kernel *k = kernel_of(&d->spec, method, kind);
    if (!k) return "no kernel for this fluid.reconstruct (gpu/kernels.def)";
    l->kernel = k->start;
    l->ordered = k->takes.order;
    return NULL;
}

static int threads_of_launch(const struct launch *l)
{
    struct shape s = {l->tile[0], l->tile[1], 0, l->helpers};
    return threads_of(s);
}

/* Columns are cut into as many chunks as take the least time: a chunk loads `extra` planes more
 * than it makes, the processor with the most tiles is the last, and it is idle for a part of a tile
 * where they end at different times. */
static const char *chunk_choose(const struct sl_device *d, struct launch *l, int processors)
{
    const struct run_args *r = &d->run;
    int at_once = 1;
    double best = 0, extra = r->dim > 2 ? 0.4 * l->slots : 0;
    PASS(kernel_room(d->shared, l, threads_of_launch(l), &at_once));
    if (at_once < 1) return "a tile does not fit a multiprocessor of this device";
    l->tiles[0] = parts(columns_of(r, 0), l->tile[0]);
    l->tiles[1] = parts(columns_of(r, 1), l->tile[1]);
    double columns = (double)l->tiles[0] * l->tiles[1] * r->nblock;
    for (int cuts = 1; cuts <= r->n[2] && (cuts == 1 || parts(r->n[2], cuts) >= 4); cuts++) {
        int chunk = parts(r->n[2], cuts);
        double rounds = ceil(columns * parts(r->n[2], chunk) / processors) / at_once;
        double cost = (rounds + 0.25) * (chunk + extra);
        if (cuts > 1 && cost >= best) continue;
        best = cost;
        l->chunk = chunk;
    }
    l->tiles[2] = parts(r->n[2], l->chunk);
    return NULL;
}

static const char *launch_choose(struct sl_device *d)
{
    int most = 0, processors = 1;
    if (d->spec.integrator == SL_INTEGRATOR_tvd) return NULL;
    if (d->spec.integrator == SL_INTEGRATOR_ctu) return ctu_new(d);
    TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->spec.id));
    TRY(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, d->spec.id));
    PASS(tile_choose(d, d->spec.method, &d->whole, (size_t)most));
    PASS(chunk_choose(d, &d->whole, processors));
    PASS(tile_choose(d, SL_RECONSTRUCT_constant, &d->plain, (size_t)most));
    return chunk_choose(d, &d->plain, processors);
}

/* Whether a tile of a block reads nothing but its own cells and those of neighbours on this rank,
 * near[]. */
static bool is_interior(const struct run_args *r, const struct launch *l, const int *near,
                        const int at[3])
{
    const int size[3] = {l->tile[0], l->tile[1], l->chunk};
    int low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
    for (int a = 0; a < r->dim; a++) {
        int first = at[a] * size[a] - halo_of(*r), end = at[a] * size[a] + size[a] + halo_of(*r);
        low[a] = first < r->g[a] ? -1 : 0;
        high[a] = end > r->n[a] - r->g[a] ? 1 : 0;
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++)
                if ((x || y || z) && near[sl_dir_of(x, y, z)] < 0) return false;
    return true;
}

/* The interior tiles of all blocks, then the rest. near: on the host. */
static const char *order_choose(const struct run_args *r, const int *near, struct launch *l)
{
    int each = l->tiles[0] * l->tiles[1] * l->tiles[2], all = each * r->nblock, rest = all;
    int *order = (int *)malloc(((size_t)all + 1) * sizeof *order);
    if (!order) return "no memory on the host";
    for (int i = 0; i < all; i++) { /* the rest from behind */
        int t = i % each;
        const int at[3] = {t % l->tiles[0], t / l->tiles[0] % l->tiles[1],
                           t / (l->tiles[0] * l->tiles[1])};
        const int *around = near + (ptrdiff_t)(i / each) * SL_NDIR;
        order[is_interior(r, l, around, at) ? l->interior++ : --rest] = i;
    }
    size_t size = (size_t)all * sizeof *order;
    const char *text = l->interior > 0 ? table(order, size, (const void **)&l->order) : NULL;
    free(order);
    return text;
}

static void run_set(struct sl_device *d)
{
    const struct sl_device_spec *s = &d->spec;
    struct run_args *r = &d->run;
    r->dim = s->dim, r->nvar = s->nvar, r->nblock = s->nblock, r->nleaf = s->nleaf;
    for (int a = 0; a < 3; a++)
        r->n[a] = s->n[a], r->g[a] = s->g[a], r->nt[a] = s->nt[a];
    r->var = (ptrdiff_t)s->nt[0] * s->nt[1] * s->nt[2];
    r->theta = s->limiter == SL_LIMITER_mc ? 2 : s->theta;
    r->prolong_theta = sl_prolong_theta(s->method);
    r->dual_eta = s->dual_eta;
    for (int a = 0; a < r->dim; a++) {
        r->gravity[a] = s->gravity[a];
        r->has_gravity |= s->gravity[a] != 0;
    }
    r->lifts = s->lifts;
    for (int a = 0; a < 3; a++)
        r->work[a] = s->work[a];
    r->limiter = s->limiter, r->solver = s->solver;
    r->waves = s->waves, r->cools = s->cools;
    r->needs_compression = sl_riemann_needs_compression(s->solver);
    r->gas = s->gas, r->layout = s->layout;
    r->nflow = s->layout.nflow;
    r->extra = s->layout.scalar0 - (s->layout.entropy >= 0);
}

static const char *fill(struct sl_device *d, const struct sl_device_spec *spec)
{
    PASS(shared_hold(spec->id, &d->shared));
    d->stream = d->shared->stream, d->other = d->shared->other;
    d->host_most = (unsigned long long *)d->shared->host[HOST_SIGNALS];
    PASS(tables(d, spec));
    PASS(buffers(d));
    if (spec->nvar == 0) return NULL; /* no gas: there are no stages */
    PASS(launch_choose(d));
    if (d->whole.ordered && spec->nin > 0) PASS(order_choose(&d->run, spec->near, &d->whole));
    if (d->plain.ordered && spec->nin > 0 && spec->integrator == SL_INTEGRATOR_vl2)
        PASS(order_choose(&d->run, spec->near, &d->plain));
    return NULL;
}

static size_t longest(const struct sl_device_link *link, int n)
{
    size_t most = 1;
    for (int i = 0; i < n; i++)
        most = link[i].cells > most ? link[i].cells : most;
    return most;
}

extern "C" const char *sl_device_new(const struct sl_device_spec *spec, struct sl_device **out)
{
    struct sl_device *d = (struct sl_device *)calloc(1, sizeof *d);
    if (!d) return "no memory on the host";
    d->spec = *spec;
    d->most_out = longest(spec->out, spec->nout);
    d->most_in = longest(spec->in, spec->nin);
    run_set(d);
    const char *text = fill(d, spec);
    if (text) {
        sl_device_free(d);
        return text;
    }
    *out = d;
    return NULL;
}

static size_t field_size(const struct sl_device *d)
{
    return (size_t)d->run.nblock * (size_t)d->run.nvar * (size_t)d->run.var * sizeof(sl_real);
}

extern "C" void sl_device_free(struct sl_device *d)
{
    if (!d) return;
    const struct sl_device_spec *s = &d->spec;
    const void *tables[] = {s->face, s->ghost, s->near, s->edges, s->walls, s->out, s->in};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        room_free(tables[i]);
    room_free(d->between);
    room_free(d->flags), room_free(d->given), room_free(d->most);
    room_free(d->whole.order), room_free(d->plain.order), room_free(d->asked);
    force_free(d->force);
    sources_free(d->sources);
    gravity_free(d->gravity);
    lattice_free(d->lattice);
    particles_free(d->particles);
    spread_free(d->spread);
    register_free(d->fluxes);
    edges_free(d->edges);
    nest_free(d->nest);
    if (d->pinned) cudaHostUnregister(d->pinned);
    shared_release(d->shared);
    free(d);
}

extern "C" const char *sl_device_field_new(struct sl_device *d, sl_real **out)
{
    size_t size = field_size(d) + sizeof **out;
    return d->spec.levels ? field_room_take(d->shared, size, (void **)out)
                          : room_new(size, (void **)out);
}

extern "C" const char *sl_device_values_new(struct sl_device *d, size_t n, sl_real **out)
{
    size_t size = (n + 1) * sizeof **out;
    PASS(d->spec.levels ? field_room_take(d->shared, size, (void **)out)
                        : room_new(size, (void **)out));
    TRY(cudaMemsetAsync(*out, 0, size, d->stream));
    return NULL;
}

extern "C" void sl_device_spare_drop(struct sl_device *d)
{
    field_rooms_drop(d->shared);
}

extern "C" void sl_device_field_free(struct sl_device *d, const sl_real *field)
{
    if (d->spec.levels)
        field_room_give(d->shared, field);
    else
        room_free(field);
}

extern "C" const char *sl_device_messages(struct sl_device *d, size_t out, size_t in)
{
    struct shared *s = d->shared;
    if (out > 0) PASS(message_room(s, SEND, out * sizeof(sl_real)));
    if (in > 0) PASS(message_room(s, RECEIVE, in * sizeof(sl_real)));
    if (d->direct) return NULL;
    if (out > 0) PASS(host_room(s, HOST_SEND, out * sizeof(sl_real)));
    return in > 0 ? host_room(s, HOST_RECEIVE, in * sizeof(sl_real)) : NULL;
}

extern "C" sl_real *sl_device_send_buffer(struct sl_device *d)
{
    const struct shared *s = d->shared;
    return (sl_real *)(d->direct ? s->message[SEND] : s->host[HOST_SEND]);
}

extern "C" sl_real *sl_device_receive_buffer(struct sl_device *d)
{
    const struct shared *s = d->shared;
    return (sl_real *)(d->direct ? s->message[RECEIVE] : s->host[HOST_RECEIVE]);
}

/* What was packed goes where messages are sent from; pinned memory has it when this returns. */
extern "C" const char *sl_device_packed(struct sl_device *d, size_t values)
{
    if (d->direct || values == 0) return NULL;
    PASS(move(d, d->shared->host[HOST_SEND], d->shared->message[SEND], values * sizeof(sl_real),
              cudaMemcpyDeviceToHost));
    return wait(d);
}

extern "C" const char *sl_device_received(struct sl_device *d, size_t values)
{
    if (d->direct || values == 0) return NULL;
    return move(d, d->shared->message[RECEIVE], d->shared->host[HOST_RECEIVE],
                values * sizeof(sl_real), cudaMemcpyHostToDevice);
}

extern "C" void sl_device_direct(struct sl_device *d)
{
    d->direct = 1;
}

extern "C" void *sl_device_stream(struct sl_device *d)
{
    return d->stream;
}

extern "C" const char *sl_device_wait(struct sl_device *d)
{
    return wait(d);
}

extern "C" sl_real *sl_device_given(struct sl_device *d)
{
    return (sl_real *)d->shared->host[HOST_GIVEN];
}

extern "C" void sl_device_stream_use(struct sl_device *d, int messages)
{
    cudaStream_t present = d->stream;
    if (d->messages == messages) return;
    d->stream = d->other, d->other = present;
    d->messages = messages;
}

extern "C" const char *sl_device_stream_join(struct sl_device *d)
{
    TRY(cudaEventRecord(d->shared->reached, d->other));
    TRY(cudaStreamWaitEvent(d->stream, d->shared->reached, 0));
    return NULL;
}

extern "C" void sl_device_pin(struct sl_device *d, sl_real *host)
{
    if (d->pinned || field_size(d) == 0) return;
    if (cudaHostRegister(host, field_size(d), cudaHostRegisterDefault) == cudaSuccess)
        d->pinned = host;
    else
        (void)cudaGetLastError(); /* copies are slower, that is all */
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

/* ---- ghost cells ----------------------------------------------------------------------------- */

/* Value `i` of a message: cell of a link's box, within the field. */
static __device__ ptrdiff_t link_cell(const struct run_args &r, const struct sl_device_link *l,
                                      int nvar, size_t i)
{
    int v = (int)(i / l->cells), c = (int)(i % l->cells);
    int x = c % l->n[0], y = c / l->n[0] % l->n[1], z = c / (l->n[0] * l->n[1]);
    ptrdiff_t at = ((ptrdiff_t)(z + l->lo[2]) * r.nt[1] + y + l->lo[1]) * r.nt[0] + x + l->lo[0];
    return ((ptrdiff_t)l->block * nvar + v) * r.var + at;
}

/* A row of blocks of threads per link. */
static __device__ size_t first_value(void)
{
    return (size_t)blockIdx.y * blockDim.x + threadIdx.x;
}

template <class REAL>
static __global__ void pack(struct run_args r, const struct sl_device_link *link, int nvar,
                            const REAL *u, sl_real *buffer)
{
    const struct sl_device_link *l = link + blockIdx.x;
    sl_real *to = buffer + l->start * nvar;
    for (size_t i = first_value(); i < l->cells * nvar; i += gridDim.y * blockDim.x)
        to[i] = (sl_real)u[link_cell(r, l, nvar, i)];
}

template <class REAL>
static __global__ void unpack(struct run_args r, const struct sl_device_link *link, int nvar,
                              const sl_real *buffer, REAL *u)
{
    const struct sl_device_link *l = link + blockIdx.x;
    const sl_real *from = buffer + l->start * nvar;
    for (size_t i = first_value(); i < l->cells * nvar; i += gridDim.y * blockDim.x)
        u[link_cell(r, l, nvar, i)] = (REAL)from[i];
}

/* list: of the blocks that it is for, NULL: all. */
static __global__ void local(struct run_args r, int nghost, int parts, const int *list,
                             const struct sl_device_ghost *ghost, const int *near, const int *edges,
                             int first, int nvar, sl_real *u)
{
    int block = (int)blockIdx.x / parts;
    if (list) block = list[block];
    int i = (int)blockIdx.x % parts * (int)blockDim.x + (int)threadIdx.x;
    if (i >= nghost) return;
    struct sl_device_ghost g = ghost[i];
    int other = near[block * SL_NDIR + g.dir];
    if (other < 0 || (g.edges & ~edges[block])) return;
    sl_real *to = u + (ptrdiff_t)block * nvar * r.var + g.to;
    const sl_real *from = u + (ptrdiff_t)other * nvar * r.var + g.from;
    for (int v = first; v < nvar; v++)
        to[v * r.var] = from[v * r.var];
}

/* Ghost cells beyond the faces of the box. given: NULL where all that the problem gives is zero. */
struct outer_args {
    const struct sl_device_face *face;
    int nvar;
    struct sl_mirror x;
    const sl_real *given;
    sl_real *u;
};

/* The face of the box that a value lies beyond along an axis, -1: none. */
static __device__ int beyond(const struct run_args &r, const struct outer_args &a,
                             const struct sl_device_face *f, int v, int axis, const int at[3])
{
    int first = r.g[axis], end = first + r.n[axis];
    int side = sl_mirror_side(a.x, v, axis, first, end, at[axis]);
    return side < 0 ? -1 : f->side[axis][side];
}

/* Whether this face is the last that the value lies beyond. */
static __device__ bool fills(const struct run_args &r, const struct outer_args &a,
                             const struct sl_device_face *f, int v, const int at[3])
{
    bool last = beyond(r, a, f, v, f->axis, at) >= 0;
    for (int axis = f->axis + 1; axis < r.dim; axis++)
        last = last && beyond(r, a, f, v, axis, at) < 0;
    return last;
}

/* Whether the problem gives the value, or leaves the mirror image. */
static __device__ bool is_given(const struct outer_args &a, const struct sl_device_face *f, int v,
                                const int at[3], sl_real *value)
{
    *value = 0;
    if (f->boundary != SL_BOUNDARY_fixed || !a.given) return f->boundary == SL_BOUNDARY_fixed;
    ptrdiff_t row = (ptrdiff_t)(at[2] - f->lo[2]) * f->n[1] + at[1] - f->lo[1];
    const sl_real *cell = a.given + (f->start + row * f->n[0] + at[0] - f->lo[0]) * a.nvar;
    *value = cell[v];
    return cell[0] == cell[0];
}

/* The value beyond face f: what the way back into the box, from face to face, ends with. */
static __device__ sl_real outside(const struct run_args &r, const struct outer_args &a,
                                  const struct sl_device_face *f, int v, int at[3])
{
    bool turned = false;
    sl_real value;
    for (int axis = f->axis; axis >= 0; axis--) {
        int side = beyond(r, a, f, v, axis, at);
        if (side < 0) continue;
        const struct sl_device_face *s = a.face + side;
        if (is_given(a, s, v, at, &value)) return turned ? -value : value;
        bool mirror = s->boundary != SL_BOUNDARY_outflow;
        bool symmetric = s->boundary == SL_BOUNDARY_symmetric;
        if (mirror && sl_mirror_turns(a.x, symmetric, v, axis)) turned = !turned;
        at[axis] = sl_mirror_source(r.g[axis], r.g[axis] + r.n[axis], s->upper, mirror,
                                    sl_mirror_is_across(a.x, v, axis), at[axis]);
    }
    value = a.u[((ptrdiff_t)f->block * a.nvar + v) * r.var +
                ((ptrdiff_t)at[2] * r.nt[1] + at[1]) * r.nt[0] + at[0]];
    return turned ? -value : value;
}

/* A row of blocks of threads per face. */
static __global__ void boundary(struct run_args r, struct outer_args a)
{
    const struct sl_device_face *f = a.face + blockIdx.x;
    size_t cells = (size_t)f->n[0] * f->n[1] * f->n[2];
    for (size_t c = first_value(); c < cells; c += gridDim.y * blockDim.x) {
        int i = (int)c;
        const int at[3] = {i % f->n[0] + f->lo[0], i / f->n[0] % f->n[1] + f->lo[1],
                           i / (f->n[0] * f->n[1]) + f->lo[2]};
        sl_real *to = a.u + (ptrdiff_t)f->block * a.nvar * r.var +
                      ((ptrdiff_t)at[2] * r.nt[1] + at[1]) * r.nt[0] + at[0];
        for (int v = 0; v < a.nvar; v++) {
            if (!fills(r, a, f, v, at)) continue;
            int from[3] = {at[0], at[1], at[2]};
            to[v * r.var] = outside(r, a, f, v, from);
        }
    }
}

/* One block of threads alone would need most of a stage for the face of a large block. */
static dim3 link_grid(int links, size_t most)
{
    size_t rows = (most + THREADS - 1) / THREADS;
    return dim3((unsigned)links, (unsigned)(rows < 64 ? rows : 64));
}

template <class REAL> static const char *pack_all(struct sl_device *d, int nvar, const REAL *u)
{
    if (d->spec.nout == 0) return NULL;
    pack<<<link_grid(d->spec.nout, d->most_out), THREADS, 0, d->stream>>>(
        d->run, d->spec.out, nvar, u, (sl_real *)d->shared->message[SEND]);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_pack(struct sl_device *d, int nvar, const sl_real *u)
{
    return pack_all(d, nvar, u);
}

extern "C" const char *sl_device_pack_single(struct sl_device *d, const float *u)
{
    return pack_all(d, 1, u);
}

extern "C" const char *sl_device_asked(struct sl_device *d, const int *block, int n, int nwall)
{
    room_free(d->asked);
    d->asked = NULL, d->nasked = n, d->nwall = nwall;
    return n > 0 ? table(block, (size_t)n * sizeof *block, (const void **)&d->asked) : NULL;
}

/* The blocks and the ghost cells of each that are copied. */
struct copied {
    const int *list; /* NULL: all */
    int blocks, cells;
};

static struct copied copied_of(const struct sl_device *d, enum sl_device_copies copies)
{
    const struct sl_device_spec *s = &d->spec;
    switch (copies) {
    case SL_DEVICE_COPIES_ALL:
        return {NULL, s->nblock, s->nghost};
    case SL_DEVICE_COPIES_NEXT:
        return {NULL, s->nblock, s->nnext};
    case SL_DEVICE_COPIES_TOUCH:
        return {NULL, s->nblock, s->ntouch};
    case SL_DEVICE_COPIES_WALLS:
        return {d->asked, d->nwall, s->nghost};
    default:
        bool next = copies == SL_DEVICE_COPIES_ASKED_NEXT;
        return {d->asked, d->nasked, next ? s->nnext : s->nghost};
    }
}

extern "C" const char *sl_device_local(struct sl_device *d, int nvar, int first,
                                       enum sl_device_copies copies, sl_real *u)
{
    struct copied c = copied_of(d, copies);
    int n = parts(c.cells, THREADS);
    if (n == 0 || c.blocks == 0) return NULL;
    local<<<(unsigned)n *(unsigned)c.blocks, THREADS, 0, d->stream>>>(
        d->run, c.cells, n, c.list, d->spec.ghost, d->spec.near, d->spec.edges, first, nvar, u);
    TRY(cudaGetLastError());
    return NULL;
}

template <class REAL>
static const char *unpack_all(struct sl_device *d, const struct sl_device_link *link, int n,
                              size_t most, int nvar, REAL *u)
{
    if (n == 0) return NULL;
    unpack<<<link_grid(n, most), THREADS, 0, d->stream>>>(
        d->run, link, nvar, (const sl_real *)d->shared->message[RECEIVE], u);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_unpack(struct sl_device *d, int nvar, sl_real *u)
{
    return unpack_all(d, d->spec.in, d->spec.nin, d->most_in, nvar, u);
}

extern "C" const char *sl_device_unpack_single(struct sl_device *d, float *u)
{
    return unpack_all(d, d->spec.in, d->spec.nin, d->most_in, 1, u);
}

const char *links_unpack(struct sl_device *d, const struct sl_device_link *link, int n, size_t most,
                         int nvar, sl_real *u)
{
    return unpack_all(d, link, n, most, nvar, u);
}

extern "C" const char *sl_device_boundary(struct sl_device *d, int nvar, struct sl_mirror x,
                                          int given, sl_real *u)
{
    const struct sl_device_spec *s = &d->spec;
    if (given && s->given_cells > 0)
        PASS(move(d, d->given, d->shared->host[HOST_GIVEN],
                  s->given_cells * (size_t)nvar * sizeof(sl_real), cudaMemcpyHostToDevice));
    size_t most = 0;
    for (int a = 0; a < s->dim; a++) {
        size_t cells = (size_t)s->g[a] * (size_t)d->run.var / (size_t)s->nt[a];
        if (cells > most) most = cells;
    }
    if (s->nface == 0) return NULL;
    struct outer_args a = {s->face, nvar, x, given ? d->given : NULL, u};
    dim3 grid((unsigned)s->nface, (unsigned)least(parts((int)most, THREADS), 65535));
    boundary<<<grid, THREADS, 0, d->stream>>>(d->run, a);
    TRY(cudaGetLastError());
    return NULL;
}

/* ---- stages ---------------------------------------------------------------------------------- */

const char *cells_advance(struct sl_device *d, const struct sl_device_stage *s,
                          enum sl_device_part part)
{
    const struct launch *l = s->first_order ? &d->plain : &d->whole;
    struct stage_args a;
    a.run = run_of_stage(d, s);
    a.s = *s;
    a.chunk = l->chunk;
    a.signal = d->most;
    a.emf = d->shared->emf;
    a.near = s->across ? d->spec.near : NULL;
    unsigned tiles = (unsigned)d->run.nblock, interior = (unsigned)l->interior;
    for (int i = 0; i < 3; i++)
        tiles *= (unsigned)(a.tiles[i] = l->tiles[i]);
    a.tile[0] = l->tile[0], a.tile[1] = l->tile[1];
    a.order = part == SL_DEVICE_ALL        ? NULL
              : part == SL_DEVICE_INTERIOR ? l->order
                                           : l->order + interior;
    if (part != SL_DEVICE_ALL) tiles = part == SL_DEVICE_INTERIOR ? interior : tiles - interior;
    if (tiles == 0) return NULL;
    a.leaves = (ptrdiff_t)d->run.nleaf * d->run.nvar * d->run.var;
    l->kernel<<<tiles, threads_of_launch(l), l->shared, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" int sl_device_overlaps(const struct sl_device *d, const struct sl_device_stage *s)
{
    return (s->first_order ? d->plain : d->whole).interior > 0;
}

/* Two cells that are read at once lie in one block. */
extern "C" int sl_device_reads_across(const struct sl_device *d)
{
    const struct run_args *r = &d->run;
    int integrator = d->spec.integrator;
    bool split = integrator == SL_INTEGRATOR_tvd || integrator == SL_INTEGRATOR_ctu;
    return !split && r->g[0] % 2 == 0 && r->n[0] % 2 == 0;
}

extern "C" int sl_device_keeps_across(const struct sl_device *d)
{
    return register_reads_across(d->run);
}

extern "C" int sl_device_keeps_fluxes(const struct sl_device *d)
{
    return d->fluxes != NULL;
}

extern "C" const char *sl_device_advance(struct sl_device *d, const struct sl_device_stage *s,
                                         enum sl_device_part part)
{
    if (d->run.nblock == 0) return NULL;
    if (d->spec.integrator == SL_INTEGRATOR_tvd) return tvd_advance(d, s);
    if (d->spec.integrator == SL_INTEGRATOR_ctu) return ctu_advance(d, s, NULL);
    return cells_advance(d, s, part);
}

extern "C" const char *sl_device_finish(struct sl_device *d, const struct sl_device_stage *s)
{
    if (d->spec.integrator == SL_INTEGRATOR_ctu || d->run.nblock == 0) return NULL;
    PASS(register_advance(d, s, NULL));
    return d->run.layout.face < 0 ? NULL : field_advance(d, s, NULL);
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
        bool leaf = at < (ptrdiff_t)r.nleaf * r.nvar * r.var;
        signal_add(r, per_dx.x, leaf, cell_of(r, u + at, r.var), &s);
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

static void corrected_add(struct sl_device *d, const unsigned long long *more)
{
    for (int i = 0; i < 2; i++)
        d->corrected[i] += (long long)more[i];
}

extern "C" const char *sl_device_signal_take(struct sl_device *d, double signal[3])
{
    size_t size = SIGNALS * sizeof *d->most;
    double covered_bad;
    PASS(move(d, d->host_most, d->most, size, cudaMemcpyDeviceToHost));
    TRY(cudaMemsetAsync(d->most, 0, size, d->stream));
    PASS(wait(d));
    memcpy(signal, d->host_most, 3 * sizeof *signal);
    memcpy(&covered_bad, d->host_most + COVERED, sizeof covered_bad);
    if (covered_bad > signal[0]) signal[0] = covered_bad;
    corrected_add(d, d->host_most + CORRECTED);
    return NULL;
}

extern "C" const char *sl_device_matched_copy(struct sl_device *d)
{
    size_t size = 2 * sizeof *d->most;
    PASS(move(d, d->host_most, d->most + CORRECTED, size, cudaMemcpyDeviceToHost));
    TRY(cudaMemsetAsync(d->most + CORRECTED, 0, size, d->stream));
    PASS(wait(d));
    corrected_add(d, d->host_most);
    return NULL;
}

extern "C" void sl_device_corrected_take(struct sl_device *d, long long corrected[2])
{
    memcpy(corrected, d->corrected, sizeof d->corrected);
    memset(d->corrected, 0, sizeof d->corrected);
}

/* ---- bandwidth ------------------------------------------------------------------------------- */

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
