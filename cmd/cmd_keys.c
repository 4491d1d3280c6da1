/* cmd_keys.c - sluice keys: the manual of the recipe, from the table of keys.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/recipe.sh
 */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/config/keys.h"
#include "core/config/rules.h"
#include "core/sys/text.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"

static bool under(const char *path, const char *prefix)
{
    size_t n = strlen(prefix);
    return n == 0 || (strncmp(path, prefix, n) == 0 &&
                      (path[n] == '\0' || path[n] == '.' || prefix[n - 1] == '.'));
}

/* Where a key speaks of a word, in any case. */
enum place { IN_NAME, IN_SENTENCE, IN_CHOICE, NOWHERE };

static enum place place_of(const struct sl_key *key, const char *word)
{
    if (strcasestr(key->path, word)) return IN_NAME;
    if (strcasestr(key->about, word)) return IN_SENTENCE;
    for (const struct sl_choice *c = key->choices; c && c->name; c++)
        if (strcasestr(c->name, word) || strcasestr(c->about, word)) return IN_CHOICE;
    return NOWHERE;
}

/* Keys of a group, or where there is none of that name those that speak of all words: where the
 * least of them stands. */
static enum place rank_of(const struct sl_key *key, char **words, int n, bool group)
{
    enum place least = IN_NAME;
    if (group) return under(key->path, n ? words[0] : "") ? IN_NAME : NOWHERE;
    for (int i = 0; i < n; i++) {
        enum place here = place_of(key, words[i]);
        if (here > least) least = here;
    }
    return least;
}

/* The keys that were asked for: names that hold the words first, then sentences, then choices. */
struct selection {
    const struct sl_key *key[SL_KEY_COUNT];
    int n;
    bool named; /* the name of one holds the words */
};

static void select_keys(char **words, int n, bool group, struct selection *out)
{
    out->n = 0;
    for (enum place p = IN_NAME; p < NOWHERE; p++) {
        for (int i = 0; i < SL_KEY_COUNT; i++)
            if (rank_of(&sl_keys[i], words, n, group) == p) out->key[out->n++] = &sl_keys[i];
        if (p == IN_NAME) out->named = out->n > 0;
    }
}

/* "number in code units, 0 .. 1e+30" */
static void facts(const struct sl_key *key, char *out, size_t size)
{
    char type[64];
    int n = snprintf(out, size, "%s", sl_key_type_text(key, type, sizeof type));
    const char *units = sl_unit_names(key->unit);
    if (*units)
        n += snprintf(out + n, size - (size_t)n, " in %s (bare: %s)", units,
                      sl_unit_base(key->unit));
    if (key->max > key->min)
        snprintf(out + n, size - (size_t)n, ", %.16g .. %.16g", key->min, key->max);
}

/* What the rules of choice i take, "" for keys that are no lists of rules. */
static const char *takes(const struct sl_key *key, int i, char *out, size_t size)
{
    *out = '\0';
    return key->type == SL_TYPE_RULES ? sl_rules_text(i, out, size) : out;
}

/* Parameters that rules take. */
static void print_parameters(void)
{
    const struct sl_key *p;
    puts("    parameters");
    for (int i = 0; (p = sl_rules_parameter(i)) != NULL; i++) {
        printf("      %-16s %s", p->path, p->about);
        for (const struct sl_choice *c = p->choices; c && c->name; c++)
            printf("%s %s", c == p->choices ? ":" : ",", c->name);
        puts("");
    }
}

static void print_plain(const struct sl_key *key)
{
    char text[200];
    facts(key, text, sizeof text);
    printf("%s: %s\n    %s\n    default %s%s\n", key->path, key->about, text,
           sl_key_default_text(key), sl_key_may_change(key) ? "; may change at a restart" : "");
    for (int i = 0; key->choices && key->choices[i].name; i++) {
        printf("      %-16s %s\n", key->choices[i].name, key->choices[i].about);
        if (*takes(key, i, text, sizeof text)) printf("      %-16s takes %s\n", "", text);
    }
    if (key->type == SL_TYPE_RULES) print_parameters();
}

