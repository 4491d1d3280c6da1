/* stage.cuh - one stage of the method of lines over all blocks in one launch.
 *
 * A block of threads owns a tile of columns of a mesh block and marches along z. The primitive
 * values of the planes that it needs, ghosts of the tile included, lie in shared memory; each face
 * gets its flux once, those across x and y into shared memory, those across z from register to
 * register. Faces at the upper edges of the tile are one short extra round. A warp of helpers takes
 * that round and loads the next plane, so that the others neither wait for each other nor for the
 * memory; kernels without helpers give the round to another warp in every plane. Rounds share the
 * solver's code, which is long, or have a copy each where all that stays in the cache of
 * instructions.
 *
 * With constrained transport the kernel leaves the field alone. It makes the fluxes around the
 * block, too, and keeps what the edges need of them in memory; the field is made from that by
 * ct.cu.
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
    int tx, ty, id, threads, wide, high; /* threads that own a column; id: of them, or of helpers */
    bool helper;
    int row, var, slot; /* distances in the planes: rows, variables, planes */
    int x0, y0;         /* first cell of the tile, counted from the first interior cell */
    int xvar, yvar;     /* distances of the variables in the fluxes */
    int halo;           /* x0 and y0 begin with it */
    int center;         /* of the thread's cell in a plane */
    const sl_real *u;   /* of the mesh block */
    const int *near;    /* blocks around it, NULL: its ghost cells are filled */
    int block;
    struct emf_terms emf; /* likewise */
    const sl_real *dt_dx; /* per axis */
    sl_real *planes, *fx, *fy, *extra;
};

__device__ __forceinline__ struct tile tile_of(const struct stage_args &a, int nslot, int helpers,
                                               int *block, int *k0)
{
    extern __shared__ double memory[];
    const struct run_args &r = a.run;
    struct tile t;
    int index = a.order ? a.order[blockIdx.x] : (int)blockIdx.x;
    t.wide = a.tile[0], t.high = a.tile[1];
    t.threads = t.wide * t.high;
    t.id = (int)threadIdx.x;
    int columns = helpers > 0 ? (t.threads + 31) / 32 * 32 : t.threads;
    t.helper = helpers > 0 && t.id >= columns;
    t.id = t.helper ? t.id - columns : min(t.id, t.threads - 1); /* the last column again */
    t.ty = t.id / t.wide, t.tx = t.id - t.ty * t.wide;
    t.halo = halo_of(r);
    t.x0 = index % a.tiles[0] * t.wide - t.halo;
    index /= a.tiles[0];
    t.y0 = index % a.tiles[1] * t.high - t.halo;
    index /= a.tiles[1];
    *k0 = index % a.tiles[2] * a.chunk;
    *block = index / a.tiles[2];
    t.row = t.wide + 2 * r.g[0];
    t.var = t.row * (t.high + 2 * r.g[1]);
    t.slot = t.var * r.nflow;
    t.xvar = (t.wide + 1) * t.high;
    t.yvar = t.wide * (t.high + 1);
    t.center = (t.ty + r.g[1]) * t.row + t.tx + r.g[0];
    t.planes = (sl_real *)memory;
    t.fx = t.planes + nslot * t.slot;
    t.fy = t.fx + changed_of(r) * t.xvar;
    t.extra = t.fy + (r.dim > 1 ? changed_of(r) * t.yvar : 0);
    t.u = a.s.u + (ptrdiff_t)*block * r.nvar * r.var;
    t.near = a.near ? a.near + *block * SL_NDIR : NULL;
    t.block = *block;
    if (t.halo > 0) t.emf.value = a.emf.value + (ptrdiff_t)*block * EDGE_VALUES * r.var;
    if (t.halo > 0) t.emf.upwind = a.emf.upwind + (ptrdiff_t)*block * 3 * r.var;
    return t;
}

/* Prefetches the first variables of a cell of the next plane to the second-level cache: occupancy
 * is too low to hide the latency of the load. */
__device__ __forceinline__ void prefetch(const struct run_args &r, int vars, const sl_real *u)
{
    for (int v = 0; v < vars; v++)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(u + v * r.var));
}

/* -1 below the interior of a block, 1 above it. */
__device__ __forceinline__ int beyond(const struct run_args &r, int axis, int i)
{
    return (i >= r.g[axis] + r.n[axis]) - (i < r.g[axis]);
}

/* The cell at i, j, k, counted from the first ghost cell: of the mesh block or of the one that has
 * it, if this rank does. */
__device__ __forceinline__ const sl_real *cell_there(const struct run_args &r, const struct tile &t,
                                                     int i, int j, int k)
{
    ptrdiff_t at = ((ptrdiff_t)k * r.nt[1] + j) * r.nt[0] + i;
    if (!t.near) return t.u + at;
    int x = beyond(r, 0, i), y = beyond(r, 1, j), z = beyond(r, 2, k);
    if (x == 0 && y == 0 && z == 0) return t.u + at;
    int other = t.near[sl_dir_of(x, y, z)];
    if (other < 0) return t.u + at;
    at -= ((ptrdiff_t)(z * r.n[2]) * r.nt[1] + y * r.n[1]) * r.nt[0] + x * r.n[0];
    return t.u + (ptrdiff_t)(other - t.block) * r.nvar * r.var + at;
}

/* Cell c of plane k of the mesh block as the tile sees it, ghosts included; the outermost one again
 * where the tile is larger than the block. */
