/* refine.c - see refine.h. */
#include "core/step/refine.h"

#include <stdlib.h>

#include "core/config/config.h"
#include "core/mesh/hierarchy.h"
#include "core/mesh/leaf_map.h"
#include "core/step/backend.h"
#include "core/step/flag.h"
#include "core/step/level_ghosts.h"
#include "core/step/spread.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* ---- a run ---- */

static struct sl_sim *level_of(struct sl_sim *root, int level)
{
    while (root && root->state.mesh->level != level)
        root = root->finer;
    return root;
}

/* Leaves of the rank along the curve; *leaf and *block, their places in their meshes, are made with
 * malloc. */
static int leaves_of(const struct sl_hierarchy *h, struct sl_leaf **leaf, int **block, int *count)
{
    int n = sl_hierarchy_curve(h, NULL, NULL), *level = NULL;
    *leaf = NULL, *block = NULL, *count = n;
    SL_TRY(sl_alloc("leaves", (size_t)n, sizeof **leaf, leaf));
    SL_TRY(sl_alloc("places of leaves", (size_t)n, sizeof **block, block));
    SL_TRY(sl_alloc("levels of leaves", (size_t)n, sizeof *level, &level));
    sl_hierarchy_curve(h, level, *block);
    for (int i = 0; i < n; i++) {
        const struct sl_block *b = &h->level[level[i]]->blocks[(*block)[i]];
        (*leaf)[i] = (struct sl_leaf){.at = {b->at[0], b->at[1], b->at[2]}, .level = level[i]};
    }
    free(level);
    return SL_OK;
}

/* Marks of the leaves of a level, put where they are along the curve. */
static int flag_level(struct sl_sim *sim, int n, const struct sl_leaf *leaf, const int *block,
                      struct sl_refine_marks *marks)
{
    struct sl_refine_marks *of = NULL;
    SL_TRY(sl_alloc("marks of a level", (size_t)sim->state.mesh->nleaf, sizeof *of, &of));
    int code = sim->work->backend->flag(sim, of);
    if (code == SL_OK) sl_flag_regions(sim, of);
    for (int i = 0; i < n && code == SL_OK; i++)
        if (leaf[i].level == sim->state.mesh->level) marks[i] = of[block[i]];
    free(of);
    return code;
}

/* Leaves of the root grid stay, and others that were held lately. */
static void hold_back(const struct sl_config *cfg, int n, const struct sl_leaf *leaf,
                      unsigned char *unflagged, signed char *want)
{
    for (int i = 0; i < n; i++) {
        if (want[i] > 0 && leaf[i].level >= cfg->mesh_levels) want[i] = 0;
        if (want[i] >= 0 || leaf[i].level == 0) unflagged[i] = 0;
        if (want[i] >= 0) continue;
        if (leaf[i].level > 0 && unflagged[i] < cfg->mesh_derefine_after) unflagged[i]++;
        want[i] = leaf[i].level > 0 && unflagged[i] >= cfg->mesh_derefine_after ? -1 : 0;
    }
}

static int spread(struct sl_sim *root, int n, const struct sl_leaf *leaf,
                  const struct sl_refine_marks *marks, signed char *want)
{
    const struct sl_mesh_spec *spec = &root->state.hierarchy->spec;
    int64_t blocks[3] = {1, 1, 1};
    bool periodic[3] = {false, false, false};
    for (int d = 0; d < spec->dim; d++) {
        blocks[d] = spec->cells[d] / spec->block[d];
        periodic[d] = spec->boundary[2 * d] == SL_BOUNDARY_periodic;
    }
    return sl_spread_marks(root->state.hierarchy->comm, spec->dim, blocks, periodic, n, leaf, marks,
                           want);
}

int sl_refine_want(struct sl_sim *root, signed char *want)
{
    MPI_Comm comm = root->state.hierarchy->comm;
    struct sl_leaf *leaf;
    struct sl_refine_marks *marks = NULL;
    int *block, n, code = leaves_of(root->state.hierarchy, &leaf, &block, &n);
    if (code == SL_OK) code = sl_alloc("marks", (size_t)n, sizeof *marks, &marks);
    if (code == SL_OK && !root->state.unflagged)
        code = sl_alloc("counts of regrids", (size_t)n, 1, &root->state.unflagged);
    for (int l = 0; l < root->state.hierarchy->nlevel && code == SL_OK; l++)
        code = flag_level(level_of(root, l), n, leaf, block, marks);
    code = sl_agree(comm, code);
    if (code == SL_OK) code = spread(root, n, leaf, marks, want);
    if (code == SL_OK) hold_back(root->state.cfg, n, leaf, root->state.unflagged, want);
    free(marks);
    free(block);
    free(leaf);
    return code;
}

/* ---- what single rules ask ---- */

struct leaves {
    struct sl_leaf *leaf;
    int *block;
    int n;
};

/* Of a rule, which the levels have in place of all: own leaves that it asks to be refined, also
 * beside the cells that it is about, and own leaves with cells that it is about. */