static void print_cell(const char *text)
{
    for (; *text; text++) {
        if (*text == '|') putchar('\\');
        putchar(*text);
    }
}

static void print_markdown(const struct sl_key *key)
{
    char text[200];
    facts(key, text, sizeof text);
    printf("| `%s` | %s | `%s` | ", key->path, text, sl_key_default_text(key));
    print_cell(key->about);
    for (int i = 0; key->choices && key->choices[i].name; i++) {
        printf("<br>`%s` ", key->choices[i].name);
        print_cell(key->choices[i].about);
        if (*takes(key, i, text, sizeof text)) printf("; takes %s", text);
    }
    puts(" |");
}

static json_t *key_json(const struct sl_key *key)
{
    char type[64];
    json_t *row = json_pack("{s:s, s:s, s:s, s:s, s:i}", "key", key->path, "type",
                            sl_key_type_text(key, type, sizeof type), "default", key->text, "about",
                            key->about, "count", key->count);
    json_object_set_new(row, "may_change", json_boolean(sl_key_may_change(key)));
    if (key->unit) json_object_set_new(row, "unit", json_string(sl_unit_base(key->unit)));
    if (key->max > key->min) {
        json_object_set_new(row, "min", json_real(key->min));
        json_object_set_new(row, "max", json_real(key->max));
    }
    if (!key->choices) return row;
    json_t *choices = json_array();
    for (int i = 0; key->choices[i].name; i++) {
        const struct sl_choice *c = &key->choices[i];
        char text[200];
        json_t *choice = json_pack("{s:s, s:s}", "name", c->name, "about", c->about);
        if (*takes(key, i, text, sizeof text))
            json_object_set_new(choice, "takes", json_string(text));
        json_array_append_new(choices, choice);
    }
    json_object_set_new(row, "choices", choices);
    return row;
}

static void print_json(const struct selection *keys)
{
    json_t *rows = json_array();
    for (int i = 0; i < keys->n; i++)
        json_array_append_new(rows, key_json(keys->key[i]));
    json_t *out = json_pack("{s:i, s:o}", "v", 1, "keys", rows);
    sl_json_print(out);
}

static const char stepped[] = "a list, or a range as 1..4 and 0..1 step 0.25";

/* The sections of a recipe that take keys: no keys themselves, but asked for like them. */
static const struct section {
    const char *name, *about, *example, *makes, *word, *values;
} sections[] = {
    {"sweep", "keys with several values each, a member for every combination of them",
     "sweep: {seed: 1..4, fluid.cfl: [0.2, 0.4]}", "8 members", "sweep.seed=1..4", stepped},
    {"zip", "keys whose values go forward together, a member for each step of them",
     "zip: {fluid.riemann: [llf, hllc], fluid.cfl: [0.2, 0.4]}", "2 members", "zip.seed=1..4",
     stepped},
    {"sample",
     "a design of experiments: design latin (Latin hypercube, its closest points far apart), sobol "
     "(scrambled) or random; points, how many; seed, of their choice; keys. Sobol and random "
     "points "
     "stay when there are more of them. Or file, a CSV of points below the names of keys",
     "sample: {design: sobol, points: 64, seed: 1, keys: {turbulence.mach: 1..10 log}}",
     "64 members", "sample.points=128 and sample.keys.turbulence.mach=2..8",
     "a range as 0..1 or, in equal parts of the logarithm, 1..10 log, or a list to choose from"},
};

static const struct section *section_of(const char *name)
{
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strcmp(name, sections[i].name) == 0) return &sections[i];
    return NULL;
}

