/* friends_gpu.h - friends of friends among the particles of a rank on a device: what stats.c asks
 * of friends_gpu.cu.
 *
 * Particles lie in cells of at most length / sqrt(3), which hold friends alone and are found in a
 * table by a hash of their place, so that nothing is sorted. Each cell is compared with those in
 * reach until one pair of friends is found; trees of particles are joined without locks, the larger
 * root to the smaller, so that their roots are the least indices of the groups in any order of
 * threads.
 *
 * Shapes  x[n][3], root[n] in memory of the host; n below 2^31
 * Units   x in 2^-32 of the sides of the box, length in 2^-32 of the unit of `side`
 * Errors  a text that says what failed, NULL when nothing did; *full: there is no room
 * Owns    nothing beyond the call
 * MPI     none
 * Where   host calls; 44 to 68 bytes a particle on the device
 * Refs    Creasey 2018 (cells of friends); Jaiganesh and Burtscher 2018 (trees without locks)
 * Tests   tests/gpu/friends.c
 */
#ifndef SL_GPU_FRIENDS_GPU_H
#define SL_GPU_FRIENDS_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/stats_gpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* root: the least index in the group of each particle. Friends are those of core/halo/fof.h. */
const char *sl_friends_gpu(struct sl_stats_gpu *c, size_t n, const uint32_t *x, double length,
                           const double side[3], uint32_t *root, int *full);

#ifdef __cplusplus
}
#endif

#endif
