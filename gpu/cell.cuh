/* cell.cuh - what the kernels share: the arguments of a run, and one cell's or one face's work,
 * made of the functions of core/cell in the order of core/sweep/rows.c and rows_mhd.c, so that the
 * bits are the same.
 *
 * Values at a face are arrays in one order, turned so that the axis across the face comes first:
 * rho, u, v, w, p (energy in fluxes), then, with a field, bn, by, bz, and psi where it is cleaned.
 * An isothermal gas leaves p out. With the field at faces bn is that at the face, and has no flux.
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

#include "core/cell/characteristic.h"
#include "core/cell/ct.h"
#include "core/cell/mass_flux.h"
#include "core/cell/reconstruct.h"
#include "core/cell/update.h"
#include "gpu/device.h"

/* What does not change in a run. */
struct run_args {
    int dim, nvar, nblock, n[3], g[3], nt[3];
    int nflow;     /* variables that flow: all but the field at faces */
    int extra;     /* first variable that is carried with the mass */
    ptrdiff_t var; /* distance of the variables of a block */
    sl_real theta, prolong_theta, dual_eta, gravity[3];
    int has_gravity; /* gravity is not 0 */
    int lifts;       /* nor work, of core/cell/lift.h and of cells of the level */
    sl_real work[3];
    int limiter, solver, waves, cools,
        needs_compression; /* as in struct sl_scheme, for kernels that do not know them */
    struct sl_gas gas;
    struct sl_layout layout;
    int nleaf; /* the first of the blocks; finer ones cover the others */
};

/* What the edges take from faces and cells: the fluxes of the two fields along the lower faces of a
 * cell across x, y and z, next to each other, then the electric field in the cell, then at its
 * lower edges; and where the gas goes across the same faces (sl_ct_upwind_side).
 * [nblock][EDGE_VALUES or 3][nt2][nt1][nt0] */
enum { EDGE_CELL = 6, EDGE_FIELD = 9, EDGE_VALUES = 12 };
struct emf_terms {
    sl_real *value;
    signed char *upwind;
};

/* E_c at the lower edge along c of the cell at `at`, from the terms of its block, which the kernel
 * does not change. */
__device__ __forceinline__ sl_real electric(const struct run_args &r, const struct emf_terms &emf,
                                            const ptrdiff_t (&step)[3], int c, ptrdiff_t at)
{
    int a = c < 2 ? c + 1 : 0, b = c > 0 ? c - 1 : 2;
    ptrdiff_t sa = step[a], sb = step[b];
    const sl_real *fa = emf.value + 2 * a * r.var + at, *fb = emf.value + (2 * b + 1) * r.var + at;
    const sl_real *cell = emf.value + (EDGE_CELL + c) * r.var + at;
    const signed char *wa = emf.upwind + a * r.var + at, *wb = emf.upwind + b * r.var + at;
    struct sl_ct_edge s = {
        {-__ldg(fa - sb), -__ldg(fa)},
        {__ldg(fb - sa), __ldg(fb)},
        {{__ldg(cell - sa - sb), __ldg(cell - sa)}, {__ldg(cell - sb), __ldg(cell)}},
        {__ldg(wa - sb), __ldg(wa)},
        {__ldg(wb - sa), __ldg(wb)}};
    return sl_ct_edge(s);
}

struct stage_args {
    struct run_args run;
    struct sl_device_stage s;
    int tile[2], chunk, tiles[3];
    const int *order;     /* of the tiles of this launch; NULL: as they are numbered */
    struct emf_terms emf; /* constrained transport */
    /* of a stage that reads across faces: as in struct sl_device_spec; else NULL */
    const int *near;
    unsigned long long *signal; /* bits of three doubles, none negative: they compare as numbers */
    ptrdiff_t leaves;           /* values of the leaves, the first ones */
};

/* The mass that crosses a face in a stage. */
__device__ __forceinline__ void mass_put(const struct sl_device_stage &s, size_t at, sl_real flux)
{
    s.mass[at] = sl_mass_flux_put(s.b, s.dt, s.mass_before ? s.mass_before[at] : 0, flux);
}

/* How a fluid has its magnetic field. */
enum field { FIELD_NONE, FIELD_CLEANED, FIELD_STAGGERED };

/* Values at a face. */
__host__ __device__ constexpr int values_of(int field)
{
    return field == FIELD_NONE ? 5 : field == FIELD_CLEANED ? 9 : 8;
}

static inline __host__ __device__ enum field field_of(const struct sl_layout &l)
{
    return l.magnetic < 0 ? FIELD_NONE : l.face < 0 ? FIELD_CLEANED : FIELD_STAGGERED;
}

/* Cells around a block whose fluxes are made, too: those that meet at its edges. */
static inline __host__ __device__ int halo_of(const struct run_args &r)
{
    return r.layout.face >= 0 && r.dim > 1;
}

/* Variables whose fluxes change the cells: the fields of a box with three axes follow from their
 * faces. */
