/* forest2.c - the forest on p4est (see forest.h). forest3.c compiles this file once more with the
 * names of p8est, as p4est itself does. */
#ifdef P4_TO_P8
#include <p8est_bits.h>
#include <p8est_extended.h>
#include <p8est_ghost.h>
#define SL_FOREST_KIND sl_forest_oct
#define ROOTS(r)       (r)[0], (r)[1], (r)[2]
#define QUADRANT_AT(q)                                                                             \
    {                                                                                              \
        (q)->x, (q)->y, (q)->z                                                                     \
    }
#else
#include <p4est_bits.h>
#include <p4est_extended.h>
#include <p4est_ghost.h>
#define SL_FOREST_KIND sl_forest_quad
#define ROOTS(r)       (r)[0], (r)[1]
#define QUADRANT_AT(q)                                                                             \
    {                                                                                              \
        (q)->x, (q)->y, 0                                                                          \
    }
#endif

#include "core/mesh/forest.h"
#include "core/sys/depth.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* The libraries of p4est talk on stdout until they are told not to, once per process. */
static void quiet(void)
{
    if (sc_package_id < 0) sc_init(sc_MPI_COMM_NULL, 0, 0, NULL, SC_LP_ERROR);
    if (p4est_package_id < 0) p4est_init(NULL, SC_LP_ERROR);
}

static p4est_connectivity_t *brick_new(const struct sl_forest *f)
{
    int trees[3];
    for (int a = 0; a < 3; a++)
        trees[a] = f->root[a] >> f->tree_level;
    return p4est_connectivity_new_brick(ROOTS(trees), ROOTS(f->periodic));
}

static int trees_open(struct sl_forest *f)
{
    quiet();
    p4est_t *p = p4est_new_ext(f->comm, brick_new(f), 0, f->tree_level, 1, 0, NULL, NULL);
    p4est_partition(p, 0, NULL); /* every block costs the same */
    f->trees = p;
    return SL_OK;
}

static int trees_copy(const struct sl_forest *from, struct sl_forest *to)
{
    p4est_t *p = p4est_copy(from->trees, 0);
    p->connectivity = brick_new(to); /* each forest has its own */
    to->trees = p;
    return SL_OK;
}

