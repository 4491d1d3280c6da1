/* advice.c - see advice.h. */
#include "pipeline/campaign/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/keys.h"
#include "core/config/rules.h"
#include "core/cosmo/columns.h"
#include "core/cosmo/cooling_curve.h"
#include "core/cosmo/potential_table.h"
#include "core/cosmo/schedule.h"
#include "core/cosmo/step_error.h"
#include "core/cosmo/universe.h"
#include "core/ic/spectrum_table.h"
#include "core/lists/eos_list.h"
#include "core/lists/integrator_list.h"
#include "core/lists/mhd_list.h"
#include "core/lists/potential_list.h"
#include "core/lists/reconstruct_list.h"
#include "core/lists/refine_list.h"
#include "core/sys/file.h"
#include "core/sys/status.h"
#include "pipeline/campaign/ensemble.h"
#include "pipeline/campaign/input_files.h"

/* ---- keys without effect --------------------------------------------------------------------- */

#define ATTRACTS(c) sl_config_wants(c, SL_SOURCE_self_gravity)
#define ATTRACTING  "gravity.four_pi_g or time.unit: redshift"

/* X(key, or group with a dot at its end; when it has an effect; what it needs): c is the member's
 * configuration. */
#define ADVICE_LIST(X)                                                                             \
    X("fluid.gamma", c->fluid_eos == SL_EOS_ideal, "fluid.eos: ideal")                             \
    X("fluid.limiter", c->fluid_reconstruct == SL_RECONSTRUCT_plm, "fluid.reconstruct: plm")       \
    X("fluid.theta", c->fluid_limiter == SL_LIMITER_minmod, "fluid.limiter: minmod")               \
    X("fluid.glm_alpha", c->fluid_mhd == SL_MHD_glm, "fluid.mhd: glm")                             \
    X("fluid.dual_eta", c->fluid_dual_energy, "fluid.dual_energy: true")                           \
    X("mesh.regrid", c->mesh_levels > 0, "mesh.levels")                                            \
    X("mesh.buffer", c->mesh_levels > 0, "mesh.levels")                                            \
    X("mesh.derefine_after", c->mesh_levels > 0, "mesh.levels")                                    \
    X("time.levels", c->mesh_levels > 0, "mesh.levels")                                            \
    X("resources.filling", c->mesh_levels > 0, "mesh.levels")                                      \
    X("driving.", c->driving_acceleration > 0 || c->driving_power > 0,                             \
      "driving.acceleration or driving.power")                                                     \
    X("potential.", c->potential_kind != SL_POTENTIAL_none, "potential.kind")                      \
    X("potential.axis", c->potential_kind == SL_POTENTIAL_plane, "potential.kind: plane")          \
    X("potential.softening", c->potential_kind != SL_POTENTIAL_harmonic,                           \
      "another potential.kind than harmonic")                                                      \
    X("potential.values", c->potential_kind == SL_POTENTIAL_table, "potential.kind: table")        \
    X("gravity.boundary", ATTRACTS(c), ATTRACTING)                                                 \
    X("gravity.tolerance", ATTRACTS(c), ATTRACTING)                                                \
    X("gravity.cycles", ATTRACTS(c), ATTRACTING)                                                   \
    X("gravity.between", ATTRACTS(c), ATTRACTING)                                                  \
    X("gravity.tolerance", c->mesh_levels > 0, "mesh.levels")                                      \
    X("gravity.cycles", c->mesh_levels > 0, "mesh.levels")                                         \
    X("gravity.between", c->mesh_levels > 0, "mesh.levels")                                        \
    X("gravity.between", c->time_levels == SL_TIME_LEVELS_each, "time.levels: each")               \
    X("cooling.", sl_config_wants(c, SL_SOURCE_cooling),                                           \
      "cooling.rate, cooling.table or cooling.heating")                                            \
    X("cooling.slope", c->cooling_rate > 0, "cooling.rate")                                        \
    X("cooling.temperature", c->cooling_rate > 0, "cooling.rate")                                  \
    X("cooling.units", c->cooling_table[0], "cooling.table")                                       \
    X("cooling.column", c->cooling_table[0], "cooling.table")                                      \
    X("cooling.per", c->cooling_table[0], "cooling.table")                                         \
    X("particles.", sl_config_wants(c, SL_SOURCE_particles),                                       \
      "particles: ic.species, particles.file, nbody.profile or pancake.dark_matter")               \
    X("nbody.particles",                                                                           \
      c->nbody_profile == SL_NBODY_PROFILE_plummer ||                                              \
          c->nbody_profile == SL_NBODY_PROFILE_hernquist,                                          \
      "nbody.profile: plummer or hernquist")                                                       \
    X("nbody.radius", c->nbody_profile != SL_NBODY_PROFILE_file, "nbody.profile")                  \
    X("nbody.mass", c->nbody_profile != SL_NBODY_PROFILE_file, "nbody.profile")                    \
    X("bertschinger.temperature", sl_config_has_gas(c), "gas (fluid.eos)")                         \
    X("cosmology.massive_neutrinos", c->cosmology_m_nu > 0, "cosmology.m_nu")                      \
    X("resources.ic.", sl_config_needs_ic(c), "a stage ic, which ic.write: true asks for")         \
    X("time.max_expansion", sl_config_expands(c), "time.unit: redshift")                           \
    X("ic.", c->problem == SL_PROBLEM_cosmology || sl_config_expands(c), "problem: cosmology")     \
    X("cosmology.", c->problem == SL_PROBLEM_cosmology || sl_config_expands(c),                    \
      "problem: cosmology")                                                                        \
    X("cosmology.a_s", c->cosmology_normalise != SL_NORMALISE_sigma8, "cosmology.normalise: a_s")  \
    X("cosmology.sigma8", c->cosmology_normalise != SL_NORMALISE_a_s,                              \
      "cosmology.normalise: sigma8")                                                               \
    X("ic.noise_set", c->ic_noise[0], "ic.noise")                                                  \
    X("ic.low_seed", c->ic_low_modes > 0, "ic.low_modes")                                          \
    X("ic.table_redshift", c->ic_mode == SL_IC_MODE_back_scaled, "ic.mode: back_scaled")           \
    X("statistics.halo_particles", c->statistics_haloes > 0, "statistics.haloes")                  \
    X("statistics.halo_mass", c->statistics_haloes > 0, "statistics.haloes")                       \
    X("statistics.progenitors", c->statistics_haloes > 0, "statistics.haloes")                     \
    X("statistics.clump_cells", c->statistics_clumps > 0 || c->statistics_tree > 0,                \
      "statistics.clumps or statistics.tree")                                                      \
    X("statistics.tree_delta", c->statistics_tree > 0, "statistics.tree")                          \
    X("ensemble.relative_error", c->ensemble_target != SL_TARGET_none, "ensemble.target")          \
    X("ensemble.stop", c->ensemble_target != SL_TARGET_none, "ensemble.target")                    \
    X("output.potential", !c->statistics_in_run, "snapshots (statistics.in_run: false)")           \
    X("output.precision", !c->statistics_in_run, "snapshots (statistics.in_run: false)")           \
    X("statistics.profile_center", c->statistics_profiles, "statistics.profiles")                  \
    X("statistics.profile_bins", c->statistics_profiles, "statistics.profiles")                    \
    X("output.center",                                                                             \
      c->output_sample >> SL_SAMPLE_radius & 1 ||                                                  \
          (c->statistics_profiles && c->statistics_profile_center == SL_CENTER_point),             \
      "output.sample: [radius], or statistics.profiles with statistics.profile_center: point")

