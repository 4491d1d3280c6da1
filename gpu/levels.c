/* levels.c - the backend of CUDA devices between levels, host part: lists, messages, and the order
 * of calls; see cuda.h. */
#include <stdlib.h>

#include "core/mesh/exchange.h"
#include "core/step/backend.h"
#include "core/step/flag.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "gpu/cuda.h"
#include "gpu/nest.h"

/* ---- making ---------------------------------------------------------------------------------- */

static int side_make(const struct sl_nest_side *from, struct sl_cuda_side *to)
{
    SL_TRY(sl_cuda_side_new(to, from->nmessage, from->values));
    for (int i = 0; i < from->nmessage; i++)
        to->message[i] = (struct sl_cuda_message){from->message[i].peer, from->message[i].start,
                                                  from->message[i].values};
    return SL_OK;
}

static int messages_make(int tag, const struct sl_nest_side *out, const struct sl_nest_side *in,
                         struct sl_cuda_messages *messages)
{
    messages->tag = tag;
    SL_TRY(side_make(out, &messages->out));
    SL_TRY(side_make(in, &messages->in));
    return sl_cuda_messages_ready(messages);
}

/* Places and lengths for what has `each` values where these have `per`. */
static void side_scale(struct sl_cuda_side *side, size_t per, size_t each)
{
    side->values = side->values / per * each;
    for (int i = 0; i < side->n; i++) {
        side->message[i].start = side->message[i].start / per * each;
        side->message[i].values = side->message[i].values / per * each;
    }
}

static void messages_scale(struct sl_cuda_messages *messages, size_t per, size_t each)
{
    side_scale(&messages->out, per, each);
    side_scale(&messages->in, per, each);
}

int sl_cuda_messages_between(int tag, const struct sl_nest_side *out, const struct sl_nest_side *in,
                             size_t per, size_t each, struct sl_cuda_messages *messages)
{
    SL_TRY(messages_make(tag, out, in, messages));
    messages_scale(messages, per, each);
    return SL_OK;
}

/* Of fields at faces. */
static int faces_messages_make(struct device *d, const struct sl_mesh *m, const struct sl_nest *n)
{
    size_t cells = 1;
    for (int a = 0; a < m->dim; a++)
        cells *= (size_t)m->n[a] / 2;
    SL_TRY(messages_make(SL_CUDA_RIM, &n->rim_out, &n->rim_in, &d->rim));
    SL_TRY(messages_make(SL_CUDA_EDGES, &n->edge_out, &n->edge_in, &d->edges));
    return sl_cuda_messages_between(SL_CUDA_COVER, &n->cover_out, &n->cover_in, cells,
                                    sl_device_cover_faces_values(d->on), &d->cover_faces);
}

int sl_cuda_nest_make(struct sl_sim *sim)
{
    const struct sl_nest *n = sim->nest;
    const struct sl_exchange *x = sim->state.mesh->exchange;
    struct device *d = sl_cuda_device(sim);
    struct sl_device_box box[8][SL_NDIR];
    for (int i = 0; i < 8 * SL_NDIR; i++) {
        const struct sl_box *from = &x->edge[i / SL_NDIR].to[i % SL_NDIR];
        struct sl_device_box *to = &box[i / SL_NDIR][i % SL_NDIR];
        for (int a = 0; a < 3; a++)
            to->lo[a] = from->lo[a], to->n[a] = from->n[a];
    }
    SL_TRY(messages_make(SL_CUDA_PROLONG, &n->prolong_out, &n->prolong_in, &d->prolong));
    SL_TRY(messages_make(SL_CUDA_COVER, &n->cover_out, &n->cover_in, &d->cover));
    SL_TRY(messages_make(SL_CUDA_REFLUX, &n->reflux_out, &n->reflux_in, &d->reflux));
    if (sim->state.layout.face >= 0) SL_TRY(faces_messages_make(d, sim->state.mesh, n));
    SL_TRY(sl_cuda_asked_make(sim->coarser, n));
    const char *text = sl_device_nest_set(d->on, n, box);
    return text ? SL_FAIL(SL_EMEM, "CUDA: %s", text) : SL_OK;
}

/* ---- between levels -------------------------------------------------------------------------- */

/* Cells of a level; anything where a rank has no block of it. */
static void dx_of(const struct sl_sim *sim, sl_real dx[3])
{
    for (int a = 0; a < 3; a++)
        dx[a] = sim->state.mesh->nblock > 0 ? (sl_real)sim->state.mesh->blocks[0].dx[a] : 1;
}

