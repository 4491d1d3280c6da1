/* tree.c - see tree.h.
 *
 * Rank 0 gets the dense cells plane by plane, makes the tree, and sends back to which node each cell belongs; what the nodes
 * hold is then summed by all ranks.
 */
#include "core/stats/tree.h"

#include <math.h>
#include <stdlib.h>

#include "core/sys/agree.h"
#include "core/sys/status.h"

struct work {
    const struct sl_region_gas *gas;
    const struct sl_slab *slab;
    const struct sl_merge_rule *rule;
    int *count;    /* [n2]: dense cells of each plane */
    int32_t *at;   /* of a plane: places of its dense cells, then their nodes */
    double *rho;   /* of a plane */
    int64_t *cell; /* of all ranks, on rank 0 */
    double *dense;
    int64_t *label; /* node of each own cell, -1: none */
    struct sl_merge merge;
};

static size_t plane_cells(const struct sl_slab *s)
{
    return (size_t)s->n[0] * (size_t)s->n[1];
}

static bool owns(const struct sl_slab *s, int z)
{
    return z >= s->z0 && z < s->z0 + s->nz;
}

/* ---- to rank 0 ---- */

/* Dense cells of own plane z into at and rho; returns how many. */
static int pack(const struct work *w, int z)
{
    size_t plane = plane_cells(w->slab);
    const double *rho = w->gas->rho + (size_t)(z - w->slab->z0) * plane;
    int n = 0;
    for (size_t i = 0; i < plane; i++)
        if (rho[i] > w->rule->floor) {
            w->at[n] = (int32_t)i;
            w->rho[n++] = rho[i];
        }
    return n;
}

/* The numbers of dense cells of all planes; how many in all. */
static int64_t count(struct work *w)
{
    const struct sl_slab *s = w->slab;
    int64_t total = 0;
    for (int z = 0; z < s->n[2]; z++)
        w->count[z] = owns(s, z) ? pack(w, z) : 0;
    MPI_Allreduce(MPI_IN_PLACE, w->count, s->n[2], MPI_INT, MPI_SUM, s->comm);
    for (int z = 0; z < s->n[2]; z++)
        total += w->count[z];
    return total;
}

/* A plane goes to rank 0 (of `from`); both may be one. */
static void move_plane(struct work *w, int z, int from)
{
    const struct sl_slab *s = w->slab;
    if (s->rank == from) pack(w, z);
    if (from == 0) return;
    if (s->rank == from) {
        MPI_Send(w->at, w->count[z], MPI_INT32_T, 0, 0, s->comm);
        MPI_Send(w->rho, w->count[z], MPI_DOUBLE, 0, 0, s->comm);
    } else {
        MPI_Recv(w->at, w->count[z], MPI_INT32_T, from, 0, s->comm, MPI_STATUS_IGNORE);
        MPI_Recv(w->rho, w->count[z], MPI_DOUBLE, from, 0, s->comm, MPI_STATUS_IGNORE);
    }
}

static void gather(struct work *w)
{
    const struct sl_slab *s = w->slab;
    int64_t n = 0;
    for (int z = 0; z < s->n[2]; z++) {
        int from = sl_slab_owner(s, z);
        if (s->rank != 0 && s->rank != from) continue;
        move_plane(w, z, from);
        for (int i = 0; s->rank == 0 && i < w->count[z]; i++, n++) {
            w->cell[n] = (int64_t)z * (int64_t)plane_cells(s) + w->at[i];
            w->dense[n] = w->rho[i];
        }
    }
}

/* ---- and back ---- */

/* Nodes of the cells of one plane, in w->at of rank 0, to their owner. */
static void move_back(struct work *w, int z, int to)
{
    const struct sl_slab *s = w->slab;
    if (to == 0) return;
    if (s->rank == 0)
        MPI_Send(w->at, w->count[z], MPI_INT32_T, to, 0, s->comm);
    else
        MPI_Recv(w->at, w->count[z], MPI_INT32_T, 0, 0, s->comm, MPI_STATUS_IGNORE);
}