static inline __host__ __device__ int changed_of(const struct run_args &r)
{
    return r.layout.face >= 0 && r.dim > 2 && r.nflow == r.extra ? r.layout.magnetic : r.nflow;
}

/* Distances of the two neighbours on each side along an axis. */
struct near {
    int a, b, d, e;
};

__device__ __forceinline__ struct near near_of(int step)
{
    struct near o = {-2 * step, -step, step, 2 * step};
    return o;
}

/* Where the values at faces across an axis are among the variables. */
template <int N> struct order {
    int at[N];
};

/* field: place of the first variable of the field. */
template <int N> __device__ __forceinline__ struct order<N> order_with(int field, int axis) {
    int y = axis < 2 ? axis + 1 : 0, z = axis < 1 ? axis + 2 : axis - 1;
    struct order<N> o;
    o.at[0] = 0, o.at[1] = 1 + axis, o.at[2] = 1 + y, o.at[3] = 1 + z, o.at[4] = 4;
    if constexpr (N > 5) o.at[5] = field + axis, o.at[6] = field + y, o.at[7] = field + z;
    if constexpr (N > 8) o.at[8] = field + 3;
    return o;
}

template <int N>
__device__ __forceinline__ struct order<N> order_of(const struct run_args &r, int axis) {
    return order_with<N>(r.layout.magnetic, axis);
}

/* Whether value i is one: an isothermal gas has no energy. */
__device__ __forceinline__ bool
is_value(const struct run_args &r, int i)
{
    return i != 4 || r.gas.eos != SL_EOS_isothermal;
}

/* Whether fluxes change value i in a cell. */
template <int N> __device__ __forceinline__ bool is_changed(const struct run_args &r, int i)
{
    return is_value(r, i) && (N != 8 || i < 5 || r.dim < 3);
}

/* In the place of a limiter or a solver: the one of struct run_args; and whether a kernel takes
 * what else is chosen there. */
enum { CHOSEN = -1 };
__host__ __device__ constexpr bool is_chosen(int limiter)
{
    return limiter == CHOSEN;
}

/* Neighbours at each side that a method reads to find the values at faces. */
__host__ __device__ constexpr int reach_of(int method)
{
    return method == SL_RECONSTRUCT_constant ? 0 : method == SL_RECONSTRUCT_plm ? 1 : 2;
}

/* What a method makes of five values along a line, at the upper or the lower face. */
template <int METHOD, int LIMITER>
__device__ __forceinline__ sl_real face_of_line(const struct run_args &r, const sl_real *line,
                                                bool upper)
{
    int limiter = is_chosen(LIMITER) ? r.limiter : LIMITER;
    struct sl_faces f;
    switch (METHOD) {
#define FACE_CASE(name, ghost, ...)                                                                \
    case SL_RECONSTRUCT_##name:                                                                    \
        f = sl_faces_##name(limiter, r.theta, line);                                               \
        break;
        SL_RECONSTRUCT_LIST(FACE_CASE)
#undef FACE_CASE
    default:
        f.minus = f.plus = line[2];
    }
    return upper ? f.plus : f.minus;
}

/* The value at the upper or lower face of the cell at q. */
template <int METHOD, int LIMITER>
__device__ __forceinline__ sl_real side(const struct run_args &r, const sl_real *q, struct near o,
                                        bool upper)
{
    sl_real line[5] = {0, 0, q[0], 0, 0};
    if (reach_of(METHOD) > 0) line[1] = q[o.b], line[3] = q[o.d];
    if (reach_of(METHOD) > 1) line[0] = q[o.a], line[4] = q[o.e];
    return face_of_line<METHOD, LIMITER>(r, line, upper);
}

__device__ __forceinline__ struct sl_prim gas_of(const sl_real (&w)[5])
{
    struct sl_prim p = {w[0], w[1], w[2], w[3], w[4]};
    return p;
}

template <int N> __device__ __forceinline__ struct sl_mhd_prim plasma_of(const sl_real (&w)[N])
{
    struct sl_mhd_prim p = {w[0], w[1], w[2], w[3], w[4], w[6], w[7]};
    return p;
}

/* The averages of the cell at q. */
template <int N>
__device__ __forceinline__ void values_at(const struct run_args &r, const sl_real *q, int var,
                                          struct order<N> v, sl_real (&w)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        if (is_value(r, i)) w[i] = q[v.at[i] * var];
    if (r.gas.eos == SL_EOS_isothermal) w[4] = w[0] * (r.gas.cs * r.gas.cs);
}

/* ---- waves (core/sweep/rows_characteristic.c) ------------------------------------------------ */

/* Differences of two states as strengths of the waves of the state c, and back. */
struct gas_waves {
    enum { COUNT = SL_GAS_WAVES };
    struct sl_prim c;
};
struct mhd_waves {
    enum { COUNT = SL_MHD_WAVES };
    struct sl_mhd_prim c;
    struct sl_mhd_mean mean;
};

__device__ __forceinline__ void waves_of(const struct run_args &r, const sl_real (&c)[5],
                                         struct gas_waves *w)
{
    (void)r;
    w->c = gas_of(c);
}

