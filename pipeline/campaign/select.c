/* select.c - see select.h. */
#include "pipeline/campaign/select.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/campaign/advice.h"
#include "pipeline/campaign/nearest.h"
#include "pipeline/campaign/settings.h"

static int open_named(char **words, int n, struct sl_campaign *campaign, int *used)
{
    *used = n > 0 && (sl_campaign_is(words[0]) || strchr(words[0], '/'));
    if (*used) return sl_campaign_open(words[0], campaign);
    if (sl_campaign_is(".")) return sl_campaign_open(".", campaign);
    if (n == 0)
        return SL_FAIL(SL_EUSAGE, "no campaign was named and the working directory is none");
    char near[SL_NEAREST_MAX];
    sl_nearest_campaign(words[0], near);
    return SL_FAIL(SL_EUSAGE, "%s is not a campaign, and neither is the working directory%s",
                   sl_quote(words[0]).text, near);
}

int sl_select_campaign(char **words, int n, struct sl_campaign *campaign, int *used)
{
    SL_TRY(open_named(words, n, campaign, used));
    sl_campaign_log_edited(campaign);
    return SL_OK;
}

bool sl_select_is_recipe(char **words, int n)
{
    return n > 0 && !sl_campaign_is(words[0]);
}

static void warn(const char *text, void *user)
{
    (void)user;
    sl_log(SL_LOG_WARN, "%s", text);
}

static int advise(struct sl_recipe *recipe)
{
    struct sl_config first;
    SL_TRY(sl_recipe_member(recipe, 0, &first));
    sl_advice_keys(recipe, &first, warn, NULL);
    sl_advice_tables(recipe, &first, false, warn, NULL);
    return sl_advice_ensemble(recipe, &first, warn, NULL);
}

static int make(const struct sl_making *how, char **words, int n, struct sl_campaign *campaign)
{
    struct sl_recipe *recipe;
    SL_TRY(sl_nearest_recipe(words[0], sl_recipe_open(words[0], words + 1, n - 1, &recipe)));
    int code = sl_recipe_confirm(recipe, how->many ? sl_recipe_count(recipe) : SL_MEMBERS_ASK);
    if (code == SL_OK) code = sl_recipe_check(recipe);
    if (code == SL_OK) code = advise(recipe);
    sl_campaign_fits *fits = sl_executor_first(how->verb)->fits;
    if (code == SL_OK) code = sl_campaign_make(recipe, how->dir, fits, how->order, campaign);
    if (code == SL_OK) sl_campaign_log_edited(campaign);
    sl_recipe_close(recipe);
    return code;
}

int sl_select_make(const struct sl_making *how, char **words, int n, struct sl_campaign *campaign)
{
    int used;
    if (sl_select_is_recipe(words, n)) return make(how, words, n, campaign);
    SL_TRY(sl_select_campaign(words, n, campaign, &used));
    if (n <= used) return SL_OK;
    int code = sl_settings_change(campaign, words + used, n - used);
    if (code != SL_OK) sl_campaign_release(campaign);
    return code;
}

static bool label_has(const char *label, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = label; (p = strstr(p, word)); p++)
        if ((p == label || p[-1] == ' ') && (p[n] == '\0' || p[n] == ' ')) return true;
    return false;
}

/* "3", "0003", "3-9", "3..9" as rows. */
static bool parse_rows(const char *word, long *first, long *last)
{
    char *end;
    if (!isdigit((unsigned char)*word)) return false;
    *first = *last = strtol(word, &end, 10);
    if (*end == '-')
        end++;
    else if (strncmp(end, "..", 2) == 0)
        end += 2;
    else
        return *end == '\0';
    if (!isdigit((unsigned char)*end)) return false;
    *last = strtol(end, &end, 10);
    return *end == '\0';
}

static int state_of(const char *word)
{
    for (int k = 0; k < SL_WORK_COUNT; k++)
        if (strcmp(word, sl_campaign_state_name((enum sl_work_state)k)) == 0) return k;
    return -1;
}

static const char *nearest_state(const char *word)
{
    struct sl_nearest near = {.word = word};
    for (int k = 0; k < SL_WORK_COUNT; k++)
        sl_nearest_try(&near, sl_campaign_state_name((enum sl_work_state)k));
    return near.best;
}

static int select_word(const struct sl_campaign_state *st, const char *word, bool *picked)
{
    long first, last;
    int kind = state_of(word), found = kind >= 0 || strcmp(word, "all") == 0;
    bool rows = parse_rows(word, &first, &last);
    for (int i = 0; i < st->n; i++) {
        const struct sl_member *m = &st->campaign->member[i];
        bool hit = rows        ? i >= first && i <= last
                   : kind >= 0 ? (int)sl_campaign_state_member(st, i) == kind
                               : strcmp(word, "all") == 0 || label_has(m->label, word);
        picked[i] = picked[i] || hit;
        found = found || hit;
    }
    const char *near = found ? NULL : nearest_state(word);
    SL_CHECK(found, SL_EUSAGE, "no member of %s is meant by '%s'%s%s%s", st->campaign->name,
             sl_quote(word).text, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return SL_OK;
}

/* Marks the members that any of the words means. */
static int select_members(const struct sl_campaign_state *state, char **words, int n, bool *picked)
{
    for (int i = 0; i < n; i++)
        SL_TRY(select_word(state, words[i], picked));
    return SL_OK;
}

int sl_selection_open(char **words, int n, bool all, struct sl_selection *s)
{
    int used, held;
    memset(s, 0, sizeof *s);
    SL_TRY(sl_select_campaign(words, n, &s->campaign, &used));
    s->words = n - used;
    int code = sl_campaign_state_open(&s->campaign, &s->state);
    if (code == SL_OK) code = sl_campaign_state_probe(&s->state, &held);
    s->picked = calloc((size_t)s->campaign.n + 1, sizeof *s->picked);
    if (code == SL_OK && !s->picked) code = SL_FAIL(SL_EMEM, "no memory for a selection");
    if (code == SL_OK) code = select_members(&s->state, words + used, s->words, s->picked);
    for (int i = 0; code == SL_OK && all && s->words == 0 && i < s->campaign.n; i++)
        s->picked[i] = true;
    if (code != SL_OK) sl_selection_close(s);
    return code;
}

void sl_selection_close(struct sl_selection *s)
{
    sl_campaign_state_release(&s->state);
    sl_campaign_release(&s->campaign);
    free(s->picked);
    s->picked = NULL;
}

int sl_select_say(const struct sl_campaign *campaign, char text[SL_PATH_MAX])
{
    char here[SL_PATH_MAX];
    size_t n = getcwd(here, sizeof here) ? strlen(here) : 0;
    *text = '\0';
    if (n && strcmp(here, campaign->dir) == 0) return SL_OK;
    if (n > 1 && strncmp(campaign->dir, here, n) == 0 && campaign->dir[n] == '/')
        return sl_disk_join(text, " %s", campaign->dir + n + 1);
    return sl_disk_join(text, " %s", campaign->dir);
}
