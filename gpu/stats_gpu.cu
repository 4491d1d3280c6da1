/* stats_gpu.cu - statistics, the part on a device: memory, sums over shells of modes, sums of
 * powers of differences; see stats_gpu.h. */
#include <cuda_runtime.h>

#include <stdlib.h>

#include "gpu/inside.cuh"
#include "gpu/stats_gpu.h"

enum {
    LINE = 256,
    WIDE = 32,
    HIGH = 8,
    ROWS = 16,
    ORDERS = SL_STRUCTURE_ORDERS,
    SUMS = SL_STRUCTURE_COLUMNS
};

struct sl_stats_gpu {
    int id;
    cudaStream_t stream;
    char *room, *pinned[2];
    size_t bytes, pinned_bytes;
};

/* ---- memory ---------------------------------------------------------------------------------- */

extern "C" const char *sl_stats_gpu_take(struct sl_stats_gpu *c)
{
    TRY(cudaSetDevice(c->id));
    return NULL;
}

extern "C" const char *sl_stats_gpu_new(int id, struct sl_stats_gpu **out)
{
    struct sl_stats_gpu *c = (struct sl_stats_gpu *)calloc(1, sizeof *c);
    if (!c) return "out of memory";
    *out = c;
    c->id = id;
    PASS(sl_stats_gpu_take(c));
    TRY(cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking));
    return NULL;
}

static void unpin(struct sl_stats_gpu *c)
{
    for (int i = 0; i < 2; i++)
        cudaFreeHost(c->pinned[i]);
    c->pinned[0] = c->pinned[1] = NULL;
    c->pinned_bytes = 0;
}

extern "C" void sl_stats_gpu_rest(struct sl_stats_gpu *c)
{
    sl_stats_gpu_take(c);
    cudaFree(c->room);
    c->room = NULL, c->bytes = 0;
    unpin(c);
}

extern "C" void sl_stats_gpu_free(struct sl_stats_gpu *c)
{
    if (!c) return;
    sl_stats_gpu_rest(c);
    if (c->stream) cudaStreamDestroy(c->stream);
    free(c);
}

extern "C" void *sl_stats_gpu_stream(struct sl_stats_gpu *c)
{
    return c->stream;
}

extern "C" const char *sl_stats_gpu_wait(struct sl_stats_gpu *c)
{
    TRY(cudaStreamSynchronize(c->stream));
    return NULL;
}

/* That there is no room is no error of what comes after. */
static const char *text_of_room(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorString(code);
}

extern "C" const char *sl_stats_gpu_room(struct sl_stats_gpu *c, size_t bytes, char **out)
{
    if (c->bytes < bytes) {
        cudaFree(c->room);
        c->room = NULL, c->bytes = 0;
        cudaError_t code = cudaMalloc((void **)&c->room, bytes);
        if (code != cudaSuccess) return text_of_room(code);
        c->bytes = bytes;
    }
    *out = c->room;
    return NULL;
}

extern "C" const char *sl_stats_gpu_pinned(struct sl_stats_gpu *c, size_t bytes, char *out[2])
{
    if (c->pinned_bytes < bytes) {
        unpin(c);
        for (int i = 0; i < 2; i++) {
            cudaError_t code = cudaMallocHost((void **)&c->pinned[i], bytes);
            if (code != cudaSuccess) return text_of_room(code);
        }
        c->pinned_bytes = bytes;
    }
    out[0] = c->pinned[0], out[1] = c->pinned[1];
    return NULL;
}

extern "C" const char *sl_stats_gpu_put(struct sl_stats_gpu *c, void *device, const void *host,
                                        size_t bytes)
{
    TRY(cudaMemcpyAsync(device, host, bytes, cudaMemcpyDefault, c->stream));
    return NULL;
}

extern "C" const char *sl_stats_gpu_put_planes(struct sl_stats_gpu *c, void *device, size_t pitch,
                                               const void *host, size_t bytes, int planes)
{
    if (pitch == bytes) return sl_stats_gpu_put(c, device, host, bytes * (size_t)planes);
    TRY(cudaMemcpy2DAsync(device, pitch, host, bytes, bytes, (size_t)planes, cudaMemcpyDefault,
                          c->stream));
    return NULL;
}