__device__ __forceinline__ const sl_real *plane_cell(const struct run_args &r, const struct tile &t,
                                                     int k, int c)
{
    int y = c / t.row, x = c - y * t.row;
    int i = max(min(t.x0 + x, r.nt[0] - 1), 0), j = max(min(t.y0 + y, r.nt[1] - 1), 0);
    return cell_there(r, t, i, j, k + r.g[2]);
}

__device__ __forceinline__ void plane_ahead(const struct run_args &r, const sl_real *cell, int k)
{
    if (k + 1 < r.n[2] + r.g[2]) prefetch(r, r.nvar, cell + (ptrdiff_t)r.nt[0] * r.nt[1]);
}

/* Primitive values of plane k of the mesh block into a slot, by `threads` threads. */
__device__ __forceinline__ void plane_load(const struct run_args &r, const struct tile &t, int k,
                                           int slot, int id, int threads)
{
    sl_real *to = t.planes + slot * t.slot;
#pragma unroll 1
    for (int c = id; c < t.var; c += threads) {
        const sl_real *from = plane_cell(r, t, k, c);
        plane_ahead(r, from, k);
        prim_of(r, from, r.var, to + c, t.var);
    }
}

/* Two cells side by side, which lie at an even place in memory. */
struct __align__(2 * sizeof(sl_real)) pair
{
    sl_real cell[2];
};

/* next: 1, 0 where the second cell lies outside the block. */
template <bool ODD_TOO>
__device__ __forceinline__ struct pair pair_at(const struct run_args &r, const sl_real *from,
                                               int next)
{
    if (!ODD_TOO || r.nt[0] % 2 == 0) return *(const struct pair *)from;
    struct pair p = {{from[0], from[next]}};
    return p;
}

/* The same for kernels that know the number of variables: a thread asks for all values of two cells
 * at once, by one load each where rows of the mesh block are even and, with them, all places of
 * first cells. Rows of a tile begin behind an even place where it has a halo. */
template <int VARS, int KIND, bool ODD_TOO>
__device__ __forceinline__ void plane_load_pairs(const struct run_args &r, const struct tile &t,
                                                 int k, int slot, int id, int threads)
{
    const int odd = t.halo & 1, wide = (t.row + odd + 1) / 2, count = wide * (t.var / t.row);
#pragma unroll 1
    for (int c = id; c < count; c += threads) {
        int y = c / wide, x = 2 * (c - y * wide) - odd;
        int i = max(min(t.x0 + x, ODD_TOO ? (r.nt[0] - 1) / 2 * 2 : r.nt[0] - 2), 0);
        int j = max(min(t.y0 + y, r.nt[1] - 1), 0);
        const sl_real *from = cell_there(r, t, i, j, k + r.g[2]);
        sl_real *to = t.planes + slot * t.slot + y * t.row + x;
        struct pair u[VARS];
        int next = i + 1 < r.nt[0];
#pragma unroll
        for (int v = 0; v < VARS; v++)
            u[v] = pair_at<ODD_TOO>(r, from + v * r.var, next);
        plane_ahead(r, from, k);
        struct pair entropy = {{0, 0}};
        if (takes_extras(KIND) && r.layout.entropy >= 0)
            entropy = pair_at<ODD_TOO>(r, from + r.layout.entropy * r.var, next);
#pragma unroll
        for (int n = 0; n < 2; n++) {
            sl_real one[VARS];
#pragma unroll
            for (int v = 0; v < VARS; v++)
                one[v] = u[v].cell[n];
            if (x + n >= 0 && x + n < t.row)
                prim_without_extras(r, one, 1, entropy.cell[n], to + n, t.var);
        }
        for (int e = r.extra; takes_extras(KIND) && e < r.nflow; e++) {
            struct pair s = pair_at<ODD_TOO>(r, from + e * r.var, next);
#pragma unroll
            for (int n = 0; n < 2; n++)
                if (x + n >= 0 && x + n < t.row) to[e * t.var + n] = s.cell[n] / u[0].cell[n];
        }
    }
}

/* What a column hands on from plane to plane: the values at the upper face of the last cell, the
 * flux there, and how much that is more than the flux below. */
template <int N> struct column {
    sl_real plus[N], above[N], more[N];
    sl_real mass; /* the flux of mass below, where gravity or dual energy wants it */
};

/* Extra variables of a column: value at the upper face, flux below, flux above. */
__device__ __forceinline__ sl_real *extra_at(const struct run_args &r, const struct tile &t, int e,
                                             int which)
{
    return t.extra + (which * (r.nflow - r.extra) + e - r.extra) * t.threads + t.id;
}

/* Neighbours along z of the cells in a slot. */
__device__ __forceinline__ struct near near_z(const struct tile &t, int slot, int nslot)
{
    struct near o;
    o.a = (slot >= 2 ? -2 : nslot - 2) * t.slot;
    o.b = (slot >= 1 ? -1 : nslot - 1) * t.slot;
    o.d = (slot + 1 < nslot ? 1 : 1 - nslot) * t.slot;
    o.e = (slot + 2 < nslot ? 2 : 2 - nslot) * t.slot;
    return o;
}

/* A face of this round: the cells below and above it, where its flux goes (x and y). */
struct face {
    int axis;
    const sl_real *low, *high;
    struct near near;
    struct limited limited[2]; /* below and above */
    sl_real *to;
    int var;
};

/* What a round makes fluxes of: the faces at the lower sides of the columns' cells, those at the
 * upper edges of the tile, those above the cells. */
enum round { ACROSS_X, ACROSS_Y, EDGES, ABOVE };

