/* totals.cu - the sums of the history on the device, in the order of core/step/totals.c; see
 * device.h.
 *
 * A block of threads takes a plane of a mesh block, a thread a column along y, so that threads
 * beside each other read what lies beside each other; then a few threads add the columns in
 * order. */
#include "core/cell/totals.h"
#include "gpu/inside.cuh"

enum { COLUMNS = 64, VALUES = SL_TOTALS + SL_LEASTS };

/* What a thread that adds has of its quantity: a sum, or an extreme. */
struct gathered {
    struct sl_total sum;
    double least;
};

static __device__ __forceinline__ void gather(struct gathered *g, int q, double x)
{
    if (q < SL_TOTALS)
        sl_total_add(&g->sum, x);
    else
        g->least = fmin(g->least, x);
}

static __device__ __forceinline__ double gathered_of(struct gathered g, int q)
{
    return q < SL_TOTALS ? sl_total_of(g.sum) : g.least;
}

/* Column i of a plane, whose first cell is at u. */
static __device__ void column(const struct run_args &r, const struct sl_totals_of &a,
                              const sl_real *u, int i, double (&out)[VALUES][COLUMNS])
{
    struct sl_total sum[SL_TOTALS] = {};
    double least[SL_LEASTS];
    for (int e = 0; e < SL_LEASTS; e++)
        least[e] = HUGE_VAL;
    for (int j = 0; j < r.n[1]; j++)
        sl_totals_cell(&a, u + j * a.step[1] + i, (size_t)r.var, sum, least);
    for (int q = 0; q < SL_TOTALS; q++)
        out[q][threadIdx.x] = sl_total_of(sum[q]);
    for (int e = 0; e < SL_LEASTS; e++)
        out[SL_TOTALS + e][threadIdx.x] = least[e];
}

/* plane[nblock][n2][VALUES] */
static __global__ void planes(struct run_args r, struct sl_totals_of a, const sl_real *u,
                              double *plane)
{
    __shared__ double part[VALUES][COLUMNS];
    size_t block = blockIdx.x / (unsigned)r.n[2];
    int k = (int)(blockIdx.x % (unsigned)r.n[2]), q = (int)threadIdx.x;
    const sl_real *from = u + (ptrdiff_t)block * r.nvar * r.var + (k + r.g[2]) * a.step[2] +
                          r.g[1] * a.step[1] + r.g[0];
    struct gathered g = {{0, 0}, HUGE_VAL};
    for (int i = 0; i < r.n[0]; i += COLUMNS) {
        int n = min(COLUMNS, r.n[0] - i);
        __syncthreads();
        if (q < n) column(r, a, from, i + q, part);
        __syncthreads();
        for (int c = 0; c < n && q < VALUES; c++)
            gather(&g, q, part[q][c]);
    }
    if (q < VALUES) plane[(size_t)blockIdx.x * VALUES + q] = gathered_of(g, q);
}

/* block[nblock][VALUES] */
static __global__ void whole(struct run_args r, const double *plane, double *block)
{
    int q = (int)threadIdx.x;
    struct gathered g = {{0, 0}, HUGE_VAL};
    if (q >= VALUES) return;
    for (int k = 0; k < r.n[2]; k++)
        gather(&g, q, plane[((size_t)blockIdx.x * (size_t)r.n[2] + (size_t)k) * VALUES + q]);
    block[(size_t)blockIdx.x * VALUES + q] = gathered_of(g, q);
}

extern "C" const char *sl_device_totals(struct sl_device *d, const struct sl_totals_of *a,
                                        const sl_real *u, double *sum, double *least)
{
    size_t blocks = (size_t)d->run.nleaf, planes_of_all = blocks * (size_t)d->run.n[2];
    if (blocks == 0) return NULL;
    size_t size = blocks * VALUES * sizeof(double);
    double *plane = NULL, *host;
    PASS(host_room(d->shared, HOST_SUMS, size));
    host = (double *)d->shared->host[HOST_SUMS];
    PASS(room_new(size * (size_t)(d->run.n[2] + 1), (void **)&plane));
    double *block = plane + planes_of_all * VALUES;
    planes<<<(unsigned)planes_of_all, COLUMNS, 0, d->stream>>>(d->run, *a, u, plane);
    TRY(cudaGetLastError());
    whole<<<(unsigned)blocks, 32, 0, d->stream>>>(d->run, plane, block);
    TRY(cudaGetLastError());
    PASS(move(d, host, block, size, cudaMemcpyDeviceToHost));
    room_free(plane);
    PASS(wait(d));
    for (size_t b = 0; b < blocks; b++) {
        const double *from = host + b * VALUES;
        for (int q = 0; q < SL_TOTALS; q++)
            sum[b * SL_TOTALS + (size_t)q] = from[q];
        for (int e = 0; e < SL_LEASTS; e++)
            least[e] = fmin(least[e], from[SL_TOTALS + e]);
    }
    return NULL;
}
