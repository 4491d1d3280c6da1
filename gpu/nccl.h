/* nccl.h - messages from device to device through NCCL, where its library is found at run time.
 *
 * Nothing of NCCL is needed to build: the few calls are looked up by name. It serves where each
 * rank has a device of its own; elsewhere, and without the library, messages go through MPI.
 *
 * Shapes  buffers of bytes and lists of whole numbers in device memory
 * Units   none
 * Errors  SL_EUNAVAIL, SL_EMPI
 * Owns    its communicator, freed with that of MPI; library and buffers are borrowed
 * MPI     collective over the communicator that it was made with, unless a function says local
 * Where   host calls; buffers in device memory, work queued on a stream
 * Refs    none
 * Tests   tests/gpu/same.c, tests/gpu/gravity.c, tests/gpu/particles.c
 */
#ifndef SL_GPU_NCCL_H
#define SL_GPU_NCCL_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

struct sl_nccl;

/* Made at the first call for a communicator and kept with it: to meet takes more than a second.
 * Borrowed; the ranks keep their devices as long. NULL in *out where the library is missing on a
 * rank or `alone` is 0 on one: a rank shares its device. */
int sl_nccl_of(MPI_Comm comm, int alone, struct sl_nccl **out);

/* local. All messages of a rank between begin and end travel together. */
int sl_nccl_begin(const struct sl_nccl *n);
int sl_nccl_send(const struct sl_nccl *n, const void *from, size_t bytes, int peer, void *stream);
int sl_nccl_receive(const struct sl_nccl *n, void *to, size_t bytes, int peer, void *stream);
int sl_nccl_end(const struct sl_nccl *n);

/* Whole numbers of device memory become the sums of those of all ranks. */
int sl_nccl_sum(const struct sl_nccl *n, int64_t *at, size_t count, void *stream);

#endif
