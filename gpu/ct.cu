/* ct.cu - constrained transport after a stage: the electric field at the edges from what the stage kept
 * (stage.cuh), then the field at the faces and in the cells, then the cells' signals.
 *
 * A block of threads owns a tile of columns of a mesh block and marches along z; the edges of two planes
 * lie in shared memory. The sums are those of core/step/sweep_ct.c. */
#include "gpu/inside.cuh"

enum { WIDE = 32, CHUNK = 16 };

struct field_args {
    struct run_args run;
    struct sl_device_stage s;
    struct edge_flux kept;
    const sl_real *flags; /* NULL: none */
    int tile[2], chunk, tiles[3];
    unsigned long long *signal; /* NULL: not wanted */
};

/* Where the columns of a tile are, and the edges: [plane & 1][component][row][x]. */
struct web {
    int tx, ty, wide, high, x0, y0, k0, block;
    ptrdiff_t step[3], base; /* of the first cell of the tile in a variable of the mesh block */
    int row, var;
    sl_real *edge;
};

static __device__ struct web web_of(const struct field_args &a)
{
    extern __shared__ double memory[];
    struct web w;
    int index = (int)blockIdx.x;
    w.wide = a.tile[0], w.high = a.tile[1];
    w.ty = (int)threadIdx.x / w.wide, w.tx = (int)threadIdx.x - w.ty * w.wide;
    w.x0 = index % a.tiles[0] * w.wide;
    index /= a.tiles[0];
    w.y0 = index % a.tiles[1] * w.high;
    index /= a.tiles[1];
    w.k0 = index % a.tiles[2] * a.chunk;
    w.block = index / a.tiles[2];
    w.step[0] = 1, w.step[1] = a.run.nt[0], w.step[2] = (ptrdiff_t)a.run.nt[0] * a.run.nt[1];
    w.base = (w.y0 + a.run.g[1]) * w.step[1] + w.x0 + a.run.g[0] + a.run.g[2] * w.step[2];
    w.row = w.wide + 1;
    w.var = w.row * (w.high + 1);
    w.edge = (sl_real *)memory;
    return w;
}

/* The lower edges of plane k: those of the tile's cells, and one more row and column. */
static __device__ void edges(const struct field_args &a, const struct web &w, int k)
{
    const struct run_args &r = a.run;
    struct edge_flux kept = {a.kept.value + (ptrdiff_t)w.block * EDGE_VALUES * r.var,
                             a.kept.way + (ptrdiff_t)w.block * 3 * r.var};
    sl_real *to = w.edge + (k & 1) * 3 * w.var;
    for (int e = (int)threadIdx.x; e < w.var; e += (int)blockDim.x) {
        int y = e / w.row, x = e - y * w.row;
        if (w.x0 + x > r.n[0] || w.y0 + y > r.n[1]) continue;
        ptrdiff_t at = w.base + k * w.step[2] + y * w.step[1] + x;
        if (r.dim > 2) {
            to[e] = electric(r, kept, w.step, 0, at);
            to[w.var + e] = electric(r, kept, w.step, 1, at);
        }
        to[2 * w.var + e] = electric(r, kept, w.step, 2, at);
    }
}

