/* flux_register.cu - keeps fluxes through sides of blocks; see flux_register.h. */
#include <stdlib.h>

#include "core/cell/repair.h"
#include "gpu/flux_register.h"
#include "gpu/inside.cuh"
#include "gpu/kept.cuh"
#include "gpu/line.cuh"

/* Sums of the step that is being made follow the stages as the state does, and a stage may be made
 * again: one is read, the other written. */
struct flux_register {
    struct sl_flux_register_side *side; /* device; the fine ones, then the coarse ones */
    sl_real *sum[2];                    /* device */
    sl_real *total;                     /* device; of accepted steps, of the fine sides */
    int count, now, parts;              /* parts: blocks of threads of a side */
    size_t fine, values;
};

/* Any method, and faces beside flags. */
template <int N>
static __global__ void keep_any(const __grid_constant__ struct run_args r, int method,
                                struct sl_device_stage s, const sl_real *flags, struct keep_args g)
{
    struct kept_face f;
    struct place face = {false, false, 0, 0};
    if (!face_find(r, g, &f)) return;
    if (flags) face.safe = sl_repair_is_safe(flags[f.flag - f.step], flags[f.flag]);
    if (flags && !face.safe) return; /* as it is */
    const sl_real *u = s.u + f.cell;
    sl_real q[SL_MAX_VAR * LINE], flux[SL_MAX_VAR] = {};
    int reach = sl_reconstruct_ghosts(method);
    for (int i = -reach; i < reach; i++)
        prim_of(r, u + i * f.step, r.var, q + MIDDLE + i, LINE);
    if (N == 8) face.bn = u[(r.layout.face + f.axis) * r.var];
    if (r.needs_compression) face.compression = compression_at_face(r, f.axis, false, u);
    one_face<N>(r, method, f.axis, face, q + MIDDLE, flux);
    for (int v = 0; v < r.nflow; v++)
        if (is_kept(r, v)) put(g, s, f, v, flux[v]);
}

/* ---- without what open kernels take ---------------------------------------------------------- */

/* Cell number i of the line across a face, of which 0 is the one above it. */
static __device__ __forceinline__ const sl_real *line_cell(const sl_real *u,
                                                           const struct kept_face &f, int i)
{
    return u + i * f.step + (f.upper == (i >= 0) ? f.beyond : 0);
}

/* Primitive values of the cells on both sides of a face, in the order of faces across its axis: the
 * method is known, and all stays in registers. */
template <int N, int CELLS>
static __device__ void line_load(const struct run_args &r, const sl_real *u,
                                 const struct kept_face &f, sl_real (&q)[N][CELLS])
{
#pragma unroll
    for (int c = 0; c < CELLS; c++) {
        const sl_real *at = line_cell(u, f, c - CELLS / 2);
        struct cell a = cell_of(r, at, r.var);
        struct sl_prim w = gas_in(r, a, at, r.var);
        bool x = f.axis == 0, y = f.axis == 1;
        q[0][c] = w.rho, q[4][c] = w.p;
        q[1][c] = x ? w.u : y ? w.v : w.w;
        q[2][c] = x ? w.v : y ? w.w : w.u;
        q[3][c] = x ? w.w : y ? w.u : w.v;
        if constexpr (N > 5) {
            q[5][c] = x ? a.b[0] : y ? a.b[1] : a.b[2];
            q[6][c] = x ? a.b[1] : y ? a.b[2] : a.b[0];
            q[7][c] = x ? a.b[2] : y ? a.b[0] : a.b[1];
        }
        if constexpr (N > 8) q[8][c] = at[(r.layout.magnetic + 3) * r.var];
    }
}

template <int N> static __device__ __forceinline__ struct order<N> order_turned(void) {
    struct order<N> v;
#pragma unroll
    for (int i = 0; i < N; i++)
        v.at[i] = i;
    return v;
}

/* The value of an extra variable at the face, as the cell above it has it, or (upper: the face is
 * its upper one) that below. */
