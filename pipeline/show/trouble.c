/* trouble.c - see trouble.h. */
#include "pipeline/show/trouble.h"

#include "pipeline/base/json.h"
#include "pipeline/campaign/select.h"
#include "pipeline/campaign/target.h"
#include "pipeline/report/check.h"

/* The recipe of the first generation that lost it. */
static bool find_recipe(const struct sl_campaign_state *st, struct sl_trouble *t)
{
    struct sl_recipe_lost lost;
    char where[SL_PATH_MAX] = "";
    int g = 1;
    while (g <= st->campaign->generations && !sl_campaign_recipe_lost(st->campaign, g, &lost))
        g++;
    if (g > st->campaign->generations) return false;
    sl_select_say(st->campaign, where);
    t->id = "recipe";
    snprintf(t->sentence, sizeof t->sentence, "%s: nothing more of it runs", lost.what);
    snprintf(t->mend, sizeof t->mend, "%s, then sluice %s%s", lost.way,
             sl_executor_of(st->campaign)->verb, where);
    return true;
}

static bool find_target(const struct sl_campaign_state *st, struct sl_trouble *t)
{
    t->id = "target";
    sl_target_say(st, t->sentence, sizeof t->sentence);
    snprintf(t->mend, sizeof t->mend,
             "let all members run, or make another campaign with a quantity that they have (sluice "
             "run RECIPE ensemble.target=.. --dir OTHER)");
    return *t->sentence;
}

/* Members that the queue will not bring to their end. */
static bool find_adrift(const struct sl_campaign_state *st, enum sl_queue_ask how,
                        struct sl_trouble *t)
{
    char where[SL_PATH_MAX] = "";
    int n = 0;
    if (sl_executor_of(st->campaign)->adrift(st, how, &n) != SL_OK || n == 0) return false;
    sl_select_say(st->campaign, where);
    t->id = "queue";
    snprintf(t->sentence, sizeof t->sentence,
             n == 1 ? "%d member is not at its end, and nothing is in the queue for what it lacks"
                    : "%d members are not at their end, and nothing is in the queue for what they "
                      "lack",
             n);
    snprintf(t->mend, sizeof t->mend, "sluice %s%s", sl_executor_of(st->campaign)->verb, where);
    return true;
}

static bool find_checks(const struct sl_campaign_state *st, struct sl_trouble *t)
{
    char which[500];
    int n = sl_checks_failed(st->campaign->dir, false, which, sizeof which);
    t->id = "checks";
    snprintf(t->sentence, sizeof t->sentence, "%d check%s of the report failed: %s", n,
             n == 1 ? "" : "s", which);
    snprintf(t->mend, sizeof t->mend,
             "look at the tables and figures of %s/report/index.html before its numbers are used",
             st->campaign->dir);
    return n > 0;
}

int sl_trouble_find(const struct sl_campaign_state *st, enum sl_queue_ask how,
                    struct sl_trouble list[SL_TROUBLES])
{
    int n = 0;
    n += find_recipe(st, &list[n]);
    n += find_target(st, &list[n]);
    n += find_adrift(st, how, &list[n]);
    n += find_checks(st, &list[n]);
    return n;
}

int sl_trouble_print(FILE *out, const struct sl_campaign_state *st, enum sl_queue_ask how)
{
    struct sl_trouble list[SL_TROUBLES];
    int n = sl_trouble_find(st, how, list);
    for (int i = 0; i < n; i++)
        fprintf(out, "%s\n  to go on: %s\n", list[i].sentence, list[i].mend);
    return 2 * n;
}

json_t *sl_trouble_json(const struct sl_campaign_state *st, enum sl_queue_ask how)
{
    struct sl_trouble list[SL_TROUBLES];
    int n = sl_trouble_find(st, how, list);
    json_t *o = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(o, json_pack("{s:s, s:o, s:o}", "id", list[i].id, "sentence",
                                           sl_json_text(list[i].sentence), "mend",
                                           sl_json_text(list[i].mend)));
    return o;
}
