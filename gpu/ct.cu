/* ct.cu - constrained transport after a stage: the electric field at the edges from what the stage
 * has left (stage.cuh), then the field at the faces and in the cells, then the cells' signals.
 *
 * Two kernels, a thread per column of a few cells: the first makes the three lower edges of each
 * cell, the second the field at all faces of its cell; what neighbours make, too, is read from the
 * cache. All that a cell needs is asked for before anything is written, which would hold up what is
 * read after it. The sums are those of core/sweep/sweep_ct.c. */
#include "gpu/inside.cuh"

/* Most columns of a tile and cells of a column: neighbours share what lies between them. Tiles that
 * a multiprocessor should hold at once. */
enum { WIDE = 33, DEEP = 8, EDGES = 3 + SINGLE, FACES = 2 + SINGLE };

struct field_args {
    struct run_args run;
    struct sl_device_stage s;
    struct emf_terms emf;
    const sl_real *flags; /* NULL: none */
    int tile[2], tiles[3];
    unsigned long long *signal; /* NULL: not wanted */
};

/* The cell of a thread: counted from the first of its block, in a variable, and where the block's
 * values begin: those of a field of all variables, of one, and its terms of the electric field. */
struct spot {
    int i, j, k;
    unsigned at;
    ptrdiff_t step[3], block, mark;
    struct emf_terms emf;
};

/* False: beyond the `more` cells behind the last of a row. */
static __device__ __forceinline__ bool spot_of(const struct field_args &a, int more, struct spot *s)
{
    const struct run_args &r = a.run;
    int x = (int)threadIdx.x % a.tile[0], y = (int)threadIdx.x / a.tile[0];
    unsigned index = blockIdx.x, tiles0 = (unsigned)a.tiles[0], tiles1 = (unsigned)a.tiles[1];
    s->i = (int)(index % tiles0) * a.tile[0] + x;
    s->j = (int)(index / tiles0 % tiles1) * a.tile[1] + y;
    s->k = (int)(index / tiles0 / tiles1 % (unsigned)a.tiles[2]) * DEEP;
    s->mark = (ptrdiff_t)(index / tiles0 / tiles1 / (unsigned)a.tiles[2]) * r.var;
    s->block = s->mark * r.nvar;
    s->step[0] = 1, s->step[1] = r.nt[0], s->step[2] = (ptrdiff_t)r.nt[0] * r.nt[1];
    s->at = (unsigned)((s->k + r.g[2]) * s->step[2] + (s->j + r.g[1]) * s->step[1] + s->i + r.g[0]);
    s->emf.value = a.emf.value + s->mark * EDGE_VALUES;
    s->emf.upwind = a.emf.upwind + s->mark * 3;
    return y < a.tile[1] && s->i < r.n[0] + more && s->j < r.n[1] + (r.dim > 1 ? more : 0);
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* The lower edges of the cells, and of those behind the last. */
template <int DIM>
static __global__ void __launch_bounds__(THREADS, EDGES)
    edge_kernel(const __grid_constant__ struct field_args a)
{
    struct spot s;
    if (!spot_of(a, 1, &s)) return;
    int end = min(s.k + DEEP, a.run.n[2] + (DIM > 2));
#pragma unroll 1
    for (; s.k < end; s.k++, s.at += (unsigned)s.step[2]) {
        sl_real *to = s.emf.value + EDGE_FIELD * a.run.var + s.at;
        sl_real e[3];
#pragma unroll
        for (int c = DIM > 2 ? 0 : 2; c < 3; c++)
            e[c] = electric(a.run, s.emf, s.step, c, s.at);
#pragma unroll
        for (int c = DIM > 2 ? 0 : 2; c < 3; c++)
            to[c * a.run.var] = e[c];
    }
}

/* ---- faces ----------------------------------------------------------------------------------- */

/* The new field across the lower face along c of the cell at `at`. */
template <int DIM>
static __device__ __forceinline__ sl_real across(const struct field_args &a, const struct spot &s,
                                                 int c, ptrdiff_t at)
{
    int p = c < 2 ? c + 1 : 0, q = c > 0 ? c - 1 : 2;
    ptrdiff_t i = s.block + (a.run.layout.face + c) * a.run.var + at;
    const sl_real *edge = s.emf.value + EDGE_FIELD * a.run.var + at;
    const sl_real *ep = edge + p * a.run.var, *eq = edge + q * a.run.var;
    sl_real d = 0, from = __ldg(a.s.from + i), old = a.s.b == 1 ? 0 : __ldg(a.s.u0 + i);
    if (p < DIM && (q == 2 || DIM > 2)) d = (__ldg(eq + s.step[p]) - __ldg(eq)) * a.s.dt_dx[p];
    if (q < DIM && (p == 2 || DIM > 2)) d = d - (__ldg(ep + s.step[q]) - __ldg(ep)) * a.s.dt_dx[q];
    return sl_update(a.s.b, old, from, d);
}

/* The field in a cell from that at its faces. A flag above 1: the energy follows the field. */
static __device__ void centre(const struct run_args &r, const sl_real (&low)[3],
                              const sl_real (&high)[3], bool heat, sl_real *out)
{
    sl_real *en = out + r.layout.energy * r.var;
    heat = heat && r.layout.energy >= 0;
    if (heat) *en += -1 * sl_magnetic_energy(&r.layout, out, (size_t)r.var);
#pragma unroll
    for (int d = 0; d < 3; d++)
        if (d < r.dim) out[(r.layout.magnetic + d) * r.var] = (sl_real)0.5 * (low[d] + high[d]);
    if (heat) *en += 1 * sl_magnetic_energy(&r.layout, out, (size_t)r.var);
}

/* The faces of a cell, its field, its energy where it is to follow, its signals. z: the field at
 * the lower face across z, then that at the upper one, which is the next cell's lower one. */
template <int DIM>
static __device__ __forceinline__ void finish(const struct field_args &a, const struct spot &s,
                                              sl_real *z, struct signal *signal)
{
    const struct run_args &r = a.run;
    const int place[3] = {s.i, s.j, s.k};
    sl_real low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, *out = a.s.out + s.block + s.at;
    sl_real spread = r.layout.entropy >= 0 ? out[r.layout.face * r.var] : 0;
    struct cell now = cell_of(r, out, r.var);
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        low[c] = c < 2 ? across<DIM>(a, s, c, s.at) : *z;
        high[c] = across<DIM>(a, s, c, s.at + s.step[c]);
    }
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        sl_real *face = out + (r.layout.face + c) * r.var;
        face[0] = low[c];
        if (place[c] == r.n[c] - 1) face[s.step[c]] = high[c];
    }
    *z = high[2];
    centre(r, low, high, a.flags && a.flags[s.mark + s.at] > 1, out);
    for (int d = 0; d < DIM; d++)
        now.b[d] = (sl_real)0.5 * (low[d] + high[d]);
    if (r.layout.entropy >= 0) {
        agree(r, spread, out);
        now = cell_of(r, out, r.var);
    }
    if (a.signal) signal_add(r, a.s.per_dx, a.s.last, now, signal);
}

