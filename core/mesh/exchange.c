/* exchange.c - see exchange.h; makes the tables. */
#include "core/mesh/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "core/mesh/leaf_map.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* ---- boxes ----------------------------------------------------------------------------------- */

static void box_measure(const struct sl_mesh *m, struct sl_box *b)
{
    b->offset = (size_t)(b->lo[2] * m->nt[1] + b->lo[1]) * (size_t)m->nt[0] + (size_t)b->lo[0];
    b->cells = (size_t)b->n[0] * (size_t)b->n[1] * (size_t)b->n[2];
}

static void boxes_make(const struct sl_mesh *m, int edges, struct sl_boxes *x)
{
    for (int dir = 0; dir < SL_NDIR; dir++) {
        struct sl_box *to = &x->to[dir], *from = &x->from[dir];
        for (int a = 0; a < 3; a++) {
            int n = m->n[a], g = m->g[a], d = sl_shift_of(dir, a);
            int more = a < m->dim && m->spec.staggered && (edges >> a & 1);
            to->n[a] = from->n[a] = d ? g : n + more;
            to->lo[a] = d < 0 ? 0 : d > 0 ? g + n : g;
            from->lo[a] = d < 0 ? n : g;
        }
        box_measure(m, to);
        box_measure(m, from);
    }
}

/* ---- neighbours ------------------------------------------------------------------------------ */

bool sl_place_beside(const struct sl_mesh *m, int level, const int64_t at[3], int dir,
                     int64_t out[3])
{
    int root[3];
    bool periodic[3];
    sl_mesh_root(m, root, periodic);
    for (int a = 0; a < 3; a++)
        out[a] = at[a] + sl_shift_of(dir, a);
    return sl_place_wrap(m->dim, root, periodic, level, out);
}

/* Index of the block of the same level next to leaf in direction dir; SL_NO_BLOCK outside the box
 * and where a coarser leaf lies. */
static int neighbour_of(const struct sl_mesh *m, const struct sl_leaf_map *map,
                        const struct sl_leaf *leaf, int dir)
{
    int64_t at[3];
    if (!sl_place_beside(m, leaf->level, leaf->at, dir, at)) return SL_NO_BLOCK;
    int i = sl_leaf_map_find(map, leaf->level, at);
    if (i < 0 && leaf->level == 0)
        SL_BUG("no block at level 0, (%lld, %lld, %lld)", (long long)at[0], (long long)at[1],
               (long long)at[2]);
    return i < 0 ? SL_NO_BLOCK : i;
}

/* ---- links and messages ---------------------------------------------------------------------- */

static void link_add(struct sl_side *side, int peer, int block, int64_t receiver, int dir)
{
    side->link[side->nlink++] =
        (struct sl_link){.key = receiver * SL_NDIR + dir, .peer = peer, .block = block, .dir = dir};
}

static int link_order(const void *a, const void *b)
{
    const struct sl_link *l = a, *r = b;
    if (l->peer != r->peer) return l->peer < r->peer ? -1 : 1;
    return l->key < r->key ? -1 : l->key > r->key;
}

/* By the places of the leaves. */
static int neighbours_find(const struct sl_mesh *m, const struct sl_leaves *leaves,
                           struct sl_exchange *x)
{
    struct sl_leaf_map map;
    SL_TRY(sl_leaf_map_make(leaves->leaf, leaves->nlocal + leaves->nhalo, &map));
    for (int b = 0; b < m->nblock; b++)
        for (int dir = 0; dir < SL_NDIR; dir++)
            x->near[b][dir] = sl_is_neighbour(dir, m->dim)
                                  ? neighbour_of(m, &map, &leaves->leaf[b], dir)
                                  : SL_NO_BLOCK;
    sl_leaf_map_release(&map);
    return SL_OK;
}

static void neighbours_take(const struct sl_mesh *m, int (*near)[SL_NDIR], const int *index,
                            struct sl_exchange *x)
{
    for (int b = 0; b < m->nblock; b++)
        for (int dir = 0; dir < SL_NDIR; dir++)
            x->near[b][dir] = near[b][dir] < 0 ? SL_NO_BLOCK : index[near[b][dir]];
}

/* Neighbours on other ranks become links. */
static void links_find(const struct sl_mesh *m, const struct sl_leaves *leaves,
                       struct sl_exchange *x)
{
    for (int b = 0; b < m->nblock && leaves->nhalo > 0; b++)
        for (int dir = 0; dir < SL_NDIR; dir++) {
            if (x->near[b][dir] < leaves->nlocal) continue;
            const struct sl_leaf *other = &leaves->leaf[x->near[b][dir]];
            x->near[b][dir] = SL_NO_BLOCK;
            m->blocks[b].remote = 1;
            link_add(&x->in, other->owner, b, m->blocks[b].key, dir);
            link_add(&x->out, other->owner, b, other->gid, sl_opposite(dir));
        }
}