template <int N>
__device__ __forceinline__ void waves_of(const struct run_args &r, const sl_real (&c)[N],
                                         struct mhd_waves *w)
{
    w->c = plasma_of(c);
    w->mean = sl_mhd_mean_here(&r.gas, c[5], w->c);
}

__device__ __forceinline__ void to_waves(const struct run_args &r, const struct gas_waves &w,
                                         const sl_real (&d)[5], sl_real *to)
{
    sl_gas_to_waves(&r.gas, w.c, gas_of(d), to);
}

template <int N>
__device__ __forceinline__ void to_waves(const struct run_args &r, const struct mhd_waves &w,
                                         const sl_real (&d)[N], sl_real *to)
{
    sl_mhd_to_waves(&r.gas, w.mean, plasma_of(d), to);
}

__device__ __forceinline__ void from_waves(const struct run_args &r, const struct gas_waves &w,
                                           const sl_real *from, sl_real (&d)[5])
{
    struct sl_prim p = sl_gas_from_waves(&r.gas, w.c, from);
    d[0] = p.rho, d[1] = p.u, d[2] = p.v, d[3] = p.w, d[4] = p.p;
}

template <int N>
__device__ __forceinline__ void from_waves(const struct run_args &r, const struct mhd_waves &w,
                                           const sl_real *from, sl_real (&d)[N])
{
    (void)r;
    struct sl_mhd_prim p = sl_mhd_from_waves(w.mean, from);
    d[0] = p.rho, d[1] = p.u, d[2] = p.v, d[3] = p.w, d[4] = p.p, d[6] = p.by, d[7] = p.bz;
}

template <int N> struct waves_with {
    typedef struct mhd_waves kind;
};
template <> struct waves_with<5> {
    typedef struct gas_waves kind;
};

/* Whether value i is one that waves carry. */
__device__ __forceinline__ bool is_wave(int i)
{
    return i != 5 && i != 8;
}

/* The values at a face of the cell at q that waves carry, from the strengths of the waves in that
 * cell. */
template <int METHOD, int LIMITER, int N>
__device__ __forceinline__ void face_from_waves(const struct run_args &r, const sl_real *q, int var,
                                                struct order<N> v, struct near o, bool upper,
                                                sl_real (&w)[N])
{
    typedef typename waves_with<N>::kind kind;
    constexpr int REACH = reach_of(METHOD);
    const int by[5] = {o.a, o.b, 0, o.d, o.e};
    sl_real c[N], strength[kind::COUNT][5] = {}, at_face[kind::COUNT], d[N];
    kind k;
    values_at(r, q, var, v, c);
    waves_of(r, c, &k);
#pragma unroll
    for (int n = 2 - REACH; n <= 2 + REACH; n++) {
        sl_real to[kind::COUNT];
        if (n == 2) continue;
        values_at(r, q + by[n], var, v, d);
#pragma unroll
        for (int i = 0; i < N; i++)
            if (is_wave(i)) d[i] = d[i] - c[i];
        to_waves(r, k, d, to);
#pragma unroll
        for (int i = 0; i < kind::COUNT; i++)
            strength[i][n] = to[i];
    }
#pragma unroll
    for (int i = 0; i < kind::COUNT; i++)
        at_face[i] = face_of_line<METHOD, LIMITER>(r, strength[i], upper);
    from_waves(r, k, at_face, d);
#pragma unroll
    for (int i = 0; i < N; i++)
        if (is_wave(i)) w[i] = c[i] + d[i];
}

/* ---- faces ----------------------------------------------------------------------------------- */

/* What limiting did to all values at a face: replaced by the averages where not good, else moved
 * towards them by a share. */
struct limited {
    bool good;
    sl_real share;
};

/* What the sensor of shocks takes of a run beside the cells: the equation of state, and how far
 * variables lie apart. */
struct medium {
    int eos, var;
    sl_real gamma, cs;
};

__device__ __forceinline__ const sl_real *pressure_of(int eos, const sl_real *q, int var)
{
    return q + (eos == SL_EOS_isothermal ? 0 : 4) * var;
}

/* sl_in_shock of the cell at q, whose neighbours along the axis lie so far from it. */
template <int N>
__device__ __forceinline__ int in_shock_at(struct medium m, struct order<N> v, const sl_real *q,
                                           int before, int after)
{
    const sl_real *x = q + v.at[1] * m.var, *y = q + v.at[2] * m.var, *z = q + v.at[3] * m.var;
    const sl_real *p = pressure_of(m.eos, q, m.var);
    sl_real dy = y[before] - y[after], dz = z[before] - z[after], b2 = 0;
    struct sl_between b = {q[0],     q[before], q[after],  x[0],     x[before],
                           x[after], p[0],      p[before], p[after], dy * dy + dz * dz};
    struct sl_gas gas = {};
    gas.eos = m.eos, gas.gamma = m.gamma, gas.cs = m.cs;
    if constexpr (N > 5)
        b2 = sl_square3(q[v.at[5] * m.var], q[v.at[6] * m.var], q[v.at[7] * m.var]);
    return sl_in_shock(b, sl_stiffness(&gas, q[0], *p, b2));
}

