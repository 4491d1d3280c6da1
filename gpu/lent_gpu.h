/* lent_gpu.h - fields and lists that stay on a device: what stats.c asks of lent_gpu.cu.
 *
 * Shapes  as in core/measure/lent.h; n[3] cells of the whole grid
 * Units   likewise
 * Errors  a text that says what failed, NULL when nothing did
 * Owns    struct sl_stats_gpu owns what is lent until it is taken back
 * MPI     none
 * Where   host calls; sums come to the host, which waits for them
 * Refs    none
 * Tests   tests/gpu/lent.c
 */
#ifndef SL_GPU_LENT_GPU_H
#define SL_GPU_LENT_GPU_H

#include "core/measure/lent.h"
#include "gpu/stats_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

const char *sl_lent_gpu_new(struct sl_stats_gpu *c, size_t n, double **out);
void sl_lent_gpu_free(struct sl_stats_gpu *c, double *lent);

const char *sl_lent_gpu_places(struct sl_stats_gpu *c, const struct sl_particle_lists *lists,
                               const struct sl_lent_places *to);
/* n points from one on to pinned memory, by way of so many on the device; does not wait. */
const char *sl_lent_gpu_points(struct sl_stats_gpu *c, const struct sl_particle_lists *lists,
                               const struct sl_lent_places *of, double unit, size_t first, size_t n,
                               struct sl_point *by, struct sl_point *pinned);
const char *sl_lent_gpu_shift(struct sl_stats_gpu *c, size_t n, double part, const double *v,
                              double *x);
const char *sl_lent_gpu_squares(struct sl_stats_gpu *c, const int n[3], const double *f,
                                double *out);
const char *sl_lent_gpu_planes(struct sl_stats_gpu *c, const int n[3],
                               const struct sl_lent_density *rho, double *out);
const char *sl_lent_gpu_along(struct sl_stats_gpu *c, const int n[3],
                              const struct sl_lent_density *rho, int axis, double *out);
const char *sl_lent_gpu_slice(struct sl_stats_gpu *c, const int n[3],
                              const struct sl_lent_density *rho, int axis, int at, double *out);
const char *sl_lent_gpu_over(struct sl_stats_gpu *c, const int n[3],
                             const struct sl_lent_density *rho, double mean, double *out);

#ifdef __cplusplus
}
#endif

#endif
