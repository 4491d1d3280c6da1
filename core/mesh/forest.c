/* forest.c - see forest.h; the choice between the kinds. */
#include "core/mesh/forest.h"

#include <math.h>
#include <stdlib.h>

#include "core/sys/agree.h"
#include "core/sys/depth.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* A weight is a whole number in p4est: the largest one is this, and 2^31 of them can be added. */
enum { WEIGHT_MAX = 1 << 24 };

static const struct sl_forest_kind *kind_of(int dim)
{
    return dim == 1 ? &sl_forest_list : dim == 2 ? &sl_forest_quad : &sl_forest_oct;
}

int sl_forest_new(MPI_Comm comm, int dim, const int root[3], const bool periodic[3],
                  struct sl_forest **out)
{
    struct sl_forest *f = NULL;
    SL_TRY(sl_agree(comm, sl_alloc("forest", 1, sizeof *f, &f)));
    f->comm = comm;
    f->dim = dim;
    for (int a = 0; a < 3; a++) {
        f->root[a] = a < dim ? root[a] : 1;
        f->periodic[a] = a < dim && periodic[a];
    }
    f->tree_level = sl_depth_tree(dim, root);
    int code = sl_agree(comm, kind_of(dim)->open(f));
    if (code != SL_OK) {
        sl_forest_free(f);
        return sl_trace(__FILE__, __LINE__, code);
    }
    *out = f;
    return SL_OK;
}

int sl_forest_copy(const struct sl_forest *from, struct sl_forest **out)
{
    struct sl_forest *f = NULL;
    SL_TRY(sl_agree(from->comm, sl_alloc("forest", 1, sizeof *f, &f)));
    *f = *from;
    f->trees = NULL;
    int code = sl_agree(from->comm, kind_of(f->dim)->copy(from, f));
    if (code != SL_OK) {
        sl_forest_free(f);
        return sl_trace(__FILE__, __LINE__, code);
    }
    *out = f;
    return SL_OK;
}

void sl_forest_free(struct sl_forest *forest)
{
    if (!forest) return;
    kind_of(forest->dim)->close(forest);
    free(forest);
}

int sl_forest_most(const struct sl_forest *forest)
{
    return sl_depth_forest(forest->dim, forest->root);
}

/* ---- lists of leaves ------------------------------------------------------------------------- */

int sl_forest_leaves(const struct sl_forest *forest, struct sl_leaves *out)
{
    return kind_of(forest->dim)->leaves(forest, out);
}

/* How many leaves each rank has and how many are before them. */
static int counts_make(const struct sl_forest *f, const struct sl_leaves *own, int **out)
{
    int size, *count = NULL;
    MPI_Comm_size(f->comm, &size);
    int code = sl_alloc("numbers of leaves", 2 * (size_t)size, sizeof *count, &count);
    if (code == SL_OK && own->nglobal > INT32_MAX)
        code = SL_FAIL(SL_EINPUT, "%lld blocks are more than a mesh with levels numbers (%d)",
                       (long long)own->nglobal, INT32_MAX);
    code = sl_agree(f->comm, code);
    if (code != SL_OK) {
        free(count);
        return code;
    }
    MPI_Allgather(&own->nlocal, 1, MPI_INT, count, 1, MPI_INT, f->comm);
    for (int r = 1; r < size; r++)
        count[size + r] = count[size + r - 1] + count[r - 1];
    *out = count;
    return SL_OK;
}

/* A leaf in a message: the rest follows from its place in the list. Places along an axis fit as in
 * a checkpoint (core/io/index.h). */
struct sent {
    int32_t at[3], level;
};

static struct sent sent_of(const struct sl_leaf *leaf)
{
    return (struct sent){{(int32_t)leaf->at[0], (int32_t)leaf->at[1], (int32_t)leaf->at[2]},
                         leaf->level};
}

static void list_of(int size, const int *count, const struct sent *sent, struct sl_leaf *leaf)
{
    for (int r = 0, i = 0; r < size; r++)
        for (int end = i + count[r]; i < end; i++)
            leaf[i] = (struct sl_leaf){.gid = i,
                                       .at = {sent[i].at[0], sent[i].at[1], sent[i].at[2]},
                                       .level = sent[i].level,
                                       .owner = r};
}

