/* merge.c - see merge.h. */
#include "core/stats/merge.h"

#include <math.h>
#include <stdlib.h>

#include "core/sys/status.h"

enum { NONE = -1, SIDES = 6 };

/* A region in the making. */
struct part {
    struct sl_merge_node node;
    double peak;
    int64_t cells;
    int32_t same;  /* the part that it went to; itself; NONE: left out */
    int32_t outer; /* towards the largest region that it is in by now */
    bool leaf;
};

struct work {
    const struct sl_merge_cells *c;
    const struct sl_merge_rule *rule;
    int64_t *start; /* [n2 n1 + 1]: first cell of each row */
    int32_t *order; /* cells by falling density */
    int32_t *of;    /* part of each cell, NONE: not yet */
    int npart, room;
    struct part *part;
};

/* ---- cells ---- */

static void set_rows(struct work *w)
{
    const struct sl_merge_cells *c = w->c;
    int64_t rows = (int64_t)c->n[1] * c->n[2], i = 0;
    for (int64_t r = 0; r <= rows; r++) {
        while (i < c->count && c->cell[i] < r * c->n[0])
            i++;
        w->start[r] = i;
    }
}

/* Index of a cell among the dense ones, NONE when it is not there. */
static int32_t find(const struct work *w, int64_t row, int x)
{
    int64_t low = w->start[row], high = w->start[row + 1], cell = row * w->c->n[0] + x;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (w->c->cell[middle] < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->start[row + 1] && w->c->cell[low] == cell ? (int32_t)low : NONE;
}

/* The neighbour of cell i on a side: axis 0 to 2, down or up; NONE when it is not dense. */
static int32_t beside(const struct work *w, int32_t i, int side)
{
    const struct sl_merge_cells *c = w->c;
    int64_t n0 = c->n[0], row = c->cell[i] / n0;
    int at[3] = {(int)(c->cell[i] % n0), (int)(row % c->n[1]), (int)(row / c->n[1])};
    int d = side / 2, to = at[d] + (side % 2 ? 1 : -1);
    if ((to < 0 || to == c->n[d]) && !c->periodic[d]) return NONE;
    at[d] = (to + c->n[d]) % c->n[d];
    return find(w, (int64_t)at[2] * c->n[1] + at[1], at[0]);
}

static int by_density(const void *a, const void *b, void *work)
{
    const struct work *w = work;
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    double x = w->c->rho[i], y = w->c->rho[j];
    return x != y ? (x < y) - (x > y) : (i > j) - (i < j);
}

/* ---- parts ---- */

static int32_t outermost(struct work *w, int32_t i)
{
    struct part *p = w->part;
    while (p[i].outer != i)
        i = p[i].outer = p[p[i].outer].outer;
    return i;
}

static int add_part(struct work *w, double rho, bool leaf, int32_t *out)
{
    if (w->npart == w->room) {
        int room = 2 * w->room + 64;
        struct part *more = realloc(w->part, (size_t)room * sizeof *more);
        SL_CHECK(more, SL_EMEM, "out of memory for a tree of %d regions", room);
        w->part = more;
        w->room = room;
    }
    int32_t i = *out = w->npart++;
    w->part[i] =
        (struct part){.node = {NONE, 0, rho}, .peak = rho, .same = i, .outer = i, .leaf = leaf};
    return SL_OK;
}

/* A leaf that is none, ending at density rho. */
static bool is_weak(const struct work *w, const struct part *p, double rho)
{
    return p->leaf && (p->peak - rho < w->rule->delta || p->cells < w->rule->cells);
}

static void absorb(struct work *w, int32_t to, int32_t from)
{
    struct part *p = &w->part[to], *q = &w->part[from];
    p->cells += q->cells;
    p->peak = fmax(p->peak, q->peak);
    q->same = q->outer = to;
}

static void branch(struct work *w, int32_t to, const int32_t *child, int n)
{
    struct part *p = &w->part[to];
    for (int i = 0; i < n; i++) {
        struct part *q = &w->part[child[i]];
        q->node.parent = q->outer = to;
        q->node.base = p->node.top;
        p->peak = fmax(p->peak, q->peak);
    }
}

/* Moves those that are regions of their own to the front, at least the highest; returns how many. */
static int part_weak(const struct work *w, double rho, int32_t *met, int n)
{
    int strong = 0, highest = 0;
    for (int i = 0; i < n; i++) {
        int32_t m = met[i];
        if (is_weak(w, &w->part[m], rho)) continue;
        met[i] = met[strong];
        met[strong++] = m;
    }
    if (strong > 0) return strong;
    for (int i = 1; i < n; i++)
        if (w->part[met[i]].peak > w->part[met[highest]].peak) highest = i;
    int32_t first = met[highest];
    met[highest] = met[0];
    met[0] = first;
    return 1;
}

/* The part that a cell of density rho between n parts belongs to. */
static int join(struct work *w, double rho, int32_t *met, int n, int32_t *out)
{
    int strong = n > 1 ? part_weak(w, rho, met, n) : n;
    if (strong == 1) *out = met[0];
    if (strong != 1) SL_TRY(add_part(w, rho, n == 0, out));
    if (strong > 1) branch(w, *out, met, strong);
    for (int i = strong; i < n; i++)
        absorb(w, *out, met[i]);
    return SL_OK;
}

/* Different regions beside a cell, by rising number. */
static int regions_beside(struct work *w, int32_t i, int32_t *met)
{
    int n = 0;
    for (int side = 0; side < SIDES; side++) {
        int32_t to = beside(w, i, side);
        if (to == NONE || w->of[to] == NONE) continue;
        int32_t outer = outermost(w, w->of[to]);
        int at = n;
        while (at > 0 && met[at - 1] >= outer)
            at--;
        if (at < n && met[at] == outer) continue;
        for (int k = n++; k > at; k--)
            met[k] = met[k - 1];
        met[at] = outer;
    }
    return n;
}

static int take_cells(struct work *w)
{
    for (int64_t k = 0; k < w->c->count; k++) {
        int32_t i = w->order[k], met[SIDES];
        int n = regions_beside(w, i, met);
        SL_TRY(join(w, w->c->rho[i], met, n, &w->of[i]));
        w->part[w->of[i]].cells++;
    }
    return SL_OK;
}

/* ---- the result ---- */

static void end_at_floor(struct work *w)
{
    for (int i = 0; i < w->npart; i++) {
        struct part *p = &w->part[i];
        if (p->outer != i) continue;
        p->node.base = w->rule->floor;
        if (is_weak(w, p, w->rule->floor)) p->same = NONE;
    }
}

/* Numbers of the parts that are regions of their own, from now on in `outer`. */
static int number(struct work *w)
{
    int n = 0;
    for (int i = 0; i < w->npart; i++)
        w->part[i].outer = w->part[i].same == i ? n++ : NONE;
    return n;
}

static int32_t number_of(const struct work *w, int32_t i)
{
    while (i != NONE && w->part[i].same != i)
        i = w->part[i].same;
    return i == NONE ? NONE : w->part[i].outer;
}

static int fill(struct work *w, struct sl_merge *out)
{
    end_at_floor(w);
    out->n = number(w);
    out->node = malloc(((size_t)out->n + 1) * sizeof *out->node);
    SL_CHECK(out->node, SL_EMEM, "out of memory for a tree of %d regions", out->n);
    for (int i = 0; i < w->npart; i++) {
        const struct part *p = &w->part[i];
        if (p->same != i) continue;
        struct sl_merge_node *to = &out->node[p->outer];
        *to = p->node;
        to->parent = number_of(w, p->node.parent);
        if (p->leaf) to->top = p->peak;
    }
    for (int64_t i = 0; i < w->c->count; i++)
        w->of[i] = number_of(w, w->of[i]);
    return SL_OK;
}

static int make(struct work *w, struct sl_merge *out)
{
    size_t count = (size_t)w->c->count, rows = (size_t)w->c->n[1] * (size_t)w->c->n[2];
    SL_CHECK(w->c->count < INT32_MAX, SL_EMEM, "a tree of more than 2^31 cells");
    w->start = malloc((rows + 1) * sizeof *w->start);
    w->order = malloc((count + 1) * sizeof *w->order);
    w->of = out->node_of = malloc((count + 1) * sizeof *w->of);
    SL_CHECK(w->start && w->order && w->of, SL_EMEM, "out of memory for a tree of %zu cells",
             count);
    set_rows(w);
    for (size_t i = 0; i < count; i++) {
        w->order[i] = (int32_t)i;
        w->of[i] = NONE;
    }
    qsort_r(w->order, count, sizeof *w->order, by_density, w);
    SL_TRY(take_cells(w));
    return fill(w, out);
}

int sl_merge_make(const struct sl_merge_cells *cells, const struct sl_merge_rule *rule,
                  struct sl_merge *out)
{
    struct work w = {.c = cells, .rule = rule};
    struct sl_merge result = {0, NULL, NULL};
    int code = make(&w, &result);
    free(w.start);
    free(w.order);
    free(w.part);
    if (code == SL_OK)
        *out = result;
    else
        sl_merge_release(&result);
    return code;
}

void sl_merge_release(struct sl_merge *merge)
{
    free(merge->node);
    free(merge->node_of);
    *merge = (struct sl_merge){0, NULL, NULL};
}