static bool begins(const char *path, const char *name)
{
    size_t n = strlen(name);
    return strncmp(path, name, n) == 0 && (name[n - 1] == '.' || !path[n]);
}

/* What a key would need to have an effect in c, NULL when it has one. */
static const char *need_of(const char *path, const struct sl_config *c, char text[96])
{
    const char *problem = sl_choice_name("problem", c->problem);
    size_t group = strcspn(path, ".");
    for (const struct sl_choice *p = sl_keys[SL_KEY_problem].choices; p->name && path[group]; p++)
        if (strlen(p->name) == group && strncmp(path, p->name, group) == 0 &&
            strcmp(p->name, problem) != 0 && strcmp(p->name, "cosmology") != 0) {
            snprintf(text, 96, "problem: %s", p->name);
            return text;
        }
#define ROW(name, holds, needs)                                                                    \
    if (begins(path, name) && !(holds)) return needs;
    ADVICE_LIST(ROW)
#undef ROW
    return NULL;
}

/* Does the text of a row, or of one of its elements, name the key? Then it is a number of the
 * recipe's own. */
static bool names(const struct sl_node *node, const char *path)
{
    if (!node) return false;
    if (node->kind == SL_NODE_SCALAR) return strstr(node->text, path) != NULL;
    for (const struct sl_node *n = node->first; n; n = n->next)
        if (names(n, path)) return true;
    return false;
}

static bool named(const struct sl_inputs *in, const char *path)
{
    bool is = false;
    for (int i = 0; i < SL_KEY_COUNT && !is; i++)
        is = names(in->row[i].node, path);
    for (int i = 0; i < in->sweep_count && !is; i++)
        is = names(in->sweep[i].values, path);
    return is;
}

static const enum sl_key_id turning[] = {
    SL_KEY_problem,
    SL_KEY_fluid_eos,
    SL_KEY_fluid_mhd,
    SL_KEY_fluid_reconstruct,
    SL_KEY_fluid_limiter,
    SL_KEY_driving_acceleration,
    SL_KEY_driving_power,
    SL_KEY_time_unit,
    SL_KEY_cosmology_normalise,
    SL_KEY_potential_kind,
    SL_KEY_fluid_dual_energy,
    SL_KEY_output_sample,
    SL_KEY_mesh_levels,
    SL_KEY_ic_write,
    SL_KEY_run_input,
    SL_KEY_gravity_four_pi_g,
    SL_KEY_cooling_rate,
    SL_KEY_cooling_table,
    SL_KEY_cooling_heating,
    SL_KEY_particles_file,
    SL_KEY_nbody_profile,
    SL_KEY_ic_species,
    SL_KEY_ic_low_modes,
    SL_KEY_ic_mode,
    SL_KEY_statistics_haloes,
    SL_KEY_statistics_clumps,
    SL_KEY_statistics_tree,
    SL_KEY_ensemble_target,
    SL_KEY_time_levels,
    SL_KEY_pancake_dark_matter,
    SL_KEY_ic_noise,
    SL_KEY_ic_file,
    SL_KEY_statistics_profiles,
    SL_KEY_statistics_profile_center,
};

