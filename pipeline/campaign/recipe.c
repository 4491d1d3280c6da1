/* recipe.c - see recipe.h. */
#include "pipeline/campaign/recipe.h"

#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "pipeline/campaign/sweep.h"

struct sl_recipe {
    struct sl_inputs *in;                /* owned; its rows hold the member looked at last */
    struct sl_sweep *sweep;              /* owned */
    struct sl_config base;               /* values that no member changes */
    unsigned char settled[SL_KEY_COUNT]; /* rows whose value is in base */
    char *frozen;                        /* owned */
    size_t frozen_size;
    char hash[SL_HASH_TEXT];
    char results[SL_HASH_TEXT]; /* of what results depend on */
};

void sl_recipe_close(struct sl_recipe *recipe)
{
    if (!recipe) return;
    sl_sweep_close(recipe->sweep);
    sl_inputs_free(recipe->in);
    free(recipe->frozen);
    free(recipe);
}

/* ---- the text that a campaign keeps ---- */

static void write_text(FILE *out, const struct sl_node *node)
{
    if (!node->quoted) {
        fputs(node->text, out);
        return;
    }
    fputc('"', out);
    for (const char *c = node->text; *c; c++) {
        if (*c == '"' || *c == '\\') fputc('\\', out);
        if (*c == '\n')
            fputs("\\n", out);
        else if (*c == '\t')
            fputs("\\t", out);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

/* Whether all of it can stand between brackets: a plain text with commas or brackets would fall
 * apart there. */
static bool flows(const struct sl_node *node)
{
    if (node->kind == SL_NODE_SCALAR) return node->quoted || !strpbrk(node->text, ",[]{}:?#");
    for (const struct sl_node *c = node->first; c; c = c->next)
        if (!flows(c)) return false;
    return true;
}

static void write_flow(FILE *out, const struct sl_node *node)
{
    if (node->kind == SL_NODE_SCALAR) {
        write_text(out, node);
        return;
    }
    bool list = node->kind == SL_NODE_LIST;
    fputc(list ? '[' : '{', out);
    for (const struct sl_node *c = node->first; c; c = c->next) {
        if (c->name) fprintf(out, "%s: ", c->name);
        write_flow(out, c);
        if (c->next) fputs(", ", out);
    }
    fputc(list ? ']' : '}', out);
}

/* What a key holds: on its line, or below it where it has children that do not flow. */
static void write_node(FILE *out, const struct sl_node *node, int indent)
{
    if (node->kind == SL_NODE_SCALAR || flows(node)) {
        fputc(' ', out);
        write_flow(out, node);
        fputc('\n', out);
        return;
    }
    fputc('\n', out);
    for (const struct sl_node *c = node->first; c; c = c->next) {
        fprintf(out, "%*s%s%s", indent, "", c->name ? c->name : "-", c->name ? ":" : "");
        write_node(out, c, indent + 2);
    }
}

static void write_sample(FILE *out, const struct sl_sample_inputs *sample)
{
#define WRITE_SAMPLE(name)                                                                         \
    if (sample->name) {                                                                            \
        fputs("  " #name ":", out);                                                                \
        write_node(out, sample->name, 4);                                                          \
    }
    SL_SAMPLED_LIST(WRITE_SAMPLE)
#undef WRITE_SAMPLE
    fputs("  keys:\n", out);
}

/* results: of keys that results depend on alone. */
static void write_section(FILE *out, const struct sl_inputs *in, enum sl_sweep_way way,
                          bool results)
{
    static const char *const heads[] = {"sweep:\n", "zip:\n", "sample:\n"};
    int indent = way == SL_SWEEP_SAMPLE ? 4 : 2;
    bool head = false;
    for (int i = 0; i < in->sweep_count; i++) {
        if (in->sweep[i].way != way || (results && sl_key_is_means(&sl_keys[in->sweep[i].key])))
            continue;
        if (!head) fputs(heads[way], out);
        if (!head && way == SL_SWEEP_SAMPLE) write_sample(out, &in->sample);
        head = true;
        fprintf(out, "%*s%s:", indent, "", sl_keys[in->sweep[i].key].path);
        write_node(out, in->sweep[i].values, indent + 2);
    }
}

void sl_recipe_hash_of(const char *text, size_t size, char hash[SL_HASH_TEXT])
{
    SHA256Data((const uint8_t *)text, size, hash);
}

static void write_keys(FILE *out, const struct sl_recipe *recipe, bool results)
{
    const struct sl_inputs *in = recipe->in;
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        if (!in->row[i].node || sl_sweep_has(recipe->sweep, i) ||
            (results && sl_key_is_means(&sl_keys[i])))
            continue;
        fprintf(out, "%s:", sl_keys[i].path);
        write_node(out, in->row[i].node, 2);
    }
    bool written[SL_SWEEP_WAYS] = {false};
    for (int i = 0; i < in->sweep_count; i++) {
        if (!written[in->sweep[i].way]) write_section(out, in, in->sweep[i].way, results);
        written[in->sweep[i].way] = true;
    }
}

/* What the heads of results tell of their recipe: the same, with whatever means they are made. */
static int hash_results(struct sl_recipe *recipe)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    SL_CHECK(out, SL_EMEM, "no memory for the recipe");
    write_keys(out, recipe, true);
    int full = fclose(out) != 0;
    if (!full) sl_recipe_hash_of(text, size, recipe->results);
    free(text);
    SL_CHECK(!full, SL_EMEM, "no memory for the recipe");
    return SL_OK;
}

static int write_anew(struct sl_recipe *recipe)
{
    FILE *out = open_memstream(&recipe->frozen, &recipe->frozen_size);
    SL_CHECK(out, SL_EMEM, "no memory for the recipe");
    fprintf(out, "# the recipe as it was started: with %s\n",
            recipe->in->points ? "the points of its file as zip"
                               : "the keys given on the command line");
    write_keys(out, recipe, false);
    SL_CHECK(fclose(out) == 0, SL_EMEM, "no memory for the recipe");
    SL_CHECK(recipe->frozen_size <= SL_YAML_MAX_BYTES, SL_EINPUT,
             "%s: with its points it has %zu bytes, more than the %d of a recipe",
             recipe->in->docs[0]->root->at.file, recipe->frozen_size, SL_YAML_MAX_BYTES);
    return SL_OK;
}

static int freeze(struct sl_recipe *recipe)
{
    const struct sl_yaml *doc = recipe->in->docs[0];
    if (recipe->in->changed) {
        SL_TRY(write_anew(recipe));
    } else {
        recipe->frozen = malloc(doc->size + 1);
        SL_CHECK(recipe->frozen, SL_EMEM, "no memory for the recipe");
        memcpy(recipe->frozen, doc->bytes, doc->size + 1);
        recipe->frozen_size = doc->size;
    }
    sl_recipe_hash_of(recipe->frozen, recipe->frozen_size, recipe->hash);
    return hash_results(recipe);
}

/* ---- members ---- */

/* Resolves member 0 and keeps what hangs neither on the sweep nor on other keys: the other members
 * start from there. */
static int settle(struct sl_recipe *recipe)
{
    struct sl_resolver r;
    sl_config_default(&recipe->base);
    sl_sweep_set(recipe->sweep, 0, recipe->in);
    sl_resolver_init(&r, recipe->in, &recipe->base);
    SL_TRY(sl_resolve_all(&r));
    for (int i = 0; i < SL_KEY_COUNT; i++)
        recipe->settled[i] = !r.named[i] && !sl_sweep_has(recipe->sweep, i);
    return SL_OK;
}

static int refuse_run_keys(const struct sl_inputs *in)
{
    static const int ours[] = {SL_KEY_run_member, SL_KEY_run_recipe_hash};
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (in->row[ours[i]].node)
            return SL_FAIL_AT(in->row[ours[i]].at,
                              "'%s' is set by sluice for each member; remove it",
                              sl_keys[ours[i]].path);
    return SL_OK;
}

static int open_inputs(struct sl_recipe *recipe)
{
    SL_TRY(sl_fault_keep(recipe->in, refuse_run_keys(recipe->in)));
    SL_TRY(sl_fault_keep(recipe->in, sl_sweep_make(recipe->in, &recipe->sweep)));
    if (!recipe->sweep) return sl_fault_end(recipe->in);
    SL_TRY(settle(recipe));
    SL_TRY(freeze(recipe));
    struct sl_config sample;
    SL_TRY(sl_recipe_member(recipe, 0, &sample));
    return sl_fault_end(recipe->in);
}

/* *out is there whenever its sweep is, whatever is wrong with the values. */
static int adopt_anyway(struct sl_inputs *in, struct sl_recipe **out)
{
    struct sl_recipe *recipe = calloc(1, sizeof *recipe);
    if (!recipe) sl_inputs_free(in);
    SL_CHECK(recipe, SL_EMEM, "no memory for the recipe");
    recipe->in = in;
    int code = open_inputs(recipe);
    if (code == SL_OK || recipe->sweep)
        *out = recipe;
    else
        sl_recipe_close(recipe);
    return code;
}

static int adopt(struct sl_inputs *in, struct sl_recipe **out)
{
    struct sl_recipe *recipe = NULL;
    int code = adopt_anyway(in, &recipe);
    if (code == SL_OK)
        *out = recipe;
    else
        sl_recipe_close(recipe);
    return code;
}

int sl_recipe_open(const char *path, char *const *overrides, int n, struct sl_recipe **out)
{
    struct sl_inputs *in;
    SL_TRY(sl_inputs_read(path, overrides, n, &in));
    return adopt(in, out);
}

int sl_recipe_open_anyway(const char *path, char *const *overrides, int n, struct sl_recipe **out)
{
    struct sl_inputs *in;
    *out = NULL;
    SL_TRY(sl_inputs_read(path, overrides, n, &in));
    return adopt_anyway(in, out);
}

int sl_recipe_parse(const char *name, const char *bytes, size_t size, char *const *overrides, int n,
                    struct sl_recipe **out)
{
    struct sl_inputs *in;
    SL_TRY(sl_inputs_parse(name, bytes, size, overrides, n, &in));
    return adopt(in, out);
}

int64_t sl_recipe_count(const struct sl_recipe *recipe)
{
    return recipe->sweep->count;
}

int sl_recipe_confirm(const struct sl_recipe *recipe, int64_t most)
{
    int64_t count = recipe->sweep->count;
    SL_CHECK(count <= most, SL_EGUARD,
             "%s: %lld members, more than %lld; if that is meant, say so with --yes",
             recipe->in->docs[0]->root->at.file, (long long)count, (long long)most);
    return SL_OK;
}

void sl_member_id(int64_t index, char id[SL_MEMBER_ID_MAX])
{
    snprintf(id, SL_MEMBER_ID_MAX, "%04lld", (long long)index);
}

int sl_recipe_values(struct sl_recipe *recipe, int64_t index, struct sl_config *cfg)
{
    SL_CHECK(index >= 0 && index < recipe->sweep->count, SL_EUSAGE, "there is no member %lld",
             (long long)index);
    struct sl_config work = recipe->base;
    struct sl_resolver r;
    sl_sweep_set(recipe->sweep, index, recipe->in);
    sl_resolver_init(&r, recipe->in, &work);
    for (int i = 0; i < SL_KEY_COUNT; i++)
        if (recipe->settled[i]) r.state[i] = SL_ROW_DONE;
    SL_TRY(sl_resolve_all(&r));
    *cfg = work;
    return SL_OK;
}

int sl_recipe_member(struct sl_recipe *recipe, int64_t index, struct sl_config *cfg)
{
    struct sl_config work;
    SL_TRY(sl_recipe_values(recipe, index, &work));
    SL_TRY(sl_inputs_check(recipe->in, &work));
    sl_member_id(index, work.run_member);
    memcpy(work.run_recipe_hash, recipe->results, sizeof recipe->results);
    if (sl_config_needs_ic(&work) && work.run_input[0] == '\0') memcpy(work.run_input, "ic.h5", 6);
    *cfg = work;
    return SL_OK;
}

int64_t sl_recipe_step(const struct sl_recipe *recipe)
{
    int64_t count = recipe->sweep->count;
    /* odd: steps of an even axis alone would always meet the same values of the others */
    return count <= SL_MEMBERS_LOOKED ? 1 : (count / SL_MEMBERS_LOOKED) | 1;
}

int sl_recipe_check(struct sl_recipe *recipe)
{
    struct sl_config cfg;
    for (int64_t i = 0; i < recipe->sweep->count; i += sl_recipe_step(recipe)) {
        SL_TRY(sl_recipe_member(recipe, i, &cfg));
        if (cfg.problem == SL_PROBLEM_cosmology && sl_config_has_gas(&cfg) &&
            cfg.ic_species == SL_IC_SPECIES_dark_matter)
            return SL_FAIL_AT(recipe->in->row[SL_KEY_ic_species].at,
                              "ic.species: dark_matter leaves a campaign no gas to run; nearest: "
                              "fluid.eos: none, particles alone, or one_fluid");
    }
    return SL_OK;
}

size_t sl_recipe_label(const struct sl_recipe *recipe, const struct sl_config *cfg, char *out,
                       size_t size)
{
    size_t used = 0;
    if (size > 0) out[0] = '\0';
    for (int a = 0; a < recipe->sweep->axis_count; a++)
        for (int k = 0; k < recipe->sweep->axes[a].key_count; k++) {
            const struct sl_key *key = &sl_keys[recipe->sweep->axes[a].keys[k].key];
            char value[2 * SL_TEXT_MAX + 1100];
            sl_key_print(key, cfg, value, sizeof value);
            size_t at = used < size ? used : size;
            used +=
                (size_t)snprintf(out + at, size - at, "%s%s=%s", used ? " " : "", key->path, value);
        }
    return used;
}

const char *sl_recipe_frozen(const struct sl_recipe *recipe, size_t *size)
{
    if (size) *size = recipe->frozen_size;
    return recipe->frozen;
}

void sl_recipe_set_hash(struct sl_recipe *recipe, const char *hash)
{
    snprintf(recipe->hash, sizeof recipe->hash, "%s", hash);
}

const char *sl_recipe_hash(const struct sl_recipe *recipe)
{
    return recipe->hash;
}

const struct sl_inputs *sl_recipe_inputs(const struct sl_recipe *recipe)
{
    return recipe->in;
}

bool sl_recipe_sweeps(const struct sl_recipe *recipe, int key)
{
    return sl_sweep_has(recipe->sweep, key);
}

bool sl_recipe_is_fixed(const struct sl_recipe *recipe)
{
    return recipe->sweep->fixed;
}

bool sl_config_needs_ic(const struct sl_config *cfg)
{
    static const bool needs[] = {
#define NEEDS(name, ic, about) ic,
        SL_PROBLEM_NAMES(NEEDS)
#undef NEEDS
    };
    return needs[cfg->problem] && !sl_config_without_ic(cfg);
}

/* ---- members by content ---- */

static bool part_of_content(const char *line)
{
    static const char *const others[] = {"run.", "ensemble.", "resources.ensemble.", "slurm."};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(line, others[i], strlen(others[i])) == 0) return false;
    return true;
}

