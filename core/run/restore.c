/* restore.c - see restore.h. */
#include "core/run/restore.h"

#include <stdlib.h>

#include "core/io/checkpoint.h"
#include "core/mesh/hierarchy.h"
#include "core/step/level.h"
#include "core/step/level_ghosts.h"
#include "core/step/work.h"
#include "core/sys/status.h"

static int levels(void *run, struct sl_hierarchy *h)
{
    return sl_sim_levels(run, h);
}

/* Covered blocks are not in a set: they are what steps make of them. */
static int cover(struct sl_sim *root)
{
    for (struct sl_sim *s = root; s; s = s->finer)
        s->began = s->state.time;
    SL_TRY(sl_step_push(root));
    return sl_level_ghosts_cover(root);
}

/* The root grid alone: the levels and blocks of a set that was refused are nothing that a start may
 * build on. */
static int forget_levels(struct sl_sim *root)
{
    struct sl_hierarchy *h = NULL;
    const struct sl_hierarchy *now = root->state.hierarchy;
    if (now->nlevel == 1) return SL_OK;
    SL_TRY(sl_hierarchy_new(now->comm, &now->spec, &h));
    free(root->state.unflagged);
    root->state.unflagged = NULL;
    return sl_sim_levels(root, h);
}

int sl_sim_restore(struct sl_sim *sim, const char *dir, int64_t *seq)
{
    const struct sl_checkpoint_reader reader = {sim, levels};
    SL_TRY(sl_checkpoint_read(&sim->state, &reader, dir, seq));
    bool found = *seq >= 0;
    for (struct sl_sim *s = sim; s && found; s = s->finer)
        s->work->newest = SL_NEWEST_HOST;
    return found ? cover(sim) : forget_levels(sim);
}
