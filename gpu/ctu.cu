/* ctu.cu - corner transport upwind on a line or a plane, as core/sweep/sweep_ctu.c has it; see
 * device.h.
 *
 * A kernel per pass over the cells of all blocks and those around them; what the passes hand on
 * lies in device memory. With a field, the fluxes, E_z in cells and the ways of the gas lie in
 * struct emf_terms, from which ct.cu makes the field at the end of the step. */
#include "core/cell/predict.h"
#include "core/cell/repair.h"
#include "gpu/inside.cuh"

enum { HALO = 2 }; /* cells beyond the block that have first fluxes */

struct ctu_args {
    struct run_args run;
    struct sl_device_stage s;
    struct emf_terms emf;
    const sl_real *flags;  /* NULL: none */
    const unsigned *walls; /* [nblock] */
    /* [nblock][nflow][nt1][nt0], ghosts included: primitive values; values at the faces along both
     * axes; fluxes at the lower ones; half: [nblock][2][nt1][nt0], the field at lower faces after
     * half a step. */
    sl_real *prim, *minus[2], *plus[2], *flux[2], *half;
    unsigned long long *signal; /* NULL: not wanted */
};

/* Cells from lo on, counted from the first of the block. */
struct range {
    int lo[2], n[2];
};

/* A cell of a block: its place in a variable, and where variables of kinds of fields begin. */
struct spot {
    int i, j;
    ptrdiff_t at, flow; /* in fields of nflow variables */
    const sl_real *u;   /* the cell in the state */
    size_t block;
};

static __device__ bool spot_of(const struct ctu_args &a, struct range w, struct spot *s)
{
    const struct run_args &r = a.run;
    size_t e = this_cell(), row = e / (size_t)w.n[0];
    s->block = row / (size_t)w.n[1];
    s->i = (int)(e % (size_t)w.n[0]) + w.lo[0];
    s->j = (int)(row % (size_t)w.n[1]) + w.lo[1];
    s->at = (ptrdiff_t)(s->j + r.g[1]) * r.nt[0] + s->i + r.g[0];
    s->flow = (ptrdiff_t)s->block * r.nflow * r.var + s->at;
    s->u = a.s.u + (ptrdiff_t)s->block * r.nvar * r.var + s->at;
    return s->block < (size_t)r.nblock;
}

static __device__ __forceinline__ ptrdiff_t step_of(const struct run_args &r, int axis)
{
    return axis == 0 ? 1 : r.nt[0];
}

/* The field across the lower face of a cell along an axis. */
static __device__ __forceinline__ const sl_real *face_of(const struct run_args &r,
                                                         const struct spot &s, int axis)
{
    return s.u + (r.layout.face + axis) * r.var;
}

/* ---- values, turned so that an axis comes first ---------------------------------------------- */

template <int N>
static __device__ __forceinline__ void take(const struct run_args &r, const sl_real *from, int axis,
                                            sl_real (&w)[N])
{
    struct order<N> v = order_of<N>(r, axis);
#pragma unroll
    for (int i = 0; i < N; i++)
        if (is_value(r, i)) w[i] = from[v.at[i] * r.var];
    if (r.gas.eos == SL_EOS_isothermal) w[4] = w[0] * (r.gas.cs * r.gas.cs);
}

template <int N>
static __device__ __forceinline__ void put(const struct run_args &r, const sl_real (&w)[N],
                                           int axis, sl_real *to)
{
    struct order<N> v = order_of<N>(r, axis);
#pragma unroll
    for (int i = 0; i < N; i++)
        if (is_value(r, i)) to[v.at[i] * r.var] = w[i];
}

/* Change of a state in time by a slope; dbn: of the field across over the cell. */
static __device__ __forceinline__ void change_of(const struct run_args &r, int axis,
                                                 const sl_real (&q)[5], const sl_real (&d)[5],
                                                 sl_real dbn, sl_real (&m)[5])
{
    (void)axis, (void)dbn;
    struct sl_prim p = sl_predict_gas(&r.gas, gas_of(q), gas_of(d));
    m[0] = p.rho, m[1] = p.u, m[2] = p.v, m[3] = p.w, m[4] = p.p;
}

