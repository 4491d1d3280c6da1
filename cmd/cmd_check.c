/* cmd_check.c - sluice check: what a recipe means, before anything runs.
 *
 * Shapes  none
 * Units   as in the recipe
 * Errors  SL_EUSAGE, SL_EINPUT, SL_EGUARD
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/recipe.sh
 */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/config/config.h"
#include "core/config/inputs.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/advice.h"
#include "pipeline/campaign/campaign.h"
#include "pipeline/campaign/executor.h"
#include "pipeline/campaign/input_files.h"
#include "pipeline/campaign/nearest.h"
#include "pipeline/campaign/recipe.h"
#include "pipeline/campaign/settings.h"
#include "pipeline/campaign/table.h"
#include "pipeline/plan/particles.h"
#include "pipeline/plan/plan.h"

struct choices {
    bool json, members, yes;
    bool made; /* of a campaign, which has its input files */
    const char *explain;
};

enum { SHOWN = 4, VALUE_MAX = 2 * SL_TEXT_MAX + 1100, REFUSAL_MAX = 900, ERROR_MAX = 4096 };

/* ---- one key ---- */

static void print_origin(const struct sl_recipe *recipe, int key)
{
    const struct sl_input *row = &sl_recipe_inputs(recipe)->row[key];
    if (!row->node)
        printf("from     the table of keys (default%s%s)\n", *sl_keys[key].text ? " " : "",
               sl_keys[key].text);
    else if (sl_recipe_sweeps(recipe, key))
        printf("from     the sweep, %s:%d\n", row->at.file, row->at.line);
    else
        printf("from     %s:%d:%d\n", row->at.file, row->at.line, row->at.column);
    if (row->node && row->node->kind == SL_NODE_SCALAR)
        printf("written  %s\n", sl_quote(row->node->text).text);
}

