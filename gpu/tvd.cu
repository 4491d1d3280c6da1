/* tvd.cu - sweeps of the relaxing TVD scheme along one axis, as core/sweep/split.c has them; see
 * device.h.
 *
 * A block of threads owns pieces of neighbouring pencils along the axis, with three ghosts at both
 * ends: a thread has a cell of them. Shared memory: [half, right, left][var][cell]; half takes the
 * fluxes at the end. */
#include "core/cell/relax.h"
#include "core/cell/repair.h"
#include "core/cell/update.h"
#include "gpu/inside.cuh"
#include "gpu/kept.cuh"

enum { GHOSTS = SL_RELAX_GHOSTS, MOST_THREADS = 512, PENCILS = 16 };

struct sweep_args {
    struct run_args run;
    struct sl_device_stage s;
    int pencils, length;   /* of a piece: side by side; cells, with ghosts */
    int per_block, pieces; /* pencils of a block; pieces of a pencil */
    const unsigned *walls; /* [nblock] */
    unsigned long long *signal;
};

/* ---- the scheme ------------------------------------------------------------------------------ */

/* A passive scalar has no parts: its fraction takes the place of the right one, the density that of
 * the left one, both of the begin of the step. */
static __device__ __forceinline__ bool is_scalar(const struct run_args &r, int v)
{
    return v >= r.layout.scalar0 && v < r.layout.scalar0 + r.layout.nscalar;
}

/* The right and the left part of all variables of the cell at u, whose values lie step apart. */
static __device__ void parts(const struct run_args &r, int axis, bool halfway, const sl_real *u,
                             ptrdiff_t step, sl_real *right, sl_real *left, int var)
{
    struct sl_prim w = gas_in(r, cell_of(r, u, step), u, step);
    sl_real speed = axis == 0 ? w.u : axis == 1 ? w.v : w.w;
    struct sl_prim along = {w.rho, speed, 0, 0, w.p};
    sl_real c = sl_relax_speed(&r.gas, along);
    for (int v = 0; v < r.nvar; v++) {
        sl_real value = u[v * step], f = value * speed;
        if (is_scalar(r, v)) {
            if (!halfway) right[v * var] = value / u[0], left[v * var] = u[0];
            continue;
        }
        if (v == SL_RHO) f = u[(SL_MX + axis) * step];
        if (v == SL_MX + axis) f = f + w.p;
        if (v == r.layout.energy) f = (value + w.p) * speed;
        right[v * var] = sl_relax_right(c, value, f);
        left[v * var] = sl_relax_left(c, value, f);
    }
}

/* What it gives to a new cell, whose variables lie at out; low, high: fluxes of mass. */
static __device__ void add_gravity(const struct run_args &r, const struct sl_device_stage &s,
                                   sl_real rho, sl_real low, sl_real high, sl_real *out)
{
    sl_real kick = sl_update_kick(1, s.dt, r.gravity[s.axis]);
    const sl_real mass[2] = {low, high};
    if (kick != 0) sl_update_gravity(&r.layout, s.axis, kick, rho, mass, out, (size_t)r.var);
}

/* A variable of a cell after half a step, upwind; r, l: its parts, those of neighbours lie step
 * apart. */
static __device__ sl_real half_step(sl_real u, const sl_real *r, const sl_real *l, int step,
                                    sl_real share)
{
    sl_real above = sl_relax_upwind(r[0], l[step]), below = sl_relax_upwind(r[-step], l[0]);
    return u - (above - below) * share;
}

/* Its limited flux at the upper face. */
static __device__ sl_real limited(const sl_real *r, const sl_real *l, int step)
{
    return sl_relax_limited(r[-step], r[0], r[step], l[0], l[step], l[2 * step]);
}

/* That of a passive scalar, from the flux of mass there; x: its fraction, rho: the density. */
static __device__ sl_real limited_scalar(sl_real mass, sl_real dt_dx, const sl_real *x,
                                         const sl_real *rho, int step)
{
    sl_real moved = mass * dt_dx;
    return sl_relax_carried_limited(mass, moved / rho[0], moved / rho[step], x[-step], x[0],
                                    x[step], x[2 * step]);
}

/* Keeps the mass that crosses both faces of the cell at `at`: lower ones, and the last one. */
static __device__ void keep_mass(const struct run_args &r, const struct sl_device_stage &s,
                                 size_t block, ptrdiff_t at, sl_real low, sl_real high)
{
    ptrdiff_t place = at - (ptrdiff_t)block * r.nvar * r.var, row = place / r.nt[0];
    int c[3] = {(int)(place % r.nt[0]) - r.g[0], (int)(row % r.nt[1]) - r.g[1],
                (int)(row / r.nt[1]) - r.g[2]};
    if (!s.mass) return;
    mass_put(s, sl_mass_flux_at(r.dim, r.n, block, s.axis, c[2], c[1], c[0]), low);
    if (c[s.axis]++ < r.n[s.axis] - 1) return;
    mass_put(s, sl_mass_flux_at(r.dim, r.n, block, s.axis, c[2], c[1], c[0]), high);
}

