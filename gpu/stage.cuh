/* stage.cuh - one stage of the method of lines over all blocks in one launch.
 *
 * A block of threads owns a tile of columns of a mesh block and marches along z. The primitive
 * values of the planes that it needs, ghosts of the tile included, lie in shared memory; each face
 * gets its flux once, those across x and y into shared memory, those across z from register to
 * register. Faces at the upper edges of the tile are one short extra round, given to another warp in
 * every plane.
 *
 * Shapes  see device.h; shared memory: planes[slot][var][rows][x], flux x[var][row][x + 1],
 *         flux y[var][row + 1][x], then values and fluxes across z of the extra variables
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   device
 * Refs    Shu & Osher 1988 (stages)
 * Tests   tests/gpu
 */
#ifndef SL_GPU_STAGE_CUH
#define SL_GPU_STAGE_CUH

#include "gpu/cell.cuh"

/* Where a tile's threads and buffers are. */
struct tile {
    int tx, ty, id, threads, wide, high;
    int row, var, slot;       /* distances in the planes: rows, variables, planes */
    int x0, y0;               /* first cell of the tile, counted from the first interior cell */
    int xvar, yvar;           /* distances of the variables in the fluxes */
    const sl_real *u;         /* of the mesh block */
    sl_real *planes, *fx, *fy, *extra;
};

__device__ __forceinline__ struct tile tile_of(const struct stage_args &a, int nslot, int *block,
                                               int *k0)
{
    extern __shared__ double memory[];
    const struct run_args &r = a.run;
    struct tile t;
    int index = (int)blockIdx.x;
    t.tx = (int)threadIdx.x, t.ty = (int)threadIdx.y;
    t.wide = a.tile[0], t.high = a.tile[1];
    t.id = t.ty * t.wide + t.tx;
    t.threads = t.wide * t.high;
    t.x0 = index % a.tiles[0] * t.wide;
    index /= a.tiles[0];
    t.y0 = index % a.tiles[1] * t.high;
    index /= a.tiles[1];
    *k0 = index % a.tiles[2] * a.chunk;
    *block = index / a.tiles[2];
    t.row = t.wide + 2 * r.g[0];
    t.var = t.row * (t.high + 2 * r.g[1]);
    t.slot = t.var * r.nvar;
    t.xvar = (t.wide + 1) * t.high;
    t.yvar = t.wide * (t.high + 1);
    t.planes = (sl_real *)memory;
    t.fx = t.planes + nslot * t.slot;
    t.fy = t.fx + r.nvar * t.xvar;
    t.extra = t.fy + (r.dim > 1 ? r.nvar * t.yvar : 0);
    t.u = a.s.u + (ptrdiff_t)*block * r.nvar * r.var;
    return t;
}

/* Asks for the variables of a cell that the next plane will read: few threads run at once, and they
 * would wait for the memory. */
__device__ __forceinline__ void ahead(const struct run_args &r, const sl_real *u)
{
    for (int v = 0; v < r.nvar; v++)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(u + v * r.var));
}

/* Primitive values of plane k of the mesh block into a slot. */
__device__ __forceinline__ void plane_load(const struct run_args &r, const struct tile &t, int k,
                                           int slot)
{
    int high = t.high + 2 * r.g[1], y = t.id / t.row, x = t.id - y * t.row;
    int by_y = t.threads / t.row, by_x = t.threads - by_y * t.row;
    ptrdiff_t area = (ptrdiff_t)r.nt[0] * r.nt[1];
    const sl_real *plane = t.u + (k + r.g[2]) * area;
    sl_real *to = t.planes + slot * t.slot;
    while (y < high) {
        int i = min(t.x0 + x, r.nt[0] - 1), j = min(t.y0 + y, r.nt[1] - 1);
        const sl_real *from = plane + j * r.nt[0] + i;
        if (k + 1 < r.n[2] + r.g[2]) ahead(r, from + area);
        prim_of(r, from, to + y * t.row + x, t.var);
        x += by_x, y += by_y;
        if (x >= t.row) x -= t.row, y++;
    }
}

