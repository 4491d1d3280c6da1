/* site.c - see site.h. */
#include "pipeline/launch/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sys/status.h"
#include "core/sys/yaml.h"

struct row {
    const char *key, *text, *about, *choices; /* choices: NULL where any text goes */
    long long least, most;
    size_t at;
    bool number;
};

static const struct row rows[] = {
#define INT_ROW(member, text, least, most, about)                                                  \
    {#member, #text, about, NULL, least, most, offsetof(struct sl_site, member), true},
#define TEXT_ROW(member, text, about)                                                              \
    {#member, text, about, NULL, 0, 0, offsetof(struct sl_site, member), false},
#define WORD_ROW(member, text, choices, about)                                                     \
    {#member, text, about, choices, 0, 0, offsetof(struct sl_site, member), false},
    SL_SITE_LIST(INT_ROW, TEXT_ROW, WORD_ROW)
#undef INT_ROW
#undef TEXT_ROW
#undef WORD_ROW
};
enum { ROWS = sizeof rows / sizeof *rows };

static bool is_choice(const char *choices, const char *text)
{
    size_t n = strlen(text);
    for (const char *c = choices; *c; c += strspn(c, " ")) {
        size_t word = strcspn(c, " ");
        if (n == word && strncmp(c, text, n) == 0) return true;
        c += word;
    }
    return false;
}

static int set(struct sl_site *site, const struct row *row, const char *text)
{
    char *at = (char *)site + row->at, *end;
    if (!row->number) {
        SL_CHECK(strlen(text) < SL_SITE_TEXT && !strpbrk(text, "\n\r"), SL_EINPUT,
                 "%s: a text of one line and below %d bytes is wanted", row->key, SL_SITE_TEXT);
        SL_CHECK(!row->choices || is_choice(row->choices, text), SL_EINPUT,
                 "%s: '%s' is none of %s", row->key, sl_quote(text).text, row->choices);
        snprintf(at, SL_SITE_TEXT, "%s", text);
        return SL_OK;
    }
    long long value = strtoll(text, &end, 10);
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        value = *text == 't';
        end = "";
    }
    SL_CHECK(*text && *end == '\0' && value >= row->least && value <= row->most, SL_EINPUT,
             "%s: a whole number from %lld to %lld is wanted", row->key, row->least, row->most);
    memcpy(at, &value, sizeof value);
    return SL_OK;
}

void sl_site_default(struct sl_site *site)
{
    memset(site, 0, sizeof *site);
    for (int i = 0; i < ROWS; i++)
        if (set(site, &rows[i], rows[i].text) != SL_OK) SL_BUG("default of site.%s", rows[i].key);
}

/* ---- the file -------------------------------------------------------------------------------- */

int sl_site_path(char path[SL_PATH_MAX])
{
    const char *file = getenv("SLUICE_SITE"), *config = getenv("XDG_CONFIG_HOME");
    if (file && *file) return sl_disk_join(path, "%s", file);
    if (config && *config == '/') return sl_disk_join(path, "%s/sluice/site.yaml", config);
    const char *home = getenv("HOME");
    SL_CHECK(home && *home, SL_EUSAGE, "neither SLUICE_SITE nor XDG_CONFIG_HOME nor HOME is set");
    return sl_disk_join(path, "%s/.config/sluice/site.yaml", home);
}

/* Modules of the file are loaded in every job: who may write it may run programs in them. */
static int check_owner(const char *path)
{
    struct stat st;
    SL_CHECK(stat(path, &st) == 0, SL_EIO, "cannot look at %s", path);
    SL_CHECK((st.st_uid == geteuid() || st.st_uid == 0) && !(st.st_mode & (S_IWGRP | S_IWOTH)),
             SL_EGUARD, "%s must belong to you and be writable by nobody else (chmod go-w)", path);
    return SL_OK;
}

static int read_row(struct sl_site *site, const struct sl_node *n)
{
    struct sl_nearest near = {.word = n->name};
    SL_CHECK(n->kind == SL_NODE_SCALAR, SL_EINPUT, "%s:%d: %s takes one value", n->at.file,
             n->at.line, n->name);
    for (int i = 0; i < ROWS; i++) {
        sl_nearest_try(&near, rows[i].key);
        if (strcmp(rows[i].key, n->name) != 0) continue;
        int code = set(site, &rows[i], n->text);
        if (code == SL_OK) return SL_OK;
        char text[512];
        snprintf(text, sizeof text, "%s", sl_error_text());
        return SL_FAIL_AT(n->at, "%s", text);
    }
    return SL_FAIL_AT(n->name_at, "unknown key '%s'%s%s", sl_quote(n->name).text,
                      near.best ? "; did you mean " : "", near.best ? near.best : "");
}

int sl_site_read(struct sl_site *site, bool *found)
{
    char path[SL_PATH_MAX];
    struct sl_yaml *doc;
    sl_site_default(site);
    if (found) *found = false;
    SL_TRY(sl_site_path(path));
    if (!sl_disk_exists(path)) return SL_OK;
    SL_TRY(check_owner(path));
    SL_TRY(sl_yaml_read(path, &doc));
    int code = !doc->root || doc->root->kind == SL_NODE_MAP
                   ? SL_OK
                   : SL_FAIL(SL_EINPUT, "%s: lines \"key: value\" are wanted", path);
    for (const struct sl_node *n = doc->root ? doc->root->first : NULL; n && code == SL_OK;
         n = n->next)
        code = read_row(site, n);
    sl_yaml_free(doc);
    if (code == SL_OK && found) *found = true;
    return code;
}

void sl_site_each(const struct sl_site *site,
                  void (*each)(const char *key, const char *text, bool number, void *user),
                  void *user)
{
    for (int i = 0; i < ROWS; i++) {
        const char *at = (const char *)site + rows[i].at;
        char number[32];
        long long value = 0;
        if (rows[i].number) memcpy(&value, at, sizeof value);
        snprintf(number, sizeof number, "%lld", value);
        each(rows[i].key, rows[i].number ? number : at, rows[i].number, user);
    }
}

struct printer {
    struct sl_buffer *to;
    int row;
};

static void print_row(const char *key, const char *text, bool number, void *user)
{
    struct printer *p = user;
    sl_buffer_add(p->to, "%s: ", key);
    if (!number) sl_buffer_add(p->to, "\"");
    for (const char *c = text; *c; c++)
        sl_buffer_add(p->to, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    const struct row *row = &rows[p->row++];
    sl_buffer_add(p->to, "%s  # %s", number ? "" : "\"", row->about);
    if (row->choices) sl_buffer_add(p->to, ": %s", row->choices);
    sl_buffer_add(p->to, "\n");
}

void sl_site_print(const struct sl_site *site, struct sl_buffer *text)
{
    struct printer p = {.to = text};
    sl_buffer_add(text, "# What this cluster is like, for sluice; `sluice site` wrote it.\n");
    sl_site_each(site, print_row, &p);
}