/* The new field across the lower face along c of the cell at `at`, which is (x, y) of the tile in plane k. */
static __device__ __forceinline__ sl_real across(const struct field_args &a, const struct web &w,
                                                 int c, int x, int y, int k, ptrdiff_t at)
{
    const struct run_args &r = a.run;
    int p = c < 2 ? c + 1 : 0, q = c > 0 ? c - 1 : 2;
    ptrdiff_t i = (r.layout.face + c) * r.var + at;
    const sl_real *here = w.edge + (k & 1) * 3 * w.var + y * w.row + x;
    const sl_real *next = w.edge + (~k & 1) * 3 * w.var + y * w.row + x;
    const sl_real *up[3] = {here + 1, here + w.row, next};
    sl_real d = 0, from = a.s.from[i];
    if (p < r.dim && (q == 2 || r.dim > 2))
        d = (up[p][q * w.var] - here[q * w.var]) * a.s.dt_dx[p];
    if (q < r.dim && (p == 2 || r.dim > 2))
        d = d - (up[q][p * w.var] - here[p * w.var]) * a.s.dt_dx[q];
    return a.s.b == 1 ? from - d : a.s.u0[i] + a.s.b * ((from - d) - a.s.u0[i]);
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

/* The cell of a thread in plane k, whose edges and those above are there; below: the field across its
 * lower face along z, handed on from plane to plane. */
static __device__ void finish(const struct field_args &a, const struct web &w, int k,
                              sl_real *below, struct signal *signal)
{
    const struct run_args &r = a.run;
    ptrdiff_t at = (ptrdiff_t)w.block * r.nvar * r.var + w.base + k * w.step[2] +
                   w.ty * w.step[1] + w.tx;
    ptrdiff_t mark = (ptrdiff_t)w.block * r.var + w.base + k * w.step[2] + w.ty * w.step[1] + w.tx;
    sl_real low[3] = {0, 0, *below}, high[3] = {0, 0, 0};
#pragma unroll
    for (int c = 0; c < 2; c++) {
        if (c >= r.dim) continue;
        sl_real *face = a.s.out + at + (r.layout.face + c) * r.var;
        low[c] = across(a, w, c, w.tx, w.ty, k, at);
        high[c] = across(a, w, c, w.tx + (c == 0), w.ty + (c == 1), k, at + w.step[c]);
        face[0] = low[c];
        bool last = c == 0 ? w.x0 + w.tx == r.n[0] - 1 : w.y0 + w.ty == r.n[1] - 1;
        if (last) face[w.step[c]] = high[c];
    }
    if (r.dim > 2) {
        sl_real *face = a.s.out + at + (r.layout.face + 2) * r.var;
        *below = high[2] = across(a, w, 2, w.tx, w.ty, k + 1, at + w.step[2]);
        face[0] = low[2];
        if (k == r.n[2] - 1) face[w.step[2]] = high[2];
    }
    sl_real *out = a.s.out + at;
    centre(r, low, high, a.flags && a.flags[mark] > 1, out);
    if (r.layout.entropy >= 0) agree(r, out);
    if (a.signal) signal_add(r, a.s.per_dx, a.s.last, cell_of(r, out, r.var), signal);
}

template <int DIM>
static __global__ void __launch_bounds__(THREADS, DIM == 3 ? 3 : 1)
    field_kernel(const __grid_constant__ struct field_args given)
{
    struct field_args a = given;
    a.run.dim = DIM; /* known when it is compiled */
    const struct run_args &r = a.run;
    struct web w = web_of(a);
    struct signal signal = {0, 0, 0};
    int k1 = min(w.k0 + a.chunk, r.n[2]);
    bool inside = w.ty < w.high && w.x0 + w.tx < r.n[0] && w.y0 + w.ty < r.n[1], deep = r.dim > 2;
    sl_real below = 0;
    for (int k = w.k0; k < k1 + deep; k++) {
        if (r.dim > 1) edges(a, w, k);
        __syncthreads();
        ptrdiff_t at = (ptrdiff_t)w.block * r.nvar * r.var + w.base + k * w.step[2] +
                       w.ty * w.step[1] + w.tx;
        if (deep && inside && k == w.k0) below = across(a, w, 2, w.tx, w.ty, k, at);
        if (inside && (!deep || k > w.k0)) finish(a, w, deep ? k - 1 : k, &below, &signal);
        __syncthreads();
    }
    if (a.signal) signal_put(a.signal, signal);
}

static int parts(int n, int size)
{
    return (n + size - 1) / size;
}

const char *field_advance(struct sl_device *d, const struct sl_device_stage *s,
                          const sl_real *flags)
{
    struct field_args a;
    a.run = d->run, a.s = *s, a.kept = d->kept, a.flags = flags;
    a.signal = flags ? NULL : d->most;
    int n0 = a.run.n[0], n1 = a.run.n[1];
    a.tile[0] = a.run.dim == 1 ? THREADS : n0 < WIDE ? n0 : WIDE;
    a.tile[1] = THREADS / a.tile[0] < n1 ? THREADS / a.tile[0] : n1;
    a.chunk = CHUNK;
    a.tiles[0] = parts(n0, a.tile[0]);
    a.tiles[1] = parts(n1, a.tile[1]);
    a.tiles[2] = parts(a.run.n[2], a.chunk);
    unsigned tiles = (unsigned)(a.run.nblock * a.tiles[0] * a.tiles[1] * a.tiles[2]);
    size_t shared = 6 * (size_t)((a.tile[0] + 1) * (a.tile[1] + 1)) * sizeof(sl_real);
    auto kernel = a.run.dim == 1 ? field_kernel<1> : a.run.dim == 2 ? field_kernel<2> : field_kernel<3>;
    kernel<<<tiles, THREADS, shared, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}