extern "C" const char *sl_stats_gpu_copy(struct sl_stats_gpu *c, void *to, const void *from,
                                         size_t bytes)
{
    TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, c->stream));
    return NULL;
}

extern "C" const char *sl_stats_gpu_get(struct sl_stats_gpu *c, void *host, const void *device,
                                        size_t bytes)
{
    TRY(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDefault, c->stream));
    return sl_stats_gpu_wait(c);
}

extern "C" const char *sl_stats_gpu_clear(struct sl_stats_gpu *c, void *device, size_t bytes)
{
    TRY(cudaMemsetAsync(device, 0, bytes, c->stream));
    return NULL;
}

/* ---- modes ----------------------------------------------------------------------------------- */

static __global__ void place(const double2 *from, double2 *to, int lines, int planes, int nkx,
                             size_t pitch)
{
    int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    for (int z = (int)blockIdx.z; z < planes; z += (int)gridDim.z)
        for (int y = (int)blockIdx.y; x < nkx && y < lines; y += (int)gridDim.y)
            to[(size_t)y * pitch + (size_t)z * (size_t)nkx + (size_t)x] =
                from[((size_t)z * (size_t)lines + (size_t)y) * (size_t)nkx + (size_t)x];
}

static unsigned parts(int n, int size)
{
    return (unsigned)((n + size - 1) / size);
}

static unsigned side(int n)
{
    return (unsigned)(n < 65535 ? n : 65535);
}

extern "C" const char *sl_stats_gpu_place(struct sl_stats_gpu *c, const void *from, void *to,
                                          int lines, int planes, int nkx, size_t pitch)
{
    if (lines <= 0 || planes <= 0) return NULL;
    dim3 blocks(parts(nkx, 128), side(lines), side(planes));
    place<<<blocks, 128, 0, c->stream>>>((const double2 *)from, (double2 *)to, lines, planes, nkx,
                                         pitch);
    TRY(cudaGetLastError());
    return NULL;
}

/* The fields' modes, own rows. */
struct rows {
    const double2 *of[3];
};

/* What is summed of a mode of fields besides its number and its k. */
static __device__ void field_columns(const struct sl_modes &m, const struct rows &row, size_t at,
                                     const int n[3], const double k[3],
                                     double (&value)[SL_SPECTRUM_COLUMNS])
{
    double norm2 = m.norm * m.norm, total = 0, re[3] = {0, 0, 0}, im[3] = {0, 0, 0};
    int alone[3];
    for (int c = 0; c < 3; c++) {
        alone[c] = sl_mode_at_nyquist(n[c], m.n[c]);
        if (c >= m.ncomp) continue;
        double2 v = row.of[c][at];
        re[c] = v.x, im[c] = v.y;
        total += norm2 * m.weight * (v.x * v.x + v.y * v.y);
    }
    double along = norm2 * sl_mode_compressive(k, alone, re, im) * m.weight;
    int mean = n[0] == 0 && n[1] == 0 && n[2] == 0;
    value[SL_SPECTRUM_TOTAL] = total;
    value[SL_SPECTRUM_SOLENOIDAL] = mean ? 0 : total - along;
    value[SL_SPECTRUM_COMPRESSIVE] = mean ? 0 : along;
}

/* Likewise of a pair, or of one field seen along an axis. */
static __device__ void product_columns(const struct sl_modes &m, const struct rows &row, size_t at,
                                       const int n[3], const double k[3],
                                       double (&value)[SL_SPECTRUM_COLUMNS])
{
    const int size[3] = {abs(n[0]), abs(n[1]), abs(n[2])};
    double2 a = row.of[0][at], b = row.of[m.ncomp - 1][at];
    double raw = m.norm * m.norm * (a.x * b.x + a.y * b.y), window = 1, all = 0.5, even = 0.5;
    for (int d = 0; d < 3; d++) {
        window *= m.window[d][size[d]];
        if (m.kind != SL_MODES_PAIR) continue;
        all *= m.alias[d][size[d]];
        even *= m.images[d][size[d]];
    }
    value[SL_PAIR_RAW] = raw;
    if (m.kind == SL_MODES_PAIR) {
        value[SL_PAIR_CORRECTED] = raw * window;
        value[SL_PAIR_SHOT] = all + even;
        return;
    }
    double mu2 = sl_mode_sight(k, m.sight);
    value[SL_POLE_2] = raw * window * sl_mode_quadrupole(mu2);
    value[SL_POLE_4] = raw * window * sl_mode_hexadecapole(mu2);
}

