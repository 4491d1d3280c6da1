/* ghost.c - fills ghost cells (see mesh.h): messages out, messages in, and block by block the
 * copies on this rank and the boundaries of the box. */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/mesh/exchange.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { GHOST_TAG = 7101, CACHE_LINE = 64, PREFETCH_CELLS = 4096 };

/* Distance in memory between the rows and between the planes of a box. */
struct pitch {
    size_t row, plane;
};

static struct pitch in_block(const struct sl_mesh *m)
{
    return (struct pitch){(size_t)m->nt[0], (size_t)m->nt[0] * (size_t)m->nt[1]};
}

static struct pitch packed(const struct sl_box *box)
{
    return (struct pitch){(size_t)box->n[0], (size_t)box->n[0] * (size_t)box->n[1]};
}

/* Bytes of a value. */
static size_t size_of(const struct sl_ghost_arg *arg)
{
    return arg->single ? sizeof(float) : sizeof(sl_real);
}

static MPI_Datatype type_of(const struct sl_ghost_arg *arg)
{
    return size_of(arg) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT;
}

static char *value_at(const void *u, size_t i, size_t size)
{
    return (char *)(uintptr_t)u + i * size;
}

/* Inlined for each row length, in bytes, below: rows across x faces are as short as the ghosts, and
 * a call per row would cost more than the copy. */
static inline __attribute__((always_inline)) void copy_rows(char *to, struct pitch tp,
                                                            const char *from, struct pitch fp,
                                                            const int n[3], size_t length)
{
    for (int k = 0; k < n[2]; k++, to += tp.plane, from += fp.plane)
        for (size_t j = 0; j < (size_t)n[1]; j++)
            memcpy(to + j * tp.row, from + j * fp.row, length);
}

