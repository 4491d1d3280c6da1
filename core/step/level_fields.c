/* level_fields.c - the fields of a level, what the ghost cells of its state are, and what transfers
 * between levels know of it; see sim.h and work.h. */
#include <math.h>
#include <string.h>

#include "core/lists/integrator_list.h"
#include "core/lists/mhd_list.h"
#include "core/state/initial.h"
#include "core/state/problem.h"
#include "core/step/backend.h"
#include "core/step/work.h"
#include "core/sys/mem.h"
#include "core/sys/status.h"

sl_real *sl_field_new(size_t n)
{
    size_t size = n * sizeof(sl_real);
    sl_real *p = sl_alloc_large(size);
    if (p) memset(p, 0, size);
    return p;
}

void sl_sim_link(struct sl_sim *coarse, struct sl_sim *fine)
{
    if (coarse) {
        coarse->finer = fine;
        coarse->state.finer = fine ? &fine->state : NULL;
    }
    if (fine) {
        fine->coarser = coarse;
        fine->state.coarser = coarse ? &coarse->state : NULL;
    }
}

static void fixed(const void *data, const double lo[3], const double hi[3], double time,
                  sl_real *value)
{
    const struct sl_state *state = data;
    double prim[SL_PRIM_MAX] = {0};
    state->problem->state(state->problem_data, lo, hi, time, prim);
    if (!(prim[0] > 0)) return; /* a wall */
    sl_state_cell(state, prim, value);
    for (int d = 0; d < state->mesh->dim && state->layout.face >= 0; d++)
        value[state->layout.face + d] = (sl_real)sl_state_face(state, d, lo, hi, time);
}

int sl_sim_host(const struct sl_sim *sim)
{
    size_t size = sl_mesh_size(sim->state.mesh, sim->state.layout.nvar);
    sl_real **u = (sl_real **)(uintptr_t)&sim->state.u;
    if (sim->state.layout.nvar == 0) return SL_OK; /* a rank without blocks has a field of none */
    if (!*u) *u = sl_field_new(size);
    SL_CHECK(*u, SL_EMEM, "no memory for %zu values", size);
    return SL_OK;
}

int sl_sim_fields_new(struct sl_sim *sim)
{
    struct sl_step *w = sim->work;
    w->ghost =
        (struct sl_ghost_arg){.nvar = sim->state.layout.nvar, .vector = SL_MX, .data = &sim->state};
    if (sim->state.layout.magnetic >= 0) w->ghost.field = sim->state.layout.magnetic;
    if (sim->state.cfg->fluid_mhd == SL_MHD_glm) w->ghost.psi = sim->state.layout.magnetic + 3;
    if (sim->state.layout.face >= 0) w->ghost.face = sim->state.layout.face;
    w->ghost.fixed = sim->state.problem->state ? fixed : NULL;
    w->ghost.faces_only = sim->state.layout.face < 0 && !w->scheme.needs_compression &&
                          sim->state.cfg->fluid_integrator != SL_INTEGRATOR_ctu;
    w->newest = SL_NEWEST_HOST;
    w->floored_at[0] = NAN;
    return sim->root != sim && w->backend->pull ? SL_OK : sl_sim_host(sim);
}

struct sl_transfer_level sl_step_transfer_level(const struct sl_sim *sim)
{
    struct sl_step *w = sim->work;
    return (struct sl_transfer_level){.mesh = sim->state.mesh,
                                      .nest = sim->nest,
                                      .scheme = &w->scheme,
                                      .ghost = &w->ghost,
                                      .layout = sim->state.layout,
                                      .gas = sim->state.gas,
                                      .old = w->next,
                                      .now = w->now,
                                      .pull = w->pull,
                                      .pull_time = w->pull_time,
                                      .mass = w->mass[w->mass_now],
                                      .fluxes = w->fluxes,
                                      .edges = w->edges,
                                      .buffers = &w->buffers};
}