static int count_rule(struct sl_sim *root, const struct leaves *of, int64_t *finer, int64_t *here)
{
    struct sl_refine_marks *marks = NULL;
    signed char *want = NULL;
    int code = sl_alloc("marks", (size_t)of->n, sizeof *marks, &marks);
    if (code == SL_OK) code = sl_alloc("what leaves want", (size_t)of->n, 1, &want);
    for (struct sl_sim *s = root; s && code == SL_OK; s = s->finer)
        code = flag_level(s, of->n, of->leaf, of->block, marks);
    code = sl_agree(root->state.mesh->comm, code);
    if (code == SL_OK) code = spread(root, of->n, of->leaf, marks, want);
    for (int i = 0; i < of->n && code == SL_OK; i++) {
        *finer += want[i] > 0 && of->leaf[i].level < root->state.cfg->mesh_levels;
        *here += marks[i].here >> SL_REFINE_SELF & 1;
    }
    free(want);
    free(marks);
    return code;
}

static void set_config(struct sl_sim *root, const struct sl_config *cfg)
{
    for (struct sl_sim *s = root; s; s = s->finer)
        s->state.cfg = cfg;
}

static int count_rules(struct sl_sim *root, struct sl_config *one, int64_t *finer, int64_t *here)
{
    const struct sl_config *own = root->state.cfg;
    struct leaves of = {NULL, NULL, 0};
    int code = sl_agree(root->state.mesh->comm,
                        leaves_of(root->state.hierarchy, &of.leaf, &of.block, &of.n));
    *one = *own;
    one->mesh_refine_n = 1;
    set_config(root, one);
    for (int i = 0; i < own->mesh_refine_n && code == SL_OK; i++) {
        one->mesh_refine[0] = own->mesh_refine[i];
        code = count_rule(root, &of, &finer[i], &here[i]);
    }
    set_config(root, own);
    free(of.block);
    free(of.leaf);
    return code;
}

int sl_refine_count(struct sl_sim *root, int64_t *finer, int64_t *here)
{
    MPI_Comm comm = root->state.mesh->comm;
    int64_t count[2][SL_REFINE_RULES] = {{0}};
    struct sl_config *one = NULL;
    int n = root->state.cfg->mesh_refine_n;
    for (struct sl_sim *s = root; s; s = s->finer)
        SL_TRY(sl_level_ghosts_fill(s, SL_GHOSTS_NEXT));
    int code = sl_agree(comm, sl_alloc("rules", 1, sizeof *one, &one));
    if (code == SL_OK) code = count_rules(root, one, count[0], count[1]);
    free(one);
    SL_TRY(code);
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, count, 2 * SL_REFINE_RULES, MPI_INT64_T, MPI_SUM, comm) ==
                 MPI_SUCCESS,
             SL_EMPI, "cannot count the blocks of the ranks");
    for (int i = 0; i < n; i++)
        finer[i] = count[0][i], here[i] = count[1][i];
    return SL_OK;
}

/* ---- counts ---- */

/* Own leaves of the old hierarchy that have a count. */
static int counted(int n, const struct sl_leaf *leaf, const unsigned char *unflagged,
                   struct sl_spread_row **out, int *count)
{
    *count = 0;
    SL_TRY(sl_alloc("counts of regrids", (size_t)n, sizeof **out, out));
    for (int i = 0; i < n && unflagged; i++) {
        if (unflagged[i] == 0) continue;
        (*out)[*count] = sl_spread_row_of(&leaf[i]);
        (*out)[(*count)++].unflagged = unflagged[i];
    }
    return SL_OK;
}

int sl_refine_carry(const struct sl_hierarchy *old, const unsigned char *unflagged,
                    const struct sl_hierarchy *now, unsigned char **out)
{
    struct sl_leaf *before = NULL, *leaf = NULL;
    struct sl_spread_row *own = NULL, *all = NULL;
    struct sl_leaf_map map = {.slot = NULL};
    unsigned char *made = NULL;
    int *blocks = NULL, *block = NULL, nold = 0, n = 0, nown = 0, nall = 0;
    int code = leaves_of(old, &before, &blocks, &nold);
    if (code == SL_OK) code = leaves_of(now, &leaf, &block, &n);
    if (code == SL_OK) code = counted(nold, before, unflagged, &own, &nown);
    if (code == SL_OK) code = sl_alloc("counts of regrids", (size_t)n, 1, &made);
    if (code == SL_OK) code = sl_leaf_map_make(leaf, n, &map);
    code = sl_agree(now->comm, code);
    if (code == SL_OK) code = sl_spread_gather(now->comm, own, nown, &all, &nall);
    if (code == SL_OK) {
        for (int i = 0; i < nall; i++) {
            int to = sl_leaf_map_find(&map, all[i].level, all[i].at);
            if (to >= 0) made[to] = (unsigned char)all[i].unflagged;
        }
        *out = made, made = NULL;
    }
    sl_leaf_map_release(&map);
    free(made), free(all), free(own), free(block), free(leaf), free(blocks), free(before);
    return code;
}
