/* costs.c - see costs.h. */
#include "core/step/costs.h"

#include <math.h>

#include "core/sys/status.h"

/* Of what was measured before, beside what is new. */
static const double past_weight = 0.75;
/* However long a machine was at work with something else, no level is dearer than this, nor cheaper
 * by more. */
static const double most = 4;

void sl_costs_add(struct sl_costs *c, int level, double seconds)
{
    c->done.time[level] += (int64_t)(1e9 * seconds);
}

void sl_costs_take(struct sl_costs *c, const struct sl_costs_work *sum)
{
    for (int l = 0; l < SL_LEVELS; l++) {
        c->time[l] = past_weight * c->time[l] + (double)sum->time[l];
        c->blocks[l] = past_weight * c->blocks[l] + (double)sum->blocks[l];
    }
}

/* Whole numbers, whose sum is the same on each rank in whatever order they are added. */
int sl_costs_share(struct sl_costs *c, MPI_Comm comm)
{
    struct sl_costs_work sum;
    for (int l = 0; l < SL_LEVELS; l++) {
        sum.time[l] = c->done.time[l] - c->shared.time[l];
        sum.blocks[l] = c->done.blocks[l] - c->shared.blocks[l];
    }
    SL_CHECK(MPI_Allreduce(MPI_IN_PLACE, &sum, 2 * SL_LEVELS, MPI_INT64_T, MPI_SUM, comm) ==
                 MPI_SUCCESS,
             SL_EMPI, "cannot add the times of the ranks");
    c->shared = c->done;
    sl_costs_take(c, &sum);
    return SL_OK;
}

static int is_known(const struct sl_costs *c, int level)
{
    return c->time[level] > 0 && c->blocks[level] > 0;
}

/* Of a step of a block of any level; 0: nothing is measured. */
static double mean_of(const struct sl_costs *c)
{
    double time = 0, blocks = 0;
    for (int l = 0; l < SL_LEVELS; l++) {
        if (!is_known(c, l)) continue;
        time += c->time[l];
        blocks += c->blocks[l];
    }
    return blocks > 0 ? time / blocks : 0;
}

void sl_costs_weights(const struct sl_costs *c, int nlevel, const int steps[SL_LEVELS],
                      double weight[SL_LEVELS])
{
    double mean = mean_of(c), taken = 0;
    for (int l = 0; l < SL_LEVELS; l++) {
        double cost = is_known(c, l) ? c->time[l] / c->blocks[l] / mean : 1;
        taken = l < nlevel ? steps[l] : 2 * taken;
        weight[l] = taken * fmin(fmax(cost, 1 / most), most);
    }
}
