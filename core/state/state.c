/* state.c - what the recipe says of a state; see state.h. */
#include "core/state/state.h"

#include <math.h>

#include "core/config/config.h"
#include "core/cosmo/expansion.h"
#include "core/cosmo/schedule.h"
#include "core/lists/eos_list.h"
#include "core/lists/mhd_list.h"

struct sl_layout sl_state_layout(const struct sl_config *cfg)
{
    struct sl_layout l = {.nvar = 4, .energy = -1, .entropy = -1, .magnetic = -1, .face = -1};
    if (!sl_config_has_gas(cfg)) l.nvar = 0;
    if (cfg->fluid_eos == SL_EOS_ideal) l.energy = l.nvar++;
    if (cfg->fluid_mhd != SL_MHD_none) {
        l.magnetic = l.nvar;
        l.nvar += cfg->fluid_mhd == SL_MHD_glm ? 4 : 3;
    }
    if (l.energy >= 0 && cfg->fluid_dual_energy) l.entropy = l.nvar++;
    l.scalar0 = l.nvar;
    l.nscalar = (int)cfg->fluid_scalars;
    l.nflow = l.nvar += l.nscalar;
    if (cfg->fluid_mhd == SL_MHD_ct) {
        l.face = l.nvar;
        l.nvar += sl_config_dim(cfg);
    }
    return l;
}

struct sl_gas sl_state_gas(const struct sl_config *cfg)
{
    struct sl_gas g = {.eos = cfg->fluid_eos,
                       .shocks = cfg->fluid_shocks,
                       .gamma = (sl_real)cfg->fluid_gamma,
                       .cs = (sl_real)cfg->fluid_sound_speed,
                       .rho_floor = (sl_real)cfg->fluid_density_floor,
                       .p_floor = (sl_real)cfg->fluid_pressure_floor};
    return g;
}

struct sl_mesh_spec sl_state_grid(const struct sl_config *cfg, int ghost)
{
    struct sl_mesh_spec m = {
        .dim = sl_config_dim(cfg), .ghost = ghost, .staggered = cfg->fluid_mhd == SL_MHD_ct};
    for (int d = 0; d < m.dim; d++) {
        m.cells[d] = (int)cfg->mesh_cells[d];
        m.block[d] = (int)cfg->mesh_block[d];
        m.lo[d] = cfg->mesh_box[2 * d];
        m.hi[d] = cfg->mesh_box[2 * d + 1];
    }
    for (int f = 0; f < 6; f++)
        m.boundary[f] = (enum sl_boundary)cfg->mesh_boundary[f];
    return m;
}

void sl_state_set_end(struct sl_state *state)
{
    const struct sl_config *cfg = state->cfg;
    state->end = state->expansion ? sl_expansion_tau(state->expansion, state->expansion->end)
                                  : cfg->time_end * state->time_unit;
}

double sl_state_redshift(const struct sl_state *state)
{
    const struct sl_expansion *e = state->expansion;
    return sl_universe_redshift(&e->u, sl_expansion_a(e, state->time));
}

double sl_state_step_end(const struct sl_state *state)
{
    const struct sl_expansion *e = state->expansion;
    if (!state->schedule) return HUGE_VAL;
    return sl_expansion_tau(e, sl_schedule_next(state->schedule, sl_expansion_a(e, state->time)));
}
