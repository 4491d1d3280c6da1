/* edge_register.cu - keeps the electric field along the edges on the surfaces of blocks
 * (core/transfer/edge_register.h), which a stage leaves in memory (ct.cu); see flux_register.h. */
#include <stdlib.h>

#include "core/cell/edge.h"
#include "gpu/flux_register.h"
#include "gpu/inside.cuh"

/* As struct flux_register. */
struct edge_register {
    int *block;              /* device; the fine ones, then the coarse ones */
    sl_real *sum[2], *total; /* device */
    int count, now;
    size_t each, fine, values; /* each: of a block */
};

struct keep_args {
    struct run_args run;
    const int *block;
    struct emf_terms emf;
    const sl_real *before; /* NULL: nothing comes from the stages before */
    sl_real *after, b, dt;
    size_t each;
};

/* Number i of the edges of a block: its axis, and the cell at whose lower corner it begins. */
static __device__ int edge_of(const struct run_args &r, int i, int x[3])
{
    for (int side = 0; side < 2 * r.dim; side++)
        for (int c = 0; c < 3; c++) {
            int axis = side / 2, line = 3 - axis - c;
            if (!sl_edge_is(r.dim, axis, c)) continue;
            int count = r.n[c] * (r.n[line] + 1);
            if (i >= count) {
                i -= count;
                continue;
            }
            x[axis] = side % 2 ? r.n[axis] : 0;
            x[c] = i % r.n[c], x[line] = i / r.n[c];
            return c;
        }
    return 0;
}

/* A row of blocks of threads per block. */
static __global__ void keep(const __grid_constant__ struct keep_args a)
{
    const struct run_args &r = a.run;
    int i = (int)(blockIdx.y * blockDim.x + threadIdx.x), x[3] = {0, 0, 0};
    if ((size_t)i >= a.each) return;
    int c = edge_of(r, i, x);
    ptrdiff_t at = ((ptrdiff_t)(x[2] + r.g[2]) * r.nt[1] + x[1] + r.g[1]) * r.nt[0] + x[0] + r.g[0];
    sl_real e =
        a.emf.value[((ptrdiff_t)a.block[blockIdx.x] * EDGE_VALUES + EDGE_FIELD + c) * r.var + at];
    size_t to = blockIdx.x * a.each + (size_t)i;
    a.after[to] = a.b * ((a.before ? a.before[to] : 0) + a.dt * e);
}

static __global__ void total_raise(size_t n, const sl_real *sum, sl_real *total)
{
    size_t i = this_cell();
    if (i < n) total[i] += sum[i];
}

const char *edges_keep(struct sl_device *d, const struct sl_device_stage *s, const sl_real *flags)
{
    struct edge_register *k = d->edges;
    struct keep_args a;
    if (!k || k->count == 0 || s->first_order) return NULL;
    if (!flags) k->now = 1 - k->now;
    a.run = d->run, a.block = k->block, a.emf = d->shared->emf, a.each = k->each;
    a.before = s->from == s->u0 ? NULL : k->sum[1 - k->now];
    a.after = k->sum[k->now], a.b = s->b, a.dt = s->dt;
    dim3 grid((unsigned)k->count, (unsigned)((k->each + THREADS - 1) / THREADS));
    keep<<<grid, THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    return NULL;
}

const sl_real *edges_fine(const struct edge_register *k)
{
    return k->total;
}

const sl_real *edges_coarse(const struct edge_register *k)
{
    return k->sum[k->now] + k->fine;
}

const char *edges_clear(struct sl_device *d)
{
    const struct edge_register *k = d->edges;
    if (k && k->fine > 0) TRY(cudaMemsetAsync(k->total, 0, k->fine * sizeof(sl_real), d->stream));
    return NULL;
}

const char *edges_accept(struct sl_device *d)
{
    const struct edge_register *k = d->edges;
    if (!k || k->fine == 0) return NULL;
    total_raise<<<(unsigned)((k->fine + THREADS - 1) / THREADS), THREADS, 0, d->stream>>>(
        k->fine, k->sum[k->now], k->total);
    TRY(cudaGetLastError());
    return NULL;
}

void edges_free(struct edge_register *k)
{
    if (!k) return;
    room_free(k->block), room_free(k->sum[0]), room_free(k->sum[1]), room_free(k->total);
    free(k);
}

static const char *fill(struct edge_register *k, const int *block)
{
    for (int i = 0; i < 2; i++)
        PASS(room_zero(k->values * sizeof(sl_real), (void **)&k->sum[i]));
    PASS(room_zero(k->fine * sizeof(sl_real), (void **)&k->total));
    return table(block, (size_t)k->count * sizeof *block, (const void **)&k->block);
}

extern "C" const char *sl_device_edges_set(struct sl_device *d, const int *block, int nfine, int n)
{
    struct edge_register *k = (struct edge_register *)calloc(1, sizeof *k);
    if (!k) return "no memory on the host";
    k->each = sl_edge_values(d->run.dim, d->run.n);
    k->count = n, k->fine = (size_t)nfine * k->each, k->values = (size_t)n * k->each;
    const char *text = fill(k, block);
    if (text) {
        edges_free(k);
        return text;
    }
    edges_free(d->edges);
    d->edges = k;
    return NULL;
}
