/* planes.c - see planes.h. */
#include "core/grid/planes.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

enum { TAG_PLACES, TAG_CELLS };

/* A plane of cells of a block, as the rank of the block knows it and as the rank of the slab's
 * plane knows it. */
struct of_block {
    int rank, block, k; /* rank: of the slab's plane */
};
struct of_plane {
    int x, y, z; /* first cell, in cells of the grid */
};

/* One side of the exchange: the buffer holds the planes of cells of one rank after the other. */
struct side {
    int npeer, nplane;
    int *rank, *first,
        *count; /* owned: one allocation; [npeer] ranks, and which planes are exchanged with them */
    sl_real *buffer; /* owned; [nplane][size] */
};

struct sl_planes {
    const struct sl_mesh *mesh; /* borrowed */
    const struct sl_slab *slab; /* borrowed */
    size_t size;                /* cells of a plane of a block */
    MPI_Datatype plane;
    struct of_block *of_block; /* owned; [block_side.nplane], ordered by rank, block, k */
    struct of_plane *of_plane; /* owned; [plane_side.nplane] */
    struct side block_side, plane_side;
    MPI_Request *request; /* owned; one per peer of both sides */
};

/* ---- which planes are exchanged with whom ---------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
    const struct of_block *p = a, *q = b;
    if (p->rank != q->rank) return p->rank < q->rank ? -1 : 1;
    if (p->block != q->block) return p->block < q->block ? -1 : 1;
    return p->k < q->k ? -1 : p->k > q->k;
}

static int own_list(struct sl_planes *p)
{
    const struct sl_mesh *m = p->mesh;
    int64_t n = (int64_t)m->nblock * m->n[2];
    SL_CHECK(n < INT_MAX, SL_EMEM, "%lld planes of cells on one rank", (long long)n);
    p->block_side.nplane = (int)n;
    p->of_block = malloc(((size_t)n + 1) * sizeof *p->of_block);
    SL_CHECK(p->of_block, SL_EMEM, "no memory for %lld planes", (long long)n);
    for (int i = 0; i < (int)n; i++) {
        int block = i / m->n[2], k = i % m->n[2];
        int z = (int)m->blocks[block].at[2] * m->n[2] + k;
        p->of_block[i] = (struct of_block){sl_slab_owner(p->slab, z), block, k};
    }
    qsort(p->of_block, (size_t)n, sizeof *p->of_block, by_rank);
    return SL_OK;
}

/* Keeps the ranks with which planes are exchanged. */
static int side_make(const struct sl_planes *p, const int *count, struct side *s)
{
    int64_t sum = 0;
    for (int r = 0; r < p->slab->size; r++) {
        s->npeer += count[r] > 0;
        sum += count[r];
    }
    s->rank = malloc((3 * (size_t)s->npeer + 1) * sizeof *s->rank);
    s->buffer = malloc(((size_t)sum * p->size + 1) * sizeof *s->buffer);
    SL_CHECK(s->rank && s->buffer && sum < INT_MAX, SL_EMEM, "no memory for %lld cells",
             (long long)sum * (long long)p->size);
    s->first = s->rank + s->npeer, s->count = s->first + s->npeer, s->nplane = 0;
    for (int r = 0, i = 0; r < p->slab->size; r++) {
        if (count[r] == 0) continue;
        s->rank[i] = r, s->first[i] = s->nplane, s->count[i++] = count[r];
        s->nplane += count[r];
    }
    return SL_OK;
}

/* count[2 * size]: planes of cells sent to each rank, then received from each. */
static int sides_make(struct sl_planes *p, int *count)
{
    SL_TRY(side_make(p, count, &p->block_side));
    SL_TRY(side_make(p, count + p->slab->size, &p->plane_side));
    size_t peers = (size_t)p->block_side.npeer + (size_t)p->plane_side.npeer;
    p->request = malloc((peers + 1) * sizeof *p->request);
    p->of_plane = malloc(((size_t)p->plane_side.nplane + 1) * sizeof *p->of_plane);
    SL_CHECK(p->request && p->of_plane, SL_EMEM, "no memory for %d planes", p->plane_side.nplane);
    return SL_OK;
}

static int make_counts(struct sl_planes *p)
{
    int size = p->slab->size, *count = calloc(2 * (size_t)size, sizeof *count);
    int code = count ? own_list(p) : SL_FAIL(SL_EMEM, "no memory for %d ranks", size);
    code = sl_agree(p->mesh->comm, code);
    if (code == SL_OK) {
        for (int i = 0; i < p->block_side.nplane; i++)
            count[p->of_block[i].rank]++;
        MPI_Alltoall(count, 1, MPI_INT, count + size, 1, MPI_INT, p->mesh->comm);
        code = sl_agree(p->mesh->comm, sides_make(p, count));
    }
    free(count);
    return code;
}

/* ---- the exchange ---------------------------------------------------------------------------- */