/* The same in a function that is called: a kernel that holds no copies of what few cells need is
 * shorter, and runs faster because it fits the cache of instructions better (tests/perf/gpu.md).
 * field: as of order_with. Arguments are numbers and no structures, so that they stay in
 * registers. */
template <int N>
__device__ __noinline__ int in_shock_called(const sl_real *q, int var, int field, int axis,
                                            int before, int after, int eos, sl_real gamma,
                                            sl_real cs)
{
    struct medium m = {eos, var, gamma, cs};
    return in_shock_at(m, order_with<N>(field, axis), q, before, after);
}

/* sl_flatness of the cell at q. */
template <int N>
__device__ __forceinline__ sl_real flatness_at(const struct run_args &r, const sl_real *q, int var,
                                               struct order<N> v, struct near o)
{
    const sl_real *p = pressure_of(r.gas.eos, q, var), *u = q + v.at[1] * var;
    const sl_real line[5] = {p[o.a], p[o.b], p[0], p[o.d], p[o.e]};
    return sl_flatness(line, u[o.b], u[o.d]);
}

/* Whether every strong shock is flattened. */
template <int METHOD, int LIMITER>
__device__ __forceinline__ bool flattens(const struct run_args &r)
{
    return is_chosen(LIMITER) && reach_of(METHOD) > 1 && r.gas.shocks == SL_SHOCK_flatten;
}

/* Sign, exponent and first digits of a value as an integer: of positive values the larger has the
 * larger one, and twice the value has one binary order, ORDER, more. */
__device__ __forceinline__ int digits_of(double x)
{
    return __double2hiint(x);
}

__device__ __forceinline__ int digits_of(float x)
{
    return __float_as_int(x);
}

enum { ORDER = sizeof(sl_real) == sizeof(double) ? 1 << 20 : 1 << 23 };

/* Whether the sensor must be asked about the cell at q: no cell that it finds fails. Integers take
 * the place of sl_may_shock's factors, 2 for 2.4 and 1.2, which is a fifth of a binary order at
 * least, as the units that compute in double precision are busy. */
template <int METHOD, int LIMITER, int N>
__device__ __forceinline__ bool may_limit(const struct run_args &r, const sl_real *q, int var,
                                          struct order<N> v, struct near o)
{
    if constexpr (reach_of(METHOD) < 1) return false;
    const sl_real *u = q + v.at[1] * var, *p = pressure_of(r.gas.eos, q, var);
    int dense = digits_of(q[0]) - min(digits_of(q[o.b]), digits_of(q[o.d]));
    int peak = digits_of(p[0]) - max(digits_of(p[o.b]), digits_of(p[o.d]));
    bool may = ((dense >= ORDER - 1) | (peak >= ORDER / 5 - 1)) & (u[o.b] > u[o.d]);
    return flattens<METHOD, LIMITER>(r) | ((r.gas.shocks != SL_SHOCK_none) & may);
}

/* By what share the faces of the cell at q are moved to its average. */
template <int METHOD, int LIMITER, int N>
__device__ __forceinline__ struct limited limits_at(const struct run_args &r, const sl_real *q,
                                                    int var, struct order<N> v, struct near o)
{
    struct limited d = {true, 0};
    struct medium m = {r.gas.eos, var, r.gas.gamma, r.gas.cs};
    if constexpr (is_chosen(LIMITER))
        d.share = in_shock_at(m, v, q, o.b, o.d);
    else
        d.share = in_shock_called<N>(q, var, r.layout.magnetic, v.at[1] - 1, o.b, o.d, r.gas.eos,
                                     r.gas.gamma, r.gas.cs);
    if (flattens<METHOD, LIMITER>(r)) d.share = sl_max(d.share, flatness_at(r, q, var, v, o));
    return d;
}

/* Values at a face of the cell at q, whose variables lie var apart, as the method reconstructs
 * them. */
template <int METHOD, int LIMITER, int N>
__device__ __forceinline__ void face_reconstructed(const struct run_args &r, const sl_real *q,
                                                   int var, struct order<N> v, struct near o,
                                                   bool upper, sl_real (&w)[N])
{
    bool waves = is_chosen(LIMITER) && r.waves;
#pragma unroll
    for (int i = 0; i < N; i++)
        w[i] = is_value(r, i) && (N != 8 || i != 5) && !(waves && is_wave(i))
                   ? side<METHOD, LIMITER>(r, q + v.at[i] * var, o, upper)
                   : 0;
    if (waves) face_from_waves<METHOD, LIMITER>(r, q, var, v, o, upper, w);
}

/* Moves them to the averages, as d says. */
template <int N>
__device__ __forceinline__ void face_limited(const struct run_args &r, const sl_real *q, int var,
                                             struct order<N> v, struct limited d, sl_real (&w)[N])
{
#pragma unroll
    for (int i = 0; i < N; i++)
        if (d.share > 0 && is_value(r, i)) w[i] = sl_shock_limited(d.share, q[v.at[i] * var], w[i]);
}

