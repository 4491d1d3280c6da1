/* composite_gpu.cu - the potential of gas on levels on one device: the loops of
 * core/gravity/potential_loops.def and potential_cycle.c, with their bodies of core/cell/poisson.h;
 * see composite.h. */
#include <stdlib.h>
#include <string.h>

#include "core/cell/drive.h"
#include "core/cell/poisson.h"
#include "gpu/composite.h"
#include "gpu/nest.cuh"

enum { FIELDS = SL_DEVICE_POTENTIAL_FIELDS };

/* The bodies of core/cell/poisson.h for either kind of numbers. */
template <class REAL>
static __device__ __forceinline__ REAL moved_of(const REAL *coarse, ptrdiff_t step, int child)
{
    if constexpr (sizeof(REAL) == sizeof(sl_cycle_real))
        return sl_cycle_moved(coarse, step, child);
    else
        return sl_poisson_moved(coarse, step, child);
}
template <class REAL>
static __device__ __forceinline__ REAL ghost_of(REAL coarse, REAL first, REAL second)
{
    if constexpr (sizeof(REAL) == sizeof(sl_cycle_real))
        return sl_cycle_ghost(coarse, first, second);
    else
        return sl_poisson_ghost(coarse, first, second);
}

/* A level as kernels have it. Its fields have ghost cells where other ranks have cells beside it,
 * and on the root grid; on one rank finer levels have none (g is 0). */
struct level {
    int dim, nblock, nleaf, n[3], g[3], ring_n[3];
    int pulled;             /* blocks that have accelerations: the leaves, or all */
    ptrdiff_t step[3], var; /* var: of a block */
    size_t ring_cells;
    sl_real h[3], per_h2[3], cycle_h[3];
    sl_cycle_real cycle_per_h2[3];
    const int *near;                    /* [nblock][SL_NDIR]; borrowed */
    const unsigned char *edges, *sides; /* [nblock] */
    const void *ring;                   /* of phi or the correction; NULL: coarse values are 0 */
    sl_cycle_real *beyond; /* [nblock][6][face_cells]; of a correction what coarse_beyond says */
    int face_cells;
};

/* Sides of a coarse leaf with finer blocks beyond them, in the order of their axes: jobs
 * first[axis] .. first[axis + 1] - 1; of each face and quarter of it the job, -1: there is none. */
struct match_leaf {
    int first[4], side[6][4];
};

struct sl_device_potential {
    struct sl_device *on;  /* borrowed */
    struct shared *shared; /* held */
    struct level a;
    /* owned: all fields and the rings; in it the rings, fields of cycles, and of the root grid one
     * for transforms, NULL: it is another grid */
    sl_real *slab, *ring, *wide;
    sl_cycle_real *correction, *residual;
    sl_real *pull;              /* owned; accelerations, and how they bend; NULL: none were made */
    unsigned char *bits;        /* owned; edges, then sides */
    size_t values;              /* of a field */
    struct sl_cover_job *cover; /* owned; device, likewise all that follows */
    struct sl_reflux_job *side, *side_out;
    struct match_leaf *leaf;
    unsigned long long *most; /* [2], as bits */
    int ncover[3], nleaf, nout;
    int most_sides; /* cells of the sides of a leaf */
};

/* ---- where cells are ------------------------------------------------------------------------- */

static __device__ __forceinline__ ptrdiff_t place_of(const struct level &a, int block,
                                                     const int c[3])
{
    return block * a.var + (c[2] + a.g[2]) * a.step[2] + (c[1] + a.g[1]) * a.step[1] + c[0] +
           a.g[0];
}

/* Interior cell i of the blocks of a rank, of a row of `wide` cells; its block, -1: beyond the
 * last of `blocks`. */
static __device__ __forceinline__ int cell_of(const struct level &a, size_t i, int wide, int blocks,
                                              int c[3])
{
    unsigned row = (unsigned)i / (unsigned)wide, plane = row / (unsigned)a.n[1];
    unsigned block = plane / (unsigned)a.n[2];
    c[0] = (int)((unsigned)i - row * (unsigned)wide);
    c[1] = (int)(row - plane * (unsigned)a.n[1]);
    c[2] = (int)(plane - block * (unsigned)a.n[2]);
    return i >> 32 || block >= (unsigned)blocks ? -1 : (int)block;
}

/* The coarse cell beyond a face of a block, moved to the row of fine cell c. */
template <class REAL>
static __device__ REAL coarse_beyond(const struct level &a, int block, const int c[3], int axis,
                                     int upper)
{
    const ptrdiff_t step[3] = {1, a.ring_n[0], (ptrdiff_t)a.ring_n[0] * a.ring_n[1]};
    const REAL *ring = (const REAL *)a.ring + (size_t)block * a.ring_cells;
    for (int d = 0; d < a.dim; d++)
        ring += step[d] * (d != axis ? c[d] / 2 + 1 : upper ? a.ring_n[d] - 1 : 0);
    REAL value = *ring;
    for (int d = 0; d < a.dim; d++)
        if (d != axis) value += moved_of(ring, step[d], c[d] % 2);
    return value;
}

/* Beyond the edge of the level, at a face of cell (x, y, z): its value and that of the cell behind
 * it are there. A function that is called: few cells ask. */
template <class REAL>
static __device__ __noinline__ REAL edge_value(const struct level &a, int block, int x, int y,
                                               int z, int face, REAL first, REAL second)
{
    const int c[3] = {x, y, z};
    REAL coarse = a.ring ? coarse_beyond<REAL>(a, block, c, face / 2, face % 2) : 0;
    return ghost_of(coarse, first, second);
}

template <class REAL>
static __device__ __forceinline__ REAL edge_beside(const struct level &a, const REAL *field,
                                                   int block, const int c[3], ptrdiff_t at,
                                                   int axis, int upper)
{
    ptrdiff_t in = upper ? -a.step[axis] : a.step[axis];
    return edge_value(a, block, c[0], c[1], c[2], 2 * axis + upper, field[at], field[at + in]);
}

/* The cell beside cell c of a block, which is at `at`, along an axis. */
template <class REAL>
static __device__ __forceinline__ REAL beside(const struct level &a, const REAL *field, int block,
                                              const int c[3], ptrdiff_t at, int axis, int upper)
{
    ptrdiff_t step = upper ? a.step[axis] : -a.step[axis];
    if (c[axis] != (upper ? a.n[axis] - 1 : 0)) return field[at + step];
    int other = a.near[block * SL_NDIR + sl_dir_across(axis, upper)];
    if (other >= 0) return field[at + (other - block) * a.var + step - a.n[axis] * step];
    if (a.edges[block] >> (2 * axis + upper) & 1)
        return edge_beside(a, field, block, c, at, axis, upper);
    return field[at + step];
}

/* What a thread works on: cells lo .. hi of a block. */
struct cells {
    int block, lo[3], hi[3];
};

/* The steps from its outermost cells to those beyond; bit f of edge: beyond face f is the edge of
 * the level. Found at once and without branches: what is loaded after a branch waits for it. */
struct reach {
    ptrdiff_t step[6];
    unsigned edge;
};

template <int DIM>
static __device__ __forceinline__ struct reach reach_of(const struct level &a,
                                                        const struct cells &w)
{
    struct reach r;
    int other[2 * DIM];
    const unsigned edges = a.edges[w.block];
    r.edge = 0;
#pragma unroll
    for (int f = 0; f < 2 * DIM; f++)
        other[f] = a.near[w.block * SL_NDIR + sl_dir_across(f / 2, f % 2)];
#pragma unroll
    for (int f = 0; f < 2 * DIM; f++) {
        const int axis = f / 2, upper = f % 2;
        const ptrdiff_t step = upper ? a.step[axis] : -a.step[axis];
        const bool out = upper ? w.hi[axis] == a.n[axis] - 1 : w.lo[axis] == 0;
        const unsigned edge = out && other[f] < 0 ? edges >> f & 1 : 0;
        const ptrdiff_t far = (other[f] - w.block) * a.var + step - a.n[axis] * step;
        r.step[f] = edge ? 0 : out && other[f] >= 0 ? far : step;
        r.edge |= edge << f;
    }
    return r;
}

/* A cell and those around it, as the bodies of poisson.h take them, whose steps are 1, 2, 3. */
template <class REAL> struct star {
    REAL at[7];
};

/* Place of the value beyond face f. */
static __device__ __forceinline__ constexpr int star_at(int f)
{
    return f % 2 ? 4 + f / 2 : 2 - f / 2;
}

/* Whether cell c lies at face f of the cells of a thread, and the step beyond it. */
static __device__ __forceinline__ bool outermost(const struct cells &w, const int c[3], int f)
{
    return c[f / 2] == (f % 2 ? w.hi[f / 2] : w.lo[f / 2]);
}
static __device__ __forceinline__ ptrdiff_t step_beyond(const struct level &a,
                                                        const struct cells &w,
                                                        const struct reach &r, const int c[3],
                                                        int f)
{
    return outermost(w, c, f) ? r.step[f] : f % 2 ? a.step[f / 2] : -a.step[f / 2];
}

/* Faces of cell c beyond which the level ends. */
template <int DIM>
static __device__ __forceinline__ unsigned edges_at(const struct cells &w, const struct reach &r,
                                                    const int c[3])
{
    unsigned out = 0;
#pragma unroll
    for (int f = 0; f < 2 * DIM; f++)
        out |= (unsigned)outermost(w, c, f) << f;
    return out & r.edge;
}

