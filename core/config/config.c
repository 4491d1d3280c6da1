/* config.c - see config.h. Reading is in inputs.c, rules are in config_rules.c; here are defaults,
 * questions and printing. */
#include "core/config/config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "core/config/config_rules.h"
#include "core/lists/boundary_list.h"
#include "core/lists/eos_list.h"
#include "core/lists/potential_list.h"
#include "core/sys/depth.h"

/* ---- defaults ---- */

static struct sl_config defaults;

static void make_defaults(void)
{
    for (int i = 0; i < SL_KEY_COUNT; i++)
        if (sl_keys[i].text[0] != '\0' && sl_inputs_default(i, &defaults) != SL_OK)
            SL_BUG("default of %s: %s", sl_keys[i].path, sl_error_text());
}

void sl_config_default(struct sl_config *cfg)
{
    static once_flag once = ONCE_FLAG_INIT;
    call_once(&once, make_defaults);
    memcpy(cfg, &defaults, sizeof *cfg);
}

/* ---- the rest of the face ---- */

#define OWN_RESOURCES(stage)                                                                       \
    {                                                                                              \
        &cfg->resources_##stage##_ranks, &cfg->resources_##stage##_nodes,                          \
            &cfg->resources_##stage##_gpus, &cfg->resources_##stage##_walltime,                    \
            &cfg->resources_##stage##_memory                                                       \
    }

/* Of the stages of the campaign: what runs of members were given says nothing about them. */
static void whole_resources(const struct sl_config *cfg, struct sl_config *own)
{
    double memory = cfg->resources_ensemble_memory;
    if (cfg->resources_ensemble_walltime > 0)
        own->resources_walltime = cfg->resources_ensemble_walltime;
    own->resources_memory = memory > 0 ? memory : 0;
    own->resources_ranks = own->resources_nodes = 1;
    own->resources_gpus = 0;
}

void sl_config_stage(const struct sl_config *cfg, int stage, struct sl_config *own)
{
    const struct {
        const int64_t *ranks, *nodes, *gpus;
        const double *walltime, *memory;
    } row[SL_CONFIG_STAGES] = {OWN_RESOURCES(ic), OWN_RESOURCES(sim), OWN_RESOURCES(stats),
                               OWN_RESOURCES(own)};
    if (own != cfg) *own = *cfg;
    if (stage >= SL_CONFIG_STAGES) whole_resources(cfg, own);
    if (stage < 0 || stage >= SL_CONFIG_STAGES) return;
    if (*row[stage].ranks > 0) own->resources_ranks = *row[stage].ranks;
    if (*row[stage].nodes >= 0) own->resources_nodes = *row[stage].nodes;
    if (*row[stage].gpus >= 0) own->resources_gpus = *row[stage].gpus;
    if (*row[stage].walltime > 0) own->resources_walltime = *row[stage].walltime;
    /* a command needs what it needs, whatever a run was given */
    if (*row[stage].memory >= 0 || stage == SL_CONFIG_own)
        own->resources_memory = *row[stage].memory;
}

int sl_config_dim(const struct sl_config *cfg)
{
    return cfg->mesh_cells_n;
}

int64_t sl_config_start_cells(const struct sl_config *cfg, int axis)
{
    return cfg->mesh_cells[axis] << (cfg->problem == SL_PROBLEM_cosmology ? cfg->ic_level : 0);
}

bool sl_config_can_make_start(const struct sl_config *cfg)
{
    return cfg->problem == SL_PROBLEM_cosmology && sl_config_expands(cfg) && !cfg->ic_file[0];
}

bool sl_config_makes_start(const struct sl_config *cfg)
{
    return sl_config_can_make_start(cfg) && cfg->ic_write != SL_IC_WRITE_true && !cfg->run_input[0];
}

bool sl_config_without_ic(const struct sl_config *cfg)
{
    return sl_config_makes_start(cfg) || (cfg->problem == SL_PROBLEM_cosmology && cfg->ic_file[0]);
}

