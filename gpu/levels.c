/* levels.c - the backend of CUDA devices between levels, host part: lists, messages, and the order of calls; see cuda.h. */
#include <stdlib.h>

#include "core/mesh/exchange.h"
#include "core/step/backend.h"
#include "core/step/flag.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "gpu/cuda.h"
#include "gpu/nest.h"

/* ---- making ------------------------------------------------------------------------------------- */

static int side_make(const struct sl_nest_side *from, struct sl_cuda_side *to)
{
    SL_TRY(sl_cuda_side_new(to, from->nmessage, from->values));
    for (int i = 0; i < from->nmessage; i++)
        to->letter[i] = (struct sl_cuda_letter){from->message[i].peer, from->message[i].start,
                                                from->message[i].values};
    return SL_OK;
}

static int mail_make(int tag, const struct sl_nest_side *out, const struct sl_nest_side *in,
                     struct sl_cuda_mail *mail)
{
    mail->tag = tag;
    SL_TRY(side_make(out, &mail->out));
    SL_TRY(side_make(in, &mail->in));
    return sl_cuda_mail_ready(mail);
}

int sl_cuda_nest_make(struct sl_sim *sim)
{
    const struct sl_nest *n = sim->nest;
    const struct sl_exchange *x = sim->mesh->exchange;
    struct device *d = sl_cuda_device(sim);
    struct sl_device_box box[8][SL_DEVICE_NDIR];
    for (int i = 0; i < 8 * SL_DEVICE_NDIR; i++) {
        const struct sl_box *from = &x->edge[i / SL_NDIR].to[i % SL_NDIR];
        struct sl_device_box *to = &box[i / SL_NDIR][i % SL_NDIR];
        for (int a = 0; a < 3; a++)
            to->lo[a] = from->lo[a], to->n[a] = from->n[a];
    }
    SL_TRY(mail_make(SL_CUDA_PROLONG, &n->prolong_out, &n->prolong_in, &d->prolong));
    SL_TRY(mail_make(SL_CUDA_COVER, &n->cover_out, &n->cover_in, &d->cover));
    SL_TRY(mail_make(SL_CUDA_REFLUX, &n->reflux_out, &n->reflux_in, &d->reflux));
    const char *text = sl_device_nest_set(d->on, n, box);
    return text ? SL_FAIL(SL_EMEM, "CUDA: %s", text) : SL_OK;
}

/* ---- between levels ----------------------------------------------------------------------------- */

/* Numbers per cell that go from level to level: those of fields at faces go with their divergence in mind. */
static int carried(const struct sl_sim *fine)
{
    return fine->layout.nflow;
}

int sl_cuda_prolong(struct sl_sim *coarse, struct sl_sim *fine, sl_real share, sl_real *u)
{
    struct device *d = sl_cuda_device(fine);
    int nvar = carried(fine);
    SL_TRY(sl_cuda_mail_room(d, &d->prolong, nvar));
    DEVICE(sl_device_prolong(d->on, sl_cuda_device(coarse)->on, share, coarse->work->next,
                             coarse->work->now, u));
    SL_TRY(sl_cuda_mail_go(fine->mesh->comm, d, &d->prolong, nvar));
    SL_TRY(sl_cuda_mail_come(d, &d->prolong, nvar));
    DEVICE(sl_device_prolong_unpack(d->on, u));
    return SL_OK;
}

int sl_cuda_cover(struct sl_sim *coarse, struct sl_sim *fine)
{
    struct device *d = sl_cuda_device(fine);
    struct sl_device *below = sl_cuda_device(coarse)->on;
    int nvar = carried(fine);
    SL_TRY(sl_cuda_mail_room(d, &d->cover, nvar));
    DEVICE(sl_device_cover(d->on, below, fine->work->now, coarse->work->now));
    SL_TRY(sl_cuda_mail_go(fine->mesh->comm, d, &d->cover, nvar));
    SL_TRY(sl_cuda_mail_come(d, &d->cover, nvar));
    DEVICE(sl_device_cover_unpack(d->on, below, coarse->work->now));
    coarse->work->stale = 1;
    return SL_OK;
}

/* The lists of sides have their places once both levels keep fluxes. */
static int reflux_ready(const struct sl_sim *fine)
{
    struct sl_device *on = sl_cuda_device(fine)->on;
    if (sl_device_reflux_is_set(on)) return SL_OK;
    const char *text = sl_device_reflux_set(on, fine->nest);
    return sl_agree(fine->mesh->comm, text ? SL_FAIL(SL_EMEM, "CUDA: %s", text) : SL_OK);
}

/* The host is told with the next signals of the coarser level how many cells took a floor. */
int sl_cuda_reflux(struct sl_sim *coarse, struct sl_sim *fine, int64_t *floored)
{
    struct device *d = sl_cuda_device(fine);
    const struct sl_mesh *m = coarse->mesh;
    int nflow = carried(fine);
    sl_real per_dx[3] = {0, 0, 0};
    for (int a = 0; a < m->dim && m->nblock > 0; a++)
        per_dx[a] = (sl_real)(1 / m->blocks[0].dx[a]);
    SL_TRY(reflux_ready(fine));
    SL_TRY(sl_cuda_mail_room(d, &d->reflux, nflow));
    DEVICE(sl_device_reflux_pack(d->on));
    SL_TRY(sl_cuda_mail_go(m->comm, d, &d->reflux, nflow));
    SL_TRY(sl_cuda_mail_come(d, &d->reflux, nflow));
    DEVICE(sl_device_reflux(d->on, sl_cuda_device(coarse)->on, per_dx, coarse->work->now));
    sl_cuda_device(coarse)->floored = floored;
    coarse->work->stale = 1;
    return SL_OK;
}