/* Is what turns keys on known? Not where the recipe is wrong about it or does not name its problem:
 * then it is at its default, which nobody meant. */
static bool known(const struct sl_inputs *in)
{
    for (size_t i = 0; i < sizeof turning / sizeof *turning; i++)
        if (in->faults->key[turning[i]]) return false;
    return in->row[SL_KEY_problem].node != NULL;
}

static bool sweeps(const struct sl_recipe *recipe)
{
    for (size_t i = 0; i < sizeof turning / sizeof *turning; i++)
        if (sl_recipe_sweeps(recipe, turning[i])) return true;
    return false;
}

/* Does another member than the first use the key? Of more than SL_MEMBERS_ASK none is looked at. */
static bool others_use(struct sl_recipe *recipe, const char *path)
{
    bool used = sl_recipe_count(recipe) > SL_MEMBERS_ASK;
    for (int64_t i = 1; i < sl_recipe_count(recipe) && !used; i++) {
        struct sl_config cfg;
        char problem[96];
        used = sl_recipe_values(recipe, i, &cfg) != SL_OK || !need_of(path, &cfg, problem);
    }
    return used;
}

/* Says a sentence of a key at the place where the recipe gives it. */
static void advise_key(const struct sl_inputs *in, enum sl_key_id key, const char *sentence,
                       void (*each)(const char *text, void *user), void *user)
{
    const struct sl_node *node = in->row[key].node;
    char text[700];
    if (!node) return;
    snprintf(text, sizeof text, "%.360s:%d:%d: %s", node->at.file, node->at.line, node->at.column,
             sentence);
    each(text, user);
}

/* Keys that are each legal and give a worse result together than the reader of the recipe would
 * think. */
static void advise_pairs(const struct sl_recipe *recipe, const struct sl_config *first,
                         void (*each)(const char *text, void *user), void *user)
{
    const struct sl_inputs *in = sl_recipe_inputs(recipe);
    const bool *wrong = in->faults->key;
    bool levels = first->mesh_levels > 0 || sl_recipe_sweeps(recipe, SL_KEY_mesh_levels);
    if (first->fluid_dual_energy && first->fluid_integrator == SL_INTEGRATOR_tvd &&
        !wrong[SL_KEY_fluid_integrator])
        advise_key(in, SL_KEY_fluid_dual_energy,
                   "fluid.dual_energy does not keep cold gas that expands cold with "
                   "fluid.integrator: tvd, whose sweeps see one axis at a time; nearest: rk2",
                   each, user);
    if (*first->ic_file && sl_recipe_sweeps(recipe, SL_KEY_seed) &&
        !sl_recipe_sweeps(recipe, SL_KEY_ic_file) && !wrong[SL_KEY_ic_file])
        advise_key(in, SL_KEY_ic_file,
                   "ic.file is one start for all seeds: members that differ in seed alone are the "
                   "same run; nearest: sweep ic.file",
                   each, user);
    if (*first->ic_noise && sl_recipe_sweeps(recipe, SL_KEY_seed) &&
        !sl_recipe_sweeps(recipe, SL_KEY_ic_noise) && !wrong[SL_KEY_ic_noise])
        advise_key(in, SL_KEY_ic_noise,
                   "ic.noise has the modes of all seeds: members that differ in seed alone are the "
                   "same run; nearest: sweep ic.noise",
                   each, user);
    if (first->fluid_reconstruct == SL_RECONSTRUCT_ppm && levels && !first->fluid_characteristic &&
        !wrong[SL_KEY_fluid_characteristic])
        advise_key(in, SL_KEY_fluid_reconstruct,
                   "fluid.reconstruct: ppm sends back up to 3 % of a pulse that leaves a refined "
                   "region; nearest: fluid.characteristic: true, which sends back 0.01 %",
                   each, user);
}

/* Bytes that p4est holds of each tree on every rank (measured with 2.2, 45^3 and 85^3 trees); what
 * those of three axes may take without a word. */
enum { TREE_BYTES = 565, TREES_MOST = 1 << 26 };

/* A tree covers a cube of 2^k blocks where 2^k divides the blocks along all axes: where that is
 * small there are many trees. */
static void advise_trees(const struct sl_recipe *recipe, const struct sl_config *first,
                         void (*each)(const char *text, void *user), void *user)
{
    const struct sl_inputs *in = sl_recipe_inputs(recipe);
    const bool *wrong = in->faults->key;
    char sentence[300];
    int root[3];
    double trees = sl_config_trees(first, root);
    if (wrong[SL_KEY_mesh_cells] || wrong[SL_KEY_mesh_block] || sl_config_dim(first) < 3 ||
        trees * TREE_BYTES < TREES_MOST)
        return;
    snprintf(sentence, sizeof sentence,
             "%d x %d x %d blocks of the root grid are %.0f octrees, of which every rank holds a "
             "list of %.0f MB; nearest: numbers of blocks that a larger power of two divides",
             root[0], root[1], root[2], trees, trees * TREE_BYTES / 1e6);
    advise_key(in, in->row[SL_KEY_mesh_block].node ? SL_KEY_mesh_block : SL_KEY_mesh_cells,
               sentence, each, user);
}