/* The columns of a mode, for all that it stands for; returns its shell. */
static __device__ int columns_of(const struct sl_modes &m, const struct rows &row, size_t at,
                                 const int n[3], double (&value)[SL_SPECTRUM_COLUMNS])
{
    const double k[3] = {n[0] * m.stretch[0], n[1] * m.stretch[1], n[2] * m.stretch[2]};
    double count = sl_mode_count(n[0], m.n[0]), length = sl_mode_length(k[0], k[1], k[2]);
    if (m.kind == SL_MODES_FIELDS)
        field_columns(m, row, at, n, k, value);
    else
        product_columns(m, row, at, n, k, value);
    value[SL_SPECTRUM_MODES] = 1;
    value[SL_SPECTRUM_K] = length;
    for (int i = 0; i < SL_SPECTRUM_COLUMNS; i++)
        value[i] *= count;
    return sl_mode_shell(length, m.nshell);
}

/* A block of threads takes a row. Of a line along x, modes of the same shell lie next to each
 * other: who finds the first of them adds them all. */
static __global__ void shells(struct sl_modes m, int y0, struct rows row, double *sums)
{
    __shared__ double value[SL_SPECTRUM_COLUMNS][LINE];
    __shared__ int shell[LINE];
    int t = (int)threadIdx.x, y = (int)blockIdx.x;
    bool one = m.kind == SL_MODES_FIELDS && m.ncomp < 3;
    int columns = one ? SL_SPECTRUM_TOTAL + 1 : SL_SPECTRUM_COLUMNS;
    double *to = sums + (size_t)y * (size_t)(m.nshell + 2) * SL_SPECTRUM_COLUMNS;
    for (int z = 0; z < m.n[2]; z++)
        for (int first = 0; first < m.nkx; first += LINE) {
            int count = min(LINE, m.nkx - first);
            __syncthreads();
            if (t < count) {
                const int n[3] = {first + t, sl_mode_wrapped(y0 + y, m.n[1]),
                                  sl_mode_wrapped(z, m.n[2])};
                double own[SL_SPECTRUM_COLUMNS];
                size_t at = ((size_t)y * (size_t)m.n[2] + (size_t)z) * (size_t)m.nkx;
                shell[t] = columns_of(m, row, at + (size_t)(first + t), n, own);
                for (int i = 0; i < columns; i++)
                    value[i][t] = own[i];
            }
            __syncthreads();
            for (int i = t; i < count * columns; i += LINE) {
                int x = i % count, column = i / count, s = shell[x];
                if (x > 0 && shell[x - 1] == s) continue;
                double sum = to[s * SL_SPECTRUM_COLUMNS + column];
                for (; x < count && shell[x] == s; x++)
                    sum += value[column][x];
                to[s * SL_SPECTRUM_COLUMNS + column] = sum;
            }
        }
}

extern "C" const char *sl_stats_gpu_shells(struct sl_stats_gpu *c, const struct sl_modes *m, int y0,
                                           int ny, const void *const row[3], double *sums)
{
    struct rows rows;
    for (int i = 0; i < 3; i++)
        rows.of[i] = (const double2 *)row[i];
    if (ny <= 0) return NULL;
    shells<<<(unsigned)ny, LINE, 0, c->stream>>>(*m, y0, rows, sums);
    TRY(cudaGetLastError());
    return NULL;
}

/* ---- differences ----------------------------------------------------------------------------- */

static __device__ void add_powers(double difference, double *sum)
{
    double d = fabs(difference), d2 = d * d, d3 = d2 * d;
    sum[0] += d;
    sum[1] += d2;
    sum[2] += d3;
    sum[3] += d2 * d2;
    sum[4] += d2 * d3;
    sum[5] += d3 * d3;
}