/* Whether the face of the cell at q before which the neighbour lies so far away is too hot. */
template <int N>
__device__ __forceinline__ bool is_hot(const sl_real *q, int var, int next, const sl_real (&w)[N])
{
    struct sl_warmth face = {w[0], w[4]}, here = {q[0], q[4 * var]};
    struct sl_warmth behind = {q[next], q[4 * var + next]};
    return sl_face_is_hot(face, here, behind);
}

/* Puts the averages in their place where density or pressure would not be positive, or a face too
 * hot; d, and whether that was so. next: to the neighbour behind the face. */
template <int METHOD, int LIMITER, int N>
__device__ __forceinline__ struct limited face_mended(const struct run_args &r, const sl_real *q,
                                                      int var, struct order<N> v, int next,
                                                      struct limited d, sl_real (&w)[N])
{
    bool warm = r.gas.eos != SL_EOS_isothermal, waves = is_chosen(LIMITER) && r.waves;
    bool cools = METHOD == SL_RECONSTRUCT_plm && r.layout.entropy >= 0 && r.cools;
    if (reach_of(METHOD) > 1 || waves || cools) {
        d.good = cools ? !is_hot(q, var, next, w) : w[0] > 0 && (!warm || w[4] > 0);
#pragma unroll
        for (int i = 0; i < N; i++)
            if (!d.good && is_value(r, i)) w[i] = q[v.at[i] * var];
    }
    if (!warm) w[4] = w[0] * (r.gas.cs * r.gas.cs);
    return d;
}

/* Two faces across an axis, each the upper or the lower one of its cell at q, whose variables lie
 * var apart. */
struct face_pair {
    const sl_real *q[2];
    bool upper[2];
    int var;
    struct near near;
};

/* Values at both faces of a pair. One branch for both leaves the compiler free to mix the
 * reconstruction of one with that of the other. */
template <int METHOD, int LIMITER, int N>
__device__ __forceinline__ void faces_at(const struct run_args &r, const struct face_pair &f,
                                         struct order<N> v, struct limited (&d)[2], sl_real (&a)[N],
                                         sl_real (&b)[N])
{
    d[0] = d[1] = {true, 0};
    face_reconstructed<METHOD, LIMITER>(r, f.q[0], f.var, v, f.near, f.upper[0], a);
    face_reconstructed<METHOD, LIMITER>(r, f.q[1], f.var, v, f.near, f.upper[1], b);
    if (may_limit<METHOD, LIMITER>(r, f.q[0], f.var, v, f.near) |
        may_limit<METHOD, LIMITER>(r, f.q[1], f.var, v, f.near)) {
        d[0] = limits_at<METHOD, LIMITER>(r, f.q[0], f.var, v, f.near);
        d[1] = f.q[1] == f.q[0] ? d[0] : limits_at<METHOD, LIMITER>(r, f.q[1], f.var, v, f.near);
        face_limited(r, f.q[0], f.var, v, d[0], a);
        face_limited(r, f.q[1], f.var, v, d[1], b);
    }
    int next[2] = {f.upper[0] ? f.near.d : f.near.b, f.upper[1] ? f.near.d : f.near.b};
    d[0] = face_mended<METHOD, LIMITER>(r, f.q[0], f.var, v, next[0], d[0], a);
    d[1] = face_mended<METHOD, LIMITER>(r, f.q[1], f.var, v, next[1], d[1], b);
}

/* Values at one face of the cell at q. */
template <int METHOD, int LIMITER, int N>
__device__ __forceinline__ struct limited face_at(const struct run_args &r, const sl_real *q,
                                                  int var, struct order<N> v, struct near o,
                                                  bool upper, sl_real (&w)[N])
{
    struct limited d = {true, 0};
    face_reconstructed<METHOD, LIMITER>(r, q, var, v, o, upper, w);
    if (may_limit<METHOD, LIMITER>(r, q, var, v, o)) {
        d = limits_at<METHOD, LIMITER>(r, q, var, v, o);
        face_limited(r, q, var, v, d, w);
    }
    return face_mended<METHOD, LIMITER>(r, q, var, v, upper ? o.d : o.b, d, w);
}

/* The same for an extra variable at q, which shares what became of the others. */
template <int METHOD, int LIMITER>
__device__ __forceinline__ sl_real extra_side(const struct run_args &r, const sl_real *q,
                                              struct near o, bool upper, struct limited d)
{
    if (!d.good) return q[0];
    sl_real w = side<METHOD, LIMITER>(r, q, o, upper);
    return d.share > 0 ? sl_shock_limited(d.share, q[0], w) : w;
}

/* Falls of the velocities along a face across `axis`, in the cell whose first velocity is at q:
 * those along the other axes, whose neighbours lie step apart below and above. */