/* The face of a thread in a round but the last; e: number of the edge. */
__device__ __forceinline__ bool face_across(const struct run_args &r, const struct tile &t,
                                            const sl_real *plane, int round, int e, struct face *f)
{
    int x = t.tx, y = t.ty, axis = round;
    if (round == EDGES) {
        if (e >= t.high + (r.dim > 1 ? t.wide : 0)) return false;
        axis = e >= t.high;
        x = axis ? e - t.high : t.wide;
        y = axis ? t.high : e;
    }
    int step = axis ? t.row : 1;
    f->axis = axis;
    f->high = plane + (y + r.g[1]) * t.row + x + r.g[0];
    f->low = f->high - step;
    f->near = near_of(step);
    f->to = axis ? t.fy + y * t.wide + x : t.fx + y * (t.wide + 1) + x;
    f->var = axis ? t.yvar : t.xvar;
    return true;
}

/* Fluxes of the extra variables at a face: carried with the mass, from where it comes. */
template <int METHOD, int LIMITER>
__device__ __forceinline__ void extras_across(const struct run_args &r, const struct tile &t,
                                              const struct face &f, sl_real mass)
{
    bool up = mass > 0;
    for (int e = r.extra; e < r.nflow; e++)
        f.to[e * f.var] =
            mass * extra_side<METHOD, LIMITER>(r, (up ? f.low : f.high) + e * t.var, f.near, up,
                                               up ? f.limited[0] : f.limited[1]);
}

template <int METHOD, int LIMITER>
__device__ __forceinline__ void extras_column(const struct run_args &r, const struct tile &t,
                                              const struct face &f, struct limited limited_plus,
                                              sl_real mass)
{
    for (int e = r.extra; e < r.nflow; e++) {
        const sl_real *q = f.high + e * t.var;
        sl_real *above = extra_at(r, t, e, 2), *plus = extra_at(r, t, e, 0);
        *extra_at(r, t, e, 1) = *above;
        *above = mass * (mass > 0 ? *plus
                                  : extra_side<METHOD, LIMITER>(r, q, f.near, false, f.limited[1]));
        *plus = extra_side<METHOD, LIMITER>(r, q, f.near, true, limited_plus);
    }
}

/* Values on both sides of a face across an axis. */
template <int METHOD, int LIMITER, int N>
__device__ __forceinline__ void sides_at(const struct run_args &r, const struct tile &t, int axis,
                                         struct face *f, sl_real (&l)[N], sl_real (&h)[N])
{
    struct order<N> v = order_of<N>(r, axis);
    int step = axis ? t.row : 1;
    f->near = near_of(step);
    f->low = f->high - step;
    struct face_pair pair = {{f->low, f->high}, {true, false}, t.var, f->near};
    faces_at<METHOD, LIMITER>(r, pair, v, f->limited, l, h);
}

/* Whether the axis of the sides is a literal: it shortens the work, and the code is there twice,
 * which with a field is too much in double precision. */
__host__ __device__ constexpr bool axis_known(int method, int limiter, int values)
{
    bool small = values == 5 || (values == 9 && sizeof(sl_real) == sizeof(float));
    return method == SL_RECONSTRUCT_plm && !is_chosen(limiter) && small;
}

template <int METHOD, int LIMITER, int N>
__device__ __forceinline__ void sides_across(const struct run_args &r, const struct tile &t,
                                             struct face *f, sl_real (&l)[N], sl_real (&h)[N])
{
    if (!axis_known(METHOD, LIMITER, N))
        sides_at<METHOD, LIMITER>(r, t, f->axis, f, l, h);
    else if (f->axis == 0)
        sides_at<METHOD, LIMITER>(r, t, 0, f, l, h);
    else
        sides_at<METHOD, LIMITER>(r, t, 1, f, l, h);
}

/* The same across z, from the values handed on from the cell below; hands on those of the cell
 * above. */
template <int METHOD, int LIMITER, int N>
__device__ __forceinline__ struct limited
sides_column(const struct run_args &r, const struct tile &t, struct face *f, struct column<N> *c,
             sl_real (&l)[N], sl_real (&h)[N])
{
    struct order<N> v = order_of<N>(r, 2);
#pragma unroll
    for (int i = 0; i < N; i++)
        l[i] = c->plus[i];
    struct limited d[2];
    struct face_pair pair = {{f->high, f->high}, {false, true}, t.var, f->near};
    faces_at<METHOD, LIMITER>(r, pair, v, d, h, c->plus);
    f->limited[1] = d[0];
    return d[1];
}

/* Where a plane and its neighbours are: its slot, that of the next, and how many there are. */
struct place {
    int slot, next, slots;
};

/* What a plane is to a tile: one of its own; one before them, which needs but the fluxes above it;
 * one of the halo, beside the block, where no cell is changed, and above the last of these no flux
 * is wanted. */
enum role { OWN, BEFORE, HALO, LAST };

__device__ __forceinline__ enum role role_of(const struct run_args &r, const struct tile &t, int k,
                                             int k0)
{
    if (t.halo > 0 && r.dim > 2 && k == r.n[2]) return LAST;
    if (t.halo > 0 && r.dim > 2 && k == -1) return HALO;
    return k < k0 ? BEFORE : OWN;
}

/* The rounds of a thread: helpers go through the edges, the others through the rest; where there
 * are no helpers, through all. */
struct rounds {
    int first, end;
    bool helped;
};

