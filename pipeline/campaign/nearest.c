/* nearest.c - see nearest.h. */
#include "pipeline/campaign/nearest.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/sys/status.h"
#include "core/sys/text.h"
#include "pipeline/campaign/campaign.h"

static bool ends_with_yaml(const char *name)
{
    const char *end = strrchr(name, '.');
    return end && (strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0);
}

/* The path in two: the directory with its last slash, "" for the working directory, and the
 * name. */
static bool split(const char *path, char place[SL_PATH_MAX], char name[256])
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    size_t cut = n;
    while (cut > 0 && path[cut - 1] != '/')
        cut--;
    if (n - cut >= 256 || n == cut || cut >= SL_PATH_MAX) return false;
    snprintf(place, SL_PATH_MAX, "%.*s", (int)cut, path);
    snprintf(name, 256, "%.*s", (int)(n - cut), path + cut);
    return true;
}

/* What an entry of a directory may be. */
static bool is_campaign(const char *path)
{
    return sl_campaign_is(path);
}

static bool is_campaign_or_recipe(const char *path)
{
    return sl_campaign_is(path) || ends_with_yaml(path);
}

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Of the entries of a directory the nearest that is what is meant. */
static bool search(const char *place, const char *name, bool (*wanted)(const char *path),
                   char found[256])
{
    char path[SL_PATH_MAX];
    struct sl_nearest near = {.word = name};
    DIR *dir = opendir(*place ? place : ".");
    *found = '\0';
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        struct sl_nearest before = near;
        sl_nearest_try(&near, e->d_name);
        if (near.distance == before.distance && near.best == before.best) continue;
        bool is = sl_disk_join(path, "%s%s", place, e->d_name) == SL_OK && wanted(path);
        if (is) snprintf(found, 256, "%s", e->d_name);
        near = is ? near : before;
        if (is) near.best = found;
    }
    if (dir) closedir(dir);
    return *found != '\0';
}

static void suggest(const char *place, const char *found, char text[SL_NEAREST_MAX])
{
    char path[SL_PATH_MAX];
    if (sl_disk_join(path, "%s%s", place, found) == SL_OK)
        snprintf(text, SL_NEAREST_MAX, "; did you mean %s?", sl_quote(path).text);
}

void sl_nearest_campaign(const char *path, char text[SL_NEAREST_MAX])
{
    char place[SL_PATH_MAX], name[256], found[256];
    *text = '\0';
    if (!split(path, place, name)) return;
    if (ends_with_yaml(name)) *strrchr(name, '.') = '\0';
    if (search(place, name, is_campaign, found)) suggest(place, found, text);
}

/* Passes on the failure to read what is not there, with the nearest that is. */
static int add_nearest(const char *path, bool (*wanted)(const char *path), int code)
{
    char place[SL_PATH_MAX], name[256], found[256], near[SL_NEAREST_MAX] = "", text[4096];
    if (code == SL_OK || sl_disk_exists(path) || !split(path, place, name)) return code;
    if (search(place, name, wanted, found)) suggest(place, found, near);
    snprintf(text, sizeof text, "%.3000s%.1000s", sl_error_text(), near);
    sl_error_set(text);
    return code;
}

int sl_nearest_recipe(const char *path, int code)
{
    return add_nearest(path, is_campaign_or_recipe, code);
}

int sl_nearest_file(const char *path, int code)
{
    return add_nearest(path, is_file, code);
}