template <int METHOD>
static __device__ sl_real extra_at_face(const struct run_args &r, const sl_real *u,
                                        const struct kept_face &f, int e, bool upper,
                                        struct limited d)
{
    constexpr int REACH = reach_of(METHOD);
    sl_real q[2 * REACH + 1];
#pragma unroll
    for (int c = 0; c <= 2 * REACH; c++) {
        const sl_real *at = line_cell(u, f, c - REACH - upper);
        q[c] = at[e * r.var] / at[0];
    }
    return extra_side<METHOD, CHOSEN>(r, q + REACH, near_of(1), upper, d);
}

/* Blocks of threads that a multiprocessor should hold at once. With plm more of them are better,
 * even where some values spill (one H200). */
__host__ __device__ constexpr int at_once(int values, int method)
{
    return reach_of(method) > 1 ? (values == 5 ? 4 : 2) : (values == 5 ? 6 : 4);
}

template <int N, int METHOD>
static __global__ void __launch_bounds__(FACES, at_once(N, METHOD))
    keep(const __grid_constant__ struct run_args given, int, struct sl_device_stage s,
         const sl_real *, struct keep_args g)
{
    constexpr int CELLS = 2 * reach_of(METHOD) + 2, HIGH = CELLS / 2;
    struct run_args r = given;
    struct kept_face f;
    r.waves = 0;
    if (r.gas.shocks == SL_SHOCK_flatten) r.gas.shocks = SL_SHOCK_limit; /* never: open kernels */
    if (!face_find(given, g, &f)) return;
    const sl_real *u = s.u + f.cell;
    sl_real q[N][CELLS], l[N], h[N], flux[N];
    line_load(r, u, f, q);
    struct order<N> turned = order_turned<N>(), v = order_of<N>(r, f.axis);
    struct limited d[2];
    struct face_pair pair = {{&q[0][HIGH - 1], &q[0][HIGH]}, {true, false}, CELLS, near_of(1)};
    faces_at<METHOD, CHOSEN>(r, pair, turned, d, l, h);
    if (N == 8) l[5] = u[(r.layout.face + f.axis) * r.var];
    flux_of(r.solver, &r.gas, l, h, flux);
#pragma unroll
    for (int i = 0; i < N; i++)
        if (is_value(r, i) && is_kept(r, v.at[i])) put(g, s, f, v.at[i], flux[i]);
    for (int e = r.extra; e < r.nflow; e++)
        put(g, s, f, e,
            flux[0] * (flux[0] > 0 ? extra_at_face<METHOD>(r, u, f, e, true, d[0])
                                   : extra_at_face<METHOD>(r, u, f, e, false, d[1])));
}

/* ---- sums of steps --------------------------------------------------------------------------- */

