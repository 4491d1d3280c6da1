/* memory.c - see slurm/memory.h. */
#include "pipeline/slurm/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/sys/interval.h"
#include "core/sys/status.h"
#include "pipeline/plan/plan.h"

static const double mega = 1 << 20;

/* The most that members of this size took; 0: none has reported it. */
static double seen(const struct sl_use *use, double planned)
{
    for (int i = 0; use && i < use->sizes; i++)
        if (fabs(use->size[i].planned / planned - 1) <= 1e-6) return use->size[i].most;
    return 0;
}

/* An estimate knows the fields, not what the libraries take. most: what a rank can have, 0: not
 * known. */
static double automatic(const struct sl_config *cfg, enum sl_stage stage,
                        const struct sl_filling *filling, const struct sl_use *use, double most)
{
    static const double libraries = 256 * mega, least = 64 * mega;
    struct sl_need need;
    double took = seen(use, sl_plan_memory(cfg, stage));
    if (took > 0) return fmin(fmax(1.25 * took, least), most > 0 ? most : INFINITY);
    sl_plan_member(cfg, filling, &need);
    return 1.5 * need.stage_memory[stage] + libraries;
}

long long sl_slurm_memory(const struct sl_site *site, const struct sl_config *cfg,
                          enum sl_stage stage, const struct sl_filling *filling,
                          const struct sl_use *use, const struct sl_stage_state *before)
{
    struct sl_config own;
    sl_config_stage(cfg, (int)stage, &own);
    double bytes = own.resources_memory / (double)own.resources_ranks;
    double most = (double)sl_slurm_rank_limit(site, &own) * mega;
    if (own.resources_memory == SL_INTERVAL_AUTO)
        bytes = strcmp(site->memory, "none") == 0 ? 0 : automatic(cfg, stage, filling, use, most);
    if (before && before->shortages > 0 && before->asked > 0) {
        double more = 2 * before->asked;
        bytes = fmax(bytes, most > 0 ? fmin(more, most) : more);
    }
    return (long long)ceil(bytes / mega);
}

int sl_slurm_last_memory(const struct sl_site *site, const struct sl_config *cfg, long long *memory)
{
    long long limit = sl_slurm_node_limit(site, cfg);
    *memory = sl_slurm_memory(site, cfg, SL_STAGE_ensemble, NULL, NULL, NULL);
    SL_CHECK(limit <= 0 || *memory <= limit, SL_EINPUT,
             "the last job of the campaign requests %lld MiB, but a node has %lld MiB: give it "
             "another partition (slurm.partition), or less (resources.ensemble.memory)",
             *memory, limit);
    return SL_OK;
}

/* MiB after a key in the words of Slurm: "257M", "1G", "300" (MiB), "1.50G"; 0: none. */
static double mebibytes(const char *text, const char *key)
{
    char *end;
    const char *at = strstr(text, key);
    double value = at ? strtod(at + strlen(key), &end) : 0;
    if (!(value > 0)) return 0;
    return value * (*end == 'K' ? 1. / 1024 : *end == 'G' ? 1024 : *end == 'T' ? 1024 * 1024 : 1);
}

bool sl_slurm_ended_short(const char *text, double ranks, double *asked)
{
    if (!text || !strstr(text, "JobState=OUT_OF_MEMORY")) return false;
    double rank = mebibytes(text, "MinMemoryCPU="), node = mebibytes(text, "MinMemoryNode=");
    if (rank > 0 || node > 0) *asked = mega * (rank > 0 ? rank : node / ranks);
    return true;
}

long long sl_slurm_node_limit(const struct sl_site *site, const struct sl_config *cfg)
{
    bool other = *cfg->slurm_partition && strcmp(cfg->slurm_partition, site->partition) != 0;
    return other ? 0 : site->node_memory;
}

long long sl_slurm_rank_limit(const struct sl_site *site, const struct sl_config *cfg)
{
    long long limit = sl_slurm_node_limit(site, cfg), ranks = (long long)cfg->resources_ranks,
              nodes = (long long)cfg->resources_nodes;
    return nodes > 0 ? limit / ((ranks + nodes - 1) / nodes) : limit;
}

int sl_slurm_nodes(const struct sl_site *site, const struct sl_config *cfg, const char *stage,
                   long long rank, int pack, long long *nodes)
{
    long long cores = site->cores, ranks = (long long)cfg->resources_ranks * pack;
    long long limit = sl_slurm_node_limit(site, cfg);
    bool given = cfg->resources_nodes > 0 || pack > 1;
    *nodes = (long long)cfg->resources_nodes;
    if (pack > 1) *nodes = 1;
    if (!given && cores > 0) *nodes = (ranks + cores - 1) / cores;
    if (rank <= 0 || limit <= 0) return SL_OK;
    SL_CHECK(
        rank <= limit, SL_EINPUT,
        "a rank of stage %s requests %lld MiB, but a node has %lld MiB: give it more ranks "
        "(resources.%s.ranks), another partition (slurm.partition), or less (resources.%s.memory)",
        stage, rank, limit, stage, stage);
    long long least = (ranks + limit / rank - 1) / (limit / rank);
    if (*nodes == 0 && least <= 1) return SL_OK;
    SL_CHECK(
        !given || least <= *nodes, SL_EINPUT,
        "%lld ranks of stage %s ask for %lld MiB each, but a node has %lld MiB: that takes %lld "
        "nodes (resources.%s.nodes), not %lld",
        ranks, stage, rank, limit, least, stage, *nodes);
    if (least > *nodes) *nodes = least;
    return SL_OK;
}
