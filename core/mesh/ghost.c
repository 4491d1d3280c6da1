/* ghost.c - fills ghost cells from other blocks (see mesh.h): messages out, copies on this rank,
 * messages in, boundaries of the box. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "core/mesh/exchange.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { GHOST_TAG = 7101 };
#define MPI_REAL_TYPE (sizeof(sl_real) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT)

/* A box in memory: its first cell and the distance between its rows and planes. */
struct view {
    sl_real *cell;
    size_t row, plane;
};

static struct view view_of(const struct sl_mesh *m, sl_real *var, const struct sl_box *box)
{
    size_t row = (size_t)m->nt[0];
    return (struct view){var + box->offset, row, row * (size_t)m->nt[1]};
}

/* Copies rows of a length that the compiler knows in the cases that matter: rows across x faces are
 * as short as the ghosts. */
static inline __attribute__((always_inline)) void copy_rows(struct view to, struct view from,
                                                            const int n[3], size_t length)
{
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            memcpy(to.cell + (size_t)k * to.plane + (size_t)j * to.row,
                   from.cell + (size_t)k * from.plane + (size_t)j * from.row,
                   length * sizeof(sl_real));
}

static void copy(struct view to, struct view from, const int n[3])
{
    switch (n[0]) {
    case 1:
        copy_rows(to, from, n, 1);
        break;
    case 2:
        copy_rows(to, from, n, 2);
        break;
    case 3:
        copy_rows(to, from, n, 3);
        break;
    case 8:
        copy_rows(to, from, n, 8);
        break;
    case 16:
        copy_rows(to, from, n, 16);
        break;
    case 32:
        copy_rows(to, from, n, 32);
        break;
    default:
        copy_rows(to, from, n, (size_t)n[0]);
        break;
    }
}

/* ---- messages ----------------------------------------------------------------------------------
 */

/* Copies the boxes of one message between the blocks and the buffer; within a message the order is
 * link, variable, cell. */
static void message_copy(const struct sl_mesh *m, int nvar, const struct sl_side *side,
                         const struct sl_message *message, const struct sl_box *boxes, bool pack,
                         sl_real *u)
{
    sl_real *at = side->buffer + message->start * (size_t)nvar;
    for (int i = message->first; i < message->first + message->count; i++) {
        const struct sl_link *link = &side->link[i];
        const struct sl_box *box = &boxes[link->dir];
        sl_real *block = u + (size_t)link->block * (size_t)nvar * m->block_cells;
        for (int v = 0; v < nvar; v++, at += box->cells) {
            struct view field = view_of(m, block + (size_t)v * m->block_cells, box);
            struct view packed = {at, (size_t)box->n[0], (size_t)box->n[0] * (size_t)box->n[1]};
            if (pack)
                copy(packed, field, box->n);
            else
                copy(field, packed, box->n);
        }
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

static int messages_send(const struct sl_mesh *m, int nvar, sl_real *u)
{
    const struct sl_exchange *x = m->exchange;
    for (int i = 0; i < x->out.nmessage; i++) {
        const struct sl_message *out = &x->out.message[i];
        message_copy(m, nvar, &x->out, out, x->from, true, u);
        SL_CHECK(MPI_Isend(x->out.buffer + out->start * (size_t)nvar,
                           (int)(out->cells * (size_t)nvar), MPI_REAL_TYPE, out->peer, GHOST_TAG,
                           m->comm, &x->request[x->in.nmessage + i]) == MPI_SUCCESS,
                 SL_EMPI, "cannot send ghost cells to rank %d", out->peer);
    }
    return SL_OK;
}

/* ---- copies on this rank ------------------------------------------------------------------------
 */

static void local_copy(const struct sl_mesh *m, int nvar, sl_real *u)
{
    const struct sl_exchange *x = m->exchange;
    size_t block_size = (size_t)nvar * m->block_cells;
    for (int b = 0; b < m->nblock; b++)
        for (int v = 0; v < nvar; v++)
            for (int dir = 0; dir < SL_NDIR; dir++) {
                int other = x->near[b][dir];
                if (other == SL_NO_BLOCK) continue;
                sl_real *to = u + (size_t)b * block_size + (size_t)v * m->block_cells;
                sl_real *from = u + (size_t)other * block_size + (size_t)v * m->block_cells;
                copy(view_of(m, to, &x->to[dir]), view_of(m, from, &x->from[dir]), x->to[dir].n);
            }
}

/* ---- the calls ----------------------------------------------------------------------------------
 */

int sl_ghost_begin(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, sl_real *u)
{
    SL_TRY(buffers_grow(mesh, arg->nvar));
    SL_TRY(messages_receive(mesh, arg->nvar));
    SL_TRY(messages_send(mesh, arg->nvar, u));
    local_copy(mesh, arg->nvar, u);
    return SL_OK;
}

int sl_ghost_end(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, sl_real *u)
{
    const struct sl_exchange *x = mesh->exchange;
    for (int i = 0; i < x->in.nmessage; i++) {
        int which;
        SL_CHECK(MPI_Waitany(x->in.nmessage, x->request, &which, MPI_STATUS_IGNORE) == MPI_SUCCESS,
                 SL_EMPI, "ghost cells did not arrive");
        message_copy(mesh, arg->nvar, &x->in, &x->in.message[which], x->to, false, u);
    }
    SL_CHECK(MPI_Waitall(x->out.nmessage, x->request + x->in.nmessage, MPI_STATUSES_IGNORE) ==
                 MPI_SUCCESS,
             SL_EMPI, "ghost cells could not be sent");
    sl_boundary_fill(mesh, arg, u);
    return SL_OK;
}

int sl_ghost_fill(struct sl_mesh *mesh, const struct sl_ghost_arg *arg, sl_real *u)
{
    SL_TRY(sl_ghost_begin(mesh, arg, u));
    return sl_ghost_end(mesh, arg, u);
}
