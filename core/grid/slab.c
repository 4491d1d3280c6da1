/* slab.c - see slab.h. */
#include "core/grid/slab.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

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
    int r = (int)((int64_t)z * s->size / s->n[2]);
    while (z >= sl_slab_first(s->n[2], r + 1, s->size))
        r++;
    return r;
}

enum { MOST_TAG = 32767 };

/* Requests for the planes that come from other ranks and those that go there; own planes are copied. */
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

/* Gathers the lines of all ranks and adds them in order; n lines in all. */
static int sum_lines(const struct sl_slab *s, int n, int ncol, const double *part, double *out)
{
    double *all = malloc(((size_t)n * (size_t)ncol + 1) * sizeof *all);
    int *count = malloc(2 * (size_t)s->size * sizeof *count);
    int code = all && count && (int64_t)n * ncol <= INT_MAX
                   ? SL_OK
                   : SL_FAIL(SL_EMEM, "out of memory for sums of %d columns", ncol);
    code = sl_agree(s->comm, code);
    if (code == SL_OK) {
        for (int r = 0; r < s->size; r++) {
            count[s->size + r] = sl_slab_first(n, r, s->size) * ncol;
            count[r] = sl_slab_first(n, r + 1, s->size) * ncol - count[s->size + r];
        }
        MPI_Allgatherv(part, count[s->rank], MPI_DOUBLE, all, count, count + s->size, MPI_DOUBLE,
                       s->comm);
        for (int c = 0; c < ncol; c++) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                sum += all[(size_t)i * (size_t)ncol + (size_t)c];
            out[c] = sum;
        }
    }
    free(all);
    free(count);
    return code;
}

int sl_slab_sum(const struct sl_slab *s, int ncol, const double *part, double *out)
{
    return sum_lines(s, s->n[2], ncol, part, out);
}

int sl_slab_sum_rows(const struct sl_slab *s, int ncol, const double *part, double *out)
{
    return sum_lines(s, s->n[1], ncol, part, out);
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

int sl_slab_gather(const struct sl_slab *s, const void *own, int count, size_t size, void **all,
                   int *total)
{
    int *bytes = malloc(2 * (size_t)s->size * sizeof *bytes), mine = (int)(count * (int64_t)size);
    int64_t sum = 0, here = count * (int64_t)size;
    MPI_Allreduce(&here, &sum, 1, MPI_INT64_T, MPI_SUM, s->comm);
    *all = malloc((size_t)sum + 1);
    bool ok = bytes && *all && sum <= INT_MAX;
    int code = sl_agree(
        s->comm, ok ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for what %d ranks hold", s->size));
    if (code == SL_OK) {
        MPI_Allgather(&mine, 1, MPI_INT, bytes, 1, MPI_INT, s->comm);
        for (int r = 0, at = 0; r < s->size; at += bytes[r++])
            bytes[s->size + r] = at;
        MPI_Allgatherv(own, mine, MPI_BYTE, *all, bytes, bytes + s->size, MPI_BYTE, s->comm);
        *total = (int)(sum / (int64_t)size);
    }
    free(bytes);
    if (code == SL_OK) return SL_OK;
    free(*all);
    *all = NULL;
    return code;
}
