/* block_parts.c - see block_parts.h. */
#include "core/state/block_parts.h"

#include <limits.h>
#include <stdlib.h>

#include "core/mesh/leaf_move.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { TAG_LENGTHS = 7141, TAG_BYTES };

/* A part under way. */
struct way {
    const struct sl_block_part *part;
    struct sl_leaf_moves *moves;
    MPI_Comm comm;
    int64_t *at; /* owned; [n + 1]: where the bytes of each move begin; first their number */
    char *bytes; /* owned; of all moves */
    MPI_Request *request; /* owned; first in, then out */
    int *order;           /* owned; moves to leaves of this rank in the order of these */
    int n, norder;
};

/* ---- bytes of a move ------------------------------------------------------------------------- */

static size_t bytes_of(const struct sl_block_part *p, const struct sl_leaf_move *m)
{
    if (m->kind == SL_LEAF_SPLIT) return p->split(p->of, m->from_level, m->from, m->half, NULL);
    return p->bytes(p->of, m->from_level, m->from);
}

static void pack(const struct sl_block_part *p, const struct sl_leaf_move *m, void *bytes)
{
    if (m->kind == SL_LEAF_SPLIT)
        p->split(p->of, m->from_level, m->from, m->half, bytes);
    else
        p->save(p->of, m->from_level, m->from, bytes);
}

static int number_of_out(const struct sl_leaf_moves *moves)
{
    return moves->count[0] + moves->count[1];
}

/* ---- messages -------------------------------------------------------------------------------- */

static int arrived(const struct way *w)
{
    int n = w->moves->in.nmessage + w->moves->out.nmessage;
    SL_CHECK(MPI_Waitall(n, w->request, MPI_STATUSES_IGNORE) == MPI_SUCCESS, SL_EMPI,
             "%s of other ranks did not arrive", w->part->name);
    return SL_OK;
}

/* The number of bytes of each move, in `at`. */
static int lengths_exchange(const struct way *w)
{
    const struct sl_nest_side *in = &w->moves->in, *out = &w->moves->out;
    for (int i = 0; i < in->nmessage; i++)
        MPI_Irecv(w->at + in->message[i].first, in->message[i].count, MPI_INT64_T,
                  in->message[i].peer, TAG_LENGTHS, w->comm, &w->request[i]);
    for (int i = 0; i < out->nmessage; i++)
        MPI_Isend(w->at + out->message[i].first, out->message[i].count, MPI_INT64_T,
                  out->message[i].peer, TAG_LENGTHS, w->comm, &w->request[in->nmessage + i]);
    return arrived(w);
}

static int64_t length_of(const struct way *w, const struct sl_nest_message *m)
{
    return w->at[m->first + m->count] - w->at[m->first];
}

static int lengths_check(const struct way *w, const struct sl_nest_side *side)
{
    for (int i = 0; i < side->nmessage; i++)
        SL_CHECK(length_of(w, &side->message[i]) <= INT_MAX, SL_EMEM,
                 "a message of %lld bytes of %s is more than MPI can count",
                 (long long)length_of(w, &side->message[i]), w->part->name);
    return SL_OK;
}

static int bytes_exchange(const struct way *w)
{
    const struct sl_nest_side *in = &w->moves->in, *out = &w->moves->out;
    for (int i = 0; i < in->nmessage; i++)
        MPI_Irecv(w->bytes + w->at[in->message[i].first], (int)length_of(w, &in->message[i]),
                  MPI_BYTE, in->message[i].peer, TAG_BYTES, w->comm, &w->request[i]);
    for (int i = 0; i < out->nmessage; i++)
        MPI_Isend(w->bytes + w->at[out->message[i].first], (int)length_of(w, &out->message[i]),
                  MPI_BYTE, out->message[i].peer, TAG_BYTES, w->comm,
                  &w->request[in->nmessage + i]);
    return arrived(w);
}

/* ---- the way of a part ----------------------------------------------------------------------- */

static void add_up(struct way *w)
{
    int64_t sum = 0;
    for (int i = 0; i <= w->n; i++) {
        int64_t more = w->at[i];
        w->at[i] = sum;
        sum += more;
    }
}

static int buffers_make(struct way *w)
{
    size_t requests = (size_t)(w->moves->in.nmessage + w->moves->out.nmessage);
    SL_TRY(sl_alloc("lengths of parts", (size_t)w->n + 1, sizeof *w->at, &w->at));
    SL_TRY(sl_alloc("messages of parts", requests, sizeof *w->request, &w->request));
    return sl_alloc("order of leaves", (size_t)w->n, sizeof *w->order, &w->order);
}

static int by_leaf(const void *a, const void *b, void *of)
{
    const struct sl_leaf_moves *moves = of;
    const struct sl_leaf_move *l = &moves->move[*(const int *)a],
                              *r = &moves->move[*(const int *)b];
    if (l->to_level != r->to_level) return l->to_level < r->to_level ? -1 : 1;
    if (l->to != r->to) return l->to < r->to ? -1 : 1;
    for (int d = 2; d >= 0; d--)
        if (l->half[d] != r->half[d]) return l->half[d] < r->half[d] ? -1 : 1;
    return 0;
}

