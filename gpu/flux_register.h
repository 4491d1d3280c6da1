/* flux_register.h - the part of the CUDA backend that keeps fluxes through sides of blocks
 * (core/transfer/flux_register.h).
 *
 * A kernel of its own makes them again, for the sides that are listed and no others: kernels of
 * stages that could keep them cost every run, because more code does not stay in the cache of
 * instructions (tests/perf/gpu.md).
 *
 * Shapes  see core/transfer/flux_register.h
 * Units   code units
 * Errors  a text that says what failed, NULL when nothing did
 * Owns    copies of the list and the values, on the device
 * MPI     none
 * Where   host calls
 * Refs    none
 * Tests   tests/gpu/flux_register.c
 */
#ifndef SL_GPU_FLUX_REGISTER_H
#define SL_GPU_FLUX_REGISTER_H

#include "core/transfer/flux_register.h"
#include "gpu/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From the next step on fluxes through these sides are kept, which have so many values. The first
 * `fine` of these are of fine sides, the others of coarse ones (core/step/backend.h). What was
 * kept stays when this fails. */
const char *sl_device_register_set(struct sl_device *d, const struct sl_flux_register_side *side,
                                   int count, size_t fine, size_t values);

/* For tests: what is kept into memory of the host; either may be NULL. No sides: nothing. */
const char *sl_device_register_get(struct sl_device *d, sl_real *fine, sl_real *coarse);

/* Of the edges, too. */
const char *sl_device_register_clear(struct sl_device *d);
const char *sl_device_register_accept(struct sl_device *d);

/* From the next step on the electric field along the edges of n blocks is kept, the first nfine of
 * which are fine ones (core/transfer/edge_register.h). */
const char *sl_device_edges_set(struct sl_device *d, const int *block, int nfine, int n);

#ifdef __cplusplus
}
#endif
#endif