/* Fluxes of the extra variables at a face: carried with the mass, from where it comes. */
template <int METHOD, int LIMITER>
__device__ __forceinline__ sl_real extra_side(const sl_real *q, struct near o, bool upper,
                                              bool good, sl_real theta)
{
    return good ? side<METHOD, LIMITER>(q, o, upper, theta) : q[0];
}

/* Fluxes across x and y at the lower faces of all cells of the tile and at its upper edges. */
template <int METHOD, int LIMITER, int SOLVER>
__device__ __forceinline__ void faces_across(const struct run_args &r, const struct tile &t,
                                             const sl_real *plane, int k)
{
    int edges = t.high + (r.dim > 1 ? t.wide : 0);
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        int axis = round, x = t.tx, y = t.ty;
        if (round == 1 && r.dim == 1) continue;
        if (round == 2) {
            int e = t.id + (k & 7) * 32;
            while (e >= t.threads)
                e -= t.threads;
            if (e >= edges) break;
            axis = e >= t.high;
            x = axis ? e - t.high : t.wide;
            y = axis ? t.high : e;
        }
        int step = axis ? t.row : 1;
        const sl_real *high = plane + (y + r.g[1]) * t.row + x + r.g[0], *low = high - step;
        sl_real *to = axis ? t.fy + y * t.wide + x : t.fx + y * (t.wide + 1) + x;
        int var = axis ? t.yvar : t.xvar;
        struct order v = order_of(axis, t.var), f = order_of(axis, var);
        struct near o = near_of(step);
        struct sl_prim wl, wr;
        bool good_l = state_at<METHOD, LIMITER>(r, low, v, o, true, &wl);
        bool good_r = state_at<METHOD, LIMITER>(r, high, v, o, false, &wr);
        struct sl_cons c = flux_of<SOLVER>(&r.gas, wl, wr);
        to[f.at[0]] = c.rho;
        to[f.at[1]] = c.mx;
        to[f.at[2]] = c.my;
        to[f.at[3]] = c.mz;
        if (r.gas.eos != SL_EOS_isothermal) to[f.at[4]] = c.en;
        for (int e = r.extra; e < r.nvar; e++) {
            bool up = c.rho > 0;
            to[e * var] = c.rho * extra_side<METHOD, LIMITER>((up ? low : high) + e * t.var, o, up,
                                                              up ? good_l : good_r, r.theta);
        }
    }
}

/* What a column hands on from plane to plane: the state at the upper face of the last one, and the
 * fluxes below and above it. */
struct column {
    struct sl_prim plus;
    struct sl_cons below, above;
};

/* Extra variables of a column: state at the upper face, flux below, flux above. */
__device__ __forceinline__ sl_real *extra_at(const struct run_args &r, const struct tile &t, int e,
                                             int which)
{
    return t.extra + (which * (r.nvar - r.extra) + e - r.extra) * t.threads + t.id;
}

__device__ __forceinline__ struct near near_z(const struct tile &t, int slot, int nslot)
{
    struct near o;
    o.a = (slot >= 2 ? -2 : nslot - 2) * t.slot;
    o.b = (slot >= 1 ? -1 : nslot - 1) * t.slot;
    o.d = (slot + 1 < nslot ? 1 : 1 - nslot) * t.slot;
    o.e = (slot + 2 < nslot ? 2 : 2 - nslot) * t.slot;
    return o;
}

/* State at the upper face of the cell in a slot. */
template <int METHOD, int LIMITER>
__device__ __forceinline__ void column_plus(const struct run_args &r, const struct tile &t,
                                            int slot, struct near o, struct column *c)
{
    const sl_real *q = t.planes + slot * t.slot + (t.ty + r.g[1]) * t.row + t.tx + r.g[0];
    bool good = state_at<METHOD, LIMITER>(r, q, order_of(2, t.var), o, true, &c->plus);
    for (int e = r.extra; e < r.nvar; e++)
        *extra_at(r, t, e, 0) =
            extra_side<METHOD, LIMITER>(q + e * t.var, o, true, good, r.theta);
}