/* Place of what lies beyond face f at cell c of a block. */
static __device__ __forceinline__ size_t beyond_at(const struct level &a, int block, const int c[3],
                                                   int f)
{
    const int u = f < 2 ? 1 : 0, v = f < 4 ? 2 : 1;
    return ((size_t)block * 6 + (size_t)f) * (size_t)a.face_cells + (size_t)(c[v] * a.n[u] + c[u]);
}

/* A cycle asks for each value in six half sweeps, which the call would take most of the time of:
 * the rings were looked up for all of them. */
template <int DIM, bool CYCLE, class REAL>
static __device__ __forceinline__ void star_edges(const struct level &a, int block, const int c[3],
                                                  unsigned edges, struct star<REAL> *s)
{
    if (edges == 0) return;
#pragma unroll
    for (int f = 0; f < 2 * DIM; f++) {
        if (!(edges >> f & 1)) continue;
        const REAL first = s->at[3], second = s->at[star_at(f ^ 1)];
        if constexpr (CYCLE)
            s->at[star_at(f)] =
                sl_cycle_ghost(a.ring ? a.beyond[beyond_at(a, block, c, f)] : 0, first, second);
        else
            s->at[star_at(f)] = edge_value(a, block, c[0], c[1], c[2], f, first, second);
    }
}

template <int DIM, bool CYCLE, class REAL>
static __device__ __forceinline__ struct star<REAL>
star_of(const struct level &a, const REAL *field, const struct cells &w, const struct reach &r,
        const int c[3], ptrdiff_t at) {
    struct star<REAL> s;
    s.at[3] = field[at];
#pragma unroll
    for (int f = 0; f < 2 * DIM; f++)
        s.at[star_at(f)] = field[at + step_beyond(a, w, r, c, f)];
    star_edges<DIM, CYCLE>(a, w.block, c, edges_at<DIM>(w, r, c), &s);
    return s;
}

template <int DIM>
static __device__ __forceinline__ sl_cycle_real relaxed_of(const struct level &a,
                                                           const struct star<sl_cycle_real> &s,
                                                           sl_cycle_real residual)
{
    const ptrdiff_t step[3] = {1, 2, 3};
    return sl_cycle_relaxed(DIM, s.at + 3, step, a.cycle_per_h2, residual);
}

/* A cell in or next to a block, also across edges and corners, where `most` axes at most lead out
 * of it. Beyond an edge of an isolated box it follows from those beyond faces, as in
 * corner_fill of potential_loops.def. */
template <int MOST, class REAL>
static __device__ REAL around(const struct level &a, const REAL *field, int block, const int c[3])
{
    int dir = SL_DIR_HERE, count = 0, out = -1, other = -1, in[3];
    ptrdiff_t at = place_of(a, block, c), back = 0;
    for (int d = 0; d < 3; d++) {
        int s = c[d] < 0 ? -1 : c[d] >= a.n[d];
        in[d] = -s;
        if (s == 0) continue;
        dir += s * sl_dir_step(d), back += s * a.n[d] * a.step[d], count++;
        if (out < 0 && a.sides[block] >> (2 * d + (s > 0)) & 1)
            out = d;
        else
            other = d;
    }
    if (count == 0) return field[at];
    int beyond = a.near[block * SL_NDIR + dir];
    if (beyond >= 0) return field[at + (beyond - block) * a.var - back];
    if (count == 1) {
        int axis = out >= 0 ? out : other, first[3] = {c[0], c[1], c[2]};
        if (!(a.edges[block] >> (2 * axis + (in[axis] < 0)) & 1)) return field[at];
        first[axis] += in[axis];
        return edge_beside(a, field, block, first, place_of(a, block, first), axis, in[axis] < 0);
    }
    if (out < 0) return field[at];
    if constexpr (MOST > 1) {
        int across[3] = {c[0], c[1], c[2]}, along[3] = {c[0], c[1], c[2]}, both[3];
        across[out] += in[out], along[other] += in[other];
        for (int d = 0; d < 3; d++)
            both[d] = along[d];
        both[out] += in[out];
        return around<MOST - 1>(a, field, block, across) +
               around<MOST - 1>(a, field, block, along) - around<MOST - 1>(a, field, block, both);
    }
    return field[at];
}

/* ---- one level ------------------------------------------------------------------------------- */

/* A correction in full precision is rounded to that of a cycle and added to the potential. */
static __global__ void potential_apply(size_t n, sl_real back, const sl_real *wide,
                                       sl_cycle_real *correction, sl_real *phi)
{
    if (this_cell() >= n) return;
    const sl_cycle_real value = (sl_cycle_real)wide[this_cell()];
    correction[this_cell()] = value;
    phi[this_cell()] += back * (sl_real)value;
}

static __global__ void potential_widen(size_t n, const sl_cycle_real *from, sl_real *to)
{
    if (this_cell() < n) to[this_cell()] = (sl_real)from[this_cell()];
}

static __global__ void potential_extrapolate(size_t n, sl_real ahead, sl_real *phi, sl_real *before)
{
    const size_t i = this_cell();
    if (i >= n) return;
    const sl_real last = phi[i];
    phi[i] = sl_poisson_ahead(before[i], last, ahead);
    before[i] = last;
}

static __global__ void potential_shift(size_t n, double factor, double mean, sl_real *x)
{
    if (this_cell() < n) x[this_cell()] = (sl_real)(factor * ((double)x[this_cell()] - mean));
}

/* A thread has a cell of a row, or a pair of them, in DEEP planes of a block: none, where hi[2] is
 * below lo[2]. Blocks of threads lie in a row for each block of cells. */
enum { DEEP = 4 };

static __device__ __forceinline__ struct cells column_of(const struct level &a, int pair)
{
    int wide = a.n[0] / pair, row = place_in_row() / wide, slab = row / a.n[1];
    int x = pair * (place_in_row() - row * wide), y = row - slab * a.n[1];
    return {(int)blockIdx.x,
            {x, y, slab * DEEP},
            {x + pair - 1, y, min((slab + 1) * DEEP, a.n[2]) - 1}};
}

template <int DIM>
static __global__ void potential_residual(const __grid_constant__ struct level a, sl_real scale,
                                          const sl_real *__restrict__ phi,
                                          const sl_real *__restrict__ rhs,
                                          sl_cycle_real *__restrict__ residual)
{
    const ptrdiff_t step[3] = {1, 2, 3};
    const struct cells w = column_of(a, 1);
    const struct reach r = reach_of<DIM>(a, w);
#pragma unroll 2
    for (int k = w.lo[2]; k <= w.hi[2]; k++) {
        const int c[3] = {w.lo[0], w.lo[1], k};
        ptrdiff_t at = place_of(a, w.block, c);
        struct star<sl_real> s = star_of<DIM, false>(a, phi, w, r, c, at);
        residual[at] =
            (sl_cycle_real)(scale * (rhs[at] - sl_poisson_lap(DIM, s.at + 3, step, a.per_h2)));
    }
}

/* The cell of a pair that has a colour. */
static __device__ __forceinline__ int coloured(const struct cells &w, int k, int colour)
{
    return w.lo[0] + (k + w.lo[1] + colour) % 2;
}

/* Cells of one colour read those of the other, also in blocks beside: two planes at a time. */
template <int DIM>
static __global__ void potential_sweep(const __grid_constant__ struct level a, int colour,
                                       const sl_cycle_real *__restrict__ residual,
                                       sl_cycle_real *field)
{
    const struct cells w = column_of(a, 2);
    const struct reach r = reach_of<DIM>(a, w);
    for (int first = w.lo[2]; first <= w.hi[2]; first += 2) {
        sl_cycle_real value[2];
        ptrdiff_t at[2];
#pragma unroll
        for (int q = 0; q < 2; q++) {
            const int k = min(first + q, w.hi[2]), c[3] = {coloured(w, k, colour), w.lo[1], k};
            at[q] = place_of(a, w.block, c);
            struct star<sl_cycle_real> s = star_of<DIM, true>(a, field, w, r, c, at[q]);
            value[q] = relaxed_of<DIM>(a, s, residual[at[q]]);
        }
#pragma unroll
        for (int q = 0; q < 2; q++)
            field[at[q]] = value[q];
    }
}

/* A cell relaxed from a field that is 0. */
static __device__ __forceinline__ sl_cycle_real started(const struct level &a,
                                                        sl_cycle_real residual)
{
    const struct star<sl_cycle_real> none = {
        {
            0, 0, 0, 0, 0, 0, 0
        }
    };
    return relaxed_of<3>(a, none, residual);
}

/* The first sweep, of both colours, of a field that is 0 before, beyond the edge, too: cells of the
 * second colour make those of the first one anew. */
template <int DIM>
static __global__ void potential_start(const __grid_constant__ struct level a,
                                       const sl_cycle_real *__restrict__ residual,
                                       sl_cycle_real *__restrict__ field)
{
    const struct cells w = column_of(a, 2);
    const struct reach r = reach_of<DIM>(a, w);
#pragma unroll 2
    for (int k = w.lo[2]; k <= w.hi[2]; k++) {
        const int one[3] = {coloured(w, k, 0), w.lo[1], k},
                  two[3] = {coloured(w, k, 1), w.lo[1], k};
        ptrdiff_t at = place_of(a, w.block, two), first = place_of(a, w.block, one);
        const unsigned edges = edges_at<DIM>(w, r, two);
        struct star<sl_cycle_real> s;
        s.at[3] = 0;
#pragma unroll
        for (int f = 0; f < 2 * DIM; f++)
            s.at[star_at(f)] = started(a, residual[at + step_beyond(a, w, r, two, f)]);
#pragma unroll
        for (int f = 0; f < 2 * DIM; f++)
            if (edges >> f & 1) s.at[star_at(f)] = sl_cycle_ghost(0, 0, s.at[star_at(f ^ 1)]);
        field[first] = started(a, residual[first]);
        field[at] = relaxed_of<DIM>(a, s, residual[at]);
    }
}

