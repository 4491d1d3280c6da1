/* level_ratio.c - see level_ratio.h. */
#include "core/config/level_ratio.h"

#include <math.h>
#include <stdbool.h>

#include "core/config/config.h"

enum { STEP_CELLS = 4096 }; /* updates that take as long as a step of a level does besides them */

/* Of the step that a level allows before a step of the root, for one that it takes later in it:
 * most states change by less, and then no step is split. */
static const double spare = 0.95;

/* Bit l - 1 of `twice`: level l takes two steps in one of level l - 1. Returns updates per time. */
static double cost_of(int nlevel, const struct sl_ratio_load *level, unsigned twice,
                      struct sl_ratio *c)
{
    double updates = 0;
    c->dt = HUGE_VAL;
    for (int l = 0; l < nlevel; l++) {
        c->steps[l] = l == 0 ? 1 : c->steps[l - 1] << (twice >> (l - 1) & 1);
        if (!(level[l].cells > 0)) continue;
        c->dt = fmin(c->dt, c->steps[l] * (c->steps[l] > 1 ? spare : 1) * level[l].allowed);
        updates += c->steps[l] * (level[l].cells + STEP_CELLS);
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

int64_t sl_ratio_reach(const struct sl_config *cfg, int64_t steps)
{
    return (int64_t)ceil(cfg->fluid_cfl * (double)steps) + 1;
}

/* Whether what moves in a step of the root may leave a block and its neighbours, which are all that
 * is refined with it. */
static bool is_too_far(const struct sl_config *cfg, unsigned twice)
{
    int64_t steps = steps_of(twice), reach = sl_ratio_reach(cfg, steps);
    bool outruns = false;
    for (int d = 0; d < cfg->mesh_cells_n; d++)
        outruns |= reach > cfg->mesh_block[d];
    return steps > cfg->mesh_regrid && cfg->mesh_buffer > 0 && outruns;
}

/* Each level takes two steps in one of the coarser; where that is too far, the coarsest ones take
 * one. */
static unsigned each_level(const struct sl_config *cfg, unsigned all)
{
    while (is_too_far(cfg, all))
        all &= all - 1;
    return all;
}

struct sl_ratio sl_ratio_choose(const struct sl_config *cfg, int nlevel,
                                const struct sl_ratio_load *level)
{
    unsigned all = (1u << (nlevel - 1)) - 1;
    unsigned first = cfg->time_levels == SL_TIME_LEVELS_each ? each_level(cfg, all) : 0;
    unsigned last = cfg->time_levels == SL_TIME_LEVELS_auto ? all : first;
    struct sl_ratio best = {.dt = 0};
    double least = HUGE_VAL;
    for (unsigned twice = first; twice <= last; twice++) {
        struct sl_ratio c = {.dt = 0};
        if (twice > first && steps_of(twice) > cfg->mesh_regrid) continue;
        double cost = cost_of(nlevel, level, twice, &c);
        if (!(cost < least) && best.dt > 0) continue;
        least = cost;
        best = c;
    }
    return best;
}