void sl_advice_keys(struct sl_recipe *recipe, const struct sl_config *first,
                    void (*each)(const char *text, void *user), void *user)
{
    const struct sl_inputs *in = sl_recipe_inputs(recipe);
    if (!known(in)) return;
    bool differ = sweeps(recipe);
    if (!differ) advise_pairs(recipe, first, each, user);
    if (!differ) advise_trees(recipe, first, each, user);
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        char problem[96], text[400];
        const char *path = sl_keys[i].path;
        const char *need = in->row[i].node ? need_of(path, first, problem) : NULL;
        if (!need || named(in, path) || (differ && others_use(recipe, path))) continue;
        snprintf(text, sizeof text, "%s:%d:%d: %s has no effect here: it needs %s",
                 in->row[i].at.file, in->row[i].at.line, in->row[i].at.column, path, need);
        each(text, user);
    }
}

/* ---- ensembles ------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static int name_groups(struct sl_recipe *recipe, char (*group)[SL_GROUP_MAX])
{
    struct sl_config cfg;
    char label[2000];
    for (int64_t i = 0; i < sl_recipe_count(recipe); i++) {
        SL_TRY(sl_recipe_member(recipe, i, &cfg));
        sl_recipe_label(recipe, &cfg, label, sizeof label);
        sl_ensemble_group(label, group[i]);
    }
    return SL_OK;
}

/* Members of the smallest group of those that differ in their seed alone. */
static int smallest_group(struct sl_recipe *recipe, int64_t *size)
{
    int64_t n = sl_recipe_count(recipe), run = 0;
    char(*group)[SL_GROUP_MAX] = calloc((size_t)n, sizeof *group);
    SL_CHECK(group, SL_EMEM, "no memory for %lld members", (long long)n);
    int code = name_groups(recipe, group);
    qsort(group, (size_t)n, sizeof *group, by_text);
    *size = n;
    for (int64_t i = 0; i < n; i++) {
        run++;
        if (i + 1 < n && strcmp(group[i], group[i + 1]) == 0) continue;
        *size = run < *size ? run : *size;
        run = 0;
    }
    free(group);
    return code;
}

/* Members that the check of the target asks of each group. */
static int64_t target_least(const struct sl_config *cfg)
{
    enum { SEQUENCE_LEAST = 5 };
    int64_t min = cfg->ensemble_min;
    return cfg->ensemble_stop == SL_STOP_sequence && min < SEQUENCE_LEAST ? SEQUENCE_LEAST : min;
}

/* The key without which no member has the number of the target; -1: it is there. */
static int target_lacks(const struct sl_config *c)
{
    bool above = c->ensemble_target == SL_TARGET_haloes_above,
         haloes = above || c->ensemble_target == SL_TARGET_haloes,
         sigma8 = c->ensemble_target == SL_TARGET_sigma8;
    return haloes && !(c->statistics_haloes > 0)     ? SL_KEY_statistics_haloes
           : above && !(c->statistics_halo_mass > 0) ? SL_KEY_statistics_halo_mass
           : sigma8 && !c->statistics_matter         ? SL_KEY_statistics_matter
                                                     : -1;
}

static void advise_target(const struct sl_recipe *recipe, const struct sl_config *first,
                          void (*each)(const char *text, void *user), void *user)
{
    const struct sl_inputs *in = sl_recipe_inputs(recipe);
    int lacks = target_lacks(first);
    char text[300];
    if (lacks < 0 || sl_recipe_sweeps(recipe, lacks) || in->faults->key[lacks] ||
        sl_recipe_sweeps(recipe, SL_KEY_ensemble_target))
        return;
    snprintf(text, sizeof text,
             "ensemble.target: %s is never met: members have it with %s, which is not given",
             sl_choice_name("ensemble.target", first->ensemble_target), sl_keys[lacks].path);
    advise_key(in, SL_KEY_ensemble_target, text, each, user);
}

int sl_advice_ensemble(struct sl_recipe *recipe, const struct sl_config *first,
                       void (*each)(const char *text, void *user), void *user)
{
    const struct sl_inputs *in = sl_recipe_inputs(recipe);
    int64_t n = sl_recipe_count(recipe), size = n;
    char text[300];
    advise_target(recipe, first, each, user);
    if (n > SL_MEMBERS_ASK) return SL_OK;
    bool aims = first->ensemble_target != SL_TARGET_none;
    if (aims) SL_TRY(smallest_group(recipe, &size));
    if (aims && size < target_least(first)) {
        snprintf(text, sizeof text,
                 "ensemble.target is never met: it needs %lld members that differ in their "
                 "seed alone (%s), and %s %lld; all of them run",
                 (long long)target_least(first),
                 target_least(first) > first->ensemble_min ? "ensemble.stop: sequence"
                                                           : "ensemble.min",
                 size == n ? "the recipe has" : "a group of the recipe has", (long long)size);
        advise_key(in, SL_KEY_ensemble_target, text, each, user);
    } else if (n < first->ensemble_min) {
        snprintf(text, sizeof text, "ensemble.min is %lld and the recipe has %lld member%s: %s",
                 (long long)first->ensemble_min, (long long)n, n == 1 ? "" : "s",
                 n == 1 ? "there is no ensemble of one"
                        : "there is an ensemble only when none of them fails");
        advise_key(in, SL_KEY_ensemble_min, text, each, user);
    }
    return SL_OK;
}