/* The last half of a sweep, and the field is added to phi. keep: somebody reads the field later. */
template <int DIM>
static __global__ void potential_end(const __grid_constant__ struct level a, int keep, sl_real back,
                                     const sl_cycle_real *__restrict__ residual,
                                     sl_cycle_real *field, sl_real *__restrict__ phi)
{
    const struct cells w = column_of(a, 2);
    const struct reach r = reach_of<DIM>(a, w);
#pragma unroll 2
    for (int k = w.lo[2]; k <= w.hi[2]; k++) {
        const int one[3] = {coloured(w, k, 0), w.lo[1], k},
                  two[3] = {coloured(w, k, 1), w.lo[1], k};
        ptrdiff_t at = place_of(a, w.block, two), first = place_of(a, w.block, one);
        struct star<sl_cycle_real> s = star_of<DIM, true>(a, field, w, r, two, at);
        sl_cycle_real value = relaxed_of<DIM>(a, s, residual[at]);
        phi[first] += back * (sl_real)field[first];
        phi[at] += back * (sl_real)value;
        if (keep) field[at] = value;
    }
}

/* Coarse cell i of a row, moved along the other axes to row (k, j) of fine cells. */
static __device__ __forceinline__ sl_cycle_real ring_value(const struct level &a,
                                                           const sl_cycle_real *ring, int k, int j,
                                                           int i)
{
    const ptrdiff_t y = a.dim > 1 ? a.ring_n[0] : 0,
                    z = a.dim > 2 ? (ptrdiff_t)a.ring_n[0] * a.ring_n[1] : 0;
    const ptrdiff_t up = j % 2 ? y : -y, back = k % 2 ? z : -z;
    const sl_cycle_real *at = ring + (k / 2 + 1) * z + (j / 2 + 1) * y + i;
    return sl_cycle_child(sl_cycle_child(at[0], at[up]), sl_cycle_child(at[back], at[up + back]));
}

/* What coarse_beyond says of a cell at the edge of the level. */
static __device__ void beyond_keep(const struct level &a, int block, const int c[3])
{
    const unsigned edges = a.edges[block];
    for (int f = 0; f < 2 * a.dim; f++)
        if (edges >> f & 1 && c[f / 2] == (f % 2 ? a.n[f / 2] - 1 : 0))
            a.beyond[beyond_at(a, block, c, f)] =
                coarse_beyond<sl_cycle_real>(a, block, c, f / 2, f % 2);
}

/* What the rings bring to the cells of their blocks, and to the half sweeps that follow. */
static __global__ void potential_add_rings(const __grid_constant__ struct level a,
                                           sl_cycle_real *__restrict__ field)
{
    const struct cells w = column_of(a, 2);
    const sl_cycle_real *__restrict__ ring =
        (const sl_cycle_real *)a.ring + (size_t)w.block * a.ring_cells;
#pragma unroll 2
    for (int k = w.lo[2]; k <= w.hi[2]; k++) {
        const int c[3] = {w.lo[0], w.lo[1], k}, i = w.lo[0] / 2;
        sl_cycle_real line[3], *to = field + place_of(a, w.block, c);
        for (int q = 0; q < 3; q++)
            line[q] = ring_value(a, ring, k, w.lo[1], i + q);
        to[0] += sl_cycle_child(line[1], line[0]);
        to[1] += sl_cycle_child(line[1], line[2]);
        const int next[3] = {c[0] + 1, c[1], k};
        beyond_keep(a, w.block, c);
        beyond_keep(a, w.block, next);
    }
}

/* ---- two levels ------------------------------------------------------------------------------ */

/* Jobs of the list `cover` from the first on, a row of blocks of threads each. */
struct cover_jobs {
    const struct sl_cover_job *job;
    size_t unit; /* values of an octant */
};

/* Of a coarse block the cells in and around an octant; fine: another rank has the block, then they
 * go into a message. */
template <class REAL>
static __global__ void potential_rings(const __grid_constant__ struct level a,
                                       struct cover_jobs jobs,
                                       const __grid_constant__ struct level fine, const REAL *field,
                                       REAL *ring, sl_real *message)
{
    const struct sl_cover_job j = jobs.job[blockIdx.x];
    REAL *to = j.fine < 0 ? (REAL *)(message + j.start / jobs.unit * fine.ring_cells)
                          : ring + (size_t)j.fine * fine.ring_cells;
    for (int i = place_in_row(); i < (int)fine.ring_cells; i += row_width()) {
        int c[3] = {i % fine.ring_n[0], i / fine.ring_n[0] % fine.ring_n[1],
                    i / (fine.ring_n[0] * fine.ring_n[1])};
        for (int d = 0; d < a.dim; d++)
            c[d] += j.half[d] * (a.n[d] / 2) - 1;
        to[i] = around<3>(a, field, j.coarse, c);
    }
}

template <class REAL>
static __global__ void potential_rings_take(struct cover_jobs jobs, size_t each,
                                            const sl_real *message, REAL *ring)
{
    const struct sl_cover_job j = jobs.job[blockIdx.x];
    const REAL *from = (const REAL *)(message + j.start / jobs.unit * each);
    for (int i = place_in_row(); i < (int)each; i += row_width())
        ring[(size_t)j.fine * each + (size_t)i] = from[i];
}

/* Where cell i of the half of a coarse block goes: into its field or a message; its first child. */
template <class REAL>
static __device__ __forceinline__ REAL *covered(const struct level &coarse,
                                                const struct sl_cover_job &j, int i, REAL *to,
                                                sl_real *message, int child[3])
{
    int half[3], cell[3];
    for (int d = 0; d < 3; d++)
        half[d] = d < coarse.dim ? coarse.n[d] / 2 : 1;
    const int c[3] = {i % half[0], i / half[0] % half[1], i / (half[0] * half[1])};
    for (int d = 0; d < 3; d++) {
        child[d] = d < coarse.dim ? 2 * c[d] : 0;
        cell[d] = c[d] + j.half[d] * half[d];
    }
    return j.coarse < 0 ? (REAL *)(message + j.start) + i : to + place_of(coarse, j.coarse, cell);
}

/* Means of the blocks of phi. Both levels have blocks of one shape. */
static __global__ void potential_cover(const __grid_constant__ struct level coarse,
                                       const __grid_constant__ struct level fine,
                                       struct cover_jobs jobs, const sl_real *from, sl_real *to,
                                       sl_real *message)
{
    const struct sl_cover_job j = jobs.job[blockIdx.x];
    for (int i = place_in_row(); i < (int)jobs.unit; i += row_width()) {
        int child[3];
        sl_real *out = covered(coarse, j, i, to, message, child);
        *out = sl_restrict(fine.dim, from + place_of(fine, j.fine, child), fine.step);
    }
}

/* Those that came from other ranks. */
template <class REAL>
static __global__ void potential_cover_take(const __grid_constant__ struct level coarse,
                                            struct cover_jobs jobs, const sl_real *message,
                                            REAL *to)
{
    const struct sl_cover_job j = jobs.job[blockIdx.x];
    for (int i = place_in_row(); i < (int)jobs.unit; i += row_width()) {
        int child[3];
        *covered<REAL>(coarse, j, i, to, NULL, child) = ((const REAL *)(message + j.start))[i];
    }
}

/* The remainder in the 2^DIM cells of a thread, which have neighbours among each other. */
template <int DIM>
static __device__ __forceinline__ void
remainder_of(const struct level &a, const sl_cycle_real *field, const sl_cycle_real *residual,
             const struct cells &w, sl_real remainder[8])
{
    const struct reach r = reach_of<DIM>(a, w);
    const ptrdiff_t step[3] = {1, 2, 3};
    sl_cycle_real here[8];
    ptrdiff_t place[8];
#pragma unroll
    for (int q = 0; q < 1 << DIM; q++) {
        const int c[3] = {w.lo[0] + (q & 1), w.lo[1] + (q >> 1 & 1), w.lo[2] + (q >> 2)};
        place[q] = place_of(a, w.block, c);
        here[q] = field[place[q]];
    }
#pragma unroll
    for (int q = 0; q < 1 << DIM; q++) {
        const int c[3] = {w.lo[0] + (q & 1), w.lo[1] + (q >> 1 & 1), w.lo[2] + (q >> 2)};
        struct star<sl_cycle_real> s;
        s.at[3] = here[q];
#pragma unroll
        for (int d = 0; d < DIM; d++) {
            const int f = 2 * d + (q >> d & 1);
            s.at[star_at(f ^ 1)] = here[q ^ 1 << d];
            s.at[star_at(f)] = field[place[q] + r.step[f]];
        }
        star_edges<DIM, true>(a, w.block, c, edges_at<DIM>(w, r, c), &s);
        remainder[q] =
            (sl_real)(residual[place[q]] - sl_cycle_lap(DIM, s.at + 3, step, a.cycle_per_h2));
    }
}

