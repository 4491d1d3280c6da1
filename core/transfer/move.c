/* move.c - fields of new levels from those of old ones; see nest.h. */
#include <stdlib.h>
#include <string.h>

#include "core/cell/lift.h"
#include "core/cell/prolong_heat.h"
#include "core/sweep/rows.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"
#include "core/transfer/any_field.h"
#include "core/transfer/faces.h"
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
                          sl_real *to, const struct sl_cells *cells)
{
    struct sl_prolong p = sl_nest_prolong_of(above, 1);
    struct sl_nest_fill f = {.to = to, .var = cells->var};
    const sl_real *parent = above->now + sl_nest_octant(above, move->from, move->half);
    memcpy(f.n, above->mesh->n, sizeof f.n);
    memcpy(f.step, cells->step, sizeof f.step);
    sl_nest_fill(&p, parent, parent, &f);
    if (p.layout.face >= 0) {
        struct sl_faces_fill faces = {.cells = f, .more = {1, 1, 1}, .own = -1};
        sl_faces_fill(&p, above->mesh->blocks[move->from].dx, parent, parent, &faces);
    }
    if (p.layout.entropy >= 0) heat_prolong(above, parent, &p, &f);
    lift_prolong(above, &f);
}

/* A block that is here is copied with its ghost cells. */
static void block_make(const void *of, const void *of_job, sl_real *message)
{
    const struct levels *l = of;
    const struct sl_move *move = of_job;
    size_t size = (size_t)l->any->layout.nvar * l->any->mesh->block_cells;
    int n[3];
    packed_of(l->any, n);
    const struct sl_cells packed = sl_cells_packed(n), cells = sl_cells_of(l->any->mesh);
    if (move->prolong)
        block_prolong(l->above, move,
                      message ? message : l->to->now + sl_nest_octant(l->to, move->to, NULL),
                      message ? &packed : &cells);
    else if (message)
        sl_cells_copy(n, l->any->layout.nvar,
                      l->from->now + sl_nest_octant(l->from, move->from, NULL), &cells, message,
                      &packed);
    else
        memcpy(l->to->now + (size_t)move->to * size, l->from->now + (size_t)move->from * size,
               size * sizeof *message);
}

static void block_take(const void *of, const void *of_job, const sl_real *from)
{
    const struct levels *l = of;
    const struct sl_move *move = of_job;
    int n[3];
    packed_of(l->any, n);
    const struct sl_cells packed = sl_cells_packed(n), cells = sl_cells_of(l->any->mesh);
    sl_cells_copy(n, l->any->layout.nvar, from, &packed,
                  l->to->now + sl_nest_octant(l->to, move->to, NULL), &cells);
}

static int move_level(const struct sl_transfer_level *now, const struct levels *l,
                      const struct sl_moves *moves, int level)
{
    const struct sl_move *move = moves->move + moves->first[level];
    const struct sl_level_jobs jobs = {move,
                                       sizeof *move,
                                       offsetof(struct sl_move, start),
                                       moves->count[level],
                                       &moves->out[level],
                                       &moves->in[level]};
    int n[3];
    packed_of(l->any, n);
    const struct sl_level_exchange x = {SL_TAG_MOVE,
                                        jobs,
                                        l,
                                        block_make,
                                        block_take,
                                        .each =
                                            (size_t)l->any->layout.nvar * sl_cells_packed(n).var,
                                        .unit = sl_cells_packed(now->mesh->n).var};
    return sl_level_exchange_run(&x, now->mesh->comm, now->buffers);
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