/* ---- levels ---------------------------------------------------------------------------------- */

/* "FILE:LINE:COLUMN: " of a rule, where the recipe has it outside of a sweep; else "". */
static const char *rule_place(const struct sl_recipe *recipe, int rule, char text[400])
{
    const struct sl_node *node = sl_recipe_inputs(recipe)->row[SL_KEY_mesh_refine].node;
    *text = '\0';
    if (!node || sl_recipe_sweeps(recipe, SL_KEY_mesh_refine)) return text;
    if (node->kind == SL_NODE_LIST)
        for (node = node->first; node && rule > 0; rule--)
            node = node->next;
    if (node) snprintf(text, 400, "%.360s:%d:%d: ", node->at.file, node->at.line, node->at.column);
    return text;
}

/* The finest level that a rule asks for. */
static int64_t finest_asked(const struct sl_config *cfg)
{
    int64_t finest = 0;
    for (int i = 0; i < cfg->mesh_refine_n; i++) {
        int64_t level = cfg->mesh_refine[i].level;
        if (level == 0 || level > cfg->mesh_levels) level = cfg->mesh_levels;
        if (level > finest) finest = level;
    }
    return finest;
}

static const char *missed(const struct sl_refine_rule *r)
{
    if (r->by == SL_REFINE_problem) return "the problem refines no block";
    if (SL_REFINE_SHAPES >> r->by & 1) return "no block reaches into it";
    return r->by == SL_REFINE_low                       ? "no cell is below its `below`"
           : sl_rules_takes(r->by, SL_REFINE_BIT_cells) ? "every Jeans length has `cells` cells"
                                                        : "no cell is above its `above`";
}

/* Levels that are finer than what the run starts from. */
static void advise_file(const struct sl_filling *f, int64_t finest,
                        void (*each)(const char *text, void *user), void *user)
{
    char text[300];
    if (f->filled >= finest) return;
    if (f->filled < 0)
        snprintf(text, sizeof text,
                 "the start is coarser in its file than the root grid, whose cells repeat its "
                 "values: levels begin with limited slopes of these");
    else
        snprintf(text, sizeof text,
                 "the start is as fine as level %d, up to which each level has its own "
                 "values: levels %d to %lld begin with limited slopes of these",
                 f->filled, f->filled + 1, (long long)finest);
    each(text, user);
}

void sl_advice_levels(const struct sl_recipe *recipe, const struct sl_config *cfg,
                      const struct sl_filling *f, void (*each)(const char *text, void *user),
                      void *user)
{
    bool start = f->source == SL_FILLING_START || f->source == SL_FILLING_COARSE;
    char text[900], place[400];
    int64_t finest = finest_asked(cfg);
    if (finest < cfg->mesh_levels) {
        snprintf(text, sizeof text,
                 "mesh.levels is %lld, but no rule of mesh.refine refines beyond level %lld",
                 (long long)cfg->mesh_levels, (long long)finest);
        each(text, user);
    }
    for (int i = 0; i < cfg->mesh_refine_n; i++) {
        if (cfg->mesh_refine[i].level <= cfg->mesh_levels) continue;
        snprintf(text, sizeof text,
                 "%srule %d of mesh.refine goes to level %d, mesh.levels ends at %lld",
                 rule_place(recipe, i, place), i + 1, (int)cfg->mesh_refine[i].level,
                 (long long)cfg->mesh_levels);
        each(text, user);
    }
    if (start) advise_file(f, finest < cfg->mesh_levels ? finest : cfg->mesh_levels, each, user);
    if (start && !(f->most[1] > 0))
        each("mesh.refine refines nothing at the start: there the mesh is the root grid alone",
             user);
    for (int i = 0; i < f->rules && start; i++) {
        if (f->asked[i]) continue;
        snprintf(text, sizeof text, "%srule %d of mesh.refine refines nothing at the start: %s%s",
                 rule_place(recipe, i, place), i + 1, missed(&cfg->mesh_refine[i]),
                 f->source == SL_FILLING_COARSE ? " (judged from coarser cells)" : "");
        each(text, user);
    }
}

/* ---- the universe ---------------------------------------------------------------------------- */

/* Where the files of keys are named: in a recipe, or in the run.yaml of a directory. */
struct naming {
    const struct sl_inputs *in; /* NULL: dir counts */
    const char *dir;
};

static int find_named(const struct naming *by, int key, const char *value, char path[SL_PATH_MAX])
{
    if (by->in) return sl_input_files_source(value, by->in->row[key].node->at, path);
    return *value == '/' ? sl_path_join(path, "/", value + 1) : sl_path_join(path, by->dir, value);
}

/* A file that a key names. */
static int read_named(const struct naming *by, int key, const char *value,
                      struct sl_named_bytes *out, char **owned)
{
    char path[SL_PATH_MAX];
    *out = (struct sl_named_bytes){.path = value};
    if (!*value) return SL_OK;
    SL_TRY(find_named(by, key, value, path));
    SL_TRY(sl_file_read(path, SL_COLUMNS_BYTES, owned, &out->size));
    out->bytes = *owned;
    return SL_OK;
}