static void copy(char *to, struct pitch tp, const char *from, struct pitch fp, const int n[3],
                 size_t size)
{
    tp.row *= size, tp.plane *= size, fp.row *= size, fp.plane *= size;
    switch ((size_t)n[0] * size) {
#define ROWS_OF(length)                                                                            \
    case length:                                                                                   \
        copy_rows(to, tp, from, fp, n, length);                                                    \
        break;
        ROWS_OF(4)
        ROWS_OF(8)
        ROWS_OF(12)
        ROWS_OF(16)
        ROWS_OF(24)
        ROWS_OF(32)
        ROWS_OF(64)
        ROWS_OF(128)
        ROWS_OF(256)
#undef ROWS_OF
    default:
        copy_rows(to, tp, from, fp, n, (size_t)n[0] * size);
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Within a message the order is link, variable, cell. */
static void message_pack(const struct sl_mesh *m, const struct sl_ghost_arg *arg,
                         const struct sl_message *message, const void *u)
{
    const struct sl_exchange *x = m->exchange;
    const size_t size = size_of(arg), nvar = (size_t)arg->nvar;
    char *to = value_at(x->out.buffer, message->start * nvar, size);
    for (int i = message->first; i < message->first + message->count; i++) {
        const struct sl_link *link = &x->out.link[i];
        const struct sl_box *box = &sl_boxes_of(m, x, link->block)->from[link->dir];
        size_t from = (size_t)link->block * nvar * m->block_cells + box->offset;
        for (size_t v = 0; v < nvar; v++, to += box->cells * size, from += m->block_cells)
            copy(to, packed(box), value_at(u, from, size), in_block(m), box->n, size);
    }
}

/* Whether a block reads what lies in that direction where it lies. */
static bool is_direct(const struct sl_ghost_arg *arg, int dir)
{
    return arg->direct && sl_axis_of(dir) > 0;
}

static void message_unpack(const struct sl_mesh *m, const struct sl_ghost_arg *arg,
                           const struct sl_message *message, void *u)
{
    const struct sl_exchange *x = m->exchange;
    const size_t size = size_of(arg), nvar = (size_t)arg->nvar;
    for (int i = message->first; i < message->first + message->count; i++) {
        const struct sl_link *link = &x->in.link[i];
        const struct sl_box *box = &sl_boxes_of(m, x, link->block)->to[link->dir];
        const char *from = value_at(x->in.buffer, link->start * nvar, size);
        size_t to = (size_t)link->block * nvar * m->block_cells + box->offset;
        if (is_direct(arg, link->dir) && sl_is_face(link->dir)) continue;
        for (size_t v = 0; v < nvar; v++, from += box->cells * size, to += m->block_cells)
            copy(value_at(u, to, size), in_block(m), from, packed(box), box->n, size);
    }
}

static int side_grow(struct sl_side *side, int nvar)
{
    sl_real *buffer;
    for (int i = 0; i < side->nmessage; i++)
        SL_CHECK(side->message[i].cells <= (size_t)INT_MAX / (size_t)nvar, SL_EMEM,
                 "a ghost message of %zu cells x %d variables is more than MPI can count",
                 side->message[i].cells, nvar);
    SL_TRY(sl_alloc("ghost buffer", side->cells * (size_t)nvar, sizeof(sl_real), &buffer));
    free(side->buffer);
    side->buffer = buffer;
    return SL_OK;
}

/* Buffers for nvar variables; collective, but only when more are needed than ever before. */
static int buffers_grow(const struct sl_mesh *m, int nvar)
{
    struct sl_exchange *x = m->exchange;
    if (nvar <= x->nvar_max) return SL_OK;
    int code = side_grow(&x->out, nvar);
    if (code == SL_OK) code = side_grow(&x->in, nvar);
    code = sl_agree(m->comm, code);
    if (code == SL_OK) x->nvar_max = nvar;
    return code;
}

static int messages_receive(const struct sl_mesh *m, const struct sl_ghost_arg *arg)
{
    const struct sl_exchange *x = m->exchange;
    const size_t nvar = (size_t)arg->nvar;
    for (int i = 0; i < x->in.nmessage; i++) {
        const struct sl_message *in = &x->in.message[i];
        SL_CHECK(MPI_Irecv(value_at(x->in.buffer, in->start * nvar, size_of(arg)),
                           (int)(in->cells * nvar), type_of(arg), in->peer, GHOST_TAG, m->comm,
                           &x->request[i]) == MPI_SUCCESS,
                 SL_EMPI, "cannot receive ghost cells from rank %d", in->peer);
    }
    return SL_OK;
}

static int messages_send(const struct sl_mesh *m, const struct sl_ghost_arg *arg, const void *u)
{
    const struct sl_exchange *x = m->exchange;
    const size_t nvar = (size_t)arg->nvar;
    for (int i = 0; i < x->out.nmessage; i++) {
        const struct sl_message *out = &x->out.message[i];
        message_pack(m, arg, out, u);
        SL_CHECK(MPI_Isend(value_at(x->out.buffer, out->start * nvar, size_of(arg)),
                           (int)(out->cells * nvar), type_of(arg), out->peer, GHOST_TAG, m->comm,
                           &x->request[x->in.nmessage + i]) == MPI_SUCCESS,
                 SL_EMPI, "cannot send ghost cells to rank %d", out->peer);
    }
    return SL_OK;
}

/* ---- copies on this rank --------------------------------------------------------------------- */

enum { TAKE = 1, GIVE = 2 };

/* A variable of a block and of its neighbour in direction dir, and which of them is copied. */
struct pair {
    char *here, *there;
    int dir, what;
};

/* Both ways between a block and its neighbours that were not visited before it: what it gives goes
 * before it is worked on, and the same cache lines hold what a block gives and what it takes. A
 * block beside itself takes only. Rows and planes may be read where they lie. */
static int share_of(const struct sl_exchange *x, const struct sl_ghost_arg *arg, int b, int dir)
{
    int other = x->near[b][dir];
    if (other == SL_NO_BLOCK || x->visited[other]) return 0;
    if (arg->faces_only && !sl_is_face(dir)) return 0;
    if (other == b) return TAKE;
    if (!is_direct(arg, dir)) return TAKE | GIVE;
    return arg->out_of_place ? 0 : GIVE;
}

/* Prefetches the rows of a box: most miss the second-level cache, and a copy of short rows would
 * wait for each in turn. A box above PREFETCH_CELLS would be evicted before it is used. */
static void prefetch(char *u, struct pitch p, const struct sl_box *box, size_t size)
{
    size_t last = ((size_t)box->n[0] - 1) * size;
    if (box->cells > PREFETCH_CELLS) return;
    for (int k = 0; k < box->n[2]; k++)
        for (int j = 0; j < box->n[1]; j++) {
            char *row = u + (box->offset + (size_t)k * p.plane + (size_t)j * p.row) * size;
            for (size_t i = 0; i < last; i += CACHE_LINE)
                __builtin_prefetch(row + i, 1);
            __builtin_prefetch(row + last, 1);
        }
}

static void pair_fetch(const struct sl_boxes *box, struct pitch p, struct pair pair, size_t size)
{
    if (pair.what & TAKE) prefetch(pair.here, p, &box->to[pair.dir], size);
    if (pair.what & TAKE) prefetch(pair.there, p, &box->from[pair.dir], size);
    if (pair.what & GIVE) prefetch(pair.there, p, &box->to[sl_opposite(pair.dir)], size);
}

static void pair_copy(const struct sl_boxes *box, struct pitch p, struct pair pair, size_t size)
{
    const struct sl_box *to = box->to, *from = box->from;
    int dir = pair.dir, back = sl_opposite(dir);
    if (pair.what & TAKE)
        copy(value_at(pair.here, to[dir].offset, size), p,
             value_at(pair.there, from[dir].offset, size), p, to[dir].n, size);
    if (pair.what & GIVE)
        copy(value_at(pair.there, to[back].offset, size), p,
             value_at(pair.here, from[back].offset, size), p, to[back].n, size);
}

static void near_copy(const struct sl_mesh *m, const struct sl_ghost_arg *arg, void *u, int b)
{
    const struct sl_exchange *x = m->exchange;
    const struct sl_boxes *box = sl_boxes_of(m, x, b);
    struct pitch p = in_block(m);
    const size_t block_size = (size_t)arg->nvar * m->block_cells, size = size_of(arg);
    struct pair last = {NULL, NULL, 0, 0};
    for (int v = 0; v < arg->nvar; v++)
        for (int dir = 0; dir < SL_NDIR; dir++) {
            struct pair next = {.dir = dir, .what = share_of(x, arg, b, dir)};
            if (!next.what) continue;
            size_t first = (size_t)v * m->block_cells;
            next.here = value_at(u, (size_t)b * block_size + first, size);
            next.there = value_at(u, (size_t)x->near[b][dir] * block_size + first, size);
            pair_fetch(box, p, next, size);
            pair_copy(box, p, last, size);
            last = next;
        }
    pair_copy(box, p, last, size);
}

/* ---- cells beyond a block -------------------------------------------------------------------- */

static struct sl_layer layer_in_block(const struct sl_mesh *m, const struct sl_ghost_arg *arg,
                                      const sl_real *u, int b, const struct sl_box *box)
{
    const sl_real *at = u + (size_t)b * (size_t)arg->nvar * m->block_cells + box->offset;
    struct pitch p = in_block(m);
    return (struct sl_layer){at, (ptrdiff_t)m->block_cells, (ptrdiff_t)p.plane, (ptrdiff_t)p.row};
}

static struct sl_layer layer_in_message(const struct sl_exchange *x, const struct sl_ghost_arg *arg,
                                        const struct sl_link *link, const struct sl_box *box)
{
    const sl_real *at = x->in.buffer + link->start * (size_t)arg->nvar;
    struct pitch p = packed(box);
    return (struct sl_layer){at, (ptrdiff_t)box->cells, (ptrdiff_t)p.plane, (ptrdiff_t)p.row};
}

/* In a message, in a neighbour that still holds what the block needs, or where such a neighbour or
 * the boundary wrote. */
static struct sl_layer layer_of(const struct sl_mesh *m, const struct sl_ghost_arg *arg,
                                const sl_real *u, int b, int dir)
{
    const struct sl_exchange *x = m->exchange;
    const struct sl_boxes *box = sl_boxes_of(m, x, b);
    int link = x->link[b][dir], other = x->near[b][dir];
    if (link >= 0) return layer_in_message(x, arg, &x->in.link[link], &box->to[dir]);
    if (other != SL_NO_BLOCK && other != b && (arg->out_of_place || !x->visited[other]))
        return layer_in_block(m, arg, u, other, &box->from[dir]);
    return layer_in_block(m, arg, u, b, &box->to[dir]);
}

static void beyond_find(const struct sl_mesh *m, const struct sl_ghost_arg *arg, const sl_real *u,
                        int b, struct sl_beyond *beyond)
{
    for (int axis = 1; axis < m->dim; axis++)
        for (int side = 0; side < 2; side++)
            beyond->face[axis][side] = layer_of(m, arg, u, b, sl_dir_across(axis, side));
}

/* ---- the calls ------------------------------------------------------------------------------- */

int sl_ghost_begin(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, const void *u)
{
    SL_TRY(buffers_grow(mesh, arg->nvar));
    SL_TRY(messages_receive(mesh, arg));
    SL_TRY(messages_send(mesh, arg, u));
    memset(mesh->exchange->visited, 0, (size_t)mesh->nblock * sizeof *mesh->exchange->visited);
    return SL_OK;
}

int sl_ghost_end(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, void *u)
{
    const struct sl_exchange *x = mesh->exchange;
    for (int i = 0; i < x->in.nmessage; i++) {
        int which;
        SL_CHECK(MPI_Waitany(x->in.nmessage, x->request, &which, MPI_STATUS_IGNORE) == MPI_SUCCESS,
                 SL_EMPI, "ghost cells did not arrive");
        message_unpack(mesh, arg, &x->in.message[which], u);
    }
    SL_CHECK(MPI_Waitall(x->out.nmessage, x->request + x->in.nmessage, MPI_STATUSES_IGNORE) ==
                 MPI_SUCCESS,
             SL_EMPI, "ghost cells could not be sent");
    return SL_OK;
}

void sl_ghost_block(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, void *u, int block,
                    struct sl_beyond *beyond)
{
    near_copy(mesh, arg, u, block);
    if (arg->direct) beyond_find(mesh, arg, u, block, beyond);
    if (!arg->single) sl_boundary_fill(mesh, arg, u, block);
    mesh->exchange->visited[block] = 1;
}

int sl_ghost_fill(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, void *u)
{
    SL_TRY(sl_ghost_begin(mesh, arg, u));
    SL_TRY(sl_ghost_end(mesh, arg, u));
    for (int b = 0; b < mesh->nblock; b++)
        sl_ghost_block(mesh, arg, u, b, NULL);
    return SL_OK;
}
