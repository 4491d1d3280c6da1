/* root.h - the root grid of a potential on each of several devices: a rank gives the densities of
 * its cells to all others, and each finds the potential of the whole box by itself, so that nothing
 * goes back and all have the same bits.
 *
 * What crosses goes by the messages of gpu/cuda.h: from device to device where ranks have that,
 * else through the host.
 *
 * Shapes  at[blocks][3], the first cells of blocks; cells of block after block, rank by rank
 * Units   none
 * Errors  SL_EUNAVAIL, SL_EMEM, SL_EMPI, the same on all ranks
 * Owns    struct sl_cuda_root owns its lists; buffers are those of all messages
 * MPI     collective over mesh->comm unless a function says local
 * Where   host calls; fields in device memory
 * Refs    none
 * Tests   tests/gpu/gravity.c
 */
#ifndef SL_GPU_ROOT_H
#define SL_GPU_ROOT_H

#include "gpu/cuda.h"

struct sl_cuda_root {
    int *at; /* owned; of the blocks of the other ranks */
    int blocks;
    struct sl_cuda_messages messages; /* owned */
};

/* own: at of the blocks of this rank. What was made before is released. */
int sl_cuda_root_make(const struct sl_sim *sim, const int *own, struct sl_cuda_root *r);
void sl_cuda_root_release(struct sl_cuda_root *r); /* local */

/* The first of nvar variables of a field goes into the grids of all other devices, and theirs come
 * into that of this one (sl_device_gravity_lay). */
int sl_cuda_root_exchange(const struct sl_sim *sim, const struct sl_cuda_root *r, int nvar,
                          const sl_real *u);

#endif
