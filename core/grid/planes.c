/* planes.c - see planes.h. */
#include "core/grid/planes.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

enum { TAG_PLACES, TAG_CELLS };

/* Rows j .. j + rows - 1 of plane k that lie with one rank of the pencil: of a block, counted from
 * its first cell, or as that rank knows them, of the grid, beginning with cell i. */
struct piece {
    int rank, block, k, j, i, rows; /* rank: of the pencil */
};

/* What is exchanged with one rank: its first piece of the list, and its first row of the buffer. */
struct peer {
    int rank, piece, pieces, row, rows;
};

/* One side of the exchange: pieces and rows of one rank after those of the other. */
struct side {
    int npeer, npiece, nrow;
    struct peer *peer;   /* owned */
    struct piece *piece; /* owned; of blocks ordered by rank, block, k, j */
    int own;             /* the peer that is the rank itself; npeer: there is none */
    char *buffer;        /* owned; [nrow] rows of a block, of other ranks */
};

struct sl_planes {
    const struct sl_mesh *mesh;     /* borrowed */
    const struct sl_pencil *pencil; /* borrowed */
    int layers;                     /* around a block */
    size_t bytes;                   /* of a row of a block */
    MPI_Datatype row;               /* of a block */
    char *line;                     /* owned; a row of a block */
    struct side block_side, plane_side;
    MPI_Request *request; /* owned; one per peer of both sides */
};

/* ---- which rows are exchanged with whom ------------------------------------------------------ */

static int by_rank(const void *a, const void *b)
{
    const struct piece *p = a, *q = b;
    if (p->rank != q->rank) return p->rank < q->rank ? -1 : 1;
    if (p->block != q->block) return p->block < q->block ? -1 : 1;
    if (p->k != q->k) return p->k < q->k ? -1 : 1;
    return p->j < q->j ? -1 : p->j > q->j;
}

/* Layers along an axis; none along those that the mesh does not have. */
static int layers_along(const struct sl_planes *p, int axis)
{
    return axis < p->mesh->dim ? p->layers : 0;
}

/* The grid's number of a cell of a block, which may be before or behind it. */
static int wrapped(const struct sl_planes *p, int block, int axis, int cell)
{
    int n = p->pencil->n[axis], at = (int)p->mesh->blocks[block].at[axis] * p->mesh->n[axis] + cell;
    return (at + n) % n;
}

/* The pieces of plane k of a block, beginning at *n; at NULL they are counted. */
static void cut_plane(const struct sl_planes *p, int block, int k, struct piece *at, int *n)
{
    int layers = layers_along(p, 1), z = wrapped(p, block, 2, k), rank = -1;
    for (int j = -layers; j < p->mesh->n[1] + layers; j++) {
        int y = wrapped(p, block, 1, j), owner = sl_pencil_owner(p->pencil, y, z);
        bool begins = owner != rank || y == 0;
        if (begins && at) at[*n] = (struct piece){owner, block, k, j, 0, 0};
        *n += begins;
        rank = owner;
        if (at) at[*n - 1].rows++;
    }
}

static void cut(const struct sl_planes *p, struct piece *at, int *n)
{
    int layers = layers_along(p, 2);
    *n = 0;
    for (int b = 0; b < p->mesh->nblock; b++)
        for (int k = -layers; k < p->mesh->n[2] + layers; k++)
            cut_plane(p, b, k, at, n);
}

static int own_list(struct sl_planes *p)
{
    const struct sl_mesh *m = p->mesh;
    int64_t rows = (int64_t)m->nblock * (m->n[2] + 2 * layers_along(p, 2)) *
                   (m->n[1] + 2 * layers_along(p, 1));
    struct side *s = &p->block_side;
    SL_CHECK(rows < INT_MAX, SL_EMEM, "%lld rows of cells on one rank", (long long)rows);
    cut(p, NULL, &s->npiece);
    s->piece = malloc(((size_t)s->npiece + 1) * sizeof *s->piece);
    SL_CHECK(s->piece, SL_EMEM, "no memory for %lld rows", (long long)rows);
    cut(p, s->piece, &s->npiece);
    qsort(s->piece, (size_t)s->npiece, sizeof *s->piece, by_rank);
    return SL_OK;
}

/* Keeps the ranks with which pieces are exchanged; count[size]: how many with each. */
static int side_make(const struct sl_planes *p, const int *count, struct side *s)
{
    s->npeer = s->npiece = s->own = 0;
    for (int r = 0; r < p->pencil->size; r++)
        s->npeer += count[r] > 0;
    s->peer = malloc(((size_t)s->npeer + 1) * sizeof *s->peer);
    SL_CHECK(s->peer, SL_EMEM, "no memory for %d ranks", s->npeer);
    for (int r = 0, i = 0; r < p->pencil->size; r++) {
        if (count[r] == 0) continue;
        s->peer[i++] = (struct peer){.rank = r, .piece = s->npiece, .pieces = count[r]};
        s->npiece += count[r];
    }
    while (s->own < s->npeer && s->peer[s->own].rank != p->mesh->rank)
        s->own++;
    return SL_OK;
}

