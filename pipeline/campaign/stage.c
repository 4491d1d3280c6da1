/* stage.c - see stage.h. */
#include "pipeline/campaign/stage.h"

#include <string.h>

#include "core/config/config.h"
#include "pipeline/campaign/recipe.h"

#define NAME_OF(name, about) #name,
static const char *const stages[] = {SL_STAGE_LIST(NAME_OF)};
static const char *const results[] = {SL_RESULT_LIST(NAME_OF)};
#undef NAME_OF

static int find(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

_Static_assert((int)SL_CONFIG_ic == (int)SL_STAGE_ic && (int)SL_CONFIG_sim == (int)SL_STAGE_sim &&
                   (int)SL_CONFIG_stats == (int)SL_STAGE_stats &&
                   (int)SL_CONFIG_own == (int)SL_STAGE_own,
               "sl_config_stage takes stages of this list");

bool sl_stage_is_of(int stage, const struct sl_config *cfg)
{
    if (stage == SL_STAGE_ic) return sl_config_needs_ic(cfg);
    if (stage == SL_STAGE_own) return *cfg->stages_snapshot || *cfg->stages_member;
    return stage < SL_MEMBER_STAGES;
}

bool sl_stage_takes_devices(int stage, const struct sl_config *cfg)
{
    if (stage == SL_STAGE_own) return cfg->resources_own_gpus > 0;
    if (stage == SL_STAGE_stats) return !cfg->statistics_in_run && sl_config_stats_on_device(cfg);
    return stage == SL_STAGE_sim;
}

const char *sl_stage_name(int stage)
{
    return stage >= 0 && stage < SL_STAGE_COUNT ? stages[stage] : "unknown";
}

int sl_stage_find(const char *name)
{
    return find(stages, SL_STAGE_COUNT, name);
}

const char *sl_result_name(int result)
{
    return result >= 0 && result < SL_RESULT_COUNT ? results[result] : "unknown";
}

int sl_result_find(const char *name)
{
    return find(results, SL_RESULT_COUNT, name);
}
