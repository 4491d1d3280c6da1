/* cell.cuh - what the kernels share: the arguments of a run, and one cell's or one face's work, made
 * of the functions of core/cell in the order of core/step/rows.c, so that the bits are the same.
 *
 * Shapes  see device.h
 * Units   code units
 * Errors  none
 * Owns    nothing
 * MPI     none
 * Where   device
 * Refs    see core/cell
 * Tests   tests/gpu
 */
#ifndef SL_GPU_CELL_CUH
#define SL_GPU_CELL_CUH

#include "core/cell/reconstruct.h"
#include "core/cell/riemann.h"
#include "gpu/device.h"

/* What does not change in a run. */
struct run_args {
    int dim, nvar, nblock, n[3], g[3], nt[3];
    int extra; /* first variable that is carried with the mass */
    ptrdiff_t var; /* distance of the variables of a block */
    sl_real theta, dual_eta;
    struct sl_gas gas;
    struct sl_layout layout;
};

struct stage_args {
    struct run_args run;
    struct sl_device_stage s;
    int tile[2], chunk, tiles[3];
    unsigned long long *signal; /* bits of three doubles, none negative: they compare as numbers */
};

/* Distances of the two neighbours on each side along an axis. */
struct near {
    int a, b, d, e;
};

__device__ __forceinline__ struct near near_of(int step)
{
    struct near o = {-2 * step, -step, step, 2 * step};
    return o;
}

/* Distances of density, velocities across and along a face, and pressure. */
struct order {
    int at[5];
};

__device__ __forceinline__ struct order order_of(int axis, int var)
{
    struct order o = {{0, (1 + axis) * var, (1 + (axis + 1) % 3) * var, (1 + (axis + 2) % 3) * var,
                       4 * var}};
    return o;
}

/* The value at the upper or lower face of the cell at q. */
template <int METHOD, int LIMITER>
__device__ __forceinline__ sl_real side(const sl_real *q, struct near o, bool upper, sl_real theta)
{
    sl_real line[5] = {0, 0, q[0], 0, 0};
    if (METHOD != SL_RECONSTRUCT_constant) line[1] = q[o.b], line[3] = q[o.d];
    if (METHOD == SL_RECONSTRUCT_ppm || METHOD == SL_RECONSTRUCT_wenoz)
        line[0] = q[o.a], line[4] = q[o.e];
    struct sl_faces f;
    switch (METHOD) {
#define SIDE_CASE(name, ghost, about)                                                              \
    case SL_RECONSTRUCT_##name:                                                                    \
        f = sl_faces_##name(LIMITER, theta, line);                                                 \
        break;
        SL_RECONSTRUCT_LIST(SIDE_CASE)
#undef SIDE_CASE
    default:
        f.minus = f.plus = line[2];
    }
    return upper ? f.plus : f.minus;
}

/* The state at a face of the cell at q; false where the average had to stand in for it. */
template <int METHOD, int LIMITER>
__device__ __forceinline__ bool state_at(const struct run_args &r, const sl_real *q,
                                         struct order v, struct near o, bool upper,
                                         struct sl_prim *w)
{
    bool warm = r.gas.eos != SL_EOS_isothermal, good = true;
    w->rho = side<METHOD, LIMITER>(q + v.at[0], o, upper, r.theta);
    w->u = side<METHOD, LIMITER>(q + v.at[1], o, upper, r.theta);
    w->v = side<METHOD, LIMITER>(q + v.at[2], o, upper, r.theta);
    w->w = side<METHOD, LIMITER>(q + v.at[3], o, upper, r.theta);
    w->p = warm ? side<METHOD, LIMITER>(q + v.at[4], o, upper, r.theta) : 0;
    if (METHOD == SL_RECONSTRUCT_ppm || METHOD == SL_RECONSTRUCT_wenoz) {
        good = w->rho > 0 && (!warm || w->p > 0);
        if (!good) {
            w->rho = q[v.at[0]], w->u = q[v.at[1]], w->v = q[v.at[2]], w->w = q[v.at[3]];
            if (warm) w->p = q[v.at[4]];
        }
    }
    if (!warm) w->p = w->rho * (r.gas.cs * r.gas.cs);
    return good;
}

template <int SOLVER>
__device__ __forceinline__ struct sl_cons flux_of(const struct sl_gas *gas, struct sl_prim l,
                                                  struct sl_prim r)
{
    struct sl_waves m = sl_waves_of(gas, l, r);
    switch (SOLVER) {
#define FLUX_CASE(name)                                                                            \
    case SL_RIEMANN_##name:                                                                        \
        return sl_riemann_##name(gas, l, r, m);
        FLUX_CASE(llf) FLUX_CASE(hlle) FLUX_CASE(hllc) FLUX_CASE(roe)
#undef FLUX_CASE
    default:
        return sl_riemann_llf(gas, l, r, m);
    }
}

