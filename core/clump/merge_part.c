/* merge_part.c - see merge_part.h. */
#include "core/clump/merge_part.h"

#include <stdlib.h>

#include "core/sys/status.h"

enum { LEFT = -2 }; /* to an open part */

struct sl_merge_part {
    struct sl_merge_key birth; /* of a weak one: its peak */
    int32_t cells;             /* counted up to those of the rule */
    int32_t same;              /* the part that it went to; itself; NONE: left out; LEFT */
    int32_t outer;             /* towards the largest region that it is in by now */
    int32_t link;              /* vertex of an open one; event at which one that LEFT did so */
    bool leaf;                 /* may be weak */
    bool open;
};

static struct sl_merge_key first_of(struct sl_merge_key a, struct sl_merge_key b)
{
    return sl_merge_before(b, a) ? b : a;
}

static int32_t add_cells(const struct sl_merge_stage *s, int32_t a, int32_t b)
{
    return a < s->rule->cells - b ? a + b : s->rule->cells;
}

/* ---- lists that grow ---- */

/* Room for one more of `size` bytes behind n. */
static int more(void *list, int n, int *room, size_t size)
{
    if (n < *room) return SL_OK;
    int64_t wanted = (int64_t)*room + *room / 2 + 64;
    void *grown = wanted < INT32_MAX ? realloc(*(void **)list, (size_t)wanted * size) : NULL;
    SL_CHECK(grown, SL_EMEM, "out of memory for a tree with %lld parts", (long long)wanted);
    *(void **)list = grown;
    *room = (int)wanted;
    return SL_OK;
}

static int add_part(struct sl_merge_stage *s, struct sl_merge_key birth, bool leaf, int32_t *out)
{
    SL_TRY(more(&s->part, s->npart, &s->part_room, sizeof *s->part));
    int32_t i = *out = s->npart++;
    s->part[i] = (struct sl_merge_part){.birth = birth, .same = i, .outer = i, .leaf = leaf};
    return SL_OK;
}

static int add_link(struct sl_merge_stage *s, struct sl_merge_key child, struct sl_merge_key parent)
{
    SL_TRY(more(&s->link, s->nlink, &s->link_room, sizeof *s->link));
    s->link[s->nlink++] = (struct sl_merge_link){child, parent};
    return SL_OK;
}

static int add_guest(struct sl_merge_stage *s, struct sl_merge_key region, int vertex)
{
    struct sl_merge_open *o = &s->out;
    SL_TRY(more(&o->guest, o->nguest, &s->guest_room, sizeof *o->guest));
    o->guest[o->nguest++] = (struct sl_merge_guest){region, vertex};
    return SL_OK;
}

int sl_merge_part_guest(struct sl_merge_stage *s, struct sl_merge_key region, int32_t *out)
{
    return add_part(s, region, false, out);
}

int32_t sl_merge_part_outer(struct sl_merge_stage *s, int32_t i)
{
    struct sl_merge_part *p = s->part;
    while (p[i].outer != i)
        i = p[i].outer = p[p[i].outer].outer;
    return i;
}

/* ---- closed parts ---- */

/* A leaf that is none, ending at density rho. */
static bool is_weak(const struct sl_merge_stage *s, const struct sl_merge_part *p, double rho)
{
    return p->leaf && (p->birth.rho - rho < s->rule->delta || p->cells < s->rule->cells);
}

static void swap(int32_t *a, int32_t *b)
{
    int32_t c = *a;
    *a = *b;
    *b = c;
}

/* Moves those that are regions in their own right to the front; returns how many. */
static int part_weak(const struct sl_merge_stage *s, double rho, int32_t *met, int n)
{
    int strong = 0;
    for (int i = 0; i < n; i++)
        if (!is_weak(s, &s->part[met[i]], rho)) swap(&met[i], &met[strong++]);
    return strong;
}

/* Moves the highest of weak ones to the front; what comes with the event may be higher. */
static void rank_weak(struct sl_merge_stage *s, struct sl_merge_key best, int32_t *met, int n)
{
    for (int i = 1; i < n; i++)
        if (sl_merge_before(s->part[met[i]].birth, s->part[met[0]].birth)) swap(&met[0], &met[i]);
    struct sl_merge_part *p = &s->part[met[0]];
    p->birth = first_of(p->birth, best);
}

static void absorb(struct sl_merge_stage *s, int32_t to, int32_t from)
{
    struct sl_merge_part *p = &s->part[to], *q = &s->part[from];
    p->cells = add_cells(s, p->cells, q->cells);
    q->same = q->outer = to;
}