__device__ __forceinline__ sl_real compression_at(const struct run_args &r, int axis,
                                                  const sl_real *q, int var, const int (&below)[3],
                                                  const int (&above)[3], sl_real compression)
{
#pragma unroll
    for (int t = 0; t < 3; t++) {
        if (t == axis || t >= r.dim) continue;
        const sl_real *v = q + (SL_MX + t) * var;
        compression = sl_max(compression, sl_max(v[below[t]] - v[0], v[0] - v[above[t]]));
    }
    return compression;
}

/* Flux between two states. A literal solver leaves one of the cases. */
__device__ __forceinline__ void flux_of(int solver, const struct sl_gas *gas, const sl_real (&l)[5],
                                        const sl_real (&r)[5], sl_real (&f)[5])
{
    struct sl_cons c = sl_riemann(solver, gas, gas_of(l), gas_of(r));
    f[0] = c.rho, f[1] = c.mx, f[2] = c.my, f[3] = c.mz, f[4] = c.en;
}

__device__ __forceinline__ struct sl_mhd_cons mhd_flux(int solver, const struct sl_gas *gas,
                                                       sl_real bn, struct sl_mhd_prim l,
                                                       struct sl_mhd_prim r)
{
    switch (solver) {
#define CASE_mhd(name)                                                                             \
    case SL_RIEMANN_##name:                                                                        \
        return sl_mhd_##name(gas, bn, l, r);
#define CASE_both(name) CASE_mhd(name)
#define CASE_gas(name)
#define CASE(name, physics, ...) CASE_##physics(name)
        SL_RIEMANN_LIST(CASE)
#undef CASE
#undef CASE_gas
#undef CASE_both
#undef CASE_mhd
    default:
        return sl_mhd_llf(gas, bn, l, r);
    }
}

__device__ __forceinline__ void flux_of(int solver, const struct sl_gas *gas, const sl_real (&l)[9],
                                        const sl_real (&r)[9], sl_real (&f)[9])
{
    struct sl_mhd_normal m = sl_mhd_normal(gas->ch, l[5], r[5], l[8], r[8]);
    struct sl_mhd_cons c = mhd_flux(solver, gas, m.bn, plasma_of(l), plasma_of(r));
    f[0] = c.rho, f[1] = c.mx, f[2] = c.my, f[3] = c.mz, f[4] = c.en;
    f[5] = m.psi, f[6] = c.by, f[7] = c.bz, f[8] = gas->ch * gas->ch * m.bn;
}

__device__ __forceinline__ void flux_of(int solver, const struct sl_gas *gas, const sl_real (&l)[8],
                                        const sl_real (&r)[8], sl_real (&f)[8])
{
    struct sl_mhd_cons c = mhd_flux(solver, gas, l[5], plasma_of(l), plasma_of(r));
    f[0] = c.rho, f[1] = c.mx, f[2] = c.my, f[3] = c.mz, f[4] = c.en;
    f[5] = 0, f[6] = c.by, f[7] = c.bz;
}

/* A cell: gas with all energy, and field. */
struct cell {
    struct sl_cons c;
    sl_real b[3];
};

/* Of values that lie step apart. */
__device__ __forceinline__ struct cell cell_of(const struct run_args &r, const sl_real *u,
                                               ptrdiff_t step)
{
    struct cell w = {{u[0], u[step], u[2 * step], u[3 * step], 0}, {0, 0, 0}};
    if (r.gas.eos != SL_EOS_isothermal) w.c.en = u[4 * step];
    for (int d = 0; d < 3 && r.layout.magnetic >= 0; d++)
        w.b[d] = u[(r.layout.magnetic + d) * step];
    return w;
}

/* Primitive state of the gas of a cell. entropy: of it, where the layout has one. */
__device__ __forceinline__ struct sl_prim gas_with(const struct run_args &r, const struct cell &a,
                                                   sl_real entropy)
{
    struct sl_prim w = r.layout.magnetic < 0
                           ? sl_cons_to_prim(&r.gas, a.c)
                           : sl_mhd_prim(&r.gas, a.c, sl_square3(a.b[0], a.b[1], a.b[2]));
    if (r.layout.entropy >= 0) w.p = sl_entropy_to_pressure(&r.gas, a.c.rho, entropy);
    return w;
}

/* The same of a cell whose values lie step apart at u. */
__device__ __forceinline__ struct sl_prim gas_in(const struct run_args &r, const struct cell &a,
                                                 const sl_real *u, ptrdiff_t step)
{
    return gas_with(r, a, r.layout.entropy >= 0 ? u[r.layout.entropy * step] : 0);
}

/* Primitive values, `var` apart at q, of the cell at u, whose values lie step apart; those of extra
 * variables are left out. */
__device__ __forceinline__ void prim_without_extras(const struct run_args &r, const sl_real *u,
                                                    ptrdiff_t step, sl_real entropy, sl_real *q,
                                                    int var)
{
    struct cell a = cell_of(r, u, step);
    int m = r.layout.magnetic;
    struct sl_prim w = gas_with(r, a, entropy);
    q[0] = w.rho;
    q[var] = w.u;
    q[2 * var] = w.v;
    q[3 * var] = w.w;
    if (r.gas.eos != SL_EOS_isothermal) q[4 * var] = w.p;
    for (int d = 0; d < 3 && m >= 0; d++)
        q[(m + d) * var] = a.b[d];
    if (m >= 0 && r.layout.face < 0) q[(m + 3) * var] = u[(m + 3) * step];
}

