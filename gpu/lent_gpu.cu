/* lent_gpu.cu - fields and lists that stay on a device; see lent_gpu.h. Threads add up what the
 * processor adds up in one go, in its order: rows, columns, and planes, of which a block brings
 * cells beside each other for one thread. */
#include "gpu/inside.cuh"
#include "gpu/lent_gpu.h"

enum { TILE = 1024, PIECE = SL_LENT_PIECE, LANES = SL_LENT_LANES };

/* ---- memory ---------------------------------------------------------------------------------- */

extern "C" const char *sl_lent_gpu_new(struct sl_stats_gpu *c, size_t n, double **out)
{
    PASS(sl_stats_gpu_take(c));
    *out = NULL;
    cudaError_t code = cudaMalloc((void **)out, (n + 1) * sizeof **out);
    if (code == cudaSuccess) return NULL;
    cudaGetLastError(); /* that there is no room is no error of what comes after */
    return cudaGetErrorString(code);
}

extern "C" void sl_lent_gpu_free(struct sl_stats_gpu *c, double *lent)
{
    if (sl_stats_gpu_take(c) == NULL) cudaFree(lent);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static __global__ void lent_places(struct sl_particle_lists list, struct sl_lent_places to)
{
    size_t i = this_cell();
    if (i >= list.n) return;
    for (int d = 0; d < 3; d++) {
        to.x[d][i] = sl_place_share(&to.axis[d], list.x[d][i]);
        if (to.v[d]) to.v[d][i] = sl_place_speed((double)list.v[d][i], to.speed);
    }
}

extern "C" const char *sl_lent_gpu_places(struct sl_stats_gpu *c,
                                          const struct sl_particle_lists *lists,
                                          const struct sl_lent_places *to)
{
    PASS(sl_stats_gpu_take(c));
    if (lists->n == 0) return NULL;
    lent_places<<<blocks_of(lists->n), THREADS, 0, (cudaStream_t)sl_stats_gpu_stream(c)>>>(*lists,
                                                                                           *to);
    TRY(cudaGetLastError());
    return sl_stats_gpu_wait(c);
}

static __global__ void lent_points(struct sl_particle_lists list, struct sl_lent_places of,
                                   double unit, size_t first, size_t n, struct sl_point *to)
{
    size_t i = this_cell(), from = first + i;
    if (i >= n) return;
    for (int d = 0; d < 3; d++) {
        to[i].x[d] = sl_point_fraction(sl_place_share(&of.axis[d], list.x[d][from]));
        to[i].v[d] = (float)((double)list.v[d][from] * of.speed / unit);
    }
    to[i].id = (uint64_t)(double)list.id[from];
}

extern "C" const char *sl_lent_gpu_points(struct sl_stats_gpu *c,
                                          const struct sl_particle_lists *lists,
                                          const struct sl_lent_places *of, double unit,
                                          size_t first, size_t n, struct sl_point *by,
                                          struct sl_point *pinned)
{
    cudaStream_t stream = (cudaStream_t)sl_stats_gpu_stream(c);
    lent_points<<<blocks_of(n), THREADS, 0, stream>>>(*lists, *of, unit, first, n, by);
    TRY(cudaGetLastError());
    TRY(cudaMemcpyAsync(pinned, by, n * sizeof *by, cudaMemcpyDeviceToHost, stream));
    return NULL;
}

static __global__ void lent_shift(size_t n, double part, const double *v, double *x)
{
    size_t i = this_cell();
    if (i < n) x[i] += v ? part * v[i] : part;
}

extern "C" const char *sl_lent_gpu_shift(struct sl_stats_gpu *c, size_t n, double part,
                                         const double *v, double *x)
{
    PASS(sl_stats_gpu_take(c));
    if (n == 0) return NULL;
    lent_shift<<<blocks_of(n), THREADS, 0, (cudaStream_t)sl_stats_gpu_stream(c)>>>(n, part, v, x);
    TRY(cudaGetLastError());
    return NULL;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static __device__ double lent_rho(const struct sl_lent_density &rho, size_t i)
{
    return (rho.contrast[i] + 1) * rho.mean;
}

static int pieces_of(const int n[3])
{
    return (n[0] + PIECE - 1) / PIECE;
}

/* A thread takes a piece of a row, each lane every eighth cell. */
static __global__ void lent_squares(size_t rows, int n0, int pieces, const double *f, double *out)
{
    size_t i = this_cell();
    if (i >= rows * (size_t)pieces) return;
    int first = (int)(i % (size_t)pieces) * PIECE, n = min(PIECE, n0 - first);
    const double *at = f + i / (size_t)pieces * (size_t)n0 + (size_t)first;
    double lane[LANES] = {}, sum = 0;
    int whole = n - n % LANES;
    for (int k = 0; k < whole; k += LANES)
#pragma unroll
        for (int l = 0; l < LANES; l++)
            lane[l] += at[k + l] * at[k + l];
    for (int l = 0; l < LANES; l++)
        if (whole + l < n) lane[l] += at[whole + l] * at[whole + l];
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    out[i] = sum;
}

extern "C" const char *sl_lent_gpu_squares(struct sl_stats_gpu *c, const int n[3], const double *f,
                                           double *out)
{
    size_t rows = (size_t)n[1] * (size_t)n[2], all = rows * (size_t)pieces_of(n);
    char *room;
    PASS(sl_stats_gpu_take(c));
    PASS(sl_stats_gpu_room(c, all * sizeof(double), &room));
    double *sums = (double *)(void *)room;
    lent_squares<<<blocks_of(all), THREADS, 0, (cudaStream_t)sl_stats_gpu_stream(c)>>>(
        rows, n[0], pieces_of(n), f, sums);
    TRY(cudaGetLastError());
    return sl_stats_gpu_get(c, out, sums, all * sizeof *out);
}

/* A block takes a plane. */
static __global__ void lent_planes(struct sl_lent_density rho, size_t plane, double *out)
{
    __shared__ double value[TILE];
    size_t first = (size_t)blockIdx.x * plane;
    double sum = 0;
    for (size_t from = 0; from < plane; from += TILE) {
        int n = plane - from < TILE ? (int)(plane - from) : TILE;
        for (int i = (int)threadIdx.x; i < n; i += THREADS)
            value[i] = lent_rho(rho, first + from + (size_t)i);
        __syncthreads();
        for (int i = 0; threadIdx.x == 0 && i < n; i++)
            sum += value[i];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

extern "C" const char *sl_lent_gpu_planes(struct sl_stats_gpu *c, const int n[3],
                                          const struct sl_lent_density *rho, double *out)
{
    char *room;
    PASS(sl_stats_gpu_take(c));
    PASS(sl_stats_gpu_room(c, (size_t)n[2] * sizeof *out, &room));
    double *sums = (double *)(void *)room;
    lent_planes<<<(unsigned)n[2], THREADS, 0, (cudaStream_t)sl_stats_gpu_stream(c)>>>(
        *rho, (size_t)n[0] * (size_t)n[1], sums);
    TRY(cudaGetLastError());
    return sl_stats_gpu_get(c, out, sums, (size_t)n[2] * sizeof *out);
}

/* Lines of sight along an axis. */
struct sight {
    int n, width; /* cells along it; pixels in a row of the map */
    size_t pixels;
    size_t row, pixel, step; /* from row to row of the map, pixel to pixel, cell to cell */
};

static struct sight sight_of(const int n[3], int axis)
{
    size_t stride[3] = {1, (size_t)n[0], (size_t)n[0] * (size_t)n[1]};
    int column = axis == 0 ? 1 : 0, line = axis == 2 ? 1 : 2;
    struct sight s = {n[axis],      n[column],      (size_t)n[column] * (size_t)n[line],
                      stride[line], stride[column], stride[axis]};
    return s;
}

static __global__ void lent_along(struct sl_lent_density rho, struct sight s, int first, int n,
                                  double *out)
{
    size_t i = this_cell();
    if (i >= s.pixels) return;
    size_t at = i / (size_t)s.width * s.row + i % (size_t)s.width * s.pixel;
    double sum = 0;
    for (int k = first; k < first + n; k++)
        sum += lent_rho(rho, at + (size_t)k * s.step);
    out[i] = sum;
}

/* n cells from one on. */
static const char *map_of(struct sl_stats_gpu *c, const struct sight *s,
                          const struct sl_lent_density *rho, int first, int n, double *out)
{
    char *room;
    PASS(sl_stats_gpu_take(c));
    PASS(sl_stats_gpu_room(c, s->pixels * sizeof *out, &room));
    double *sums = (double *)(void *)room;
    lent_along<<<blocks_of(s->pixels), THREADS, 0, (cudaStream_t)sl_stats_gpu_stream(c)>>>(
        *rho, *s, first, n, sums);
    TRY(cudaGetLastError());
    return sl_stats_gpu_get(c, out, sums, s->pixels * sizeof *out);
}

extern "C" const char *sl_lent_gpu_along(struct sl_stats_gpu *c, const int n[3],
                                         const struct sl_lent_density *rho, int axis, double *out)
{
    const struct sight s = sight_of(n, axis);
    return map_of(c, &s, rho, 0, s.n, out);
}

extern "C" const char *sl_lent_gpu_slice(struct sl_stats_gpu *c, const int n[3],
                                         const struct sl_lent_density *rho, int axis, int at,
                                         double *out)
{
    const struct sight s = sight_of(n, axis);
    return map_of(c, &s, rho, at, 1, out);
}

static __global__ void lent_over(struct sl_lent_density rho, size_t n, double mean, double *out)
{
    size_t i = this_cell();
    if (i < n) out[i] = lent_rho(rho, i) / mean - 1;
}

extern "C" const char *sl_lent_gpu_over(struct sl_stats_gpu *c, const int n[3],
                                        const struct sl_lent_density *rho, double mean, double *out)
{
    size_t cells = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    PASS(sl_stats_gpu_take(c));
    lent_over<<<blocks_of(cells), THREADS, 0, (cudaStream_t)sl_stats_gpu_stream(c)>>>(*rho, cells,
                                                                                      mean, out);
    TRY(cudaGetLastError());
    return NULL;
}
