/* recipe.c - damaged and hostile recipes: whatever the bytes, the reader answers "ok" or "error in
 * the input" with a message, soon, and what it accepts it can print and read again.
 *
 * Harms the recipes that ship (see fuzz.h). With clang it is a libFuzzer target too:
 * -DSL_LIBFUZZER -fsanitize=fuzzer.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/config/config.h"
#include "core/sys/text.h"
#include "core/sys/yaml.h"
#include "pipeline/campaign/recipe.h"
#include "tests/fuzz/fuzz.h"

static struct fuzz fuzz;

#define MUST(cond) FUZZ_MUST(&fuzz, cond)

/* A refusal cannot drive a terminal, and each of its lines names the file. */
static void good_message(const char *name)
{
    const char *text = sl_error_text();
    struct sl_mark at = {name, 1, 1};
    MUST(sl_text_check(text, strlen(text), &at) == NULL);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += line > text;
        MUST(strncmp(line, name, strlen(name)) == 0 || strncmp(line, "and more", 8) == 0);
    }
}

/* Returns whether it was accepted. */
static bool accepted(int code, const char *name)
{
    MUST(code == SL_OK || code == SL_EINPUT);
    if (code == SL_EINPUT) good_message(name);
    return code == SL_OK;
}

static void try_member(struct sl_recipe *recipe, int64_t index)
{
    static struct sl_config cfg, back;
    if (!accepted(sl_recipe_member(recipe, index, &cfg), "f.yaml")) return;
    char *text, *again;
    MUST(sl_config_print(&cfg, &text) == SL_OK);
    MUST(sl_config_parse("run.yaml", text, strlen(text), NULL, 0, &back) == SL_OK);
    MUST(sl_config_print(&back, &again) == SL_OK);
    MUST(strcmp(text, again) == 0);
    free(text), free(again);
}

