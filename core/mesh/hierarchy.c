/* hierarchy.c - see hierarchy.h; from the leaves of a forest to the meshes of its levels. */
#include "core/mesh/hierarchy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mesh/adapt.h"
#include "core/mesh/level.h"
#include "core/mesh/nest_make.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* ---- checks ---------------------------------------------------------------------------------- */

static int check(const struct sl_mesh_spec *s)
{
    SL_TRY(sl_mesh_check(s));
    for (int a = 0; a < s->dim; a++) {
        char axis = "xyz"[a];
        SL_CHECK(s->block[a] % 2 == 0, SL_EINPUT,
                 "mesh.block: %d along %c is odd; a mesh with levels has blocks of an even size",
                 s->block[a], axis);
        SL_CHECK(s->block[a] >= 2 * s->ghost + 2, SL_EINPUT,
                 "mesh.block: %d along %c is too small: with levels and %d ghost cells a block "
                 "needs %d",
                 s->block[a], axis, s->ghost, 2 * s->ghost + 2);
    }
    return SL_OK;
}

static int root_forest(MPI_Comm comm, const struct sl_mesh_spec *s, struct sl_forest **out)
{
    int root[3] = {1, 1, 1};
    bool periodic[3] = {0};
    for (int a = 0; a < s->dim; a++) {
        root[a] = s->cells[a] / s->block[a];
        periodic[a] = s->boundary[2 * a] == SL_BOUNDARY_periodic;
    }
    return sl_forest_new(comm, s->dim, root, periodic, out);
}

/* ---- making it ------------------------------------------------------------------------------- */

static int all_make(struct sl_hierarchy *h, const struct sl_leaf *leaf, int n)
{
    int rank;
    MPI_Comm_rank(h->comm, &rank);
    h->nleaf_global = n;
    SL_TRY(sl_alloc("levels", SL_LEVELS, sizeof *h->all, &h->all));
    SL_TRY(sl_levels_make(leaf, n, rank, &h->nlevel, h->all));
    for (int i = 0; i < n; i++)
        h->count[leaf[i].level]++;
    SL_TRY(sl_levels_index(h->forest, h->nlevel, h->all));
    return sl_levels_near(h->forest, h->nlevel, h->all);
}

static int nests_make(struct sl_hierarchy *h)
{
    for (int l = 1; l < h->nlevel; l++)
        SL_TRY(sl_nest_make(h->level[l - 1], &h->all[l - 1], h->level[l], &h->all[l], &h->nest[l]));
    return SL_OK;
}

static int tables_make(struct sl_hierarchy *h)
{
    struct sl_leaf *leaf = NULL;
    int n = 0;
    SL_TRY(sl_forest_all(h->forest, &n, &leaf));
    int code = sl_agree(h->comm, all_make(h, leaf, n));
    free(leaf);
    for (int l = 0; l < h->nlevel && code == SL_OK; l++)
        code = sl_mesh_of_level(h->comm, &h->spec, l, &h->all[l], &h->level[l]);
    if (code == SL_OK) code = sl_agree(h->comm, nests_make(h));
    for (int l = 0; l < h->nlevel; l++)
        sl_level_far(&h->all[l]);
    return code;
}

/* The hierarchy of a forest, which belongs to it then, and is freed on an error. */
static int hierarchy_make(MPI_Comm comm, const struct sl_mesh_spec *spec, struct sl_forest *forest,
                          struct sl_hierarchy **out)
{
    struct sl_hierarchy *h = NULL;
    int code = sl_agree(comm, sl_alloc("hierarchy", 1, sizeof *h, &h));
    if (code != SL_OK) {
        sl_forest_free(forest);
        free(h);
        return code;
    }
    h->comm = comm;
    h->spec = *spec;
    h->forest = forest;
    code = tables_make(h);
    if (code != SL_OK) {
        sl_hierarchy_free(h);
        return code;
    }
    *out = h;
    return SL_OK;
}

int sl_hierarchy_new(MPI_Comm comm, const struct sl_mesh_spec *spec, struct sl_hierarchy **out)
{
    struct sl_forest *forest;
    SL_TRY(check(spec));
    SL_TRY(root_forest(comm, spec, &forest));
    return hierarchy_make(comm, spec, forest, out);
}

int sl_hierarchy_uniform(MPI_Comm comm, const struct sl_mesh_spec *spec, struct sl_hierarchy **out)
{
    struct sl_hierarchy *h = NULL;
    int code = sl_agree(comm, sl_alloc("hierarchy", 1, sizeof *h, &h));
    if (code == SL_OK) code = sl_mesh_new(comm, spec, &h->level[0]);
    if (code != SL_OK) {
        free(h);
        return code;
    }
    struct sl_mesh *mesh = h->level[0];
    h->comm = comm;
    h->spec = *spec;
    h->forest = mesh->forest;
    mesh->forest = NULL;
    h->nlevel = 1;
    h->nleaf_global = h->count[0] = mesh->nblock_global;
    *out = h;
    return SL_OK;
}