/* Flux between the last cell of the column and the one in a slot, which becomes the last. */
template <int METHOD, int LIMITER, int SOLVER>
__device__ __forceinline__ void column_flux(const struct run_args &r, const struct tile &t,
                                            int slot, int nslot, struct column *c)
{
    const sl_real *q = t.planes + slot * t.slot + (t.ty + r.g[1]) * t.row + t.tx + r.g[0];
    struct near o = near_z(t, slot, nslot);
    struct sl_prim minus;
    bool good = state_at<METHOD, LIMITER>(r, q, order_of(2, t.var), o, false, &minus);
    c->below = c->above;
    c->above = flux_of<SOLVER>(&r.gas, c->plus, minus);
    for (int e = r.extra; e < r.nvar; e++) {
        bool up = c->above.rho > 0;
        sl_real *above = extra_at(r, t, e, 2);
        *extra_at(r, t, e, 1) = *above;
        *above = c->above.rho * (up ? *extra_at(r, t, e, 0)
                                    : extra_side<METHOD, LIMITER>(q + e * t.var, o, false, good,
                                                                  r.theta));
    }
    column_plus<METHOD, LIMITER>(r, t, slot, o, c);
}

/* The new value of a variable of a cell; below, above: fluxes across z. */
__device__ __forceinline__ sl_real updated(const struct stage_args &a, const struct tile &t, int v,
                                           sl_real below, sl_real above, ptrdiff_t at)
{
    const sl_real *x = t.fx + v * t.xvar + t.ty * (t.wide + 1) + t.tx;
    const sl_real *y = t.fy + v * t.yvar + t.ty * t.wide + t.tx;
    sl_real u = a.s.u[at], d = (x[1] - x[0]) * a.s.dt_dx[0];
    if (a.run.dim > 1) d = d + (y[t.wide] - y[0]) * a.s.dt_dx[1];
    if (a.run.dim > 2) d = d + (above - below) * a.s.dt_dx[2];
    if (a.s.b == 1) return u - d;
    sl_real u0 = a.s.u0[at];
    return u0 + a.s.b * ((u - d) - u0);
}

__device__ __forceinline__ void cell_update(const struct stage_args &a, const struct tile &t,
                                            ptrdiff_t at, const struct column *c,
                                            struct signal *signal)
{
    const struct run_args &r = a.run;
    struct sl_cons n;
    n.rho = updated(a, t, 0, c->below.rho, c->above.rho, at);
    n.mx = updated(a, t, 1, c->below.my, c->above.my, at + r.var);
    n.my = updated(a, t, 2, c->below.mz, c->above.mz, at + 2 * r.var);
    n.mz = updated(a, t, 3, c->below.mx, c->above.mx, at + 3 * r.var);
    n.en = 0;
    sl_real *out = a.s.out + at;
    out[0] = n.rho;
    out[r.var] = n.mx;
    out[2 * r.var] = n.my;
    out[3 * r.var] = n.mz;
    if (r.gas.eos != SL_EOS_isothermal) {
        n.en = updated(a, t, 4, c->below.en, c->above.en, at + 4 * r.var);
        out[4 * r.var] = n.en;
    }
    for (int e = r.extra; e < r.nvar; e++) {
        sl_real below = r.dim > 2 ? *extra_at(r, t, e, 1) : 0;
        sl_real above = r.dim > 2 ? *extra_at(r, t, e, 2) : 0;
        out[e * r.var] = updated(a, t, e, below, above, at + e * r.var);
    }
    if (r.layout.entropy >= 0) {
        agree(r, out);
        n.en = out[4 * r.var];
    }
    signal_add(r, a.s.per_dx, a.s.last, n, signal);
}

/* The kernel that most runs need knows all choices when it is compiled: three dimensions, ideal gas,
 * no extra variables. */
