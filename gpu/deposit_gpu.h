/* deposit_gpu.h - the density of particles on a device: what stats.c asks of deposit_gpu.cu.
 *
 * Positions go up some at a time, and whole numbers are added, so that their order does not matter.
 *
 * Shapes  lists and contrast [nz][n1][n0] in memory of the host
 * Units   as in core/measure/touch.h
 * Errors  a text that says what failed, NULL when nothing did; *full: there is no room
 * Owns    nothing beyond the call
 * MPI     none
 * Where   host calls; 8 bytes a cell on the device and 100 MB
 * Refs    none
 * Tests   tests/gpu/deposit.c
 */
#ifndef SL_GPU_DEPOSIT_GPU_H
#define SL_GPU_DEPOSIT_GPU_H

#include "core/measure/touch.h"
#include "gpu/stats_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Planes z0 .. z0 + nz - 1 of a grid of n cells. */
struct sl_deposit_gpu {
    int order, n[3], z0, nz;
    double mean; /* particles in a cell */
};

/* found: bits of touch.h. */
const char *sl_deposit_gpu(struct sl_stats_gpu *c, const struct sl_deposit_gpu *what,
                           const struct sl_touch_list *list, double *contrast, unsigned *found,
                           int *full);

#ifdef __cplusplus
}
#endif

#endif
