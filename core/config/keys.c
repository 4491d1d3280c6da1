/* keys.c - see keys.h. */
#include "core/config/keys.h"

#include <stdio.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/key_id.h"
#include "core/lists/boundary_list.h"
#include "core/lists/drive_spectrum_list.h"
#include "core/lists/eos_list.h"
#include "core/lists/integrator_list.h"
#include "core/lists/mhd_list.h"
#include "core/lists/particle_list.h"
#include "core/lists/potential_list.h"
#include "core/lists/reconstruct_list.h"
#include "core/lists/refine_list.h"
#include "core/lists/riemann_list.h"
#include "core/lists/shock_list.h"
#include "core/sys/text.h"

/* Rows of choice lists are (name, sentence), with up to four numbers or names between. */
#define LAST_1(about)                                      about
#define LAST_2(a, about)                                   about
#define LAST_3(a, b, about)                                about
#define LAST_4(a, b, c, about)                             about
#define LAST_5(a, b, c, d, about)                          about
#define LAST_PICK(one, two, three, four, five, which, ...) which
#define CHOICE(name, ...)                                                                          \
    {#name, LAST_PICK(__VA_ARGS__, LAST_5, LAST_4, LAST_3, LAST_2, LAST_1, ~)(__VA_ARGS__)},
#define CHOICES(list)                                                                              \
    .choices = (const struct sl_choice[]){list(CHOICE){NULL, NULL}},                               \
    .choice_count =                                                                                \
        (int)(sizeof((const struct sl_choice[]){list(CHOICE)}) / sizeof(struct sl_choice))
#define COMMON(member, p, t, a)                                                                    \
    .path = p, .text = t, .about = a, .at = offsetof(struct sl_config, member)
#define NUMBER(lo, hi, u)  .min = lo, .max = hi, .unit = SL_UNIT_##u
#define SEVERAL(member, n) .count = n, .at_n = offsetof(struct sl_config, member##_n)

const struct sl_key sl_keys[SL_KEY_COUNT] = {
#define SL_REAL_KEY(m, p, t, lo, hi, u, a)                                                         \
    {COMMON(m, p, t, a), NUMBER(lo, hi, u), .type = SL_TYPE_REAL, .count = 1},
#define SL_INT_KEY(m, p, t, lo, hi, u, a)                                                          \
    {COMMON(m, p, t, a), NUMBER(lo, hi, u), .type = SL_TYPE_INT, .count = 1},
#define SL_BOOL_KEY(m, p, t, a) {COMMON(m, p, t, a), .type = SL_TYPE_BOOL, .count = 1},
#define SL_ENUM_KEY(m, p, t, list, a)                                                              \
    {COMMON(m, p, t, a), CHOICES(list), .type = SL_TYPE_ENUM, .count = 1},
#define SL_FLAGS_KEY(m, p, t, list, a)                                                             \
    {COMMON(m, p, t, a), CHOICES(list), .type = SL_TYPE_FLAGS, .count = 32},
#define SL_TEXT_KEY(m, p, t, k, a)                                                                 \
    {COMMON(m, p, t, a), .kind = SL_TEXT_##k, .type = SL_TYPE_TEXT, .count = 1},
#define SL_REALS_KEY(m, p, t, n, lo, hi, u, a)                                                     \
    {COMMON(m, p, t, a), NUMBER(lo, hi, u), SEVERAL(m, n), .type = SL_TYPE_REALS},
#define SL_INTS_KEY(m, p, t, n, lo, hi, u, a)                                                      \
    {COMMON(m, p, t, a), NUMBER(lo, hi, u), SEVERAL(m, n), .type = SL_TYPE_INTS},
#define SL_ENUMS_KEY(m, p, t, n, list, a)                                                          \
    {COMMON(m, p, t, a), CHOICES(list), SEVERAL(m, n), .type = SL_TYPE_ENUMS},
#define SL_RULES_KEY(m, p, t, n, list, a)                                                          \
    {COMMON(m, p, t, a), CHOICES(list), SEVERAL(m, n), .type = SL_TYPE_RULES},
#include "core/config/keys.def"
#include "problem_keys.def" /* generated */
};

int sl_key_find(const char *path)
{
    for (int i = 0; i < SL_KEY_COUNT; i++)
        if (strcmp(sl_keys[i].path, path) == 0) return i;
    return -1;
}

bool sl_key_is_group(const char *path)
{
    size_t n = strlen(path);
    for (int i = 0; i < SL_KEY_COUNT; i++)
        if (strncmp(sl_keys[i].path, path, n) == 0 && sl_keys[i].path[n] == '.') return true;
    return false;
}

bool sl_key_is_required(const struct sl_key *key)
{
    return *key->text == '\0' && (key->type != SL_TYPE_TEXT || key->kind == SL_TEXT_name);
}

const char *sl_key_default_text(const struct sl_key *key)
{
    if (*key->text) return key->text;
    return sl_key_is_required(key) ? "none: must be given" : "none";
}

bool sl_key_may_change(const struct sl_key *key)
{
    /* a group ends with a dot; numbers of snapshots and lines of the history stand for times */
    static const char *const free_keys[] = {"campaign",          "verify",         "run.",
                                            "output.checkpoint", "output.keep",    "output.delete",
                                            "resources.",        "slurm.",         "statistics.",
                                            "notify.",           "stages.",        "ensemble.",
                                            "output.precision",  "output.sample",  "output.center",
                                            "time.end",          "time.max_steps", "fluid.cfl",
                                            "fluid.max_floored"};
    for (size_t i = 0; i < sizeof free_keys / sizeof *free_keys; i++) {
        size_t n = strlen(free_keys[i]);
        bool group = free_keys[i][n - 1] == '.';
        if (strncmp(key->path, free_keys[i], n) == 0 && (group || key->path[n] == '\0'))
            return true;
    }
    return false;
}

bool sl_key_is_measured(const struct sl_key *key)
{
    return strncmp(key->path, "statistics.", 11) == 0;
}

static bool of_means(const char *path)
{
    static const char *const groups[] = {"resources.", "slurm.", "output.", "notify.", "stages."};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (strncmp(path, groups[i], strlen(groups[i])) == 0) return true;
    return false;
}

bool sl_key_is_means(const struct sl_key *key)
{
    return of_means(key->path) && sl_key_may_change(key) &&
           strcmp(key->path, "resources.precision") != 0;
}

bool sl_key_is_command(const struct sl_key *key)
{
    return strncmp(key->path, "stages.", 7) == 0;
}

bool sl_key_line_is_means(const char *line)
{
    char path[160];
    if (!of_means(line)) return false;
    snprintf(path, sizeof path, "%.*s", (int)strcspn(line, ":\n"), line);
    int key = sl_key_find(path);
    return key >= 0 && sl_key_is_means(&sl_keys[key]);
}

static const char *last_part(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

const char *sl_key_nearest(const char *path)
{
    struct sl_nearest whole = {.word = path}, part = {.word = last_part(path)};
    const char *of_part = NULL;
    for (int i = 0; i < SL_KEY_COUNT; i++) {
        sl_nearest_try(&whole, sl_keys[i].path);
        const char *before = part.best;
        sl_nearest_try(&part, last_part(sl_keys[i].path));
        if (part.best != before) of_part = sl_keys[i].path;
    }
    /* a right name in the wrong group is nearer than a wrong name in the right one */
    if (whole.best && (!of_part || whole.distance <= part.distance)) return whole.best;
    return of_part;
}

const char *sl_key_type_text(const struct sl_key *key, char *buffer, size_t size)
{
    static const char *const one[] = {"number",        "whole number",
                                      "true or false", "one of",
                                      "any of",        "text",
                                      "numbers",       "whole numbers",
                                      "names of",      "rules {by: NAME, PARAMETER: value ...}"};
    if (key->type == SL_TYPE_TEXT && key->kind == SL_TEXT_name)
        snprintf(buffer, size, "name");
    else if (key->type == SL_TYPE_TEXT && key->kind == SL_TEXT_path)
        snprintf(buffer, size, "path");
    else if (key->type >= SL_TYPE_REALS)
        snprintf(buffer, size, "list of up to %d %s", key->count, one[key->type]);
    else
        snprintf(buffer, size, "%s", one[key->type]);
    return buffer;
}