/* What tables of a member are found to be. */
struct look {
    struct sl_findings findings;
    double sigma8; /* 0: there is no universe */
};

/* The place of a key and its name before what went wrong with it. */
static int point(const struct naming *by, int key, int code)
{
    const struct sl_inputs *in = by->in;
    char text[900];
    size_t n = strlen(sl_keys[key].path);
    if (code != SL_EINPUT || !in || !in->row[key].node) return code;
    snprintf(text, sizeof text, "%s", sl_error_text());
    bool named = strncmp(text, sl_keys[key].path, n) == 0 && text[n] == ':';
    return SL_FAIL_AT(in->row[key].node->at, "%s: %s", sl_keys[key].path,
                      named ? text + n + 1 + strspn(text + n + 1, " ") : text);
}

/* The key that what went wrong with a power hangs on: the one that it begins with, else the table,
 * the file of parameters, the problem. */
static int key_of_power(const struct sl_inputs *in)
{
    if (!in) return SL_KEY_problem;
    static const enum sl_key_id keys[] = {SL_KEY_ic_table, SL_KEY_cosmology_file, SL_KEY_problem};
    const char *text = sl_error_text();
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        size_t n = strlen(sl_keys[i].path);
        if (in->row[i].node && strncmp(text, sl_keys[i].path, n) == 0 && text[n] == ':') return i;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (in->row[keys[i]].node) return keys[i];
    return SL_KEY_problem;
}

/* Where a number of steps ends them. */
static int look_at_steps(const struct naming *by, const struct sl_config *cfg,
                         const struct sl_universe *u)
{
    struct sl_schedule *s = NULL;
    int code = sl_config_expands(cfg) ? sl_schedule_new(cfg, u, &s) : SL_OK;
    sl_schedule_free(s);
    return point(by, SL_KEY_time_begin, code);
}

static int make_power(const struct naming *by, const struct sl_config *cfg,
                      const struct sl_named_bytes *parameters, const struct sl_named_bytes *table,
                      struct look *look)
{
    struct sl_universe u;
    struct sl_power power;
    int code = sl_universe_init(cfg, parameters, &u);
    if (code != SL_OK)
        return point(by, *parameters->path ? SL_KEY_cosmology_file : key_of_power(by->in), code);
    if (cfg->problem != SL_PROBLEM_cosmology) return SL_OK; /* its start takes no power */
    code = sl_universe_power(cfg, &u, table, &look->findings, &power);
    if (code != SL_OK) return point(by, key_of_power(by->in), code);
    look->sigma8 = power.sigma8;
    sl_power_release(&power);
    return look_at_steps(by, cfg, &u);
}

static int look_at_power(const struct naming *by, const struct sl_config *cfg, struct look *look)
{
    struct sl_named_bytes parameters, table;
    char *owned[2] = {NULL, NULL};
    int code = read_named(by, SL_KEY_cosmology_file, cfg->cosmology_file, &parameters, &owned[0]);
    if (code == SL_OK) code = read_named(by, SL_KEY_ic_table, cfg->ic_table, &table, &owned[1]);
    if (code == SL_OK) code = make_power(by, cfg, &parameters, &table, look);
    free(owned[0]);
    free(owned[1]);
    return code;
}

static int look_at_cooling(const struct naming *by, const struct sl_config *cfg, struct look *look)
{
    struct sl_named_bytes table;
    struct sl_cooling_curve curve = {.n = 0};
    char *owned = NULL;
    int code = read_named(by, SL_KEY_cooling_table, cfg->cooling_table, &table, &owned);
    if (code == SL_OK)
        code = point(by, SL_KEY_cooling_table,
                     sl_cooling_curve_parse(cfg, table.path, table.bytes, table.size,
                                            &look->findings, &curve));
    sl_cooling_curve_release(&curve);
    free(owned);
    return code;
}

static int look_at_potential(const struct naming *by, const struct sl_config *cfg)
{
    struct sl_named_bytes file;
    struct sl_potential_table table = {.n = 0};
    char *owned = NULL;
    int code = read_named(by, SL_KEY_potential_table, cfg->potential_table, &file, &owned);
    if (code == SL_OK)
        code = point(by, SL_KEY_potential_table,
                     sl_potential_table_parse(
                         file.path, file.bytes, file.size,
                         cfg->potential_values == SL_POTENTIAL_VALUES_acceleration, &table));
    sl_potential_table_release(&table);
    free(owned);
    return code;
}

static int look_at_spectrum(const struct naming *by, const struct sl_config *cfg)
{
    char path[SL_PATH_MAX];
    struct sl_table_spectrum table = {0, NULL, NULL};
    SL_TRY(find_named(by, SL_KEY_turbulence_table, cfg->turbulence_table, path));
    int code = sl_table_spectrum_read(path, &table);
    if (code == SL_OK)
        code = sl_table_spectrum_covers(&table, (double)cfg->turbulence_kmin,
                                        (double)cfg->turbulence_kmax);
    sl_table_spectrum_release(&table);
    return point(by, SL_KEY_turbulence_table, code);
}

