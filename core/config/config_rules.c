/* config_rules.c - see config_rules.h and config.h. */
#include "core/config/config_rules.h"

#include <string.h>

/* ---- faults ---- */

bool sl_config_reported(const struct sl_inputs *in, int key)
{
    return in && in->faults && !in->faults->closed && in->faults->key[key];
}

static bool known(const struct sl_inputs *in, int key)
{
    bool had = sl_config_reported(in, key);
    if (in->faults && !in->faults->closed) in->faults->key[key] = true;
    return had;
}

/* Said of a number that nobody wrote. */
static const char *by_default(int key)
{
    bool number = sl_keys[key].max > sl_keys[key].min && *sl_keys[key].text;
    return number ? " (its default: the recipe does not give it)" : "";
}

int sl_config_wrong(const struct sl_inputs *in, int key, const char *text)
{
    if (in && known(in, key)) return SL_FAIL(SL_EINPUT, "%s", "");
    if (in && in->row[key].node)
        return SL_FAIL_AT(in->row[key].node->at, "%s: %s", sl_keys[key].path, text);
    if (in && in->doc_count > 0 && in->docs[0]->root)
        return SL_FAIL(SL_EINPUT, "%s: %s: %s%s", in->docs[0]->root->at.file, sl_keys[key].path,
                       text, by_default(key));
    return SL_FAIL(SL_EINPUT, "%s: %s", sl_keys[key].path, text);
}

int sl_config_refused(const struct sl_inputs *in, int key, const char *text)
{
    if (!in || in->row[key].node || !in->row[SL_KEY_problem].node)
        return sl_config_wrong(in, key, text);
    if (known(in, key)) return SL_FAIL(SL_EINPUT, "%s", "");
    return SL_FAIL_AT(in->row[SL_KEY_problem].node->at, "%s: %s%s", sl_keys[key].path, text,
                      by_default(key));
}

int sl_config_wrong_rule(const struct sl_inputs *in, int i, const char *text)
{
    const struct sl_node *node = in ? in->row[SL_KEY_mesh_refine].node : NULL;
    if (in && known(in, SL_KEY_mesh_refine)) return SL_FAIL(SL_EINPUT, "%s", "");
    if (!node) return SL_FAIL(SL_EINPUT, "mesh.refine: %s", text);
    if (node->kind == SL_NODE_LIST)
        for (node = node->first; i > 0; i--)
            node = node->next;
    return SL_FAIL_AT(node->at, "mesh.refine: %s", text);
}

/* ---- all of them ---- */

/* All rules are looked at, so that all that is wrong is reported at once. */
static int check_all(const struct sl_inputs *in, struct sl_config *cfg)
{
    int dim = cfg->mesh_cells_n;
    if (cfg->campaign[0] == '\0') SL_WRONG(in, campaign, "must be given: %s", "a name");
    if (dim < 1 || dim > 3)
        SL_WRONG(in, mesh_cells, "must be given: one number for each of 1 to 3 axes");
    SL_TRY(sl_config_check_mesh(in, cfg));
    SL_RULED(in, sl_config_check_boundary(in, cfg));
    SL_TRY(sl_config_check_means(in, cfg));
    SL_TRY(sl_config_check_alone(in, cfg));
    SL_TRY(sl_config_check_gas(in, cfg));
    SL_TRY(sl_config_check_universe(in, cfg));
    SL_TRY(sl_config_check_with(in, cfg));
    SL_TRY(sl_config_check_sources(in, cfg));
    SL_TRY(sl_config_check_levels(in, cfg));
    SL_TRY(sl_config_check_statistics(in, cfg));
    SL_RULED(in, sl_config_check_steps(in, cfg));
    SL_RULED(in, sl_config_check_problem(in, cfg));
    return SL_OK;
}

int sl_config_check(struct sl_config *cfg)
{
    struct sl_config work = *cfg;
    SL_TRY(check_all(NULL, &work));
    *cfg = work;
    return SL_OK;
}

/* Do the rules speak of what the recipe means, or would they of the defaults of keys that are
 * wrong? */
static bool follows(const struct sl_inputs *in)
{
    static const enum sl_key_id base[] = {
        SL_KEY_campaign,  SL_KEY_problem,          SL_KEY_mesh_cells,
        SL_KEY_mesh_box,  SL_KEY_time_unit,        SL_KEY_fluid_eos,
        SL_KEY_fluid_mhd, SL_KEY_fluid_integrator, SL_KEY_fluid_reconstruct};
    if (!in->faults || in->faults->closed) return true;
    for (size_t i = 0; i < sizeof base / sizeof base[0]; i++)
        if (in->faults->key[base[i]]) return false;
    return true;
}

int sl_inputs_check(const struct sl_inputs *in, struct sl_config *cfg)
{
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        if (in->row[i].node || !sl_key_is_required(&sl_keys[i])) continue;
        char text[300];
        snprintf(text, sizeof text, "must be given: %s", sl_keys[i].about);
        if (in->faults && in->faults->unknown) return SL_OK; /* one of those may be meant for it */
        SL_RULED(in, sl_config_wrong(in, i, text));
    }
    return follows(in) ? check_all(in, cfg) : SL_OK;
}