int sl_config_content(const struct sl_config *cfg, char hash[SL_HASH_TEXT])
{
    char *text;
    SL_TRY(sl_config_print(cfg, &text));
    SHA2_CTX sha;
    SHA256Init(&sha);
    for (char *line = text, *end; *line; line = end) {
        end = strchr(line, '\n') + 1;
        if (part_of_content(line)) SHA256Update(&sha, (const uint8_t *)line, (size_t)(end - line));
    }
    SHA256End(&sha, hash);
    free(text);
    return SL_OK;
}

struct content {
    char hash[SL_HASH_TEXT];
    int64_t index;
};

static int by_hash(const void *a, const void *b)
{
    return memcmp(((const struct content *)a)->hash, ((const struct content *)b)->hash,
                  SL_HASH_TEXT);
}

/* Contents of all members sorted by hash, in an array made with malloc. */
static int contents(struct sl_recipe *recipe, struct content **out)
{
    int64_t n = recipe->sweep->count;
    struct content *all = calloc((size_t)n, sizeof *all);
    SL_CHECK(all, SL_EMEM, "no memory for %lld members", (long long)n);
    int code = SL_OK;
    for (int64_t i = 0; i < n && code == SL_OK; i++) {
        struct sl_config cfg;
        all[i].index = i;
        code = sl_recipe_member(recipe, i, &cfg);
        if (code == SL_OK) code = sl_config_content(&cfg, all[i].hash);
    }
    if (code != SL_OK) {
        free(all);
        return code;
    }
    qsort(all, (size_t)n, sizeof *all, by_hash);
    *out = all;
    return SL_OK;
}

