/* cmd_extend.c - sluice extend: adds members to a campaign; what is done stays and counts.
 *
 * Shapes  none
 * Units   none
 * Errors  SL_EUSAGE, SL_EINPUT, SL_EGUARD when the recipe is another campaign's
 * Owns    nothing
 * MPI     none
 * Where   host
 * Refs    none
 * Tests   tests/cli/campaign.sh
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/verb.h"
#include "core/config/keys.h"
#include "core/sys/status.h"
#include "pipeline/base/json.h"
#include "pipeline/base/options.h"
#include "pipeline/campaign/executor.h"
#include "pipeline/campaign/select.h"

enum { AXES_MAX = 64 };

/* "seed=1..16" means the axis of the sweep. */
static int axes(char **words, int n, char **list)
{
    SL_CHECK(n <= AXES_MAX, SL_EUSAGE, "at most %d axes", AXES_MAX);
    for (int i = 0; i < n; i++) {
        SL_CHECK(strchr(words[i], '='), SL_EUSAGE,
                 "extend takes a recipe, or the values of what is swept: seed=1..16");
        bool plain = strncmp(words[i], "sweep.", 6) != 0 && strncmp(words[i], "zip.", 4) != 0 &&
                     strncmp(words[i], "sample.", 7) != 0;
        if (asprintf(&list[i], "%s%s", plain ? "sweep." : "", words[i]) < 0)
            return SL_FAIL(SL_EMEM, "no memory");
    }
    return SL_OK;
}

/* Do all words name axes that the campaign sweeps already? */
static int all_swept(const char *path, char **words, int n, bool *all)
{
    struct sl_recipe *old;
    char key[256];
    SL_TRY(sl_recipe_open(path, NULL, 0, &old));
    *all = true;
    for (int i = 0; i < n; i++) {
        const char *name = words[i];
        if (strncmp(name, "sweep.", 6) == 0) name += 6;
        snprintf(key, sizeof key, "%.*s", (int)strcspn(name, "="), name);
        int k = sl_key_find(key);
        *all = *all && k >= 0 && sl_recipe_sweeps(old, k);
    }
    sl_recipe_close(old);
    return SL_OK;
}

/* The recipe of the words: a file with overrides, or the campaign's own with other axes. */
static int open_recipe(const struct sl_campaign *c, char **words, int n, struct sl_recipe **recipe,
                       bool *same)
{
    *same = false;
    char path[SL_PATH_MAX], *list[AXES_MAX] = {NULL};
    if (!strchr(words[0], '=')) return sl_recipe_open(words[0], words + 1, n - 1, recipe);
    SL_TRY(sl_campaign_recipe(c, path));
    SL_TRY(all_swept(path, words, n, same));
    int code = axes(words, n, list);
    if (code == SL_OK) code = sl_recipe_open(path, list, n, recipe);
    for (int i = 0; i < AXES_MAX; i++)
        free(list[i]);
    return code;
}

static int print_added(const struct sl_campaign *c, int added, int before, bool json)
{
    char where[SL_PATH_MAX];
    SL_TRY(sl_select_say(c, where));
    if (json)
        return sl_json_print(json_pack("{s:i, s:s, s:i, s:i}", "v", 1, "campaign", c->name, "added",
                                       added, "members", before + added));
    if (added)
        printf("%d member%s added, %d stay; go on with: sluice %s%s\n", added,
               added == 1 ? "" : "s", before, sl_executor_of(c)->verb, where);
    else
        printf("all its members are there already (%d)\n", before);
    return SL_OK;
}

static int extend(struct sl_campaign *c, char **words, int n, bool yes, bool json)
{
    struct sl_recipe *recipe;
    int added = 0, before = c->n;
    bool same;
    SL_TRY(open_recipe(c, words, n, &recipe, &same));
    int code = sl_recipe_confirm(recipe, yes ? sl_recipe_count(recipe) : SL_MEMBERS_ASK);
    if (code == SL_OK) code = sl_recipe_check(recipe);
    if (code == SL_OK) code = sl_campaign_extend(c, recipe, same, &added);
    if (code == SL_EGUARD && sl_recipe_is_fixed(recipe))
        code = SL_FAIL(SL_EGUARD,
                       "%s: a Latin hypercube of more points has other points, so that "
                       "no member would stay; designs that grow: sobol, random",
                       c->name);
    sl_recipe_close(recipe);
    SL_TRY(code);
    return print_added(c, added, before, json);
}

static int run(int argc, char **argv)
{
    bool yes = false, json = false;
    const struct sl_option options[] = {{"yes", 'y', SL_OPTION_FLAG, &yes},
                                        {"json", 0, SL_OPTION_FLAG, &json},
                                        {NULL, 0, SL_OPTION_FLAG, NULL}};
    int words, used;
    struct sl_campaign c;
    SL_TRY(sl_options_words(options, argc, argv, 1, -1, "extend [CAMPAIGN] RECIPE|key=values...",
                            &words));
    SL_TRY(sl_select_campaign(argv + 1, words, &c, &used));
    int code = words > used ? extend(&c, argv + 1 + used, words - used, yes, json)
                            : SL_FAIL(SL_EUSAGE, "extend takes a recipe or key=values");
    sl_campaign_release(&c);
    return code;
}

const struct sl_verb sl_verb_extend = {
    .name = "extend",
    .group = SL_VERB_mend,
    .usage = "[CAMPAIGN] RECIPE|key=values... [--yes] [--json]",
    .about = "add members to a campaign, even while it runs; finished members stay",
    .help = "  RECIPE       the same recipe with more values in its sweep\n"
            "  key=values   new values of one axis of the sweep: seed=1..16; of a sample more\n"
            "               points: sample.points=128 (sobol, random)\n"
            "  --yes, -y    accept more than 10,000 members\n"
            "  --json       {v, campaign, added, members: now}",
    .run = run};