__device__ __forceinline__ struct rounds rounds_of(const struct run_args &r, const struct tile &t,
                                                   int helpers, enum role role)
{
    struct rounds o = {0, r.dim > 2 ? 4 : 3, helpers > 0};
    if (helpers > 0) o.end = 3;
    if (role == BEFORE) o.first = o.end - 1;
    if (role == LAST) o.end--;
    if (t.helper) o.first = 0, o.end = role == OWN ? (t.high + t.wide + helpers - 1) / helpers : 0;
    return o;
}

__device__ __forceinline__ int round_of(const struct tile &t, struct rounds o, int pass)
{
    return t.helper ? (int)EDGES : o.helped && pass == 2 ? (int)ABOVE : pass;
}

/* Edges change hands from plane to plane where there are no helpers. */
__device__ __forceinline__ int edge_of(const struct tile &t, int helpers, int pass, int k)
{
    if (t.helper) return t.id + pass * helpers;
    int e = t.id + (k & 7) * 32;
    while (e >= t.threads)
        e -= t.threads;
    return e;
}

/* Constrained transport: where a column is in a variable of the block, the field at its three faces
 * that get fluxes, asked for before the threads of a tile wait for each other, and which of its
 * fluxes are needed at the edges. */
struct staggered {
    ptrdiff_t at;
    sl_real bn[3];
    bool keeps, keeps_above;
};

template <int N>
__device__ __forceinline__ struct staggered
staggered_of(const struct run_args &r, const struct tile &t, int k, int k0, int k1, enum role role)
{
    struct staggered s = {0, {0, 0, 0}, false, false};
    if constexpr (N == 8) {
        int i = t.x0 + t.tx, j = t.y0 + t.ty;
        bool here = !t.helper && i < r.n[0] + t.halo && j < r.n[1] + t.halo;
        ptrdiff_t row = r.nt[0], area = row * r.nt[1];
        s.at = (k + r.g[2]) * area + (j + r.g[1]) * row + i + r.g[0];
        s.keeps = here && t.halo > 0 && role != BEFORE;
        s.keeps_above = here && k + 1 >= k0 && (k + 1 < k1 || k1 == r.n[2]);
        const sl_real *face = t.u + r.layout.face * r.var + s.at;
        if (!t.helper && i <= r.n[0] && j < r.n[1] + t.halo) {
            if (role != BEFORE) s.bn[0] = face[0];
            if (role != BEFORE && r.dim > 1) s.bn[1] = face[r.var];
            if (role != LAST && r.dim > 2) s.bn[2] = face[2 * r.var + area];
        }
    }
    return s;
}

/* Fluxes of the two fields along a face across an axis, for the edges around it, and where the gas
 * goes between the cells of these densities. */
template <int N>
__device__ __forceinline__ void flux_keep(const struct run_args &r, const struct tile &t, int axis,
                                          ptrdiff_t at, const sl_real (&flux)[N], sl_real below,
                                          sl_real above)
{
    sl_real *to = t.emf.value + 2 * axis * r.var + at;
    to[0] = flux[6];
    to[r.var] = flux[7];
    t.emf.upwind[axis * r.var + at] =
        (signed char)sl_ct_upwind_side(flux[0], t.dt_dx[axis], below, above);
}

/* Electric field in the cell at q, likewise. */
__device__ __forceinline__ void electric_keep(const struct run_args &r, const struct tile &t,
                                              const sl_real *q, ptrdiff_t at)
{
    const sl_real *v = q + SL_MX * t.var, *m = q + r.layout.magnetic * t.var;
#pragma unroll
    for (int c = 0; c < 3; c++) {
        int a = c < 2 ? c + 1 : 0, b = c > 0 ? c - 1 : 2;
        if (c == 2 || r.dim > 2)
            t.emf.value[(EDGE_CELL + c) * r.var + at] =
                sl_ct_cell(v[a * t.var], v[b * t.var], m[a * t.var], m[b * t.var]);
    }
}

/* The field across a face of a round but the last. */
__device__ __forceinline__ sl_real field_across(const struct run_args &r, const struct tile &t,
                                                int round, int e, int k, const struct staggered &s)
{
    if (round != EDGES) return round == ACROSS_X ? s.bn[0] : s.bn[1];
    int axis = e >= t.high, x = axis ? e - t.high : t.wide, y = axis ? t.high : e;
    int i = min(t.x0 + x + r.g[0], r.nt[0] - 1), j = min(t.y0 + y + r.g[1], r.nt[1] - 1);
    return t
        .u[(r.layout.face + axis) * r.var + ((ptrdiff_t)(k + r.g[2]) * r.nt[1] + j) * r.nt[0] + i];
}

/* sl_gas.compression at a face whose lower and upper cell lie in the slots low and high. */
__device__ __forceinline__ sl_real compression_of(const struct run_args &r, const struct tile &t,
                                                  const struct face &f, int low, int high,
                                                  int slots)
{
    sl_real compression = 0;
    for (int up = 0; up < 2; up++) {
        struct near z = near_z(t, up ? high : low, slots);
        const int below[3] = {-1, -t.row, z.b}, above[3] = {1, t.row, z.d};
        compression =
            compression_at(r, f.axis, up ? f.high : f.low, t.var, below, above, compression);
    }
    return compression;
}

/* The flux of a round. */
template <int SOLVER, int N>
__device__ __forceinline__ void
flux_at(const struct run_args &r, const struct tile &t, const struct face &f, struct place at,
        const sl_real (&l)[N], const sl_real (&h)[N], sl_real (&flux)[N])
{
    if (SOLVER != CHOSEN) {
        flux_of(SOLVER, &r.gas, l, h, flux);
        return;
    }
    struct sl_gas gas = r.gas;
    if (r.needs_compression)
        gas.compression =
            compression_of(r, t, f, at.slot, f.axis < 2 ? at.slot : at.next, at.slots);
    flux_of(r.solver, &gas, l, h, flux);
}