static int print_section(const struct section *s, bool json)
{
    if (json)
        return sl_json_print(json_pack("{s:i, s:{s:s, s:s, s:s, s:s, s:s, s:s}, s:[]}", "v", 1,
                                       "section", "name", s->name, "about", s->about, "values",
                                       s->values, "word", s->word, "example", s->example, "makes",
                                       s->makes, "keys"));
    printf("%s: %s\n    %s   makes %s\n    a section of the recipe and no key; of each key %s;\n"
           "    on the command line %s\n",
           s->name, s->about, s->example, s->makes, s->values, s->word);
    return SL_OK;
}

struct name {
    char text[64];
};

/* Tries the group of a key; a better one is kept in *best. */
static void try_group(struct sl_nearest *near, const struct sl_key *key, struct name *best)
{
    struct name group;
    snprintf(group.text, sizeof group.text, "%.*s", (int)strcspn(key->path, "."), key->path);
    sl_nearest_try(near, group.text);
    if (near->best != group.text) return;
    *best = group;
    near->best = best->text;
}

/* The key, group or choice that was meant; NULL where none is near. */
static const char *nearest(const char *word, struct name *group)
{
    struct sl_nearest near = {.word = word};
    const char *key = sl_key_nearest(word);
    if (key) return key;
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        try_group(&near, &sl_keys[i], group);
        for (const struct sl_choice *c = sl_keys[i].choices; c && c->name; c++)
            sl_nearest_try(&near, c->name);
    }
    return near.best;
}

static int unknown(const char *prefix)
{
    struct name group;
    const char *near = nearest(prefix, &group);
    return SL_FAIL(SL_EUSAGE, "no key begins with or speaks of '%s'%s%s%s", sl_quote(prefix).text,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* A word that no name holds may be a slip in one. */
static void hint(const char *word)
{
    const char *near = sl_key_nearest(word);
    if (near) fprintf(stderr, "sluice: did you mean '%s'?\n", near);
}

static int run(int argc, char **argv)
{
    bool json = false, markdown = false;
    const struct sl_option options[] = {{"json", 0, SL_OPTION_FLAG, &json},
                                        {"markdown", 0, SL_OPTION_FLAG, &markdown},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int n;
    struct selection keys;
    SL_TRY(sl_options_words(options, argc, argv, 0, -1,
                            "keys [PREFIX | WORD...] [--markdown|--json]", &n));
    char **words = argv + 1;
    bool group = n == 0;
    const struct section *section = n == 1 && !markdown ? section_of(words[0]) : NULL;
    if (section) return print_section(section, json);
    for (int i = 0; i < SL_KEY_COUNT && n == 1; i++)
        group |= under(sl_keys[i].path, words[0]);
    select_keys(words, n, group, &keys);
    if (keys.n == 0) return unknown(words[0]);
    if (json) {
        print_json(&keys);
        return SL_OK;
    }
    if (markdown) puts("| key | takes | default | meaning |\n| --- | --- | --- | --- |");
    for (int i = 0; i < keys.n; i++)
        (markdown ? print_markdown : print_plain)(keys.key[i]);
    if (n == 1 && !keys.named) hint(words[0]);
    return SL_OK;
}

const struct sl_verb sl_verb_keys = {
    .name = "keys",
    .group = SL_VERB_start,
    .usage = "[PREFIX | WORD...] [--markdown|--json]",
    .about = "the manual of the recipe: every key with type, unit, range, default and choices",
    .help = "  PREFIX          only the keys of this group, e.g. mesh or fluid.riemann\n"
            "                  or sweep, zip, sample: what these sections of a recipe are\n"
            "  WORD...         those whose name, sentence or choices hold all the words, names "
            "first,\n                  e.g. magnetic field\n"
            "  --markdown      as a table for documents\n"
            "  --json          for programs: {v, keys: [{key, type, default, about, ...}]}; of a "
            "section\n"
            "                  {v, section: {name, about, values, word, example, makes}, keys: []}",
    .run = run};
