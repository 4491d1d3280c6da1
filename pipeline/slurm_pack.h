/* slurm_pack.h - how many members share a task: where a node is bigger than a member and jobs get
 * whole nodes, or where a person says so.
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

#include "core/sys/config.h"
#include "pipeline/slurm_site.h"

/* At least 1; never more than the cores and GPUs of a node hold, as far as the site file tells. */
int sl_slurm_pack(const struct sl_config *cfg, const struct sl_site *site);

#endif
