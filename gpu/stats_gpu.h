/* stats_gpu.h - what the host part of statistics on a device (stats.c) asks of the device part
 * (stats_gpu.cu).
 *
 * Work is queued in order on one stream; a call that gives a value to the host waits for it.
 *
 * Shapes  modes of own rows [ny][n2][nkx], complex; fields [nz][n1][n0]
 * Units   those of the fields
 * Errors  a text that says what failed, NULL when nothing did
 * Owns    struct sl_stats_gpu owns its memory on the device and pinned memory of the host
 * MPI     none
 * Where   host calls; what is said to be on the device is
 * Refs    none
 * Tests   tests/gpu/stats.c
 */
#ifndef SL_GPU_STATS_GPU_H
#define SL_GPU_STATS_GPU_H

#include <stddef.h>

#include "core/measure/mode.h"
#include "core/measure/separation.h"

#ifdef __cplusplus
extern "C" {
#endif

struct sl_stats_gpu;

const char *sl_stats_gpu_new(int id, struct sl_stats_gpu **out);
void sl_stats_gpu_free(struct sl_stats_gpu *c);
/* Makes its device that of the calls to come, of libraries as well: a program may have several. */
const char *sl_stats_gpu_take(struct sl_stats_gpu *c);
void *sl_stats_gpu_stream(struct sl_stats_gpu *c);
const char *sl_stats_gpu_wait(struct sl_stats_gpu *c);

/* Room for so many bytes on the device: what there was before is lost where it has to grow. */
const char *sl_stats_gpu_room(struct sl_stats_gpu *c, size_t bytes, char **out);
/* Gives the room and pinned buffers back. */
void sl_stats_gpu_rest(struct sl_stats_gpu *c);
/* Two pinned buffers of so many bytes each. */
const char *sl_stats_gpu_pinned(struct sl_stats_gpu *c, size_t bytes, char *out[2]);

/* put and get: what lies on the host may also lie on the device. */
const char *sl_stats_gpu_put(struct sl_stats_gpu *c, void *device, const void *host, size_t bytes);
/* Planes of so many bytes that come to lie `pitch` bytes apart. */
const char *sl_stats_gpu_put_planes(struct sl_stats_gpu *c, void *device, size_t pitch,
                                    const void *host, size_t bytes, int planes);
const char *sl_stats_gpu_copy(struct sl_stats_gpu *c, void *to, const void *from, size_t bytes);
/* Waits. */
const char *sl_stats_gpu_get(struct sl_stats_gpu *c, void *host, const void *device, size_t bytes);
const char *sl_stats_gpu_clear(struct sl_stats_gpu *c, void *device, size_t bytes);

/* Planes of lines of nkx modes, all next to each other, go where lines lie `pitch` modes apart and
 * planes nkx. */
const char *sl_stats_gpu_place(struct sl_stats_gpu *c, const void *from, void *to, int lines,
                               int planes, int nkx, size_t pitch);

/* Adds the columns of the modes of rows y0 .. y0 + ny - 1 to sums[ny][nshell +
 * 2][SL_SPECTRUM_COLUMNS]: each row along z, then x, the processor's order. */
const char *sl_stats_gpu_shells(struct sl_stats_gpu *c, const struct sl_modes *m, int y0, int ny,
                                const void *const row[3], double *sums);

/* Powers of differences between the cells of nz planes, from z0 on, and those a separation on: in
 * far[], plane by plane, or, where far_all, among all n[2] planes. ncomp 1: of a scalar. */
struct sl_stats_gpu_separation {
    int ncomp, z0, nz, n[3], far_all;
    struct sl_separation separation; /* 0 <= step < n */
    const double *near[3], *far[3];
};
/* Doubles per plane that sl_stats_gpu_differences needs in `scratch`. */
size_t sl_stats_gpu_scratch(const int n[3]);
/* Adds to sums[nz][SL_STRUCTURE_COLUMNS]. */
const char *sl_stats_gpu_differences(struct sl_stats_gpu *c,
                                     const struct sl_stats_gpu_separation *separation,
                                     double *scratch, double *sums);

#ifdef __cplusplus
}
#endif

#endif