/* The face of a round and the values at its sides; false: the thread has none there. e: number of
 * the edge; plus: what became of those that the column hands on. */
template <int METHOD, int LIMITER, int N>
__device__ __forceinline__ bool sides_of(const struct run_args &r, const struct tile &t, int k,
                                         struct place at, const struct staggered &s, int round,
                                         int e, struct column<N> *c, struct face *f,
                                         struct limited *plus, sl_real (&l)[N], sl_real (&h)[N])
{
    if (round == ABOVE) {
        f->axis = 2;
        f->low = t.planes + at.slot * t.slot + t.center;
        f->high = t.planes + at.next * t.slot + t.center;
        f->near = near_z(t, at.next, at.slots);
        *plus = sides_column<METHOD, LIMITER>(r, t, f, c, l, h);
        if constexpr (N == 8) l[5] = s.bn[2];
        return true;
    }
    if (!face_across(r, t, t.planes + at.slot * t.slot, round, e, f)) return false;
    sides_across<METHOD, LIMITER>(r, t, f, l, h);
    if constexpr (N == 8) l[5] = field_across(r, t, round, e, k, s);
    return true;
}

/* The flux of a round, and where it goes. */
template <int METHOD, int LIMITER, int SOLVER, int N>
__device__ __forceinline__ void flux_round(const struct run_args &r, const struct tile &t, int k,
                                           struct place at, const struct staggered &s, int round,
                                           int e, struct column<N> *c)
{
    struct face f;
    sl_real l[N], h[N], flux[N];
    struct limited plus = {true, 0};
    if (!sides_of<METHOD, LIMITER>(r, t, k, at, s, round, e, c, &f, &plus, l, h)) return;
    flux_at<SOLVER>(r, t, f, at, l, h, flux);
    if constexpr (N == 8) {
        if (round == ABOVE && s.keeps_above)
            flux_keep(r, t, 2, s.at + (ptrdiff_t)r.nt[0] * r.nt[1], flux, f.high[f.near.b],
                      f.high[0]);
        else if (round < EDGES && s.keeps)
            flux_keep(r, t, round, s.at, flux, f.low[0], f.high[0]);
    }
    if (round == ABOVE) {
        if (r.has_gravity || r.layout.entropy >= 0) c->mass = c->above[0];
#pragma unroll
        for (int i = 0; i < N; i++)
            c->more[i] = flux[i] - c->above[i], c->above[i] = flux[i];
        extras_column<METHOD, LIMITER>(r, t, f, plus, flux[0]);
        return;
    }
    struct order<N> v = order_of<N>(r, f.axis);
#pragma unroll
    for (int i = 0; i < N; i++)
        if (is_changed<N>(r, i)) f.to[v.at[i] * f.var] = flux[i];
    extras_across<METHOD, LIMITER>(r, t, f, flux[0]);
}

/* Rounds that have a copy of the solver's code to themselves, which takes fewer instructions
 * because the axis is known. A kernel of more than some 2800 in all does not stay in the cache
 * (measured on an NVIDIA H200). */
enum apart { NONE_APART, ABOVE_APART, ALL_APART };

__host__ __device__ constexpr enum apart apart_of(int method, int solver, int field, int kind)
{
    if (!knows(kind) || method != SL_RECONSTRUCT_plm || solver == SL_RIEMANN_roe) return NONE_APART;
    if (field == FIELD_NONE)
        return tile_of_kernel(reach_of(method), field, kind).helpers > 0 ? NONE_APART : ALL_APART;
    return field == FIELD_STAGGERED && kind != KIND_SMALL ? ABOVE_APART : NONE_APART;
}

/* All fluxes that plane k needs: across x and y, and the one above it. Before the tile's first
 * plane the last alone. */
template <int METHOD, int LIMITER, int SOLVER, enum apart APART, int N>
__device__ __forceinline__ void fluxes(const struct run_args &r, const struct tile &t, int helpers,
                                       int k, enum role role, struct place at,
                                       const struct staggered &s, struct column<N> *c)
{
    constexpr auto one = flux_round<METHOD, LIMITER, SOLVER, N>;
    struct rounds o = rounds_of(r, t, helpers, role);
    bool above = APART != NONE_APART && !t.helper && role != LAST;
    if (APART == ALL_APART && role != BEFORE) {
        one(r, t, k, at, s, ACROSS_X, 0, c);
        one(r, t, k, at, s, ACROSS_Y, 0, c);
        one(r, t, k, at, s, EDGES, edge_of(t, helpers, 0, k), c);
    }
    if (above) o.end--;
#pragma unroll 1
    for (int pass = o.first; APART != ALL_APART && pass < o.end; pass++) {
        int round = round_of(t, o, pass);
        if (round == ACROSS_Y && r.dim == 1) continue;
        one(r, t, k, at, s, round, edge_of(t, helpers, pass, k), c);
    }
    if (above) one(r, t, k, at, s, ABOVE, 0, c);
}

/* The new value of variable v of a cell, from the state and the old state; more: flux above less
 * that below. */
