/* settings.c - see settings.h. */
#include "pipeline/campaign/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/config/inputs.h"
#include "core/config/keys.h"
#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/campaign/executor.h"
#include "pipeline/campaign/input_files.h"
#include "pipeline/campaign/journal.h"
#include "pipeline/campaign/seal.h"
#include "pipeline/campaign/state.h"

enum { FILE_MAX = 1 << 20, JOURNAL_MAX = 1 << 26, VALUE_MAX = 2 * SL_TEXT_MAX + 1100 };
static const char head[] = "# sluice settings 2";

bool sl_settings_may(const struct sl_key *key)
{
    return sl_key_is_means(key);
}

/* ---- the file -------------------------------------------------------------------------------- */

static int settings_path(char path[SL_PATH_MAX], const char *dir)
{
    return sl_disk_join(path, "%s/slots/settings", dir);
}

void sl_settings_release(struct sl_settings *s)
{
    for (int i = 0; i < s->n; i++)
        free(s->word[i]);
    s->n = 0;
}

/* Adds "key=value" in place of an older value of the key. */
static int put(struct sl_settings *s, const char *word)
{
    size_t name = strcspn(word, "=") + 1;
    int at = 0;
    while (at < s->n && strncmp(s->word[at], word, name) != 0)
        at++;
    SL_CHECK(at < SL_SETTINGS_MAX, SL_EUSAGE, "more than %d keys are set", SL_SETTINGS_MAX);
    char *copy = strdup(word);
    SL_CHECK(copy, SL_EMEM, "no memory for the settings");
    if (at == s->n)
        s->n++;
    else
        free(s->word[at]);
    s->word[at] = copy;
    return SL_OK;
}

static int fold_set(const struct sl_fact *f, void *user)
{
    int *n = user;
    if (f->what == SL_FACT_created) *n = 0; /* in place of another recipe */
    *n += f->what == SL_FACT_set;
    return SL_OK;
}

/* A file that is gone is told by the journal, which is read whole only where it has such a line;
 * once, as a verb opens a campaign more than once. */
static void tell_lost(const char *dir, const char *path)
{
    static const char line[] = "\"what\":\"set\"";
    char journal[SL_PATH_MAX], *text;
    int64_t offset = 0;
    size_t size;
    int n = 0;
    static bool told;
    if (told || sl_disk_join(journal, "%s/journal.jsonl", dir) != SL_OK ||
        sl_file_read(journal, JOURNAL_MAX, &text, &size) != SL_OK)
        return;
    bool any = memmem(text, size, line, sizeof line - 1);
    free(text);
    told = any && sl_journal_read(dir, &offset, fold_set, &n, NULL) == SL_OK && n > 0;
    if (told)
        sl_log(SL_LOG_WARN,
               "%s is missing: put it back from a copy of the campaign, or repeat what "
               "`grep '\"what\":\"set\"' journal.jsonl` there lists with `sluice set`",
               path);
}

int sl_settings_read(const char *dir, struct sl_settings *s)
{
    char path[SL_PATH_MAX], *text;
    s->n = 0;
    SL_TRY(settings_path(path, dir));
    if (!sl_disk_exists(path)) {
        tell_lost(dir, path);
        return SL_OK;
    }
    int code = sl_seal_read(path, FILE_MAX, head, '=', &text);
    if (code == SL_EINPUT)
        return SL_FAIL(code,
                       "%s; put it back from a copy of the campaign, or delete it and repeat what "
                       "`grep '\"what\":\"set\"' journal.jsonl` there lists with `sluice set`",
                       sl_error_text());
    SL_TRY(code);
    char *save = text;
    for (char *line; code == SL_OK && (line = strsep(&save, "\n"));)
        if (*line) code = put(s, line);
    free(text);
    if (code != SL_OK) sl_settings_release(s);
    return code;
}

static int write_settings(const char *dir, const struct sl_settings *s)
{
    char path[SL_PATH_MAX], *text = NULL;
    size_t size;
    SL_TRY(settings_path(path, dir));
    FILE *f = open_memstream(&text, &size);
    SL_CHECK(f, SL_EMEM, "no memory for the settings");
    for (int i = 0; i < s->n; i++)
        fprintf(f, "%s\n", s->word[i]);
    int code = fclose(f) == 0 ? SL_OK : SL_FAIL(SL_EMEM, "no memory for the settings");
    if (code == SL_OK) code = sl_seal_write(path, head, text);
    free(text);
    return code;
}

