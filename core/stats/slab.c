/* slab.c - see slab.h. */
#include "core/stats/slab.h"

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

/* A plane whose rows begin `pitch` apart, and rows of it that have come from another rank. */
struct turned {
    size_t row, pitch;
    const double *plane;
    double *rows;
    MPI_Datatype spaced, packed;
    MPI_Request *requests;
};

/* One plane travels per message, so that counts stay far below what an int holds. */
static void send_plane(const struct sl_slab *s, const struct turned *t)
{
    for (int r = 0; r < s->size; r++) {
        int y0 = sl_slab_first(s->n[1], r, s->size), y1 = sl_slab_first(s->n[1], r + 1, s->size);
        if (y1 > y0 && r != s->rank)
            MPI_Isend(t->plane + (size_t)y0 * t->pitch, y1 - y0, t->spaced, r, 0, s->comm,
                      &t->requests[r]);
    }
}

static void place_rows(const struct sl_slab *s, size_t row, size_t pitch, const double *rows, int z,
                       double *out)
{
    for (int y = 0; y < s->ny; y++)
        memcpy(out + ((size_t)y * (size_t)s->n[2] + (size_t)z) * row, rows + (size_t)y * pitch,
               row * sizeof(double));
}

static void turn_round(const struct sl_slab *s, int k, struct turned *t, double *out)
{
    MPI_Type_contiguous((int)t->row, MPI_DOUBLE, &t->packed);
    MPI_Type_create_resized(t->packed, 0, (MPI_Aint)(t->pitch * sizeof(double)), &t->spaced);
    MPI_Type_commit(&t->packed);
    MPI_Type_commit(&t->spaced);
    for (int r = 0; r < s->size; r++)
        t->requests[r] = MPI_REQUEST_NULL;
    if (t->plane) send_plane(s, t);
    for (int r = 0; r < s->size && s->ny > 0; r++) {
        int z = sl_slab_first(s->n[2], r, s->size) + k;
        if (z >= sl_slab_first(s->n[2], r + 1, s->size)) continue;
        if (r == s->rank) {
            place_rows(s, t->row, t->pitch, t->plane + (size_t)s->y0 * t->pitch, z, out);
        } else {
            MPI_Recv(t->rows, s->ny, t->packed, r, 0, s->comm, MPI_STATUS_IGNORE);
            place_rows(s, t->row, t->row, t->rows, z, out);
        }
    }
    MPI_Waitall(s->size, t->requests, MPI_STATUSES_IGNORE);
    MPI_Type_free(&t->spaced);
    MPI_Type_free(&t->packed);
}

int sl_slab_turn_round(const struct sl_slab *s, size_t row, size_t pitch, int k,
                       const double *plane, double *out)
{
    struct turned t = {.row = row, .pitch = pitch, .plane = plane};
    t.rows = malloc(((size_t)s->ny * row + 1) * sizeof *t.rows);
    t.requests = malloc((size_t)s->size * sizeof(MPI_Request));
    int code = t.rows && t.requests && row <= INT_MAX ? SL_OK : SL_FAIL(SL_EMEM, "out of memory");
    code = sl_agree(s->comm, code);
    if (code == SL_OK) turn_round(s, k, &t, out);
    free(t.rows);
    free(t.requests);
    return code;
}

int sl_slab_turn(const struct sl_slab *s, size_t row, const double *in, double *out)
{
    size_t plane = (size_t)s->n[1] * row;
    for (int k = 0; k < sl_slab_rounds(s); k++)
        SL_TRY(sl_slab_turn_round(s, row, row, k, k < s->nz ? in + (size_t)k * plane : NULL, out));
    return SL_OK;
}

/* The rows are the planes of the box with y and z exchanged. */
int sl_slab_turn_back(const struct sl_slab *s, size_t row, const double *in, double *out)
{
    const int n[3] = {s->n[0], s->n[2], s->n[1]};
    struct sl_slab turned;
    sl_slab_init(s->comm, 3, n, s->length, &turned);
    return sl_slab_turn(&turned, row, in, out);
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
