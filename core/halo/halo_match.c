/* halo_match.c - see halo_match.h. */
#include "core/halo/halo_match.h"

#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

enum { EARLIER, LATER, SIDES };
enum { FIRST_BITS = 10 }; /* of a table of pairs */

/* Particles that a halo of each list has. */
struct pair {
    uint64_t halo[SIDES];
    int64_t shared; /* 0: a free place of the table */
};

/* ---- counts of pairs: open addresses, 2^bits places, at most half of them taken ---- */

struct counts {
    int bits;
    size_t n;
    struct pair *pair; /* owned */
};

static size_t room(const struct counts *c)
{
    return (size_t)1 << c->bits;
}

static int counts_make(int bits, struct counts *out)
{
    *out = (struct counts){.bits = bits};
    return sl_alloc("pairs of haloes", room(out), sizeof *out->pair, &out->pair);
}

/* The place of a pair, or the free one where it belongs. */
static struct pair *find(const struct counts *c, const struct pair *p)
{
    uint64_t key = p->halo[EARLIER] * UINT64_C(0x9E3779B97F4A7C15) + p->halo[LATER];
    size_t at = (size_t)(key * UINT64_C(0x94D049BB133111EB) >> (64 - c->bits));
    while (c->pair[at].shared > 0 && memcmp(c->pair[at].halo, p->halo, sizeof p->halo) != 0)
        at = (at + 1) & (room(c) - 1);
    return &c->pair[at];
}

static int grow(struct counts *c)
{
    struct counts more;
    SL_TRY(counts_make(c->bits + 1, &more));
    for (size_t i = 0; i < room(c); i++)
        if (c->pair[i].shared > 0) *find(&more, &c->pair[i]) = c->pair[i];
    free(c->pair);
    more.n = c->n;
    *c = more;
    return SL_OK;
}

static int add(struct counts *c, const struct pair *p)
{
    struct pair *place = find(c, p);
    if (place->shared == 0) {
        if (2 * (c->n + 1) > room(c)) {
            SL_TRY(grow(c));
            place = find(c, p);
        }
        memcpy(place->halo, p->halo, sizeof p->halo);
        c->n++;
    }
    place->shared += p->shared;
    return SL_OK;
}

/* Pairs side by side at the beginning; the table is none any more. */
static void close_up(struct counts *c)
{
    size_t n = 0;
    for (size_t i = 0; i < room(c); i++)
        if (c->pair[i].shared > 0) c->pair[n++] = c->pair[i];
}

/* ---- pairs ---- */

/* Of the particles that this rank looks after, those that are in haloes of both lists: bonds are in
 * the order of particles. */
static int join(const struct sl_haloes *a, const struct sl_haloes *b, struct counts *c)
{
    for (size_t i = 0, j = 0; i < a->bonds && j < b->bonds;) {
        uint64_t p = a->bond[i].particle, q = b->bond[j].particle;
        const struct pair one = {{a->bond[i].halo, b->bond[j].halo}, 1};
        if (p == q) SL_TRY(add(c, &one));
        i += p <= q;
        j += q <= p;
    }
    return SL_OK;
}

static int add_all(struct counts *c, const struct pair *pair, size_t n)
{
    for (size_t i = 0; i < n; i++)
        SL_TRY(add(c, &pair[i]));
    return SL_OK;
}

/* Pairs to the ranks that look after their haloes of one side. */
static int send(MPI_Comm comm, const struct pair *pair, size_t n, int side, struct pair **all,
                size_t *total)
{
    int size, *to = NULL;
    MPI_Comm_size(comm, &size);
    SL_TRY(sl_agree(comm, sl_alloc("ranks of pairs", n, sizeof *to, &to)));
    for (size_t i = 0; i < n; i++)
        to[i] = sl_points_rank(pair[i].halo[side], size);
    int code = sl_points_send(comm, pair, n, sizeof *pair, to, all, total);
    free(to);
    return code;
}

