/* pack.c - see slurm/pack.h. */
#include "pipeline/slurm/pack.h"

#include <limits.h>
#include <stdbool.h>

#include "core/config/config.h"
#include "pipeline/campaign/recipe.h"
#include "pipeline/campaign/stage.h"

static long long least(long long a, long long b)
{
    return a < b ? a : b;
}

static long long of_stage(const struct sl_config *cfg, const struct sl_site *site)
{
    long long asked = cfg->slurm_pack > 0 ? (long long)cfg->slurm_pack : site->pack;
    long long ranks = (long long)cfg->resources_ranks, gpus = (long long)cfg->resources_gpus;
    if (cfg->resources_nodes > 1 || (asked == 0 && site->cores == 0)) return 1;
    long long n = asked > 0 ? asked : site->cores;
    if (site->cores > 0) n = least(n, site->cores / ranks);
    if (site->gpus > 0 && gpus > 0) n = least(n, site->gpus / gpus);
    return n > 1 ? n : 1;
}

int sl_slurm_pack(const struct sl_config *cfg, const struct sl_site *site)
{
    struct sl_config own;
    long long n = INT_MAX;
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        if (!sl_stage_is_of(s, cfg)) continue;
        sl_config_stage(cfg, s, &own);
        n = least(n, of_stage(&own, site));
    }
    return (int)n;
}

int sl_slurm_turns(const struct sl_config *cfg)
{
    bool alone = cfg->ensemble_target != SL_TARGET_none || cfg->resources_nodes > 1;
    return alone || cfg->resources_members_per_process < 1
               ? 1
               : (int)cfg->resources_members_per_process;
}

long long sl_slurm_share(long long limit, int arrays, int k)
{
    if (limit <= 0 || arrays < 1) return 0;
    if (arrays >= limit) return 1;
    return limit / arrays + (k < limit % arrays);
}