template <int DIM>
static __global__ void __launch_bounds__(THREADS, FACES)
    face_kernel(const __grid_constant__ struct field_args given)
{
    struct field_args a = given;
    a.run.dim = DIM; /* known when it is compiled */
    struct spot s;
    struct signal signal = {0, 0, 0};
    bool there = spot_of(a, 0, &s);
    int end = min(s.k + DEEP, a.run.n[2]);
    sl_real z = DIM > 2 && there && s.k < end ? across<DIM>(a, s, 2, s.at) : 0;
#pragma unroll 1
    for (; there && s.k < end; s.k++, s.at += (unsigned)s.step[2])
        finish<DIM>(a, s, &z, &signal);
    __syncwarp();
    unsigned leaves = (unsigned)(a.run.nleaf * a.tiles[0] * a.tiles[1] * a.tiles[2]);
    if (a.signal) signal_put(a.signal + (blockIdx.x < leaves ? 0 : COVERED), signal);
}

/* ---- launches -------------------------------------------------------------------------------- */

static int parts(int n, int size)
{
    return (n + size - 1) / size;
}

/* Tiles of one width that cover all cells, and `more` behind them; the blocks of threads. */
static unsigned tiles_choose(struct field_args *a, int more)
{
    const struct run_args *r = &a->run;
    int n[3];
    for (int axis = 0; axis < 3; axis++)
        n[axis] = r->n[axis] + (axis < r->dim ? more : 0);
    a->tile[0] = parts(n[0], parts(n[0], WIDE));
    a->tile[1] = THREADS / a->tile[0] < n[1] ? THREADS / a->tile[0] : n[1];
    a->tiles[0] = parts(n[0], a->tile[0]);
    a->tiles[1] = parts(n[1], a->tile[1]);
    a->tiles[2] = parts(n[2], DEEP);
    return (unsigned)(a->tiles[0] * a->tiles[1] * a->tiles[2]) * (unsigned)r->nblock;
}

template <int DIM> static const char *launch(struct sl_device *d, struct field_args *a)
{
    unsigned blocks = tiles_choose(a, 1);
    if (DIM > 1) edge_kernel<DIM><<<blocks, THREADS, 0, d->stream>>>(*a);
    TRY(cudaGetLastError());
    PASS(edges_keep(d, &a->s, a->flags));
    blocks = tiles_choose(a, 0);
    face_kernel<DIM><<<blocks, THREADS, 0, d->stream>>>(*a);
    TRY(cudaGetLastError());
    return NULL;
}

const char *field_advance(struct sl_device *d, const struct sl_device_stage *s,
                          const sl_real *flags)
{
    struct field_args a;
    a.run = run_of_stage(d, s), a.s = *s, a.emf = d->shared->emf, a.flags = flags;
    a.signal = flags ? NULL : d->most;
    return a.run.dim == 1 ? launch<1>(d, &a) : a.run.dim == 2 ? launch<2>(d, &a) : launch<3>(d, &a);
}
