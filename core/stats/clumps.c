/* clumps.c - see clumps.h.
 *
 * Each rank joins the dense cells of its planes; labels of the planes where ranks meet are exchanged
 * and joined by all ranks alike. Sums are made per clump and plane and added in the order of the
 * planes, so they do not depend on how planes are shared out.
 */
#include "core/stats/clumps.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

enum { CELLS, MASS, MOMENTUM, SQUARE = MOMENTUM + 3, CIRCLE, SUMS = CIRCLE + 6 };

/* What one plane adds to one clump. */
struct piece {
    int64_t label, plane;
    double sum[SUMS], peak;
};

struct work {
    const struct sl_slab *slab;
    const bool *periodic;
    const double *rho, *const *v;
    double threshold;
    int64_t *label;   /* [own cells] -1: not dense */
    int64_t *meeting; /* [n1][n0] labels of the first plane of the next rank */
    int npair;
    int64_t (*pair)[2]; /* labels that are one clump, of all ranks */
    int npiece;
    struct piece *piece; /* of all ranks */
};

/* ---- joining ---- */

static int64_t root_of(int64_t *parent, int64_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* The lower index becomes the root. */
static void join(int64_t *parent, int64_t a, int64_t b)
{
    if (parent[a] < 0 || parent[b] < 0) return;
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

/* Joins cell i with the one before it along an axis of n cells `stride` apart, the first with the last. */
static void join_before(int64_t *parent, int64_t i, int64_t place, int n, int64_t stride, bool wrap)
{
    if (place > 0)
        join(parent, i, i - stride);
    else if (wrap && n > 1)
        join(parent, i, i + (n - 1) * stride);
}

static void join_cells(struct work *w)
{
    const struct sl_slab *s = w->slab;
    int64_t n0 = s->n[0], plane = n0 * s->n[1], cells = plane * s->nz;
    for (int64_t i = 0; i < cells; i++)
        w->label[i] = w->rho[i] > w->threshold ? i : -1;
    for (int64_t i = 0; i < cells; i++) {
        if (w->label[i] < 0) continue;
        join_before(w->label, i, i % n0, s->n[0], 1, w->periodic[0]);
        join_before(w->label, i, i / n0 % s->n[1], s->n[1], n0, w->periodic[1]);
        join_before(w->label, i, i / plane, s->nz, plane, w->periodic[2] && s->nz == s->n[2]);
    }
    for (int64_t i = 0; i < cells; i++)
        if (w->label[i] >= 0) w->label[i] = root_of(w->label, i);
    for (int64_t i = 0; i < cells; i++)
        if (w->label[i] >= 0) w->label[i] += plane * s->z0;
}

/* The rank whose planes begin (end) where others end (begin), MPI_PROC_NULL when there is none. */
static int neighbour(const struct work *w, const int *place, int plane, bool ends)
{
    const struct sl_slab *s = w->slab;
    if (plane == (ends ? 0 : s->n[2])) {
        if (!w->periodic[2]) return MPI_PROC_NULL;
        plane = s->n[2] - plane;
    }
    for (int r = 0; r < s->size; r++) {
        int at = place[2 * r] + (ends ? place[2 * r + 1] : 0);
        if (place[2 * r + 1] > 0 && at == plane) return r;
    }
    return MPI_PROC_NULL;
}

/* Labels of the next rank's first plane, -1 where there is none. */
static int exchange(struct work *w)
{
    const struct sl_slab *s = w->slab;
    int plane = s->n[0] * s->n[1], own[2] = {s->z0, s->nz}, *place;
    place = malloc(2 * (size_t)s->size * sizeof *place);
    SL_TRY(sl_agree(s->comm, place ? SL_OK : SL_FAIL(SL_EMEM, "out of memory")));
    MPI_Allgather(own, 2, MPI_INT, place, 2, MPI_INT, s->comm);
    for (int i = 0; i < plane; i++)
        w->meeting[i] = -1;
    bool alone = s->nz == 0 || s->nz == s->n[2];
    int below = alone ? MPI_PROC_NULL : neighbour(w, place, s->z0, true);
    int above = alone ? MPI_PROC_NULL : neighbour(w, place, s->z0 + s->nz, false);
    MPI_Sendrecv(w->label, plane, MPI_INT64_T, below, 0, w->meeting, plane, MPI_INT64_T, above, 0,
                 s->comm, MPI_STATUS_IGNORE);
    free(place);
    return SL_OK;
}

/* All ranks' arrays one after the other: count items of `size` bytes here. */
static int gather(const struct sl_slab *s, const void *own, int count, size_t size, void **all,
                  int *total)
{
    int *bytes = malloc(2 * (size_t)s->size * sizeof *bytes), mine = (int)(count * (int64_t)size);
    int64_t sum = 0, here = count * (int64_t)size;
    MPI_Allreduce(&here, &sum, 1, MPI_INT64_T, MPI_SUM, s->comm);
    *all = malloc((size_t)sum + 1);
    bool ok = bytes && *all && sum <= INT_MAX;
    int code = sl_agree(s->comm, ok ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for clumps"));
    if (code == SL_OK) {
        MPI_Allgather(&mine, 1, MPI_INT, bytes, 1, MPI_INT, s->comm);
        for (int r = 0, at = 0; r < s->size; at += bytes[r++])
            bytes[s->size + r] = at;
        MPI_Allgatherv(own, mine, MPI_BYTE, *all, bytes, bytes + s->size, MPI_BYTE, s->comm);
        *total = (int)(sum / (int64_t)size);
    }
    free(bytes);
    return code;
}

/* Pairs of labels that touch where ranks meet. */
static int meet(struct work *w)
{
    const struct sl_slab *s = w->slab;
    int64_t plane = (int64_t)s->n[0] * s->n[1];
    int64_t(*own)[2] = malloc(((size_t)plane + 1) * sizeof *own);
    int n = 0;
    int code = sl_agree(s->comm, own ? SL_OK : SL_FAIL(SL_EMEM, "out of memory"));
    for (int64_t i = 0; code == SL_OK && i < plane && s->nz > 0; i++) {
        int64_t a = w->label[plane * (s->nz - 1) + i], b = w->meeting[i];
        if (a < 0 || b < 0 || (n > 0 && own[n - 1][0] == a && own[n - 1][1] == b)) continue;
        own[n][0] = a;
        own[n++][1] = b;
    }
    void *all = NULL;
    if (code == SL_OK) code = gather(s, own, n, sizeof *own, &all, &w->npair);
    w->pair = all;
    free(own);
    return code;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Place of a label among n sorted ones, -1 when it is not there. */
static int64_t place_of(const int64_t *name, int n, int64_t label)
{
    const int64_t *found = bsearch(&label, name, (size_t)n, sizeof *name, by_value);
    return found ? found - name : -1;
}

/* Replaces labels of pieces that meet other ranks' by the lowest of their clump. */
static int relabel(struct work *w)
{
    int n = 2 * w->npair, kept = 0;
    int64_t cells = (int64_t)sl_slab_cells(w->slab);
    int64_t *name = malloc(((size_t)n + 1) * sizeof *name),
            *parent = malloc(((size_t)n + 1) * sizeof *parent);
    int code = sl_agree(w->slab->comm, name && parent ? SL_OK : SL_FAIL(SL_EMEM, "out of memory"));
    if (code == SL_OK) {
        if (n > 0) memcpy(name, w->pair, (size_t)n * sizeof *name);
        qsort(name, (size_t)n, sizeof *name, by_value);
        for (int i = 0; i < n; i++)
            if (i == 0 || name[i] != name[i - 1]) name[kept++] = name[i];
        for (int i = 0; i < kept; i++)
            parent[i] = i;
        for (int i = 0; i < w->npair; i++)
            join(parent, place_of(name, kept, w->pair[i][0]), place_of(name, kept, w->pair[i][1]));
        for (int64_t i = 0; i < cells && kept > 0; i++) {
            int64_t at = w->label[i] < 0 ? -1 : place_of(name, kept, w->label[i]);
            if (at >= 0) w->label[i] = name[root_of(parent, at)];
        }
    }
    free(name);
    free(parent);
    return code;
}

/* ---- sums ---- */

static void add_cell(const struct work *w, int64_t i, struct piece *p)
{
    const struct sl_slab *s = w->slab;
    int64_t n0 = s->n[0], n1 = s->n[1], at[3] = {i % n0, i / n0 % n1, i / (n0 * n1) + s->z0};
    double rho = w->rho[i];
    p->sum[CELLS] += 1;
    p->sum[MASS] += rho;
    p->peak = fmax(p->peak, rho);
    for (int d = 0; d < 3; d++) {
        double v = w->v[d][i], share = (at[d] + 0.5) / s->n[d], angle = 2 * acos(-1) * share;
        p->sum[MOMENTUM + d] += rho * v;
        p->sum[SQUARE] += rho * v * v;
        p->sum[CIRCLE + 2 * d] += rho * (w->periodic[d] ? cos(angle) : share);
        p->sum[CIRCLE + 2 * d + 1] += w->periodic[d] ? rho * sin(angle) : 0;
    }
}

struct dense {
    int64_t label, cell;
};

static int by_label(const void *a, const void *b)
{
    const struct dense *x = a, *y = b;
    return x->label != y->label ? (x->label > y->label) - (x->label < y->label)
                                : (x->cell > y->cell) - (x->cell < y->cell);
}

/* The pieces of plane k; list has room for a plane, piece for all of them. */
static int plane_pieces(const struct work *w, int k, struct dense *list, struct piece *piece)
{
    int64_t plane = (int64_t)w->slab->n[0] * w->slab->n[1];
    int n = 0, count = 0;
    for (int64_t i = k * plane; i < (k + 1) * plane; i++)
        if (w->label[i] >= 0) list[n++] = (struct dense){w->label[i], i};
    qsort(list, (size_t)n, sizeof *list, by_label);
    for (int i = 0; i < n; i++) {
        if (i == 0 || list[i].label != list[i - 1].label)
            piece[count++] = (struct piece){.label = list[i].label, .plane = w->slab->z0 + k};
        add_cell(w, list[i].cell, &piece[count - 1]);
    }
    return count;
}

static int own_pieces(const struct work *w, struct piece **own, int *n)
{
    size_t plane = (size_t)w->slab->n[0] * (size_t)w->slab->n[1], room = plane;
    struct dense *list = malloc((plane + 1) * sizeof *list);
    *own = malloc((room + 1) * sizeof **own);
    int code = list && *own ? SL_OK : SL_FAIL(SL_EMEM, "out of memory");
    for (int k = 0; k < w->slab->nz && code == SL_OK; k++) {
        if ((size_t)*n + plane > room) {
            struct piece *more = realloc(*own, (room = 2 * room + plane) * sizeof **own);
            if (!more) code = SL_FAIL(SL_EMEM, "out of memory for clumps");
            if (more) *own = more;
        }
        if (code == SL_OK) *n += plane_pieces(w, k, list, *own + *n);
    }
    free(list);
    return code;
}

static int by_plane(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    return x->label != y->label ? (x->label > y->label) - (x->label < y->label)
                                : (x->plane > y->plane) - (x->plane < y->plane);
}

static int sum_pieces(struct work *w)
{
    struct piece *own = NULL;
    void *all = NULL;
    int n = 0;
    int code = sl_agree(w->slab->comm, own_pieces(w, &own, &n));
    if (code == SL_OK) code = gather(w->slab, own, n, sizeof *own, &all, &w->npiece);
    w->piece = all;
    free(own);
    if (code == SL_OK && w->npiece > 0)
        qsort(w->piece, (size_t)w->npiece, sizeof *w->piece, by_plane);
    return code;
}

/* ---- the list ---- */

static struct sl_clump clump_of(const struct work *w, const struct piece *p)
{
    const struct sl_slab *s = w->slab;
    double cell = 1, mass = p->sum[MASS], square = 0;
    struct sl_clump c = {.label = p->label, .peak = p->peak};
    for (int d = 0; d < s->dim; d++)
        cell *= s->length[d] / s->n[d];
    for (int d = 0; d < 3; d++) {
        double a = p->sum[CIRCLE + 2 * d], b = p->sum[CIRCLE + 2 * d + 1], pi = acos(-1);
        double share = w->periodic[d] ? atan2(-b, -a) / (2 * pi) + 0.5 : a / mass;
        c.centre[d] = share * s->length[d];
        c.velocity[d] = p->sum[MOMENTUM + d] / mass;
        square += c.velocity[d] * c.velocity[d];
    }
    c.mass = mass * cell;
    c.volume = p->sum[CELLS] * cell;
    c.dispersion = sqrt(fmax(p->sum[SQUARE] / mass - square, 0));
    return c;
}

static int by_mass(const void *a, const void *b)
{
    const struct sl_clump *x = a, *y = b;
    if (x->mass != y->mass) return x->mass < y->mass ? 1 : -1;
    return (x->label > y->label) - (x->label < y->label);
}

static int make_list(const struct work *w, int least, struct sl_clumps *out)
{
    out->clump = malloc(((size_t)w->npiece + 1) * sizeof *out->clump);
    SL_CHECK(out->clump, SL_EMEM, "out of memory for %d clumps", w->npiece);
    for (int i = 0; i < w->npiece;) {
        struct piece all = w->piece[i++];
        for (; i < w->npiece && w->piece[i].label == all.label; i++) {
            for (int q = 0; q < SUMS; q++)
                all.sum[q] += w->piece[i].sum[q];
            all.peak = fmax(all.peak, w->piece[i].peak);
        }
        if (all.sum[CELLS] >= least) out->clump[out->n++] = clump_of(w, &all);
    }
    qsort(out->clump, (size_t)out->n, sizeof *out->clump, by_mass);
    return SL_OK;
}

void sl_clumps_release(struct sl_clumps *clumps)
{
    free(clumps->clump);
    *clumps = (struct sl_clumps){0, NULL};
}

int sl_clumps_find(const struct sl_slab *s, const bool periodic[3], const double *rho,
                   const double *const v[3], double threshold, int least, struct sl_clumps *out)
{
    struct work w = {.slab = s, .periodic = periodic, .rho = rho, .v = v, .threshold = threshold};
    struct sl_clumps result = {0, NULL};
    w.label = malloc((sl_slab_cells(s) + 1) * sizeof *w.label);
    w.meeting = malloc(((size_t)s->n[0] * (size_t)s->n[1] + 1) * sizeof *w.meeting);
    int code = sl_agree(s->comm, w.label && w.meeting ? SL_OK : SL_FAIL(SL_EMEM, "out of memory"));
    if (code == SL_OK) {
        join_cells(&w);
        code = exchange(&w);
    }
    if (code == SL_OK) code = meet(&w);
    if (code == SL_OK) code = relabel(&w);
    if (code == SL_OK) code = sum_pieces(&w);
    if (code == SL_OK) code = sl_agree(s->comm, make_list(&w, least, &result));
    free(w.label);
    free(w.meeting);
    free(w.pair);
    free(w.piece);
    if (code == SL_OK)
        *out = result;
    else
        sl_clumps_release(&result);
    return code;
}
