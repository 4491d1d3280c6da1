/* refine.cu - what the rules of mesh.refine say of the leaves of a level (core/cell/refine.h); see
 * nest.h. */
#include <string.h>

#include "core/cell/refine.h"
#include "gpu/inside.cuh"
#include "gpu/nest.h"

enum { WARPS = THREADS / 32, WORDS = 3 };

struct refine_args {
    struct run_args run;
    struct sl_refine_level level;
    const sl_real *u;
    struct sl_refine_marks *marks;
};

/* All bits that the threads of a warp have. */
static __device__ __forceinline__ unsigned any_of(unsigned bits)
{
    for (int by = 16; by > 0; by /= 2)
        bits |= __shfl_xor_sync(0xffffffffu, bits, by);
    return bits;
}

static __device__ void cells(const struct refine_args &a, struct sl_refine_marks *m)
{
    const struct run_args &r = a.run;
    const sl_real *u = a.u + (ptrdiff_t)blockIdx.x * r.nvar * r.var;
    int count = r.n[0] * r.n[1] * r.n[2];
    for (int c = (int)threadIdx.x; c < count; c += THREADS) {
        int i = c % r.n[0], j = c / r.n[0] % r.n[1], k = c / (r.n[0] * r.n[1]);
        ptrdiff_t at = ((ptrdiff_t)(k + r.g[2]) * r.nt[1] + j + r.g[1]) * r.nt[0] + i + r.g[0];
        unsigned asks = sl_refine_cell(&a.level, u + at);
        if (asks) sl_refine_mark(m, asks, sl_refine_sides(&a.level, k, j, i));
    }
}

/* A block of threads per leaf; four at once on a multiprocessor, though some values spill: 650 us
 * for 775 (3072 leaves of 16^3, H100). */
static __global__ void __launch_bounds__(THREADS, 4)
    marks_of(const __grid_constant__ struct refine_args a)
{
    __shared__ unsigned word[WARPS][WORDS];
    struct sl_refine_marks m = {0, 0, 0};
    cells(a, &m);
    m.finer = any_of(m.finer), m.here = any_of(m.here), m.keep = any_of(m.keep);
    if (threadIdx.x % 32 == 0) {
        unsigned *to = word[threadIdx.x / 32];
        to[0] = m.finer, to[1] = m.here, to[2] = m.keep;
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < WARPS; w++)
        m.finer |= word[w][0], m.here |= word[w][1], m.keep |= word[w][2];
    a.marks[blockIdx.x] = m;
}

extern "C" const char *sl_device_refine(struct sl_device *d, const struct sl_refine_level *level,
                                        const sl_real *u, struct sl_refine_marks *marks)
{
    size_t n = (size_t)d->run.nleaf, size = n * sizeof *marks;
    struct refine_args a;
    if (n == 0) return NULL;
    a.run = d->run, a.level = *level, a.u = u, a.marks = NULL;
    PASS(host_room(d->shared, HOST_SUMS, size));
    PASS(room_new(size, (void **)&a.marks));
    marks_of<<<(unsigned)n, THREADS, 0, d->stream>>>(a);
    TRY(cudaGetLastError());
    const struct sl_refine_marks *from = (const struct sl_refine_marks *)d->shared->host[HOST_SUMS];
    PASS(move(d, (void *)from, a.marks, size, cudaMemcpyDeviceToHost));
    room_free(a.marks);
    PASS(wait(d));
    for (size_t b = 0; b < n; b++) {
        marks[b].finer |= from[b].finer;
        marks[b].here |= from[b].here;
        marks[b].keep |= from[b].keep;
    }
    return NULL;
}
