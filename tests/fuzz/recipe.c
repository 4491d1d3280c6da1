/* recipe.c - damaged and hostile recipes: whatever the bytes, the reader answers "ok" or "error in
 * the input" with a message, soon, and what it accepts it can print and read again.
 *
 * Mutates the recipes that ship for 5 s, or SLUICE_FUZZ_SECONDS, from SLUICE_FUZZ_SEED (the clock
 * without it; printed). A failing input is left in build/fuzz-recipe.yaml. With clang it is a
 * libFuzzer target too: -DSL_LIBFUZZER -fsanitize=fuzzer.
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

#include "pipeline/recipe.h"

static const char *last;
static size_t last_size;
static uint64_t taken; /* inputs that were accepted */

#define MUST(cond)                                                                                 \
    do {                                                                                           \
        if (!(cond)) failed(#cond);                                                                \
    } while (0)

static void failed(const char *what)
{
    FILE *f = fopen("build/fuzz-recipe.yaml", "w");
    if (f) {
        fwrite(last, 1, last_size, f);
        fclose(f);
    }
    fprintf(stderr, "not so: %s\nlast message: %s\ninput: build/fuzz-recipe.yaml\n", what,
            sl_error_text());
    abort();
}

/* A refusal names the file and cannot drive a terminal. */
static void good_message(const char *name)
{
    const char *text = sl_error_text();
    struct sl_mark at = {name, 1, 1};
    MUST(strncmp(text, name, strlen(name)) == 0);
    MUST(sl_text_check(text, strlen(text), &at) == NULL);
    MUST(strchr(text, '\n') == NULL);
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
    last = (const char *)data, last_size = size;
    struct sl_recipe *recipe = NULL;
    if (!accepted(sl_recipe_parse("f.yaml", last, size, NULL, 0, &recipe), "f.yaml")) return 0;
    taken++;
    int64_t count = sl_recipe_count(recipe);
    MUST(count >= 1 && count <= 1000000000);
    try_member(recipe, 0);
    try_member(recipe, count / 3);
    try_member(recipe, count - 1);
    sl_recipe_close(recipe);
    try_frozen(last, size);
    return 0;
}

#ifndef SL_LIBFUZZER

enum { MOST_SEEDS = 64, MOST_BYTES = 1 << 16 };

static struct {
    char *bytes;
    size_t size;
} seeds[MOST_SEEDS];
static int seed_count;

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % below;
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

struct text {
    char bytes[MOST_BYTES];
    size_t size;
};

static void cut(struct text *t, size_t at, size_t n)
{
    if (at + n > t->size) n = t->size - at;
    memmove(t->bytes + at, t->bytes + at + n, t->size - at - n);
    t->size -= n;
}

static void put(struct text *t, size_t at, const char *bytes, size_t n)
{
    char part[512];
    if (n > sizeof part) n = sizeof part;
    if (t->size + n > MOST_BYTES) return;
    memcpy(part, bytes, n); /* may lie in t */
    memmove(t->bytes + at + n, t->bytes + at, t->size - at);
    memcpy(t->bytes + at, part, n);
    t->size += n;
}

static void mutate(struct text *t)
{
    size_t at = draw(t->size + 1);
    const char *word = words[draw(sizeof words / sizeof words[0])];
    int other = (int)draw((uint64_t)seed_count);
    switch (draw(8)) {
    case 0:
        if (at < t->size) t->bytes[at] ^= (char)(1 << draw(8));
        break;
    case 1:
        cut(t, at, 1 + draw(20));
        break;
    case 2: /* a piece of another recipe */
        if (seeds[other].size > 0) {
            size_t from = draw(seeds[other].size), n = 1 + draw(80);
            if (from + n > seeds[other].size) n = seeds[other].size - from;
            put(t, at, seeds[other].bytes + from, n);
        }
        break;
    case 3: /* a piece of itself */
        if (at < t->size)
            put(t, draw(t->size), t->bytes + at, t->size - at < 100 ? t->size - at : 100);
        break;
    case 4: /* many of one word */
        for (uint64_t n = draw(200); n > 0; n--)
            put(t, at, word, strlen(word));
        break;
    case 5: /* a word in the place of a value */
        while (at < t->size && t->bytes[at] != ':')
            at++;
        if (at + 2 < t->size) {
            size_t end = at + 2;
            while (end < t->size && !strchr("\n,]}", t->bytes[end]))
                end++;
            cut(t, at + 2, end - at - 2);
            put(t, at + 2, word, strlen(word));
        }
        break;
    default:
        put(t, at, word, strlen(word));
    }
}

static void add_seed(const char *bytes, size_t size)
{
    if (seed_count == MOST_SEEDS || size > MOST_BYTES / 4) return;
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

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    static struct text t;
    const char *seconds = getenv("SLUICE_FUZZ_SECONDS"), *given = getenv("SLUICE_FUZZ_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL), runs = 0;
    double end = now() + (seconds ? strtod(seconds, NULL) : 5), slowest = 0;
    static const char sod[] =
        "campaign: c\nproblem: sod\nsweep: {seed: 1..4, fluid.cfl: [0.1, 0.2..0.4 step 0.1]}\n"
        "zip: {sod.x0: [0.3, 0.5], time.end: [1, 2 / fluid.cfl]}\nmesh: {cells: [128, 64]}\n"
        "output.snapshot: time.end / 4\nresources: {walltime: 2 h}\nrun.input: 'a b'\n";
    add_seed(sod, sizeof sod - 1);
    add_recipes_that_ship();
    state = seed;
    printf("seed %llu, %d recipes to start from\n", (unsigned long long)seed, seed_count);
    for (int i = 0; i < seed_count; i++) /* unharmed they are all accepted */
        MUST((LLVMFuzzerTestOneInput((const uint8_t *)seeds[i].bytes, seeds[i].size), true));
    for (double start = now(); start < end; runs++) {
        int from = (int)draw((uint64_t)seed_count);
        memcpy(t.bytes, seeds[from].bytes, t.size = seeds[from].size);
        for (uint64_t n = 1 + draw(6); n > 0; n--)
            mutate(&t);
        LLVMFuzzerTestOneInput((const uint8_t *)t.bytes, t.size);
        double stop = now();
        if (stop - start > slowest) slowest = stop - start;
        MUST(slowest < 5);
        start = stop;
    }
    printf("%llu inputs, %llu accepted, the slowest took %.3f s\n", (unsigned long long)runs,
           (unsigned long long)taken, slowest);
    for (int i = 0; i < seed_count; i++)
        free(seeds[i].bytes);
    return 0;
}

#endif
