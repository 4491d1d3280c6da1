/* repair.cu - the repairs of core/step/repair_rounds.c on the device; see device.h. */
#include "core/cell/ct.h"
#include "core/cell/repair.h"
#include "gpu/inside.cuh"
#include "gpu/line.cuh"

/* ---- flags ----------------------------------------------------------------------------------- */

extern "C" const char *sl_device_flags(struct sl_device *d, sl_real **flags)
{
    size_t size = ((size_t)d->run.nblock * (size_t)d->run.var + 1) * sizeof(sl_real);
    if (!d->flags) PASS(room_new(size, (void **)&d->flags));
    TRY(cudaMemsetAsync(d->flags, 0, size, d->stream));
    *flags = d->flags;
    return NULL;
}

extern "C" void sl_device_flags_free(struct sl_device *d)
{
    room_free(d->flags);
    d->flags = NULL;
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
    if (at >= 0 && sl_repair_flag(&r.gas, &r.layout, out + at, (size_t)r.var, flags + mark))
        atomicAdd(count, 1);
}

extern "C" const char *sl_device_flag(struct sl_device *d, const sl_real *out, long long *count)
{
    if (d->run.nblock > 0)
        flag<<<all_cells(d), THREADS, 0, d->stream>>>(d->run, out, d->flags, d->most + 3);
    TRY(cudaGetLastError());
    return count_take(d, count);
}

/* ---- making a cell again --------------------------------------------------------------------- */

template <int N>
static __global__ void remake(struct run_args r, int method, struct sl_device_stage g,
                              const sl_real *flags)
{
    ptrdiff_t at = cell_at(r, this_cell(), r.nvar), mark = cell_at(r, this_cell(), 1);
    if (at < 0) return;
    const ptrdiff_t step[3] = {1, r.nt[0], (ptrdiff_t)r.nt[0] * r.nt[1]};
    if (!sl_repair_is_near(r.dim, flags + mark, step)) return;
    int reach = sl_reconstruct_ghosts(method);
    sl_real change[SL_MAX_VAR][3], q[SL_MAX_VAR * LINE], f[2][SL_MAX_VAR];
    struct sl_dual_faces face_of[3];
    for (int a = 0; a < r.dim; a++) {
        for (int i = -reach; i <= reach; i++)
            prim_of(r, g.u + at + i * step[a], r.var, q + MIDDLE + i, LINE);
#pragma unroll 1
        for (int up = 0; up < 2; up++) {
            struct place face = {up > 0, false, 0, 0};
            face.safe = sl_repair_is_safe(flags[mark], flags[mark + (up ? step[a] : -step[a])]);
            if (N == 8) face.bn = g.u[at + (r.layout.face + a) * r.var + (up ? step[a] : 0)];
            if (r.needs_compression) face.compression = compression_at_face(r, a, up > 0, g.u + at);
            one_face<N>(r, method, a, face, q + MIDDLE, f[up]);
            if (face.safe) mass_put_safe(r, g, this_cell(), a, up, f[up][0]);
        }
        for (int v = 0; v < r.nflow; v++)
            change[v][a] = (f[1][v] - f[0][v]) * g.dt_dx[a];
        face_of[a] = {f[0][0], f[1][0], f[1][SL_MX + a] - f[0][SL_MX + a]};
        for (int i = 0; i < 2; i++)
            face_of[a].side[i] = f[1][SL_MX + (a + i + 1) % 3] - f[0][SL_MX + (a + i + 1) % 3];
    }
    sl_real rho = g.u[at]; /* of the cells that the fluxes come from */
    for (int v = 0; v < r.nflow; v++) {
        ptrdiff_t i = at + v * r.var;
        sl_real old = g.b == 1 ? 0 : g.u0[i];
        sl_real made = sl_update(g.b, old, g.from[i], sl_sum_axes(r.dim, change[v]));
        g.out[i] = v == r.layout.magnetic + 3 && N > 8 ? g.damp * made : made;
    }
    for (int a = 0; a < r.dim; a++) {
        if (r.gravity[a] == 0) continue;
        sl_real kick = sl_update_kick(g.b, g.dt, r.gravity[a]);
        const sl_real mass[2] = {face_of[a].low, face_of[a].high};
        sl_update_gravity(&r.layout, a, kick, rho, mass, g.out + at, (size_t)r.var);
    }
    if (r.layout.entropy < 0) return;
    struct sl_dual_part part[3] = {};
    for (int a = 0; a < r.dim; a++)
        part[a] = dual_part(r, g.out + at, a, face_of[a]);
    agree_or_later<N>(r, sl_dual_spread(r.dim, g.out[at], part), g.out + at);
}

/* Constrained transport: first-order fluxes of the field at the lower faces beside a flag, for the
 * edges; threads go through the cells of a block and those around it. */