void sl_hierarchy_free(struct sl_hierarchy *h)
{
    if (!h) return;
    for (int l = 0; l < SL_LEVELS; l++) {
        sl_mesh_free(h->level[l]);
        sl_nest_free(h->nest[l]);
        if (h->all) sl_level_release(&h->all[l]);
    }
    free(h->all);
    sl_forest_free(h->forest);
    free(h);
}

int sl_hierarchy_most(const struct sl_hierarchy *h)
{
    return sl_depth_most(h->forest->dim, h->forest->root);
}

/* ---- the next one ---------------------------------------------------------------------------- */

/* How many leaves each rank has, and how many are before them: count[2 * size]. */
static void requests_count(const struct sl_hierarchy *h, int *count)
{
    int size = h->level[0]->size;
    for (int l = 0; l < h->nlevel; l++)
        for (int key = 0; key < h->all[l].nblock; key++)
            count[h->all[l].block[key].owner] += h->all[l].block[key].gid >= 0;
    for (int r = 1; r < size; r++)
        count[size + r] = count[size + r - 1] + count[r - 1];
}

/* What is given of the leaves of all ranks, along the curve; the caller frees it, also on an error.
 * own, *all: arrays of this type, whose values have `size` bytes. */
static int values_make(const struct sl_hierarchy *h, const void *own, MPI_Datatype type,
                       size_t size, void *all)
{
    void *to = NULL;
    int *count = NULL, rank = h->level[0]->rank, ranks = h->level[0]->size;
    int code = sl_alloc("requests of leaves", (size_t)h->nleaf_global, size, &to);
    memcpy(all, &to, sizeof to);
    if (code == SL_OK)
        code = sl_alloc("numbers of leaves", 2 * (size_t)ranks, sizeof *count, &count);
    code = sl_agree(h->comm, code);
    if (code == SL_OK) {
        requests_count(h, count);
        MPI_Allgatherv(own, count[rank], type, to, count, count + ranks, type, h->comm);
    }
    free(count);
    return code;
}

/* What the next hierarchy is made from. */
struct next {
    const struct sl_hierarchy *from;
    struct sl_adapt_request request;
    const double *weight;
    double *more; /* owned; [gid], or NULL */
};

/* What is more of a leaf of the next hierarchy than its level says. */
static double more_of(const void *data, int level, const int64_t at[3])
{
    const struct next *next = data;
    const struct sl_level *all = next->from->all;
    int dim = next->from->spec.dim;
    int key = level < next->from->nlevel ? sl_level_find(&all[level], level, at) : -1;
    if (key >= 0 && all[level].block[key].gid >= 0) return next->more[all[level].block[key].gid];
    if (key < 0) {
        const int64_t parent[3] = {at[0] >> 1, at[1] >> 1, at[2] >> 1};
        int of = sl_level_find(&all[level - 1], level - 1, parent);
        return of < 0 ? 0 : ldexp(next->more[all[level - 1].block[of].gid], -dim);
    }
    double sum = 0;
    for (int i = 0, child = all[level].child[key]; i < 1 << dim; i++)
        sum += next->more[all[level + 1].block[child + i].gid];
    return sum;
}

/* The cost of the dearest rank, for owners of the leaves along the curve. */
static double dearest(const struct next *next, const struct sl_leaf *leaf, double *rank)
{
    double most = 0;
    memset(rank, 0, (size_t)next->from->level[0]->size * sizeof *rank);
    for (int64_t i = 0; i < next->from->nleaf_global; i++) {
        rank[leaf[i].owner] += next->weight[leaf[i].level] + next->more[leaf[i].gid];
        most = fmax(most, rank[leaf[i].owner]);
    }
    return most;
}

/* Whether shares of a forest of the same leaves are so much better that blocks should move. */
static int is_better(const struct next *next, const struct sl_forest *forest, bool *better)
{
    struct sl_leaf *leaf[2] = {NULL, NULL};
    double *rank = NULL;
    int n;
    int code = sl_forest_all(next->from->forest, &n, &leaf[0]);
    if (code == SL_OK) code = sl_forest_all(forest, &n, &leaf[1]);
    if (code == SL_OK)
        code = sl_alloc("costs of ranks", (size_t)next->from->level[0]->size, sizeof *rank, &rank);
    code = sl_agree(forest->comm, code);
    if (code == SL_OK) *better = dearest(next, leaf[1], rank) < 0.9 * dearest(next, leaf[0], rank);
    free(rank);
    free(leaf[0]);
    free(leaf[1]);
    return code;
}