static __device__ __forceinline__ void change_of(const struct run_args &r, int axis,
                                                 const sl_real (&q)[8], const sl_real (&d)[8],
                                                 sl_real dbn, sl_real (&m)[8])
{
    struct sl_mhd_prim p = sl_predict(&r.gas, axis == 0, q[5], dbn, plasma_of(q), plasma_of(d));
    m[0] = p.rho, m[1] = p.u, m[2] = p.v, m[3] = p.w, m[4] = p.p;
    m[5] = 0, m[6] = p.by, m[7] = p.bz;
}

/* ---- half a step along one axis -------------------------------------------------------------- */

static __global__ void primitive(struct ctu_args a, struct range w)
{
    struct spot s;
    if (spot_of(a, w, &s)) prim_of(a.run, s.u, a.run.var, a.prim + s.flow, (int)a.run.var);
}

/* What half a step of the acceleration along an axis gives to the velocity of a cell. */
static __device__ __forceinline__ sl_real kick_at(const struct ctu_args &a, const struct spot &s,
                                                  int axis)
{
    sl_real by = sl_update_kick((sl_real)0.5, a.s.dt, a.run.gravity[axis]);
    return sl_mirror_acceleration(by, a.walls[s.block], axis, axis ? s.j : s.i, a.run.n[axis]);
}

/* On the values at both faces along an axis: all components, as the corrections are of fluxes
 * alone. */
static __device__ void add_gravity_to_faces(const struct ctu_args &a, const struct spot &s,
                                            int axis)
{
    for (int d = 0; d < a.run.dim; d++) {
        if (a.run.gravity[d] == 0) continue;
        sl_real by = kick_at(a, s, d);
        a.minus[axis][s.flow + (1 + d) * a.run.var] += by;
        a.plus[axis][s.flow + (1 + d) * a.run.var] += by;
    }
}

/* What is added to a value at the lower and at the upper face of a cell; CURVED: with the
 * parabola. */
struct moves {
    sl_real low, high;
};

template <bool CURVED>
static __device__ __forceinline__ moves moves_of(sl_real half, sl_real slope, sl_real curve,
                                                 sl_real twice)
{
    if constexpr (CURVED)
        return {sl_predict_low(half, slope, curve, twice),
                sl_predict_high(half, slope, curve, twice)};
    sl_real chord = half * slope;
    return {chord, chord};
}

/* 1 where both values stay positive. */
static __device__ __forceinline__ bool stays(sl_real a, sl_real b, moves m)
{
    return a + m.low > 0 && b + m.high > 0;
}

/* The changes that the curves of a cell make, once and twice; the field across a face has no
 * curve. */
