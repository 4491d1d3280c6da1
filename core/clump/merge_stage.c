/* merge_stage.c - see merge_stage.h. */
#include "core/clump/merge_stage.h"

#include <stdlib.h>
#include <string.h>

#include "core/sys/status.h"

/* ---- cells by falling density ---- */

enum { BUCKETS = 1 << 18 };

static int by_density(const void *a, const void *b, void *stage)
{
    const double *rho = ((const struct sl_merge_stage *)stage)->rho;
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    double x = rho[i], y = rho[j];
    return x != y ? (x < y) - (x > y) : (i > j) - (i < j);
}

/* Bits of positive numbers, which are in the order of the numbers. */
static uint64_t bits_of(double rho)
{
    uint64_t bits;
    memcpy(&bits, &rho, sizeof bits);
    return bits;
}

/* Dense cells lie in buckets of densities, the last of the highest. */
struct buckets {
    uint64_t first; /* bits */
    int shift;
    int32_t start[BUCKETS + 1];
};

static int bucket_of(const struct buckets *b, double rho)
{
    return (int)((bits_of(rho) - b->first) >> b->shift);
}

/* Makes buckets between the floor and the highest density, and counts what lies in them. */
static int32_t count_cells(const double *rho, int32_t n, double floor, struct buckets *b)
{
    double highest = floor;
    int32_t total = 0;
    for (int32_t i = 0; i < n; i++)
        if (rho[i] > highest) highest = rho[i];
    *b = (struct buckets){.first = bits_of(floor)};
    while ((bits_of(highest) - b->first) >> b->shift >= BUCKETS)
        b->shift++;
    for (int32_t i = 0; i < n; i++)
        if (rho[i] > floor) b->start[bucket_of(b, rho[i])]++;
    for (int k = BUCKETS - 1; k >= 0; k--) {
        int32_t count = b->start[k];
        b->start[k] = total;
        total += count;
    }
    return total;
}

/* Places the cells, then orders each bucket; b->start[k] moves to the end of bucket k. */
static void order_cells(struct sl_merge_stage *s, struct buckets *b)
{
    for (int32_t i = 0; i < s->n; i++)
        if (s->rho[i] > s->rule->floor) s->order[b->start[bucket_of(b, s->rho[i])]++] = i;
    for (int k = BUCKETS - 1; k >= 0; k--) {
        int32_t from = k == BUCKETS - 1 ? 0 : b->start[k + 1];
        if (b->start[k] - from > 1)
            qsort_r(s->order + from, (size_t)(b->start[k] - from), sizeof *s->order, by_density, s);
    }
}

static int sort_cells(struct sl_merge_stage *s)
{
    struct buckets *b = malloc(sizeof *b);
    int code = b ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for a tree");
    if (b) {
        s->ndense = count_cells(s->rho, s->n, s->rule->floor, b);
        s->order = malloc(((size_t)s->ndense + 1) * sizeof *s->order);
        if (s->order)
            order_cells(s, b);
        else
            code = SL_FAIL(SL_EMEM, "out of memory for a tree of %d cells", s->ndense);
    }
    free(b);
    return code;
}

/* ---- the cells of a slab ---- */

/* Adds the part that holds event `of` to n different ones, if it has been taken; returns how
 * many. */
static int add_met(struct sl_merge_stage *s, int64_t of, int32_t *met, int n)
{
    if (of < 0 || s->label[of] < 0) return n;
    int32_t outer = sl_merge_part_outer(s, (int32_t)s->label[of]);
    for (int i = 0; i < n; i++)
        if (met[i] == outer) return n;
    met[n] = outer;
    return n + 1;
}

/* Parts below and above cell e along an axis of n cells `stride` apart, on which it is at
 * `place`. */
static int beside(struct sl_merge_stage *s, int32_t e, int32_t place, int n, int32_t stride,
                  bool around, int32_t *met, int nmet)
{
    int32_t back = place > 0 ? -1 : around ? n - 1 : 0, on = place < n - 1 ? 1 : around ? 1 - n : 0;
    if (back != 0) nmet = add_met(s, e + (int64_t)back * stride, met, nmet);
    if (on != 0) nmet = add_met(s, e + (int64_t)on * stride, met, nmet);
    return nmet;
}

