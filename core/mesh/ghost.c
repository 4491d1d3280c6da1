/* ghost.c - fills ghost cells (see mesh.h): messages out, messages in, and block by block the
 * copies on this rank and the boundaries of the box. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/mesh/exchange.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { GHOST_TAG = 7101, CACHE_LINE = 64, PREFETCH_CELLS = 4096 };
#define MPI_REAL_TYPE (sizeof(sl_real) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT)

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

/* Inlined for each row length below: rows across x faces are as short as the ghosts, and a call per
 * row would cost more than the copy. */
static inline __attribute__((always_inline)) void copy_rows(sl_real *to, struct pitch tp,
                                                            const sl_real *from, struct pitch fp,
                                                            const int n[3], size_t length)
{
    for (int k = 0; k < n[2]; k++, to += tp.plane, from += fp.plane)
        for (size_t j = 0; j < (size_t)n[1]; j++)
            memcpy(to + j * tp.row, from + j * fp.row, length * sizeof *to);
}

static void copy(sl_real *to, struct pitch tp, const sl_real *from, struct pitch fp, const int n[3])
{
    switch (n[0]) {
#define ROWS_OF(length)                                                                            \
    case length:                                                                                   \
        copy_rows(to, tp, from, fp, n, length);                                                    \
        break;
        ROWS_OF(1)
        ROWS_OF(2)
        ROWS_OF(3)
        ROWS_OF(8)
        ROWS_OF(16)
        ROWS_OF(32)
#undef ROWS_OF
    default:
        copy_rows(to, tp, from, fp, n, (size_t)n[0]);
    }
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Within a message the order is link, variable, cell. */
static void message_pack(const struct sl_mesh *m, int nvar, const struct sl_message *message,
                         const sl_real *u)
{
    const struct sl_exchange *x = m->exchange;
    sl_real *to = x->out.buffer + message->start * (size_t)nvar;
    for (int i = message->first; i < message->first + message->count; i++) {
        const struct sl_link *link = &x->out.link[i];
        const struct sl_box *box = &sl_boxes_of(m, x, link->block)->from[link->dir];
        const sl_real *from = u + (size_t)link->block * (size_t)nvar * m->block_cells;
        for (int v = 0; v < nvar; v++, to += box->cells, from += m->block_cells)
            copy(to, packed(box), from + box->offset, in_block(m), box->n);
    }
}

/* Whether a block reads what lies in that direction where it lies. */
static bool is_direct(const struct sl_ghost_arg *arg, int dir)
{
    return arg->direct && sl_axis_of(dir) > 0;
}

static void message_unpack(const struct sl_mesh *m, const struct sl_ghost_arg *arg,
                           const struct sl_message *message, sl_real *u)
{
    const struct sl_exchange *x = m->exchange;
    for (int i = message->first; i < message->first + message->count; i++) {
        const struct sl_link *link = &x->in.link[i];
        const struct sl_box *box = &sl_boxes_of(m, x, link->block)->to[link->dir];
        const sl_real *from = x->in.buffer + link->start * (size_t)arg->nvar;
        sl_real *to = u + (size_t)link->block * (size_t)arg->nvar * m->block_cells;
        if (is_direct(arg, link->dir) && sl_is_face(link->dir)) continue;
        for (int v = 0; v < arg->nvar; v++, from += box->cells, to += m->block_cells)
            copy(to + box->offset, in_block(m), from, packed(box), box->n);
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

static int messages_receive(const struct sl_mesh *m, int nvar)
{
    const struct sl_exchange *x = m->exchange;
    for (int i = 0; i < x->in.nmessage; i++) {
        const struct sl_message *in = &x->in.message[i];
        int count = (int)(in->cells * (size_t)nvar);
        SL_CHECK(MPI_Irecv(x->in.buffer + in->start * (size_t)nvar, count, MPI_REAL_TYPE, in->peer,
                           GHOST_TAG, m->comm, &x->request[i]) == MPI_SUCCESS,
                 SL_EMPI, "cannot receive ghost cells from rank %d", in->peer);
    }
    return SL_OK;
}

static int messages_send(const struct sl_mesh *m, int nvar, const sl_real *u)
{
    const struct sl_exchange *x = m->exchange;
    for (int i = 0; i < x->out.nmessage; i++) {
        const struct sl_message *out = &x->out.message[i];
        message_pack(m, nvar, out, u);
        SL_CHECK(MPI_Isend(x->out.buffer + out->start * (size_t)nvar,
                           (int)(out->cells * (size_t)nvar), MPI_REAL_TYPE, out->peer, GHOST_TAG,
                           m->comm, &x->request[x->in.nmessage + i]) == MPI_SUCCESS,
                 SL_EMPI, "cannot send ghost cells to rank %d", out->peer);
    }
    return SL_OK;
}

/* ---- copies on this rank --------------------------------------------------------------------- */

enum { TAKE = 1, GIVE = 2 };

/* A variable of a block and of its neighbour in direction dir, and which of them is copied. */
struct pair {
    sl_real *here, *there;
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
static void prefetch(sl_real *u, struct pitch p, const struct sl_box *box)
{
    size_t line = CACHE_LINE / sizeof *u, last = (size_t)box->n[0] - 1;
    if (box->cells > PREFETCH_CELLS) return;
    for (int k = 0; k < box->n[2]; k++)
        for (int j = 0; j < box->n[1]; j++) {
            sl_real *row = u + box->offset + (size_t)k * p.plane + (size_t)j * p.row;
            for (size_t i = 0; i < last; i += line)
                __builtin_prefetch(row + i, 1);
            __builtin_prefetch(row + last, 1);
        }
}

static void pair_fetch(const struct sl_boxes *box, struct pitch p, struct pair pair)
{
    if (pair.what & TAKE) prefetch(pair.here, p, &box->to[pair.dir]);
    if (pair.what & TAKE) prefetch(pair.there, p, &box->from[pair.dir]);
    if (pair.what & GIVE) prefetch(pair.there, p, &box->to[sl_opposite(pair.dir)]);
}

static void pair_copy(const struct sl_boxes *box, struct pitch p, struct pair pair)
{
    const struct sl_box *to = box->to, *from = box->from;
    int dir = pair.dir, back = sl_opposite(dir);
    if (pair.what & TAKE)
        copy(pair.here + to[dir].offset, p, pair.there + from[dir].offset, p, to[dir].n);
    if (pair.what & GIVE)
        copy(pair.there + to[back].offset, p, pair.here + from[back].offset, p, to[back].n);
}

static void near_copy(const struct sl_mesh *m, const struct sl_ghost_arg *arg, sl_real *u, int b)
{
    const struct sl_exchange *x = m->exchange;
    const struct sl_boxes *box = sl_boxes_of(m, x, b);
    struct pitch p = in_block(m);
    size_t block_size = (size_t)arg->nvar * m->block_cells;
    struct pair last = {NULL, NULL, 0, 0};
    for (int v = 0; v < arg->nvar; v++)
        for (int dir = 0; dir < SL_NDIR; dir++) {
            struct pair next = {.dir = dir, .what = share_of(x, arg, b, dir)};
            if (!next.what) continue;
            next.here = u + (size_t)b * block_size + (size_t)v * m->block_cells;
            next.there = u + (size_t)x->near[b][dir] * block_size + (size_t)v * m->block_cells;
            pair_fetch(box, p, next);
            pair_copy(box, p, last);
            last = next;
        }
    pair_copy(box, p, last);
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

int sl_ghost_begin(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, const sl_real *u)
{
    SL_TRY(buffers_grow(mesh, arg->nvar));
    SL_TRY(messages_receive(mesh, arg->nvar));
    SL_TRY(messages_send(mesh, arg->nvar, u));
    memset(mesh->exchange->visited, 0, (size_t)mesh->nblock * sizeof *mesh->exchange->visited);
    return SL_OK;
}

int sl_ghost_end(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, sl_real *u)
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

void sl_ghost_block(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, sl_real *u, int block,
                    struct sl_beyond *beyond)
{
    near_copy(mesh, arg, u, block);
    if (arg->direct) beyond_find(mesh, arg, u, block, beyond);
    sl_boundary_fill(mesh, arg, u, block);
    mesh->exchange->visited[block] = 1;
}

int sl_ghost_fill(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, sl_real *u)
{
    SL_TRY(sl_ghost_begin(mesh, arg, u));
    SL_TRY(sl_ghost_end(mesh, arg, u));
    for (int b = 0; b < mesh->nblock; b++)
        sl_ghost_block(mesh, arg, u, b, NULL);
    return SL_OK;
}
