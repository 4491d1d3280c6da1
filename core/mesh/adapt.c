/* adapt.c - see adapt.h. */
#include "core/mesh/adapt.h"

#include <stdlib.h>
#include <string.h>

#include "core/mesh/exchange.h"
#include "core/mesh/hierarchy.h"
#include "core/mesh/leaf_map.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* ---- refinement ------------------------------------------------------------------------------ */

static int wanted(const struct sl_adapt_request *w, int level, const int64_t at[3])
{
    int key = level < w->nlevel ? sl_level_find(&w->level[level], level, at) : -1;
    int64_t gid = key >= 0 ? w->level[level].block[key].gid : -1;
    return gid >= 0 ? w->want[gid] : 0;
}

static bool refines(const void *data, int level, const int64_t at[3])
{
    const struct sl_adapt_request *w = data;
    return level < w->most && wanted(w, level, at) > 0;
}

/* ---- balance --------------------------------------------------------------------------------- */

/* Coarser leaves that touch a place of level l are to be refined. */
static void coarser_want(const struct sl_forest *f, struct sl_adapt_request *w, int l,
                         const int64_t at[3])
{
    for (int dir = 0; dir < SL_NDIR; dir++) {
        int64_t to[3];
        if (!sl_is_neighbour(dir, f->dim)) continue;
        for (int a = 0; a < 3; a++)
            to[a] = at[a] + sl_shift_of(dir, a);
        if (!sl_place_wrap(f->dim, f->root, f->periodic, l, to)) continue;
        const int64_t parent[3] = {to[0] >> 1, to[1] >> 1, to[2] >> 1};
        int key = sl_level_find(&w->level[l - 1], l - 1, parent);
        int64_t gid = key >= 0 ? w->level[l - 1].block[key].gid : -1;
        if (gid >= 0) w->want[gid] = 1;
    }
}

/* A leaf that is refined takes with it the coarser ones that touch it by a face, an edge or a
 * corner, so that levels of neighbours differ by one: what p4est_balance would find in a forest
 * that was balanced, without looking through all of it. Finest first: each level adds to the next
 * coarser one alone. */