__device__ __forceinline__ void prim_of(const struct run_args &r, const sl_real *u, ptrdiff_t step,
                                        sl_real *q, int var)
{
    prim_without_extras(r, u, step, r.layout.entropy >= 0 ? u[r.layout.entropy * step] : 0, q, var);
    for (int v = r.extra; v < r.nflow; v++)
        q[v * var] = u[v * step] / u[0];
}

/* sl_dual_part of the cell at u, of the axis a across which it has these fluxes. */
__device__ __forceinline__ struct sl_dual_part dual_part(const struct run_args &r, const sl_real *u,
                                                         int a, struct sl_dual_faces f)
{
    const sl_real m[3] = {u[(SL_MX + a) * r.var], u[(SL_MX + (a + 1) % 3) * r.var],
                          u[(SL_MX + (a + 2) % 3) * r.var]};
    return sl_dual_part(u[0], m, sl_dual_stiff(&r.gas, &r.layout, u, (size_t)r.var), f);
}

/* sl_dual_agree of the cell at u. */
__device__ __forceinline__ void agree(const struct run_args &r, sl_real spread, sl_real *u)
{
    sl_dual_agree(&r.gas, &r.layout, r.dual_eta, spread, u, (size_t)r.var);
}

/* The same where the field of the cell is made after its fluxes: ct.cu finds the spread in the
 * place of the new field at the lower face along x, which it makes then. */
__device__ __forceinline__ void agree_later(const struct run_args &r, sl_real spread, sl_real *u)
{
    u[r.layout.face * r.var] = spread;
}

template <int N>
__device__ __forceinline__ void agree_or_later(const struct run_args &r, sl_real spread, sl_real *u)
{
    if (N == 8)
        agree_later(r, spread, u);
    else
        agree(r, spread, u);
}

struct signal {
    sl_real bad, rate_max, rate_sum;
};

__device__ __forceinline__ void signal_join(sl_real x, sl_real y, sl_real z, sl_real sum,
                                            struct signal *s)
{
    sl_real most = sl_max(x, sl_max(y, z));
    s->rate_max = sl_max(most, s->rate_max);
    s->rate_sum = sl_max(sum, s->rate_sum);
}

__device__ __forceinline__ void signal_gas(const struct run_args &r, const sl_real per_dx[3],
                                           int speeds, struct sl_cons c, struct signal *s)
{
    if (sl_bad_state(&r.gas, c)) s->bad = 1;
    if (!speeds) return;
    struct sl_prim w = sl_cons_to_prim(&r.gas, c);
    sl_real cs = sl_sound_speed(&r.gas, w.rho, w.p);
    sl_real x = (sl_abs(w.u) + cs) * per_dx[0], y = (sl_abs(w.v) + cs) * per_dx[1];
    sl_real z = (sl_abs(w.w) + cs) * per_dx[2];
    signal_join(x, y, z, sl_sum3(x, y, z), s);
}

__device__ __forceinline__ void signal_mhd(const struct run_args &r, const sl_real per_dx[3],
                                           int speeds, struct cell a, struct signal *s)
{
    sl_real x2 = a.b[0] * a.b[0], y2 = a.b[1] * a.b[1], z2 = a.b[2] * a.b[2];
    sl_real b2 = sl_sum3(x2, y2, z2);
    struct sl_cons g = a.c;
    if (r.gas.eos != SL_EOS_isothermal) g.en = a.c.en - (sl_real)0.5 * b2;
    if (sl_bad_state(&r.gas, g) | !(b2 < (sl_real)HUGE_VAL)) s->bad = 1;
    if (!speeds) return;
    struct sl_prim w = sl_mhd_prim(&r.gas, a.c, b2);
    sl_real x = (sl_abs(w.u) + sl_fast_speed(&r.gas, w.rho, w.p, x2, y2 + z2)) * per_dx[0];
    sl_real y = (sl_abs(w.v) + sl_fast_speed(&r.gas, w.rho, w.p, y2, z2 + x2)) * per_dx[1];
    sl_real z = (sl_abs(w.w) + sl_fast_speed(&r.gas, w.rho, w.p, z2, x2 + y2)) * per_dx[2];
    signal_join(x, y, z, sl_sum3(x, y, z), s);
}

__device__ __forceinline__ void signal_add(const struct run_args &r, const sl_real per_dx[3],
                                           int speeds, struct cell a, struct signal *s)
{
    if (r.layout.magnetic >= 0)
        signal_mhd(r, per_dx, speeds, a, s);
    else
        signal_gas(r, per_dx, speeds, a.c, s);
}

