/* forest1.c - the forest in 1D: a list of all leaves, on every rank, cut into pieces (see
 * forest.h). */
#include <stdlib.h>
#include <string.h>

#include "core/mesh/forest.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

struct list {
    int64_t n;
    struct sl_leaf *leaf; /* owned */
};

static int list_new(int64_t n, struct list **out)
{
    struct list *l = NULL;
    SL_TRY(sl_alloc("forest", 1, sizeof *l, &l));
    int code = sl_alloc("leaves of the forest", (size_t)n, sizeof *l->leaf, &l->leaf);
    if (code != SL_OK) {
        free(l);
        return code;
    }
    l->n = n;
    *out = l;
    return SL_OK;
}

static void list_free(struct list *l)
{
    if (!l) return;
    free(l->leaf);
    free(l);
}

/* Numbers the leaves and gives each to the rank in whose share of the total weight it begins. */
static int list_share(struct sl_forest *f, const struct sl_forest_weights *w)
{
    struct list *l = f->trees;
    int size, rank = 0;
    int64_t total = 0, before = 0;
    MPI_Comm_size(f->comm, &size);
    for (int64_t i = 0; i < l->n; i++)
        total += w ? sl_forest_weight(w, l->leaf[i].level, l->leaf[i].at) : 1;
    for (int64_t i = 0; i < l->n; i++) {
        while (rank + 1 < size && (double)before >= (double)total * (rank + 1) / size)
            rank++;
        l->leaf[i].gid = i;
        l->leaf[i].owner = rank;
        before += w ? sl_forest_weight(w, l->leaf[i].level, l->leaf[i].at) : 1;
    }
    return SL_OK;
}

/* The first block of rank r is n r / size, rounded down: the pieces differ by one at most. */
static int list_open(struct sl_forest *f)
{
    struct list *l;
    int size;
    MPI_Comm_size(f->comm, &size);
    SL_TRY(list_new(f->root[0], &l));
    for (int r = 0; r < size; r++)
        for (int64_t i = l->n * r / size; i < l->n * (r + 1) / size; i++)
            l->leaf[i] = (struct sl_leaf){.gid = i, .at = {i, 0, 0}, .owner = r};
    f->trees = l;
    return SL_OK;
}

static int list_copy(const struct sl_forest *from, struct sl_forest *to)
{
    const struct list *old = from->trees;
    struct list *l;
    SL_TRY(list_new(old->n, &l));
    memcpy(l->leaf, old->leaf, (size_t)l->n * sizeof *l->leaf);
    to->trees = l;
    return SL_OK;
}

static void list_close(struct sl_forest *f)
{
    list_free(f->trees);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Range of the leaves of this rank. */
static void own_range(const struct sl_forest *f, int64_t *first, int64_t *end)
{
    const struct list *l = f->trees;
    int rank;
    MPI_Comm_rank(f->comm, &rank);
    for (*first = 0; *first < l->n && l->leaf[*first].owner < rank;)
        ++*first;
    for (*end = *first; *end < l->n && l->leaf[*end].owner == rank;)
        ++*end;
}

static int list_leaves(const struct sl_forest *f, struct sl_leaves *out)
{
    const struct list *list = f->trees;
    int64_t n = list->n, first, end;
    own_range(f, &first, &end);
    struct sl_leaves l = {.nglobal = n, .nlocal = (int)(end - first)};
    SL_TRY(sl_alloc("leaves of the forest", (size_t)(end - first) + 2, sizeof *l.leaf, &l.leaf));
    memcpy(l.leaf, list->leaf + first, (size_t)l.nlocal * sizeof *l.leaf);
    const int64_t halo[2] = {first - 1, end}; /* the same leaf twice does no harm */
    for (int s = 0; s < 2 && first < end; s++) {
        int64_t i = f->periodic[0] ? (halo[s] + n) % n : halo[s];
        if (i < 0 || i >= n || (i >= first && i < end)) continue;
        l.leaf[l.nlocal + l.nhalo++] = list->leaf[i];
    }
    *out = l;
    return SL_OK;
}

static int list_own(const struct sl_forest *f, struct sl_leaves *out)
{
    SL_TRY(list_leaves(f, out));
    out->nhalo = 0;
    return SL_OK;
}

/* ---- changes: each makes a new list ---------------------------------------------------------- */

static void list_put(struct list *l, int level, int64_t at)
{
    l->leaf[l->n] = (struct sl_leaf){.gid = l->n, .at = {at, 0, 0}, .level = level};
    l->n++;
}

static void list_become(struct sl_forest *f, struct list *l)
{
    list_free(f->trees);
    f->trees = l;
    list_share(f, NULL);
}

/* Refines the leaves that are flagged; how many these are. */
static int list_split(struct sl_forest *f, const signed char *flag, int64_t flagged)
{
    const struct list *old = f->trees;
    struct list *l;
    SL_TRY(list_new(old->n + flagged, &l));
    l->n = 0;
    for (int64_t i = 0; i < old->n; i++) {
        const struct sl_leaf *leaf = &old->leaf[i];
        if (!flag[i]) list_put(l, leaf->level, leaf->at[0]);
        for (int c = 0; c < 2 && flag[i]; c++)
            list_put(l, leaf->level + 1, 2 * leaf->at[0] + c);
    }
    list_become(f, l);
    return SL_OK;
}

/* Refines the leaves for which the rule holds, once or until there is none. */
static int list_refine(struct sl_forest *f, bool again, const struct sl_forest_rule *rule)
{
    for (int64_t flagged = 1; flagged > 0; flagged = again ? flagged : 0) {
        const struct list *l = f->trees;
        signed char *flag;
        SL_TRY(sl_alloc("flags of leaves", (size_t)l->n, sizeof *flag, &flag));
        flagged = 0;
        for (int64_t i = 0; i < l->n; i++)
            flagged += flag[i] = rule->test(rule->data, l->leaf[i].level, l->leaf[i].at);
        int code = flagged > 0 ? list_split(f, flag, flagged) : SL_OK;
        free(flag);
        SL_TRY(code);
    }
    return SL_OK;
}

/* Whether leaf i and the next one are siblings whose parent obeys the rule. */
static bool merges(const struct list *l, int64_t i, const struct sl_forest_rule *rule)
{
    const struct sl_leaf *a = &l->leaf[i];
    int64_t parent[3] = {a->at[0] / 2, 0, 0};
    if (a->level == 0 || a->at[0] % 2 != 0 || i + 1 >= l->n || a[1].level != a->level) return false;
    return rule->test(rule->data, a->level - 1, parent);
}

static int list_merge(struct sl_forest *f, const struct sl_forest_rule *rule)
{
    const struct list *old = f->trees;
    struct list *l;
    SL_TRY(list_new(old->n, &l));
    l->n = 0;
    for (int64_t i = 0; i < old->n; i++) {
        const struct sl_leaf *leaf = &old->leaf[i];
        bool merge = merges(old, i, rule);
        list_put(l, leaf->level - merge, leaf->at[0] >> merge);
        i += merge;
    }
    list_become(f, l);
    return SL_OK;
}

const struct sl_forest_kind sl_forest_list = {
    .open = list_open,
    .copy = list_copy,
    .close = list_close,
    .leaves = list_leaves,
    .own = list_own,
    .refine = list_refine,
    .merge = list_merge,
    .share = list_share,
};