/* A branch where regions meet. */
static int branch(struct sl_merge_stage *s, struct sl_merge_key at, const int32_t *met, int n,
                  int32_t *to)
{
    SL_TRY(add_part(s, at, false, to));
    for (int i = 0; i < n; i++) {
        SL_TRY(add_link(s, s->part[met[i]].birth, at));
        s->part[met[i]].outer = *to;
    }
    return SL_OK;
}

/* An event among closed parts. */
static int take_closed(struct sl_merge_stage *s, const struct sl_merge_event *e, int32_t *met,
                       int n, int32_t *out)
{
    int strong = part_weak(s, e->at.rho, met, n), kept = strong > 0 || n == 0 ? strong : 1;
    if (n == 0)
        SL_TRY(add_part(s, e->best, true, out));
    else if (strong > 1)
        SL_TRY(branch(s, e->at, met, strong, out));
    else {
        if (strong == 0) rank_weak(s, e->best, met, n);
        *out = met[0];
    }
    for (int i = kept; i < n; i++)
        absorb(s, *out, met[i]);
    s->part[*out].cells = add_cells(s, s->part[*out].cells, e->cells);
    return SL_OK;
}

/* ---- open parts ---- */

/* Moves open ones to the front; returns how many. */
static int part_open(const struct sl_merge_stage *s, int32_t *met, int n)
{
    int open = 0;
    for (int i = 0; i < n; i++)
        if (s->part[met[i]].open) swap(&met[i], &met[open++]);
    return open;
}

/* Whether the next stage may ask for an event of an open part p, which it does not begin or join
 * with another. */
static bool may_matter(const struct sl_merge_stage *s, const struct sl_merge_part *p,
                       const struct sl_merge_event *e)
{
    return p->leaf && (p->cells < s->rule->cells || (sl_merge_before(e->best, p->birth) &&
                                                     p->birth.rho - e->at.rho < s->rule->delta));
}

/* A vertex at which n open parts go on as one. */
static int add_vertex(struct sl_merge_stage *s, const struct sl_merge_event *e, const int32_t *met,
                      int n, int32_t *out)
{
    struct sl_merge_open *o = &s->out;
    SL_TRY(more(&o->vertex, o->nvertex, &s->vertex_room, sizeof *o->vertex));
    SL_TRY(add_part(s, e->best, true, out));
    struct sl_merge_part *p = &s->part[*out];
    p->open = true;
    p->cells = e->cells;
    p->link = o->nvertex;
    for (int i = 0; i < n; i++) {
        struct sl_merge_part *q = &s->part[met[i]];
        o->vertex[q->link].parent = o->nvertex;
        q->outer = *out;
        p->cells = add_cells(s, p->cells, q->cells);
        p->birth = first_of(p->birth, q->birth);
        p->leaf &= q->leaf;
    }
    o->vertex[o->nvertex++] = (struct sl_merge_vertex){e->at, e->best, e->cells, SL_MERGE_NONE};
    return SL_OK;
}

/* Closed weak parts leave for an open one at event e. */
static void leave(struct sl_merge_stage *s, int32_t e, const int32_t *met, int n, int32_t to)
{
    for (int i = 0; i < n; i++) {
        struct sl_merge_part *p = &s->part[met[i]];
        p->same = LEFT;
        p->link = e;
        p->outer = to;
    }
}

/* An event e among parts of which the first `open` are so, and of the others some are regions. */
static int take_open(struct sl_merge_stage *s, int32_t e, struct sl_merge_event event, int32_t *met,
                     int open, int n, int32_t *out)
{
    int guests = part_weak(s, event.at.rho, met + open, n - open), weak = open + guests;
    for (int i = weak; i < n; i++) {
        event.cells = add_cells(s, event.cells, s->part[met[i]].cells);
        event.best = first_of(event.best, s->part[met[i]].birth);
    }
    *out = open > 0 ? met[0] : SL_MERGE_NONE;
    if (event.border || guests > 0 || open > 1 || may_matter(s, &s->part[met[0]], &event))
        SL_TRY(add_vertex(s, &event, met, open, out));
    for (int i = open; i < weak; i++) {
        SL_TRY(add_guest(s, s->part[met[i]].birth, s->part[*out].link));
        s->part[met[i]].outer = *out;
        s->part[*out].leaf = false;
    }
    leave(s, e, met + weak, n - weak, *out);
    return SL_OK;
}

