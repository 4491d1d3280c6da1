/* costs.h - what blocks of the levels of a run cost, as measured: the weights by which ranks share
 * them.
 *
 * The cost of a level is what all ranks together spent on its blocks, over the steps of these
 * blocks: the same for every rank, whether its core is quick or slow. Waits for other ranks are not
 * in it. Devices measure nothing and the model stays: what they spend on a few blocks is mostly the
 * start of kernels, which no other share of the blocks would save, and between two events of a
 * stream lie waits for messages too.
 *
 * Shapes  arrays have a number for each level
 * Units   nanoseconds
 * Errors  SL_EMPI
 * Owns    nothing
 * MPI     sl_costs_share is collective over comm, the others are local
 * Where   host
 * Refs    none
 * Tests   tests/unit/costs.c, tests/law/level_costs.c
 */
#ifndef SL_STEP_COSTS_H
#define SL_STEP_COSTS_H

#include <mpi.h>
#include <stdint.h>

#include "core/sys/depth.h"

struct sl_costs_work {
    int64_t time[SL_LEVELS];
    int64_t blocks[SL_LEVELS]; /* steps of blocks, leaves and covered ones */
};

struct sl_costs {
    struct sl_costs_work done;   /* by this rank since the run was made */
    struct sl_costs_work shared; /* what of it the other ranks know */
    /* by all ranks, that of earlier calls of sl_costs_share counting less; the same on each */
    double time[SL_LEVELS], blocks[SL_LEVELS];
};

void sl_costs_add(struct sl_costs *costs, int level, double seconds);

/* Tells the other ranks what this one has done since the last call. */
int sl_costs_share(struct sl_costs *costs, MPI_Comm comm);
/* What sl_costs_share does with the sum of the ranks. */
void sl_costs_take(struct sl_costs *costs, const struct sl_costs_work *sum);

/* What a leaf of a level costs in a step of the root: the steps of its level in it, times the cost
 * of its level over the mean of all, which is no more than 4 and no less than 1/4, and 1 where
 * nothing is measured. steps[l] of levels from nlevel on, which a regrid may make, are taken to be
 * twice those of the level before. */
void sl_costs_weights(const struct sl_costs *costs, int nlevel, const int steps[SL_LEVELS],
                      double weight[SL_LEVELS]);

#endif