__device__ __forceinline__ void most_add(unsigned long long *most, sl_real x)
{
    unsigned warp = __activemask(), lane = threadIdx.x & 31;
    for (unsigned by = 16; by > 0; by /= 2) {
        sl_real other = __shfl_xor_sync(warp, x, (int)by);
        if (warp >> (lane ^ by) & 1) x = sl_max(other, x); /* a warp may be shorter */
    }
    unsigned long long bits = (unsigned long long)__double_as_longlong((double)x);
    if (bits > *(volatile unsigned long long *)most) atomicMax(most, bits);
}

/* All threads of the warp must come here. */
__device__ __forceinline__ void signal_put(unsigned long long *signal, struct signal s)
{
    most_add(signal, s.bad);
    most_add(signal + 1, s.rate_max);
    most_add(signal + 2, s.rate_sum);
}

/* Where the signals of covered blocks go, from those of the leaves: they bound no step. */
enum { COVERED = 4 };

/* What a kernel knows when it is compiled besides the scheme: nothing, or three dimensions, no
 * extra variables and the equation of state; small: likewise of an ideal gas, with tiles that small
 * blocks fill; extras: an ideal gas in three dimensions with any number of extra variables
 * (scalars, the entropy of dual energy). Open: of the scheme but the method, and it takes what the
 * others do not know (flatten, waves, compression). */
enum kind {
    KIND_ANY,
    KIND_IDEAL,
    KIND_ISOTHERMAL,
    KIND_SMALL,
    KIND_EXTRAS,
    KINDS,
    KIND_OPEN = KINDS
};

__host__ __device__ constexpr bool knows(int kind)
{
    return kind != KIND_ANY && kind != KIND_OPEN;
}

/* Whether there may be extra variables. */
__host__ __device__ constexpr bool takes_extras(int kind)
{
    return !knows(kind) || kind == KIND_EXTRAS;
}

/* Columns of a tile, and tiles that a multiprocessor should hold at once: as many as its registers
 * and, in double precision, its shared memory (228 kB) have room for. helpers: threads that load
 * the next plane while the others compute, and compute the fluxes at the upper edges of the tile;
 * whole warps, beside those of the columns. With constrained transport one more column is made at
 * each side of a block: 18 are what blocks of 16 and 32 cells need, 26 by 6, 12 or 13 leave few
 * lanes idle where a block has 128 or 256. Without a field, ppm and wenoz in double precision have
 * 32 by 16, and 16 by 8 for blocks that these would not fill. All are an even number wide
 * (plane_load_pairs). */
struct shape {
    int wide, high, blocks, helpers;
};

__host__ __device__ constexpr struct shape tile_of_kernel(int reach, int field, int kind)
{
    bool single = sizeof(sl_real) == sizeof(float);
    if (kind == KIND_SMALL && field == FIELD_STAGGERED) return shape{18, 7, single ? 4 : 3, 32};
    if (kind == KIND_SMALL) return single ? shape{16, 8, 4, 32} : shape{16, 8, 3, 0};
    if (kind == KIND_OPEN) return shape{16, 8, 2, 0};
    if (reach < 2 && knows(kind) && field == FIELD_STAGGERED)
        return shape{26, 6, single ? 3 : 2, 32};
    if (reach < 2 && field) return single ? shape{16, 8, 4, 32} : shape{16, 10, 2, 32};
    if (reach < 2) return shape{16, 8, single ? 7 : 4, 0};
    if (knows(kind) && field == FIELD_STAGGERED)
        return single ? shape{26, 12, 2, 0} : shape{26, 13, 1, 0};
    if (field) return single ? shape{16, 16, 2, 0} : shape{16, 16, 1, 0};
    return single ? shape{16, 8, 4, 32} : shape{32, 16, 1, 0};
}

__host__ __device__ constexpr int threads_of(struct shape s)
{
    return s.helpers > 0 ? (s.wide * s.high + 31) / 32 * 32 + s.helpers : s.wide * s.high;
}

/* Planes at each side of the first that a tile begins with. What open kernels look at beside a face
 * lies beyond the plane, also where the values at faces need no neighbours. */
__host__ __device__ constexpr int planes_beside(int reach, int kind)
{
    return kind == KIND_OPEN && reach < 1 ? 1 : reach;
}

/* Planes that a tile keeps: those that the faces above one plane need, and the one that helpers
 * load meanwhile; open kernels also the one below. */
__host__ __device__ constexpr int slots_of(int reach, int helpers, int kind)
{
    int beside = planes_beside(reach, kind), least = beside > 0 ? 2 * beside + 1 : 2;
    return kind == KIND_OPEN && least < beside + 3 ? beside + 3 : least + (helpers > 0);
}

/* Whether a kernel takes tiles in an order of their own, and blocks whose rows are odd. */
struct takes {
    bool order, odd_rows;
};

/* A kernel of a stage, and the runs that it is for: rows of gpu/kernels.def. */
typedef void stage_kernel(const struct stage_args);
struct kernel {
    int method, limiter, solver, field, kind; /* limiter, solver: CHOSEN, the kernel takes any */
    struct takes takes;
    stage_kernel *start; /* NULL ends a list */
};

#endif