static int explain(struct sl_recipe *recipe, const struct sl_config *cfg, const char *path)
{
    int key = sl_key_find(path);
    if (key < 0) {
        const char *near = sl_key_nearest(path);
        return SL_FAIL(SL_EUSAGE, "unknown key '%s'%s%s%s", sl_quote(path).text,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    char value[VALUE_MAX];
    sl_key_print(&sl_keys[key], cfg, value, sizeof value);
    printf("%s: %s%s\n", path, value,
           sl_recipe_sweeps(recipe, key) ? "   (in the first member)" : "");
    print_origin(recipe, key);
    printf("means    %s\n", sl_keys[key].about);
    return SL_OK;
}

/* ---- all members ---- */

/* The member that is shown after this one: the middle of many is left out. */
static int64_t next_shown(int64_t index, int64_t count, bool all)
{
    return all || count <= 2 * SHOWN || index != SHOWN - 1 ? index + 1 : count - SHOWN;
}

static int print_member(struct sl_recipe *recipe, int64_t index)
{
    struct sl_config cfg;
    char id[SL_MEMBER_ID_MAX], label[2000];
    SL_TRY(sl_recipe_member(recipe, index, &cfg));
    sl_member_id(index, id);
    sl_recipe_label(recipe, &cfg, label, sizeof label);
    printf("  %s  %s\n", id, *label ? label : "(one member, nothing is swept)");
    return SL_OK;
}

static void print_keys(const struct sl_recipe *recipe, const struct sl_config *cfg)
{
    const struct sl_inputs *in = sl_recipe_inputs(recipe);
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        if (sl_recipe_sweeps(recipe, i)) continue;
        bool derived = i == SL_KEY_mesh_block;
        if (!in->row[i].node && !derived) continue;
        char value[VALUE_MAX];
        sl_key_print(&sl_keys[i], cfg, value, sizeof value);
        printf("  %-24s %s\n", sl_keys[i].path, value);
    }
}

static void print_idle_ranks(const struct sl_config *cfg)
{
    int64_t blocks = 1;
    for (int d = 0; d < sl_config_dim(cfg); d++)
        blocks *= cfg->mesh_cells[d] / cfg->mesh_block[d];
    struct sl_config sim;
    sl_config_stage(cfg, SL_CONFIG_sim, &sim);
    if (blocks < sim.resources_ranks)
        printf("\nnote: %" PRId64 " blocks for %" PRId64
               " ranks: some ranks have nothing to do; make mesh.block smaller\n",
               blocks, sim.resources_ranks);
}

static void print_advice(const char *text, void *user)
{
    (void)user;
    printf("\nnote: %s\n", text);
}

static void add_advice(const char *text, void *list)
{
    json_array_append_new(list, json_string(text));
}

/* What the cluster of the site file has not: no mistake where the recipe is run on another
 * machine. */
static void ask_cluster(struct sl_recipe *recipe, char refusal[REFUSAL_MAX])
{
    *refusal = '\0';
    if (sl_executor_first("submit")->fits(recipe, NULL) != SL_OK)
        snprintf(refusal, REFUSAL_MAX, "sluice submit would refuse this recipe: %s",
                 sl_error_text());
}

/* More members than can be looked at while a person waits. */
static void say_looked(const struct sl_recipe *recipe, void (*say)(const char *text, void *user),
                       void *user)
{
    int64_t step = sl_recipe_step(recipe), count = sl_recipe_count(recipe);
    char text[200];
    if (step == 1) return;
    snprintf(text, sizeof text,
             "%" PRId64 " of %" PRId64 " members were looked at, every %" PRId64 "th",
             (count - 1) / step + 1, count, step);
    say(text, user);
}

/* ---- levels at the start ---- */

/* What mesh.refine makes of the start of one member. */
struct start {
    struct sl_config cfg; /* mesh.levels: 0 where nothing is known */
    struct sl_filling filling;
    struct sl_need need;
};

static int find_start(struct sl_recipe *recipe, struct start *s)
{
    SL_TRY(sl_filling_recipe(recipe, &s->cfg, &s->filling));
    if (s->cfg.mesh_levels > 0) sl_plan_member(&s->cfg, &s->filling, &s->need);
    return SL_OK;
}

static double block_cells(const struct sl_config *cfg)
{
    double cells = 1;
    for (int d = 0; d < sl_config_dim(cfg); d++)
        cells *= (double)cfg->mesh_block[d];
    return cells;
}

static double part(const struct start *s, int level)
{
    int levels = (int)s->cfg.mesh_levels;
    return sl_filling_fraction(&s->filling, levels, level, false) -
           sl_filling_fraction(&s->filling, levels, level + 1, false);
}

static void print_start(const struct start *s)
{
    char from[400], bytes[32];
    if (s->cfg.mesh_levels == 0) return;
    sl_filling_say(&s->filling, from, sizeof from);
    printf("\nmesh at the start\n  level       blocks        cells  of the box\n");
    for (int l = 0; l <= s->cfg.mesh_levels; l++)
        printf("  %5d %12.0f %12.0f %9.3g %%\n", l, s->need.level_cells[l] / block_cells(&s->cfg),
               s->need.level_cells[l], 100 * part(s, l));
    sl_table_bytes(s->need.memory, bytes);
    printf("  %s of memory for all ranks, regrids included\n  %s\n", bytes, from);
}

static json_t *start_json(const struct start *s)
{
    char from[400];
    if (s->cfg.mesh_levels == 0) return json_null();
    sl_filling_say(&s->filling, from, sizeof from);
    json_t *levels = json_array();
    for (int l = 0; l <= s->cfg.mesh_levels; l++)
        json_array_append_new(levels,
                              json_pack("{s:f, s:f, s:f}", "blocks",
                                        s->need.level_cells[l] / block_cells(&s->cfg), "cells",
                                        s->need.level_cells[l], "share", part(s, l)));
    return json_pack("{s:s, s:o, s:f, s:s, s:s}", "member", s->filling.member, "levels", levels,
                     "memory_bytes", s->need.memory, "from", sl_filling_name(&s->filling),
                     "from_text", from);
}

/* ---- particles ---- */

static void print_particles(const struct sl_config *cfg)
{
    const struct sl_particle_limits l = sl_particle_limits(cfg);
    if (!(l.number > 0)) return;
    printf("\nparticles\n  %.0f", l.number);
    if (isfinite(l.mass)) printf(" of %.3g Msun/h", l.mass);
    printf(", %.3g Mpc/h apart; cells of the forces %.3g Mpc/h\n", l.apart, l.cell);
    printf("  Nyquist wave number %.3g h/Mpc, shot noise %.3g (Mpc/h)^3\n", l.nyquist, l.shot);
    printf("  waves longer than %.3g Mpc/h (k < %.3g h/Mpc) grow right to 1 %%, in any direction\n",
           l.grown, 2 * acos(-1) / l.grown);
}

static json_t *particles_json(const struct sl_config *cfg)
{
    const struct sl_particle_limits l = sl_particle_limits(cfg);
    if (!(l.number > 0)) return json_null();
    json_t *mass = isfinite(l.mass) ? json_real(l.mass) : json_null();
    return json_pack("{s:f, s:o, s:f, s:f, s:f, s:f, s:f, s:f}", "number", l.number, "mass", mass,
                     "apart", l.apart, "cell", l.cell, "nyquist", l.nyquist, "shot_noise", l.shot,
                     "grown_right", l.grown, "moved_at_start", l.moved);
}

/* ---- gravity of its own ---- */

static double cells_of(const struct sl_config *cfg, double length)
{
    double widest = 0;
    for (int d = 0; d < sl_config_dim(cfg); d++)
        widest = fmax(widest, (cfg->mesh_box[2 * d + 1] - cfg->mesh_box[2 * d]) /
                                  (double)cfg->mesh_cells[d]);
    return length / widest;
}

static bool find_collapse(const struct sl_recipe *recipe, const struct sl_config *cfg,
                          struct sl_collapse *out)
{
    struct sl_config own = *cfg;
    sl_input_files_from_here(sl_recipe_inputs(recipe), &own);
    return sl_filling_collapse(&own, out);
}

static void print_collapse(const struct sl_recipe *recipe, const struct sl_config *cfg)
{
    struct sl_collapse collapse, *c = &collapse;
    if (!find_collapse(recipe, cfg, c)) return;
    printf("\ngravity at the start\n  4 pi G = %.4g; the densest gas, %.3g, falls together in %.3g "
           "(time.unit: %s), the run lasts %.3g such times\n",
           cfg->gravity_four_pi_g, c->density, c->time, sl_choice_name("time.unit", cfg->time_unit),
           c->times);
    printf("  Jeans lengths have at least %.3g cells of the root grid%s\n", cells_of(cfg, c->jeans),
           cells_of(cfg, c->jeans) < 4 ? ", and gas breaks up by the mesh alone below 4" : "");
}

static json_t *collapse_json(const struct sl_recipe *recipe, const struct sl_config *cfg)
{
    struct sl_collapse collapse, *c = &collapse;
    if (!find_collapse(recipe, cfg, c)) return json_null();
    return json_pack("{s:f, s:f, s:f, s:f}", "densest", c->density, "free_fall_time", c->time,
                     "free_fall_times", c->times, "jeans_cells", cells_of(cfg, c->jeans));
}

/* ---- all of it ---- */

static int print_text(struct sl_recipe *recipe, const struct sl_config *first, const char *refusal,
                      bool all)
{
    struct start start;
    int64_t count = sl_recipe_count(recipe), cells = 1;
    int dim = sl_config_dim(first);
    for (int d = 0; d < dim; d++)
        cells *= first->mesh_cells[d];
    printf("%s: problem %s, %dD, %" PRId64 " cells, %" PRId64 " member%s\n\n", first->campaign,
           sl_choice_name("problem", first->problem), dim, cells, count, count == 1 ? "" : "s");
    SL_TRY(find_start(recipe, &start));
    print_keys(recipe, first);
    print_start(&start);
    print_particles(first);
    print_collapse(recipe, first);
    print_idle_ranks(first);
    sl_advice_keys(recipe, first, print_advice, NULL);
    sl_particle_advice(first, print_advice, NULL);
    sl_advice_tables(recipe, first, true, print_advice, NULL);
    SL_TRY(sl_advice_ensemble(recipe, first, print_advice, NULL));
    if (start.cfg.mesh_levels > 0)
        sl_advice_levels(recipe, &start.cfg, &start.filling, print_advice, NULL);
    if (*refusal) print_advice(refusal, NULL);
    say_looked(recipe, print_advice, NULL);
    puts("\nmembers");
    for (int64_t i = 0, next; i < count; i = next) {
        SL_TRY(print_member(recipe, i));
        next = next_shown(i, count, all);
        if (next != i + 1) printf("  ...   %" PRId64 " more (--members shows all)\n", next - i - 1);
    }
    return SL_OK;
}

/* YAML of rules as JSON: bare words in quotes. */
static json_t *rules_json(const char *value)
{
    char text[2 * VALUE_MAX];
    size_t used = 0;
    for (const char *c = value; *c; c++) {
        size_t word = strspn(c, "abcdefghijklmnopqrstuvwxyz_0123456789.+-");
        bool name = word > 0 && *c >= 'a' && *c <= 'z';
        size_t n = word > 0 ? word : 1;
        used += (size_t)snprintf(text + used, sizeof text - used, name ? "\"%.*s\"" : "%.*s",
                                 (int)n, c);
        c += n - 1;
    }
    return json_loads(text, 0, NULL);
}

static json_t *value_json(const struct sl_key *key, const struct sl_config *cfg)
{
    char value[VALUE_MAX];
    sl_key_print(key, cfg, value, sizeof value);
    if (key->type == SL_TYPE_RULES) return rules_json(value);
    if (key->type != SL_TYPE_FLAGS && key->type != SL_TYPE_ENUMS) {
        json_t *parsed = json_loads(value, JSON_DECODE_ANY, NULL);
        return parsed ? parsed : json_string(value);
    }
    json_t *list = json_array(); /* names stand bare between [ and ] */
    for (char *rest, *name = strtok_r(value, "[], ", &rest); name;
         name = strtok_r(NULL, "[], ", &rest))
        json_array_append_new(list, json_string(name));
    return list;
}

static void dump(json_t *value)
{
    json_dumpf(value, stdout, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY | SL_JSON_SHOWN);
    json_decref(value);
}

/* Keys that all members share, or those in which they differ. */
static json_t *keys_json(const struct sl_recipe *recipe, const struct sl_config *cfg, bool swept)
{
    json_t *keys = json_object();
    for (int i = 0; i < SL_KEY_COUNT; i++)
        if (sl_recipe_sweeps(recipe, i) == swept && strncmp(sl_keys[i].path, "run.", 4) != 0)
            json_object_set_new(keys, sl_keys[i].path, value_json(&sl_keys[i], cfg));
    return keys;
}

static int member_json(struct sl_recipe *recipe, int64_t index)
{
    struct sl_config cfg;
    SL_TRY(sl_recipe_member(recipe, index, &cfg));
    char id[SL_MEMBER_ID_MAX];
    sl_member_id(index, id);
    dump(json_pack("{s:s, s:o}", "id", id, "keys", keys_json(recipe, &cfg, true)));
    return SL_OK;
}

/* One member a line, written as it is made: a list of a hundred thousand takes no memory. */
static int print_json(struct sl_recipe *recipe, const struct sl_config *first, const char *refusal,
                      bool all)
{
    struct start start;
    int64_t count = sl_recipe_count(recipe);
    SL_TRY(find_start(recipe, &start));
    printf("{\"v\": 1, \"campaign\": ");
    dump(json_string(first->campaign));
    printf(", \"recipe_hash\": \"%s\", \"member_count\": %" PRId64 ", \"all_members\": %s,\n",
           sl_recipe_hash(recipe), count, all || count <= 2 * SHOWN ? "true" : "false");
    printf("\"keys\": ");
    dump(keys_json(recipe, first, false));
    json_t *notes = json_array();
    sl_advice_keys(recipe, first, add_advice, notes);
    sl_particle_advice(first, add_advice, notes);
    sl_advice_tables(recipe, first, true, add_advice, notes);
    SL_TRY(sl_advice_ensemble(recipe, first, add_advice, notes));
    if (start.cfg.mesh_levels > 0)
        sl_advice_levels(recipe, &start.cfg, &start.filling, add_advice, notes);
    if (*refusal) add_advice(refusal, notes);
    say_looked(recipe, add_advice, notes);
    printf(",\n\"start\": ");
    dump(start_json(&start));
    printf(",\n\"particles\": ");
    dump(particles_json(first));
    printf(",\n\"gravity\": ");
    dump(collapse_json(recipe, first));
    printf(",\n\"notes\": ");
    dump(notes);
    printf(",\n\"members\": [");
    for (int64_t i = 0; i < count; i = next_shown(i, count, all)) {
        fputs(i ? ",\n" : "\n", stdout);
        SL_TRY(member_json(recipe, i));
    }
    puts("]}");
    return SL_OK;
}

/* *printed: all that can be said is on the screen. */
static int check(struct sl_recipe *recipe, const struct choices *c, bool *printed)
{
    struct sl_config first;
    char refusal[REFUSAL_MAX] = "";
    SL_TRY(sl_recipe_member(recipe, 0, &first));
    first.mesh_boundary_n = 2 * sl_config_dim(&first); /* of the axes that there are */
    if (c->explain) return explain(recipe, &first, c->explain);
    /* a slip of the pen can make a billion members: they are looked at only when they are meant */
    int code = sl_recipe_confirm(recipe, c->yes ? sl_recipe_count(recipe) : SL_MEMBERS_ASK);
    if (code == SL_OK) {
        SL_TRY(sl_recipe_check(recipe));
        if (!c->made) SL_TRY(sl_input_files_check(recipe));
        ask_cluster(recipe, refusal);
    }
    *printed = true;
    SL_TRY(
        (c->json ? print_json : print_text)(recipe, &first, refusal, c->members && code == SL_OK));
    return code;
}

/* Advice stands beside what is wrong, as far as the values of the first member can be read. */
static void advise_anyway(struct sl_recipe *recipe, const struct choices *c)
{
    struct sl_config first;
    char wrong[ERROR_MAX];
    snprintf(wrong, sizeof wrong, "%s", sl_error_text());
    if (!c->json && !c->explain && sl_recipe_values(recipe, 0, &first) == SL_OK)
        sl_advice_keys(recipe, &first, print_advice, NULL);
    sl_error_set(wrong);
}

/* The newest recipe of a campaign, with what was set since. */
static int open_made(const char *dir, int overrides, struct sl_recipe **recipe)
{
    struct sl_campaign c;
    char path[SL_PATH_MAX];
    *recipe = NULL;
    SL_CHECK(overrides == 0, SL_EUSAGE,
             "%s is a campaign, whose recipe is as it was made: `sluice set` changes keys, `sluice "
             "extend` adds members; a recipe is checked with key=value",
             sl_quote(dir).text);
    SL_TRY(sl_campaign_open(dir, &c));
    int code = sl_campaign_check_recipes(&c);
    if (code == SL_OK) code = sl_campaign_recipe(&c, path);
    if (code == SL_OK) code = sl_settings_open(c.dir, path, recipe);
    sl_campaign_release(&c);
    return code;
}

static int run(int argc, char **argv)
{
    struct choices c = {.explain = NULL};
    const struct sl_option options[] = {{"json", 0, SL_OPTION_FLAG, &c.json},
                                        {"members", 'm', SL_OPTION_FLAG, &c.members},
                                        {"yes", 'y', SL_OPTION_FLAG, &c.yes},
                                        {"explain", 0, SL_OPTION_TEXT, &c.explain},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words;
    SL_TRY(sl_options_words(options, argc, argv, 1, -1, "check RECIPE [key=value...] | CAMPAIGN",
                            &words));
    struct sl_recipe *recipe;
    c.made = sl_campaign_is(argv[1]);
    int code = c.made ? open_made(argv[1], words - 1, &recipe)
                      : sl_recipe_open_anyway(argv[1], argv + 2, words - 1, &recipe);
    if (!c.made) code = sl_nearest_recipe(argv[1], code);
    bool printed = false;
    if (code == SL_OK) code = check(recipe, &c, &printed);
    if (code != SL_OK && recipe && !printed) advise_anyway(recipe, &c);
    sl_recipe_close(recipe);
    return code;
}

const struct sl_verb sl_verb_check = {
    .name = "check",
    .group = SL_VERB_start,
    .usage = "RECIPE [key=value...] | CAMPAIGN [options]",
    .about = "read a recipe, check every member, print what it means; run nothing",
    .help =
        "  key=value       replaces a key of the recipe; sweep.key=1..4 replaces what is swept\n"
        "  --members, -m   print all members, not only the first and last few\n"
        "  --explain KEY   the value of one key, where it comes from and what it means\n"
        "  --yes, -y       accept more than 10,000 members\n"
        "  --json          the same for programs, with a version number\n"
        "\n"
        "For a campaign it checks the recipe that it was made from, with the changes of `sluice "
        "set`.\n"
        "With mesh.levels it shows the mesh of the start: blocks, cells and memory of each level. "
        "The\n"
        "solver makes this start, on a coarser root grid if it would take more than some 10^6 "
        "cells.\n"
        "Of gas that attracts itself it tells how fast the start falls together, and the cells of "
        "a Jeans length.\n"
        "With problem array it checks names and shapes in the file, and its values where that is "
        "quick.",
    .run = run};