int sl_merge_part_take(struct sl_merge_stage *s, int32_t e, const struct sl_merge_event *event,
                       int32_t *met, int n)
{
    int32_t out = SL_MERGE_NONE;
    int open = part_open(s, met, n);
    if (event->border || open > 0)
        SL_TRY(take_open(s, e, *event, met, open, n, &out));
    else
        SL_TRY(take_closed(s, event, met, n, &out));
    s->label[e] = out;
    return SL_OK;
}

int sl_merge_part_end(struct sl_merge_stage *s)
{
    const struct sl_merge_key floor = {s->rule->floor, SL_MERGE_NONE};
    for (int i = 0; i < s->npart; i++) {
        struct sl_merge_part *p = &s->part[i];
        if (p->outer != i || p->open) continue;
        if (is_weak(s, p, floor.rho))
            p->same = SL_MERGE_NONE;
        else
            SL_TRY(add_link(s, p->birth, floor));
    }
    return SL_OK;
}

/* ---- regions of all events ---- */

int sl_merge_by_name(const void *a, const void *b)
{
    const struct sl_merge_link *x = a, *y = b;
    return sl_merge_before(y->child, x->child) - sl_merge_before(x->child, y->child);
}

int32_t sl_merge_number(const struct sl_merge_names *names, struct sl_merge_key name)
{
    const struct sl_merge_link wanted = {.child = name}, *found;
    found = bsearch(&wanted, names->link, (size_t)names->n, sizeof wanted, sl_merge_by_name);
    return found ? (int32_t)(found - names->link) : SL_MERGE_NONE;
}

/* The region that holds a cell: `of`, or one that it ended in before. */
static int32_t region_at(const struct sl_merge_names *names, int32_t of, struct sl_merge_key at)
{
    while (of >= 0 && names->parent[of] >= 0 && !sl_merge_before(at, names->link[of].parent))
        of = names->parent[of];
    return of;
}

/* Regions of parts that are known by themselves; they take the place of `outer`. */
static void settle_known(struct sl_merge_stage *s, const struct sl_merge_names *names,
                         const int64_t *of_vertex)
{
    for (int i = 0; i < s->npart; i++) {
        struct sl_merge_part *p = &s->part[i];
        p->outer = p->open        ? (int32_t)of_vertex[p->link]
                   : p->same == i ? sl_merge_number(names, p->birth)
                                  : SL_MERGE_NONE;
    }
}

/* Regions of events of open parts, which change as the density falls; then those of parts that left
 * at such events. Labels of known events are npart + 1 + region. */
static void settle_open(struct sl_merge_stage *s, const struct sl_merge_names *names)
{
    for (int32_t k = 0; k < s->ndense; k++) {
        int64_t *label = &s->label[s->order[k]];
        struct sl_merge_part *p = &s->part[*label];
        if (!p->open) continue;
        p->outer = region_at(names, p->outer, sl_merge_at(s, s->order[k]));
        *label = (int64_t)s->npart + 1 + p->outer;
    }
    for (int i = 0; i < s->npart; i++) {
        struct sl_merge_part *p = &s->part[i];
        if (p->same == LEFT) p->outer = (int32_t)(s->label[p->link] - s->npart - 1);
    }
}

/* The part that a part went to at last. */
static int32_t at_last(struct sl_merge_part *p, int32_t i)
{
    while (p[i].same >= 0 && p[i].same != i) {
        int32_t next = p[i].same;
        if (p[next].same >= 0) p[i].same = p[next].same;
        i = next;
    }
    return i;
}

void sl_merge_part_settle(struct sl_merge_stage *s, const struct sl_merge_names *names,
                          const int64_t *of_vertex)
{
    settle_known(s, names, of_vertex);
    settle_open(s, names);
    for (int i = 0; i < s->npart; i++)
        s->part[i].outer = s->part[at_last(s->part, i)].outer;
    for (int32_t k = 0; k < s->ndense; k++) {
        int64_t *label = &s->label[s->order[k]];
        *label = *label >= s->npart ? *label - s->npart - 1 : s->part[*label].outer;
    }
}

void sl_merge_stage_release(struct sl_merge_stage *s)
{
    free(s->order);
    free(s->label);
    free(s->in);
    free(s->part);
    free(s->link);
    free(s->out.vertex);
    free(s->out.guest);
    *s = (struct sl_merge_stage){.n = 0};
}