/* count: how many leaves each rank has and how many are before them. */
static int gather_sent(const struct sl_forest *f, const struct sl_leaves *own, const int *count,
                       struct sent *sent)
{
    int rank, size;
    MPI_Datatype type;
    MPI_Comm_rank(f->comm, &rank);
    MPI_Comm_size(f->comm, &size);
    for (int i = 0; i < own->nlocal; i++)
        sent[count[size + rank] + i] = sent_of(&own->leaf[i]);
    MPI_Type_contiguous((int)sizeof *sent, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    int code = MPI_Allgatherv(MPI_IN_PLACE, 0, type, sent, count, count + size, type, f->comm);
    MPI_Type_free(&type);
    SL_CHECK(code == MPI_SUCCESS, SL_EMPI, "cannot gather the leaves of the ranks");
    return SL_OK;
}

static int gather(const struct sl_forest *f, const struct sl_leaves *own, struct sl_leaf **out)
{
    int size, *count;
    struct sl_leaf *leaf = NULL;
    struct sent *sent = NULL;
    SL_TRY(counts_make(f, own, &count));
    MPI_Comm_size(f->comm, &size);
    int code = sl_alloc("leaves of all ranks", (size_t)own->nglobal, sizeof *leaf, &leaf);
    if (code == SL_OK)
        code = sl_alloc("places of leaves", (size_t)own->nglobal, sizeof *sent, &sent);
    code = sl_agree(f->comm, code);
    if (code == SL_OK) code = gather_sent(f, own, count, sent);
    if (code == SL_OK) list_of(size, count, sent, leaf);
    free(sent);
    free(count);
    if (code == SL_OK)
        *out = leaf;
    else
        free(leaf);
    return code;
}

int sl_forest_all(const struct sl_forest *forest, int *nleaf, struct sl_leaf **leaf)
{
    struct sl_leaves own = {0};
    SL_TRY(sl_agree(forest->comm, kind_of(forest->dim)->own(forest, &own)));
    int code = gather(forest, &own, leaf);
    free(own.leaf);
    SL_TRY(code);
    *nleaf = (int)own.nglobal;
    return SL_OK;
}

/* ---- changes --------------------------------------------------------------------------------- */

int sl_forest_refine(struct sl_forest *forest, bool again, const struct sl_forest_rule *rule)
{
    return sl_agree(forest->comm, kind_of(forest->dim)->refine(forest, again, rule));
}

int sl_forest_merge(struct sl_forest *forest, const struct sl_forest_rule *rule)
{
    return sl_agree(forest->comm, kind_of(forest->dim)->merge(forest, rule));
}

static double cost_of(const struct sl_forest_cost *c, int level, const int64_t at[3])
{
    return c->level[level] + (c->more ? c->more(c->data, level, at) : 0);
}

int sl_forest_weight(const struct sl_forest_weights *w, int level, const int64_t at[3])
{
    double share = level < w->cost.n && w->most > 0 ? cost_of(&w->cost, level, at) / w->most : 1;
    return share >= 1.0 / WEIGHT_MAX ? (int)lrint(share * WEIGHT_MAX) : 1;
}

/* The dearest leaf of any rank. */
static int find_most(const struct sl_forest *forest, struct sl_forest_weights *w)
{
    struct sl_leaves own = {0};
    SL_TRY(sl_agree(forest->comm, kind_of(forest->dim)->own(forest, &own)));
    for (int i = 0; i < own.nlocal; i++) {
        const struct sl_leaf *leaf = &own.leaf[i];
        double cost = leaf->level < w->cost.n ? cost_of(&w->cost, leaf->level, leaf->at) : 0;
        if (cost > w->most) w->most = cost;
    }
    free(own.leaf);
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, &w->most, 1, MPI_DOUBLE, MPI_MAX, forest->comm) ==
                 MPI_SUCCESS,
             SL_EMPI, "cannot compare the costs of blocks");
    return SL_OK;
}

int sl_forest_share(struct sl_forest *forest, const struct sl_forest_cost *cost)
{
    struct sl_forest_weights w = {.cost = *cost};
    for (int l = 0; l < cost->n; l++)
        if (cost->level[l] > w.most) w.most = cost->level[l];
    if (cost->more) SL_TRY(find_most(forest, &w));
    return sl_agree(forest->comm, kind_of(forest->dim)->share(forest, &w));
}
