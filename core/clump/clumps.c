/* clumps.c - see clumps.h.
 *
 * Each rank joins the dense cells of its planes; labels of the planes where ranks meet are
 * exchanged and joined by all ranks alike.
 */
#include "core/clump/clumps.h"

#include <stdlib.h>
#include <string.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

struct work {
    const struct sl_slab *slab;
    const struct sl_region_gas *gas;
    double threshold;
    int64_t *label;   /* [own cells] -1: not dense */
    int64_t *meeting; /* [n1][n0] labels of the first plane of the next rank */
    int npair;
    int64_t (*pair)[2]; /* labels that are one clump, of all ranks */
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

/* Joins cell i with the one before it along an axis of n cells `stride` apart, the first with the
 * last. */
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
        w->label[i] = w->gas->rho[i] > w->threshold ? i : -1;
    for (int64_t i = 0; i < cells; i++) {
        if (w->label[i] < 0) continue;
        join_before(w->label, i, i % n0, s->n[0], 1, w->gas->periodic[0]);
        join_before(w->label, i, i / n0 % s->n[1], s->n[1], n0, w->gas->periodic[1]);
        join_before(w->label, i, i / plane, s->nz, plane, w->gas->periodic[2] && s->nz == s->n[2]);
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
        if (!w->gas->periodic[2]) return MPI_PROC_NULL;
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
    if (code == SL_OK) code = sl_slab_gather_all(s, own, n, sizeof *own, &all, &w->npair);
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
static int64_t place_of(const int64_t *name, int64_t n, int64_t label)
{
    const int64_t *found = bsearch(&label, name, (size_t)n, sizeof *name, by_value);
    return found ? found - name : -1;
}

/* Replaces labels of pieces that meet other ranks' by the lowest of their clump. */
static int relabel(struct work *w)
{
    int64_t n = 2 * (int64_t)w->npair, kept = 0;
    int64_t cells = (int64_t)sl_slab_cells(w->slab);
    int64_t *name = malloc(((size_t)n + 1) * sizeof *name),
            *parent = malloc(((size_t)n + 1) * sizeof *parent);
    int code = sl_agree(w->slab->comm, name && parent ? SL_OK : SL_FAIL(SL_EMEM, "out of memory"));
    if (code == SL_OK) {
        if (n > 0) memcpy(name, w->pair, (size_t)n * sizeof *name);
        qsort(name, (size_t)n, sizeof *name, by_value);
        for (int64_t i = 0; i < n; i++)
            if (i == 0 || name[i] != name[i - 1]) name[kept++] = name[i];
        for (int64_t i = 0; i < kept; i++)
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

static int by_mass(const void *a, const void *b)
{
    const struct sl_region *x = a, *y = b;
    if (x->mass != y->mass) return x->mass < y->mass ? 1 : -1;
    return (x->label > y->label) - (x->label < y->label);
}

static int make_list(const struct work *w, const struct sl_regions *all, int least,
                     struct sl_clumps *out)
{
    out->clump = malloc(((size_t)all->n + 1) * sizeof *out->clump);
    SL_CHECK(out->clump, SL_EMEM, "out of memory for %d clumps", all->n);
    for (int i = 0; i < all->n; i++)
        if (all->sums[i].sum[SL_REGION_CELLS] >= least)
            out->clump[out->n++] = sl_region_of(w->gas, &all->sums[i]);
    qsort(out->clump, (size_t)out->n, sizeof *out->clump, by_mass);
    return SL_OK;
}

void sl_clumps_release(struct sl_clumps *clumps)
{
    free(clumps->clump);
    *clumps = (struct sl_clumps){0, NULL};
}

int sl_clumps_find(const struct sl_region_gas *gas, double threshold, int least,
                   struct sl_clumps *out)
{
    const struct sl_slab *s = gas->slab;
    struct work w = {.slab = s, .gas = gas, .threshold = threshold};
    struct sl_regions all = {0, NULL};
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
    if (code == SL_OK) code = sl_regions_make(gas, w.label, &all);
    if (code == SL_OK) code = sl_agree(s->comm, make_list(&w, &all, least, &result));
    free(w.label);
    free(w.meeting);
    free(w.pair);
    sl_regions_release(&all);
    if (code == SL_OK)
        *out = result;
    else
        sl_clumps_release(&result);
    return code;
}