static __global__ void reface(struct run_args r, struct sl_device_stage g, const sl_real *flags,
                              struct emf_terms emf)
{
    constexpr int N = values_of(FIELD_STAGGERED);
    const ptrdiff_t step[3] = {1, r.nt[0], (ptrdiff_t)r.nt[0] * r.nt[1]};
    size_t i = this_cell(), wide = (size_t)r.n[0] + 2, rows = (size_t)r.n[1] + 2;
    size_t thick = (size_t)r.n[2] + (r.dim > 2 ? 2 : 0), block = i / (wide * rows * thick);
    if (block >= (size_t)r.nblock) return;
    int k = (int)(i / (wide * rows) % thick) + r.g[2] - (r.dim > 2);
    ptrdiff_t at = k * step[2] + ((int)(i / wide % rows) + r.g[1] - 1) * step[1] + (int)(i % wide) +
                   r.g[0] - 1;
    const sl_real *u = g.u + (ptrdiff_t)block * r.nvar * r.var + at;
    const sl_real *mark = flags + (ptrdiff_t)block * r.var + at;
    for (int a = 0; a < r.dim; a++) {
        if (!sl_repair_is_safe(mark[-step[a]], mark[0])) continue;
        sl_real low[SL_MAX_VAR], high[SL_MAX_VAR], l[N], h[N], f[N];
        prim_of(r, u - step[a], r.var, low, 1);
        prim_of(r, u, r.var, high, 1);
        values_at(r, low, 1, order_of<N>(r, a), l);
        values_at(r, high, 1, order_of<N>(r, a), h);
        l[5] = u[(r.layout.face + a) * r.var];
        safe_flux(&r.gas, l, h, f);
        sl_real *to = emf.value + ((ptrdiff_t)block * EDGE_VALUES + 2 * a) * r.var + at;
        to[0] = f[6];
        to[r.var] = f[7];
        emf.upwind[((ptrdiff_t)block * 3 + a) * r.var + at] =
            (signed char)sl_ct_upwind_side(f[0], g.dt_dx[a], low[0], high[0]);
    }
}

/* All blocks again: those without flags get the same bits. */
static const char *field_remake(struct sl_device *d, const struct sl_device_stage *s)
{
    const struct run_args *r = &d->run;
    size_t cells = (size_t)(r->n[0] + 2) * (size_t)(r->n[1] + 2);
    cells *= (size_t)(r->n[2] + (r->dim > 2 ? 2 : 0)) * (size_t)r->nblock;
    if (halo_of(*r) > 0)
        reface<<<(unsigned)((cells + THREADS - 1) / THREADS), THREADS, 0, d->stream>>>(
            *r, *s, d->flags, d->shared->emf);
    TRY(cudaGetLastError());
    return field_advance(d, s, d->flags);
}

extern "C" const char *sl_device_remake(struct sl_device *d, const struct sl_device_stage *s)
{
    typedef void remake_kernel(struct run_args, int, struct sl_device_stage, const sl_real *);
    static remake_kernel *const kernels[] = {remake<values_of(FIELD_NONE)>,
                                             remake<values_of(FIELD_CLEANED)>,
                                             remake<values_of(FIELD_STAGGERED)>};
    int method = s->first_order ? (int)SL_RECONSTRUCT_constant : d->spec.method;
    struct run_args run = run_of_stage(d, s);
    if (run.nblock == 0) return NULL;
    if (d->spec.integrator == SL_INTEGRATOR_ctu) return ctu_advance(d, s, d->flags);
    PASS(register_advance(d, s, d->flags));
    if (d->spec.integrator == SL_INTEGRATOR_tvd) return tvd_remake(d, s);
    if (run.layout.face >= 0) PASS(cells_advance(d, s, SL_DEVICE_ALL));
    kernels[field_of(run.layout)]<<<all_cells(d), THREADS, 0, d->stream>>>(run, method, *s,
                                                                           d->flags);
    TRY(cudaGetLastError());
    return run.layout.face < 0 ? NULL : field_remake(d, s);
}

/* ---- floors ---------------------------------------------------------------------------------- */

static __global__ void lost(struct run_args r, const sl_real *out, unsigned long long *count)
{
    ptrdiff_t at = cell_at(r, this_cell(), r.nvar);
    if (at >= 0 && !sl_repair_is_finite(&r.layout, out + at, (size_t)r.var)) atomicAdd(count, 1);
}

extern "C" const char *sl_device_lost(struct sl_device *d, const sl_real *out, long long *count)
{
    if (d->run.nblock > 0) lost<<<all_cells(d), THREADS, 0, d->stream>>>(d->run, out, d->most + 3);
    TRY(cudaGetLastError());
    return count_take(d, count);
}

static __global__ void floors(struct run_args r, const sl_real *start, sl_real *out,
                              unsigned long long *count)
{
    ptrdiff_t at = cell_at(r, this_cell(), r.nvar);
    if (at < 0 || !sl_repair_is_bad(&r.gas, &r.layout, out + at, (size_t)r.var)) return;
    sl_repair_floor(&r.gas, &r.layout, start + at, out + at, (size_t)r.var);
    atomicAdd(count, 1);
}

extern "C" const char *sl_device_floor(struct sl_device *d, const struct sl_device_stage *s,
                                       long long *count)
{
    if (d->run.nblock > 0)
        floors<<<all_cells(d), THREADS, 0, d->stream>>>(d->run, s->u0, s->out, d->most + 3);
    TRY(cudaGetLastError());
    return count_take(d, count);
}
