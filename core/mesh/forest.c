/* forest.c - see forest.h; the choice between the kinds. */
#include "core/mesh/forest.h"

#include <stdlib.h>

#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

static const struct sl_forest_kind *kind_of(int dim)
{
    return dim == 1 ? &sl_forest_list : dim == 2 ? &sl_forest_quad : &sl_forest_oct;
}

/* Largest k such that 2^k divides all sides of the root grid. */
static int common_level(int dim, const int root[3])
{
    unsigned bits = 1U << 10; /* leaves room for refinement: p8est has 18 levels */
    for (int a = 0; a < dim; a++)
        bits |= (unsigned)root[a];
    return __builtin_ctz(bits);
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
    f->tree_level = common_level(dim, root);
    int code = kind_of(dim)->open(f);
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

int sl_forest_leaves(const struct sl_forest *forest, struct sl_leaves *out)
{
    return kind_of(forest->dim)->leaves(forest, out);
}