double sl_config_trees(const struct sl_config *cfg, int root[3])
{
    double trees = 1;
    int dim = sl_config_dim(cfg);
    for (int d = 0; d < 3; d++) {
        if (d < dim && cfg->mesh_block[d] < 1) return 0;
        root[d] = d < dim ? (int)(cfg->mesh_cells[d] / cfg->mesh_block[d]) : 1;
    }
    for (int d = 0; d < dim; d++)
        trees *= root[d] >> sl_depth_tree(dim, root);
    return trees;
}

bool sl_config_has_gas(const struct sl_config *cfg)
{
    return cfg->fluid_eos != SL_EOS_none;
}

bool sl_config_expands(const struct sl_config *cfg)
{
    return cfg->time_unit == SL_TIME_UNIT_redshift;
}

bool sl_config_isolated(const struct sl_config *cfg)
{
    return cfg->gravity_boundary == SL_GRAVITY_BOUNDARY_isolated ||
           (cfg->gravity_boundary == SL_GRAVITY_BOUNDARY_auto && !sl_config_periodic(cfg));
}

/* Cells of the root grid up to which twice the cells along each axis are transformed. */
static const double padded_most = 256.0 * 256.0 * 256.0;

enum sl_around sl_config_around(const struct sl_config *cfg)
{
    double cells = 1;
    for (int d = 0; d < cfg->mesh_cells_n; d++)
        cells *= (double)cfg->mesh_cells[d];
    if (!sl_config_isolated(cfg)) return SL_AROUND_periodic;
    if (cfg->gravity_isolated == SL_GRAVITY_ISOLATED_auto)
        return cells > padded_most ? SL_AROUND_screened : SL_AROUND_padded;
    return cfg->gravity_isolated == SL_GRAVITY_ISOLATED_padded ? SL_AROUND_padded
                                                               : SL_AROUND_screened;
}

bool sl_config_of_universe(const struct sl_config *cfg)
{
    return sl_config_expands(cfg) || cfg->problem == SL_PROBLEM_cosmology;
}

bool sl_config_has_units(const struct sl_config *cfg)
{
    return sl_config_of_universe(cfg) ||
           (cfg->units_length > 0 && cfg->units_density > 0 && cfg->units_velocity > 0);
}

bool sl_config_riemann_magnetic(const struct sl_config *cfg)
{
    const double *l = cfg->riemann_left, *r = cfg->riemann_right;
    const double *bl = cfg->riemann_magnetic_left, *br = cfg->riemann_magnetic_right;
    bool across = bl[1] != 0 || bl[2] != 0 || br[1] != 0 || br[2] != 0;
    return across || (bl[0] != 0 && (l[2] != r[2] || l[3] != r[3]));
}

struct sl_potential sl_config_potential(const struct sl_config *cfg)
{
    struct sl_potential p = {.kind = cfg->potential_kind,
                             .dim = cfg->mesh_cells_n,
                             .axis = cfg->potential_axis,
                             .strength = cfg->potential_strength,
                             .softening = cfg->potential_softening};
    for (int d = 0; d < p.dim; d++) {
        p.center[d] = cfg->potential_center[d];
        if (cfg->mesh_boundary[2 * d] == SL_BOUNDARY_periodic)
            p.period[d] = cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d];
    }
    return p;
}

bool sl_config_sim_on_device(const struct sl_config *cfg)
{
    return cfg->resources_backend == SL_BACKEND_cuda || cfg->resources_backend == SL_BACKEND_auto;
}

bool sl_config_stats_on_device(const struct sl_config *cfg)
{
    double cells = 1;
    for (int d = 0; d < cfg->mesh_cells_n; d++)
        cells *= (double)cfg->mesh_cells[d];
    if (!cfg->statistics_spectra && !cfg->statistics_structure && !cfg->statistics_matter &&
        !(cfg->statistics_haloes > 0))
        return false;
    return cfg->resources_backend == SL_BACKEND_cuda ||
           (cfg->resources_backend == SL_BACKEND_auto && cells >= 1 << 20);
}