struct reduce_args {
    struct level coarse, fine;
    struct cover_jobs jobs;
    const sl_cycle_real *field, *residual;
    sl_cycle_real *to;
    sl_real *message;
};

/* Means of the remainder. */
template <int DIM>
static __global__ void potential_reduce(const __grid_constant__ struct reduce_args a)
{
    const struct sl_cover_job j = a.jobs.job[blockIdx.x];
    const ptrdiff_t step[3] = {1, 2, 4};
    for (int i = place_in_row(); i < (int)a.jobs.unit; i += row_width()) {
        struct cells w = {j.fine, {0, 0, 0}, {0, 0, 0}};
        sl_real remainder[8];
        sl_cycle_real *out = covered(a.coarse, j, i, a.to, a.message, w.lo);
        for (int d = 0; d < 3; d++)
            w.hi[d] = w.lo[d] + (d < DIM);
        remainder_of<DIM>(a.fine, a.field, a.residual, w, remainder);
        *out = (sl_cycle_real)sl_restrict(DIM, remainder, step);
    }
}

/* A face between levels in half cells of the coarse one. */
static __device__ __forceinline__ struct across half_side(const struct level &a, int axis)
{
    struct across s = across_of(a.n, axis);
    for (int i = 0; i < 2; i++)
        s.n[i] = s.axis[i] < a.dim ? a.n[s.axis[i]] / 2 : 1;
    return s;
}

/* As slope_of in potential_loops.def. */
template <class REAL>
static __device__ sl_real slope_of(const struct level &fine, const struct sl_reflux_job &j,
                                   const struct across &s, const REAL *field, const sl_real h[3],
                                   int x, int y)
{
    const ptrdiff_t step[3] = {1, 2, 4};
    sl_real slope[8];
    int c[3];
    c[j.axis] = j.upper ? 0 : fine.n[j.axis] - 1; /* the other side of the fine block */
    for (int q = 0; q < 1 << (fine.dim - 1); q++) {
        c[s.axis[0]] = s.axis[0] < fine.dim ? 2 * x + q % 2 : 0;
        c[s.axis[1]] = s.axis[1] < fine.dim ? 2 * y + q / 2 : 0;
        ptrdiff_t at = place_of(fine, j.fine, c);
        slope[q] =
            (sl_real)(field[at] - beside(fine, field, j.fine, c, at, j.axis, !j.upper)) / h[j.axis];
    }
    return sl_restrict(fine.dim - 1, slope, step);
}

/* Of fine cells, of phi or in cycles. */
struct lengths {
    sl_real h[3];
};

template <class REAL>
static __global__ void potential_slopes(const __grid_constant__ struct level fine,
                                        const struct lengths of, const struct sl_reflux_job *job,
                                        const REAL *field, sl_real *message)
{
    const struct sl_reflux_job j = job[blockIdx.x];
    struct across s = half_side(fine, j.axis);
    for (int i = place_in_row(); i < s.n[0] * s.n[1]; i += row_width())
        message[j.start + (size_t)i] = slope_of(fine, j, s, field, of.h, i % s.n[0], i / s.n[0]);
}

struct match_args {
    struct level coarse, fine;
    const struct match_leaf *leaf;
    const struct sl_reflux_job *job;
    struct lengths of;
    const void *from, *to;
    const sl_real *came, *rhs;
    sl_real scale, *pull;
    sl_cycle_real *residual;
};

/* Cell i of a side. */
static __device__ __forceinline__ void cell_of_side(const int n[3], const struct sl_reflux_job &j,
                                                    const struct across &s, int i, int c[3])
{
    int x = i % s.n[0], y = i / s.n[0];
    c[j.axis] = j.upper ? n[j.axis] - 1 : 0;
    c[s.axis[0]] = x + j.half[s.axis[0]] * s.n[0];
    c[s.axis[1]] = y + j.half[s.axis[1]] * s.n[1];
}

/* The slope towards the finer cells beyond cell i of a side, less that of the cell itself. */
template <class REAL>
static __device__ sl_real match_change(const struct match_args &a, const struct sl_reflux_job &j,
                                       const struct across &s, const int c[3], ptrdiff_t at, int i)
{
    const REAL *from = (const REAL *)a.from, *to = (const REAL *)a.to;
    sl_real own = 0, slope = j.fine < 0
                                 ? a.came[j.start + (size_t)i]
                                 : slope_of(a.fine, j, s, from, a.of.h, i % s.n[0], i / s.n[0]);
    if (to)
        own = (sl_real)(beside(a.coarse, to, j.coarse, c, at, j.axis, j.upper) - to[at]) /
              a.coarse.h[j.axis];
    return slope - own;
}

static __device__ void match_pull(const struct match_args &a, const struct sl_reflux_job &j,
                                  const int c[3], sl_real change)
{
    const int *n = a.coarse.n;
    size_t cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    size_t cell = (size_t)j.coarse * cells + (size_t)((c[2] * n[1] + c[1]) * n[0] + c[0]);
    size_t count = cells * (size_t)a.coarse.pulled;
    a.pull[(size_t)j.axis * count + cell] += (sl_real)(j.upper ? -0.5 : 0.5) * change;
    a.pull[(size_t)(a.coarse.dim + j.axis) * count + cell] -= change;
}

/* The residual of a cell before its finer ones are asked. */
static __device__ sl_real match_residual(const struct match_args &a, int block, const int c[3],
                                         ptrdiff_t at)
{
    const ptrdiff_t step[3] = {1, 2, 3};
    const sl_real *phi = (const sl_real *)a.to;
    struct star<sl_real> s;
    s.at[3] = phi[at];
#pragma unroll
    for (int f = 0; f < 6; f++)
        s.at[star_at(f)] =
            f < 2 * a.coarse.dim ? beside(a.coarse, phi, block, c, at, f / 2, f % 2) : 0;
    return a.rhs[at] - sl_poisson_lap(a.coarse.dim, s.at + 3, step, a.coarse.per_h2);
}

/* The job of a cell of the leaf along an axis, -1: there is none; *i: its number there. */
static __device__ int side_of_cell(const struct match_args &a, const struct match_leaf &l, int axis,
                                   const int c[3], int *i)
{
    const struct across s = half_side(a.fine, axis);
    int upper = c[axis] == a.coarse.n[axis] - 1, x = c[s.axis[0]], y = c[s.axis[1]];
    if (!upper && c[axis] != 0) return -1;
    *i = y % s.n[1] * s.n[0] + x % s.n[0];
    return l.side[2 * axis + upper][y / s.n[1] * 2 + x / s.n[0]];
}

/* Cell i of the sides of a leaf: its number in the side, and that of the job, -1: there are not so
 * many. */
static __device__ int side_of(const struct match_args &a, const struct match_leaf &l, int *i)
{
    for (int axis = 0; axis < a.coarse.dim; axis++) {
        const struct across s = half_side(a.fine, axis);
        int cells = s.n[0] * s.n[1], all = (l.first[axis + 1] - l.first[axis]) * cells;
        if (*i < all) {
            int job = l.first[axis] + *i / cells;
            *i %= cells;
            return job;
        }
        *i -= all;
    }
    return -1;
}

/* A row of blocks of threads per leaf: a cell with finer ones along several axes takes them axis by
 * axis, in the thread of the first. */
template <enum sl_device_match WHAT>
static __global__ void potential_match(const __grid_constant__ struct match_args a)
{
    const struct match_leaf &l = a.leaf[blockIdx.x];
    int c[3], i = place_in_row(), q = side_of(a, l, &i), other = 0;
    if (q < 0) return;
    const struct sl_reflux_job first = a.job[q];
    cell_of_side(a.coarse.n, first, half_side(a.fine, first.axis), i, c);
    for (int axis = 0; axis < first.axis; axis++)
        if (side_of_cell(a, l, axis, c, &other) >= 0) return;
    const ptrdiff_t at = place_of(a.coarse, first.coarse, c);
    sl_real residual = WHAT == SL_DEVICE_MATCH_RESIDUAL     ? match_residual(a, first.coarse, c, at)
                       : WHAT == SL_DEVICE_MATCH_CORRECTION ? (sl_real)a.residual[at]
                                                            : 0;
    for (int axis = first.axis; axis < a.coarse.dim; axis++) {
        q = side_of_cell(a, l, axis, c, &other);
        if (q < 0) continue;
        const struct sl_reflux_job j = a.job[q];
        const struct across s = half_side(a.fine, axis);
        if constexpr (WHAT == SL_DEVICE_MATCH_CORRECTION) {
            sl_real change = match_change<sl_cycle_real>(a, j, s, c, at, other);
            residual = (sl_real)(sl_cycle_real)(residual - change / a.coarse.cycle_h[axis]);
        } else {
            sl_real change = match_change<sl_real>(a, j, s, c, at, other);
            residual -= change / a.coarse.h[axis];
            if (WHAT == SL_DEVICE_MATCH_PULL) match_pull(a, j, c, change);
        }
    }
    if (WHAT == SL_DEVICE_MATCH_RESIDUAL) a.residual[at] = (sl_cycle_real)(a.scale * residual);
    if (WHAT == SL_DEVICE_MATCH_CORRECTION) a.residual[at] = (sl_cycle_real)residual;
}

/* ---- the leaves ------------------------------------------------------------------------------ */

