/* exchange.c - see exchange.h; makes the tables. */
#include "core/mesh/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* ---- boxes ------------------------------------------------------------------------------------
 */

static int shift_of(int dir, int axis)
{
    static const int power[3] = {1, 3, 9};
    return dir / power[axis] % 3 - 1;
}

static bool is_neighbour(int dir, int dim)
{
    if (dir == SL_NDIR / 2) return false;
    for (int a = dim; a < 3; a++)
        if (shift_of(dir, a) != 0) return false;
    return true;
}

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
            int n = m->n[a], g = m->g[a], d = shift_of(dir, a);
            int more = a < m->dim && m->spec.staggered && (edges >> a & 1);
            to->n[a] = from->n[a] = d ? g : n + more;
            to->lo[a] = d < 0 ? 0 : d > 0 ? g + n : g;
            from->lo[a] = d < 0 ? n : g;
        }
        box_measure(m, to);
        box_measure(m, from);
    }
}

/* ---- which leaf is where: a hash table by level and place --------------------------------------
 */

struct map {
    const struct sl_leaf *leaf;
    int *slot; /* owned; index of a leaf, or -1 */
    size_t mask;
};

static size_t hash_of(int level, const int64_t at[3])
{
    uint64_t h = (uint64_t)level;
    for (int a = 0; a < 3; a++)
        h = (h ^ (uint64_t)at[a]) * 0x9e3779b97f4a7c15U, h ^= h >> 29;
    return (size_t)h;
}

/* Slot of the leaf, or the free slot where it would be. */
static size_t map_slot(const struct map *map, int level, const int64_t at[3])
{
    for (size_t s = hash_of(level, at) & map->mask;; s = (s + 1) & map->mask) {
        if (map->slot[s] < 0) return s;
        const struct sl_leaf *l = &map->leaf[map->slot[s]];
        if (l->level == level && memcmp(l->at, at, sizeof l->at) == 0) return s;
    }
}

static int map_make(const struct sl_leaves *leaves, struct map *map)
{
    int n = leaves->nlocal + leaves->nhalo;
    size_t size = 2;
    while (size < 2 * (size_t)n)
        size *= 2;
    map->leaf = leaves->leaf;
    map->mask = size - 1;
    SL_TRY(sl_alloc("table of leaves", size, sizeof *map->slot, &map->slot));
    memset(map->slot, -1, size * sizeof *map->slot);
    for (int i = 0; i < n; i++)
        map->slot[map_slot(map, leaves->leaf[i].level, leaves->leaf[i].at)] = i;
    return SL_OK;
}

/* Index of the leaf of the same level next to leaf in direction dir, or SL_NO_BLOCK outside the
 * box. */
static int neighbour_of(const struct sl_mesh *m, const struct map *map, const struct sl_leaf *leaf,
                        int dir)
{
    int64_t at[3];
    for (int a = 0; a < 3; a++) {
        int64_t n = a < m->dim ? ((int64_t)m->spec.cells[a] / m->n[a]) << leaf->level : 1;
        at[a] = leaf->at[a] + shift_of(dir, a);
        if (m->spec.boundary[2 * a] == SL_BOUNDARY_periodic) at[a] = (at[a] + n) % n;
        if (at[a] < 0 || at[a] >= n) return SL_NO_BLOCK;
    }
    int i = map->slot[map_slot(map, leaf->level, at)];
    if (i < 0)
        SL_BUG("no leaf at level %d, (%lld, %lld, %lld)", leaf->level, (long long)at[0],
               (long long)at[1], (long long)at[2]);
    return i;
}

/* ---- links and messages ------------------------------------------------------------------------
 */

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

static void neighbours_find(const struct sl_mesh *m, const struct sl_leaves *leaves,
                            const struct map *map, struct sl_exchange *x)
{
    for (int b = 0; b < m->nblock; b++)
        for (int dir = 0; dir < SL_NDIR; dir++) {
            x->near[b][dir] = SL_NO_BLOCK;
            if (!is_neighbour(dir, m->dim)) continue;
            int i = neighbour_of(m, map, &leaves->leaf[b], dir);
            if (i == SL_NO_BLOCK) continue;
            const struct sl_leaf *other = &leaves->leaf[i];
            if (other->owner == m->rank) {
                x->near[b][dir] = i;
                continue;
            }
            m->blocks[b].remote = 1;
            link_add(&x->in, other->owner, b, m->first_gid + b, dir);
            link_add(&x->out, other->owner, b, other->gid, sl_opposite(dir));
        }
}

/* Number of links between this rank and others: blocks and directions whose neighbour is elsewhere.
 */
static size_t links_count(const struct sl_mesh *m, const struct sl_leaves *leaves,
                          const struct map *map)
{
    size_t n = 0;
    for (int b = 0; b < m->nblock && leaves->nhalo > 0; b++)
        for (int dir = 0; dir < SL_NDIR; dir++) {
            if (!is_neighbour(dir, m->dim)) continue;
            int i = neighbour_of(m, map, &leaves->leaf[b], dir);
            n += i != SL_NO_BLOCK && leaves->leaf[i].owner != m->rank;
        }
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

/* ---- the whole ---------------------------------------------------------------------------------
 */

static int tables_make(const struct sl_mesh *m, const struct sl_leaves *leaves,
                       const struct map *map, struct sl_exchange *x)
{
    for (int edges = 0; edges < 8; edges++)
        boxes_make(m, edges, &x->edge[edges]);
    memcpy(x->to, x->edge[0].to, sizeof x->to);
    memcpy(x->from, x->edge[0].from, sizeof x->from);
    size_t links = links_count(m, leaves, map);
    SL_TRY(sl_alloc("neighbours", (size_t)m->nblock, sizeof *x->near, &x->near));
    SL_TRY(sl_alloc("visits", (size_t)m->nblock, sizeof *x->visited, &x->visited));
    SL_TRY(sl_alloc("neighbours", (size_t)m->nblock, sizeof *x->link, &x->link));
    SL_TRY(sl_alloc("ghost links", links, sizeof *x->in.link, &x->in.link));
    SL_TRY(sl_alloc("ghost links", links, sizeof *x->out.link, &x->out.link));
    neighbours_find(m, leaves, map, x);
    SL_TRY(messages_make(m, x, &x->in));
    SL_TRY(messages_make(m, x, &x->out));
    memset(x->link, -1, (size_t)m->nblock * sizeof *x->link);
    for (int i = 0; i < x->in.nlink; i++)
        x->link[x->in.link[i].block][x->in.link[i].dir] = i;
    SL_TRY(sl_alloc("ghost requests", (size_t)(x->in.nmessage + x->out.nmessage),
                    sizeof *x->request, &x->request));
    return SL_OK;
}

static int local_new(const struct sl_mesh *m, const struct sl_leaves *leaves,
                     struct sl_exchange **out)
{
    struct map map;
    SL_TRY(sl_alloc("ghost exchange", 1, sizeof **out, out));
    SL_TRY(map_make(leaves, &map));
    int code = tables_make(m, leaves, &map, *out);
    free(map.slot);
    return code;
}

int sl_exchange_new(const struct sl_mesh *mesh, const struct sl_leaves *leaves,
                    struct sl_exchange **out)
{
    struct sl_exchange *x = NULL;
    int code = sl_agree(mesh->comm, local_new(mesh, leaves, &x));
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
