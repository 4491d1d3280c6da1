/* restore.c - see restore.h. */
#include "core/run/restore.h"

#include "core/io/checkpoint.h"
#include "core/step/cycle.h"
#include "core/step/level.h"
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
    return sl_cycle_cover(root);
}

int sl_sim_restore(struct sl_sim *sim, const char *dir, int64_t *seq)
{
    const struct sl_checkpoint_reader reader = {sim, levels};
    SL_TRY(sl_checkpoint_read(&sim->state, &reader, dir, seq));
    return *seq >= 0 && sim->state.hierarchy ? cover(sim) : SL_OK;
}