/* ---- a sweep --------------------------------------------------------------------------------- */

/* The cell of a thread: its place in the piece of a pencil, and in the field, ghosts included. */
struct spot {
    int c;     /* of the piece, from its first ghost */
    int along; /* of the block, from its first interior cell */
    size_t block;
    bool there;   /* the pencil is one of the rank's, the cell one of the block's */
    ptrdiff_t at; /* of its first variable */
};

static __device__ struct spot spot_of(const struct sweep_args &a)
{
    const struct run_args &r = a.run;
    int axis = a.s.axis, id = (int)threadIdx.x, inner = a.length - 2 * GHOSTS;
    int side = axis == 0 ? id / a.length : id % a.pencils;
    struct spot s = {axis == 0 ? id % a.length : id / a.pencils, 0, 0, true, 0};
    size_t pencil = (size_t)(blockIdx.x / (unsigned)a.pieces) * (size_t)a.pencils + (size_t)side;
    size_t block = pencil / (size_t)a.per_block;
    int p = (int)(pencil % (size_t)a.per_block), first = axis == 0 ? r.n[1] : r.n[0];
    int along = (int)(blockIdx.x % (unsigned)a.pieces) * inner + s.c - GHOSTS;
    int x[3] = {axis == 0 ? along : p % first,
                axis == 0   ? p % first
                : axis == 1 ? along
                            : p / first,
                axis == 2 ? along : p / first};
    s.along = along, s.block = block;
    s.there = block < (size_t)r.nblock && along < r.n[axis] + GHOSTS;
    s.at = (ptrdiff_t)block * r.nvar * r.var +
           ((ptrdiff_t)(x[2] + r.g[2]) * r.nt[1] + x[1] + r.g[1]) * r.nt[0] + x[0] + r.g[0];
    return s;
}

static __global__ void __launch_bounds__(MOST_THREADS)
    sweep(const __grid_constant__ struct sweep_args a)
{
    extern __shared__ double memory[];
    const struct run_args &r = a.run;
    int cells = (int)blockDim.x, axis = a.s.axis, step = axis == 0 ? 1 : a.pencils;
    sl_real *half = (sl_real *)memory + threadIdx.x, *right = half + r.nvar * cells;
    sl_real *left = right + r.nvar * cells, dt_dx = a.s.dt_dx[axis];
    struct spot s = spot_of(a);
    struct signal signal = {0, 0, 0};
    const sl_real *u = a.s.u + s.at;
    bool middle = s.there && s.c >= 1 && s.c < a.length - 1;
    bool face = middle && s.c >= GHOSTS - 1 && s.c < a.length - GHOSTS;
    if (s.there) parts(r, axis, false, u, r.var, right, left, cells);
    __syncthreads();
    for (int v = 0; v < r.nvar && middle; v++) {
        const sl_real *x = right + v * cells, *y = left + v * cells;
        half[v * cells] =
            is_scalar(r, v) ? 0 : half_step(u[v * r.var], x, y, step, (sl_real)0.5 * dt_dx);
    }
    sl_real kick = sl_update_kick((sl_real)0.5, a.s.dt, r.gravity[axis]);
    if (middle && kick != 0)
        sl_update_half_gravity(
            &r.layout, axis,
            sl_mirror_acceleration(kick, a.walls[s.block], axis, s.along, r.n[axis]), half,
            (size_t)cells);
    sl_real rho = half[0];
    __syncthreads();
    if (middle) parts(r, axis, true, half, cells, right, left, cells);
    __syncthreads();
    for (int v = 0; v < r.nvar && face; v++) {
        const sl_real *x = right + v * cells, *y = left + v * cells;
        half[v * cells] =
            is_scalar(r, v) ? limited_scalar(half[0], dt_dx, x, y, step) : limited(x, y, step);
    }
    __syncthreads();
    if (face && s.c >= GHOSTS && s.along < r.n[axis]) {
        sl_real *out = a.s.out + s.at;
        for (int v = 0; v < r.nvar; v++)
            out[v * r.var] = u[v * r.var] - (half[v * cells] - half[v * cells - step]) * dt_dx;
        keep_mass(r, a.s, s.block, s.at, half[-step], half[0]);
        add_gravity(r, a.s, rho, half[-step], half[0], out);
        if (r.layout.entropy >= 0) {
            const sl_real *m = half + SL_MX * cells;
            int v[3] = {axis * cells, (axis + 1) % 3 * cells, (axis + 2) % 3 * cells};
            struct sl_dual_faces d = {half[-step], half[0], m[v[0]] - m[v[0] - step]};
            for (int i = 0; i < 2; i++)
                d.side[i] = m[v[i + 1]] - m[v[i + 1] - step];
            agree(r, dual_part(r, out, axis, d).spread, out);
        }
        signal_add(r, a.s.per_dx, a.s.last, cell_of(r, out, r.var), &signal);
    }
    __syncwarp();
    signal_put(a.signal, signal);
}

