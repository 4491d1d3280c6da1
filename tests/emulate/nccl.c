/* nccl.c - gpu/nccl.h by MPI, for kernels on a processor (tests/emulate): their memory is the
 * host's, and what is queued is done at once. With EMULATED_NCCL ranks have it, though they share a
 * device. */
#include "gpu/nccl.h"

#include <stdlib.h>

#include "core/sys/status.h"

enum { MOST = 64, TAG = 7301 };

struct sl_nccl {
    MPI_Comm comm;
    MPI_Request request[MOST]; /* of the messages since begin */
    int n;
};

static struct sl_nccl one;

int sl_nccl_of(MPI_Comm comm, int alone, struct sl_nccl **out)
{
    (void)alone;
    one.comm = comm;
    *out = getenv("EMULATED_NCCL") ? &one : NULL;
    return SL_OK;
}

int sl_nccl_begin(const struct sl_nccl *n)
{
    (void)n;
    one.n = 0;
    return SL_OK;
}

static MPI_Request *next(void)
{
    return one.n < MOST ? &one.request[one.n++] : NULL;
}

int sl_nccl_send(const struct sl_nccl *n, const void *from, size_t bytes, int peer, void *stream)
{
    MPI_Request *r = next();
    (void)stream;
    SL_CHECK(r && MPI_Isend(from, (int)bytes, MPI_BYTE, peer, TAG, n->comm, r) == MPI_SUCCESS,
             SL_EMPI, "cannot send to rank %d", peer);
    return SL_OK;
}

int sl_nccl_receive(const struct sl_nccl *n, void *to, size_t bytes, int peer, void *stream)
{
    MPI_Request *r = next();
    (void)stream;
    SL_CHECK(r && MPI_Irecv(to, (int)bytes, MPI_BYTE, peer, TAG, n->comm, r) == MPI_SUCCESS,
             SL_EMPI, "cannot receive from rank %d", peer);
    return SL_OK;
}

int sl_nccl_end(const struct sl_nccl *n)
{
    (void)n;
    SL_CHECK(MPI_Waitall(one.n, one.request, MPI_STATUSES_IGNORE) == MPI_SUCCESS, SL_EMPI,
             "messages did not arrive");
    return SL_OK;
}

int sl_nccl_sum(const struct sl_nccl *n, int64_t *at, size_t count, void *stream)
{
    int code = MPI_Allreduce(MPI_IN_PLACE, at, (int)count, MPI_INT64_T, MPI_SUM, n->comm);
    (void)stream;
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot add up numbers of the ranks");
    return SL_OK;
}