static int take_cell(const struct sl_merge_cells *c, struct sl_merge_stage *s, int32_t e)
{
    int32_t met[SL_MERGE_SIDES], row = c->n[0], plane = row * c->n[1], z = e / plane;
    int nz = s->out.z1 - s->out.z0;
    int n = beside(s, e, e % row, c->n[0], 1, c->periodic[0], met, 0);
    n = beside(s, e, e / row % c->n[1], c->n[1], row, c->periodic[1], met, n);
    n = beside(s, e, z, nz, plane, c->periodic[2] && nz == c->n[2], met, n);
    struct sl_merge_key at = sl_merge_at(s, e);
    struct sl_merge_event event = {at, at, 1, false};
    event.border = (s->out.low && z == 0) || (s->out.high && z == nz - 1);
    return sl_merge_part_take(s, e, &event, met, n);
}

int sl_merge_stage_cells(const struct sl_merge_cells *c, struct sl_merge_stage *s)
{
    int64_t plane = (int64_t)c->n[0] * c->n[1], cells = plane * (s->out.z1 - s->out.z0);
    SL_CHECK(cells < INT32_MAX, SL_EMEM, "a tree of more than 2^31 cells on one rank");
    s->n = (int32_t)cells;
    s->rho = c->rho;
    s->first = plane * s->out.z0;
    s->label = malloc(((size_t)cells + 1) * sizeof *s->label);
    SL_CHECK(s->label, SL_EMEM, "out of memory for a tree of %lld cells", (long long)cells);
    for (int64_t i = 0; i < cells; i++)
        s->label[i] = SL_MERGE_NONE;
    SL_TRY(sort_cells(s));
    for (int32_t k = 0; k < s->ndense; k++)
        SL_TRY(take_cell(c, s, s->order[k]));
    return sl_merge_part_end(s);
}

/* ---- two pieces ---- */

enum { LOW, HIGH, FACES };

/* Vertices of two pieces that meet. */
struct pair {
    struct sl_merge_stage *s;
    const struct sl_merge_open *piece[2]; /* low, high */
    int plane;
    bool whole;
    int32_t
        *at[2][FACES]; /* vertex of each cell of the faces of both pieces, NONE: it is not dense */
    int32_t *child,
        *next;    /* of each vertex the first that goes on to it, and those beside that one */
    int guest[2]; /* the next of both */
};

static int which(const struct pair *p, int32_t e)
{
    return e >= p->piece[LOW]->nvertex;
}

/* Whether a cell lies on a face of its piece. */
static bool is_on(const struct pair *p, int piece, int face, int64_t cell)
{
    const struct sl_merge_open *o = p->piece[piece];
    return cell / p->plane == (face == LOW ? o->z0 : o->z1 - 1);
}

static void map_faces(struct pair *p)
{
    for (int i = 0; i < 2 * FACES; i++)
        for (int k = 0; k < p->plane; k++)
            p->at[i / FACES][i % FACES][k] = SL_MERGE_NONE;
    for (int32_t e = 0; e < p->s->n; e++)
        for (int face = 0; face < FACES; face++) {
            int64_t cell = p->s->in[e].at.cell;
            if (is_on(p, which(p, e), face, cell)) p->at[which(p, e)][face][cell % p->plane] = e;
        }
}

/* The vertices of both by falling density. */
static void merge_order(struct sl_merge_stage *s, int32_t low)
{
    int32_t i = 0, j = low;
    for (s->ndense = 0; s->ndense < s->n; s->ndense++) {
        bool first = j == s->n || (i < low && sl_merge_before(s->in[i].at, s->in[j].at));
        s->order[s->ndense] = first ? i++ : j++;
    }
}

/* Parts that go on to vertex e, and those beside it in the other piece. */
static int parts_at(struct pair *p, int32_t e, int32_t *met)
{
    int n = 0, piece = which(p, e);
    int64_t cell = p->s->in[e].at.cell;
    for (int32_t k = p->child[e]; k != SL_MERGE_NONE; k = p->next[k])
        n = add_met(p->s, k, met, n);
    for (int face = 0; face < FACES; face++) {
        bool seam = piece == LOW ? face == HIGH : face == LOW;
        if ((seam || (p->whole && p->piece[LOW]->low)) && is_on(p, piece, face, cell))
            n = add_met(p->s, p->at[!piece][!face][cell % p->plane], met, n);
    }
    return n;
}