/* The first key that neither recipe sweeps and that they set differently, -1 when there is none. */
static int key_that_differs(struct sl_recipe *a, struct sl_recipe *b)
{
    struct sl_config x, y;
    if (sl_recipe_member(a, 0, &x) != SL_OK || sl_recipe_member(b, 0, &y) != SL_OK) return -1;
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        char p[2 * SL_TEXT_MAX + 1100], q[sizeof p];
        if (sl_sweep_has(a->sweep, i) || sl_sweep_has(b->sweep, i)) continue;
        if (!part_of_content(sl_keys[i].path) || a->in->row[i].node == b->in->row[i].node) continue;
        sl_key_print(&sl_keys[i], &x, p, sizeof p);
        sl_key_print(&sl_keys[i], &y, q, sizeof q);
        if (strcmp(p, q) != 0 && !sl_node_same(a->in->row[i].node, b->in->row[i].node)) return i;
    }
    return -1;
}

static void explain(struct sl_recipe *old, struct sl_recipe *grown, int64_t missing, char *why,
                    size_t size)
{
    int key = key_that_differs(old, grown);
    struct sl_config cfg;
    char label[300], id[SL_MEMBER_ID_MAX];
    if (key >= 0) {
        snprintf(why, size, "%s differs", sl_keys[key].path);
    } else if (sl_recipe_member(old, missing, &cfg) == SL_OK) {
        sl_recipe_label(old, &cfg, label, sizeof label);
        sl_member_id(missing, id);
        snprintf(why, size, "member %s (%s) is not among the new ones", id, label);
    }
}