/* Number of links between this rank and others: blocks and directions whose neighbour is elsewhere.
 */
static size_t links_count(const struct sl_mesh *m, const struct sl_leaves *leaves,
                          const struct sl_exchange *x)
{
    size_t n = 0;
    for (int b = 0; b < m->nblock && leaves->nhalo > 0; b++)
        for (int dir = 0; dir < SL_NDIR; dir++)
            n += x->near[b][dir] >= leaves->nlocal;
    return n;
}

static int messages_make(const struct sl_mesh *m, const struct sl_exchange *x, struct sl_side *side)
{
    qsort(side->link, (size_t)side->nlink, sizeof *side->link, link_order);
    size_t peers = 0;
    for (int i = 0; i < side->nlink; i++)
        peers += i == 0 || side->link[i].peer != side->link[i - 1].peer;
    SL_TRY(sl_alloc("ghost messages", peers, sizeof *side->message, &side->message));
    for (int i = 0; i < side->nlink; i++) {
        struct sl_link *link = &side->link[i];
        if (i == 0 || link->peer != link[-1].peer)
            side->message[side->nmessage++] =
                (struct sl_message){.peer = link->peer, .first = i, .start = side->cells};
        struct sl_message *message = &side->message[side->nmessage - 1];
        size_t cells = sl_boxes_of(m, x, link->block)->to[link->dir].cells;
        link->start = side->cells;
        message->count++;
        message->cells += cells;
        side->cells += cells;
    }
    return SL_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int tables_make(const struct sl_mesh *m, const struct sl_leaves *leaves,
                       int (*near)[SL_NDIR], const int *index, struct sl_exchange *x)
{
    for (int edges = 0; edges < 8; edges++)
        boxes_make(m, edges, &x->edge[edges]);
    SL_TRY(sl_alloc("neighbours", (size_t)m->nblock, sizeof *x->near, &x->near));
    if (near)
        neighbours_take(m, near, index, x);
    else
        SL_TRY(neighbours_find(m, leaves, x));
    size_t links = links_count(m, leaves, x);
    SL_TRY(sl_alloc("visits", (size_t)m->nblock, sizeof *x->visited, &x->visited));
    SL_TRY(sl_alloc("neighbours", (size_t)m->nblock, sizeof *x->link, &x->link));
    SL_TRY(sl_alloc("ghost links", links, sizeof *x->in.link, &x->in.link));
    SL_TRY(sl_alloc("ghost links", links, sizeof *x->out.link, &x->out.link));
    links_find(m, leaves, x);
    SL_TRY(messages_make(m, x, &x->in));
    SL_TRY(messages_make(m, x, &x->out));
    memset(x->link, -1, (size_t)m->nblock * sizeof *x->link);
    for (int i = 0; i < x->in.nlink; i++)
        x->link[x->in.link[i].block][x->in.link[i].dir] = i;
    SL_TRY(sl_alloc("ghost requests", (size_t)(x->in.nmessage + x->out.nmessage),
                    sizeof *x->request, &x->request));
    return SL_OK;
}

static int local_new(const struct sl_mesh *m, const struct sl_leaves *leaves, int (*near)[SL_NDIR],
                     const int *index, struct sl_exchange **out)
{
    SL_TRY(sl_alloc("ghost exchange", 1, sizeof **out, out));
    return tables_make(m, leaves, near, index, *out);
}

int sl_exchange_new(const struct sl_mesh *mesh, const struct sl_leaves *leaves,
                    int (*near)[SL_NDIR], const int *index, struct sl_exchange **out)
{
    struct sl_exchange *x = NULL;
    int code = sl_agree(mesh->comm, local_new(mesh, leaves, near, index, &x));
    if (code != SL_OK) {
        sl_exchange_free(x);
        return sl_trace(__FILE__, __LINE__, code);
    }
    *out = x;
    return SL_OK;
}

static void side_release(struct sl_side *side)
{
    free(side->link);
    free(side->message);
    free(side->buffer);
}

void sl_exchange_free(struct sl_exchange *exchange)
{
    if (!exchange) return;
    side_release(&exchange->in);
    side_release(&exchange->out);
    free(exchange->near);
    free(exchange->link);
    free(exchange->visited);
    free(exchange->request);
    free(exchange);
}
