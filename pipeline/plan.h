/* plan.h - what a campaign will need: steps, memory, disk, time; before anything runs.
 *
 * Shapes  none
 * Units   bytes, seconds
 * Errors  SL_EINPUT of the recipe
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#ifndef SL_PIPELINE_PLAN_H
#define SL_PIPELINE_PLAN_H

#include "pipeline/recipe.h"

struct sl_need {
    double cells, steps;
    double seconds;                           /* of all stages with all its ranks, one member */
    double rank_memory;                       /* of one rank */
    double snapshots, checkpoints, ic, stats; /* on disk */
};

/* Cell updates per second and rank that are assumed where nothing was measured. */
double sl_plan_rate(const struct sl_config *cfg);

/* Estimate for one member; rate: cell updates per second and rank, 0 for the assumed one. */
void sl_plan_member(const struct sl_config *cfg, double rate, struct sl_need *need);
double sl_plan_disk(const struct sl_need *need);

/* Sums over members. */
struct sl_plan {
    int64_t members, left;  /* left: not done yet */
    struct sl_need largest; /* each figure the largest of a member */
    double disk, core_seconds, longest;
    int ranks; /* most of a member */
};
void sl_plan_add(struct sl_plan *plan, const struct sl_config *cfg, double rate, int done);

#endif