template <int DIM>
static __global__ void potential_pull(const __grid_constant__ struct level a, size_t count,
                                      const sl_real *__restrict__ phi, sl_real *__restrict__ g)
{
    const struct cells w = column_of(a, 1);
    const struct reach r = reach_of<DIM>(a, w);
#pragma unroll 2
    for (int k = w.lo[2]; k <= w.hi[2]; k++) {
        const int c[3] = {w.lo[0], w.lo[1], k};
        struct star<sl_real> s = star_of<DIM, false>(a, phi, w, r, c, place_of(a, w.block, c));
        size_t row = ((size_t)w.block * (size_t)a.n[2] + (size_t)k) * (size_t)a.n[1] + (size_t)c[1];
        sl_real *to = g + row * (size_t)a.n[0] + c[0];
#pragma unroll
        for (int d = 0; d < DIM; d++)
            to[(size_t)d * count] = (sl_real)0.5 / a.h[d] * (s.at[2 - d] - s.at[4 + d]);
#pragma unroll
        for (int d = 0; d < DIM; d++)
            to[(size_t)(DIM + d) * count] =
                1 / a.h[d] * (2 * s.at[3] - (s.at[2 - d] + s.at[4 + d]));
    }
}

/* The largest of the bits of numbers that are not negative; what is no number is larger. Few warps
 * have more than what is there: thousands that wrote would wait for each other. */
static __device__ void raise_bits(unsigned long long *to, unsigned long long x)
{
    for (int by = 16; by > 0; by /= 2) {
        unsigned long long other = __shfl_xor_sync(0xffffffffu, x, by);
        x = other > x ? other : x;
    }
    if (threadIdx.x % 32 == 0 && x > *(volatile unsigned long long *)to) atomicMax(to, x);
}

static __device__ unsigned long long bits_of(double x)
{
    return (unsigned long long)__double_as_longlong(fabs(x));
}

template <class REAL>
static __global__ void potential_largest(struct level a, size_t count, const REAL *field,
                                         unsigned long long *most)
{
    unsigned long long bits = 0;
    for (size_t i = this_cell(); i < count; i += (size_t)gridDim.x * blockDim.x) {
        int c[3], block = cell_of(a, i, a.n[0], a.nleaf, c);
        unsigned long long x = bits_of((double)field[place_of(a, block, c)]);
        bits = x > bits ? x : bits;
    }
    raise_bits(most, bits);
}

struct per_cell {
    double h[3];
};

/* Of `leaves` cells; g: of `count`. */
static __global__ void potential_most(struct level a, size_t leaves, size_t count, const sl_real *g,
                                      struct per_cell per, unsigned long long *most)
{
    double square = 0, pull = 0;
    for (size_t i = this_cell(); i < leaves; i += (size_t)gridDim.x * blockDim.x) {
        double all = 0;
        for (int d = 0; d < a.dim; d++) {
            double x = (double)g[(size_t)d * count + i];
            square = fmax(square, fabs(x) * per.h[d]);
            all += x * x;
        }
        pull = fmax(pull, all);
    }
    raise_bits(most, bits_of(square));
    raise_bits(most + 1, bits_of(pull));
}

/* Sums of the rows of the leaves, row[nleaf n2 n1]: of a field and of its products with another. */
static __global__ void potential_rows(struct level a, const sl_real *field, const sl_real *with,
                                      double (*row)[2])
{
    int c[3], block = cell_of(a, this_cell(), 1, a.nleaf, c);
    double sum[2] = {0, 0};
    if (block < 0) return;
    ptrdiff_t at = place_of(a, block, c);
    for (int i = 0; i < a.n[0]; i++) {
        sum[0] += (double)field[at + i];
        sum[1] += (double)field[at + i] * (double)with[at + i];
    }
    row[this_cell()][0] = sum[0], row[this_cell()][1] = sum[1];
}

/* Integrals over leaves from their rows, in order; a block of threads per leaf. */
static __global__ void potential_sums(int rows, double volume, const double (*row)[2],
                                      double (*out)[2])
{
    __shared__ double part[2][THREADS];
    double sum = 0;
    for (int first = 0; first < rows; first += THREADS) {
        int n = min((int)THREADS, rows - first), i = (int)threadIdx.x;
        __syncthreads();
        if (i < n) {
            const double *from = row[(size_t)blockIdx.x * (size_t)rows + (size_t)(first + i)];
            part[0][i] = volume * from[0], part[1][i] = volume * from[1];
        }
        __syncthreads();
        for (int q = 0; q < n && i < 2; q++)
            sum += part[i][q];
    }
    if (threadIdx.x < 2) out[blockIdx.x][threadIdx.x] = sum;
}

static __global__ void potential_density(struct level a, struct run_args r, const sl_real *u,
                                         sl_real *to)
{
    int c[3], block = cell_of(a, this_cell(), a.n[0], a.nleaf, c);
    if (block < 0) return;
    to[place_of(a, block, c)] = u[cell_at(r, this_cell(), r.nvar)];
}

static __global__ void potential_density_between(struct level a, struct run_args r, sl_real share,
                                                 const sl_real *old, const sl_real *now,
                                                 sl_real *to)
{
    int c[3], block = cell_of(a, this_cell(), a.n[0], a.nleaf, c);
    if (block < 0) return;
    ptrdiff_t at = cell_at(r, this_cell(), r.nvar);
    to[place_of(a, block, c)] = (1 - share) * old[at] + share * now[at];
}

/* The sum over the rows of a leaf of the force at place q % n0 along axis q / n0. */
static __device__ double place_force(const struct run_args &r, int q, size_t first, size_t count,
                                     const sl_real *g, const sl_real *u)
{
    const int axis = q / r.n[0], i = q % r.n[0];
    const sl_real *pull = g + (size_t)axis * count + first + i,
                  *rho = u + cell_at(r, first, r.nvar) + i;
    double sum = 0;
    for (int k = 0; k < r.n[2]; k++)
        for (int j = 0; j < r.n[1]; j++, pull += r.n[0])
            sum += (double)rho[((ptrdiff_t)k * r.nt[1] + j) * r.nt[0]] * (double)*pull;
    return sum;
}

/* Forces on leaves in the order of core/step/net_force.c; a block of threads per leaf. g: of
 * `count` cells. */
static __global__ void potential_force(const __grid_constant__ struct run_args r, size_t count,
                                       const sl_real *g, const sl_real *u, double (*out)[3])
{
    __shared__ double part[NEST_THREADS];
    const int axis = (int)threadIdx.x, places = r.dim * r.n[0];
    const size_t leaf = (size_t)r.n[0] * (size_t)r.n[1] * (size_t)r.n[2] * blockIdx.x;
    double sum = 0;
    for (int first = 0; first < places; first += NEST_THREADS) {
        int q = first + (int)threadIdx.x, end = min(places, first + (int)NEST_THREADS);
        __syncthreads();
        if (q < end) part[threadIdx.x] = place_force(r, q, leaf, count, g, u);
        __syncthreads();
        for (q = max(first, axis * r.n[0]); q < min(end, (axis + 1) * r.n[0]); q++)
            sum += part[q - first];
    }
    if (axis < 3) out[blockIdx.x][axis] = sum;
}

struct push {
    sl_real by[3];
};

/* As core/step/net_force.c, of `cells`. */
static __global__ void potential_push(struct run_args r, size_t cells, struct push push, sl_real *u)
{
    ptrdiff_t place = cell_at(r, this_cell(), r.nvar);
    if (this_cell() >= cells) return;
    sl_real *cell = u + place, rho = cell[0];
    for (int d = 0; d < r.dim; d++) {
        sl_real *m = cell + (1 + d) * r.var;
        if (r.layout.energy >= 0)
            cell[r.layout.energy * r.var] += sl_drive_work(rho, *m, push.by[d]);
        *m += rho * push.by[d];
    }
}

/* As core/step/kick.c, of `kick` cells; g: of `count`. */
static __global__ void potential_kick(struct run_args r, size_t kick, size_t count,
                                      const sl_real *g, sl_real time, sl_real *u, sl_real *kicked)
{
    ptrdiff_t place = cell_at(r, this_cell(), r.nvar);
    sl_real work[3] = {0, 0, 0};
    if (this_cell() >= kick) return;
    sl_real *cell = u + place, rho = cell[0];
#pragma unroll
    for (int d = 0; d < 3; d++) {
        if (d >= r.dim) continue;
        sl_real *m = cell + (1 + d) * r.var, dv = time * g[(size_t)d * count + this_cell()];
        work[d] = sl_drive_work(rho, *m, dv);
        *m += rho * dv;
    }
    sl_real given = (work[0] + work[1]) + work[2];
    if (r.layout.energy >= 0) cell[r.layout.energy * r.var] += given;
    if (kicked) kicked[this_cell()] += given;
}

/* Of `work` cells; g: of `count`. */
static __global__ void potential_work(struct run_args r, size_t work, size_t count,
                                      const sl_real *g,
                                      const __grid_constant__ struct sl_device_work what,
                                      sl_real *u)
{
    sl_real pull[3] = {0, 0, 0}, bend[3] = {0, 0, 0};
    if (this_cell() >= work) return;
    for (int d = 0; d < r.dim; d++) {
        pull[d] = g[(size_t)d * count + this_cell()];
        bend[d] = g[(size_t)(r.dim + d) * count + this_cell()];
    }
    work_on_cell(r, what, this_cell(), pull, bend, u + cell_at(r, this_cell(), r.nvar));
}

/* ---- making ---------------------------------------------------------------------------------- */

