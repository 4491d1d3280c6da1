/* tree.c - see tree.h. */
#include "core/clump/tree.h"

#include <stdlib.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

struct work {
    const struct sl_region_gas *gas;
    struct sl_merge merge;
};

/* ---- the list ---- */

/* For sorting: children of one parent by falling mass. */
struct child {
    int parent, node;
    double mass;
};

static int by_parent(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    if (x->parent != y->parent) return (x->parent > y->parent) - (x->parent < y->parent);
    if (x->mass != y->mass) return x->mass < y->mass ? 1 : -1;
    return (x->node > y->node) - (x->node < y->node);
}

static void sort_children(const struct sl_merge *m, const struct sl_regions *all,
                          struct child *child, int *first)
{
    int i = 0;
    for (int k = 0; k < m->n; k++)
        child[k] = (struct child){m->node[k].parent, k, all->sums[k].sum[SL_REGION_MASS]};
    qsort(child, (size_t)m->n, sizeof *child, by_parent);
    for (int parent = -1; parent <= m->n; parent++) {
        while (i < m->n && child[i].parent < parent)
            i++;
        first[parent + 1] = i;
    }
}

/* Puts nodes into the list, each before its children; row[node]: its place in the list. */
static void list_nodes(const struct work *w, const struct sl_regions *all,
                       const struct child *child, const int *first, int *stack, int *row,
                       struct sl_tree *out)
{
    int waiting = 0;
    for (int i = first[1] - 1; i >= 0; i--)
        stack[waiting++] = child[i].node;
    while (waiting > 0) {
        int k = stack[--waiting], up = w->merge.node[k].parent;
        struct sl_tree_node *t = &out->node[row[k] = out->n++];
        *t = (struct sl_tree_node){.region = sl_region_of(w->gas, &all->sums[k]),
                                   .range = w->merge.node[k]};
        t->range.parent = up < 0 ? -1 : row[up];
        t->depth = up < 0 ? 0 : out->node[row[up]].depth + 1;
        t->children = first[k + 2] - first[k + 1];
        if (t->children == 0) t->range.top = t->region.peak;
        t->region.label = row[k];
        if (t->children == 0) t->place = ++out->leaves;
        for (int i = first[k + 2] - 1; i >= first[k + 1]; i--)
            stack[waiting++] = child[i].node;
    }
    for (int i = out->n - 1; i >= 0; i--) {
        const struct sl_tree_node *t = &out->node[i];
        if (t->range.parent >= 0)
            out->node[t->range.parent].place += t->place / out->node[t->range.parent].children;
    }
}

static int make_list(const struct work *w, struct sl_regions *all, struct sl_tree *out)
{
    size_t n = (size_t)w->merge.n;
    struct child *child = malloc((n + 1) * sizeof *child);
    int *first = malloc((3 * n + 3) * sizeof *first);
    out->node = malloc((n + 1) * sizeof *out->node);
    int code =
        child && first && out->node ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for %zu nodes", n);
    if (code == SL_OK) {
        for (int i = 0; i < w->merge.n; i++)
            if (w->merge.node[i].parent >= 0)
                sl_region_add(&all->sums[w->merge.node[i].parent], &all->sums[i]);
        sort_children(&w->merge, all, child, first);
        list_nodes(w, all, child, first, first + n + 2, first + 2 * n + 2, out);
    }
    free(child);
    free(first);
    return code;
}

/* ---- all of it ---- */

static int make(struct work *w, const struct sl_merge_rule *rule, struct sl_regions *all,
                struct sl_tree *out)
{
    SL_TRY(sl_merge_make(w->gas, rule, &w->merge));
    SL_TRY(sl_regions_make(w->gas, w->merge.label, all));
    return sl_agree(w->gas->slab->comm, make_list(w, all, out));
}

int sl_tree_make(const struct sl_region_gas *gas, const struct sl_merge_rule *rule,
                 struct sl_tree *out)
{
    struct work w = {.gas = gas};
    struct sl_regions all = {0, NULL};
    struct sl_tree result = {0, 0, NULL};
    int code = make(&w, rule, &all, &result);
    sl_regions_release(&all);
    sl_merge_release(&w.merge);
    if (code == SL_OK)
        *out = result;
    else
        sl_tree_release(&result);
    return code;
}

void sl_tree_release(struct sl_tree *tree)
{
    free(tree->node);
    *tree = (struct sl_tree){0, 0, NULL};
}