/* The sums over a block of threads, in order, to part[SUMS]. */
static __device__ void add_up(double (&sum)[SUMS], double *part)
{
    __shared__ double warp[HIGH][SUMS];
    for (int q = 0; q < SUMS; q++)
        for (int step = WIDE / 2; step > 0; step /= 2)
            sum[q] += __shfl_down_sync(0xffffffffu, sum[q], step);
    if (threadIdx.x == 0)
        for (int q = 0; q < SUMS; q++)
            warp[threadIdx.y][q] = sum[q];
    __syncthreads();
    int q = (int)threadIdx.x;
    if (threadIdx.y > 0 || q >= SUMS) return;
    double all = 0;
    for (int h = 0; h < HIGH; h++)
        all += warp[h][q];
    part[q] = all;
}

/* Differences of the components of a cell, along the axes: a scalar's powers, or those along and
 * across the separation. */
static __device__ void add_cell(const struct sl_stats_gpu_separation &w, const double (&d)[3],
                                double (&sum)[SUMS])
{
    if (w.ncomp == 1) {
        add_powers(d[0], sum);
        return;
    }
    for (int u = 0; u < 3; u++) {
        const double *e = w.separation.unit[u];
        if (u < w.ncomp)
            add_powers(e[0] * d[0] + e[1] * d[1] + e[2] * d[2], sum + (u > 0 ? ORDERS : 0));
    }
}

/* A block takes some lines of a plane: part[nz][blocks of a plane][SUMS]. */
static __global__ void differences(struct sl_stats_gpu_separation w, double *part)
{
    double sum[SUMS] = {};
    const int *n = w.n, *step = w.separation.step;
    int k = (int)blockIdx.y, from = (int)blockIdx.x * ROWS, end = min(from + ROWS, n[1]);
    size_t row = (size_t)n[0], plane = (size_t)n[1] * row;
    size_t here = (size_t)k * plane;
    size_t there = (size_t)(w.far_all ? (w.z0 + k + step[2]) % n[2] : k) * plane;
    for (int j = from + (int)threadIdx.y; j < end; j += HIGH) {
        size_t a = here + (size_t)j * row, b = there + (size_t)((j + step[1]) % n[1]) * row;
        for (int i = (int)threadIdx.x; i < n[0]; i += WIDE) {
            double d[3] = {0, 0, 0};
            int far = i + step[0] < n[0] ? i + step[0] : i + step[0] - n[0];
            for (int c = 0; c < 3; c++)
                if (c < w.ncomp) d[c] = w.far[c][b + (size_t)far] - w.near[c][a + (size_t)i];
            add_cell(w, d, sum);
        }
    }
    add_up(sum, part + ((size_t)k * gridDim.x + blockIdx.x) * SUMS);
}

static __global__ void gather(const double *part, int blocks, int nz, double *sums)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, k = i / SUMS;
    if (k >= (size_t)nz) return;
    double sum = 0;
    for (int b = 0; b < blocks; b++)
        sum += part[(k * (size_t)blocks + (size_t)b) * SUMS + i % SUMS];
    sums[i] += sum;
}

extern "C" size_t sl_stats_gpu_scratch(const int n[3])
{
    return (size_t)parts(n[1], ROWS) * SUMS;
}

extern "C" const char *sl_stats_gpu_differences(struct sl_stats_gpu *c,
                                                const struct sl_stats_gpu_separation *separation,
                                                double *scratch, double *sums)
{
    unsigned blocks = parts(separation->n[1], ROWS);
    if (separation->nz <= 0) return NULL;
    differences<<<dim3(blocks, (unsigned)separation->nz), dim3(WIDE, HIGH), 0, c->stream>>>(
        *separation, scratch);
    TRY(cudaGetLastError());
    gather<<<parts(separation->nz * SUMS, 128), 128, 0, c->stream>>>(scratch, (int)blocks,
                                                                     separation->nz, sums);
    TRY(cudaGetLastError());
    return NULL;
}