/* Regions that met vertex e in an earlier stage, as parts. */
static int guests_at(struct pair *p, int32_t e, int32_t *met, int *n)
{
    int piece = which(p, e);
    const struct sl_merge_open *o = p->piece[piece];
    int32_t vertex = piece == LOW ? e : e - p->piece[LOW]->nvertex;
    for (; p->guest[piece] < o->nguest && o->guest[p->guest[piece]].vertex == vertex;
         p->guest[piece]++)
        SL_TRY(sl_merge_part_guest(p->s, o->guest[p->guest[piece]].region, &met[(*n)++]));
    return SL_OK;
}

static int take_vertex(struct pair *p, int32_t e)
{
    const struct sl_merge_vertex *v = &p->s->in[e];
    int32_t met[SL_MERGE_SIDES];
    int n = parts_at(p, e, met), piece = which(p, e);
    const struct sl_merge_open *o = p->piece[piece];
    struct sl_merge_event event = {v->at, v->best, v->cells, false};
    event.border = !p->whole && (piece == LOW ? o->low : o->high) &&
                   is_on(p, piece, piece == LOW ? LOW : HIGH, v->at.cell);
    SL_TRY(guests_at(p, e, met, &n));
    SL_TRY(sl_merge_part_take(p->s, e, &event, met, n));
    if (v->parent >= 0) {
        p->next[e] = p->child[v->parent];
        p->child[v->parent] = e;
    }
    return SL_OK;
}

/* Vertices of the high piece behind those of the low one, which both give up. */
static int put_together(struct sl_merge_open *low, struct sl_merge_open *high,
                        struct sl_merge_stage *s)
{
    int64_t n = (int64_t)low->nvertex + high->nvertex;
    struct sl_merge_vertex *in =
        n < INT32_MAX ? realloc(low->vertex, ((size_t)n + 1) * sizeof *in) : NULL;
    SL_CHECK(in, SL_EMEM, "out of memory for a tree of %lld vertices", (long long)n);
    low->vertex = NULL;
    s->in = in;
    s->n = (int32_t)n;
    for (int32_t i = 0; i < high->nvertex; i++) {
        in[low->nvertex + i] = high->vertex[i];
        if (in[low->nvertex + i].parent >= 0) in[low->nvertex + i].parent += low->nvertex;
    }
    free(high->vertex);
    high->vertex = NULL;
    return SL_OK;
}

static int allocate(struct pair *p)
{
    struct sl_merge_stage *s = p->s;
    size_t n = (size_t)s->n + 1, plane = (size_t)p->plane;
    int32_t *faces = malloc(2 * FACES * plane * sizeof *faces);
    p->at[0][0] = faces;
    for (size_t i = 1; i < 2 * FACES && faces; i++)
        p->at[i / FACES][i % FACES] = faces + i * plane;
    p->child = malloc(n * sizeof *p->child);
    p->next = malloc(n * sizeof *p->next);
    s->order = malloc(n * sizeof *s->order);
    s->label = malloc(n * sizeof *s->label);
    SL_CHECK(faces && p->child && p->next && s->order && s->label, SL_EMEM,
             "out of memory for a tree of %d vertices", s->n);
    return SL_OK;
}

static int take_vertices(struct pair *p)
{
    struct sl_merge_stage *s = p->s;
    SL_TRY(allocate(p));
    map_faces(p);
    merge_order(s, p->piece[LOW]->nvertex);
    for (int32_t i = 0; i < s->n; i++) {
        p->child[i] = p->next[i] = SL_MERGE_NONE;
        s->label[i] = SL_MERGE_NONE;
    }
    for (int32_t k = 0; k < s->n; k++)
        SL_TRY(take_vertex(p, s->order[k]));
    return sl_merge_part_end(s);
}

int sl_merge_stage_join(struct sl_merge_open *low, struct sl_merge_open *high, int plane,
                        bool whole, struct sl_merge_stage *s)
{
    struct pair p = {.s = s, .piece = {low, high}, .plane = plane, .whole = whole};
    s->out = (struct sl_merge_open){.z0 = low->z0, .z1 = high->z1};
    s->out.low = low->low && !whole;
    s->out.high = high->high && !whole;
    int code = put_together(low, high, s);
    if (code == SL_OK) code = take_vertices(&p);
    free(p.at[0][0]);
    free(p.child);
    free(p.next);
    free(low->guest);
    free(high->guest);
    free(low->vertex);
    free(high->vertex);
    low->guest = high->guest = NULL;
    low->vertex = high->vertex = NULL;
    return code;
}