__device__ __forceinline__ sl_real updated(const struct stage_args &a, const struct tile &t, int v,
                                           sl_real more, sl_real u, sl_real u0)
{
    const sl_real *x = t.fx + v * t.xvar + t.ty * (t.wide + 1) + t.tx;
    const sl_real *y = t.fy + v * t.yvar + t.ty * t.wide + t.tx;
    sl_real by[3] = {(x[1] - x[0]) * a.s.dt_dx[0], 0, 0};
    if (a.run.dim > 1) by[1] = (y[t.wide] - y[0]) * a.s.dt_dx[1];
    if (a.run.dim > 2) by[2] = more * a.s.dt_dx[2];
    return sl_update(a.s.b, u0, u, sl_sum_axes(a.run.dim, by));
}

/* State and old state of a cell, asked for before the threads of a tile wait for each other. */
template <int N> struct states {
    sl_real u[N], u0[N];
};

/* Zeros where none are due: what is left undefined would take registers all through the loop. */
template <int N>
__device__ __forceinline__ void states_fetch(const struct stage_args &a, bool due, ptrdiff_t at,
                                             struct states<N> *s)
{
    struct order<N> v = order_of<N>(a.run, 2);
    bool old = due && a.s.b != 1;
#pragma unroll
    for (int i = 0; i < N; i++)
        s->u[i] = due && is_changed<N>(a.run, i) ? a.s.from[at + v.at[i] * a.run.var] : 0;
#pragma unroll
    for (int i = 0; i < N; i++)
        s->u0[i] = old && is_changed<N>(a.run, i) ? a.s.u0[at + v.at[i] * a.run.var] : 0;
}

/* What updated values are of a cell, in the order of faces across z. */
__device__ __forceinline__ struct cell cell_from(const sl_real (&n)[5])
{
    struct cell c = {{n[0], n[2], n[3], n[1], n[4]}, {0, 0, 0}};
    return c;
}
template <int N> __device__ __forceinline__ struct cell cell_from(const sl_real (&n)[N])
{
    struct cell c = {{n[0], n[2], n[3], n[1], n[4]}, {n[6], n[7], n[5]}};
    return c;
}

/* What the acceleration adds to a cell: values in the order of faces across z. */
template <int N>
__device__ __forceinline__ void add_gravity(const struct stage_args &a, const struct tile &t,
                                            const struct column<N> &c, sl_real rho, sl_real (&n)[N])
{
    const sl_real *x = t.fx + t.ty * (t.wide + 1) + t.tx, *y = t.fy + t.ty * t.wide + t.tx;
#pragma unroll
    for (int d = 0; d < 3; d++) {
        if (d >= a.run.dim || a.run.gravity[d] == 0) continue;
        const int turned = d == 0 ? 2 : d == 1 ? 3 : 1;
        sl_real kick = sl_update_kick(a.s.b, a.s.dt, a.run.gravity[d]);
        sl_real low = d == 0 ? x[0] : d == 1 ? y[0] : c.mass;
        sl_real high = d == 0 ? x[1] : d == 1 ? y[t.wide] : c.above[0];
        n[turned] = n[turned] + sl_update_impulse(kick, rho);
        n[4] = n[4] + sl_update_work(kick, low, high);
    }
}

/* Fluxes of a cell across an axis for sl_dual_part, from those at its lower face; m: places of
 * the momenta along the axis and along the two others. */
__device__ __forceinline__ struct sl_dual_faces dual_faces(const sl_real *f, int step, int var,
                                                           const int (&m)[3])
{
    struct sl_dual_faces d = {f[0], f[step], f[m[0] * var + step] - f[m[0] * var]};
    for (int i = 0; i < 2; i++)
        d.side[i] = f[m[i + 1] * var + step] - f[m[i + 1] * var];
    return d;
}

/* sl_dual_spread of the cell at u, from the fluxes around it: c holds those across z. */
template <int N>
__device__ __forceinline__ sl_real spread_of(const struct run_args &r, const struct tile &t,
                                             const struct column<N> &c, const sl_real *u)
{
    const sl_real *x = t.fx + t.ty * (t.wide + 1) + t.tx, *y = t.fy + t.ty * t.wide + t.tx;
    struct sl_dual_part part[3] = {};
    part[0] = dual_part(r, u, 0, dual_faces(x, 1, t.xvar, {SL_MX, SL_MY, SL_MZ}));
    if (r.dim > 1)
        part[1] = dual_part(r, u, 1, dual_faces(y, t.wide, t.yvar, {SL_MY, SL_MZ, SL_MX}));
    if (r.dim > 2)
        part[2] = dual_part(r, u, 2, {c.mass, c.above[0], c.more[1], {c.more[2], c.more[3]}});
    return sl_dual_spread(r.dim, u[0], part);
}

/* A value that the compiler takes for another one: what follows from it is made anew where it is
 * asked for, and takes no registers before. */
__device__ __forceinline__ unsigned anew(unsigned x)
{
    asm volatile("" : "+r"(x));
    return x;
}

/* Keeps the mass that crosses the faces of the cell at `at`: the lower ones across x and y, the
 * upper ones of the last cell, and the one above it; below: of the plane below the first that
 * alone. */