int sl_settings_open(const char *dir, const char *path, struct sl_recipe **recipe)
{
    struct sl_settings s;
    struct sl_recipe *given = NULL;
    *recipe = NULL;
    SL_TRY(sl_settings_read(dir, &s));
    int code = sl_recipe_open(path, s.word, s.n, recipe);
    if (code == SL_OK && s.n > 0) code = sl_recipe_open(path, NULL, 0, &given);
    if (given) {
        sl_recipe_set_hash(*recipe, sl_recipe_hash(given));
    } else if (code != SL_OK) {
        sl_recipe_close(*recipe);
        *recipe = NULL;
    }
    sl_recipe_close(given);
    sl_settings_release(&s);
    return code;
}

/* ---- what a member began with ---------------------------------------------------------------- */

/* Keys that a size of blocks hangs on which nobody gave. */
static bool is_of_block(const char *word)
{
    return strncmp(word, "resources.ranks=", 16) == 0 ||
           strncmp(word, "resources.sim.ranks=", 20) == 0;
}

struct past {
    const char *member;
    bool begun;
    struct sl_settings s; /* when it began */
};

static int fold_past(const struct sl_fact *f, void *user)
{
    struct past *p = user;
    if (p->begun) return SL_OK;
    if (f->what == SL_FACT_created) sl_settings_release(&p->s); /* in place of another recipe */
    if (f->what == SL_FACT_set && is_of_block(f->text)) SL_TRY(put(&p->s, f->text));
    p->begun = f->what == SL_FACT_start && strcmp(f->member, p->member) == 0;
    return SL_OK;
}

static bool sets_block(const char *dir)
{
    struct sl_settings s;
    bool any = false;
    if (sl_settings_read(dir, &s) != SL_OK) return true;
    for (int i = 0; i < s.n; i++)
        any = any || is_of_block(s.word[i]);
    sl_settings_release(&s);
    return any;
}

/* The block of member `index` of the recipe with the words. */
static int take_block(const char *path, struct sl_settings *s, int64_t index, struct sl_config *cfg)
{
    struct sl_recipe *recipe;
    struct sl_config was;
    SL_TRY(sl_recipe_open(path, s->word, s->n, &recipe));
    int code = sl_recipe_member(recipe, index, &was);
    sl_recipe_close(recipe);
    if (code == SL_OK) memcpy(cfg->mesh_block, was.mesh_block, sizeof cfg->mesh_block);
    return code;
}

int sl_settings_keep_block(const struct sl_campaign *c, int member, struct sl_config *cfg)
{
    const struct sl_member *m = &c->member[member];
    struct past p = {.member = m->id};
    char path[SL_PATH_MAX];
    int64_t offset = 0;
    if (!sets_block(c->dir)) return SL_OK;
    SL_TRY(sl_campaign_recipe_of(c, m->generation, path));
    int code = sl_journal_read(c->dir, &offset, fold_past, &p, NULL);
    if (code == SL_OK && p.begun) code = take_block(path, &p.s, m->index, cfg);
    sl_settings_release(&p.s);
    return code;
}

/* ---- a change -------------------------------------------------------------------------------- */