static int resolve(const struct sl_inputs *in, struct sl_config *cfg)
{
    if (in->sweep_count > 0)
        return SL_FAIL_AT(in->sweep[0].at, "a sweep makes many runs: only `sluice` takes it; one "
                                           "program runs one member's run.yaml");
    struct sl_config work;
    sl_config_default(&work);
    struct sl_resolver r;
    sl_resolver_init(&r, in, &work);
    SL_TRY(sl_resolve_all(&r));
    SL_TRY(sl_inputs_check(in, &work));
    SL_TRY(sl_fault_end(in));
    *cfg = work;
    return SL_OK;
}

int sl_config_read(const char *path, char *const *overrides, int n, struct sl_config *cfg)
{
    struct sl_inputs *in;
    SL_TRY(sl_inputs_read(path, overrides, n, &in));
    int code = resolve(in, cfg);
    if (code != SL_OK && in->faults->foreign) /* sluice writes no key that it does not know */
        code = SL_FAIL(code,
                       "%s\n%s: if nobody edited this file, it is from a sluice of another build "
                       "than this program: `make` builds all of them",
                       sl_error_text(), path);
    sl_inputs_free(in);
    return code;
}

int sl_config_parse(const char *name, const char *bytes, size_t size, char *const *overrides, int n,
                    struct sl_config *cfg)
{
    struct sl_inputs *in;
    SL_TRY(sl_inputs_parse(name, bytes, size, overrides, n, &in));
    int code = resolve(in, cfg);
    sl_inputs_free(in);
    return code;
}

/* A key that nobody gave, and that means nothing where the recipe has no command. */
static bool is_idle(const struct sl_key *key, const char *value)
{
    if (sl_key_is_command(key)) return true;
    return strncmp(key->path, "resources.own.", 14) == 0 && strcmp(value, key->text) == 0;
}

/* "path: value" lines of the keys that are not left out; NULL: of all. */
static int print_keys(const struct sl_config *cfg, bool (*left_out)(const struct sl_key *),
                      char **text)
{
    bool commands = *cfg->stages_snapshot || *cfg->stages_member || *cfg->stages_campaign;
    size_t size = 4096, used = 0;
    char *out = malloc(size);
    SL_CHECK(out, SL_EMEM, "no memory to print the keys");
    *out = '\0';
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        char value[2 * SL_TEXT_MAX + 1100];
        if (left_out && left_out(&sl_keys[i])) continue;
        sl_key_print(&sl_keys[i], cfg, value, sizeof value);
        if (!commands && is_idle(&sl_keys[i], value)) continue;
        size_t need = strlen(sl_keys[i].path) + strlen(value) + 4;
        if (used + need > size) {
            size = 2 * (size + need);
            char *more = realloc(out, size);
            if (!more) free(out);
            SL_CHECK(more, SL_EMEM, "no memory to print the keys");
            out = more;
        }
        used += (size_t)snprintf(out + used, size - used, "%s: %s\n", sl_keys[i].path, value);
    }
    *text = out;
    return SL_OK;
}

int sl_config_print(const struct sl_config *cfg, char **text)
{
    return print_keys(cfg, NULL, text);
}

/* A run that measures cannot measure its beginning again. */
static bool changes_nothing_measured(const struct sl_key *key)
{
    return sl_key_may_change(key) && !sl_key_is_measured(key);
}

int sl_config_print_fixed(const struct sl_config *cfg, char **text)
{
    return print_keys(cfg, cfg->statistics_in_run ? changes_nothing_measured : sl_key_may_change,
                      text);
}

/* Failures are seen by a run in its mtbf alone. */
static bool no_result(const struct sl_key *key)
{
    return sl_key_is_means(key) || strcmp(key->path, "run.mtbf") == 0;
}

int sl_config_print_results(const struct sl_config *cfg, char **text)
{
    return print_keys(cfg, no_result, text);
}

const char *sl_choice_name(const char *path, int value)
{
    int key = sl_key_find(path);
    if (key < 0 || value < 0 || value >= sl_keys[key].choice_count) return "";
    return sl_keys[key].choices[value].name;
}
