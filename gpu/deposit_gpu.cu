/* deposit_gpu.cu - the density of particles on a device; see deposit_gpu.h. */
#include "gpu/deposit_gpu.h"
#include "gpu/inside.cuh"

enum { AT_ONCE = 1 << 22 }; /* particles that go up together */

/* As kernels get it: sums of own planes, and what is found. */
struct deposit {
    struct sl_deposit_gpu of;
    unsigned long long *sum;
    unsigned *found;
};

static __device__ void deposit_add(const struct deposit &d, size_t at, double share)
{
    unsigned long long more = (unsigned long long)sl_touch_whole(share),
                       sum = atomicAdd(d.sum + at, more) + more;
    if (sum >= (unsigned long long)SL_TOUCH_MOST) atomicOr(d.found, (unsigned)SL_TOUCH_FULL);
}

/* Row by row of the cells that a particle touches. */
static __device__ void deposit_particle(const struct deposit &d, const double x[3])
{
    const int *n = d.of.n, order = d.of.order;
    struct sl_touch t[3];
    for (int a = 0; a < 3; a++)
        t[a] = sl_touch_axis(order, sl_touch_place(x[a], n[a]), n[a]);
    for (int k = 0; k < order; k++) {
        int z = t[2].cell[k] - d.of.z0;
        if (z < 0 || z >= d.of.nz) continue;
        for (int j = 0; j < order; j++) {
            size_t row = ((size_t)z * (size_t)n[1] + (size_t)t[1].cell[j]) * (size_t)n[0];
            for (int i = 0; i < order; i++)
                deposit_add(d, row + (size_t)t[0].cell[i],
                            t[2].weight[k] * t[1].weight[j] * t[0].weight[i]);
        }
    }
}

static __global__ void deposit_all(struct deposit d, struct sl_touch_list list)
{
    size_t i = this_cell();
    double x[3];
    if (i >= list.n) return;
    for (int a = 0; a < 3; a++) {
        x[a] = list.x[a][i * list.stride];
        if (isfinite(x[a])) continue;
        atomicOr(d.found, (unsigned)SL_TOUCH_NOWHERE);
        return;
    }
    deposit_particle(d, x);
}

/* In place: contrasts of sums. */
static __global__ void deposit_finish(struct deposit d, size_t cells)
{
    size_t i = this_cell();
    if (i < cells) ((double *)d.sum)[i] = sl_touch_contrast((int64_t)d.sum[i], d.of.mean);
}

/* Particles first .. first + n - 1 to the device, in the order that they have. */
static const char *deposit_put(struct sl_stats_gpu *c, const struct sl_touch_list *list,
                               size_t first, size_t n, double *to, struct sl_touch_list *there)
{
    bool apart = list->stride == 1; /* one axis after the other, else side by side */
    size_t doubles = apart ? n : 3 * n;
    *there = sl_touch_list{n, list->stride, {}};
    for (int a = 0; a < 3; a++) {
        there->x[a] = apart ? to + (size_t)a * n : to + a;
        if (!apart && a > 0) continue;
        PASS(sl_stats_gpu_put(c, to + (size_t)a * n, list->x[a] + first * list->stride,
                              doubles * sizeof(double)));
    }
    return NULL;
}

static const char *deposit_lists(struct sl_stats_gpu *c, const struct deposit &d,
                                 const struct sl_touch_list *list, double *to)
{
    cudaStream_t stream = (cudaStream_t)sl_stats_gpu_stream(c);
    for (size_t first = 0; first < list->n; first += AT_ONCE) {
        size_t left = list->n - first, n = left < AT_ONCE ? left : (size_t)AT_ONCE;
        struct sl_touch_list there;
        PASS(deposit_put(c, list, first, n, to, &there));
        deposit_all<<<blocks_of(n), THREADS, 0, stream>>>(d, there);
        TRY(cudaGetLastError());
    }
    return NULL;
}

static const char *deposit_run(struct sl_stats_gpu *c, struct deposit d, size_t cells,
                               const struct sl_touch_list *list, double *to, double *contrast,
                               unsigned *found)
{
    cudaStream_t stream = (cudaStream_t)sl_stats_gpu_stream(c);
    PASS(sl_stats_gpu_clear(c, d.sum, cells * sizeof *d.sum));
    PASS(sl_stats_gpu_clear(c, d.found, sizeof *d.found));
    PASS(deposit_lists(c, d, list, to));
    if (cells > 0) deposit_finish<<<blocks_of(cells), THREADS, 0, stream>>>(d, cells);
    TRY(cudaGetLastError());
    PASS(sl_stats_gpu_get(c, found, d.found, sizeof *found));
    return cells > 0 ? sl_stats_gpu_get(c, contrast, d.sum, cells * sizeof *contrast) : NULL;
}

extern "C" const char *sl_deposit_gpu(struct sl_stats_gpu *c, const struct sl_deposit_gpu *what,
                                      const struct sl_touch_list *list, double *contrast,
                                      unsigned *found, int *full)
{
    size_t cells = (size_t)what->nz * (size_t)what->n[1] * (size_t)what->n[0];
    size_t most = list->n < AT_ONCE ? list->n : (size_t)AT_ONCE;
    struct deposit d = {*what, NULL, NULL};
    char *room;
    *full = 0;
    PASS(sl_stats_gpu_take(c));
    const char *text = sl_stats_gpu_room(c, (cells + 1 + 3 * most) * sizeof(double), &room);
    *full = text != NULL;
    PASS(text);
    d.sum = (unsigned long long *)(void *)room;
    d.found = (unsigned *)(void *)(d.sum + cells);
    return deposit_run(c, d, cells, list, (double *)(void *)(d.sum + cells + 1), contrast, found);
}