/* All tables of a member, as its stages will read them. */
static int look_at_tables(const struct naming *by, const struct sl_config *cfg, struct look *look)
{
    if (cfg->problem == SL_PROBLEM_cosmology || sl_config_expands(cfg))
        SL_TRY(look_at_power(by, cfg, look));
    if (cfg->cooling_table[0] && (!by->in || by->in->row[SL_KEY_cooling_table].node))
        SL_TRY(look_at_cooling(by, cfg, look));
    if (cfg->potential_table[0] && (!by->in || by->in->row[SL_KEY_potential_table].node))
        SL_TRY(look_at_potential(by, cfg));
    if (cfg->problem == SL_PROBLEM_turbulence && cfg->turbulence_table[0] &&
        (!by->in || by->in->row[SL_KEY_turbulence_table].node))
        SL_TRY(look_at_spectrum(by, cfg));
    return SL_OK;
}

static int examine(const struct sl_inputs *in, const struct sl_config *cfg)
{
    struct look look = {.sigma8 = 0};
    struct naming by = {.in = in};
    return look_at_tables(&by, cfg, &look);
}

static int key_of_findings(const struct sl_inputs *in, const struct sl_config *cfg)
{
    return cfg->problem == SL_PROBLEM_cosmology && in->row[SL_KEY_ic_table].node ? SL_KEY_ic_table
           : in->row[SL_KEY_cooling_table].node ? SL_KEY_cooling_table
                                                : SL_KEY_problem;
}

/* Accuracy of a number of steps: what was measured of no more. */
static void advise_steps(const struct sl_config *cfg, void (*each)(const char *text, void *user),
                         void *user)
{
    const struct sl_step_error *e = sl_step_error_of(cfg);
    char text[500];
    if (sl_config_adaptive(cfg)) return;
    if (e)
        snprintf(
            text, sizeof text,
            "%d steps of %s were measured: P(k) at z = 0 is within %.2g %% of that of 200 steps "
            "of kdk up to an eighth of the particles' Nyquist wave number, %.2g %% to a "
            "quarter, %.2g %% to half of it, where particles are 2 Mpc/h apart "
            "(core/cosmo/step_error.h)",
            e->steps, sl_choice_name("time.stepping", e->stepping), 100 * e->eighth,
            100 * e->quarter, 100 * e->half);
    else
        snprintf(text, sizeof text, "so few steps (time.steps: %lld) were never measured",
                 (long long)cfg->time_steps);
    each(text, user);
}

struct told {
    const struct sl_inputs *in;
    void (*each)(const char *text, void *user);
    void *user;
};

static void tell_cooling(const char *text, void *user)
{
    const struct told *t = user;
    advise_key(t->in, SL_KEY_cooling_table, text, t->each, t->user);
}

/* What the solver says of a table of cooling beside its start. */
static void advise_cooling(const struct naming *by, const struct sl_config *cfg,
                           void (*each)(const char *text, void *user), void *user)
{
    struct sl_config own = *cfg;
    struct told told = {by->in, each, user};
    if (!*own.cooling_table) return;
    sl_input_files_from_here(by->in, &own);
    sl_filling_remarks(&own, tell_cooling, &told);
}

void sl_advice_tables(const struct sl_recipe *recipe, const struct sl_config *first, bool all,
                      void (*each)(const char *text, void *user), void *user)
{
    const struct sl_inputs *in = sl_recipe_inputs(recipe);
    struct look look = {.sigma8 = 0};
    char text[500];
    struct naming by = {.in = in};
    if (look_at_tables(&by, first, &look) != SL_OK) return; /* sl_advice_inputs says it */
    int key = key_of_findings(in, first);
    for (int i = 0; i < look.findings.n; i++) {
        if (look.findings.item[i].kind != SL_FINDING_WARN) continue;
        snprintf(text, sizeof text, "%s: %s", sl_keys[key].path, look.findings.item[i].text);
        advise_key(in, key, text, each, user);
    }
    if (all) advise_steps(first, each, user);
    if (all) advise_cooling(&by, first, each, user);
    if (!all || !(look.sigma8 > 0) || first->problem != SL_PROBLEM_cosmology) return;
    snprintf(text, sizeof text, "sigma8 is %.4g today, by linear growth", look.sigma8);
    each(text, user);
}

void sl_advice_member(const char *dir, void (*each)(const char *text, void *user), void *user)
{
    struct sl_config cfg;
    struct naming by = {.dir = dir};
    struct look look = {.sigma8 = 0};
    char path[SL_PATH_MAX];
    if (sl_path_join(path, dir, "run.yaml") != SL_OK ||
        sl_config_read(path, NULL, 0, &cfg) != SL_OK || look_at_tables(&by, &cfg, &look) != SL_OK)
        return;
    for (int i = 0; i < look.findings.n; i++)
        if (look.findings.item[i].kind == SL_FINDING_WARN) each(look.findings.item[i].text, user);
}

/* Keys that what is found of tables hangs on, and those that a start from a file does. */
static bool of_tables(int key)
{
    const char *path = sl_keys[key].path;
    return (begins(path, "cosmology.") || begins(path, "ic.") || begins(path, "mesh.") ||
            begins(path, "cooling.") || begins(path, "potential.") || begins(path, "units.") ||
            key == SL_KEY_turbulence_table || key == SL_KEY_turbulence_kmin ||
            key == SL_KEY_turbulence_kmax) &&
           key != SL_KEY_ic_paired && key != SL_KEY_ic_fixed;
}

