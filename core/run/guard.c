/* guard.c - see guard.h. */
#include "core/run/guard.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "core/lists/boundary_list.h"
#include "core/state/leaves.h"
#include "core/state/problem.h"
#include "core/state/state.h"
#include "core/step/source.h"
#include "core/sys/status.h"

/* Of rounding to the numbers of a field. */
static const double rounding = sizeof(sl_real) == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON;

/* ---- the field ------------------------------------------------------------------------------- */

/* Largest divergence of constrained transport over a cell, in units of the field: 1e-10 in double
 * precision. */
static const double most_divergence = 4.5e5;

/* A field that has decayed keeps the rounding of what it was. */
static int look_at_field(const struct sl_guard *g, const struct sl_state *state,
                         const struct sl_totals *now)
{
    double rms = fmax(now->field_rms, g->first.field_rms);
    if (state->layout.face < 0 || !(now->divergence_cell > most_divergence * rounding * rms))
        return SL_OK;
    return SL_FAIL(SL_EDIVERGED,
                   "step %" PRId64
                   ": the divergence of the magnetic field over a cell is %.3g of the "
                   "field, where constrained transport has none but for rounding",
                   state->step, now->divergence_cell / rms);
}

/* ---- totals ---------------------------------------------------------------------------------- */

static bool is_closed(const struct sl_guard *g, const struct sl_state *state)
{
    const struct sl_mesh_spec *s = &state->mesh->spec;
    for (int f = 0; f < 2 * s->dim; f++)
        if (s->boundary[f] != SL_BOUNDARY_periodic) return false;
    return !state->expansion && !sl_config_asked(state->cfg, NULL, NULL) &&
           !state->problem->force && state->cells_floored == g->floored;
}

/* Cells of the finest level take more steps. */
double sl_guard_rounding(const struct sl_state *state, int64_t steps)
{
    return rounding * (64 + 16 * ldexp((double)steps, (int)state->cfg->mesh_levels));
}

/* No more than the sum over all cells of rho (|u| + c), by Cauchy and Schwarz. */
static double momentum_measure(const struct sl_state *state, const struct sl_totals *t)
{
    double thermal =
        state->layout.energy < 0 ? t->mass * (double)state->gas.cs * (double)state->gas.cs : 0;
    double energy = t->energy_kinetic + fmax(t->energy_thermal, 0) + t->energy_magnetic + thermal;
    return sqrt(t->mass * 4 * energy);
}

static bool keeps_energy(const struct sl_guard *g, const struct sl_state *state)
{
    bool follows = state->layout.face >= 0 && state->cells_repaired > g->repaired;
    return state->layout.energy >= 0 && state->layout.entropy < 0 && !follows;
}

/* The mean of a field at faces is no sum that levels keep: a cell takes it from two of its faces, a
 * finer one has further ones. */
static double flux_measure(const struct sl_guard *g, const struct sl_state *state,
                           const struct sl_totals *now)
{
    bool conserved = state->layout.face < 0 || state->cfg->mesh_levels == 0;
    return conserved ? fmax(g->first.field_rms, now->field_rms) * now->volume : HUGE_VAL;
}

struct compared {
    const char *name;
    double before, now, measure;
};

static int compare(const struct sl_state *state, const struct compared *c, double share)
{
    double change = fabs(c->now - c->before);
    if (change <= share * c->measure) return SL_OK;
    return SL_FAIL(SL_EDIVERGED,
                   "step %" PRId64
                   ": the total %s went from %.17g to %.17g in a closed box: more than "
                   "rounding does",
                   state->step, c->name, c->before, c->now);
}

static int look_at_totals(const struct sl_guard *g, const struct sl_state *state,
                          const struct sl_totals *now)
{
    const struct sl_totals *t = &g->first;
    double share = sl_guard_rounding(state, state->step - g->step);
    double push = fmax(momentum_measure(state, t), momentum_measure(state, now));
    double field = flux_measure(g, state, now);
    const struct compared all[] = {
        {"mass", t->mass, now->mass, t->mass},
        {"momentum along x", t->momentum_x, now->momentum_x, push},
        {"momentum along y", t->momentum_y, now->momentum_y, push},
        {"momentum along z", t->momentum_z, now->momentum_z, push},
        {"energy", t->energy_total, now->energy_total,
         keeps_energy(g, state) ? t->energy_total : HUGE_VAL},
        {"of the passive scalars", t->scalars, now->scalars,
         fmax(t->scalars_size, now->scalars_size)},
        {"magnetic flux along x", t->magnetic_flux_x, now->magnetic_flux_x, field},
        {"magnetic flux along y", t->magnetic_flux_y, now->magnetic_flux_y, field},
        {"magnetic flux along z", t->magnetic_flux_z, now->magnetic_flux_z, field},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        SL_TRY(compare(state, all + i, share));
    return SL_OK;
}

int sl_guard_look(struct sl_guard *g, const struct sl_state *state, const struct sl_totals *now)
{
    if (!g->begun)
        *g =
            (struct sl_guard){true, state->step, state->cells_repaired, state->cells_floored, *now};
    SL_TRY(look_at_field(g, state, now));
    return is_closed(g, state) ? look_at_totals(g, state, now) : SL_OK;
}