/* count[2 * size]: pieces sent to each rank, then received from each. */
static int sides_make(struct sl_planes *p, const int *count)
{
    SL_TRY(side_make(p, count, &p->block_side));
    SL_TRY(side_make(p, count + p->pencil->size, &p->plane_side));
    size_t peers = (size_t)p->block_side.npeer + (size_t)p->plane_side.npeer;
    p->request = malloc((peers + 1) * sizeof *p->request);
    p->plane_side.piece = malloc(((size_t)p->plane_side.npiece + 1) * sizeof(struct piece));
    SL_CHECK(p->request && p->plane_side.piece, SL_EMEM, "no memory for %d rows",
             p->plane_side.npiece);
    return SL_OK;
}

static int make_counts(struct sl_planes *p)
{
    int size = p->pencil->size, *count = calloc(2 * (size_t)size, sizeof *count);
    int code = count ? own_list(p) : SL_FAIL(SL_EMEM, "no memory for %d ranks", size);
    code = sl_agree(p->mesh->comm, code);
    if (code == SL_OK) {
        for (int i = 0; i < p->block_side.npiece; i++)
            count[p->block_side.piece[i].rank]++;
        MPI_Alltoall(count, 1, MPI_INT, count + size, 1, MPI_INT, p->mesh->comm);
        code = sl_agree(p->mesh->comm, sides_make(p, count));
    }
    free(count);
    return code;
}

/* Of one side, whose pieces are known. */
static int rows_make(const struct sl_planes *p, struct side *s)
{
    s->nrow = 0;
    for (int i = 0; i < s->npeer; i++) {
        struct peer *peer = &s->peer[i];
        peer->row = s->nrow;
        for (int q = peer->piece; q < peer->piece + peer->pieces && i != s->own; q++)
            s->nrow += s->piece[q].rows;
        peer->rows = s->nrow - peer->row;
    }
    s->buffer = malloc((size_t)s->nrow * p->bytes + 1);
    SL_CHECK(s->buffer, SL_EMEM, "no memory for %d rows of cells", s->nrow);
    return SL_OK;
}

/* ---- the exchange ---------------------------------------------------------------------------- */

static int finish(const struct sl_planes *p, const MPI_Request *next)
{
    int code = MPI_Waitall((int)(next - p->request), p->request, MPI_STATUSES_IGNORE);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot move cells between blocks and planes");
    return SL_OK;
}

/* Tells the ranks of the pencil where the rows lie that they will get. */
static int swap_places(const struct sl_planes *p, const struct piece *places)
{
    const struct side *from = &p->block_side, *to = &p->plane_side;
    MPI_Request *next = p->request;
    MPI_Datatype place;
    MPI_Type_contiguous(sizeof *places / sizeof(int), MPI_INT, &place);
    MPI_Type_commit(&place);
    for (int i = 0; i < to->npeer; i++)
        MPI_Irecv(to->piece + to->peer[i].piece, to->peer[i].pieces, place, to->peer[i].rank,
                  TAG_PLACES, p->mesh->comm, next++);
    for (int i = 0; i < from->npeer; i++)
        MPI_Isend(places + from->peer[i].piece, from->peer[i].pieces, place, from->peer[i].rank,
                  TAG_PLACES, p->mesh->comm, next++);
    int code = finish(p, next);
    MPI_Type_free(&place);
    return code;
}

static int send_places(struct sl_planes *p)
{
    const int count = p->block_side.npiece;
    struct piece *places = malloc(((size_t)count + 1) * sizeof *places);
    SL_TRY(sl_agree(p->mesh->comm, places ? SL_OK : SL_FAIL(SL_EMEM, "no memory for places")));
    for (int i = 0; i < count; i++) {
        const struct piece *o = &p->block_side.piece[i];
        places[i] = *o;
        places[i].i = (int)p->mesh->blocks[o->block].at[0] * p->mesh->n[0] - p->layers;
        places[i].j = wrapped(p, o->block, 1, o->j);
        places[i].k = wrapped(p, o->block, 2, o->k);
    }
    int code = swap_places(p, places);
    free(places);
    return code;
}

static int make_buffers(struct sl_planes *p)
{
    p->line = malloc(p->bytes);
    SL_CHECK(p->line, SL_EMEM, "no memory for a row of cells");
    SL_TRY(rows_make(p, &p->block_side));
    return rows_make(p, &p->plane_side);
}

static int planes_new(const struct sl_mesh *mesh, const struct sl_pencil *pencil, int layers,
                      size_t number, struct sl_planes **out)
{
    struct sl_planes *p = calloc(1, sizeof *p);
    *out = NULL;
    SL_TRY(sl_agree(mesh->comm, p ? SL_OK : SL_FAIL(SL_EMEM, "no memory for planes of cells")));
    p->mesh = mesh, p->pencil = pencil;
    p->layers = layers;
    p->bytes = (size_t)(mesh->n[0] + 2 * layers) * number;
    MPI_Type_contiguous((int)p->bytes, MPI_BYTE, &p->row);
    MPI_Type_commit(&p->row);
    int code = make_counts(p);
    if (code == SL_OK) code = send_places(p);
    if (code == SL_OK) code = sl_agree(mesh->comm, make_buffers(p));
    if (code == SL_OK)
        *out = p;
    else
        sl_planes_free(p);
    return code;
}