/* All particles that pairs share, each pair on the rank of its later halo. */
static int count_pairs(MPI_Comm comm, const struct sl_haloes *a, const struct sl_haloes *b,
                       struct counts *out)
{
    struct counts own;
    struct pair *come = NULL;
    size_t n = 0;
    int code = counts_make(FIRST_BITS, &own);
    if (code == SL_OK) code = join(a, b, &own);
    code = sl_agree(comm, code);
    if (code == SL_OK) {
        close_up(&own);
        code = send(comm, own.pair, own.n, LATER, &come, &n);
    }
    free(own.pair);
    if (code == SL_OK) {
        code = counts_make(FIRST_BITS, out);
        if (code == SL_OK) code = add_all(out, come, n);
        code = sl_agree(comm, code);
    }
    if (code == SL_OK) close_up(out);
    free(come);
    return code;
}

/* ---- links ---- */

struct place {
    uint64_t id;
    int at;
};

static int by_id(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

static int places_make(const struct sl_haloes *h, struct place **out)
{
    SL_TRY(sl_alloc("places of haloes", (size_t)h->n, sizeof **out, out));
    for (int i = 0; i < h->n; i++)
        (*out)[i] = (struct place){h->halo[i].id, i};
    qsort(*out, (size_t)h->n, sizeof **out, by_id);
    return SL_OK;
}

static int place_of(const struct place *p, int n, uint64_t id)
{
    const struct place key = {id, 0}, *found = bsearch(&key, p, (size_t)n, sizeof *p, by_id);
    return found ? found->at : -1;
}

static bool is_better(const struct pair *p, int side, const struct sl_halo_link *l,
                      const struct sl_haloes *others)
{
    if (p->shared != l->shared) return p->shared > l->shared;
    return p->halo[!side] < others->halo[l->other].id;
}

/* Links of the haloes of one side from all pairs of those that this rank looks after. */
static int choose(const struct pair *pair, size_t n, int side, const struct sl_haloes *const list[],
                  struct sl_halo_link *link)
{
    struct place *place[SIDES] = {NULL, NULL};
    int code = places_make(list[EARLIER], &place[EARLIER]);
    if (code == SL_OK) code = places_make(list[LATER], &place[LATER]);
    for (size_t i = 0; i < n && code == SL_OK; i++) {
        int at = place_of(place[side], list[side]->n, pair[i].halo[side]);
        if (is_better(&pair[i], side, &link[at], list[!side]))
            link[at] = (struct sl_halo_link){
                place_of(place[!side], list[!side]->n, pair[i].halo[!side]), pair[i].shared};
    }
    free(place[EARLIER]);
    free(place[LATER]);
    return code;
}

/* One rank knows a link, the others hold less: -1 and 0. */
static int link_up(MPI_Comm comm, const struct pair *pair, size_t n, int side,
                   const struct sl_haloes *const list[], struct sl_halo_link *link)
{
    for (int i = 0; i < list[side]->n; i++)
        link[i] = (struct sl_halo_link){-1, 0};
    SL_TRY(sl_agree(comm, choose(pair, n, side, list, link)));
    MPI_Allreduce(MPI_IN_PLACE, link, 2 * list[side]->n, MPI_INT64_T, MPI_MAX, comm);
    return SL_OK;
}

int sl_haloes_match(MPI_Comm comm, const struct sl_haloes *earlier, const struct sl_haloes *later,
                    struct sl_halo_link *progenitor, struct sl_halo_link *descendant)
{
    const struct sl_haloes *const list[SIDES] = {earlier, later};
    struct counts c = {0};
    struct pair *come = NULL;
    size_t n = 0;
    int code = count_pairs(comm, earlier, later, &c);
    if (code == SL_OK) code = link_up(comm, c.pair, c.n, LATER, list, progenitor);
    if (code == SL_OK) code = send(comm, c.pair, c.n, EARLIER, &come, &n);
    if (code == SL_OK) code = link_up(comm, come, n, EARLIER, list, descendant);
    free(c.pair);
    free(come);
    return code;
}

bool sl_halo_is_main(const struct sl_halo_link *link, int i, const struct sl_halo_link *back)
{
    return link[i].other >= 0 && back[link[i].other].other == i;
}
