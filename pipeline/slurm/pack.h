/* pack.h - what is shared: a task by several members, where a node is bigger than a member and
 * jobs get whole nodes, or where a person says so; a limit of members at once by several arrays.
 *
 * Shapes  none
 * Units   none
 * Errors  none
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    none
 * Tests   tests/unit/slurm_pack.c, tests/slurm/pack.sh
 */
#ifndef SL_PIPELINE_SLURM_PACK_H
#define SL_PIPELINE_SLURM_PACK_H

#include "pipeline/launch/site.h"

struct sl_config;

/* At least 1; never more than the cores and GPUs of a node hold, as far as the site file tells. */
int sl_slurm_pack(const struct sl_config *cfg, const struct sl_site *site);

/* Members that one process of a task does, one after another, as resources.members_per_process
 * says; auto, or with ensemble.target: 1. */
int sl_slurm_turns(const struct sl_config *cfg);

/* Of `limit` members at once, those that array `k` of `arrays` may run: at least 1, so that of more
 * arrays than the limit only the first `limit` may be at work together. 0: no limit. */
long long sl_slurm_share(long long limit, int arrays, int k);

#endif