static void order_make(struct way *w)
{
    for (int i = 0; i < w->n; i++)
        if (w->moves->move[i].to >= 0) w->order[w->norder++] = i;
    qsort_r(w->order, (size_t)w->norder, sizeof *w->order, by_leaf, w->moves);
}

static int packed(struct way *w)
{
    SL_TRY(sl_alloc(w->part->name, (size_t)w->at[w->n], 1, &w->bytes));
    SL_TRY(lengths_check(w, &w->moves->out));
    SL_TRY(lengths_check(w, &w->moves->in));
    for (int i = 0; i < number_of_out(w->moves); i++)
        pack(w->part, &w->moves->move[i], w->bytes + w->at[i]);
    return SL_OK;
}

static int unpack(const struct way *w, const struct sl_hierarchy *now)
{
    const struct sl_block_part *p = w->part;
    SL_TRY(p->open(p->of, now));
    for (int i = 0; i < w->norder; i++) {
        int j = w->order[i];
        const struct sl_leaf_move *m = &w->moves->move[j];
        SL_TRY(p->load(p->of, m->to_level, m->to, w->bytes + w->at[j],
                       (size_t)(w->at[j + 1] - w->at[j])));
    }
    return SL_OK;
}

static int part_move(struct way *w, const struct sl_hierarchy *now)
{
    int code = w->part->keep ? w->part->keep(w->part->of) : SL_OK;
    SL_TRY(sl_agree(w->comm, code == SL_OK ? buffers_make(w) : code));
    for (int i = 0; i < number_of_out(w->moves); i++)
        w->at[i] = (int64_t)bytes_of(w->part, &w->moves->move[i]);
    order_make(w);
    SL_TRY(lengths_exchange(w));
    add_up(w);
    SL_TRY(sl_agree(w->comm, packed(w)));
    SL_TRY(bytes_exchange(w));
    return sl_agree(w->comm, unpack(w, now));
}

/* Whether a leaf of any rank has split or merged. */
static int leaves_changed(const struct sl_leaf_moves *moves, MPI_Comm comm, int *changed)
{
    *changed = 0;
    for (int i = 0; i < number_of_out(moves); i++)
        *changed |= moves->move[i].kind != SL_LEAF_COPY;
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, changed, 1, MPI_INT, MPI_MAX, comm) == MPI_SUCCESS,
             SL_EMPI, "cannot compare the leaves of the ranks");
    return SL_OK;
}

int sl_block_parts_move(const struct sl_component *c, const struct sl_hierarchy *old,
                        const struct sl_hierarchy *now)
{
    struct sl_leaf_moves moves = {.move = NULL};
    int changed = 0;
    if (c->npart == 0) return SL_OK;
    for (int i = 0; i < c->npart; i++)
        SL_CHECK(c->part[i].open && (c->part[i].split || c->part[i].lose), SL_EUNAVAIL,
                 "%s lie on a mesh that does not change", c->part[i].name);
    SL_TRY(sl_agree(now->comm, sl_leaf_moves_make(old, now, &moves)));
    int code = leaves_changed(&moves, now->comm, &changed);
    for (int i = 0; i < c->npart && code == SL_OK; i++) {
        if (changed && c->part[i].lose) {
            c->part[i].lose(c->part[i].of);
            continue;
        }
        struct way w = {.part = &c->part[i], .moves = &moves, .comm = now->comm};
        w.n = number_of_out(&moves) + moves.count[2];
        code = part_move(&w, now);
        free(w.at);
        free(w.bytes);
        free(w.request);
        free(w.order);
    }
    sl_leaf_moves_release(&moves);
    return code;
}

/* ---- what they cost -------------------------------------------------------------------------- */

static int curve_of(const struct sl_hierarchy *h, int n, int **place)
{
    SL_TRY(sl_alloc("leaves of this rank", 2 * (size_t)n, sizeof **place, place));
    sl_hierarchy_curve(h, *place, *place + n);
    return SL_OK;
}

int sl_block_parts_cost(const struct sl_component *c, const struct sl_hierarchy *h, double **out)
{
    int n = sl_hierarchy_curve(h, NULL, NULL), any = 0, *place = NULL;
    double *cost = NULL;
    *out = NULL;
    for (int p = 0; p < c->npart; p++)
        any |= c->part[p].cost != NULL;
    if (!any) return SL_OK;
    int code = curve_of(h, n, &place);
    if (code == SL_OK) code = sl_alloc("costs of leaves", (size_t)n, sizeof *cost, &cost);
    for (int p = 0; p < c->npart && code == SL_OK; p++)
        for (int i = 0; i < n && c->part[p].cost; i++)
            cost[i] += c->part[p].cost(c->part[p].of, place[i], place[n + i]);
    free(place);
    *out = cost;
    return code;
}

double sl_block_parts_memory(const struct sl_component *c)
{
    double sum = 0;
    for (int p = 0; p < c->npart; p++)
        if (c->part[p].memory) sum += c->part[p].memory(c->part[p].of);
    return sum;
}