static int parts_of(int n, int size)
{
    return (n + size - 1) / size;
}

/* Pieces of one length, as long as the threads of a block allow. */
static const char *pieces_choose(struct sl_device *d, struct sweep_args *a, size_t *shared)
{
    const struct run_args *r = &d->run;
    int axis = a->s.axis, n = r->n[axis], most = 0;
    a->pencils = axis == 0 ? PENCILS / 2 : PENCILS;
    TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->spec.id));
    a->pieces = parts_of(n, MOST_THREADS / a->pencils - 2 * GHOSTS);
    a->length = parts_of(n, a->pieces) + 2 * GHOSTS;
    a->per_block = r->n[0] * r->n[1] * r->n[2] / n;
    size_t pencil = 3 * (size_t)(r->nvar * a->length) * sizeof(sl_real);
    while (a->pencils > 1 && (size_t)a->pencils * pencil > (size_t)most)
        a->pencils /= 2;
    *shared = (size_t)a->pencils * pencil;
    TRY(cudaFuncSetAttribute((const void *)sweep, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)*shared));
    return NULL;
}

const char *tvd_advance(struct sl_device *d, const struct sl_device_stage *s)
{
    struct sweep_args a;
    size_t shared = 0;
    a.run = d->run, a.s = *s, a.signal = d->most, a.walls = d->spec.walls;
    PASS(pieces_choose(d, &a, &shared));
    size_t pencils = (size_t)a.per_block * (size_t)a.run.nblock;
    unsigned sides = (unsigned)((pencils + (size_t)a.pencils - 1) / (size_t)a.pencils);
    sweep<<<sides *(unsigned)a.pieces, (unsigned)(a.pencils * a.length), shared, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

/* ---- repairs --------------------------------------------------------------------------------- */

/* A cell and three neighbours at each side, which its two faces depend on. */
enum { LINE = 2 * GHOSTS + 1, SIZE = SL_MAX_VAR * LINE };

/* The middle cell: its place along the axis, the walls of its block. */
struct middle {
    int along;
    unsigned walls;
};

static __device__ struct middle middle_of(const struct run_args &r, int axis, ptrdiff_t step,
                                          ptrdiff_t at, const unsigned *walls)
{
    ptrdiff_t block = at / (r.nvar * r.var), place = at - block * r.nvar * r.var;
    struct middle m = {(int)(place / step % r.nt[axis]) - r.g[axis], walls[block]};
    return m;
}

/* Fluxes at the lower and the upper face of the middle cell; safe: upwind, over the whole step. Its
 * density after half the step comes back. */
static __device__ sl_real line_fluxes(const struct run_args &r, const struct sl_device_stage &s,
                                      struct middle at, const sl_real *u, const bool (&safe)[2],
                                      sl_real (*f)[2])
{
    int axis = s.axis;
    sl_real kick = sl_update_kick((sl_real)0.5, s.dt, r.gravity[axis]), dt_dx = s.dt_dx[axis];
    sl_real right[SIZE], left[SIZE], half[SIZE];
    for (int i = 0; i < LINE; i++)
        parts(r, axis, false, u + i, LINE, right + i, left + i, LINE);
    for (int v = 0; v < r.nvar; v++) {
        for (int up = 0; up < 2; up++) {
            const sl_real *x = right + v * LINE + GHOSTS - 1 + up;
            f[v][up] = is_scalar(r, v) ? sl_relax_carried(f[0][up], x[0], x[1])
                                       : sl_relax_upwind(x[0], left[v * LINE + GHOSTS + up]);
        }
        for (int i = v * LINE + 1; i < v * LINE + LINE - 1; i++)
            half[i] =
                is_scalar(r, v) ? 0 : half_step(u[i], right + i, left + i, 1, (sl_real)0.5 * dt_dx);
    }
    for (int i = 1; i < LINE - 1 && kick != 0; i++)
        sl_update_half_gravity(
            &r.layout, axis,
            sl_mirror_acceleration(kick, at.walls, axis, at.along + i - GHOSTS, r.n[axis]),
            half + i, LINE);
    for (int i = 1; i < LINE - 1; i++)
        parts(r, axis, true, half + i, LINE, right + i, left + i, LINE);
    for (int v = 0; v < r.nvar; v++)
        for (int up = 0; up < 2; up++) {
            int i = v * LINE + GHOSTS - 1 + up;
            if (safe[up]) continue;
            f[v][up] = is_scalar(r, v) ? limited_scalar(f[0][up], dt_dx, right + i, left + i, 1)
                                       : limited(right + i, left + i, 1);
        }
    return half[GHOSTS];
}

static __global__ void remake(struct run_args r, struct sl_device_stage g, const sl_real *flags,
                              const unsigned *walls)
{
    ptrdiff_t at = cell_at(r, this_cell(), r.nvar), mark = cell_at(r, this_cell(), 1);
    const ptrdiff_t steps[3] = {1, r.nt[0], (ptrdiff_t)r.nt[0] * r.nt[1]};
    if (at < 0) return;
    ptrdiff_t step = steps[g.axis];
    const bool safe[2] = {sl_repair_is_safe(flags[mark - step], flags[mark]) != 0,
                          sl_repair_is_safe(flags[mark], flags[mark + step]) != 0};
    if (!safe[0] && !safe[1]) return;
    sl_real u[SIZE], f[SL_MAX_VAR][2];
    for (int v = 0; v < r.nvar; v++)
        for (int i = 0; i < LINE; i++)
            u[v * LINE + i] = g.u[at + v * r.var + (i - GHOSTS) * step];
    sl_real rho = line_fluxes(r, g, middle_of(r, g.axis, step, at, walls), u, safe, f);
    for (int up = 0; up < 2; up++)
        if (safe[up]) mass_put_safe(r, g, this_cell(), g.axis, up, f[0][up]);
    for (int v = 0; v < r.nvar; v++)
        g.out[at + v * r.var] = u[v * LINE + GHOSTS] - (f[v][1] - f[v][0]) * g.dt_dx[g.axis];
    add_gravity(r, g, rho, f[0][0], f[0][1], g.out + at);
    if (r.layout.entropy < 0) return;
    struct sl_dual_faces d = {f[0][0], f[0][1], f[SL_MX + g.axis][1] - f[SL_MX + g.axis][0]};
    for (int i = 0; i < 2; i++) {
        int m = SL_MX + (g.axis + i + 1) % 3;
        d.side[i] = f[m][1] - f[m][0];
    }
    agree(r, dual_part(r, g.out + at, g.axis, d).spread, g.out + at);
}

const char *tvd_remake(struct sl_device *d, const struct sl_device_stage *s)
{
    remake<<<all_cells(d), THREADS, 0, d->stream>>>(d->run, *s, d->flags, d->spec.walls);
    TRY(cudaGetLastError());
    return NULL;
}

/* ---- fluxes that are kept -------------------------------------------------------------------- */

/* Across the axis of the sweep those of the interior cell beside the face, across others nothing;
 * with flags first-order ones beside flagged cells alone. */
static __global__ void keep_split(struct run_args r, struct sl_device_stage s, const sl_real *flags,
                                  const unsigned *walls, struct keep_args g)
{
    struct kept_face f;
    if (!face_find(r, g, &f)) return;
    bool across = f.axis != s.axis;
    bool safe = flags && sl_repair_is_safe(flags[f.flag - f.step], flags[f.flag]);
    if (flags && (across || !safe)) return; /* as it is */
    ptrdiff_t at = f.cell - (f.upper ? f.step : 0);
    const bool both[2] = {safe, safe};
    sl_real u[SIZE], flux[SL_MAX_VAR][2] = {};
    for (int v = 0; v < r.nvar && !across; v++)
        for (int i = 0; i < LINE; i++)
            u[v * LINE + i] = s.u[at + v * r.var + (i - GHOSTS) * f.step];
    if (!across) line_fluxes(r, s, middle_of(r, s.axis, f.step, at, walls), u, both, flux);
    for (int v = 0; v < r.nflow; v++)
        put(g, s, f, v, flux[v][f.upper]);
}

const char *tvd_keep(struct sl_device *d, const struct sl_device_stage *s, const sl_real *flags,
                     int sides, const struct keep_args &g)
{
    keep_split<<<(unsigned)sides *(unsigned)g.parts, FACES, 0, d->stream>>>(d->run, *s, flags,
                                                                            d->spec.walls, g);
    TRY(cudaGetLastError());
    return NULL;
}
