/* memory.h - how much memory a stage of a member asks a cluster for, and on how many nodes
 * there is so much.
 *
 * Of one rank it asks for what the recipe says (resources.memory and those of the stages); with
 * auto for a quarter more than members of the same size took, once one of them is done; before that
 * for half more than the plan tells and room for libraries. An attempt that ended because memory
 * was short is followed by one that asks for twice as much, or all that a node
 * has for a rank.
 *
 * Shapes  none
 * Units   MiB of one rank
 * Errors  SL_EINPUT: a node of the site does not have so much, in one sentence with what can be
 *         done
 * Owns    nothing
 * MPI     local
 * Where   host
 * Refs    sbatch(1): --mem, --mem-per-cpu
 * Tests   tests/unit/slurm_memory.c, tests/slurm/memory.sh
 */
#ifndef SL_PIPELINE_SLURM_MEMORY_H
#define SL_PIPELINE_SLURM_MEMORY_H

#include "pipeline/campaign/filling.h"
#include "pipeline/campaign/state.h"
#include "pipeline/launch/site.h"

/* Of one rank; 0: none is asked for. cfg: of the member, for all stages; use: of that stage in
 * this campaign; before: of the member's stage. */
long long sl_slurm_memory(const struct sl_site *site, const struct sl_config *cfg,
                          enum sl_stage stage, const struct sl_filling *filling,
                          const struct sl_use *use, const struct sl_stage_state *before);

/* Nodes of a stage whose values are cfg (sl_config_stage), with `rank` MiB for each rank and
 * `pack` members side by side on one; 0: left to Slurm. Where the recipe does not say how many
 * and nodes are short of memory, more of them. */
int sl_slurm_nodes(const struct sl_site *site, const struct sl_config *cfg, const char *stage,
                   long long rank, int pack, long long *nodes);

/* Whether `scontrol --oneliner show job` tells of a job that Slurm ended for want of memory;
 * *asked, where it tells that too, receives the bytes that it had for each of `ranks` ranks on
 * the fullest of its nodes. */
bool sl_slurm_ended_short(const char *text, double ranks, double *asked);

/* MiB that the last job of the campaign asks for; SL_EINPUT: no node has so much. */
int sl_slurm_last_memory(const struct sl_site *site, const struct sl_config *cfg,
                         long long *memory);

/* MiB of a node that jobs of this recipe may have; 0: not known. */
long long sl_slurm_node_limit(const struct sl_site *site, const struct sl_config *cfg);
/* MiB that a node has for one rank of a stage whose values are cfg (sl_config_stage); 0: not
 * known. */
long long sl_slurm_rank_limit(const struct sl_site *site, const struct sl_config *cfg);

#endif