static void per_dx_of(const struct sl_sim *sim, sl_real per_dx[3])
{
    const struct sl_mesh *m = sim->state.mesh;
    for (int a = 0; a < 3; a++)
        per_dx[a] = a < m->dim && m->nblock > 0 ? (sl_real)(1 / m->blocks[0].dx[a]) : 0;
}

int sl_cuda_messages_exchange(const struct sl_sim *sim, const struct sl_cuda_messages *messages,
                              int nvar)
{
    struct device *d = sl_cuda_device(sim);
    SL_TRY(sl_cuda_messages_begin(sim->state.mesh->comm, d, messages, nvar));
    return sl_cuda_messages_end(d, messages, nvar);
}

static int rim(struct sl_sim *fine, sl_real *u)
{
    struct device *d = sl_cuda_device(fine);
    SL_TRY(sl_cuda_messages_room(d, &d->rim, 1));
    DEVICE(sl_device_rim(d->on, u));
    SL_TRY(sl_cuda_messages_exchange(fine, &d->rim, 1));
    DEVICE(sl_device_rim_unpack(d->on, u));
    return SL_OK;
}

int sl_cuda_prolong(struct sl_sim *coarse, struct sl_sim *fine, sl_real share, sl_real *u)
{
    struct device *d = sl_cuda_device(fine);
    int nvar = fine->state.layout.nvar;
    const struct sl_step *w = coarse->work;
    struct sl_device_coarse from = {{0}, w->next, w->now, w->pull, (sl_real)w->pull_time};
    dx_of(coarse, from.dx);
    SL_TRY(sl_cuda_messages_room(d, &d->prolong, nvar));
    DEVICE(sl_device_prolong(d->on, sl_cuda_device(coarse)->on, fine->work->ghost.faces_only, &from,
                             share, u));
    SL_TRY(sl_cuda_messages_exchange(fine, &d->prolong, nvar));
    DEVICE(sl_device_prolong_unpack(d->on, u));
    return fine->state.layout.face >= 0 ? rim(fine, u) : SL_OK;
}

static int cover_faces(struct sl_sim *coarse, struct sl_sim *fine)
{
    struct device *d = sl_cuda_device(fine);
    SL_TRY(sl_cuda_messages_room(d, &d->cover_faces, 1));
    DEVICE(sl_device_cover_faces(d->on, fine->work->now, coarse->work->now));
    SL_TRY(sl_cuda_messages_exchange(fine, &d->cover_faces, 1));
    DEVICE(sl_device_cover_faces_unpack(d->on, sl_cuda_device(coarse)->on, coarse->work->now));
    return SL_OK;
}

int sl_cuda_cover(struct sl_sim *coarse, struct sl_sim *fine)
{
    struct device *d = sl_cuda_device(fine);
    int nflow = fine->state.layout.nflow;
    SL_TRY(sl_cuda_messages_room(d, &d->cover, nflow));
    DEVICE(sl_device_cover(d->on, fine->work->now, coarse->work->now));
    SL_TRY(sl_cuda_messages_exchange(fine, &d->cover, nflow));
    DEVICE(sl_device_cover_unpack(d->on, coarse->work->now));
    sl_step_changed(coarse);
    return fine->state.layout.face >= 0 ? cover_faces(coarse, fine) : SL_OK;
}

/* The lists of sides have their places once both levels keep fluxes. */
static int reflux_ready(const struct sl_sim *fine)
{
    struct sl_device *on = sl_cuda_device(fine)->on;
    if (sl_device_reflux_is_set(on)) return SL_OK;
    const char *text = sl_device_reflux_set(on, fine->nest);
    return sl_agree(fine->state.mesh->comm, text ? SL_FAIL(SL_EMEM, "CUDA: %s", text) : SL_OK);
}

static int edges(struct sl_sim *coarse, struct sl_sim *fine, const sl_real per_dx[3])
{
    struct device *d = sl_cuda_device(fine);
    struct sl_device *below = sl_cuda_device(coarse)->on;
    SL_TRY(sl_cuda_messages_room(d, &d->edges, 1));
    DEVICE(sl_device_edges(d->on, below));
    SL_TRY(sl_cuda_messages_exchange(fine, &d->edges, 1));
    DEVICE(sl_device_edges_apply(d->on, below, per_dx, coarse->work->now));
    return SL_OK;
}