/* The forest that follows; changed: from that of next->from. */
static int forest_next(struct next *next, bool *changed, struct sl_forest **out)
{
    const struct sl_hierarchy *from = next->from;
    const struct sl_forest_cost cost = {SL_LEVELS, next->weight, next->more ? more_of : NULL, next};
    struct sl_forest *forest;
    bool adapts = sl_adapt_changes(from->forest, &next->request);
    if (!adapts && !next->more) return SL_OK;
    SL_TRY(sl_forest_copy(from->forest, &forest));
    int code = SL_OK;
    if (adapts) code = sl_forest_adapt(forest, &next->request, (int)from->nleaf_global, changed);
    if (code == SL_OK && (*changed || next->more)) code = sl_forest_share(forest, &cost);
    if (code == SL_OK && !*changed && next->more) code = is_better(next, forest, changed);
    if (code == SL_OK && *changed)
        *out = forest;
    else
        sl_forest_free(forest);
    return code;
}

int sl_hierarchy_adapt(struct sl_hierarchy *from, const signed char *want, int most,
                       const double weight[SL_LEVELS], const double *more, int *changed,
                       struct sl_hierarchy **out)
{
    struct next next = {.from = from, .weight = weight};
    struct sl_hierarchy *made = NULL;
    struct sl_forest *forest = NULL;
    signed char *all = NULL;
    bool differs = false;
    SL_CHECK(from->all, SL_EINPUT, "a uniform mesh (mesh.levels: 0) is not refined");
    int limit = sl_hierarchy_most(from);
    int code = values_make(from, want, MPI_SIGNED_CHAR, sizeof *all, &all);
    if (code == SL_OK && more) code = values_make(from, more, MPI_DOUBLE, sizeof *more, &next.more);
    next.request =
        (struct sl_adapt_request){from->nlevel, from->all, all, most < limit ? most : limit};
    if (code == SL_OK) code = forest_next(&next, &differs, &forest);
    free(all);
    free(next.more);
    if (code == SL_OK && differs) code = hierarchy_make(from->comm, &from->spec, forest, &made);
    if (code != SL_OK) return sl_trace(__FILE__, __LINE__, code);
    *changed = differs;
    *out = made;
    return SL_OK;
}

/* ---- from a list ----------------------------------------------------------------------------- */

static int list_read(const struct sl_forest *f, int64_t n, const struct sl_hierarchy_leaf *from,
                     struct sl_leaf **out)
{
    struct sl_leaf *leaf;
    int most = sl_depth_most(f->dim, f->root);
    SL_CHECK(n > 0 && n <= INT32_MAX, SL_EINPUT, "%lld blocks do not make a mesh", (long long)n);
    for (int64_t i = 0; i < n; i++) {
        bool inside = from[i].level >= 0 && from[i].level <= most;
        for (int a = 0; a < 3 && inside; a++)
            inside = from[i].at[a] >= 0 &&
                     from[i].at[a] < (a < f->dim ? (int64_t)f->root[a] << from[i].level : 1);
        SL_CHECK(inside, SL_EINPUT, "block %lld of the list lies outside the box, or is too fine",
                 (long long)i);
    }
    SL_TRY(sl_alloc("leaves of all ranks", (size_t)n, sizeof *leaf, &leaf));
    for (int64_t i = 0; i < n; i++)
        leaf[i] = (struct sl_leaf){
            .gid = i, .at = {from[i].at[0], from[i].at[1], from[i].at[2]}, .level = from[i].level};
    *out = leaf;
    return SL_OK;
}

int sl_hierarchy_of(MPI_Comm comm, const struct sl_mesh_spec *spec, int64_t nleaf,
                    const struct sl_hierarchy_leaf *leaf, const double weight[SL_LEVELS],
                    struct sl_hierarchy **out)
{
    struct sl_forest *forest;
    struct sl_leaf *list = NULL;
    SL_TRY(check(spec));
    SL_TRY(root_forest(comm, spec, &forest));
    int code = sl_agree(comm, list_read(forest, nleaf, leaf, &list));
    if (code == SL_OK) code = sl_forest_become(forest, list, (int)nleaf);
    if (code == SL_OK)
        code = sl_forest_share(forest, &(struct sl_forest_cost){.n = SL_LEVELS, .level = weight});
    free(list);
    if (code != SL_OK) {
        sl_forest_free(forest);
        return sl_trace(__FILE__, __LINE__, code);
    }
    return hierarchy_make(comm, spec, forest, out);
}

/* ---- the curve ------------------------------------------------------------------------------- */

int sl_hierarchy_curve(const struct sl_hierarchy *h, int *level, int *block)
{
    int n = 0;
    int64_t first = INT64_MAX;
    for (int l = 0; l < h->nlevel; l++) {
        n += h->level[l]->nleaf;
        if (h->level[l]->nleaf > 0 && h->level[l]->blocks[0].gid < first)
            first = h->level[l]->blocks[0].gid;
    }
    for (int l = 0; l < h->nlevel; l++)
        for (int b = 0; b < h->level[l]->nleaf; b++) {
            int64_t at = h->level[l]->blocks[b].gid - first;
            if (level) level[at] = l;
            if (block) block[at] = b;
        }
    return n;
}
