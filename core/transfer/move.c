/* move.c - fields of new levels from those of old ones; see nest.h. */
#include <stdlib.h>
#include <string.h>

#include "core/cell/lift.h"
#include "core/cell/prolong_heat.h"
#include "core/sweep/rows.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/transfer/faces.h"
#include "core/transfer/level_exchange.h"
#include "core/transfer/nest.h"

/* The level of both runs that a move is about: where a block is copied, and from where. NULL: there
 * is none. */
struct levels {
    const struct sl_transfer_level *from, *above, *to; /* of that level, of the coarser one, new */
    const struct sl_transfer_level *any;               /* whose shapes are those of all */
};

static const struct sl_transfer_level *level_of(const struct sl_transfer_level *level, int n, int i)
{
    return i >= 0 && i < n ? &level[i] : NULL;
}

/* Cells of a block as they travel: the interior, and with fields at faces the next ones, which hold
 * those of its upper faces. */
static void packed_of(const struct sl_transfer_level *level, int n[3])
{
    const struct sl_mesh *m = level->mesh;
    for (int a = 0; a < 3; a++)
        n[a] = m->n[a] + (level->layout.face >= 0 && a < m->dim);
}

static size_t cells_of(const int n[3])
{
    return (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
}

/* Between a block, from its first interior cell on, and a message. */
static void block_pack(const struct sl_transfer_level *level, const sl_real *block,
                       sl_real *message, int back)
{
    const struct sl_mesh *m = level->mesh;
    size_t row = (size_t)m->step[1], plane = (size_t)m->step[2];
    int n[3];
    packed_of(level, n);
    for (int v = 0; v < level->layout.nvar; v++, block += m->block_cells)
        for (int k = 0; k < n[2]; k++)
            for (int j = 0; j < n[1]; j++, message += n[0]) {
                const sl_real *at = block + (size_t)k * plane + (size_t)j * row;
                if (back)
                    memcpy((sl_real *)(uintptr_t)at, message, (size_t)n[0] * sizeof *message);
                else
                    memcpy(message, at, (size_t)n[0] * sizeof *message);
            }
}

/* Gives the new cells energy and entropy, with dual energy. */
static void heat_prolong(const struct sl_transfer_level *above, const sl_real *parent,
                         const struct sl_prolong *p, const struct sl_nest_fill *f)
{
    sl_real eta = above->scheme->dual_eta;
    for (int k = 0; k < f->n[2]; k += 2)
        for (int j = 0; j < f->n[1]; j += 2)
            for (int i = 0; i < f->n[0]; i += 2) {
                const sl_real *of =
                    parent + i / 2 * p->step[0] + j / 2 * p->step[1] + k / 2 * p->step[2];
                sl_real *u = f->to + i * f->step[0] + j * f->step[1] + k * f->step[2];
                sl_prolong_heat(&p->gas, &p->layout, eta, p->dim, of, p->var, u, f->step, f->var);
            }
}

/* And the energy of their places, with a constant acceleration. */
static void lift_prolong(const struct sl_transfer_level *above, const struct sl_nest_fill *f)
{
    sl_real work[3];
    if (!sl_nest_work(above, work)) return;
    for (int k = 0; k < f->n[2]; k += 2)
        for (int j = 0; j < f->n[1]; j += 2)
            for (int i = 0; i < f->n[0]; i += 2)
                sl_lift_children(&above->layout, above->mesh->dim,
                                 f->to + i * f->step[0] + j * f->step[1] + k * f->step[2], f->var,
                                 f->step, work);
}

/* A whole block from its parent, to where its first interior cell is. */
static void block_prolong(const struct sl_transfer_level *above, const struct sl_move *move,
                          struct sl_nest_fill f)
{
    struct sl_prolong p = sl_nest_prolong_of(above, 1);
    const sl_real *parent = above->now + sl_nest_octant(above, move->from, move->half);
    memcpy(f.n, above->mesh->n, sizeof f.n);
    sl_nest_fill(&p, parent, parent, &f);
    if (p.layout.face >= 0) {
        struct sl_faces_fill faces = {.cells = f, .more = {1, 1, 1}, .own = -1};
        sl_faces_fill(&p, above->mesh->blocks[move->from].dx, parent, parent, &faces);
    }
    if (p.layout.entropy >= 0) heat_prolong(above, parent, &p, &f);
    lift_prolong(above, &f);
}

static const int no_half[3];

static void move_here(const struct levels *l, const struct sl_move *move)
{
    const struct sl_mesh *m = l->to->mesh;
    sl_real *u = l->to->now;
    size_t nvar = (size_t)l->to->layout.nvar, size = nvar * m->block_cells;
    struct sl_nest_fill f = {.to = u + sl_nest_octant(l->to, move->to, no_half),
                             .step = {1, m->step[1], m->step[2]},
                             .var = m->block_cells};
    if (move->prolong)
        block_prolong(l->above, move, f);
    else
        memcpy(u + (size_t)move->to * size, l->from->now + (size_t)move->from * size,
               size * sizeof *u);
}

static sl_real *place_in(const struct levels *l, const struct sl_move *move, sl_real *message)
{
    int n[3];
    packed_of(l->any, n);
    return message +
           move->start / cells_of(l->any->mesh->n) * (size_t)l->any->layout.nvar * cells_of(n);
}

static void move_out(const struct levels *l, const struct sl_move *move, sl_real *message)
{
    sl_real *to = place_in(l, move, message);
    int n[3];
    packed_of(l->any, n);
    struct sl_nest_fill f = {
        .to = to, .step = {1, n[0], (ptrdiff_t)n[0] * n[1]}, .var = cells_of(n)};
    if (move->prolong)
        block_prolong(l->above, move, f);
    else
        block_pack(l->from, l->from->now + sl_nest_octant(l->from, move->from, no_half), to, 0);
}

static void move_in(const struct levels *l, const struct sl_move *move, sl_real *message)
{
    block_pack(l->to, l->to->now + sl_nest_octant(l->to, move->to, no_half),
               place_in(l, move, message), 1);
}

static int move_level(const struct sl_transfer_level *now, const struct levels *l,
                      const struct sl_moves *moves, int level)
{
    int n[3], first = moves->first[level], end = moves->first[level + 1];
    packed_of(l->any, n);
    struct sl_level_exchange exchange = {now->mesh->comm,
                                         SL_TAG_MOVE,
                                         &moves->out[level],
                                         &moves->in[level],
                                         (size_t)l->any->layout.nvar * cells_of(n),
                                         cells_of(l->any->mesh->n),
                                         now->buffers,
                                         NULL,
                                         NULL};
    SL_TRY(sl_level_exchange_open(&exchange));
    for (int i = first; i < end; i++)
        if (moves->move[i].to < 0) move_out(l, &moves->move[i], exchange.sent);
    SL_TRY(sl_level_exchange_send(&exchange));
    for (int i = first; i < end; i++)
        if (moves->move[i].to >= 0 && moves->move[i].from >= 0) move_here(l, &moves->move[i]);
    SL_TRY(sl_level_exchange_wait(&exchange));
    for (int i = first; i < end; i++)
        if (moves->move[i].from < 0) move_in(l, &moves->move[i], exchange.got);
    return SL_OK;
}

/* Faces that new blocks share with older ones. */
static int faces_join(const struct sl_transfer_level *now, const struct sl_moves *moves, int level)
{
    signed char *made;
    int code = sl_alloc("new blocks", (size_t)now->mesh->nblock, sizeof *made, &made);
    SL_TRY(sl_agree(now->mesh->comm, code));
    for (int i = moves->first[level]; i < moves->first[level + 1]; i++)
        if (moves->move[i].to >= 0) made[moves->move[i].to] = moves->move[i].prolong;
    code = sl_faces_join(now, made);
    free(made);
    return code;
}

int sl_nest_move(const struct sl_transfer_level *old, int nold, const struct sl_transfer_level *now,
                 int nnow, const struct sl_moves *moves)
{
    for (int level = 0; level < nnow; level++) {
        struct levels l = {level_of(old, nold, level), level_of(old, nold, level - 1), &now[level],
                           now};
        SL_TRY(move_level(now, &l, moves, level));
        if (level > 0 && now->layout.face >= 0) SL_TRY(faces_join(&now[level], moves, level));
    }
    return SL_OK;
}