static void trees_close(struct sl_forest *f)
{
    p4est_t *p = f->trees;
    if (!p) return;
    p4est_connectivity_t *brick = p->connectivity;
    p4est_destroy(p);
    p4est_connectivity_destroy(brick);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Where quadrant q of tree t lies in the box: the brick's vertices are the trees' coordinates. */
static struct sl_leaf leaf_of(const struct sl_forest *f, p4est_topidx_t t,
                              const p4est_quadrant_t *q, int owner, int64_t local)
{
    const p4est_t *p = f->trees;
    const p4est_connectivity_t *brick = p->connectivity;
    const double *corner = brick->vertices + 3 * brick->tree_to_vertex[P4EST_CHILDREN * t];
    const int64_t at[3] = QUADRANT_AT(q);
    struct sl_leaf leaf = {.gid = p->global_first_quadrant[owner] + local,
                           .level = q->level - f->tree_level,
                           .owner = owner};
    for (int a = 0; a < f->dim; a++)
        leaf.at[a] = ((int64_t)corner[a] << q->level) + (at[a] >> (P4EST_MAXLEVEL - q->level));
    return leaf;
}

static void add_local(const struct sl_forest *f, struct sl_leaves *l)
{
    p4est_t *p = f->trees;
    for (p4est_topidx_t t = p->first_local_tree; t <= p->last_local_tree; t++) {
        p4est_tree_t *tree = p4est_tree_array_index(p->trees, t);
        for (size_t i = 0; i < tree->quadrants.elem_count; i++, l->nlocal++)
            l->leaf[l->nlocal] = leaf_of(f, t, p4est_quadrant_array_index(&tree->quadrants, i),
                                         p->mpirank, l->nlocal);
    }
}

static void add_halo(const struct sl_forest *f, p4est_ghost_t *ghost, struct sl_leaves *l)
{
    const p4est_t *p = f->trees;
    for (int owner = 0; owner < p->mpisize; owner++)
        for (int i = ghost->proc_offsets[owner]; i < ghost->proc_offsets[owner + 1]; i++) {
            const p4est_quadrant_t *q = p4est_quadrant_array_index(&ghost->ghosts, (size_t)i);
            l->leaf[l->nlocal + l->nhalo++] =
                leaf_of(f, q->p.piggy3.which_tree, q, owner, q->p.piggy3.local_num);
        }
}

static int trees_leaves(const struct sl_forest *f, struct sl_leaves *out)
{
    p4est_t *p = f->trees;
    p4est_ghost_t *ghost = p4est_ghost_new(p, P4EST_CONNECT_FULL);
    struct sl_leaves l = {.nglobal = p->global_num_quadrants};
    size_t n = (size_t)p->local_num_quadrants + ghost->ghosts.elem_count;
    int code = sl_alloc("leaves of the forest", n, sizeof *l.leaf, &l.leaf);
    if (code == SL_OK) {
        add_local(f, &l);
        add_halo(f, ghost, &l);
        *out = l;
    }
    p4est_ghost_destroy(ghost);
    return code;
}

static int trees_own(const struct sl_forest *f, struct sl_leaves *out)
{
    p4est_t *p = f->trees;
    struct sl_leaves l = {.nglobal = p->global_num_quadrants};
    SL_TRY(
        sl_alloc("leaves of the forest", (size_t)p->local_num_quadrants, sizeof *l.leaf, &l.leaf));
    add_local(f, &l);
    *out = l;
    return SL_OK;
}

/* ---- changes --------------------------------------------------------------------------------- */

/* What p4est hands to its callbacks. */
struct call {
    const struct sl_forest *forest;
    const struct sl_forest_rule *rule;
    const struct sl_forest_weights *weights;
};

static bool obeys(const struct call *call, const struct sl_leaf *leaf)
{
    return call->rule->test(call->rule->data, leaf->level, leaf->at);
}

static int on_refine(p4est_t *p, p4est_topidx_t tree, p4est_quadrant_t *q)
{
    const struct call *call = p->user_pointer;
    struct sl_leaf leaf = leaf_of(call->forest, tree, q, p->mpirank, 0);
    return obeys(call, &leaf);
}

static int trees_refine(struct sl_forest *f, bool again, const struct sl_forest_rule *rule)
{
    struct call call = {.forest = f, .rule = rule};
    p4est_t *p = f->trees;
    p->user_pointer = &call;
    p4est_refine_ext(p, again, P4EST_QMAXLEVEL, on_refine, NULL, NULL);
    return SL_OK;
}

static int on_merge(p4est_t *p, p4est_topidx_t tree, p4est_quadrant_t *family[])
{
    const struct call *call = p->user_pointer;
    if (family[0]->level <= call->forest->tree_level) return 0;
    struct sl_leaf parent = leaf_of(call->forest, tree, family[0], p->mpirank, 0);
    parent.level--;
    for (int a = 0; a < 3; a++)
        parent.at[a] >>= 1;
    return obeys(call, &parent);
}

/* p4est merges families that one rank holds. */
static int trees_merge(struct sl_forest *f, const struct sl_forest_rule *rule)
{
    struct call call = {.forest = f, .rule = rule};
    p4est_t *p = f->trees;
    p4est_partition(p, 1, NULL);
    p->user_pointer = &call;
    p4est_coarsen(p, 0, on_merge, NULL);
    return SL_OK;
}

static int on_share(p4est_t *p, p4est_topidx_t tree, p4est_quadrant_t *q)
{
    const struct call *call = p->user_pointer;
    struct sl_leaf leaf = leaf_of(call->forest, tree, q, p->mpirank, 0);
    return sl_forest_weight(call->weights, leaf.level, leaf.at);
}

static int trees_share(struct sl_forest *f, const struct sl_forest_weights *weights)
{
    struct call call = {.forest = f, .weights = weights};
    p4est_t *p = f->trees;
    p->user_pointer = &call;
    p4est_partition(p, 0, on_share);
    return SL_OK;
}

_Static_assert(P4EST_QMAXLEVEL == (P4EST_DIM == 2 ? SL_DEPTH_QUAD : SL_DEPTH_OCT),
               "core/sys/depth.h has another depth than p4est");

const struct sl_forest_kind SL_FOREST_KIND = {
    .open = trees_open,
    .copy = trees_copy,
    .close = trees_close,
    .leaves = trees_leaves,
    .own = trees_own,
    .refine = trees_refine,
    .merge = trees_merge,
    .share = trees_share,
};