static void requests_balance(const struct sl_forest *f, struct sl_adapt_request *w)
{
    int finest = w->nlevel < w->most ? w->nlevel - 1 : w->most - 1;
    for (int l = finest; l > 0; l--)
        for (int key = 0; key < w->level[l].nblock; key++) {
            const struct sl_leaf *b = &w->level[l].block[key];
            if (b->gid >= 0 && w->want[b->gid] > 0) coarser_want(f, w, l, b->at);
        }
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Levels of the leaves after refinement and balance; merged[l][key]: covered block `key` of level l
 * becomes a leaf. */
struct merge {
    const struct sl_forest *forest;
    const struct sl_adapt_request *request;
    struct sl_level level[SL_LEVELS]; /* owned */
    signed char *merged[SL_LEVELS];   /* owned */
    int nlevel;
    int64_t count;
};

static bool becomes_leaf(const void *data, int level, const int64_t at[3])
{
    const struct merge *m = data;
    int key = level < m->nlevel ? sl_level_find(&m->level[level], level, at) : -1;
    return key >= 0 && m->merged[level][key];
}

/* Whether all children of a covered block are leaves that want to merge. */
static bool family_wants(const struct merge *m, int l, int key)
{
    const struct sl_level *finer = &m->level[l + 1];
    int first = m->level[l].child[key], end = first + (1 << m->forest->dim);
    for (int child = first; child < end; child++)
        if (finer->block[child].gid < 0 || wanted(m->request, l + 1, finer->block[child].at) >= 0)
            return false;
    return true;
}

/* Whether a block of level l that is covered, and stays so, is at that place of the box. */
static bool stays_covered(const struct merge *m, int l, int64_t at[3])
{
    const struct sl_forest *f = m->forest;
    if (!sl_place_wrap(f->dim, f->root, f->periodic, l, at)) return false;
    int key = sl_level_find(&m->level[l], l, at);
    return key >= 0 && m->level[l].block[key].gid < 0 && !m->merged[l][key];
}

/* Whether a leaf finer than the children of a block touches it: the shell of places around them. */
static bool finer_beside(const struct merge *m, int l, const int64_t at[3])
{
    int dim = m->forest->dim, total = 1 << 2 * dim;
    for (int i = 0; i < total; i++) {
        int64_t to[3] = {0};
        bool inside = true;
        for (int a = 0; a < dim; a++) {
            int step = (i >> 2 * a & 3) - 1;
            inside = inside && (step == 0 || step == 1);
            to[a] = 2 * at[a] + step;
        }
        if (!inside && stays_covered(m, l + 1, to)) return true;
    }
    return false;
}

/* Finest first: a family that merges no longer keeps a coarser one from it. Those of one level do
 * not touch each other's decision, so their order is of no matter. */
static void families_merge(struct merge *m)
{
    for (int l = m->nlevel - 2; l >= 0; l--)
        for (int key = 0; key < m->level[l].nblock; key++) {
            const struct sl_leaf *b = &m->level[l].block[key];
            if (b->gid >= 0 || !family_wants(m, l, key)) continue;
            if (finer_beside(m, l, b->at)) continue;
            m->merged[l][key] = 1;
            m->count++;
        }
}

static void merge_release(struct merge *m)
{
    for (int l = 0; l < m->nlevel; l++) {
        sl_level_release(&m->level[l]);
        free(m->merged[l]);
    }
}

static int merge_levels(struct merge *m, const struct sl_leaf *leaf, int n)
{
    int rank;
    MPI_Comm_rank(m->forest->comm, &rank);
    SL_TRY(sl_levels_make(leaf, n, rank, &m->nlevel, m->level));
    SL_TRY(sl_levels_index(m->forest, m->nlevel, m->level));
    for (int l = 0; l < m->nlevel; l++)
        SL_TRY(sl_alloc("flags of blocks", (size_t)m->level[l].nblock, 1, &m->merged[l]));
    return SL_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int merge_all(struct sl_forest *f, const struct sl_adapt_request *request, int before,
                     bool *changed)
{
    struct merge m = {.forest = f, .request = request};
    struct sl_leaf *leaf = NULL;
    int n = 0;
    SL_TRY(sl_forest_all(f, &n, &leaf));
    int code = sl_agree(f->comm, merge_levels(&m, leaf, n));
    free(leaf);
    if (code == SL_OK) {
        families_merge(&m);
        *changed = n != before || m.count > 0;
        if (m.count > 0) code = sl_forest_merge(f, &(struct sl_forest_rule){becomes_leaf, &m});
    }
    merge_release(&m);
    return code;
}

static bool refines_any(const struct sl_adapt_request *w)
{
    for (int l = 0; l < w->nlevel && l < w->most; l++)
        for (int key = 0; key < w->level[l].nblock; key++) {
            int64_t gid = w->level[l].block[key].gid;
            if (gid >= 0 && w->want[gid] > 0) return true;
        }
    return false;
}

static bool merges_any(const struct sl_forest *f, const struct sl_adapt_request *w)
{
    for (int l = 0; l + 1 < w->nlevel; l++)
        for (int key = 0; key < w->level[l].nblock; key++) {
            int child = w->level[l].child[key], end = child + (1 << f->dim);
            const struct sl_leaf *b = w->level[l + 1].block;
            if (child < 0) continue;
            while (child < end && b[child].gid >= 0 && w->want[b[child].gid] < 0)
                child++;
            if (child == end) return true;
        }
    return false;
}

bool sl_adapt_changes(const struct sl_forest *f, const struct sl_adapt_request *w)
{
    return refines_any(w) || merges_any(f, w);
}

/* Balance asks for nothing where no leaf is refined. */
int sl_forest_adapt(struct sl_forest *f, struct sl_adapt_request *request, int n, bool *changed)
{
    if (refines_any(request)) {
        requests_balance(f, request);
        SL_TRY(sl_forest_refine(f, false, &(struct sl_forest_rule){refines, request}));
    }
    return merge_all(f, request, n, changed);
}

/* ---- from a list ----------------------------------------------------------------------------- */

/* The levels of a list that may not tile the box. */
struct list {
    struct sl_level level[SL_LEVELS];  /* owned */
    struct sl_leaf_map map[SL_LEVELS]; /* owned */
    int nlevel;
};

static bool is_covered(const void *data, int level, const int64_t at[3])
{
    const struct list *list = data;
    int key = level < list->nlevel ? sl_leaf_map_find(&list->map[level], level, at) : -1;
    return key >= 0 && list->level[level].block[key].gid < 0;
}

static int list_levels(struct list *list, const struct sl_leaf *leaf, int n)
{
    SL_TRY(sl_levels_make(leaf, n, 0, &list->nlevel, list->level));
    for (int l = 0; l < list->nlevel; l++)
        SL_TRY(sl_leaf_map_make(list->level[l].block, list->level[l].nblock, &list->map[l]));
    return SL_OK;
}

static void list_release(struct list *list)
{
    for (int l = 0; l < list->nlevel; l++) {
        sl_level_release(&list->level[l]);
        sl_leaf_map_release(&list->map[l]);
    }
}

static bool is_same(const struct sl_leaf *a, const struct sl_leaf *b, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i].level != b[i].level || memcmp(a[i].at, b[i].at, sizeof a[i].at) != 0) return false;
    return true;
}

int sl_forest_become(struct sl_forest *f, const struct sl_leaf *leaf, int n)
{
    struct list list = {.nlevel = 0};
    struct sl_leaf *got = NULL;
    int ngot = 0;
    int code = sl_agree(f->comm, list_levels(&list, leaf, n));
    if (code == SL_OK)
        code = sl_forest_refine(f, true, &(struct sl_forest_rule){is_covered, &list});
    if (code == SL_OK) code = sl_forest_all(f, &ngot, &got);
    if (code == SL_OK && (ngot != n || !is_same(got, leaf, n)))
        code = SL_FAIL(SL_EINPUT, "%d blocks do not tile the box, or are not in order", n);
    free(got);
    list_release(&list);
    return code;
}