static __global__ void total_raise(size_t n, const sl_real *sum, sl_real *total)
{
    size_t i = (size_t)blockIdx.x * FACES + threadIdx.x;
    if (i < n) total[i] += sum[i];
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Kernels for any scheme read ghost cells instead. */
bool register_reads_across(const struct run_args &r)
{
    return !r.needs_compression && !r.waves && r.gas.shocks != SL_SHOCK_flatten;
}

typedef void keep_kernel(struct run_args, int, struct sl_device_stage, const sl_real *,
                         struct keep_args);

template <int FIELD>
static keep_kernel *kernel_of(const struct run_args &r, int method, const sl_real *flags)
{
    constexpr int N = values_of(FIELD);
    if (flags || !register_reads_across(r)) return keep_any<N>;
    switch (method) {
#define KEEP_CASE(name, ghost, ...)                                                                \
    case SL_RECONSTRUCT_##name:                                                                    \
        return keep<N, SL_RECONSTRUCT_##name>;
        SL_RECONSTRUCT_LIST(KEEP_CASE)
#undef KEEP_CASE
    default:
        return keep_any<N>;
    }
}

static keep_kernel *kernel_for(const struct run_args &r, int method, const sl_real *flags)
{
    keep_kernel *const kernels[] = {kernel_of<FIELD_NONE>(r, method, flags),
                                    kernel_of<FIELD_CLEANED>(r, method, flags),
                                    kernel_of<FIELD_STAGGERED>(r, method, flags)};
    return kernels[field_of(r.layout)];
}

const char *register_advance(struct sl_device *d, const struct sl_device_stage *s,
                             const sl_real *flags)
{
    struct flux_register *k = d->fluxes;
    if (!k || k->count == 0 || s->first_order)
        return NULL; /* vl2: nothing of its first stage is in the step */
    int method = d->spec.method;
    struct run_args r = run_of_stage(d, s);
    if (!flags) k->now = 1 - k->now;
    struct keep_args g = {k->side, k->parts, s->across ? d->spec.near : NULL,
                          s->from == s->u0 ? NULL : k->sum[1 - k->now], k->sum[k->now]};
    if (d->spec.integrator == SL_INTEGRATOR_tvd) return tvd_keep(d, s, flags, k->count, g);
    kernel_for(r, method, flags)<<<(unsigned)k->count *(unsigned)k->parts, FACES, 0, d->stream>>>(
        r, method, *s, flags, g);
    TRY(cudaGetLastError());
    return NULL;
}

void register_free(struct flux_register *k)
{
    if (!k) return;
    room_free(k->side), room_free(k->sum[0]), room_free(k->sum[1]), room_free(k->total);
    free(k);
}

static const char *fill(struct flux_register *k, const struct sl_flux_register_side *side)
{
    size_t size = k->values * sizeof(sl_real);
    for (int i = 0; i < 2; i++)
        PASS(room_zero(size, (void **)&k->sum[i]));
    PASS(room_zero(k->fine * sizeof(sl_real), (void **)&k->total));
    return table(side, (size_t)k->count * sizeof *side, (const void **)&k->side);
}

extern "C" const char *sl_device_register_set(struct sl_device *d,
                                              const struct sl_flux_register_side *side, int count,
                                              size_t fine, size_t values)
{
    struct flux_register *k = (struct flux_register *)calloc(1, sizeof *k);
    size_t most = 0;
    if (!k) return "no memory on the host";
    for (int a = 0; a < d->run.dim; a++)
        most = max(most, sl_flux_register_faces(d->run.n, a));
    k->count = count, k->fine = fine, k->values = values;
    k->parts = (int)((most + FACES - 1) / FACES);
    const char *text = fill(k, side);
    if (text) {
        register_free(k);
        return text;
    }
    register_free(d->fluxes);
    d->fluxes = k;
    return NULL;
}

const sl_real *register_fine(const struct flux_register *k)
{
    return k->total;
}

const sl_real *register_coarse(const struct flux_register *k)
{
    return k->sum[k->now] + k->fine;
}

extern "C" const char *sl_device_register_get(struct sl_device *d, sl_real *fine, sl_real *coarse)
{
    const struct flux_register *k = d->fluxes;
    if (!k) return NULL;
    if (fine)
        PASS(move(d, fine, register_fine(k), k->fine * sizeof(sl_real), cudaMemcpyDeviceToHost));
    if (coarse)
        PASS(move(d, coarse, register_coarse(k), (k->values - k->fine) * sizeof(sl_real),
                  cudaMemcpyDeviceToHost));
    return wait(d);
}

extern "C" const char *sl_device_register_clear(struct sl_device *d)
{
    const struct flux_register *k = d->fluxes;
    if (k && k->fine > 0) TRY(cudaMemsetAsync(k->total, 0, k->fine * sizeof(sl_real), d->stream));
    return edges_clear(d);
}

extern "C" const char *sl_device_register_accept(struct sl_device *d)
{
    const struct flux_register *k = d->fluxes;
    PASS(edges_accept(d));
    if (!k || k->fine == 0) return NULL;
    total_raise<<<(unsigned)((k->fine + FACES - 1) / FACES), FACES, 0, d->stream>>>(
        k->fine, k->sum[k->now], k->total);
    TRY(cudaGetLastError());
    return NULL;
}