/* The next signals of the coarser level bring the host the number of bad cells. */
int sl_cuda_reflux(struct sl_sim *coarse, struct sl_sim *fine, struct sl_corrected *count)
{
    struct device *d = sl_cuda_device(fine);
    struct sl_device *below = sl_cuda_device(coarse)->on;
    int carried = sl_device_reflux_carried(d->on), faces = fine->state.layout.face >= 0;
    sl_real per_dx[3];
    per_dx_of(coarse, per_dx);
    SL_TRY(reflux_ready(fine));
    if (faces && fine->state.mesh->dim > 1) SL_TRY(edges(coarse, fine, per_dx));
    SL_TRY(sl_cuda_messages_room(d, &d->reflux, carried));
    DEVICE(sl_device_reflux_pack(d->on, fine->work->now));
    SL_TRY(sl_cuda_messages_exchange(fine, &d->reflux, carried));
    DEVICE(sl_device_reflux(d->on, below, per_dx, fine->work->now, coarse->work->now,
                            coarse->work->mass[coarse->work->mass_now]));
    if (faces) DEVICE(sl_device_reflux_centre(d->on, below, coarse->work->now));
    sl_cuda_device(coarse)->corrected = count;
    sl_step_changed(coarse);
    return SL_OK;
}

/* ---- a new set of levels --------------------------------------------------------------------- */

static struct sl_sim *level_of(struct sl_sim *first, int level)
{
    while (first && first->state.mesh->level != level)
        first = first->finer;
    return first;
}

/* Moves of one level, as the device takes them: copies, blocks made from their parents, and those
 * that come. */
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

/* Cells of the interior of a block, and as it travels: with fields at faces with those behind,
 * which hold its upper faces. */
static size_t interior_cells(const struct sl_mesh *m)
{
    return (size_t)m->n[0] * (size_t)m->n[1] * (size_t)m->n[2];
}