int sl_planes_new(const struct sl_mesh *mesh, const struct sl_pencil *pencil,
                  struct sl_planes **out)
{
    return planes_new(mesh, pencil, 0, sizeof(sl_real), out);
}

int sl_planes_new_around(const struct sl_mesh *mesh, const struct sl_pencil *pencil, int layers,
                         size_t number, struct sl_planes **out)
{
    return planes_new(mesh, pencil, layers, number, out);
}

static void side_release(struct side *s)
{
    free(s->peer);
    free(s->piece);
    free(s->buffer);
}

void sl_planes_free(struct sl_planes *p)
{
    if (!p) return;
    MPI_Type_free(&p->row);
    side_release(&p->block_side);
    side_release(&p->plane_side);
    free(p->line);
    free(p->request);
    free(p);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Row j of a piece. */
static void block_row(const struct piece *o, int j, sl_planes_block_row *row, void *context,
                      char *at)
{
    row(context, o->block, o->k, o->j + j, at);
}

static void plane_row(const struct sl_planes *p, const struct piece *o, int j,
                      sl_planes_plane_row *row, void *context, char *at)
{
    row(context, o->k - p->pencil->z0, o->j - p->pencil->y0 + j, o->i,
        p->mesh->n[0] + 2 * p->layers, at);
}

/* Whether a piece of a side stays on the rank. */
static bool stays(const struct side *s, int piece)
{
    const struct peer *own = &s->peer[s->own];
    return s->own < s->npeer && piece >= own->piece && piece < own->piece + own->pieces;
}

static void block_rows(const struct sl_planes *p, sl_planes_block_row *row, void *context)
{
    const struct side *s = &p->block_side;
    char *at = s->buffer;
    for (int i = 0; i < s->npiece; i++)
        for (int j = 0; j < s->piece[i].rows && !stays(s, i); j++, at += p->bytes)
            block_row(&s->piece[i], j, row, context, at);
}

static void plane_rows(const struct sl_planes *p, sl_planes_plane_row *row, void *context)
{
    const struct side *s = &p->plane_side;
    char *at = s->buffer;
    for (int i = 0; i < s->npiece; i++)
        for (int j = 0; j < s->piece[i].rows && !stays(s, i); j++, at += p->bytes)
            plane_row(p, &s->piece[i], j, row, context, at);
}

/* The rows that stay on the rank go one by one: they are never all in memory once more. */
static void own_rows(const struct sl_planes *p, bool to_planes, sl_planes_block_row *block,
                     sl_planes_plane_row *plane, void *context)
{
    const struct side *s = &p->block_side, *t = &p->plane_side;
    if (s->own == s->npeer) return;
    const struct piece *here = s->piece + s->peer[s->own].piece,
                       *there = t->piece + t->peer[t->own].piece;
    for (int i = 0; i < s->peer[s->own].pieces; i++)
        for (int j = 0; j < here[i].rows; j++) {
            if (to_planes) block_row(&here[i], j, block, context, p->line);
            plane_row(p, &there[i], j, plane, context, p->line);
            if (!to_planes) block_row(&here[i], j, block, context, p->line);
        }
}

static char *rows_at(const struct sl_planes *p, const struct side *s, int peer)
{
    return s->buffer + (size_t)s->peer[peer].row * p->bytes;
}

/* Between other ranks. */
static int move(const struct sl_planes *p, const struct side *from, const struct side *to)
{
    MPI_Request *next = p->request;
    for (int i = 0; i < to->npeer; i++)
        if (i != to->own)
            MPI_Irecv(rows_at(p, to, i), to->peer[i].rows, p->row, to->peer[i].rank, TAG_CELLS,
                      p->mesh->comm, next++);
    for (int i = 0; i < from->npeer; i++)
        if (i != from->own)
            MPI_Isend(rows_at(p, from, i), from->peer[i].rows, p->row, from->peer[i].rank,
                      TAG_CELLS, p->mesh->comm, next++);
    return finish(p, next);
}

int sl_planes_gather(struct sl_planes *p, sl_planes_block_row *from, sl_planes_plane_row *to,
                     void *context)
{
    block_rows(p, from, context);
    SL_TRY(move(p, &p->block_side, &p->plane_side));
    plane_rows(p, to, context);
    own_rows(p, true, from, to, context);
    return SL_OK;
}

int sl_planes_spread(struct sl_planes *p, sl_planes_plane_row *from, sl_planes_block_row *to,
                     void *context)
{
    plane_rows(p, from, context);
    SL_TRY(move(p, &p->plane_side, &p->block_side));
    block_rows(p, to, context);
    own_rows(p, false, to, from, context);
    return SL_OK;
}