template <int N>
static __device__ __forceinline__ void
curves_of(const struct run_args &r, int axis, const sl_real (&q)[N], const sl_real (&low)[N],
          const sl_real (&high)[N], sl_real (&c)[N], sl_real (&t)[N])
{
    sl_real six[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        six[i] = sl_predict_curve(q[i], low[i], high[i]);
    change_of(r, axis, q, six, 0, c);
    change_of(r, axis, q, c, 0, t);
}

template <int METHOD, int N>
static __device__ void predict_along(const struct ctu_args &a, const struct spot &s, int axis)
{
    const struct run_args &r = a.run;
    const sl_real *q = a.prim + s.flow;
    sl_real *minus = a.minus[axis] + s.flow, *plus = a.plus[axis] + s.flow;
    constexpr bool CURVED = METHOD == SL_RECONSTRUCT_ppm || METHOD == SL_RECONSTRUCT_wenoz;
    sl_real half = (sl_real)0.5 * a.s.dt_dx[axis], here[N], low[N], high[N], d[N], m[N], c[N] = {},
            t[N] = {}, bn[2] = {0, 0};
    struct order<N> v = order_of<N>(r, axis);
    struct near near = near_of((int)step_of(r, axis));
    int var = (int)r.var;
    struct limited limited[2];
    struct face_pair pair = {{q, q}, {false, true}, var, near};
    faces_at<METHOD, CHOSEN>(r, pair, v, limited, low, high);
    for (int e = r.extra; e < r.nflow; e++) {
        sl_real l = extra_side<METHOD, CHOSEN>(r, q + e * r.var, near, false, limited[0]);
        sl_real h = extra_side<METHOD, CHOSEN>(r, q + e * r.var, near, true, limited[1]);
        sl_real u = q[(1 + axis) * r.var], by = -half * u * (h - l);
        sl_real curve = -u * sl_predict_curve(q[e * r.var], l, h);
        moves move = {by, by};
        if constexpr (CURVED) move = moves_of<true>(half, -u * (h - l), curve, -u * curve);
        minus[e * r.var] = l + move.low;
        plus[e * r.var] = h + move.high;
    }
    if (N == 8) bn[0] = *face_of(r, s, axis), bn[1] = face_of(r, s, axis)[step_of(r, axis)];
    values_at(r, q, var, v, here);
#pragma unroll
    for (int i = 0; i < N; i++)
        d[i] = high[i] - low[i];
    change_of(r, axis, here, d, bn[1] - bn[0], m);
    if constexpr (CURVED) curves_of(r, axis, here, low, high, c, t);
    bool good = stays(low[0], high[0], moves_of<CURVED>(half, m[0], c[0], t[0]));
    if (is_value(r, 4))
        good = good && stays(low[4], high[4], moves_of<CURVED>(half, m[4], c[4], t[4]));
    half = good ? half : 0;
    moves steep = {sl_predict_steepen(half, here[1], low[1], d[1]),
                   sl_predict_steepen(half, here[1], high[1], d[1])};
#pragma unroll
    for (int i = 0; i < N; i++) {
        moves move = moves_of<CURVED>(half, m[i], c[i], t[i]);
        low[i] = low[i] + move.low, high[i] = high[i] + move.high;
    }
    low[1] = low[1] + steep.low, high[1] = high[1] + steep.high;
    if (N == 8) high[5] = bn[1];
    put(r, low, axis, minus);
    put(r, high, axis, plus);
    if (r.has_gravity) add_gravity_to_faces(a, s, axis);
}

/* Values at the faces of cells; with a field also E_z in them. */
template <int METHOD, int N> static __global__ void predict(struct ctu_args a, struct range w)
{
    const struct run_args &r = a.run;
    struct spot s;
    if (!spot_of(a, w, &s)) return;
    for (int axis = 0; axis < r.dim; axis++)
        predict_along<METHOD, N>(a, s, axis);
    if (N != 8 || r.dim < 2) return;
    const sl_real *v = a.prim + s.flow + SL_MX * r.var,
                  *b = a.prim + s.flow + r.layout.magnetic * r.var;
    a.emf.value[((ptrdiff_t)s.block * EDGE_VALUES + EDGE_CELL + 2) * r.var + s.at] =
        sl_ct_cell(v[0], v[r.var], b[0], b[r.var]);
}

/* ---- fluxes ---------------------------------------------------------------------------------- */

/* sl_gas.compression at the lower face of a cell along an axis of a plane. */
static __device__ __forceinline__ sl_real compression_at_face(const struct ctu_args &a,
                                                              const struct spot &s, int axis)
{
    const int row = a.run.nt[0], below[3] = {-1, -row, 0}, above[3] = {1, row, 0};
    const sl_real *q = a.prim + s.flow;
    sl_real low =
        compression_at(a.run, axis, q - step_of(a.run, axis), (int)a.run.var, below, above, 0);
    return compression_at(a.run, axis, q, (int)a.run.var, below, above, low);
}

/* Flux at the lower face of a cell along an axis, from the values on both sides; with a field also
 * for the edges. */
template <int N>
static __device__ void flux_along(const struct ctu_args &a, const struct spot &s, int axis)
{
    const struct run_args &r = a.run;
    ptrdiff_t step = step_of(r, axis);
    const sl_real *below = a.plus[axis] + s.flow - step, *above = a.minus[axis] + s.flow;
    const sl_real *flag = a.flags ? a.flags + (ptrdiff_t)s.block * r.var + s.at : NULL;
    bool safe = flag && sl_repair_is_safe(flag[-step], flag[0]);
    sl_real l[N], h[N], f[N], *to = a.flux[axis] + s.flow;
    if (safe) above = a.prim + s.flow, below = above - step;
    take(r, below, axis, l);
    take(r, above, axis, h);
    if (N == 8 && safe) l[5] = *face_of(r, s, axis);
    struct sl_gas gas = r.gas;
    if (r.needs_compression) gas.compression = compression_at_face(a, s, axis);
    flux_of(safe ? (int)SL_RIEMANN_llf : r.solver, &gas, l, h, f);
    put(r, f, axis, to);
    for (int e = r.extra; e < r.nflow; e++)
        to[e * r.var] = f[0] * (f[0] > 0 ? below[e * r.var] : above[e * r.var]);
    if (N != 8 || r.dim < 2) return;
    sl_real *flux = a.emf.value + ((ptrdiff_t)s.block * EDGE_VALUES + 2 * axis) * r.var + s.at;
    flux[0] = f[6];
    flux[r.var] = f[7];
    const sl_real *rho = a.prim + s.flow;
    a.emf.upwind[((ptrdiff_t)s.block * 3 + axis) * r.var + s.at] =
        (signed char)sl_ct_upwind_side(f[0], a.s.dt_dx[axis], rho[-step], rho[0]);
}

/* At the faces of the cells of a range between two of them. */
template <int N>
static __global__ void __launch_bounds__(THREADS, !SINGLE  ? 1
                                                  : N == 8 ? 2
                                                           : 4)
    fluxes(struct ctu_args a, struct range w)
{
    const struct run_args &r = a.run;
    struct spot s;
    if (!spot_of(a, w, &s)) return;
    if (s.i > w.lo[0]) flux_along<N>(a, s, 0);
    if (r.dim > 1 && s.j > w.lo[1]) flux_along<N>(a, s, 1);
}

/* ---- the field after half a step ------------------------------------------------------------- */

/* At the lower faces of cells. */
static __global__ void halfway(struct ctu_args a, struct range w)
{
    const struct run_args &r = a.run;
    const ptrdiff_t step[3] = {1, r.nt[0], 0};
    struct spot s;
    if (!spot_of(a, w, &s)) return;
    struct emf_terms emf = {a.emf.value + (ptrdiff_t)s.block * EDGE_VALUES * r.var,
                            a.emf.upwind + (ptrdiff_t)s.block * 3 * r.var};
    sl_real *to = a.half + (ptrdiff_t)s.block * 2 * r.var + s.at;
    sl_real here = electric(r, emf, step, 2, s.at);
    if (s.j <= r.n[1]) {
        sl_real over = electric(r, emf, step, 2, s.at + step[1]);
        to[0] = *face_of(r, s, 0) - (over - here) * ((sl_real)0.5 * a.s.dt_dx[1]);
    }
    if (s.i <= r.n[0]) {
        sl_real next = electric(r, emf, step, 2, s.at + 1);
        to[r.var] = *face_of(r, s, 1) - (0 - (next - here) * ((sl_real)0.5 * a.s.dt_dx[0]));
    }
}

/* E_z in a cell. */
static __device__ sl_real electric_halfway(const struct ctu_args &a, const struct spot &s)
{
    const struct run_args &r = a.run;
    const sl_real *x = a.flux[0] + s.flow, *y = a.flux[1] + s.flow, half = (sl_real)0.5;
    const sl_real *b = a.half + (ptrdiff_t)s.block * 2 * r.var + s.at;
    sl_real c[3];
    for (int v = 0; v < 3; v++)
        c[v] = s.u[v * r.var] - (half * a.s.dt_dx[0] * (x[v * r.var + 1] - x[v * r.var]) +
                                 half * a.s.dt_dx[1] * (y[v * r.var + r.nt[0]] - y[v * r.var]));
    sl_real inv = 1 / c[0], mx = half * (b[0] + b[1]), my = half * (b[r.var] + b[r.var + r.nt[0]]);
    return sl_ct_cell(c[1] * inv + kick_at(a, s, 0), c[2] * inv + kick_at(a, s, 1), mx, my);
}

/* ---- corrections ----------------------------------------------------------------------------- */

/* What corrects the values at a face of a cell: half of dt / dx along the face's axis and the other
 * one, and the difference of the fluxes along the latter. */
template <int N> struct correction {
    sl_real mine, half, flux[N];
};

static __device__ __forceinline__ void correct(const struct ctu_args &a, const struct spot &s,
                                               int axis, bool up, const struct correction<5> &with,
                                               sl_real (&w)[5])
{
    (void)s, (void)axis, (void)up;
    struct sl_cons c = {with.flux[0], with.flux[1], with.flux[2], with.flux[3], with.flux[4]};
    struct sl_prim p = sl_correct_gas(&a.run.gas, c, gas_of(w));
    w[0] = p.rho, w[1] = p.u, w[2] = p.v, w[3] = p.w, w[4] = p.p;
}

static __device__ __forceinline__ void correct(const struct ctu_args &a, const struct spot &s,
                                               int axis, bool up, const struct correction<8> &with,
                                               sl_real (&w)[8])
{
    const struct run_args &r = a.run;
    const sl_real *across = face_of(r, s, axis), *f = with.flux;
    ptrdiff_t next = step_of(r, axis);
    sl_real q[8];
    take(r, a.prim + s.flow, axis, q);
    struct sl_correction c;
    struct sl_mhd_cons flux = {
        f[0], f[1], f[2], f[3], f[4], axis == 0 ? 0 : f[6], axis == 0 ? f[7] : 0};
    c.flux = flux;
    c.dbn = with.mine * (across[next] - across[0]);
    c.up = axis == 0 ? q[3] : q[2];
    c.bx = q[5], c.by = q[6], c.bz = q[7];
    c.bn_old = across[up ? next : 0];
    c.bn_new = a.half[((ptrdiff_t)s.block * 2 + axis) * r.var + s.at + (up ? next : 0)];
    struct sl_mhd_prim p = sl_correct(&r.gas, axis == 0, c, plasma_of(w));
    w[0] = p.rho, w[1] = p.u, w[2] = p.v, w[3] = p.w, w[4] = p.p;
    w[5] = c.bn_new, w[6] = p.by, w[7] = p.bz;
}

/* As densities: the flux along the other axis carries the extra variables; before the density is
 * corrected. */
static __device__ void correct_extras(const struct run_args &r, sl_real half, const sl_real *f,
                                      ptrdiff_t step, sl_real *w)
{
    for (int e = r.extra; e < r.nflow; e++) {
        sl_real *q = w + e * r.var, now = w[0] - half * (f[step] - f[0]);
        sl_real carried = w[0] * *q - half * (f[e * r.var + step] - f[e * r.var]);
        *q = now > 0 ? carried / now : *q;
    }
}

/* Where the thermal energy is a small difference the pressure comes from the entropy. */
static __device__ void correct_dual(const struct run_args &r, sl_real *w)
{
    sl_real rho = w[0], field = 0, p = w[4 * r.var], heat = p / (r.gas.gamma - 1);
    sl_real v2 = sl_speed_squared(w[r.var], w[2 * r.var], w[3 * r.var]);
    const sl_real *b = w + r.layout.magnetic * r.var;
    if (r.layout.magnetic >= 0)
        field = (sl_real)0.5 * sl_speed_squared(b[0], b[r.var], b[2 * r.var]);
    sl_real total = (heat + (sl_real)0.5 * rho * v2) + field;
    if (sl_entropy_rules(&r.gas, total, p, r.dual_eta))
        w[4 * r.var] = sl_entropy_to_pressure(&r.gas, rho, rho * w[r.layout.entropy * r.var]);
}

template <int N>
static __device__ void correct_face(const struct ctu_args &a, const struct spot &s, int axis,
                                    bool up, const struct correction<N> &with)
{
    const struct run_args &r = a.run;
    sl_real *w = (up ? a.plus : a.minus)[axis] + s.flow, value[N];
    correct_extras(r, with.half, a.flux[1 - axis] + s.flow, step_of(r, 1 - axis), w);
    take(r, w, axis, value);
    correct(a, s, axis, up, with, value);
    put(r, value, axis, w);
    if (r.layout.entropy >= 0) correct_dual(r, w);
}

/* The values at the faces of cells; with a field also E_z in them after half a step. */
template <int N> static __global__ void corrections(struct ctu_args a, struct range w)
{
    const struct run_args &r = a.run;
    struct spot s;
    if (!spot_of(a, w, &s)) return;
    if (N == 8)
        a.emf.value[((ptrdiff_t)s.block * EDGE_VALUES + EDGE_CELL + 2) * r.var + s.at] =
            electric_halfway(a, s);
    for (int axis = 0; axis < 2; axis++) {
        struct correction<N> with;
        with.mine = (sl_real)0.5 * a.s.dt_dx[axis];
        with.half = (sl_real)0.5 * a.s.dt_dx[1 - axis];
        sl_real lower[N], upper[N];
        take(r, a.flux[1 - axis] + s.flow, axis, lower);
        take(r, a.flux[1 - axis] + s.flow + step_of(r, 1 - axis), axis, upper);
#pragma unroll
        for (int i = 0; i < N; i++)
            with.flux[i] = is_value(r, i) ? with.half * (upper[i] - lower[i]) : 0;
        correct_face<N>(a, s, axis, false, with);
        correct_face<N>(a, s, axis, true, with);
    }
}

/* ---- the step -------------------------------------------------------------------------------- */

/* What the acceleration adds to a cell: on the density after half the step, its work on the mass
 * that crosses the faces. */
static __device__ void add_gravity(const struct ctu_args &a, const struct spot &s, sl_real *out)
{
    const struct run_args &r = a.run;
    sl_real rho = s.u[0];
    for (int axis = 0; axis < r.dim; axis++) {
        const sl_real *mass = a.flux[axis] + s.flow;
        rho = sl_update_half_density(rho, a.s.dt_dx[axis], mass[0], mass[step_of(r, axis)]);
    }
    for (int axis = 0; axis < r.dim; axis++) {
        if (r.gravity[axis] == 0) continue;
        const sl_real *flux = a.flux[axis] + s.flow, mass[2] = {flux[0], flux[step_of(r, axis)]};
        sl_real kick = sl_update_kick(1, a.s.dt, r.gravity[axis]);
        sl_update_gravity(&r.layout, axis, kick, rho, mass, out, (size_t)r.var);
    }
}

static __device__ void keep_mass(const struct ctu_args &a, const struct spot &s)
{
    const struct run_args &r = a.run;
    const int at[2] = {s.i, s.j};
    for (int axis = 0; axis < r.dim; axis++) {
        const sl_real *flux = a.flux[axis] + s.flow;
        mass_put(a.s, sl_mass_flux_at(r.dim, r.n, s.block, axis, 0, s.j, s.i), flux[0]);
        if (at[axis] == r.n[axis] - 1)
            mass_put(a.s, sl_mass_flux_at(r.dim, r.n, s.block, axis, 0, s.j + axis, s.i + !axis),
                     flux[step_of(r, axis)]);
    }
}

/* sl_dual_spread of the new cell at u. */
static __device__ sl_real spread_of(const struct ctu_args &a, const struct spot &s,
                                    const sl_real *u)
{
    const struct run_args &r = a.run;
    struct sl_dual_part part[3] = {};
    for (int axis = 0; axis < r.dim; axis++) {
        const sl_real *f = a.flux[axis] + s.flow, *m = f + SL_MX * r.var;
        int step = step_of(r, axis);
        struct sl_dual_faces d = {f[0], f[step]};
        d.push = m[axis * r.var + step] - m[axis * r.var];
        for (int i = 0; i < 2; i++) {
            ptrdiff_t other = (axis + i + 1) % 3 * r.var;
            d.side[i] = m[other + step] - m[other];
        }
        part[axis] = dual_part(r, u, axis, d);
    }
    return sl_dual_spread(r.dim, u[0], part);
}

template <int N> static __global__ void update(struct ctu_args a, struct range w)
{
    const struct run_args &r = a.run;
    struct signal signal = {0, 0, 0};
    struct spot s;
    if (spot_of(a, w, &s)) {
        sl_real *out = a.s.out + (s.u - a.s.u);
        if (a.s.mass) keep_mass(a, s);
        for (int v = 0; v < r.nflow; v++) {
            sl_real by[3] = {0, 0, 0};
            for (int axis = 0; axis < r.dim; axis++) {
                const sl_real *f = a.flux[axis] + s.flow + v * r.var;
                by[axis] = (f[step_of(r, axis)] - f[0]) * a.s.dt_dx[axis];
            }
            out[v * r.var] = s.u[v * r.var] - sl_sum_axes(r.dim, by);
        }
        if (r.has_gravity) add_gravity(a, s, out);
        if (r.layout.entropy >= 0) agree_or_later<N>(r, spread_of(a, s, out), out);
        if (N != 8 && a.signal)
            signal_add(r, a.s.per_dx, a.s.last, cell_of(r, out, r.var), &signal);
    }
    __syncwarp();
    if (N != 8 && a.signal) signal_put(a.signal, signal);
}

const char *ctu_new(struct sl_device *d)
{
    const struct run_args *r = &d->run;
    size_t values = (size_t)(r->nflow * (1 + 3 * r->dim) + 2);
    size_t size = values * (size_t)r->nblock * (size_t)r->var * sizeof(sl_real);
    return room_zero(size, (void **)&d->between);
}

static struct ctu_args args_of(struct sl_device *d, const struct sl_device_stage *s)
{
    struct ctu_args a = {};
    size_t part = (size_t)d->run.nflow * (size_t)d->run.nblock * (size_t)d->run.var;
    sl_real *next = d->between;
    a.run = d->run, a.s = *s, a.emf = d->shared->emf, a.signal = d->most, a.walls = d->spec.walls;
    a.prim = next, next += part;
    for (int axis = 0; axis < d->run.dim; axis++) {
        a.minus[axis] = next, next += part;
        a.plus[axis] = next, next += part;
        a.flux[axis] = next, next += part;
    }
    a.half = next;
    return a;
}

typedef void pass_kernel(struct ctu_args, struct range);

/* A pass over the cells of all blocks, from `low` cells before them to `high` after them. */
static const char *pass(struct sl_device *d, pass_kernel *kernel, const struct ctu_args &a, int low,
                        int high)
{
    struct range w = {{0, 0}, {1, 1}};
    for (int axis = 0; axis < a.run.dim; axis++)
        w.lo[axis] = -low, w.n[axis] = a.run.n[axis] + low + high;
    size_t cells = (size_t)w.n[0] * (size_t)w.n[1] * (size_t)a.run.nblock;
    kernel<<<(unsigned)((cells + THREADS - 1) / THREADS), THREADS, 0, d->stream>>>(a, w);
    TRY(cudaGetLastError());
    return NULL;
}

template <int N>
static const char *passes(struct sl_device *d, struct ctu_args &a, const sl_real *flags)
{
    static pass_kernel *const predicts[] = {
#define PREDICT(name, ghost, ...) predict<SL_RECONSTRUCT_##name, N>,
        SL_RECONSTRUCT_LIST(PREDICT)
#undef PREDICT
    };
    bool plane = a.run.dim > 1;
    PASS(pass(d, primitive, a, a.run.g[0], a.run.g[0]));
    PASS(pass(d, predicts[d->spec.method], a, plane ? HALO : 1, plane ? HALO : 1));
    if (plane) {
        PASS(pass(d, fluxes<N>, a, HALO, HALO));
        if (N == 8) PASS(pass(d, halfway, a, 1, HALO));
        PASS(pass(d, corrections<N>, a, 1, 1));
    }
    a.flags = flags;
    if (flags) a.signal = NULL;
    PASS(pass(d, fluxes<N>, a, 1, 1));
    PASS(pass(d, update<N>, a, 0, 0));
    return N == 8 ? field_advance(d, &a.s, flags) : NULL;
}

const char *ctu_advance(struct sl_device *d, const struct sl_device_stage *s, const sl_real *flags)
{
    struct ctu_args a = args_of(d, s);
    return d->run.layout.face >= 0 ? passes<values_of(FIELD_STAGGERED)>(d, a, flags)
                                   : passes<values_of(FIELD_NONE)>(d, a, flags);
}