/* The key of "key=value"; refused when it is unknown or may not change. */
static int settable(const char *word, int *key)
{
    char path[160];
    size_t n = strcspn(word, "=");
    SL_CHECK(word[n] && n > 0 && n < sizeof path, SL_EUSAGE, "'%s': write key=value",
             sl_quote(word).text);
    snprintf(path, sizeof path, "%.*s", (int)n, word);
    *key = sl_key_find(path);
    if (*key < 0) {
        const char *near = sl_key_nearest(path);
        return SL_FAIL(SL_EUSAGE, "unknown key '%s'%s%s%s", sl_quote(path).text,
                       near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    SL_CHECK(sl_settings_may(&sl_keys[*key]), SL_EGUARD,
             "%s may not change once a member has begun: the results depend on it, so that would "
             "be another campaign (--dir); `sluice set` takes resources.*, slurm.*, notify.*, "
             "stages.* and "
             "what output.* says of checkpoints and formats",
             path);
    return SL_OK;
}

/* Value of a key as text, which must be the same for all members of the recipe. */
static int common_value(struct sl_recipe *recipe, int key, char value[VALUE_MAX])
{
    for (int64_t i = 0; i < sl_recipe_count(recipe); i++) {
        struct sl_config cfg;
        char own[VALUE_MAX];
        SL_TRY(sl_recipe_member(recipe, i, &cfg));
        sl_key_print(&sl_keys[key], &cfg, i ? own : value, VALUE_MAX);
        SL_CHECK(i == 0 || strcmp(own, value) == 0, SL_EGUARD,
                 "%s would be %s in one member and %s in another: `sluice set` gives all the same "
                 "value",
                 sl_keys[key].path, value, own);
    }
    return SL_OK;
}

/* Checks the words against one recipe of the campaign and adds them, resolved, to s. */
static int resolve(const char *path, struct sl_settings *s, char *const *words, int n)
{
    struct sl_recipe *old, *recipe;
    int code = SL_OK, key[SL_SETTINGS_MAX];
    SL_CHECK(n <= SL_SETTINGS_MAX, SL_EUSAGE, "at most %d keys at once", SL_SETTINGS_MAX);
    SL_TRY(sl_recipe_open(path, s->word, s->n, &old));
    for (int i = 0; code == SL_OK && i < n; i++) {
        code = settable(words[i], &key[i]);
        if (code == SL_OK && sl_recipe_sweeps(old, key[i]))
            code = SL_FAIL(SL_EGUARD, "%s is swept: its values tell the members apart",
                           sl_keys[key[i]].path);
    }
    sl_recipe_close(old);
    for (int i = 0; code == SL_OK && i < n; i++)
        code = put(s, words[i]);
    if (code == SL_OK) code = sl_recipe_open(path, s->word, s->n, &recipe);
    SL_TRY(code);
    for (int i = 0; code == SL_OK && i < n; i++) {
        char value[VALUE_MAX], word[VALUE_MAX + 160];
        code = common_value(recipe, key[i], value);
        snprintf(word, sizeof word, "%s=%s", sl_keys[key[i]].path, value);
        if (code == SL_OK) code = put(s, word);
    }
    sl_recipe_close(recipe);
    return code;
}

static int check_idle(const struct sl_campaign *c)
{
    const struct sl_executor *who;
    struct sl_claim_look look;
    int n = 0;
    SL_TRY(sl_executor_at_work(c, &who, &look));
    SL_CHECK(!who, SL_EAGAIN, "%s is at work: stop it (`sluice cancel`), set, and go on", c->name);
    SL_TRY(sl_executor_of(c)->queued(c, &n));
    SL_CHECK(n == 0, SL_EAGAIN,
             "%d tasks of %s are in the queue with the old settings: `sluice cancel`, set, and "
             "`sluice submit`",
             n, c->name);
    return SL_OK;
}

/* The settings that a member takes: one that is done only commands, which a person may ask it for
 * again. */
static int choose(const struct sl_settings *s, bool done, char **word)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        if (!done || strncmp(s->word[i], "stages.", 7) == 0) word[n++] = s->word[i];
    return n;
}

/* Brings the run.yaml of a member up to date: written anew while its run has not begun; later only
 * the keys change. */
static int update_member(const struct sl_campaign *c, const struct sl_campaign_state *st,
                         int member, const struct sl_settings *s)
{
    char path[SL_PATH_MAX], *text, *word[SL_SETTINGS_MAX];
    struct sl_config cfg;
    bool done = sl_campaign_state_next(st, member) < 0;
    int n = choose(s, done, word);
    SL_TRY(sl_campaign_run_path(path, c, member));
    if (!sl_disk_exists(path) || (done && n == 0)) return SL_OK;
    bool begun = done || st->member[member].stage[SL_STAGE_sim].attempts > 0;
    if (begun)
        SL_TRY(sl_config_read(path, word, n, &cfg));
    else
        SL_TRY(sl_campaign_config_new(c, member, &cfg));
    SL_TRY(sl_input_files_resolve(c->dir, &cfg));
    SL_TRY(sl_config_print(&cfg, &text));
    int code = sl_file_replace(path, text, strlen(text), SL_DURABLE);
    free(text);
    return code;
}

static int update_members(const struct sl_campaign *c, const struct sl_settings *s)
{
    struct sl_campaign_state st;
    int code = sl_campaign_state_open(c, &st);
    for (int i = 0; code == SL_OK && i < c->n; i++)
        code = update_member(c, &st, i, s);
    sl_campaign_state_release(&st);
    return code;
}

static int journal_words(const char *dir, char *const *words, int n)
{
    for (int i = 0; i < n; i++) {
        struct sl_fact fact;
        sl_fact_init(&fact, SL_FACT_set, "", "");
        snprintf(fact.text, sizeof fact.text, "%s", words[i]);
        SL_TRY(sl_journal_add(dir, &fact));
    }
    return SL_OK;
}

/* Copies the files that new commands name, as they are now; looks for a new notify.program. */
static int renew(const struct sl_campaign *c, const char *path, const struct sl_settings *s,
                 char *const *words, int n)
{
    struct sl_recipe *recipe;
    int code = SL_OK, key;
    SL_TRY(sl_recipe_open(path, s->word, s->n, &recipe));
    for (int i = 0; code == SL_OK && i < n; i++) {
        code = settable(words[i], &key);
        if (code == SL_OK && sl_key_is_command(&sl_keys[key]))
            code = sl_input_files_renew(c->dir, recipe, key);
        if (code == SL_OK && key == SL_KEY_notify_program) code = sl_input_files_notify(recipe);
    }
    sl_recipe_close(recipe);
    return code;
}

static int change(struct sl_campaign *c, struct sl_settings *s, char *const *words, int n)
{
    char path[SL_PATH_MAX], dir[SL_PATH_MAX];
    for (int g = 1; g <= c->generations; g++) {
        SL_TRY(sl_campaign_recipe_of(c, g, path));
        SL_TRY(resolve(path, s, words, n));
        SL_TRY(renew(c, path, s, words, n));
    }
    SL_TRY(write_settings(c->dir, s));
    SL_TRY(journal_words(c->dir, words, n));
    memcpy(dir, c->dir, sizeof dir);
    sl_campaign_release(c); /* its table knows ranks and retries */
    SL_TRY(sl_campaign_open(dir, c));
    return update_members(c, s);
}

int sl_settings_change(struct sl_campaign *c, char *const *words, int n)
{
    struct sl_settings s;
    SL_TRY(check_idle(c));
    SL_TRY(sl_campaign_check_recipes(c));
    SL_TRY(sl_settings_read(c->dir, &s));
    int code = change(c, &s, words, n);
    sl_settings_release(&s);
    return code;
}

/* ---- from another recipe --------------------------------------------------------------------- */

/* Does this key tell members apart? A size of blocks that nobody gave follows from the ranks. */
static bool distinguishes(int key, struct sl_recipe *a, struct sl_recipe *b)
{
    if (strncmp(sl_keys[key].path, "run.", 4) == 0 || sl_settings_may(&sl_keys[key])) return false;
    return key != SL_KEY_mesh_block || sl_recipe_inputs(a)->row[key].node ||
           sl_recipe_inputs(b)->row[key].node;
}

static bool equal(int key, const struct sl_config *a, const struct sl_config *b)
{
    char x[VALUE_MAX], y[VALUE_MAX];
    sl_key_print(&sl_keys[key], a, x, sizeof x);
    sl_key_print(&sl_keys[key], b, y, sizeof y);
    return strcmp(x, y) == 0;
}

/* Has the key one value for all members? The first and the last differ where it hangs on what is
 * swept. */
static int shared(int key, struct sl_recipe *recipe, bool *is)
{
    struct sl_config first, last;
    *is = !sl_recipe_sweeps(recipe, key);
    if (!*is) return SL_OK;
    SL_TRY(sl_recipe_member(recipe, 0, &first));
    SL_TRY(sl_recipe_member(recipe, sl_recipe_count(recipe) - 1, &last));
    *is = equal(key, &first, &last);
    return SL_OK;
}

/* Names a key in which members differ, with its values, if a person wrote it for all members; else
 * leaves it to others. */
static int name_other(int key, struct sl_recipe *old, struct sl_recipe *recipe,
                      const struct sl_config *was, const struct sl_config *is, char *other)
{
    char a[VALUE_MAX], b[VALUE_MAX];
    bool one, all;
    if (*other ||
        (!sl_recipe_inputs(old)->row[key].node && !sl_recipe_inputs(recipe)->row[key].node))
        return SL_OK;
    SL_TRY(shared(key, old, &one));
    SL_TRY(shared(key, recipe, &all));
    if (!one || !all) return SL_OK;
    sl_key_print(&sl_keys[key], was, a, sizeof a);
    sl_key_print(&sl_keys[key], is, b, sizeof b);
    snprintf(other, SL_OTHER_MAX, "%s is %.120s here and %.120s there, and may not change",
             sl_keys[key].path, *b ? b : "empty", *a ? a : "empty");
    return SL_OK;
}

/* Are the members the same, but for keys that may change? Marks those that do. If not, names a key
 * of the first that is another. */
static int compare(struct sl_recipe *old, struct sl_recipe *recipe, bool *same, bool *differs,
                   char *other)
{
    *same = sl_recipe_count(old) == sl_recipe_count(recipe);
    for (int64_t i = 0; i == 0 || (*same && i < sl_recipe_count(old)); i++) {
        struct sl_config a, b;
        SL_TRY(sl_recipe_member(old, i, &a));
        SL_TRY(sl_recipe_member(recipe, i, &b));
        for (int k = 0; k < SL_KEY_COUNT; k++) {
            if (distinguishes(k, old, recipe) && !equal(k, &a, &b)) {
                *same = false;
                SL_TRY(name_other(k, old, recipe, &a, &b, other));
            } else if (sl_settings_may(&sl_keys[k]) && !equal(k, &a, &b))
                differs[k] = true;
        }
    }
    return SL_OK;
}

/* Its value as text; files of a command are beside that recipe, not where `sluice set` would look
 * for them. */
static int value_of(struct sl_recipe *recipe, int key, char value[VALUE_MAX])
{
    struct sl_config cfg;
    SL_TRY(common_value(recipe, key, value));
    if (!sl_key_is_command(&sl_keys[key])) return SL_OK;
    SL_TRY(sl_recipe_member(recipe, 0, &cfg));
    SL_TRY(sl_input_files_absolute(recipe, key, (char *)&cfg + sl_keys[key].at));
    sl_key_print(&sl_keys[key], &cfg, value, VALUE_MAX);
    return SL_OK;
}

static int change_to(struct sl_campaign *c, struct sl_recipe *recipe, const bool *differs)
{
    struct sl_settings s = {.n = 0};
    int code = SL_OK;
    for (int k = 0; code == SL_OK && k < SL_KEY_COUNT; k++) {
        char value[VALUE_MAX], word[VALUE_MAX + 160];
        if (!differs[k]) continue;
        code = value_of(recipe, k, value);
        snprintf(word, sizeof word, "%s=%s", sl_keys[k].path, value);
        if (code == SL_OK) code = put(&s, word);
        if (code == SL_OK) sl_log(SL_LOG_NOTE, "%s from now on", word);
    }
    if (code == SL_OK && s.n > 0) code = sl_settings_change(c, s.word, s.n);
    sl_settings_release(&s);
    return code;
}

int sl_settings_adopt(struct sl_campaign *c, struct sl_recipe *recipe, bool *same,
                      char other[SL_OTHER_MAX])
{
    *same = false;
    *other = '\0';
    for (int g = c->generations; g >= 1 && !*same; g--) {
        char path[SL_PATH_MAX];
        bool differs[SL_KEY_COUNT] = {false};
        struct sl_recipe *old;
        SL_TRY(sl_campaign_recipe_of(c, g, path));
        SL_TRY(sl_recipe_open(path, NULL, 0, &old));
        int code = compare(old, recipe, same, differs, other);
        sl_recipe_close(old);
        if (code == SL_OK && *same) code = change_to(c, recipe, differs);
        SL_TRY(code);
    }
    return SL_OK;
}
