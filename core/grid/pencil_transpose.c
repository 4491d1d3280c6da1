/* pencil_transpose.c - see pencil_transpose.h. */
#include "core/grid/pencil_transpose.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

struct sl_pencil_transpose {
    MPI_Comm comm; /* owned */
    struct sl_pencil pencil;
    size_t row, first, own;     /* doubles in a row; the own ones of it */
    MPI_Datatype *whole, *part; /* owned; [py]: what a rank gets of `whole` and gives to `part` */
    MPI_Request *request;       /* owned; [2 * py] */
};

/* ---- making ---------------------------------------------------------------------------------- */

/* ny rows of nz planes of n1, of each the doubles x0 .. x0 + nx - 1. */
static MPI_Datatype box(const int size[3], int y0, int ny, int x0, int nx)
{
    const int part[3] = {size[0], ny, nx}, first[3] = {0, y0, x0};
    MPI_Datatype type;
    if (nx == 0)
        MPI_Type_contiguous(0, MPI_DOUBLE, &type);
    else
        MPI_Type_create_subarray(3, size, part, first, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void types_make(const struct sl_batches *modes, struct sl_pencil_transpose *t)
{
    const struct sl_pencil *s = &t->pencil;
    const int row = (int)t->row, whole[3] = {s->nz, s->ny, row}, part[3] = {s->nz, s->n[1], row};
    for (int r = 0; r < s->py; r++) {
        int x0 = 2 * sl_batches_share(modes, r, s->py),
            nx = 2 * sl_batches_share(modes, r + 1, s->py) - x0,
            y0 = sl_batches_share(&s->rows, r, s->py),
            ny = sl_batches_share(&s->rows, r + 1, s->py) - y0;
        t->whole[r] = box(whole, 0, s->ny, x0, nx);
        t->part[r] = box(part, y0, ny, (int)t->first, (int)t->own);
    }
}

static int turn_make(const struct sl_pencil *s, const struct sl_batches *modes, MPI_Comm comm,
                     struct sl_pencil_transpose **out)
{
    size_t size = (size_t)s->py, first = 2 * (size_t)sl_batches_share(modes, s->iy, s->py),
           end = 2 * (size_t)sl_batches_share(modes, s->iy + 1, s->py);
    struct sl_pencil_transpose *t = calloc(1, sizeof *t);
    MPI_Datatype *types = malloc(2 * size * sizeof *types);
    MPI_Request *request = malloc(2 * size * sizeof *request);
    if (!t || !types || !request) {
        free(t);
        free(types);
        free(request);
        return SL_FAIL(SL_EMEM, "no memory to transpose the planes of %d ranks", s->py);
    }
    t->comm = comm, t->pencil = *s;
    t->row = 2 * (size_t)modes->n, t->first = first, t->own = end - first;
    t->whole = types, t->part = types + size, t->request = request;
    types_make(modes, t);
    *out = t;
    return SL_OK;
}

int sl_pencil_transpose_new(const struct sl_pencil *s, const struct sl_batches *modes,
                            struct sl_pencil_transpose **out)
{
    MPI_Comm comm;
    int made = MPI_Comm_split(s->comm, s->nz > 0 ? s->iz : MPI_UNDEFINED, s->iy, &comm);
    *out = NULL;
    SL_CHECK(made == MPI_SUCCESS, SL_EMPI, "cannot part the ranks of a grid");
    if (comm == MPI_COMM_NULL) return SL_OK;
    int code = sl_agree(comm, turn_make(s, modes, comm, out));
    if (code == SL_OK) return SL_OK;
    if (*out)
        sl_pencil_transpose_free(*out);
    else
        MPI_Comm_free(&comm);
    *out = NULL;
    return code;
}

void sl_pencil_transpose_free(struct sl_pencil_transpose *t)
{
    if (!t) return;
    for (int i = 0; i < 2 * t->pencil.py; i++)
        MPI_Type_free(&t->whole[i]);
    MPI_Comm_free(&t->comm);
    free(t->whole);
    free(t->request);
    free(t);
}

/* ---- moving ---------------------------------------------------------------------------------- */

static bool is_empty(MPI_Datatype type)
{
    int bytes;
    MPI_Type_size(type, &bytes);
    return bytes == 0;
}

/* To all other ranks, and from them; those after the own one come first, as in transpose.c. */
static int exchange(struct sl_pencil_transpose *t, const double *in, const MPI_Datatype *from,
                    double *out, const MPI_Datatype *to)
{
    int n = 0;
    for (int i = 1; i < t->pencil.py; i++) {
        int r = (t->pencil.iy + i) % t->pencil.py;
        if (!is_empty(to[r])) MPI_Irecv(out, 1, to[r], r, 0, t->comm, &t->request[n++]);
        if (!is_empty(from[r])) MPI_Isend(in, 1, from[r], r, 0, t->comm, &t->request[n++]);
    }
    return n;
}

static int finish(struct sl_pencil_transpose *t, int n)
{
    int code = MPI_Waitall(n, t->request, MPI_STATUSES_IGNORE);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot transpose the planes of a grid");
    return SL_OK;
}

/* The own modes of the own rows j of plane k, in both places. */
static size_t in_whole(const struct sl_pencil_transpose *t, int k, int j)
{
    return (size_t)(k * t->pencil.ny + j) * t->row + t->first;
}

static size_t in_part(const struct sl_pencil_transpose *t, int k, int j)
{
    return (size_t)(k * t->pencil.n[1] + t->pencil.y0 + j) * t->row + t->first;
}

int sl_pencil_transpose_forth(struct sl_pencil_transpose *t, const double *whole, double *part)
{
    int n = exchange(t, whole, t->whole, part, t->part);
    for (int k = 0; k < t->pencil.nz; k++)
        for (int j = 0; j < t->pencil.ny; j++)
            memcpy(part + in_part(t, k, j), whole + in_whole(t, k, j), t->own * sizeof *part);
    return finish(t, n);
}

int sl_pencil_transpose_back(struct sl_pencil_transpose *t, const double *part, double *whole)
{
    int n = exchange(t, part, t->part, whole, t->whole);
    for (int k = 0; k < t->pencil.nz; k++)
        for (int j = 0; j < t->pencil.ny; j++)
            memcpy(whole + in_whole(t, k, j), part + in_part(t, k, j), t->own * sizeof *whole);
    return finish(t, n);
}