static char *peer_data(const struct side *s, int peer, void *data, size_t bytes)
{
    return (char *)data + (size_t)s->first[peer] * bytes;
}

/* Items of `bytes` bytes, one for each plane: from in[from->nplane] to out[to->nplane] of the other
 * ranks. */
static int swap_items(const struct sl_planes *p, const struct side *from, const struct side *to,
                      MPI_Datatype type, size_t bytes, int tag, void *in, void *out)
{
    MPI_Request *next = p->request;
    for (int i = 0; i < to->npeer; i++)
        MPI_Irecv(peer_data(to, i, out, bytes), to->count[i], type, to->rank[i], tag, p->mesh->comm,
                  next++);
    for (int i = 0; i < from->npeer; i++)
        MPI_Isend(peer_data(from, i, in, bytes), from->count[i], type, from->rank[i], tag,
                  p->mesh->comm, next++);
    int code = MPI_Waitall((int)(next - p->request), p->request, MPI_STATUSES_IGNORE);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot move cells between blocks and planes");
    return SL_OK;
}

/* Tells the ranks of the slab's planes where the planes of cells lie that they will get. */
static int send_places(struct sl_planes *p)
{
    const int *n = p->mesh->n, count = p->block_side.nplane;
    struct of_plane *places = malloc(((size_t)count + 1) * sizeof *places);
    MPI_Datatype three;
    SL_TRY(sl_agree(p->mesh->comm, places ? SL_OK : SL_FAIL(SL_EMEM, "no memory for places")));
    for (int i = 0; i < count; i++) {
        const int64_t *at = p->mesh->blocks[p->of_block[i].block].at;
        places[i] = (struct of_plane){(int)at[0] * n[0], (int)at[1] * n[1],
                                      (int)at[2] * n[2] + p->of_block[i].k};
    }
    MPI_Type_contiguous(3, MPI_INT, &three);
    MPI_Type_commit(&three);
    int code = swap_items(p, &p->block_side, &p->plane_side, three, sizeof *places, TAG_PLACES,
                          places, p->of_plane);
    MPI_Type_free(&three);
    free(places);
    return code;
}

int sl_planes_new(const struct sl_mesh *mesh, const struct sl_slab *slab, struct sl_planes **out)
{
    struct sl_planes *p = calloc(1, sizeof *p);
    *out = NULL;
    SL_TRY(sl_agree(mesh->comm, p ? SL_OK : SL_FAIL(SL_EMEM, "no memory for planes of cells")));
    p->mesh = mesh, p->slab = slab;
    p->size = (size_t)mesh->n[0] * (size_t)mesh->n[1];
    MPI_Type_contiguous((int)(p->size * sizeof(sl_real)), MPI_BYTE, &p->plane);
    MPI_Type_commit(&p->plane);
    int code = make_counts(p);
    if (code == SL_OK) code = send_places(p);
    if (code == SL_OK)
        *out = p;
    else
        sl_planes_free(p);
    return code;
}

void sl_planes_free(struct sl_planes *p)
{
    if (!p) return;
    MPI_Type_free(&p->plane);
    free(p->block_side.rank);
    free(p->block_side.buffer);
    free(p->plane_side.rank);
    free(p->plane_side.buffer);
    free(p->of_block);
    free(p->of_plane);
    free(p->request);
    free(p);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void block_rows(const struct sl_planes *p, sl_planes_block_row *row, void *context)
{
    sl_real *at = p->block_side.buffer;
    for (int i = 0; i < p->block_side.nplane; i++)
        for (int j = 0; j < p->mesh->n[1]; j++, at += p->mesh->n[0])
            row(context, p->of_block[i].block, p->of_block[i].k, j, at);
}

static void plane_rows(const struct sl_planes *p, sl_planes_plane_row *row, void *context)
{
    const int *n = p->mesh->n;
    sl_real *at = p->plane_side.buffer;
    for (int i = 0; i < p->plane_side.nplane; i++) {
        const struct of_plane *o = &p->of_plane[i];
        for (int j = 0; j < n[1]; j++, at += n[0])
            row(context, o->z - p->slab->z0, o->y + j, o->x, n[0], at);
    }
}

static int move(struct sl_planes *p, struct side *from, struct side *to)
{
    return swap_items(p, from, to, p->plane, p->size * sizeof(sl_real), TAG_CELLS, from->buffer,
                      to->buffer);
}

int sl_planes_gather(struct sl_planes *p, sl_planes_block_row *from, sl_planes_plane_row *to,
                     void *context)
{
    block_rows(p, from, context);
    SL_TRY(move(p, &p->block_side, &p->plane_side));
    plane_rows(p, to, context);
    return SL_OK;
}

int sl_planes_spread(struct sl_planes *p, sl_planes_plane_row *from, sl_planes_block_row *to,
                     void *context)
{
    plane_rows(p, from, context);
    SL_TRY(move(p, &p->plane_side, &p->block_side));
    block_rows(p, to, context);
    return SL_OK;
}