template <int N>
__device__ __forceinline__ void mass_keep(const struct run_args &r, const struct sl_device_stage &s,
                                          const struct tile &t, ptrdiff_t at, bool below,
                                          const struct column<N> &c)
{
    size_t block = anew((unsigned)t.block);
    unsigned cell = anew((unsigned)at) - (unsigned)(block * (size_t)r.nvar * (size_t)r.var);
    unsigned line = cell / (unsigned)r.nt[0], plane = line / (unsigned)r.nt[1];
    int i = (int)(cell - line * (unsigned)r.nt[0]) - r.g[0];
    int j = (int)(line - plane * (unsigned)r.nt[1]) - r.g[1], k = (int)plane - r.g[2];
    if (r.dim > 2) mass_put(s, sl_mass_flux_at(r.dim, r.n, block, 2, k + 1, j, i), c.above[0]);
    if (below) return;
    int ty = (int)anew((unsigned)t.ty), tx = (int)anew((unsigned)t.tx);
    const sl_real *x = t.fx + ty * (t.wide + 1) + tx, *y = t.fy + ty * t.wide + tx;
    size_t put = sl_mass_flux_at(r.dim, r.n, block, 0, k, j, i);
    mass_put(s, put, x[0]);
    if (i == r.n[0] - 1) mass_put(s, put + 1, x[1]);
    if (r.dim == 1) return;
    put += sl_mass_flux_faces(r.dim, r.n);
    mass_put(s, put, y[0]);
    if (j == r.n[1] - 1) mass_put(s, put + (size_t)r.n[0] + 1, y[t.wide]);
}

template <int KIND, int N>
__device__ __forceinline__ void cell_update(const struct stage_args &a, const struct tile &t,
                                            ptrdiff_t at, const struct column<N> &c,
                                            const struct states<N> &s, struct signal *signal)
{
    const struct run_args &r = a.run;
    struct order<N> v = order_of<N>(r, 2);
    sl_real n[N], *out = a.s.out + at;
#pragma unroll
    for (int i = 0; i < N; i++) {
        n[i] = is_changed<N>(r, i) ? updated(a, t, v.at[i], c.more[i], s.u[i], s.u0[i]) : 0;
        if (i == 8) n[i] = a.s.damp * n[i];
        if (is_changed<N>(r, i)) out[v.at[i] * r.var] = n[i];
    }
    if (!knows(KIND) && r.has_gravity) {
        add_gravity(a, t, c, a.s.u[at], n);
#pragma unroll
        for (int i = 1; i < 5; i++)
            if (is_value(r, i)) out[v.at[i] * r.var] = n[i];
    }
    for (int e = r.extra; e < r.nflow; e++) {
        sl_real more = r.dim > 2 ? *extra_at(r, t, e, 2) - *extra_at(r, t, e, 1) : 0;
        ptrdiff_t by = e * r.var;
        out[by] = updated(a, t, e, more, a.s.from[at + by], a.s.b == 1 ? 0 : a.s.u0[at + by]);
    }
    bool dual = takes_extras(KIND) && r.layout.entropy >= 0;
    if (dual) agree_or_later<N>(r, spread_of(r, t, c, out), out);
    if (N == 8) return; /* the field is made next */
    struct cell made = cell_from(n);
    if (dual) {
        made.c.en = out[4 * r.var];
    }
    signal_add(r, a.s.per_dx, a.s.last, made, signal);
}