static bool of_fields(int key)
{
    const char *path = sl_keys[key].path;
    return begins(path, "array.") || begins(path, "mesh.") || key == SL_KEY_run_input ||
           key == SL_KEY_fluid_mhd || key == SL_KEY_fluid_eos || key == SL_KEY_fluid_gamma ||
           key == SL_KEY_fluid_scalars || key == SL_KEY_resources_precision;
}

/* Does such a key differ between two members? */
static bool alike(const struct sl_config *a, const struct sl_config *b, bool counts(int key))
{
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        char x[2 * SL_TEXT_MAX + 1100], y[sizeof x];
        if (!counts(i)) continue;
        sl_key_print(&sl_keys[i], a, x, sizeof x);
        sl_key_print(&sl_keys[i], b, y, sizeof y);
        if (strcmp(x, y) != 0) return false;
    }
    return a->problem == b->problem;
}

enum { REMEMBERED = 32 };

/* Whether the n-th of those in a ring, the last, is unlike the others that it still holds. */
static bool is_new(const struct sl_config *ring, int64_t n, bool counts(int key))
{
    for (int64_t i = n - 1; i >= 0 && i > n - REMEMBERED; i--)
        if (alike(&ring[i % REMEMBERED], &ring[n % REMEMBERED], counts)) return false;
    return true;
}

/* Calls f for members of a problem, -1 any, that differ from those before in a key that counts, for
 * so many at most. */
static int each_unlike(struct sl_recipe *recipe, int problem, int64_t most, bool counts(int key),
                       int f(const struct sl_inputs *in, const struct sl_config *cfg))
{
    struct sl_config *ring = calloc(REMEMBERED, sizeof *ring);
    SL_CHECK(ring, SL_EMEM, "no memory for members");
    int code = SL_OK;
    for (int64_t i = 0, n = 0; code == SL_OK && i < sl_recipe_count(recipe) && n < most;
         i += sl_recipe_step(recipe)) {
        struct sl_config *cfg = &ring[n % REMEMBERED];
        code = sl_recipe_member(recipe, i, cfg);
        if (code != SL_OK || (problem >= 0 && cfg->problem != problem) || !is_new(ring, n, counts))
            continue;
        code = f(sl_recipe_inputs(recipe), cfg);
        n++;
    }
    free(ring);
    return code;
}

static bool gives(const struct sl_recipe *recipe, int key)
{
    return sl_recipe_inputs(recipe)->row[key].node || sl_recipe_sweeps(recipe, key);
}

int sl_advice_inputs(struct sl_recipe *recipe)
{
    static const enum sl_key_id tables[] = {SL_KEY_cooling_table, SL_KEY_potential_table,
                                            SL_KEY_turbulence_table, SL_KEY_ic_table,
                                            SL_KEY_cosmology_file};
    bool some = false;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        some = some || gives(recipe, tables[i]);
    return each_unlike(recipe, some ? -1 : SL_PROBLEM_cosmology, INT64_MAX, of_tables, examine);
}

/* ---- fields from a file ---------------------------------------------------------------------- */

enum { LOOKS = REMEMBERED }; /* each starts a program */

static int look_at(const struct sl_inputs *in, const struct sl_config *cfg, int key)
{
    struct sl_config own = *cfg;
    char text[SL_PATH_MAX];
    sl_input_files_from_here(in, &own);
    if (sl_filling_refusal(&own) == SL_OK) return SL_OK;
    snprintf(text, sizeof text, "%s", sl_error_text());
    return SL_FAIL_AT(in->row[key].at, "%s: %s", sl_keys[key].path, text);
}

static int look_at_fields(const struct sl_inputs *in, const struct sl_config *cfg)
{
    return look_at(in, cfg, *cfg->run_input ? SL_KEY_run_input : SL_KEY_array_file);
}

static int look_at_start(const struct sl_inputs *in, const struct sl_config *cfg)
{
    return *cfg->ic_file    ? look_at(in, cfg, SL_KEY_ic_file)
           : *cfg->ic_noise ? look_at(in, cfg, SL_KEY_ic_noise)
                            : SL_OK;
}

/* Keys that a start or white noise of another code hangs on. */
static bool of_start(int key)
{
    const char *path = sl_keys[key].path;
    return begins(path, "mesh.") || begins(path, "cosmology.") || key == SL_KEY_ic_file ||
           key == SL_KEY_ic_redshift || key == SL_KEY_particles_spacing || key == SL_KEY_ic_noise ||
           key == SL_KEY_ic_noise_set || key == SL_KEY_ic_level;
}

int sl_advice_fields(struct sl_recipe *recipe)
{
    SL_TRY(each_unlike(recipe, SL_PROBLEM_array, LOOKS, of_fields, look_at_fields));
    if (!gives(recipe, SL_KEY_ic_file) && !gives(recipe, SL_KEY_ic_noise)) return SL_OK;
    return each_unlike(recipe, SL_PROBLEM_cosmology, LOOKS, of_start, look_at_start);
}
