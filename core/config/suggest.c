/* suggest.c - see suggest.h. */
#include "core/config/suggest.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/sys/text.h"

/* ---- words ---- */

/* Letters differ by case as little as a dash from a blank. */
static bool alike(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b) ||
           (!isalnum((unsigned char)a) && !isalnum((unsigned char)b));
}

bool sl_suggest_among(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = words; *p; p += strspn(p, " ")) {
        size_t i = 0, size = strcspn(p, " ");
        while (i < n && i < size && alike(word[i], p[i]))
            i++;
        if (i == n && i == size) return true;
        p += size;
    }
    return false;
}

bool sl_suggest_is_none(const char *word)
{
    return sl_suggest_among("none no off never false nothing null disabled", word);
}

const char *sl_suggest_bool(const char *word)
{
    struct sl_nearest near = {.word = word};
    if (sl_suggest_among("yes on 1 t y .true. enable enabled", word)) return "true";
    if (sl_suggest_among("no off 0 f n .false. disable disabled none never", word)) return "false";
    sl_nearest_try(&near, "true");
    sl_nearest_try(&near, "false");
    return near.best;
}

/* ---- choices ---- */

static bool ends_with(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

static const char *by_other_name(const struct sl_key *key, const char *word)
{
    static const struct {
        const char *key, *choice, *words;
    } rows[] = {
#define ROW(key, choice, words) {key, choice, words},
        SL_SUGGEST_LIST(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (ends_with(key->path, rows[i].key) && sl_suggest_among(rows[i].words, word))
            return rows[i].choice;
    for (const struct sl_choice *c = key->choices; c->name; c++)
        if (strcmp(c->name, "none") == 0 && sl_suggest_is_none(word)) return c->name;
    return NULL;
}

/* Where part stands in whole as one word or several, or as the beginning when `begins`. */
static bool holds(const char *whole, const char *part, bool begins)
{
    size_t n = strlen(part), size = strlen(whole);
    for (size_t at = 0; at + n <= size; at++) {
        size_t i = 0;
        if (at > 0 && (begins || isalnum((unsigned char)whole[at - 1]))) continue;
        while (i < n && alike(whole[at + i], part[i]))
            i++;
        if (i == n && (begins || !isalnum((unsigned char)whole[at + n]))) return true;
    }
    return false;
}

/* The longest choice that the word holds: sedov of "sedov blast". */
static const char *part_of(const struct sl_key *key, const char *word)
{
    const char *best = NULL;
    for (const struct sl_choice *c = key->choices; c->name; c++)
        if (holds(word, c->name, false) && (!best || strlen(c->name) > strlen(best)))
            best = c->name;
    return best;
}

/* The one choice that begins with the word, or, with `begins` false, has it as a part. */
static const char *only_one(const struct sl_key *key, const char *word, bool begins)
{
    const char *best = NULL;
    if (strlen(word) < 3) return NULL;
    for (const struct sl_choice *c = key->choices; c->name; c++) {
        if (!holds(c->name, word, begins)) continue;
        if (best) return NULL;
        best = c->name;
    }
    return best;
}

const char *sl_suggest_choice(const struct sl_key *key, const char *word)
{
    struct sl_nearest near = {.word = word};
    const char *found = by_other_name(key, word);
    if (found) return found;
    for (const struct sl_choice *c = key->choices; c->name; c++)
        sl_nearest_try(&near, c->name);
    found = near.best ? near.best : part_of(key, word);
    if (!found) found = only_one(key, word, true);
    return found ? found : only_one(key, word, false);
}

bool sl_suggestion_add(struct sl_suggestion *m, const char *mark, const char *text, size_t n)
{
    size_t used = strlen(m->text), sep = used ? strlen(mark) : 0;
    if (used + sep + n + 3 > sizeof m->text) return false;
    memcpy(m->text + used, mark, sep);
    memcpy(m->text + used + sep, text, n);
    m->text[used + sep + n] = '\0';
    return true;
}

struct sl_suggestion sl_suggestion_bracket(const struct sl_suggestion *inner, bool good)
{
    struct sl_suggestion m = {""};
    if (good) snprintf(m.text, sizeof m.text, "[%.*s]", SL_SUGGEST_MAX - 3, inner->text);
    return m;
}

static const struct sl_choice *find_choice(const struct sl_key *key, const char *name, size_t n)
{
    const struct sl_choice *c = key->choices;
    while (c->name && (strlen(c->name) != n || strncmp(c->name, name, n) != 0))
        c++;
    return c->name ? c : NULL;
}

struct sl_suggestion sl_suggest_choices(const struct sl_key *key, const char *text)
{
    struct sl_suggestion inner = {""};
    bool flags = key->type == SL_TYPE_FLAGS, all = flags && sl_suggest_among("all", text),
         good = true;
    int n = 0;
    if (flags && (!*text || sl_suggest_is_none(text))) return sl_suggestion_bracket(&inner, true);
    for (const struct sl_choice *c = key->choices; all && good && c->name; c++)
        if (strcmp(c->name, "auto") != 0)
            good = sl_suggestion_add(&inner, ", ", c->name, strlen(c->name));
    for (const char *p = text + strspn(text, " ,;["); !all && good && *p; n++) {
        size_t size = strcspn(p, " ,;]");
        good = find_choice(key, p, size) && sl_suggestion_add(&inner, ", ", p, size);
        p += size;
        p += strspn(p, " ,;]");
    }
    return sl_suggestion_bracket(&inner, good && (all || n > 1));
}