int sl_recipe_same_but_members(struct sl_recipe *old, struct sl_recipe *grown, bool *same,
                               char *why, size_t size)
{
    struct content *a, *b;
    SL_TRY(contents(old, &a));
    int code = contents(grown, &b);
    if (code != SL_OK) {
        free(a);
        return code;
    }
    int64_t missing = -1;
    for (int64_t i = 0; i < old->sweep->count; i++)
        if ((missing < 0 || a[i].index < missing) &&
            !bsearch(&a[i], b, (size_t)grown->sweep->count, sizeof *b, by_hash))
            missing = a[i].index;
    free(a);
    free(b);
    *same = missing < 0;
    if (size > 0) why[0] = '\0';
    if (missing >= 0) explain(old, grown, missing, why, size);
    return SL_OK;
}

static int by_index(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

int sl_recipe_added(struct sl_recipe *old, struct sl_recipe *grown, int64_t **index, int64_t *count)
{
    struct content *a = NULL, *b = NULL;
    int64_t *added = NULL, n = 0;
    int code = contents(old, &a);
    if (code == SL_OK) code = contents(grown, &b);
    if (code == SL_OK) added = malloc(((size_t)grown->sweep->count + 1) * sizeof *added);
    if (code == SL_OK && !added) code = SL_FAIL(SL_EMEM, "no memory for the members");
    for (int64_t i = 0; code == SL_OK && i < grown->sweep->count; i++)
        if (!bsearch(&b[i], a, (size_t)old->sweep->count, sizeof *a, by_hash))
            added[n++] = b[i].index;
    free(a);
    free(b);
    if (code != SL_OK) return code;
    qsort(added, (size_t)n, sizeof *added, by_index);
    *index = added;
    *count = n;
    return SL_OK;
}