static size_t interior(const struct level *a)
{
    return (size_t)cells_of(a->n);
}

static size_t leaf_cells(const struct sl_device_potential *p)
{
    return interior(&p->a) * (size_t)p->a.nleaf;
}

static size_t pulled_cells(const struct sl_device_potential *p)
{
    return interior(&p->a) * (size_t)p->a.pulled;
}

static unsigned blocks_for(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
}

/* Fields without ghost cells. */
static void ghosts_drop(struct level *a)
{
    a->step[1] = a->n[0], a->step[2] = (ptrdiff_t)a->n[0] * a->n[1];
    a->var = a->step[2] * a->n[2];
    for (int d = 0; d < 3; d++)
        a->g[d] = 0;
}

/* Cells of the largest face of a block. */
static size_t most_faces(const struct level *a)
{
    size_t most = 1;
    for (int axis = 0; axis < a->dim; axis++)
        most = max(most, (size_t)across_of(a->n, axis).faces);
    return most;
}

static void level_set(struct sl_device_potential *p, const struct sl_device_potential_spec *s)
{
    const struct run_args *r = &p->on->run;
    struct level *a = &p->a;
    a->dim = r->dim, a->nblock = r->nblock, a->nleaf = r->nleaf;
    a->step[0] = 1, a->step[1] = r->nt[0], a->step[2] = (ptrdiff_t)r->nt[0] * r->nt[1];
    a->var = r->var, a->ring_cells = s->ring_cells, a->near = p->on->spec.near;
    for (int d = 0; d < 3; d++) {
        a->n[d] = r->n[d], a->g[d] = r->g[d], a->ring_n[d] = s->ring_n[d];
        a->h[d] = s->h[d], a->per_h2[d] = s->per_h2[d];
        a->cycle_h[d] = s->cycle_h[d], a->cycle_per_h2[d] = s->cycle_per_h2[d];
    }
    a->face_cells = (int)most_faces(a);
    if (s->bare) ghosts_drop(a);
    p->values = (size_t)r->nblock * (size_t)a->var;
}

static const char *bits_take(struct sl_device_potential *p, const unsigned char *edges,
                             const unsigned char *sides)
{
    size_t n = (size_t)p->a.nblock;
    PASS(room_new(2 * n + 1, (void **)&p->bits));
    PASS(move(p->on, p->bits, edges, n, cudaMemcpyHostToDevice));
    PASS(move(p->on, p->bits + n, sides, n, cudaMemcpyHostToDevice));
    p->a.edges = p->bits, p->a.sides = p->bits + n;
    return NULL;
}

static int side_order(const void *a, const void *b)
{
    const struct sl_reflux_job *x = (const struct sl_reflux_job *)a,
                               *y = (const struct sl_reflux_job *)b;
    return x->coarse != y->coarse ? (x->coarse > y->coarse) - (x->coarse < y->coarse)
                                  : x->axis - y->axis;
}

/* Of jobs in that order. */
static int leaves_find(const struct sl_reflux_job *job, int n, struct match_leaf *leaf)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        const int axis = job[i].axis, one = axis == 0, two = axis == 2 ? 1 : 2;
        if (i == 0 || job[i].coarse != job[i - 1].coarse) {
            memset(&leaf[count], -1, sizeof *leaf);
            for (int a = 0; a < 4; a++)
                leaf[count].first[a] = i;
            count++;
        }
        struct match_leaf *l = &leaf[count - 1];
        l->side[2 * axis + job[i].upper][job[i].half[two] * 2 + job[i].half[one]] = i;
        for (int a = axis + 1; a < 4; a++)
            l->first[a] = i + 1;
    }
    return count;
}

/* The most cells that a leaf has at its sides. */
static int sides_count(const struct level *a, const struct match_leaf *leaf, int n)
{
    int most = 0;
    for (int i = 0; i < n; i++) {
        int cells = 0;
        for (int axis = 0; axis < a->dim; axis++)
            cells += (leaf[i].first[axis + 1] - leaf[i].first[axis]) *
                     (int)(across_of(a->n, axis).faces >> (a->dim - 1));
        most = max(most, cells);
    }
    return most;
}

static const char *sides_take(struct sl_device_potential *p, struct sl_reflux_job *job,
                              struct match_leaf *leaf, int n, int out)
{
    qsort(job, (size_t)n, sizeof *job, side_order); /* coarse -1, of those that go out, is first */
    p->nout = out, p->nleaf = leaves_find(job + out, n - out, leaf);
    p->most_sides = sides_count(&p->a, leaf, p->nleaf);
    PASS(table(job, (size_t)out * sizeof *job, (const void **)&p->side_out));
    PASS(table(job + out, (size_t)(n - out) * sizeof *job, (const void **)&p->side));
    return table(leaf, (size_t)p->nleaf * sizeof *leaf, (const void **)&p->leaf);
}

static const char *nest_take(struct sl_device_potential *p, const struct sl_nest *nest)
{
    size_t n = (size_t)(nest->nreflux[0] + nest->nreflux[1] + nest->nreflux[2]);
    struct sl_reflux_job *job = (struct sl_reflux_job *)malloc((n + 1) * sizeof *job);
    struct match_leaf *leaf = (struct match_leaf *)malloc((n + 1) * sizeof *leaf);
    const char *text = job && leaf ? NULL : "no memory on the host";
    for (size_t i = 0; i < n && !text; i++)
        job[i] = nest->reflux[i];
    if (!text) text = sides_take(p, job, leaf, (int)n, nest->nreflux[1]);
    free(job), free(leaf);
    if (text) return text;
    for (int i = 0; i < 3; i++)
        p->ncover[i] = nest->ncover[i];
    size_t jobs = (size_t)(p->ncover[0] + p->ncover[1] + p->ncover[2]);
    return table(nest->cover, jobs * sizeof *nest->cover, (const void **)&p->cover);
}

extern "C" const char *sl_device_potential_new(struct sl_device *d,
                                               const struct sl_device_potential_spec *s,
                                               struct sl_device_potential **out)
{
    struct sl_device_potential *p = (struct sl_device_potential *)calloc(1, sizeof *p);
    if (!p) return "no memory on the host";
    *out = p;
    PASS(shared_hold(d->spec.id, &p->shared));
    p->on = d;
    level_set(p, s);
    p->a.pulled = s->covered ? p->a.nblock : p->a.nleaf;
    size_t more = s->nest ? (size_t)p->a.nblock * s->ring_cells : p->values;
    size_t wide = FIELDS * p->values + more + 1, cycle = p->values + 2;
    size_t beyond = s->nest ? (size_t)p->a.nblock * 6 * (size_t)p->a.face_cells : 0;
    PASS(field_room_take(p->shared,
                         wide * sizeof *p->slab + (2 * cycle + beyond) * sizeof *p->residual,
                         (void **)&p->slab));
    sl_real *after = p->slab + FIELDS * p->values;
    p->a.ring = p->ring = s->nest ? after : NULL;
    p->wide = s->nest ? NULL : after;
    p->correction = (sl_cycle_real *)(p->slab + wide), p->residual = p->correction + cycle;
    p->a.beyond = p->residual + cycle;
    PASS(bits_take(p, s->edges, s->sides));
    PASS(room_new(2 * sizeof *p->most, (void **)&p->most));
    if (s->nest) PASS(nest_take(p, s->nest));
    return wait(d); /* the host's lists may go */
}

extern "C" void sl_device_potential_free(struct sl_device_potential *p)
{
    if (!p) return;
    if (p->slab) field_room_give(p->shared, p->slab);
    if (p->pull) field_room_give(p->shared, p->pull);
    room_free(p->bits), room_free(p->cover), room_free(p->side), room_free(p->side_out);
    room_free(p->leaf), room_free(p->most);
    if (p->shared) shared_release(p->shared);
    free(p);
}

extern "C" sl_real *sl_device_potential_values(struct sl_device_potential *p, int field)
{
    return p->slab + (size_t)field * p->values;
}

extern "C" sl_cycle_real *sl_device_potential_cycle(struct sl_device_potential *p, int residual)
{
    return residual ? p->residual : p->correction;
}

extern "C" void sl_device_potential_edge(struct sl_device_potential *p, int zero)
{
    p->a.ring = zero ? NULL : p->ring;
}

/* ---- calls ----------------------------------------------------------------------------------- */

extern "C" const char *sl_device_potential_clear(struct sl_device_potential *p, sl_real *field)
{
    TRY(cudaMemsetAsync(field, 0, p->values * sizeof *field, p->on->stream));
    return NULL;
}

extern "C" const char *sl_device_potential_fetch(struct sl_device_potential *p,
                                                 const sl_real *field, size_t n, sl_real *out)
{
    PASS(move(p->on, out, field, n * sizeof *out, cudaMemcpyDeviceToHost));
    return wait(p->on);
}

extern "C" const char *sl_device_potential_put(struct sl_device_potential *p, const sl_real *from,
                                               size_t n, sl_real *field)
{
    PASS(move(p->on, field, from, n * sizeof *field, cudaMemcpyHostToDevice));
    return wait(p->on);
}

