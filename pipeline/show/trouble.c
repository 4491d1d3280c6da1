/* trouble.c - see trouble.h. */
#include "pipeline/show/trouble.h"

#include "pipeline/base/json.h"
#include "pipeline/campaign/record.h"
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

/* Of a stage that the journal never saw begin, is there a record of its end? */
static bool is_unheard(const struct sl_campaign_state *st, int member)
{
    char home[SL_PATH_MAX];
    if (sl_campaign_home(home, st->campaign, member) != SL_OK) return false;
    for (int s = 0; s < SL_MEMBER_STAGES; s++) {
        const struct sl_stage_state *stage = &st->member[member].stage[s];
        if (!sl_member_has(&st->campaign->member[member], s)) continue;
        if (stage->attempts == 0 && stage->state == SL_WORK_waiting)
            return sl_record_exists(home, (enum sl_stage)s);
    }
    return false;
}

/* A journal that was cut, or made anew: the first members that have something to do tell it. */
static bool find_journal(const struct sl_campaign_state *st, struct sl_trouble *t)
{
    enum { LOOKED_AT = 64 };
    char where[SL_PATH_MAX] = "";
    int looked = 0, lost = 0;
    for (int i = 0; i < st->n && looked < LOOKED_AT; i++) {
        if (sl_campaign_state_next(st, i) < 0) continue;
        looked++;
        lost += is_unheard(st, i);
    }
    sl_select_say(st->campaign, where);
    t->id = "journal";
    snprintf(t->sentence, sizeof t->sentence,
             "journal.jsonl has lost lines: it says nothing of stages that members have ended");
    snprintf(t->mend, sizeof t->mend, "sluice %s%s finds them, and repeats none",
             sl_executor_of(st->campaign)->verb, where);
    return lost > 0;
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
    n += find_journal(st, &list[n]);
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
