/* ratio.c - see ratio.h. */
#include "core/step/ratio.h"

#include <math.h>

#include "core/sys/config.h"

enum { STEP_CELLS = 4096 }; /* updates that take as long as a step of a level does besides them */

/* Of the step that a level allows before a step of the root, for one that it takes later in it:
 * most states change by less, and then no step is split. */
static const double spare = 0.95;

/* Bit l - 1 of `twice`: level l takes two steps in one of level l - 1. Returns updates per time. */
static double cost_of(const struct sl_sim *root, unsigned twice, struct sl_ratio *c)
{
    const int64_t *count = root->state.hierarchy->count;
    double updates = 0;
    c->dt = HUGE_VAL;
    for (const struct sl_sim *s = root; s; s = s->finer) {
        int l = s->state.mesh->level;
        double cells =
            (double)count[l] * s->state.mesh->n[0] * s->state.mesh->n[1] * s->state.mesh->n[2];
        c->steps[l] = l == 0 ? 1 : c->steps[l - 1] << (twice >> (l - 1) & 1);
        if (count[l] == 0) continue;
        c->dt = fmin(c->dt, c->steps[l] * (c->steps[l] > 1 ? spare : 1) * s->state.allowed);
        updates += c->steps[l] * (cells + STEP_CELLS);
    }
    return updates / c->dt;
}

/* Steps of the finest level in one of the root. */
static int64_t steps_of(unsigned twice)
{
    int64_t steps = 1;
    for (; twice; twice >>= 1)
        steps <<= twice & 1;
    return steps;
}

/* Cells that are enough for what moves on in so many steps, and for the cell beside it that a rule
 * reads. */
static int64_t reach_of(const struct sl_config *cfg, int64_t steps)
{
    return (int64_t)ceil(cfg->fluid_cfl * (double)steps) + 1;
}

/* Whether what moves in a step of the root may leave a block and its neighbours, which are all that
 * is refined with it. */
static bool is_too_far(const struct sl_sim *root, unsigned twice)
{
    const struct sl_config *cfg = root->state.cfg;
    int64_t steps = steps_of(twice), reach = reach_of(cfg, steps);
    bool outruns = false;
    for (int d = 0; d < root->state.mesh->dim; d++)
        outruns |= reach > root->state.mesh->n[d];
    return steps > cfg->mesh_regrid && cfg->mesh_buffer > 0 && outruns;
}

/* Each level takes two steps in one of the coarser; where that is too far, the coarsest ones take
 * one. */
static unsigned each_level(const struct sl_sim *root, unsigned all)
{
    while (is_too_far(root, all))
        all &= all - 1;
    return all;
}

struct sl_ratio sl_ratio_of(const struct sl_sim *root)
{
    const struct sl_config *cfg = root->state.cfg;
    unsigned all = (1u << (root->state.hierarchy->nlevel - 1)) - 1;
    unsigned first = cfg->time_levels == SL_TIME_LEVELS_each ? each_level(root, all) : 0;
    unsigned last = cfg->time_levels == SL_TIME_LEVELS_auto ? all : first;
    struct sl_ratio best = {.dt = 0};
    double least = HUGE_VAL;
    for (unsigned twice = first; twice <= last; twice++) {
        struct sl_ratio c = {.dt = 0};
        if (twice > first && steps_of(twice) > cfg->mesh_regrid) continue;
        double cost = cost_of(root, twice, &c);
        if (!(cost < least) && best.dt > 0) continue;
        least = cost;
        best = c;
    }
    return best;
}

int sl_ratio_buffer(const struct sl_sim *sim)
{
    const struct sl_config *cfg = sim->state.cfg;
    int64_t buffer = cfg->mesh_buffer;
    if (buffer == 0 || !sim->root->state.hierarchy) return (int)buffer;
    int64_t steps = sl_ratio_of(sim->root).steps[sim->state.mesh->level];
    if (steps <= cfg->mesh_regrid) return (int)buffer;
    return (int)(buffer > reach_of(cfg, steps) ? buffer : reach_of(cfg, steps));
}

int64_t sl_ratio_finest(const struct sl_sim *root, const struct sl_ratio *c)
{
    return c->steps[root->state.hierarchy->nlevel - 1];
}

bool sl_ratio_regrid_due(const struct sl_sim *root, const struct sl_ratio *c)
{
    return root->state.since_regrid + 2 * sl_ratio_finest(root, c) > root->state.cfg->mesh_regrid;
}

bool sl_ratio_regrids(const struct sl_sim *root)
{
    struct sl_ratio c = sl_ratio_of(root);
    return sl_ratio_regrid_due(root, &c);
}
