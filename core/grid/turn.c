/* turn.c - see turn.h. */
#include "core/grid/turn.h"

#include <stdbool.h>
#include <stdlib.h>

#include "core/sys/status.h"

struct sl_turn {
    MPI_Comm comm; /* owned */
    int rank, size;
    MPI_Datatype *whole, *part; /* owned; [size]: what a rank gets of `whole` and gives to `part` */
    MPI_Request *request;       /* owned; [2 * size] */
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

static void types_make(const struct sl_pencil *s, const struct sl_batches *modes, struct sl_turn *t)
{
    const int whole[3] = {s->nz, s->ny, 2 * modes->n}, part[3] = {s->nz, s->n[1], 2 * modes->n};
    int own = 2 * sl_batches_share(modes, t->rank, t->size),
        end = 2 * sl_batches_share(modes, t->rank + 1, t->size);
    for (int r = 0; r < t->size; r++) {
        int x0 = 2 * sl_batches_share(modes, r, t->size),
            y0 = sl_batches_share(&s->rows, r, t->size);
        t->whole[r] = box(whole, 0, s->ny, x0, 2 * sl_batches_share(modes, r + 1, t->size) - x0);
        t->part[r] = box(part, y0, sl_batches_share(&s->rows, r + 1, t->size) - y0, own, end - own);
    }
}

static int turn_make(const struct sl_pencil *s, const struct sl_batches *modes, MPI_Comm comm,
                     struct sl_turn **out)
{
    size_t size = (size_t)s->py;
    struct sl_turn *t = calloc(1, sizeof *t);
    MPI_Datatype *types = malloc(2 * size * sizeof *types);
    MPI_Request *request = malloc(2 * size * sizeof *request);
    if (!t || !types || !request) {
        free(t);
        free(types);
        free(request);
        return SL_FAIL(SL_EMEM, "no memory to turn the planes of %d ranks", s->py);
    }
    *t = (struct sl_turn){comm, s->iy, s->py, types, types + size, request};
    types_make(s, modes, t);
    *out = t;
    return SL_OK;
}

int sl_turn_new(const struct sl_pencil *s, const struct sl_batches *modes, struct sl_turn **out)
{
    MPI_Comm comm;
    int made = MPI_Comm_split(s->comm, s->nz > 0 ? s->iz : MPI_UNDEFINED, s->iy, &comm);
    *out = NULL;
    SL_CHECK(made == MPI_SUCCESS, SL_EMPI, "cannot part the ranks of a grid");
    if (comm == MPI_COMM_NULL) return SL_OK;
    int code = turn_make(s, modes, comm, out);
    if (code != SL_OK) MPI_Comm_free(&comm);
    return code;
}

void sl_turn_free(struct sl_turn *t)
{
    if (!t) return;
    for (int i = 0; i < 2 * t->size; i++)
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

static int turn(struct sl_turn *t, const double *in, const MPI_Datatype *from, double *out,
                const MPI_Datatype *to)
{
    int n = 0;
    for (int i = 0; i < t->size; i++) {
        int r = (t->rank + i) % t->size;
        if (!is_empty(to[r])) MPI_Irecv(out, 1, to[r], r, 0, t->comm, &t->request[n++]);
        if (!is_empty(from[r])) MPI_Isend(in, 1, from[r], r, 0, t->comm, &t->request[n++]);
    }
    int code = MPI_Waitall(n, t->request, MPI_STATUSES_IGNORE);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot turn the planes of a grid");
    return SL_OK;
}

int sl_turn_forth(struct sl_turn *t, const double *whole, double *part)
{
    return turn(t, whole, t->whole, part, t->part);
}

int sl_turn_back(struct sl_turn *t, const double *part, double *whole)
{
    return turn(t, part, t->part, whole, t->whole);
}