/* What a campaign keeps of an overridden recipe must be the same recipe. */
static void try_frozen(const char *bytes, size_t size)
{
    char fixed[] = "seed=3", *overrides[] = {fixed};
    struct sl_recipe *a, *b;
    int code = sl_recipe_parse("f.yaml", bytes, size, overrides, 1, &a);
    if (code == SL_EINPUT) return; /* may point to the command line */
    MUST(code == SL_OK);
    size_t n;
    const char *text = sl_recipe_frozen(a, &n);
    MUST(sl_recipe_parse("frozen", text, n, NULL, 0, &b) == SL_OK);
    MUST(sl_recipe_count(a) == sl_recipe_count(b));
    char p[SL_HASH_TEXT], q[SL_HASH_TEXT];
    static struct sl_config x, y;
    int64_t end = sl_recipe_count(a) - 1;
    code = sl_recipe_member(a, end, &x);
    MUST(sl_recipe_member(b, end, &y) == code);
    if (code == SL_OK) {
        MUST(sl_config_content(&x, p) == SL_OK && sl_config_content(&y, q) == SL_OK);
        MUST(strcmp(p, q) == 0);
    }
    sl_recipe_close(a), sl_recipe_close(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    fuzz.last = text, fuzz.last_size = size;
    struct sl_recipe *recipe = NULL;
    if (!accepted(sl_recipe_parse("f.yaml", text, size, NULL, 0, &recipe), "f.yaml")) return 0;
    fuzz.taken++;
    int64_t count = sl_recipe_count(recipe);
    MUST(count >= 1 && count <= 1000000000);
    try_member(recipe, 0);
    try_member(recipe, count / 3);
    try_member(recipe, count - 1);
    sl_recipe_close(recipe);
    try_frozen(text, size);
    return 0;
}

#ifndef SL_LIBFUZZER

enum { MOST_SEEDS = 64, MOST_BYTES = 1 << 14 };

static struct {
    char *bytes;
    size_t size;
} seeds[MOST_SEEDS];
static int seed_count;

static uint64_t draw(uint64_t below)
{
    return fuzz_draw(&fuzz, below);
}

static const char *const words[] = {
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ": ",
    "\n",
    "\n  ",
    "\n- ",
    "- ",
    "? ",
    "&a ",
    "*a",
    "!!int ",
    "<<: ",
    "---\n",
    "...\n",
    "%YAML ",
    "\"",
    "'",
    "\\x00",
    "\\u202e",
    "|\n",
    ">\n",
    "#",
    "~",
    "null",
    "no",
    "010",
    "0x1f",
    "1e999",
    "-1",
    ".nan",
    "1_0",
    "1:30",
    "..",
    "1..4",
    " step ",
    "1..9 step 2",
    "0",
    "4",
    "64",
    "1e-3",
    "2^53",
    "pi",
    "sqrt(",
    "min(1, 2)",
    "(",
    ")",
    "+",
    "/ 0",
    "*",
    "^",
    " min",
    " Mpc",
    "seed",
    "seed: ",
    "mesh.",
    "cells",
    "mesh.block",
    "time.end",
    "sweep:",
    "zip:\n  seed: [1, 2]\n",
    "fluid: {",
    "run.",
    "true",
    "periodic",
    "\t",
    "\r\n",
    "\xc3\xa4",
    "\xe2\x80\xae",
    "\xff",
    "\xef\xbb\xbf",
    "9007199254740993",
    "mesh.cells.x",
    "units.length: 1 kpc\n",
    "[[0, 1], [2]]",
};

static void mutate(struct fuzz_input *t)
{
    size_t at = draw(t->size + 1);
    const char *word = words[draw(sizeof words / sizeof words[0])];
    int other = (int)draw((uint64_t)seed_count);
    switch (draw(8)) {
    case 0:
        fuzz_flip(&fuzz, t, at);
        break;
    case 1:
        fuzz_cut(t, at, 1 + draw(20));
        break;
    case 2: /* a piece of another recipe */
        if (seeds[other].size > 0) {
            size_t from = draw(seeds[other].size), n = 1 + draw(80);
            if (from + n > seeds[other].size) n = seeds[other].size - from;
            fuzz_put(t, at, seeds[other].bytes + from, n);
        }
        break;
    case 3: /* a piece of itself */
        if (at < t->size)
            fuzz_put(t, draw(t->size), t->bytes + at, t->size - at < 100 ? t->size - at : 100);
        break;
    case 4: /* many of one word */
        for (uint64_t n = draw(200); n > 0; n--)
            fuzz_put(t, at, word, strlen(word));
        break;
    case 5: /* a word in the place of a value */
        while (at < t->size && t->bytes[at] != ':')
            at++;
        if (at + 2 < t->size) {
            size_t end = at + 2;
            while (end < t->size && !strchr("\n,]}", t->bytes[end]))
                end++;
            fuzz_cut(t, at + 2, end - at - 2);
            fuzz_put(t, at + 2, word, strlen(word));
        }
        break;
    default:
        fuzz_put(t, at, word, strlen(word));
    }
}

static void add_seed(const char *bytes, size_t size)
{
    if (seed_count == MOST_SEEDS || size > MOST_BYTES) return;
    seeds[seed_count].bytes = malloc(size + 1);
    memcpy(seeds[seed_count].bytes, bytes, size);
    seeds[seed_count++].size = size;
}

static void add_recipes_that_ship(void)
{
    const char *top = getenv("SLUICE_TOP");
    char path[1024];
    snprintf(path, sizeof path, "%s/recipes", top ? top : ".");
    DIR *dir = opendir(path);
    MUST(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        char *bytes;
        size_t size;
        snprintf(path, sizeof path, "%s/recipes/%s", top ? top : ".", e->d_name);
        if (strstr(e->d_name, ".yaml") && sl_yaml_load(path, &bytes, &size) == SL_OK) {
            add_seed(bytes, size);
            free(bytes);
        }
    }
    closedir(dir);
}

int main(void)
{
    static struct fuzz_input t;
    static const char sod[] =
        "campaign: c\nproblem: sod\nsweep: {seed: 1..4, fluid.cfl: [0.1, 0.2..0.4 step 0.1]}\n"
        "zip: {sod.x0: [0.3, 0.5], time.end: [1, 2 / fluid.cfl]}\nmesh: {cells: [128, 64]}\n"
        "output.snapshot: time.end / 4\nresources: {walltime: 2 h}\nrun.input: 'a b'\n";
    add_seed(sod, sizeof sod - 1);
    add_recipes_that_ship();
    fuzz_start(&fuzz, "recipe.yaml");
    printf("%d recipes to start from\n", seed_count);
    for (int i = 0; i < seed_count; i++) /* unharmed they are all accepted */
        MUST((LLVMFuzzerTestOneInput((const uint8_t *)seeds[i].bytes, seeds[i].size), true));
    double began = fuzz_used();
    do {
        int from = (int)draw((uint64_t)seed_count);
        memcpy(t.bytes, seeds[from].bytes, t.size = seeds[from].size);
        for (uint64_t n = 1 + draw(6); n > 0; n--)
            mutate(&t);
        LLVMFuzzerTestOneInput((const uint8_t *)t.bytes, t.size);
    } while (fuzz_again(&fuzz, &began));
    fuzz_report(&fuzz);
    for (int i = 0; i < seed_count; i++)
        free(seeds[i].bytes);
    return 0;
}

#endif
