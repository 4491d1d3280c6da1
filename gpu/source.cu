/* source.cu - source terms on the device: a kernel for each body of core/cell that a file of
 * core/source names with SL_SOURCE_BODY, as the loops of core/step/source_body.c; see device.h.
 */
#include <stdlib.h>
#include <string.h>

#include "core/cell/source.h"
#include "gpu/inside.cuh"
#include "source_bodies.h" /* generated */

enum { SUM_TERMS = 64 }; /* of a sum, per thread */

struct source_args {
    unsigned char of[SL_SOURCE_ARGS];
};

/* What a kernel is given besides the device: the cell that all others are like, where blocks begin,
 * at[nblock][3], and the unit of sums, 0: the largest value. */
struct source_pass {
    struct sl_source_cell cell;
    double lo[3], magic;
    const int *at;
};

/* Memory of the device, made at first. result: the largest value, or the parts of a sum. */
struct sources {
    int *at;
    const double *of; /* the table of the host that `table` is a copy of */
    double *table;
    unsigned long long *result; /* [2] */
};

static __device__ void source_place(const struct run_args &r, const struct source_pass &p, size_t i,
                                    struct sl_source_cell &cell)
{
    unsigned row = (unsigned)i / (unsigned)r.n[0], plane = row / (unsigned)r.n[1];
    unsigned block = plane / (unsigned)r.n[2];
    const int *at = p.at + 3 * block;
    int x = (int)((unsigned)i - row * (unsigned)r.n[0]);
    int y = (int)(row - plane * (unsigned)r.n[1]), z = (int)(plane - block * (unsigned)r.n[2]);
    cell.x[0] = sl_source_centre(p.lo[0], cell.dx[0], at[0] + x);
    cell.x[1] = sl_source_centre(p.lo[1], cell.dx[1], at[1] + y);
    cell.x[2] = sl_source_centre(p.lo[2], cell.dx[2], at[2] + z);
    cell.last = (x == r.n[0] - 1) | (y == r.n[1] - 1) << 1 | (z == r.n[2] - 1) << 2;
}

static __device__ long long source_term(double magic, double x)
{
    return __double_as_longlong(magic + x) - __double_as_longlong(magic);
}

/* Whole numbers, or the bits of numbers that are not negative: any order of the cells gives the
 * same. */
static __device__ void source_put(double magic, double most, long long sum,
                                  unsigned long long *result)
{
    for (int by = 16; by > 0; by /= 2) {
        most = fmax(most, __shfl_xor_sync(0xffffffff, most, by));
        sum += __shfl_xor_sync(0xffffffff, sum, by);
    }
    if (threadIdx.x % 32 > 0) return;
    if (magic > 0) {
        long long low = sum & 0xffffffffLL;
        atomicAdd(&result[0], (unsigned long long)((sum - low) / (1LL << 32)));
        atomicAdd(&result[1], (unsigned long long)low);
    } else
        atomicMax(&result[0], (unsigned long long)__double_as_longlong(most));
}

#define KERNEL(file, name)                                                                         \
    static __global__ void source_##file##_##name(struct run_args r, struct source_pass p,         \
                                                  struct source_args args, sl_real *u,             \
                                                  unsigned long long *result)                      \
    {                                                                                              \
        struct sl_source_cell cell = p.cell;                                                       \
        double most = 0;                                                                           \
        long long sum = 0;                                                                         \
        for (size_t i = this_cell();; i += (size_t)gridDim.x * blockDim.x) {                       \
            ptrdiff_t at = cell_at(r, i, r.nvar);                                                  \
            if (at < 0) break;                                                                     \
            source_place(r, p, i, cell);                                                           \
            double value = sl_##file##_##name(args.of, &cell, u + at);                             \
            if (p.magic > 0)                                                                       \
                sum += source_term(p.magic, value);                                                \
            else                                                                                   \
                most = fmax(most, value);                                                          \
        }                                                                                          \
        source_put(p.magic, most, sum, result);                                                    \
    }
SL_SOURCE_BODIES(KERNEL)

typedef void source_kernel(struct run_args, struct source_pass, struct source_args, sl_real *,
                           unsigned long long *);
static source_kernel *const source_kernels[] = {
#define ENTRY(file, name) source_##file##_##name,
    SL_SOURCE_BODIES(ENTRY)};

/* ---- the device ----------------------------------------------------------------------------- */

void sources_free(struct sources *s)
{
    if (!s) return;
    room_free(s->at), room_free(s->table), room_free(s->result);
    free(s);
}

static const char *sources_ready(struct sl_device *d, const int *at)
{
    if (d->sources) return NULL;
    struct sources *s = d->sources = (struct sources *)calloc(1, sizeof *d->sources);
    if (!s) return "no memory on the host";
    PASS(table(at, 3 * (size_t)d->run.nblock * sizeof(int), (const void **)&s->at));
    PASS(host_room(d->shared, HOST_SUMS, 2 * sizeof *s->result));
    return room_new(2 * sizeof *s->result, (void **)&s->result);
}

/* The table of a source, copied where it is not there yet. */
static const char *sources_table(struct sources *s, const struct sl_device_source *what)
{
    if (!what->table || s->of == what->table) return NULL;
    room_free(s->table);
    s->table = NULL, s->of = NULL;
    PASS(table(what->table, what->ntable * sizeof(double), (const void **)&s->table));
    s->of = what->table;
    return NULL;
}

/* As many blocks of threads as keep the sum of a thread within SUM_TERMS. */
static unsigned source_grid(const struct sl_device *d)
{
    unsigned all = all_cells(d), least = all / SUM_TERMS + 1, grid = all < 4096 ? all : 4096;
    return grid > least ? grid : least;
}

extern "C" const char *sl_device_source(struct sl_device *d, const struct sl_device_source *what,
                                        sl_real *u, double *most, long long sum[2])
{
    struct source_pass p;
    struct source_args args;
    if (d->run.nblock == 0) return NULL;
    PASS(sources_ready(d, what->at));
    PASS(sources_table(d->sources, what));
    memset(&args, 0, sizeof args);
    memcpy(args.of, what->args, what->size);
    p.cell = what->cell;
    p.cell.table = what->table ? d->sources->table : NULL;
    p.magic = what->magic;
    p.at = d->sources->at;
    memcpy(p.lo, what->lo, sizeof p.lo);
    unsigned long long *result = d->sources->result;
    unsigned long long *host = (unsigned long long *)d->shared->host[HOST_SUMS];
    TRY(cudaMemsetAsync(result, 0, 2 * sizeof *result, d->stream));
    source_kernel *kernel = source_kernels[what->body];
    kernel<<<source_grid(d), THREADS, 0, d->stream>>>(leaves_of(d), p, args, u, result);
    TRY(cudaGetLastError());
    PASS(move(d, host, result, 2 * sizeof *host, cudaMemcpyDeviceToHost));
    PASS(wait(d));
    if (what->magic > 0)
        sum[0] += (long long)host[0], sum[1] += (long long)host[1];
    else
        memcpy(most, host, sizeof *most);
    return NULL;
}
