/* slab.c - see slab.h. */
#include "core/grid/slab.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"
#include "core/sys/sum_columns.h"

void sl_slab_init(MPI_Comm comm, int dim, const int n[3], const double length[3],
                  struct sl_slab *out)
{
    struct sl_slab s = {.comm = comm, .dim = dim};
    MPI_Comm_rank(comm, &s.rank);
    MPI_Comm_size(comm, &s.size);
    for (int d = 0; d < 3; d++) {
        s.n[d] = d < dim ? n[d] : 1;
        s.length[d] = d < dim ? length[d] : 1;
    }
    s.z0 = sl_slab_first(s.n[2], s.rank, s.size);
    s.nz = sl_slab_first(s.n[2], s.rank + 1, s.size) - s.z0;
    s.y0 = sl_slab_first(s.n[1], s.rank, s.size);
    s.ny = sl_slab_first(s.n[1], s.rank + 1, s.size) - s.y0;
    *out = s;
}

struct sl_slab sl_slab_swapped(const struct sl_slab *s)
{
    const int n[3] = {s->n[0], s->n[2], s->n[1]};
    const double length[3] = {s->length[0], s->length[2], s->length[1]};
    struct sl_slab out;
    sl_slab_init(s->comm, 3, n, length, &out);
    return out;
}

int sl_slab_owner(const struct sl_slab *s, int z)
{
    return sl_slab_holder(s->n[2], z, s->size);
}

enum { MOST_TAG = 32767 };

/* Requests for the planes that come from other ranks and those that go there; own planes are
 * copied. */
static int post_shift(const struct sl_slab *s, int planes, const double *in, double *out,
                      MPI_Request *request)
{
    size_t plane = (size_t)s->n[0] * (size_t)s->n[1];
    int n = 0;
    for (int k = 0; k < s->nz; k++) {
        int from = (s->z0 + k + planes) % s->n[2], rank = sl_slab_owner(s, from);
        double *to = out + (size_t)k * plane;
        if (rank == s->rank)
            memcpy(to, in + (size_t)(from - s->z0) * plane, plane * sizeof *to);
        else
            MPI_Irecv(to, (int)plane, MPI_DOUBLE, rank, from % MOST_TAG, s->comm, &request[n++]);
    }
    for (int k = 0; k < s->nz; k++) {
        int from = s->z0 + k, to = (from + s->n[2] - planes % s->n[2]) % s->n[2],
            rank = sl_slab_owner(s, to);
        if (rank != s->rank)
            MPI_Isend(in + (size_t)k * plane, (int)plane, MPI_DOUBLE, rank, from % MOST_TAG,
                      s->comm, &request[n++]);
    }
    return n;
}

int sl_slab_shift(const struct sl_slab *s, int planes, const double *in, double *out)
{
    size_t plane = (size_t)s->n[0] * (size_t)s->n[1];
    MPI_Request *request = malloc((2 * (size_t)s->nz + 1) * sizeof(MPI_Request));
    int code = request && plane <= INT_MAX ? SL_OK : SL_FAIL(SL_EMEM, "out of memory");
    code = sl_agree(s->comm, code);
    if (code == SL_OK)
        MPI_Waitall(post_shift(s, planes, in, out, request), request, MPI_STATUSES_IGNORE);
    free(request);
    return code;
}

int sl_slab_sum(const struct sl_slab *s, int ncol, const double *part, double *out)
{
    return sl_sum_columns(s->comm, s->nz, ncol, part, out);
}

int sl_slab_sum_rows(const struct sl_slab *s, int ncol, const double *part, double *out)
{
    return sl_sum_columns(s->comm, s->ny, ncol, part, out);
}

static MPI_Datatype item_of(size_t size)
{
    MPI_Datatype item;
    MPI_Type_contiguous((int)size, MPI_BYTE, &item);
    MPI_Type_commit(&item);
    return item;
}

void sl_slab_send(const struct sl_slab *s, const void *items, int n, size_t size, int to)
{
    MPI_Datatype item = item_of(size);
    MPI_Send(items, n, item, to, 0, s->comm);
    MPI_Type_free(&item);
}

void sl_slab_receive(const struct sl_slab *s, void *items, int n, size_t size, int from)
{
    MPI_Datatype item = item_of(size);
    MPI_Recv(items, n, item, from, 0, s->comm, MPI_STATUS_IGNORE);
    MPI_Type_free(&item);
}

void sl_slab_share(const struct sl_slab *s, void *items, int n, size_t size, int from)
{
    MPI_Datatype item = item_of(size);
    MPI_Bcast(items, n, item, from, s->comm);
    MPI_Type_free(&item);
}

/* To rank 0, which knows how many there are of each rank: *all has room for them. */
static int gather(const struct sl_slab *s, const void *own, int count, size_t size, void *all)
{
    int *counts = s->rank == 0 ? malloc(2 * (size_t)s->size * sizeof *counts) : NULL,
        *at = counts ? counts + s->size : NULL;
    bool ok = (counts && all) || s->rank > 0;
    int code = sl_agree(
        s->comm, ok ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for what %d ranks hold", s->size));
    if (code == SL_OK) {
        MPI_Datatype item = item_of(size);
        MPI_Gather(&count, 1, MPI_INT, counts, 1, MPI_INT, 0, s->comm);
        for (int r = 0, next = 0; counts && r < s->size; next += counts[r++])
            at[r] = next;
        MPI_Gatherv(own, count, item, all, counts, at, item, 0, s->comm);
        MPI_Type_free(&item);
    }
    free(counts);
    return code;
}

int sl_slab_gather(const struct sl_slab *s, const void *own, int count, size_t size, void **all,
                   int *total)
{
    int64_t sum = count;
    *all = NULL;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, s->comm);
    SL_CHECK(sum <= INT_MAX, SL_EMEM, "%lld entries of all ranks are too many", (long long)sum);
    if (s->rank == 0) *all = malloc((size_t)sum * size + 1);
    *total = (int)sum;
    int code = gather(s, own, count, size, *all);
    if (code == SL_OK) return SL_OK;
    free(*all);
    *all = NULL;
    return code;
}

int sl_slab_gather_all(const struct sl_slab *s, const void *own, int count, size_t size, void **all,
                       int *total)
{
    SL_TRY(sl_slab_gather(s, own, count, size, all, total));
    if (s->rank > 0) *all = malloc((size_t)*total * size + 1);
    int code =
        sl_agree(s->comm, *all ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for %d entries", *total));
    if (code == SL_OK) {
        sl_slab_share(s, *all, *total, size, 0);
        return SL_OK;
    }
    free(*all);
    *all = NULL;
    return code;
}
