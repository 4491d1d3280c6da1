/* run_step.c - advances a run by one step; see sim.h. */
#include <math.h>

#include "core/step/cycle.h"
#include "core/step/ratio.h"
#include "core/step/regrid.h"
#include "core/step/source.h"
#include "core/step/work.h"
#include "core/sys/status.h"

int sl_sim_dt(struct sl_sim *sim)
{
    SL_TRY(sl_step_signals(sim));
    sim->state.dt = sl_ratio_of(sim).dt;
    SL_TRY(sl_sources_start(sim)); /* it may shorten steps of levels */
    sim->state.dt = sl_sources_limit(sim, sl_ratio_of(sim).dt);
    return SL_OK;
}

int sl_sim_regrid(struct sl_sim *root, bool regrid)
{
    int changed = 0;
    if (regrid) SL_TRY(sl_sources_account(root, NULL));
    if (regrid) SL_TRY(sl_regrid(root, &changed));
    if (changed) SL_TRY(sl_sources_account(root, SL_SOURCE_REGRID));
    if (changed) SL_TRY(sl_sources_remesh(root));
    root->state.dt = sl_sources_limit(root, sl_ratio_of(root).dt);
    return SL_OK;
}

int sl_sim_step(struct sl_sim *sim, double until)
{
    bool due = false;
    until = fmin(until, sl_state_step_end(&sim->state));
    SL_TRY(sl_cycle_step(sim, until, &due));
    return sl_sim_regrid(sim, due);
}