/* ---- a new set of levels ------------------------------------------------------------------------ */

static struct sl_sim *level_of(struct sl_sim *first, int level)
{
    while (first && first->mesh->level != level)
        first = first->finer;
    return first;
}

/* Moves of one level, as the device takes them: copies, blocks made from their parents, and those that come. */
struct level_moves {
    struct sl_device_move *move[2];
    struct sl_device_link *in;
    int n[2], nin;
};

static void moves_release(struct level_moves *l)
{
    free(l->move[0]);
    free(l->move[1]);
    free(l->in);
}

static void link_put(const struct sl_mesh *m, const struct sl_move *move, struct sl_device_link *l)
{
    l->block = move->to;
    l->cells = 1;
    for (int a = 0; a < 3; a++) {
        l->lo[a] = m->g[a], l->n[a] = m->n[a];
        l->cells *= (size_t)m->n[a];
    }
    l->start = move->start * l->cells;
}

static void move_put(size_t cells, const struct sl_move *move, struct sl_device_move *to)
{
    *to = (struct sl_device_move){.to = move->to, .from = move->from, .start = move->start * cells};
    for (int a = 0; a < 3; a++)
        to->half[a] = move->half[a];
}

static int moves_sort(const struct sl_mesh *m, const struct sl_move *move, int n,
                      struct level_moves *l)
{
    size_t cells = (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
    for (int i = 0; i < 2; i++)
        SL_TRY(sl_alloc("moves of blocks", (size_t)n, sizeof *l->move[i], &l->move[i]));
    SL_TRY(sl_alloc("moves of blocks", (size_t)n, sizeof *l->in, &l->in));
    for (int i = 0; i < n; i++)
        if (move[i].from < 0)
            link_put(m, &move[i], &l->in[l->nin++]);
        else
            move_put(cells, &move[i], &l->move[(int)move[i].prolong][l->n[(int)move[i].prolong]++]);
    return SL_OK;
}

static int level_move(struct sl_sim *old, struct sl_sim *now, const struct level_moves *l,
                      const struct sl_cuda_mail *mail)
{
    struct device *d = sl_cuda_device(now);
    int level = now->mesh->level, nvar = now->layout.nvar;
    SL_TRY(sl_cuda_mail_room(d, mail, nvar));
    for (int parent = 0; parent < 2; parent++) {
        const struct sl_sim *from = level_of(old, level - parent);
        if (l->n[parent] == 0) continue;
        DEVICE(sl_device_move(d->on, sl_cuda_device(from)->on, parent, l->move[parent],
                              l->n[parent], from->work->now, now->work->now));
    }
    SL_TRY(sl_cuda_mail_go(now->mesh->comm, d, mail, nvar));
    SL_TRY(sl_cuda_mail_come(d, mail, nvar));
    DEVICE(sl_device_move_unpack(d->on, l->in, l->nin, now->work->now));
    return SL_OK;
}

/* Blocks of one level and what goes to or comes from other ranks for it. Memory that may be missing is asked for before ranks wait
 * for each other. */
static int level_moves(struct sl_sim *old, struct sl_sim *now, const struct sl_moves *moves)
{
    int level = now->mesh->level, first = moves->first[level];
    struct level_moves l = {.nin = 0};
    struct sl_cuda_mail mail = {.tag = 0};
    int code = moves_sort(now->mesh, moves->move + first, moves->first[level + 1] - first, &l);
    if (code == SL_OK) code = mail_make(SL_CUDA_MOVE, &moves->out[level], &moves->in[level], &mail);
    code = sl_agree(now->mesh->comm, code);
    if (code == SL_OK) code = level_move(old, now, &l, &mail);
    moves_release(&l);
    sl_cuda_mail_release(&mail);
    return code;
}

int sl_cuda_move(struct sl_sim *old, struct sl_sim *now, const struct sl_moves *moves)
{
    for (struct sl_sim *s = now; s; s = s->finer)
        SL_TRY(level_moves(old, s, moves));
    return SL_OK;
}

/* ---- criteria ----------------------------------------------------------------------------------- */

int sl_cuda_flag(struct sl_sim *sim, struct sl_refine_marks *marks)
{
    struct device *d = sl_cuda_device(sim);
    const struct sl_refine_level level = sl_flag_level(sim);
    DEVICE(sl_device_floored_told(d->on));
    sl_cuda_floored(sim);
    if (level.nrule > 0) DEVICE(sl_device_refine(d->on, &level, sim->work->now, marks));
    return SL_OK;
}

void sl_cuda_floored(const struct sl_sim *sim)
{
    struct device *d = sl_cuda_device(sim);
    if (d->floored) *d->floored += sl_device_floored_take(d->on);
}