__device__ __forceinline__ struct sl_cons cons_at(const struct run_args &r, const sl_real *u)
{
    struct sl_cons c = {u[0], u[r.var], u[2 * r.var], u[3 * r.var], 0};
    if (r.gas.eos != SL_EOS_isothermal) c.en = u[4 * r.var];
    return c;
}

/* Primitive values of the cell at u, `var` apart at q. */
__device__ __forceinline__ void prim_of(const struct run_args &r, const sl_real *u, sl_real *q,
                                        int var)
{
    struct sl_cons c = cons_at(r, u);
    struct sl_prim w = sl_cons_to_prim(&r.gas, c);
    if (r.layout.entropy >= 0 && sl_entropy_rules(&r.gas, c.en, w.p, r.dual_eta))
        w.p = sl_entropy_to_pressure(&r.gas, c.rho, u[r.layout.entropy * r.var]);
    q[0] = w.rho;
    q[var] = w.u;
    q[2 * var] = w.v;
    q[3 * var] = w.w;
    if (r.gas.eos != SL_EOS_isothermal) q[4 * var] = w.p;
    for (int v = r.extra; v < r.nvar; v++)
        q[v * var] = u[v * r.var] / c.rho;
}

/* Makes energy and entropy of the cell at u agree: the one that rules gives the other. */
__device__ __forceinline__ void agree(const struct run_args &r, sl_real *u)
{
    sl_real *entropy = u + r.layout.entropy * r.var;
    struct sl_cons c = cons_at(r, u);
    struct sl_prim w = sl_cons_to_prim(&r.gas, c);
    if (sl_entropy_rules(&r.gas, c.en, w.p, r.dual_eta)) {
        w.p = sl_entropy_to_pressure(&r.gas, c.rho, *entropy);
        u[4 * r.var] = sl_prim_to_cons(&r.gas, w).en;
    } else {
        *entropy = sl_pressure_to_entropy(&r.gas, c.rho, w.p);
    }
}

struct signal {
    sl_real bad, fastest, sum;
};

__device__ __forceinline__ void signal_add(const struct run_args &r, const sl_real per_dx[3],
                                           int speeds, struct sl_cons c, struct signal *s)
{
    if (sl_bad_state(&r.gas, c)) s->bad = 1;
    if (!speeds) return;
    struct sl_prim w = sl_cons_to_prim(&r.gas, c);
    sl_real cs = sl_sound_speed(&r.gas, w.rho, w.p);
    sl_real x = (sl_abs(w.u) + cs) * per_dx[0], y = (sl_abs(w.v) + cs) * per_dx[1];
    sl_real z = (sl_abs(w.w) + cs) * per_dx[2], most = sl_max(x, sl_max(y, z));
    s->fastest = sl_max(most, s->fastest);
    s->sum = sl_max((x + y) + z, s->sum);
}

__device__ __forceinline__ void most_add(unsigned long long *most, sl_real x)
{
    unsigned warp = __activemask();
    for (int by = 16; by > 0; by /= 2)
        x = sl_max(__shfl_xor_sync(warp, x, by), x);
    unsigned long long bits = (unsigned long long)__double_as_longlong((double)x);
    if (bits > *(volatile unsigned long long *)most) atomicMax(most, bits);
}

/* All threads of the warp must come here. */
__device__ __forceinline__ void signal_put(unsigned long long *signal, struct signal s)
{
    most_add(signal, s.bad);
    most_add(signal + 1, s.fastest);
    most_add(signal + 2, s.sum);
}

/* Threads of a tile, and tiles that a multiprocessor should hold, by the neighbours that the method
 * reads: with two at each side, planes in double precision fill the shared memory with one tile. */
__host__ __device__ constexpr int stage_threads(int reach)
{
    return reach < 2 ? 128 : sizeof(sl_real) == sizeof(double) ? 512 : 256;
}
__host__ __device__ constexpr int stage_blocks(int reach)
{
    return (sizeof(sl_real) == sizeof(float) && reach < 2 ? 768 : 512) / stage_threads(reach);
}

/* Kernels of one way to reconstruct, by solver, in stage_*.cu: for all runs, and for plain ones. */
typedef void stage_kernel(const struct stage_args);
struct stage_row {
    stage_kernel *kernel[SL_RIEMANN_roe + 1][2];
};
extern const struct stage_row stage_constant, stage_plm_minmod, stage_plm_vanleer, stage_plm_mc,
    stage_ppm, stage_wenoz;

#endif
