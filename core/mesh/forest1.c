/* forest1.c - the forest in 1D: a list cut into even pieces (see forest.h). */
#include "core/mesh/forest.h"

#include "core/sys/mem.h"
#include "core/sys/status.h"

static int64_t first_of(const struct sl_forest *f, int rank, int size)
{
    return (int64_t)f->root[0] * rank / size;
}

/* The rank whose piece holds leaf i. */
static int owner_of(const struct sl_forest *f, int64_t i, int size)
{
    int rank = (int)(i * size / f->root[0]);
    while (first_of(f, rank, size) > i)
        rank--;
    while (first_of(f, rank + 1, size) <= i)
        rank++;
    return rank;
}

static int trees_open(struct sl_forest *f)
{
    f->trees = NULL;
    return SL_OK;
}

static void trees_close(struct sl_forest *f)
{
    (void)f;
}

static void add(const struct sl_forest *f, struct sl_leaves *l, int64_t i, int size)
{
    int n = l->nlocal + l->nhalo;
    l->leaf[n] = (struct sl_leaf){.gid = i, .at = {i, 0, 0}, .owner = owner_of(f, i, size)};
}

static int trees_leaves(const struct sl_forest *f, struct sl_leaves *out)
{
    int rank, size;
    MPI_Comm_rank(f->comm, &rank);
    MPI_Comm_size(f->comm, &size);
    int64_t n = f->root[0], first = first_of(f, rank, size), end = first_of(f, rank + 1, size);
    struct sl_leaves l = {.nglobal = n};
    SL_TRY(sl_alloc("leaves of the forest", (size_t)(end - first) + 2, sizeof *l.leaf, &l.leaf));
    for (int64_t i = first; i < end; i++, l.nlocal++)
        add(f, &l, i, size);
    const int64_t halo[2] = {first - 1, end}; /* the same leaf twice does no harm */
    for (int s = 0; s < 2 && first < end; s++) {
        int64_t i = f->periodic[0] ? (halo[s] + n) % n : halo[s];
        if (i < 0 || i >= n || (i >= first && i < end)) continue;
        add(f, &l, i, size);
        l.nhalo++;
    }
    *out = l;
    return SL_OK;
}

const struct sl_forest_kind sl_forest_list = {trees_open, trees_close, trees_leaves};
