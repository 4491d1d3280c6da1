/* level_ghosts.c - see level_ghosts.h. */
#include "core/step/level_ghosts.h"

#include <math.h>

#include "core/step/work.h"
#include "core/sys/status.h"
#include "core/transfer/nest.h"

int sl_level_ghosts_prolong(struct sl_sim *sim, sl_real *in)
{
    struct sl_sim *coarse = sim->coarser;
    double past = sim->work->ghost.time - coarse->began,
           length = coarse->state.time - coarse->began;
    double share = length > 0 ? past / length : 1;
    double start = MPI_Wtime();
    SL_TRY(sim->work->backend->prolong(coarse, sim, (sl_real)fmin(fmax(share, 0), 1), in));
    sim->root->spent.ghosts += MPI_Wtime() - start;
    return SL_OK;
}

int sl_level_ghosts_fill(struct sl_sim *sim, enum sl_ghosts which)
{
    sim->work->ghost.time = sim->state.time;
    if (sim->coarser) SL_TRY(sl_level_ghosts_prolong(sim, sim->work->now));
    return sim->work->backend->ghosts(sim, which);
}

int sl_level_ghosts_cover(struct sl_sim *root)
{
    if (!root->finer) return SL_OK;
    SL_TRY(sl_level_ghosts_cover(root->finer));
    return root->work->backend->cover(root, root->finer);
}

/* What transfers know of a level, of the state on the host. */
static struct sl_transfer_level host_level(const struct sl_sim *sim)
{
    struct sl_transfer_level level = sl_step_transfer_level(sim);
    level.old = level.now = sim->state.u;
    return level;
}

int sl_sim_ghosts(const struct sl_sim *sim)
{
    sim->work->ghost.time = sim->state.time;
    if (sim->coarser) {
        struct sl_transfer_level coarse = host_level(sim->coarser), fine = host_level(sim);
        SL_TRY(sl_nest_prolong(&coarse, &fine, 1, sim->state.u));
    }
    return sl_ghost_fill(sim->state.mesh, &sim->work->ghost, sim->state.u);
}