extern "C" const char *sl_device_potential_extrapolate(struct sl_device_potential *p, sl_real ahead)
{
    if (p->values == 0) return NULL;
    potential_extrapolate<<<blocks_for(p->values), THREADS, 0, p->on->stream>>>(
        p->values, ahead, sl_device_potential_values(p, 0), sl_device_potential_values(p, 2));
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_widen(struct sl_device_potential *p, sl_real **out)
{
    *out = p->wide;
    if (p->values == 0) return NULL;
    potential_widen<<<blocks_for(p->values), THREADS, 0, p->on->stream>>>(p->values, p->residual,
                                                                          p->wide);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_apply(struct sl_device_potential *p, sl_real back)
{
    if (p->values == 0) return NULL;
    potential_apply<<<blocks_for(p->values), THREADS, 0, p->on->stream>>>(
        p->values, back, p->wide, p->correction, sl_device_potential_values(p, 0));
    TRY(cudaGetLastError());
    return NULL;
}

static const char *shift(struct sl_device_potential *p, size_t n, double factor, double mean,
                         sl_real *x)
{
    if (n == 0) return NULL;
    potential_shift<<<blocks_for(n), THREADS, 0, p->on->stream>>>(n, factor, mean, x);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_shift(struct sl_device_potential *p, int rings,
                                                 double factor, double mean, sl_real *field)
{
    size_t of_rings = p->ring && rings ? (size_t)p->a.nblock * p->a.ring_cells : 0;
    PASS(shift(p, of_rings, factor, mean, p->ring));
    return shift(p, p->values, factor, mean, field);
}

static unsigned blocks_of_rows(size_t items)
{
    return (unsigned)((items + NEST_THREADS - 1) / NEST_THREADS);
}

/* Of n blocks, with a thread for each cell of a row, or pair of them, and DEEP planes. */
static dim3 columns_of(const struct level *a, int n, int pair)
{
    size_t items =
        (size_t)(a->n[0] / pair) * (size_t)a->n[1] * (size_t)((a->n[2] + DEEP - 1) / DEEP);
    return dim3((unsigned)n, blocks_of_rows(items));
}

extern "C" const char *sl_device_potential_residual(struct sl_device_potential *p, sl_real scale)
{
    static void (*const kernels[])(const struct level, sl_real, const sl_real *, const sl_real *,
                                   sl_cycle_real *) = {potential_residual<1>, potential_residual<2>,
                                                       potential_residual<3>};
    if (p->a.nleaf == 0) return NULL;
    kernels[p->a.dim - 1]<<<columns_of(&p->a, p->a.nleaf, 1), NEST_THREADS, 0, p->on->stream>>>(
        p->a, scale, sl_device_potential_values(p, 0), sl_device_potential_values(p, 1),
        p->residual);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_sweep(struct sl_device_potential *p, int colour)
{
    static void (*const kernels[])(const struct level, int, const sl_cycle_real *,
                                   sl_cycle_real *) = {potential_sweep<1>, potential_sweep<2>,
                                                       potential_sweep<3>};
    if (p->a.nblock == 0) return NULL;
    kernels[p->a.dim - 1]<<<columns_of(&p->a, p->a.nblock, 2), NEST_THREADS, 0, p->on->stream>>>(
        p->a, colour, p->residual, p->correction);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_start(struct sl_device_potential *p)
{
    static void (*const kernels[])(const struct level, const sl_cycle_real *, sl_cycle_real *) = {
        potential_start<1>, potential_start<2>, potential_start<3>};
    if (p->a.nblock == 0) return NULL;
    kernels[p->a.dim - 1]<<<columns_of(&p->a, p->a.nblock, 2), NEST_THREADS, 0, p->on->stream>>>(
        p->a, p->residual, p->correction);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_end(struct sl_device_potential *p, int keep,
                                               sl_real back)
{
    static void (*const kernels[])(const struct level, int, sl_real, const sl_cycle_real *,
                                   sl_cycle_real *, sl_real *) = {
        potential_end<1>, potential_end<2>, potential_end<3>};
    if (p->a.nblock == 0) return NULL;
    kernels[p->a.dim - 1]<<<columns_of(&p->a, p->a.nblock, 2), NEST_THREADS, 0, p->on->stream>>>(
        p->a, keep, back, p->residual, p->correction, sl_device_potential_values(p, 0));
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_add_rings(struct sl_device_potential *p)
{
    if (p->a.nblock == 0) return NULL;
    potential_add_rings<<<columns_of(&p->a, p->a.nblock, 2), NEST_THREADS, 0, p->on->stream>>>(
        p->a, p->correction);
    TRY(cudaGetLastError());
    return NULL;
}

static struct cover_jobs cover_jobs_of(const struct sl_device_potential *p, int first)
{
    return {p->cover + first, interior(&p->a) >> p->a.dim};
}

template <class REAL>
static const char *rings_make(struct sl_device_potential *coarse, struct sl_device_potential *fine,
                              int first, int n, const REAL *field)
{
    if (n == 0) return NULL;
    potential_rings<<<rows_of(n, fine->a.ring_cells), NEST_THREADS, 0, fine->on->stream>>>(
        coarse->a, cover_jobs_of(fine, first), fine->a, field, (REAL *)fine->ring,
        send_of(fine->on));
    TRY(cudaGetLastError());
    return NULL;
}

template <class REAL>
static const char *rings_of(struct sl_device_potential *coarse, struct sl_device_potential *fine,
                            const REAL *field)
{
    PASS(rings_make(coarse, fine, 0, fine->ncover[0], field));
    return rings_make(coarse, fine, fine->ncover[0] + fine->ncover[1], fine->ncover[2], field);
}

extern "C" const char *sl_device_potential_rings(struct sl_device_potential *coarse,
                                                 struct sl_device_potential *fine, int cycle)
{
    return cycle ? rings_of(coarse, fine, coarse->correction)
                 : rings_of(coarse, fine, sl_device_potential_values(coarse, 0));
}

template <class REAL> static const char *rings_take(struct sl_device_potential *p, REAL *ring)
{
    if (p->ncover[1] == 0) return NULL;
    potential_rings_take<<<rows_of(p->ncover[1], p->a.ring_cells), NEST_THREADS, 0,
                           p->on->stream>>>(cover_jobs_of(p, p->ncover[0]), p->a.ring_cells,
                                            received_of(p->on), ring);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_rings_take(struct sl_device_potential *p, int cycle)
{
    return cycle ? rings_take(p, (sl_cycle_real *)p->ring) : rings_take(p, p->ring);
}

extern "C" const char *sl_device_potential_cover(struct sl_device_potential *coarse,
                                                 struct sl_device_potential *fine)
{
    const struct level *a = &fine->a;
    int n = fine->ncover[0] + fine->ncover[1];
    if (n == 0) return NULL;
    potential_cover<<<rows_of(n, interior(a) >> a->dim), NEST_THREADS, 0, fine->on->stream>>>(
        coarse->a, *a, cover_jobs_of(fine, 0), sl_device_potential_values(fine, 0),
        sl_device_potential_values(coarse, 0), send_of(fine->on));
    TRY(cudaGetLastError());
    return NULL;
}

template <class REAL>
static const char *cover_take(struct sl_device_potential *coarse, struct sl_device_potential *fine,
                              REAL *to)
{
    const struct level *a = &fine->a;
    int n = fine->ncover[2];
    if (n == 0) return NULL;
    potential_cover_take<<<rows_of(n, interior(a) >> a->dim), NEST_THREADS, 0, fine->on->stream>>>(
        coarse->a, cover_jobs_of(fine, fine->ncover[0] + fine->ncover[1]), received_of(fine->on),
        to);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_cover_take(struct sl_device_potential *coarse,
                                                      struct sl_device_potential *fine, int cycle)
{
    return cycle ? cover_take(coarse, fine, coarse->residual)
                 : cover_take(coarse, fine, sl_device_potential_values(coarse, 0));
}

extern "C" const char *sl_device_potential_reduce(struct sl_device_potential *coarse,
                                                  struct sl_device_potential *fine)
{
    static void (*const kernels[])(const struct reduce_args) = {
        potential_reduce<1>, potential_reduce<2>, potential_reduce<3>};
    int n = fine->ncover[0] + fine->ncover[1];
    struct reduce_args a;
    if (n == 0) return NULL;
    a.coarse = coarse->a, a.fine = fine->a, a.jobs = cover_jobs_of(fine, 0);
    a.field = fine->correction, a.residual = fine->residual;
    a.to = coarse->residual, a.message = send_of(fine->on);
    kernels[a.fine.dim - 1]<<<rows_of(n, a.jobs.unit), NEST_THREADS, 0, fine->on->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

/* Cells of the largest side of a coarse leaf that a finer block is beyond. */
static size_t most_sides(const struct level *a)
{
    return (size_t)a->face_cells >> (a->dim - 1);
}

static struct lengths lengths_of(const struct level *a, int cycle)
{
    struct lengths of;
    for (int d = 0; d < 3; d++)
        of.h[d] = cycle ? a->cycle_h[d] : a->h[d];
    return of;
}

template <class REAL>
static const char *slopes_make(struct sl_device_potential *p, int cycle, const REAL *from)
{
    if (p->nout == 0) return NULL;
    potential_slopes<<<rows_of(p->nout, most_sides(&p->a)), NEST_THREADS, 0, p->on->stream>>>(
        p->a, lengths_of(&p->a, cycle), p->side_out, from, send_of(p->on));
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_slopes(struct sl_device_potential *p, int cycle)
{
    return cycle ? slopes_make(p, 1, p->correction)
                 : slopes_make(p, 0, sl_device_potential_values(p, 0));
}

extern "C" const char *sl_device_potential_match(struct sl_device_potential *coarse,
                                                 struct sl_device_potential *fine,
                                                 enum sl_device_match what, sl_real scale)
{
    static void (*const kernels[])(const struct match_args) = {
        potential_match<SL_DEVICE_MATCH_RESIDUAL>, potential_match<SL_DEVICE_MATCH_CORRECTION>,
        potential_match<SL_DEVICE_MATCH_PULL>};
    const bool cycle = what == SL_DEVICE_MATCH_CORRECTION;
    struct match_args a;
    if (fine->nleaf == 0) return NULL;
    a.coarse = coarse->a, a.fine = fine->a, a.leaf = fine->leaf, a.job = fine->side;
    a.of = lengths_of(&fine->a, cycle), a.came = received_of(fine->on);
    a.from = cycle ? (void *)fine->correction : sl_device_potential_values(fine, 0);
    a.to = cycle ? NULL : sl_device_potential_values(coarse, 0);
    a.rhs = sl_device_potential_values(coarse, 1), a.scale = scale;
    a.pull = coarse->pull, a.residual = coarse->residual;
    dim3 rows((unsigned)fine->nleaf, blocks_of_rows((size_t)fine->most_sides));
    kernels[what]<<<rows, NEST_THREADS, 0, fine->on->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_pull(struct sl_device_potential *p)
{
    static void (*const kernels[])(const struct level, size_t, const sl_real *, sl_real *) = {
        potential_pull<1>, potential_pull<2>, potential_pull<3>};
    size_t cells = pulled_cells(p);
    if (cells == 0) return NULL;
    if (!p->pull)
        PASS(field_room_take(p->shared, 2 * cells * (size_t)p->a.dim * sizeof *p->pull,
                             (void **)&p->pull));
    kernels[p->a.dim - 1]<<<columns_of(&p->a, p->a.pulled, 1), NEST_THREADS, 0, p->on->stream>>>(
        p->a, cells, sl_device_potential_values(p, 0), p->pull);
    TRY(cudaGetLastError());
    return NULL;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static unsigned few_blocks(size_t n)
{
    unsigned all = blocks_for(n);
    return all < 2048 ? all : 2048;
}

extern "C" const char *sl_device_potential_largest(struct sl_device_potential *const *p, int n,
                                                   int residual, double *out)
{
    struct sl_device *d = p[0]->on;
    unsigned long long *most = p[0]->most;
    PASS(host_room(d->shared, HOST_SUMS, sizeof *out));
    TRY(cudaMemsetAsync(most, 0, sizeof *most, d->stream));
    for (int l = 0; l < n; l++) {
        size_t cells = leaf_cells(p[l]);
        if (cells == 0) continue;
        if (residual)
            potential_largest<<<few_blocks(cells), THREADS, 0, d->stream>>>(p[l]->a, cells,
                                                                            p[l]->residual, most);
        else
            potential_largest<<<few_blocks(cells), THREADS, 0, d->stream>>>(
                p[l]->a, cells, sl_device_potential_values(p[l], 1), most);
        TRY(cudaGetLastError());
    }
    double *host = (double *)d->shared->host[HOST_SUMS];
    PASS(move(d, host, most, sizeof *host, cudaMemcpyDeviceToHost));
    PASS(wait(d));
    *out = *host;
    return NULL;
}

static const char *sums_queue(struct sl_device_potential *p, const sl_real *field,
                              const sl_real *with, double (*row)[2], double (*out)[2])
{
    const struct level *a = &p->a;
    int rows = a->n[1] * a->n[2];
    if (a->nleaf == 0) return NULL;
    potential_rows<<<blocks_for((size_t)rows * (size_t)a->nleaf), THREADS, 0, p->on->stream>>>(
        *a, field, with, row);
    TRY(cudaGetLastError());
    double volume = (double)a->h[0] * (double)a->h[1] * (double)a->h[2];
    potential_sums<<<(unsigned)a->nleaf, THREADS, 0, p->on->stream>>>(rows, volume, row, out);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_sums(struct sl_device_potential *const *p, int n,
                                                const sl_real *const *field,
                                                const sl_real *const *with, double (*out)[2])
{
    struct sl_device *d = p[0]->on;
    size_t leaves = 0, most = 0;
    double(*room)[2] = NULL;
    for (int l = 0; l < n; l++) {
        size_t rows = (size_t)p[l]->a.n[1] * (size_t)p[l]->a.n[2] * (size_t)p[l]->a.nleaf;
        leaves += (size_t)p[l]->a.nleaf;
        most = max(most, rows);
    }
    if (leaves == 0) return NULL;
    PASS(host_room(d->shared, HOST_SUMS, leaves * sizeof *out));
    PASS(room_new((leaves + most) * sizeof *room, (void **)&room));
    size_t at = 0;
    for (int l = 0; l < n; l++) {
        PASS(sums_queue(p[l], field[l], with[l], room + leaves, room + at));
        at += (size_t)p[l]->a.nleaf;
    }
    double(*host)[2] = (double(*)[2])d->shared->host[HOST_SUMS];
    PASS(move(d, host, room, leaves * sizeof *host, cudaMemcpyDeviceToHost));
    room_free(room);
    PASS(wait(d));
    for (size_t i = 0; i < leaves; i++)
        out[i][0] = host[i][0], out[i][1] = host[i][1];
    return NULL;
}

extern "C" const char *sl_device_potential_most(const struct sl_device_potential *p,
                                                const double per_h[3], double most[2])
{
    struct sl_device *d = p->on;
    size_t cells = leaf_cells(p);
    struct per_cell per;
    if (cells == 0) return NULL;
    for (int a = 0; a < 3; a++)
        per.h[a] = per_h[a];
    PASS(host_room(d->shared, HOST_SUMS, 2 * sizeof *most));
    TRY(cudaMemsetAsync(p->most, 0, 2 * sizeof *p->most, d->stream));
    potential_most<<<few_blocks(cells), THREADS, 0, d->stream>>>(p->a, cells, pulled_cells(p),
                                                                 p->pull, per, p->most);
    TRY(cudaGetLastError());
    double *host = (double *)d->shared->host[HOST_SUMS];
    PASS(move(d, host, p->most, 2 * sizeof *host, cudaMemcpyDeviceToHost));
    PASS(wait(d));
    for (int i = 0; i < 2; i++)
        if (!(host[i] <= most[i])) most[i] = host[i];
    return NULL;
}

extern "C" const char *sl_device_potential_force(const struct sl_device_potential *p,
                                                 const sl_real *u, double (*out)[3])
{
    struct sl_device *d = p->on;
    const size_t leaves = (size_t)p->a.nleaf, bytes = leaves * sizeof *out;
    double(*room)[3] = NULL;
    if (leaves == 0) return NULL;
    PASS(host_room(d->shared, HOST_SUMS, bytes));
    PASS(room_new(bytes, (void **)&room));
    potential_force<<<(unsigned)leaves, NEST_THREADS, 0, d->stream>>>(d->run, pulled_cells(p),
                                                                      p->pull, u, room);
    TRY(cudaGetLastError());
    double(*host)[3] = (double(*)[3])d->shared->host[HOST_SUMS];
    PASS(move(d, host, room, bytes, cudaMemcpyDeviceToHost));
    room_free(room);
    PASS(wait(d));
    for (size_t i = 0; i < leaves; i++)
        for (int a = 0; a < 3; a++)
            out[i][a] = host[i][a];
    return NULL;
}

extern "C" const char *sl_device_potential_push(const struct sl_device_potential *p,
                                                const double by[3], sl_real *u)
{
    size_t cells = leaf_cells(p);
    const struct push push = {{(sl_real)by[0], (sl_real)by[1], (sl_real)by[2]}};
    if (cells == 0) return NULL;
    potential_push<<<blocks_for(cells), THREADS, 0, p->on->stream>>>(p->on->run, cells, push, u);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_density(struct sl_device_potential *p, const sl_real *u,
                                                   sl_real *to)
{
    size_t cells = leaf_cells(p);
    if (cells == 0) return NULL;
    potential_density<<<blocks_for(cells), THREADS, 0, p->on->stream>>>(p->a, p->on->run, u, to);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_density_between(struct sl_device_potential *p,
                                                           sl_real share, const sl_real *old,
                                                           const sl_real *now, sl_real *to)
{
    size_t cells = leaf_cells(p);
    if (cells == 0) return NULL;
    potential_density_between<<<blocks_for(cells), THREADS, 0, p->on->stream>>>(
        p->a, p->on->run, share, old, now, to);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const sl_real *sl_device_potential_pulled(const struct sl_device_potential *p)
{
    return p->pull;
}

extern "C" const char *sl_device_potential_kick(const struct sl_device_potential *p, int covered,
                                                sl_real time, sl_real *u, sl_real *kicked)
{
    size_t cells = covered ? pulled_cells(p) : leaf_cells(p);
    if (cells == 0) return NULL;
    potential_kick<<<blocks_for(cells), THREADS, 0, p->on->stream>>>(
        p->on->run, cells, pulled_cells(p), p->pull, time, u, kicked);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_work(const struct sl_device_potential *p,
                                                const struct sl_device_work *what, sl_real *u)
{
    size_t cells = leaf_cells(p);
    if (cells == 0) return NULL;
    potential_work<<<blocks_for(cells), THREADS, 0, p->on->stream>>>(
        p->on->run, cells, pulled_cells(p), p->pull, *what, u);
    TRY(cudaGetLastError());
    return NULL;
}
