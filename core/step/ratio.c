/* ratio.c - see ratio.h. */
#include "core/step/ratio.h"

#include "core/config/config.h"

struct sl_ratio sl_ratio_of(const struct sl_sim *root)
{
    struct sl_ratio_load level[SL_LEVELS] = {{0, 0}};
    const struct sl_hierarchy *h = root->state.hierarchy;
    for (const struct sl_sim *s = root; s; s = s->finer) {
        const struct sl_mesh *mesh = s->state.mesh;
        double cells = (double)h->count[mesh->level] * mesh->n[0] * mesh->n[1] * mesh->n[2];
        level[mesh->level] = (struct sl_ratio_load){cells, s->state.allowed};
    }
    return sl_ratio_choose(root->state.cfg, h->nlevel, level);
}

int sl_ratio_buffer(const struct sl_sim *sim)
{
    const struct sl_config *cfg = sim->state.cfg;
    int64_t buffer = cfg->mesh_buffer;
    if (buffer == 0) return 0;
    int64_t steps = sl_ratio_of(sim->root).steps[sim->state.mesh->level];
    if (steps <= cfg->mesh_regrid) return (int)buffer;
    int64_t reach = sl_ratio_reach(cfg, steps);
    return (int)(buffer > reach ? buffer : reach);
}

int64_t sl_ratio_finest(const struct sl_sim *root, const struct sl_ratio *c)
{
    return c->steps[root->state.hierarchy->nlevel - 1];
}

bool sl_ratio_regrid_due(const struct sl_sim *root, const struct sl_ratio *c)
{
    const struct sl_config *cfg = root->state.cfg;
    return cfg->mesh_levels > 0 &&
           root->state.since_regrid + 2 * sl_ratio_finest(root, c) > cfg->mesh_regrid;
}

bool sl_ratio_regrids(const struct sl_sim *root)
{
    struct sl_ratio c = sl_ratio_of(root);
    return sl_ratio_regrid_due(root, &c);
}

void sl_ratio_count(struct sl_sim *root, const struct sl_ratio *c, bool regrids)
{
    int64_t *since = &root->state.since_regrid;
    if (root->state.cfg->mesh_levels > 0) *since = regrids ? 0 : *since + sl_ratio_finest(root, c);
}
