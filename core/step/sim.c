/* sim.c - makes and frees what advances a state; see sim.h. */
#include "core/step/sim.h"

#include <stdlib.h>

#include "core/cell/reconstruct.h"
#include "core/cell/relax.h"
#include "core/cosmo/expansion.h"
#include "core/cosmo/schedule.h"
#include "core/lists/integrator_list.h"
#include "core/lists/reconstruct_list.h"
#include "core/state/problem.h"
#include "core/step/backend.h"
#include "core/step/level.h"
#include "core/step/source.h"
#include "core/step/work.h"
#include "core/sweep/rows_characteristic.h"
#include "core/sys/agree.h"
#include "core/sys/status.h"

static const struct sl_problem *problem_of(const struct sl_config *cfg)
{
#define SL_PROBLEM_TEXT(name, ic, about) #name,
    static const char *const names[] = {SL_PROBLEM_NAMES(SL_PROBLEM_TEXT)};
    return sl_problem_find(names[cfg->problem]);
}

static int work_new(struct sl_sim *sim)
{
    const struct sl_config *cfg = sim->state.cfg;
    SL_TRY(sl_sim_fields_new(sim));
    sim->state.time_unit = cfg->time_unit == SL_TIME_UNIT_crossing && sim->state.problem->crossing
                               ? sim->state.problem->crossing(sim->state.problem_data)
                               : 1;
    sl_state_set_end(&sim->state);
    return SL_OK;
}

static int scheme_of(const struct sl_config *cfg, struct sl_sim *sim)
{
    struct sl_scheme *s = &sim->work->scheme;
    s->gas = sim->state.gas = sl_state_gas(cfg);
    s->layout = sim->state.layout = sl_state_layout(cfg);
    s->theta = (sl_real)cfg->fluid_theta;
    s->dual_eta = (sl_real)cfg->fluid_dual_eta;
    for (int d = 0; d < 3; d++) {
        s->gravity[d] = (sl_real)cfg->gravity_acceleration[d];
        s->has_gravity |= s->gravity[d] != 0;
    }
    sim->work->keeps_mass = sl_config_wants(cfg, SL_SOURCE_self_gravity) && s->layout.energy >= 0;
    sim->work->plain = *s;
    sim->work->plain.dual_eta = 1; /* no heat of the total energy is trusted (eos.h) */
    if (s->layout.nvar > 0) {
        sl_scheme_find(s, cfg->fluid_reconstruct, cfg->fluid_limiter, cfg->fluid_riemann);
        sl_scheme_find(&sim->work->plain, SL_RECONSTRUCT_constant, cfg->fluid_limiter,
                       cfg->fluid_riemann);
    } else {
        s->ghosts = 1; /* of blocks that have no cells in memory */
    }
    if (cfg->fluid_characteristic)
        s->waves = sl_rows_characteristic(cfg->fluid_reconstruct, cfg->fluid_limiter,
                                          s->layout.magnetic >= 0);
    s->cools = s->layout.entropy >= 0 && !s->waves &&
               sl_reconstruct_heats(s->method, cfg->fluid_limiter, s->theta);
    if (cfg->fluid_integrator == SL_INTEGRATOR_ctu)
        s->ghosts = sl_ctu_ghosts(s->ghosts, s->layout.face >= 0);
    if (cfg->fluid_integrator == SL_INTEGRATOR_tvd) s->ghosts = SL_RELAX_GHOSTS;
    sim->state.problem = problem_of(cfg);
    SL_CHECK(sim->state.problem, SL_EINPUT, "no such problem");
    if (sim->state.problem->open) SL_TRY(sim->state.problem->open(cfg, &sim->state.problem_data));
    return SL_OK;
}

static int mesh_new(MPI_Comm comm, struct sl_sim *sim)
{
    struct sl_mesh_spec spec = sl_state_grid(sim->state.cfg, sim->work->scheme.ghosts);
    bool refines = sim->state.cfg->mesh_levels > 0;
    SL_TRY((refines ? sl_hierarchy_new : sl_hierarchy_uniform)(comm, &spec, &sim->state.hierarchy));
    sim->state.mesh = sim->state.hierarchy->level[0];
    return SL_OK;
}

static int expansion_new(MPI_Comm comm, struct sl_sim *sim)
{
    const struct sl_config *cfg = sim->state.cfg;
    SL_TRY(sl_expansion_new(comm, cfg, &sim->state.expansion));
    if (!sim->state.expansion) return SL_OK;
    return sl_agree(comm, sl_schedule_new(cfg, &sim->state.expansion->u, &sim->state.schedule));
}

int sl_sim_new(MPI_Comm comm, const struct sl_config *cfg, struct sl_sim **out)
{
    struct sl_sim *sim = calloc(1, sizeof *sim);
    struct sl_step *work = calloc(1, sizeof *work);
    int code = sim && work ? SL_OK : SL_FAIL(SL_EMEM, "no memory for a run");
    if (code == SL_OK) {
        sim->root = sim;
        sim->state.cfg = cfg;
        sim->work = work;
        code = scheme_of(cfg, sim);
    }
    code = sl_agree(comm, code);
    if (code == SL_OK) code = expansion_new(comm, sim);
    if (code == SL_OK) code = sl_backend_choose(comm, cfg, work);
    if (code == SL_OK) code = mesh_new(comm, sim);
    if (code == SL_OK) code = sl_agree(comm, work_new(sim));
    if (code == SL_OK) code = sl_agree(comm, work->backend->open(sim));
    if (code == SL_OK) code = sl_sources_new(sim, &sim->sources);
    if (code == SL_OK) {
        *out = sim;
        return SL_OK;
    }
    if (!sim) free(work);
    sl_sim_free(sim);
    return code;
}

void sl_sim_free(struct sl_sim *sim)
{
    if (!sim) return;
    sl_levels_free(sim->finer);
    if (sim->work && sim->work->backend) sim->work->backend->close(sim);
    if (sim->state.problem && sim->state.problem->close)
        sim->state.problem->close(sim->state.problem_data);
    sl_sources_free(sim->sources);
    sl_schedule_free(sim->state.schedule);
    sl_expansion_free(sim->state.expansion);
    sl_hierarchy_free(sim->state.hierarchy);
    free(sim->state.unflagged);
    free(sim->state.u);
    free(sim->work);
    free(sim);
}

int sl_sim_hash(const struct sl_sim *sim, uint64_t *hash)
{
    SL_TRY(sl_sim_pull(sim));
    return sl_state_hash(&sim->state, hash);
}
