/* regrid.c - see regrid.h. */
#include "core/step/regrid.h"

#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/state/block_parts.h"
#include "core/step/backend.h"
#include "core/step/level.h"
#include "core/step/level_ghosts.h"
#include "core/step/ratio.h"
#include "core/step/refine.h"
#include "core/step/room.h"
#include "core/step/work.h"
#include "core/sys/agree.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

/* The state of the run on the levels of a new hierarchy. */
static int state_move(struct sl_sim *root, struct sl_hierarchy *h, struct sl_sim **out)
{
    struct sl_moves moves = {0};
    struct sl_sim *first = NULL;
    int code = sl_moves_make(root->state.hierarchy, h, &moves);
    if (code == SL_OK) code = sl_levels_new(root, h, &first);
    if (code == SL_OK) code = root->work->backend->move(root, first, &moves);
    if (code == SL_OK) code = sl_block_parts_move(&root->state.component, root->state.hierarchy, h);
    sl_moves_release(&moves);
    if (code != SL_OK) {
        sl_levels_free(first);
        return code;
    }
    *out = first;
    return SL_OK;
}

static void mark_moved(struct sl_sim *first)
{
    for (struct sl_sim *s = first; s; s = s->finer)
        sl_step_changed(s);
}

static int take(struct sl_sim *root, struct sl_hierarchy *h)
{
    struct sl_sim *first = NULL;
    unsigned char *unflagged = NULL;
    int code = sl_agree(
        h->comm, sl_refine_carry(root->state.hierarchy, root->state.unflagged, h, &unflagged));
    if (code == SL_OK) code = state_move(root, h, &first);
    if (code != SL_OK) {
        free(unflagged);
        sl_hierarchy_free(h);
        return code;
    }
    mark_moved(first);
    sl_levels_take(root, first, h);
    free(root->state.unflagged);
    root->state.unflagged = unflagged;
    SL_TRY(sl_level_ghosts_cover(root));
    return sl_step_signals(root);
}

/* All is as before it, but that it is still to be done. */
static int refuse(struct sl_sim *root, struct sl_hierarchy *h, unsigned char **before, int *changed)
{
    sl_hierarchy_free(h);
    free(root->state.unflagged);
    root->state.unflagged = *before;
    *before = NULL;
    root->state.regrid_due = 1;
    *changed = 0;
    return SL_OK;
}

/* before: the counts of root->state.unflagged, NULL where there were none. */
static int adapt(struct sl_sim *root, signed char *want, unsigned char **before, int *changed)
{
    struct sl_hierarchy *h = NULL;
    double weight[SL_LEVELS], *more = NULL;
    struct sl_ratio c = sl_ratio_of(root);
    sl_costs_weights(&root->costs, root->state.hierarchy->nlevel, c.steps, weight);
    SL_TRY(sl_refine_want(root, want));
    double start = MPI_Wtime();
    if (root->state.component.npart > 0)
        SL_TRY(sl_agree(root->state.hierarchy->comm,
                        sl_block_parts_cost(&root->state.component, root->state.hierarchy, &more)));
    int code = sl_hierarchy_adapt(root->state.hierarchy, want, (int)root->state.cfg->mesh_levels,
                                  weight, more, changed, &h);
    free(more);
    SL_TRY(code);
    root->spent.mesh += MPI_Wtime() - start;
    root->state.regrid_due = 0;
    if (!*changed) return SL_OK;
    bool holds = false;
    code = sl_room_holds(root, h, &holds);
    if (code == SL_OK) return holds ? take(root, h) : refuse(root, h, before, changed);
    sl_hierarchy_free(h);
    return code;
}

static int copy_counts(const struct sl_sim *root, size_t n, unsigned char **copy)
{
    if (!root->state.unflagged) return SL_OK;
    SL_TRY(sl_alloc("counts of regrids", n, 1, copy));
    memcpy(*copy, root->state.unflagged, n);
    return SL_OK;
}

static int regrid(struct sl_sim *root, int *changed)
{
    signed char *want = NULL;
    unsigned char *before = NULL;
    int n = sl_hierarchy_curve(root->state.hierarchy, NULL, NULL);
    for (struct sl_sim *s = root; s; s = s->finer)
        SL_TRY(sl_level_ghosts_fill(s, SL_GHOSTS_NEXT));
    int code = sl_alloc("what leaves want", (size_t)n, sizeof *want, &want);
    if (code == SL_OK) code = copy_counts(root, (size_t)n, &before);
    code = sl_agree(root->state.hierarchy->comm, code);
    if (code == SL_OK) code = adapt(root, want, &before, changed);
    free(before);
    free(want);
    return code;
}

/* The time of a regrid is not that of steps that are still under way. */
static int settle(struct sl_sim *root)
{
    int code = SL_OK;
    for (struct sl_sim *s = root; s && code == SL_OK; s = s->finer)
        if (s->work->backend->settle) code = s->work->backend->settle(s);
    return sl_agree(root->state.hierarchy->comm, code);
}

int sl_regrid(struct sl_sim *root, int *changed)
{
    int did = 0;
    SL_TRY(settle(root));
    SL_TRY(sl_costs_share(&root->costs, root->state.hierarchy->comm));
    const struct sl_level_times before = root->spent;
    const struct sl_costs costs = root->costs;
    double start = MPI_Wtime();
    SL_TRY(regrid(root, &did));
    root->spent.ghosts = before.ghosts, root->spent.match = before.match;
    root->costs = costs;
    root->spent.regrid += MPI_Wtime() - start;
    if (changed) *changed = did;
    return SL_OK;
}