static size_t packed_cells(const struct sl_mesh *m, int n[3])
{
    for (int a = 0; a < 3; a++)
        n[a] = m->n[a] + (m->spec.staggered && a < m->dim);
    return (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
}

static size_t packed_start(const struct sl_mesh *m, const struct sl_move *move)
{
    int n[3];
    return move->start / interior_cells(m) * packed_cells(m, n);
}

static void link_put(const struct sl_mesh *m, const struct sl_move *move, struct sl_device_link *l)
{
    l->block = move->to;
    l->cells = packed_cells(m, l->n);
    for (int a = 0; a < 3; a++)
        l->lo[a] = m->g[a];
    l->start = packed_start(m, move);
}

static void move_put(const struct sl_mesh *m, const struct sl_move *move, struct sl_device_move *to)
{
    *to =
        (struct sl_device_move){.to = move->to, .from = move->from, .start = packed_start(m, move)};
    for (int a = 0; a < 3; a++)
        to->half[a] = move->half[a];
}

static int moves_sort(const struct sl_mesh *m, const struct sl_move *move, int n,
                      struct level_moves *l)
{
    for (int i = 0; i < 2; i++)
        SL_TRY(sl_alloc("moves of blocks", (size_t)n, sizeof *l->move[i], &l->move[i]));
    SL_TRY(sl_alloc("moves of blocks", (size_t)n, sizeof *l->in, &l->in));
    for (int i = 0; i < n; i++)
        if (move[i].from < 0)
            link_put(m, &move[i], &l->in[l->nin++]);
        else
            move_put(m, &move[i], &l->move[(int)move[i].prolong][l->n[(int)move[i].prolong]++]);
    return SL_OK;
}

static int level_move(struct sl_sim *old, struct sl_sim *now, const struct level_moves *l,
                      const struct sl_cuda_messages *messages)
{
    struct device *d = sl_cuda_device(now);
    int level = now->state.mesh->level, nvar = now->state.layout.nvar;
    SL_TRY(sl_cuda_messages_room(d, messages, nvar));
    for (int parent = 0; parent < 2; parent++) {
        const struct sl_sim *from = level_of(old, level - parent);
        sl_real dx[3];
        if (l->n[parent] == 0) continue;
        dx_of(from, dx);
        DEVICE(sl_device_move(d->on, sl_cuda_device(from)->on, parent, dx, l->move[parent],
                              l->n[parent], from->work->now, now->work->now));
    }
    SL_TRY(sl_cuda_messages_exchange(now, messages, nvar));
    DEVICE(sl_device_move_unpack(d->on, l->in, l->nin, now->work->now));
    return SL_OK;
}

/* Blocks of one level and what goes to or comes from other ranks for it. Memory that may be missing
 * is asked for before ranks wait for each other. */
static int level_moves(struct sl_sim *old, struct sl_sim *now, const struct sl_moves *moves)
{
    int level = now->state.mesh->level, first = moves->first[level];
    struct level_moves l = {.nin = 0};
    struct sl_cuda_messages messages = {.tag = 0};
    int code =
        moves_sort(now->state.mesh, moves->move + first, moves->first[level + 1] - first, &l);
    if (code == SL_OK)
        code = messages_make(SL_CUDA_MOVE, &moves->out[level], &moves->in[level], &messages);
    int n[3];
    if (code == SL_OK)
        messages_scale(&messages, interior_cells(now->state.mesh),
                       packed_cells(now->state.mesh, n));
    code = sl_agree(now->state.mesh->comm, code);
    if (code == SL_OK) code = level_move(old, now, &l, &messages);
    moves_release(&l);
    sl_cuda_messages_release(&messages);
    return code;
}

/* Faces that new blocks share with older ones, and what follows from these. */
static int faces_take(struct sl_sim *now, const struct sl_device_join *join)
{
    struct sl_device *on = sl_cuda_device(now)->on;
    for (int axis = 0; axis < now->state.mesh->dim; axis++) {
        DEVICE(sl_device_join_give(on, join, axis, now->work->now));
        SL_TRY(sl_cuda_exchange(now, 3, join->sides));
        DEVICE(sl_device_join_take(on, join, axis, now->work->now));
    }
    return SL_OK;
}

/* made[block]: it comes from its parent; block: of these, n of them. */
static int faces_join(struct sl_sim *now, const signed char *made, const int *block, int n)
{
    struct sl_device *on = sl_cuda_device(now)->on;
    struct sl_device_join join;
    sl_real dx[3];
    const char *text = sl_device_join_new(on, made, &join);
    int code = sl_agree(now->state.mesh->comm, text ? SL_FAIL(SL_EMEM, "CUDA: %s", text) : SL_OK);
    if (code == SL_OK) code = faces_take(now, &join);
    sl_device_join_free(&join);
    SL_TRY(code);
    dx_of(now, dx);
    DEVICE(sl_device_join_groups(on, block, n, dx, now->work->now));
    return SL_OK;
}

static int faces_move(struct sl_sim *now, const struct sl_moves *moves)
{
    int level = now->state.mesh->level, n = 0, *block = NULL;
    signed char *made = NULL;
    int code = sl_alloc("new blocks", (size_t)now->state.mesh->nblock, sizeof *made, &made);
    if (code == SL_OK)
        code = sl_alloc("new blocks", (size_t)now->state.mesh->nblock, sizeof *block, &block);
    code = sl_agree(now->state.mesh->comm, code);
    for (int i = moves->first[level]; i < moves->first[level + 1] && code == SL_OK; i++) {
        const struct sl_move *m = &moves->move[i];
        if (m->to < 0 || !m->prolong) continue;
        made[m->to] = 1;
        block[n++] = m->to;
    }
    if (code == SL_OK) code = faces_join(now, made, block, n);
    free(made);
    free(block);
    return code;
}

int sl_cuda_move(struct sl_sim *old, struct sl_sim *now, const struct sl_moves *moves)
{
    sl_cuda_gravity_hand(sl_cuda_device(old), sl_cuda_device(now));
    for (struct sl_sim *s = now; s; s = s->finer) {
        SL_TRY(level_moves(old, s, moves));
        if (s->state.mesh->level > 0 && s->state.layout.face >= 0) SL_TRY(faces_move(s, moves));
    }
    return SL_OK;
}

/* ---- criteria -------------------------------------------------------------------------------- */

int sl_cuda_flag(struct sl_sim *sim, struct sl_refine_marks *marks)
{
    struct device *d = sl_cuda_device(sim);
    const struct sl_refine_level level = sl_flag_level(sim);
    if (level.nrule > 0) DEVICE(sl_device_refine(d->on, &level, sim->work->now, marks));
    return SL_OK;
}

int sl_cuda_settle(struct sl_sim *sim)
{
    DEVICE(sl_device_matched_copy(sl_cuda_device(sim)->on));
    sl_cuda_matched(sim);
    return SL_OK;
}

void sl_cuda_matched(const struct sl_sim *sim)
{
    struct device *d = sl_cuda_device(sim);
    long long n[2];
    if (!d->corrected) return;
    sl_device_corrected_take(d->on, n);
    d->corrected->repaired += n[0];
    d->corrected->floored += n[1];
}