/* What the rows SL_TAKES say of a kernel. */
__host__ __device__ constexpr struct takes takes_of(int field, int kind)
{
    constexpr bool yes = true, no = false, single = sizeof(sl_real) == sizeof(float);
#define SL_KERNEL(...)
#define SL_TAKES(of_field, of_kind, order, odd_rows)                                               \
    if (field == FIELD_##of_field && kind == KIND_##of_kind) return takes{order, odd_rows};
#include "gpu/kernels.def"
#undef SL_KERNEL
#undef SL_TAKES
    return takes{yes, yes};
}

/* Puts what the kernel knows in the place of what the run says, which is the same. */
template <int METHOD, int FIELD, int KIND>
__device__ __forceinline__ void literals(struct stage_args *a)
{
    struct run_args *r = &a->run;
    constexpr int REACH = reach_of(METHOD), ISOTHERMAL = KIND == KIND_ISOTHERMAL;
    constexpr int FLOW = values_of(FIELD) - ISOTHERMAL, STAGGERED = FIELD == FIELD_STAGGERED;
    if (FIELD == FIELD_NONE) r->layout.magnetic = -1;
    if (!STAGGERED) r->layout.face = -1;
    if (!takes_of(FIELD, KIND).order) a->order = NULL;
    if (!knows(KIND)) return;
    r->dim = 3;
    r->gas.eos = ISOTHERMAL ? SL_EOS_isothermal : SL_EOS_ideal;
    r->layout.magnetic = FIELD ? 5 - ISOTHERMAL : -1;
    r->layout.energy = ISOTHERMAL ? -1 : 4;
    r->has_gravity = 0;
    r->extra = FLOW;
    if (!takes_extras(KIND)) {
        r->layout.entropy = -1;
        r->layout.face = STAGGERED ? FLOW : -1;
        r->nflow = FLOW;
        r->nvar = FLOW + (STAGGERED ? 3 : 0);
    }
    r->g[0] = r->g[1] = r->g[2] = REACH + 1;
    a->tile[0] = tile_of_kernel(REACH, FIELD, KIND).wide;
    a->tile[1] = tile_of_kernel(REACH, FIELD, KIND).high;
}

/* The first planes of a tile that begins with plane k, from the lowest that the values below it
 * need, into the slots 0, 1 ... */
template <int REACH, int VARS, int KIND, bool ODD_TOO>
__device__ __forceinline__ void planes_start(const struct run_args &r, const struct tile &t, int k,
                                             int planes)
{
    int id = (int)threadIdx.x, threads = (int)blockDim.x;
#pragma unroll 1
    for (int s = 0; s < planes; s++)
        if (knows(KIND))
            plane_load_pairs<VARS, KIND, ODD_TOO>(r, t, k - 1 - REACH + s, s, id, threads);
        else
            plane_load(r, t, k - 1 - REACH + s, s, id, threads);
}

/* The values at the upper face of a column's cell in the plane above `at`. */
template <int METHOD, int LIMITER, int N>
__device__ __forceinline__ void column_start(const struct run_args &r, const struct tile &t,
                                             struct place at, struct column<N> *c)
{
    const sl_real *q = t.planes + at.next * t.slot + t.center;
    struct near o = near_z(t, at.next, at.slots);
    struct limited d = face_at<METHOD, LIMITER>(r, q, t.var, order_of<N>(r, 2), o, true, c->plus);
    for (int e = r.extra; e < r.nflow; e++)
        *extra_at(r, t, e, 0) = extra_side<METHOD, LIMITER>(r, q + e * t.var, o, true, d);
}

__device__ __forceinline__ int slot_after(int slot, int by, int slots)
{
    slot += by;
    return slot >= slots ? slot - slots : slot;
}

/* Three dimensions: before a tile's first plane the values at its lower faces are made, then the
 * flux there. */
template <int METHOD, int LIMITER, int SOLVER, int FIELD, int KIND>
__global__ void __launch_bounds__(threads_of(tile_of_kernel(reach_of(METHOD), FIELD, KIND)),
                                  tile_of_kernel(reach_of(METHOD), FIELD, KIND).blocks)
    stage(const __grid_constant__ struct stage_args given)
{
    constexpr int REACH = planes_beside(reach_of(METHOD), KIND), N = values_of(FIELD);
    constexpr int VARS = N - (KIND == KIND_ISOTHERMAL);
    constexpr enum apart APART = apart_of(METHOD, SOLVER, FIELD, KIND);
    constexpr bool ODD_TOO = takes_of(FIELD, KIND).odd_rows;
    constexpr int HELPERS = knows(KIND) ? tile_of_kernel(REACH, FIELD, KIND).helpers : 0;
    struct stage_args a = given;
    literals<METHOD, FIELD, KIND>(&a);
    const struct run_args &r = a.run;
    bool deep = r.dim > 2;
    struct place here = {0, REACH, deep ? slots_of(REACH, HELPERS, KIND) : 1};
    struct signal signal = {0, 0, 0};
    struct column<N> c = {
    };
    int block, k0;
    struct tile t = tile_of(a, here.slots, HELPERS, &block, &k0);
    t.dt_dx = given.s.dt_dx; /* stays in constant memory */
    int k1 = min(k0 + a.chunk, r.n[2]), first = deep ? k0 - 1 : k0;
    int end = deep && k1 == r.n[2] ? k1 + t.halo : k1;
    int i = t.x0 + t.tx, j = t.y0 + t.ty;
    bool inside = !t.helper && i >= 0 && i < r.n[0] && j >= 0 && j < r.n[1];
    ptrdiff_t area = (ptrdiff_t)r.nt[0] * r.nt[1];
    ptrdiff_t at = (ptrdiff_t)block * r.nvar * r.var + (first + r.g[2]) * area +
                   (ptrdiff_t)(j + r.g[1]) * r.nt[0] + i + r.g[0];
    if (deep) {
        planes_start<REACH, VARS, KIND, ODD_TOO>(r, t, k0, 2 * REACH + 1 + (HELPERS > 0));
        __syncthreads();
        if (!t.helper) column_start<METHOD, LIMITER>(r, t, here, &c);
        here.slot = here.next, here.next = slot_after(here.slot, 1, here.slots);
        __syncthreads();
    }
#pragma unroll 1
    for (int k = first; k < end; k++, at += area) {
        enum role role = role_of(r, t, k, k0);
        struct staggered faces = staggered_of<N>(r, t, k, k0, k1, role);
        if (HELPERS == 0 && (!deep || role != LAST)) {
            int plane = deep ? k + 1 + REACH : k;
            int slot = deep ? slot_after(here.next, REACH, here.slots) : 0;
            if (!knows(KIND))
                plane_load(r, t, plane, slot, t.id, t.threads);
            else
                plane_load_pairs<VARS, KIND, ODD_TOO>(r, t, plane, slot, t.id, t.threads);
        }
        __syncthreads();
        if (N == 8 && faces.keeps)
            electric_keep(r, t, t.planes + here.slot * t.slot + t.center, faces.at);
        fluxes<METHOD, LIMITER, SOLVER, APART>(r, t, HELPERS, k, role, here, faces, &c);
        if (t.helper && k + 1 < k1)
            plane_load_pairs<VARS, KIND, ODD_TOO>(
                r, t, k + 2 + REACH, slot_after(here.next, REACH + 1, here.slots), t.id, HELPERS);
        struct states<N> state;
        bool due = role == OWN && inside;
        states_fetch(a, due, at, &state);
        __syncthreads();
        here.slot = deep ? here.next : 0;
        here.next = slot_after(here.slot, 1, here.slots);
        if (due && a.s.b != 1 && k + 1 < k1) prefetch(r, changed_of(r), a.s.u0 + at + area);
        if (KIND != KIND_ISOTHERMAL && given.s.mass && inside && (due || k < 0))
            mass_keep(r, given.s, t, at, k < 0, c);
        if (due) cell_update<KIND>(a, t, at, c, state, &signal);
    }
    if (FIELD != FIELD_STAGGERED) signal_put(a.signal + (at < a.leaves ? 0 : COVERED), signal);
}

/* An entry of a list of kernels. */
#define STAGE(method, limiter, solver, field, kind)                                                \
    {                                                                                              \
        method, limiter, solver, field, kind, takes_of(field, kind),                               \
            stage<method, limiter, solver, field, kind>                                            \
    }

#endif