static void set_labels(struct work *w, int z)
{
    size_t plane = plane_cells(w->slab), first = (size_t)(z - w->slab->z0) * plane;
    for (size_t i = 0, n = 0; i < plane; i++)
        w->label[first + i] = w->gas->rho[first + i] > w->rule->floor ? w->at[n++] : -1;
}

static void scatter(struct work *w)
{
    const struct sl_slab *s = w->slab;
    int64_t n = 0;
    for (int z = 0; z < s->n[2]; z++) {
        int to = sl_slab_owner(s, z);
        for (int i = 0; s->rank == 0 && i < w->count[z]; i++)
            w->at[i] = w->merge.node_of[n++];
        if (s->rank == 0 || s->rank == to) move_back(w, z, to);
        if (s->rank == to) set_labels(w, z);
    }
}

static int share_nodes(struct work *w)
{
    MPI_Comm comm = w->slab->comm;
    MPI_Bcast(&w->merge.n, 1, MPI_INT, 0, comm);
    size_t bytes = (size_t)w->merge.n * sizeof *w->merge.node;
    if (w->slab->rank > 0) w->merge.node = malloc(bytes + 1);
    SL_TRY(sl_agree(comm, w->merge.node ? SL_OK : SL_FAIL(SL_EMEM, "out of memory for a tree")));
    MPI_Datatype node;
    MPI_Type_contiguous(sizeof *w->merge.node, MPI_BYTE, &node);
    MPI_Type_commit(&node);
    MPI_Bcast(w->merge.node, w->merge.n, node, 0, comm);
    MPI_Type_free(&node);
    return SL_OK;
}

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

static int allocate(struct work *w)
{
    size_t plane = plane_cells(w->slab);
    w->count = malloc((size_t)w->slab->n[2] * sizeof *w->count);
    w->at = malloc(plane * sizeof *w->at);
    w->rho = malloc(plane * sizeof *w->rho);
    w->label = malloc((sl_slab_cells(w->slab) + 1) * sizeof *w->label);
    SL_CHECK(w->count && w->at && w->rho && w->label, SL_EMEM, "out of memory for a tree");
    return SL_OK;
}

/* Dense cells of all ranks on rank 0. */
static int collect(struct work *w, int64_t total)
{
    bool here = w->slab->rank == 0;
    w->cell = here ? malloc(((size_t)total + 1) * sizeof *w->cell) : NULL;
    w->dense = here ? malloc(((size_t)total + 1) * sizeof *w->dense) : NULL;
    int code = !here || (w->cell && w->dense)
                   ? SL_OK
                   : SL_FAIL(SL_EMEM, "out of memory for a tree of %lld cells", (long long)total);
    SL_TRY(sl_agree(w->slab->comm, code));
    gather(w);
    return SL_OK;
}

static int merge(struct work *w, int64_t total)
{
    const struct sl_slab *s = w->slab;
    struct sl_merge_cells cells = {.count = total, .cell = w->cell, .rho = w->dense};
    for (int d = 0; d < 3; d++) {
        cells.n[d] = s->n[d];
        cells.periodic[d] = w->gas->periodic[d];
    }
    return sl_agree(s->comm, s->rank == 0 ? sl_merge_make(&cells, w->rule, &w->merge) : SL_OK);
}

static int make(struct work *w, struct sl_regions *all, struct sl_tree *out)
{
    SL_TRY(sl_agree(w->slab->comm, allocate(w)));
    int64_t total = count(w);
    SL_TRY(collect(w, total));
    SL_TRY(merge(w, total));
    scatter(w);
    SL_TRY(share_nodes(w));
    SL_TRY(sl_regions_make(w->gas, w->label, all));
    return sl_agree(w->slab->comm, make_list(w, all, out));
}

int sl_tree_make(const struct sl_region_gas *gas, const struct sl_merge_rule *rule,
                 struct sl_tree *out)
{
    struct work w = {.gas = gas, .slab = gas->slab, .rule = rule};
    struct sl_regions all = {0, NULL};
    struct sl_tree result = {0, 0, NULL};
    int code = make(&w, &all, &result);
    sl_regions_release(&all);
    sl_merge_release(&w.merge);
    free(w.count);
    free(w.at);
    free(w.rho);
    free(w.cell);
    free(w.dense);
    free(w.label);
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
