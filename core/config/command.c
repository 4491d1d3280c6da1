/* command.c - see command.h. */
#include "core/config/command.h"

#include <stdio.h>
#include <string.h>

#include "core/sys/status.h"
#include "core/sys/text.h"

#define NAME_OF(name, about) #name,
static const char *const places[] = {SL_COMMAND_LIST(NAME_OF)};
#undef NAME_OF

static const char blanks[] = " \t";

/* Copies one word to *to and moves *from behind it. */
static int take_word(const char **from, char **to)
{
    const char *at = *from;
    while (*at && !strchr(blanks, *at)) {
        char quote = *at == '"' || *at == '\'' ? *at : '\0';
        size_t n = quote ? strcspn(at + 1, (char[]){quote, '\0'}) : 1;
        SL_CHECK(!quote || at[1 + n] == quote, SL_EINPUT, "a %c has no end", quote);
        memcpy(*to, quote ? at + 1 : at, n);
        *to += n;
        at += quote ? n + 2 : n;
    }
    *(*to)++ = '\0';
    *from = at;
    return SL_OK;
}

int sl_command_split(const char *text, struct sl_command *c)
{
    char *to = c->text;
    c->n = 0;
    SL_CHECK(strlen(text) < SL_TEXT_MAX, SL_EINPUT, "more than %d bytes", SL_TEXT_MAX - 1);
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        SL_CHECK(c->n < SL_COMMAND_WORDS, SL_EINPUT, "more than %d words", SL_COMMAND_WORDS);
        c->word[c->n++] = to;
        SL_TRY(take_word(&text, &to));
    }
    return SL_OK;
}

int sl_command_join(const char *const *word, int n, char text[SL_TEXT_MAX])
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        bool plain = *word[i] && !word[i][strcspn(word[i], " \t\"'")];
        const char *quote = plain ? "" : strchr(word[i], '\'') ? "\"" : "'";
        SL_CHECK(*quote != '"' || !strchr(word[i], '"'), SL_EINPUT,
                 "%s has both kinds of quotation marks", sl_quote(word[i]).text);
        used += (size_t)snprintf(text + used, SL_TEXT_MAX - used, "%s%s%s%s", i ? " " : "", quote,
                                 word[i], quote);
        SL_CHECK(used < SL_TEXT_MAX, SL_EINPUT,
                 "with the paths of its files it has more than %d bytes", SL_TEXT_MAX - 1);
    }
    return SL_OK;
}

/* The place that begins here, e.g. "{member}"; -1: none does. */
static int place_at(const char *at, size_t *length)
{
    for (int k = 0; k < SL_COMMAND_KINDS; k++) {
        size_t n = strlen(places[k]);
        *length = n + 2;
        if (strncmp(at + 1, places[k], n) == 0 && at[1 + n] == '}') return k;
    }
    return -1;
}

/* A name in braces; a word may hold other braces, such as those of a pattern. */
static size_t braces(const char *at)
{
    size_t n = *at == '{' ? strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_") : 0;
    return n > 0 && at[1 + n] == '}' ? n + 2 : 0;
}

static int check_word(const char *word, enum sl_command_kind kind, bool *itself)
{
    for (const char *at = word; *at; at++) {
        size_t n, length = braces(at);
        if (!length) continue;
        int place = place_at(at, &n);
        struct sl_nearest near = {.word = places[kind]};
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)length - 2, at + 1);
        near.word = name;
        for (int k = (int)kind; k < SL_COMMAND_KINDS; k++)
            sl_nearest_try(&near, places[k]);
        SL_CHECK(place >= (int)kind, SL_EINPUT,
                 "a command for each %s knows no {%s}; nearest: {%s}", places[kind], name,
                 near.best ? near.best : places[kind]);
        *itself |= place == (int)kind;
    }
    return SL_OK;
}

int sl_command_check(const char *text, enum sl_command_kind kind)
{
    struct sl_command c;
    bool itself = false;
    char again[SL_TEXT_MAX]; /* as run.yaml will have it */
    SL_TRY(sl_command_split(text, &c));
    SL_TRY(sl_command_join((const char *const *)c.word, c.n, again));
    SL_CHECK(c.n == 0 || *c.word[0], SL_EINPUT, "the name of its program is empty");
    for (int i = 0; i < c.n; i++)
        SL_TRY(check_word(c.word[i], kind, &itself));
    SL_CHECK(c.n == 0 || itself || kind != SL_COMMAND_snapshot, SL_EINPUT,
             "it is run for each snapshot, and names none; nearest: %.300s {snapshot}", text);
    return SL_OK;
}

int sl_command_fill(const char *word, const char *const path[SL_COMMAND_KINDS], char *out, int size)
{
    int used = 0;
    for (const char *at = word; *at && used < size;) {
        size_t n = 1;
        int place = *at == '{' ? place_at(at, &n) : -1;
        if (place >= 0 && path[place]) {
            used += snprintf(out + used, (size_t)(size - used), "%s", path[place]);
        } else {
            n = 1;
            out[used++] = *at;
        }
        at += n;
    }
    SL_CHECK(used < size, SL_EINPUT, "%s is too long", sl_quote(word).text);
    out[used] = '\0';
    return SL_OK;
}

void sl_command_quote(const char *text, char *out, int size)
{
    int used = snprintf(out, (size_t)size, "'");
    for (; *text && used < size; text++)
        used += *text == '\'' ? snprintf(out + used, (size_t)(size - used), "'\\''")
                              : snprintf(out + used, (size_t)(size - used), "%c", *text);
    if (used < size) snprintf(out + used, (size_t)(size - used), "'");
}

bool sl_command_has_place(const char *word)
{
    size_t n;
    for (const char *at = strchr(word, '{'); at; at = strchr(at + 1, '{'))
        if (place_at(at, &n) >= 0) return true;
    return false;
}
