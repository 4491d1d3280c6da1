/* composite_gpu.cu - the potential of gas on levels on one device: the loops of
 * core/gravity/potential_level.c and potential_move.c, with their bodies of core/cell/poisson.h;
 * see composite.h. */
#include <stdlib.h>

#include "core/cell/drive.h"
#include "core/cell/poisson.h"
#include "gpu/composite.h"
#include "gpu/nest.cuh"

enum { FIELDS = SL_DEVICE_POTENTIAL_FIELDS };

/* A level as kernels have it. */
struct level {
    int dim, nblock, nleaf, n[3], g[3], ring_n[3];
    ptrdiff_t step[3], var; /* var: of a block */
    size_t ring_cells;
    sl_real h[3], per_h2[3];
    const int *near;                    /* [nblock][SL_NDIR]; borrowed */
    const unsigned char *edges, *sides; /* [nblock] */
    const sl_real *ring;                /* NULL: coarse values are 0 */
};

/* Sides of a coarse leaf with finer blocks beyond them, in the order of their axes: jobs
 * first[axis] .. first[axis + 1] - 1. */
struct match_leaf {
    int first[4];
};

struct sl_device_potential {
    struct sl_device *on;  /* borrowed */
    struct shared *shared; /* held */
    struct level a;
    sl_real *slab, *ring;       /* owned: all fields and the rings; the rings in it */
    sl_real *pull;              /* owned; NULL: none were made */
    unsigned char *bits;        /* owned; edges, then sides */
    size_t values;              /* of a field */
    struct sl_cover_job *cover; /* owned; device, likewise all that follows */
    struct sl_reflux_job *side, *side_out;
    struct match_leaf *leaf;
    unsigned long long *most; /* [2], as bits */
    int ncover[3], nleaf, nout;
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
static __device__ sl_real coarse_beyond(const struct level &a, int block, const int c[3], int axis,
                                        int upper)
{
    const ptrdiff_t step[3] = {1, a.ring_n[0], (ptrdiff_t)a.ring_n[0] * a.ring_n[1]};
    const sl_real *ring = a.ring + (size_t)block * a.ring_cells;
    for (int d = 0; d < a.dim; d++)
        ring += step[d] * (d != axis ? c[d] / 2 + 1 : upper ? a.ring_n[d] - 1 : 0);
    sl_real value = *ring;
    for (int d = 0; d < a.dim; d++)
        if (d != axis) value += sl_poisson_moved(ring, step[d], c[d] % 2);
    return value;
}

/* Beyond the edge of the level, at a face of cell c, which is at `at`. */
static __device__ __forceinline__ sl_real edge_value(const struct level &a, const sl_real *field,
                                                     int block, const int c[3], ptrdiff_t at,
                                                     int axis, int upper)
{
    ptrdiff_t in = upper ? -a.step[axis] : a.step[axis];
    sl_real coarse = a.ring ? coarse_beyond(a, block, c, axis, upper) : 0;
    return sl_poisson_ghost(coarse, field[at], field[at + in]);
}

/* The cell beside cell c of a block, which is at `at`, along an axis. */
static __device__ __forceinline__ sl_real beside(const struct level &a, const sl_real *field,
                                                 int block, const int c[3], ptrdiff_t at, int axis,
                                                 int upper)
{
    ptrdiff_t step = upper ? a.step[axis] : -a.step[axis];
    if (c[axis] != (upper ? a.n[axis] - 1 : 0)) return field[at + step];
    int other = a.near[block * SL_NDIR + sl_dir_across(axis, upper)];
    if (other >= 0) return field[at + (other - block) * a.var + step - a.n[axis] * step];
    if (a.edges[block] >> (2 * axis + upper) & 1)
        return edge_value(a, field, block, c, at, axis, upper);
    return field[at + step];
}

/* A cell and those around it, as the bodies of poisson.h take them, whose steps are 1, 2, 3. */
struct star {
    sl_real at[7];
};

template <int DIM>
static __device__ __forceinline__ struct star star_of(const struct level &a, const sl_real *field,
                                                      int block, const int c[3], ptrdiff_t at)
{
    struct star s;
    s.at[3] = field[at];
#pragma unroll
    for (int d = 0; d < DIM; d++) {
        s.at[2 - d] = beside(a, field, block, c, at, d, 0);
        s.at[4 + d] = beside(a, field, block, c, at, d, 1);
    }
    return s;
}

/* A cell in or next to a block, also across edges and corners, where `most` axes at most lead out
 * of it. Beyond an edge of an isolated box it follows from those beyond faces, as in
 * corner_fill of potential_level.c. */
template <int MOST>
static __device__ sl_real around(const struct level &a, const sl_real *field, int block,
                                 const int c[3])
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
        return edge_value(a, field, block, first, place_of(a, block, first), axis, in[axis] < 0);
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

static __global__ void potential_apply(size_t n, const sl_real *correction, sl_real *phi)
{
    if (this_cell() < n) phi[this_cell()] += correction[this_cell()];
}

static __global__ void potential_shift(size_t n, double factor, double mean, sl_real *x)
{
    if (this_cell() < n) x[this_cell()] = (sl_real)(factor * ((double)x[this_cell()] - mean));
}

template <int DIM>
static __global__ void potential_residual(struct level a, const sl_real *field, const sl_real *rhs,
                                          sl_real *out)
{
    int c[3], block = cell_of(a, this_cell(), a.n[0], a.nblock, c);
    if (block < 0) return;
    ptrdiff_t at = place_of(a, block, c);
    struct star s = star_of<DIM>(a, field, block, c, at);
    const ptrdiff_t step[3] = {1, 2, 3};
    out[at] = rhs[at] - sl_poisson_lap(DIM, s.at + 3, step, a.per_h2);
}

/* Cells of one colour read those of the other, also in blocks beside. */
template <int DIM>
static __global__ void potential_sweep(struct level a, int colour, const sl_real *rhs,
                                       sl_real *field)
{
    int c[3], block = cell_of(a, this_cell(), a.n[0] / 2, a.nblock, c);
    if (block < 0) return;
    c[0] = 2 * c[0] + (c[2] + c[1] + colour) % 2;
    ptrdiff_t at = place_of(a, block, c);
    struct star s = star_of<DIM>(a, field, block, c, at);
    const ptrdiff_t step[3] = {1, 2, 3};
    field[at] = sl_poisson_relaxed(DIM, s.at + 3, step, a.per_h2, rhs[at]);
}

/* Coarse cell i of a row, moved along the other axes to row (k, j) of fine cells. */
static __device__ __forceinline__ sl_real ring_value(const struct level &a, const sl_real *ring,
                                                     int k, int j, int i)
{
    const ptrdiff_t y = a.dim > 1 ? a.ring_n[0] : 0,
                    z = a.dim > 2 ? (ptrdiff_t)a.ring_n[0] * a.ring_n[1] : 0;
    const ptrdiff_t up = j % 2 ? y : -y, back = k % 2 ? z : -z;
    const sl_real *at = ring + (k / 2 + 1) * z + (j / 2 + 1) * y + i;
    return sl_poisson_child(sl_poisson_child(at[0], at[up]),
                            sl_poisson_child(at[back], at[up + back]));
}

static __global__ void potential_add_rings(struct level a, sl_real *field)
{
    int c[3], block = cell_of(a, this_cell(), a.n[0], a.nblock, c);
    if (block < 0) return;
    const sl_real *ring = a.ring + (size_t)block * a.ring_cells;
    int i = c[0] / 2 + 1, next = c[0] % 2 ? i + 1 : i - 1;
    field[place_of(a, block, c)] +=
        sl_poisson_child(ring_value(a, ring, c[2], c[1], i), ring_value(a, ring, c[2], c[1], next));
}

/* ---- two levels ------------------------------------------------------------------------------ */

/* Jobs of the list `cover` from the first on, a row of blocks of threads each. */
struct cover_jobs {
    const struct sl_cover_job *job;
    size_t unit; /* values of an octant */
};

/* Of a coarse block the cells in and around an octant; fine: another rank has the block, then they
 * go into a message. */
static __global__ void potential_rings(struct level a, struct cover_jobs jobs,
                                       const struct level fine, const sl_real *field, sl_real *ring,
                                       sl_real *message)
{
    const struct sl_cover_job j = jobs.job[blockIdx.x];
    sl_real *to = j.fine < 0 ? message + j.start / jobs.unit * fine.ring_cells
                             : ring + (size_t)j.fine * fine.ring_cells;
    for (int i = place_in_row(); i < (int)fine.ring_cells; i += row_width()) {
        int c[3] = {i % fine.ring_n[0], i / fine.ring_n[0] % fine.ring_n[1],
                    i / (fine.ring_n[0] * fine.ring_n[1])};
        for (int d = 0; d < a.dim; d++)
            c[d] += j.half[d] * (a.n[d] / 2) - 1;
        to[i] = around<3>(a, field, j.coarse, c);
    }
}

static __global__ void potential_rings_take(struct cover_jobs jobs, size_t each,
                                            const sl_real *message, sl_real *ring)
{
    const struct sl_cover_job j = jobs.job[blockIdx.x];
    const sl_real *from = message + j.start / jobs.unit * each;
    for (int i = place_in_row(); i < (int)each; i += row_width())
        ring[(size_t)j.fine * each + (size_t)i] = from[i];
}

/* Means of the blocks of `from`, or what came of them. Both levels have blocks of one shape. */
static __global__ void potential_cover(struct level a, struct cover_jobs jobs, const sl_real *from,
                                       sl_real *to, sl_real *message)
{
    const struct sl_cover_job j = jobs.job[blockIdx.x];
    int half[3];
    for (int d = 0; d < 3; d++)
        half[d] = d < a.dim ? a.n[d] / 2 : 1;
    for (int i = place_in_row(); i < half[0] * half[1] * half[2]; i += row_width()) {
        const int c[3] = {i % half[0], i / half[0] % half[1], i / (half[0] * half[1])};
        int child[3], cell[3];
        for (int d = 0; d < 3; d++) {
            child[d] = d < a.dim ? 2 * c[d] : 0;
            cell[d] = c[d] + j.half[d] * half[d];
        }
        sl_real *out = j.coarse < 0 ? message + j.start + i : to + place_of(a, j.coarse, cell);
        *out = j.fine < 0 ? message[j.start + (size_t)i]
                          : sl_restrict(a.dim, from + place_of(a, j.fine, child), a.step);
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

/* As slope_of in potential_move.c. */
static __device__ sl_real slope_of(const struct level &fine, const struct sl_reflux_job &j,
                                   const struct across &s, const sl_real *field, int x, int y)
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
            (field[at] - beside(fine, field, j.fine, c, at, j.axis, !j.upper)) / fine.h[j.axis];
    }
    return sl_restrict(fine.dim - 1, slope, step);
}

static __global__ void potential_slopes(struct level fine, const struct sl_reflux_job *job,
                                        const sl_real *field, sl_real *message)
{
    const struct sl_reflux_job j = job[blockIdx.x];
    struct across s = half_side(fine, j.axis);
    for (int i = place_in_row(); i < s.n[0] * s.n[1]; i += row_width())
        message[j.start + (size_t)i] = slope_of(fine, j, s, field, i % s.n[0], i / s.n[0]);
}

struct match_args {
    struct level coarse, fine;
    const struct match_leaf *leaf;
    const struct sl_reflux_job *job;
    const sl_real *from, *to, *came;
    sl_real *residual, *pull; /* one of them */
};

/* Cell i of a side takes what its finer cells say. */
static __device__ void match_cell(const struct match_args &a, const struct sl_reflux_job &j,
                                  const struct across &s, int i)
{
    int x = i % s.n[0], y = i / s.n[0], c[3];
    c[j.axis] = j.upper ? a.coarse.n[j.axis] - 1 : 0;
    c[s.axis[0]] = x + j.half[s.axis[0]] * s.n[0];
    c[s.axis[1]] = y + j.half[s.axis[1]] * s.n[1];
    ptrdiff_t at = place_of(a.coarse, j.coarse, c);
    sl_real own = 0,
            slope = j.fine < 0 ? a.came[j.start + (size_t)i] : slope_of(a.fine, j, s, a.from, x, y);
    if (a.to)
        own = (beside(a.coarse, a.to, j.coarse, c, at, j.axis, j.upper) - a.to[at]) /
              a.coarse.h[j.axis];
    sl_real change = slope - own;
    if (a.residual) {
        a.residual[at] -= change / a.coarse.h[j.axis];
        return;
    }
    const int *n = a.coarse.n;
    size_t cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    size_t cell = (size_t)j.coarse * cells + (size_t)((c[2] * n[1] + c[1]) * n[0] + c[0]);
    a.pull[(size_t)j.axis * cells * (size_t)a.coarse.nleaf + cell] +=
        (sl_real)(j.upper ? -0.5 : 0.5) * change;
}

/* A block of threads per leaf: a cell with finer ones along several axes takes them axis by
 * axis. */
static __global__ void potential_match(const __grid_constant__ struct match_args a)
{
    const struct match_leaf l = a.leaf[blockIdx.x];
    for (int axis = 0; axis < a.coarse.dim; axis++) {
        struct across s = half_side(a.fine, axis);
        int cells = s.n[0] * s.n[1], all = (l.first[axis + 1] - l.first[axis]) * cells;
        for (int i = (int)threadIdx.x; i < all; i += (int)blockDim.x)
            match_cell(a, a.job[l.first[axis] + i / cells], s, i % cells);
        __syncthreads();
    }
}

/* ---- the leaves ------------------------------------------------------------------------------ */

static __global__ void potential_pull(struct level a, size_t count, const sl_real *phi, sl_real *g)
{
    int c[3], block = cell_of(a, this_cell(), a.n[0], a.nleaf, c);
    if (block < 0) return;
    ptrdiff_t at = place_of(a, block, c);
    for (int d = 0; d < a.dim; d++) {
        const sl_real half = (sl_real)0.5 / a.h[d];
        g[(size_t)d * count + this_cell()] =
            half * (beside(a, phi, block, c, at, d, 0) - beside(a, phi, block, c, at, d, 1));
    }
}

/* The largest of the bits of numbers that are not negative; what is no number is larger. */
static __device__ void raise_bits(unsigned long long *to, unsigned long long x)
{
    for (int by = 16; by > 0; by /= 2) {
        unsigned long long other = __shfl_xor_sync(0xffffffffu, x, by);
        x = other > x ? other : x;
    }
    if (threadIdx.x % 32 == 0) atomicMax(to, x);
}

static __device__ unsigned long long bits_of(double x)
{
    return (unsigned long long)__double_as_longlong(fabs(x));
}

static __global__ void potential_largest(struct level a, size_t count, const sl_real *field,
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

static __global__ void potential_most(struct level a, size_t count, const sl_real *g,
                                      struct per_cell per, unsigned long long *most)
{
    double square = 0, pull = 0;
    for (size_t i = this_cell(); i < count; i += (size_t)gridDim.x * blockDim.x) {
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

/* As core/step/kick.c. */
static __global__ void potential_kick(struct run_args r, size_t count, const sl_real *g,
                                      sl_real time, sl_real *u)
{
    ptrdiff_t place = cell_at(r, this_cell(), r.nvar);
    sl_real work[3] = {0, 0, 0};
    if (this_cell() >= count) return;
    sl_real *cell = u + place, rho = cell[0];
#pragma unroll
    for (int d = 0; d < 3; d++) {
        if (d >= r.dim) continue;
        sl_real *m = cell + (1 + d) * r.var, dv = time * g[(size_t)d * count + this_cell()];
        work[d] = sl_drive_work(rho, *m, dv);
        *m += rho * dv;
    }
    if (r.layout.energy >= 0) cell[r.layout.energy * r.var] += (work[0] + work[1]) + work[2];
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

static unsigned blocks_for(size_t n)
{
    return (unsigned)((n + THREADS - 1) / THREADS);
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
    }
    p->values = (size_t)r->nblock * (size_t)r->var;
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
        if (i == 0 || job[i].coarse != job[i - 1].coarse) {
            for (int axis = 0; axis < 4; axis++)
                leaf[count].first[axis] = i;
            count++;
        }
        for (int axis = job[i].axis + 1; axis < 4; axis++)
            leaf[count - 1].first[axis] = i + 1;
    }
    return count;
}

static const char *sides_take(struct sl_device_potential *p, struct sl_reflux_job *job,
                              struct match_leaf *leaf, int n, int out)
{
    qsort(job, (size_t)n, sizeof *job, side_order); /* coarse -1, of those that go out, is first */
    p->nout = out, p->nleaf = leaves_find(job + out, n - out, leaf);
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
    size_t rings = s->nest ? (size_t)p->a.nblock * s->ring_cells : 0;
    PASS(field_room_take(p->shared, (FIELDS * p->values + rings + 1) * sizeof *p->slab,
                         (void **)&p->slab));
    if (s->nest) p->a.ring = p->ring = p->slab + FIELDS * p->values;
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

extern "C" const char *sl_device_potential_apply(struct sl_device_potential *p)
{
    if (p->values == 0) return NULL;
    potential_apply<<<blocks_for(p->values), THREADS, 0, p->on->stream>>>(
        p->values, sl_device_potential_values(p, 3), sl_device_potential_values(p, 0));
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

extern "C" const char *sl_device_potential_residual(struct sl_device_potential *p,
                                                    const sl_real *field, const sl_real *rhs,
                                                    sl_real *out)
{
    static void (*const kernels[])(struct level, const sl_real *, const sl_real *, sl_real *) = {
        potential_residual<1>, potential_residual<2>, potential_residual<3>};
    if (p->a.nblock == 0) return NULL;
    kernels[p->a.dim -
            1]<<<blocks_for(interior(&p->a) * (size_t)p->a.nblock), THREADS, 0, p->on->stream>>>(
        p->a, field, rhs, out);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_sweep(struct sl_device_potential *p, int colour,
                                                 const sl_real *rhs, sl_real *field)
{
    static void (*const kernels[])(struct level, int, const sl_real *, sl_real *) = {
        potential_sweep<1>, potential_sweep<2>, potential_sweep<3>};
    if (p->a.nblock == 0) return NULL;
    kernels[p->a.dim - 1]<<<blocks_for(interior(&p->a) / 2 * (size_t)p->a.nblock), THREADS, 0,
                            p->on->stream>>>(p->a, colour, rhs, field);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_add_rings(struct sl_device_potential *p, sl_real *field)
{
    if (p->a.nblock == 0) return NULL;
    potential_add_rings<<<blocks_for(interior(&p->a) * (size_t)p->a.nblock), THREADS, 0,
                          p->on->stream>>>(p->a, field);
    TRY(cudaGetLastError());
    return NULL;
}

static struct cover_jobs cover_jobs_of(const struct sl_device_potential *p, int first)
{
    return {p->cover + first, interior(&p->a) >> p->a.dim};
}

static const char *rings_make(struct sl_device_potential *coarse, struct sl_device_potential *fine,
                              int first, int n, const sl_real *field)
{
    if (n == 0) return NULL;
    potential_rings<<<rows_of(n, fine->a.ring_cells), NEST_THREADS, 0, fine->on->stream>>>(
        coarse->a, cover_jobs_of(fine, first), fine->a, field, fine->ring, send_of(fine->on));
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_rings(struct sl_device_potential *coarse,
                                                 struct sl_device_potential *fine,
                                                 const sl_real *field)
{
    PASS(rings_make(coarse, fine, 0, fine->ncover[0], field));
    return rings_make(coarse, fine, fine->ncover[0] + fine->ncover[1], fine->ncover[2], field);
}

extern "C" const char *sl_device_potential_rings_take(struct sl_device_potential *p)
{
    if (p->ncover[1] == 0) return NULL;
    potential_rings_take<<<rows_of(p->ncover[1], p->a.ring_cells), NEST_THREADS, 0,
                           p->on->stream>>>(cover_jobs_of(p, p->ncover[0]), p->a.ring_cells,
                                            received_of(p->on), p->ring);
    TRY(cudaGetLastError());
    return NULL;
}

static const char *cover_make(struct sl_device_potential *p, int first, int n, const sl_real *from,
                              sl_real *to, sl_real *message)
{
    if (n == 0) return NULL;
    potential_cover<<<rows_of(n, interior(&p->a) >> p->a.dim), NEST_THREADS, 0, p->on->stream>>>(
        p->a, cover_jobs_of(p, first), from, to, message);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_cover(struct sl_device_potential *p, const sl_real *from,
                                                 sl_real *to)
{
    return cover_make(p, 0, p->ncover[0] + p->ncover[1], from, to, send_of(p->on));
}

extern "C" const char *sl_device_potential_cover_take(struct sl_device_potential *p, sl_real *to)
{
    return cover_make(p, p->ncover[0] + p->ncover[1], p->ncover[2], NULL, to,
                      (sl_real *)received_of(p->on));
}

/* Cells of the largest side of a coarse leaf that a finer block is beyond. */
static size_t most_sides(const struct level *a)
{
    size_t most = 1;
    for (int axis = 0; axis < a->dim; axis++)
        most = max(most, across_of(a->n, axis).faces >> (a->dim - 1));
    return most;
}

extern "C" const char *sl_device_potential_slopes(struct sl_device_potential *p,
                                                  const sl_real *from)
{
    if (p->nout == 0) return NULL;
    potential_slopes<<<rows_of(p->nout, most_sides(&p->a)), NEST_THREADS, 0, p->on->stream>>>(
        p->a, p->side_out, from, send_of(p->on));
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_match(struct sl_device_potential *coarse,
                                                 struct sl_device_potential *fine,
                                                 const sl_real *from, const sl_real *to,
                                                 sl_real *residual)
{
    struct match_args a;
    if (fine->nleaf == 0) return NULL;
    a.coarse = coarse->a, a.fine = fine->a, a.leaf = fine->leaf, a.job = fine->side;
    a.from = from, a.to = to, a.came = received_of(fine->on);
    a.residual = residual, a.pull = coarse->pull;
    potential_match<<<(unsigned)fine->nleaf, NEST_THREADS, 0, fine->on->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

extern "C" const char *sl_device_potential_pull(struct sl_device_potential *p)
{
    size_t cells = leaf_cells(p);
    if (cells == 0) return NULL;
    if (!p->pull)
        PASS(field_room_take(p->shared, cells * (size_t)p->a.dim * sizeof *p->pull,
                             (void **)&p->pull));
    potential_pull<<<blocks_for(cells), THREADS, 0, p->on->stream>>>(
        p->a, cells, sl_device_potential_values(p, 0), p->pull);
    TRY(cudaGetLastError());
    return NULL;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static unsigned few_blocks(size_t n)
{
    unsigned all = blocks_for(n);
    return all < 4096 ? all : 4096;
}

extern "C" const char *sl_device_potential_largest(struct sl_device_potential *const *p, int n,
                                                   const sl_real *const *field, double *out)
{
    struct sl_device *d = p[0]->on;
    unsigned long long *most = p[0]->most;
    PASS(host_room(d->shared, HOST_SUMS, sizeof *out));
    TRY(cudaMemsetAsync(most, 0, sizeof *most, d->stream));
    for (int l = 0; l < n; l++) {
        size_t cells = leaf_cells(p[l]);
        if (cells == 0) continue;
        potential_largest<<<few_blocks(cells), THREADS, 0, d->stream>>>(p[l]->a, cells, field[l],
                                                                        most);
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
    potential_most<<<few_blocks(cells), THREADS, 0, d->stream>>>(p->a, cells, p->pull, per,
                                                                 p->most);
    TRY(cudaGetLastError());
    double *host = (double *)d->shared->host[HOST_SUMS];
    PASS(move(d, host, p->most, 2 * sizeof *host, cudaMemcpyDeviceToHost));
    PASS(wait(d));
    for (int i = 0; i < 2; i++)
        if (!(host[i] <= most[i])) most[i] = host[i];
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

extern "C" const char *sl_device_potential_kick(const struct sl_device_potential *p, sl_real time,
                                                sl_real *u)
{
    size_t cells = leaf_cells(p);
    if (cells == 0) return NULL;
    potential_kick<<<blocks_for(cells), THREADS, 0, p->on->stream>>>(p->on->run, cells, p->pull,
                                                                     time, u);
    TRY(cudaGetLastError());
    return NULL;
}