__device__ __forceinline__ void make_plain(struct run_args *r)
{
    r->dim = 3;
    r->gas.eos = SL_EOS_ideal;
    r->nvar = r->extra = 5;
    r->layout.entropy = -1;
}

__host__ __device__ constexpr int reach_of(int method)
{
    return method == SL_RECONSTRUCT_constant ? 0 : method == SL_RECONSTRUCT_plm ? 1 : 2;
}

template <int METHOD, int LIMITER, int SOLVER, int PLAIN>
__global__ void __launch_bounds__(stage_threads(reach_of(METHOD)), stage_blocks(reach_of(METHOD)))
    stage(const __grid_constant__ struct stage_args given)
{
    constexpr int REACH = reach_of(METHOD), MANY = REACH > 0 ? 2 * REACH + 1 : 2;
    struct stage_args a = given;
    if (PLAIN) make_plain(&a.run);
    const struct run_args &r = a.run;
    int block, k0, nslot = r.dim > 2 ? MANY : 1;
    struct tile t = tile_of(a, nslot, &block, &k0);
    struct column c = {};
    struct signal signal = {0, 0, 0};
    int k1 = min(k0 + a.chunk, r.n[2]), slot = 0; /* of plane k */
    if (r.dim > 2) { /* planes up to k0 - 1 + REACH, the flux below k0 */
        for (int s = 0; s < 2 * REACH + 1; s++)
            plane_load(r, t, k0 - 1 - REACH + s, s);
        __syncthreads();
        column_plus<METHOD, LIMITER>(r, t, REACH, near_z(t, REACH, MANY), &c);
        __syncthreads();
        plane_load(r, t, k0 + REACH, REACH > 0 ? 0 : 1);
        __syncthreads();
        slot = REACH + 1;
        slot -= slot >= MANY ? MANY : 0;
        column_flux<METHOD, LIMITER, SOLVER>(r, t, slot, MANY, &c);
        __syncthreads();
    }
    bool inside = t.x0 + t.tx < r.n[0] && t.y0 + t.ty < r.n[1];
    ptrdiff_t area = (ptrdiff_t)r.nt[0] * r.nt[1];
    ptrdiff_t at = (ptrdiff_t)block * r.nvar * r.var + (k0 + r.g[2]) * area +
                   (ptrdiff_t)(t.y0 + t.ty + r.g[1]) * r.nt[0] + t.x0 + t.tx + r.g[0];
    for (int k = k0; k < k1; k++, at += area) {
        int next = slot + 1 < nslot ? slot + 1 : 0;
        int free = r.dim > 2 ? slot + 1 + REACH : 0;
        free -= free >= nslot ? nslot : 0;
        plane_load(r, t, r.dim > 2 ? k + 1 + REACH : k, free);
        __syncthreads();
        faces_across<METHOD, LIMITER, SOLVER>(r, t, t.planes + slot * t.slot, k);
        if (r.dim > 2) column_flux<METHOD, LIMITER, SOLVER>(r, t, next, MANY, &c);
        __syncthreads();
        if (inside && a.s.b != 1 && k + 1 < k1) ahead(r, a.s.u0 + at + area);
        if (inside) cell_update(a, t, at, &c, &signal);
        slot = next;
    }
    signal_put(a.signal, signal);
}

#define STAGE_ENTRY(method, limiter, solver)                                                       \
    {                                                                                              \
        stage<method, limiter, solver, 0>, stage<method, limiter, solver, 1>                       \
    }
#define STAGE_ROW(name, method, limiter)                                                           \
    const struct stage_row stage_##name = {{STAGE_ENTRY(method, limiter, SL_RIEMANN_llf),          \
                                            STAGE_ENTRY(method, limiter, SL_RIEMANN_hlle),         \
                                            STAGE_ENTRY(method, limiter, SL_RIEMANN_hllc),         \
                                            STAGE_ENTRY(method, limiter, SL_RIEMANN_roe)}}

#endif
