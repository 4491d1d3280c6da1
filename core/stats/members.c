/* members.c - which members there are and which of them may be averaged: see reduce.h. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/keys.h"
#include "core/measure/table.h"
#include "core/stats/reduce.h"
#include "core/sys/file.h"
#include "core/sys/status.h"

enum { LIST_CAP = 1 << 28, RUN_CAP = 1 << 22 };

static int add_path(struct sl_members *m, const char *path)
{
    if (m->n == m->room) {
        int room = 2 * m->room + 64;
        char **more = realloc(m->path, (size_t)room * sizeof *more);
        SL_CHECK(more, SL_EMEM, "out of memory for %d members", room);
        m->path = more;
        m->room = room;
    }
    m->path[m->n] = strdup(path);
    SL_CHECK(m->path[m->n], SL_EMEM, "out of memory");
    m->n++;
    return SL_OK;
}

/* A member that is named must have its statistics. */
static int add_named(struct sl_members *m, const char *campaign, const char *name)
{
    char path[SL_PATH_MAX], file[SL_PATH_MAX];
    SL_TRY(sl_path_join(path, name[0] == '/' ? "" : campaign, name));
    SL_TRY(sl_path_join(file, path, "stats/summary.csv"));
    SL_CHECK(access(file, R_OK) == 0, sl_file_status(errno),
             "member %s has no finished statistics: %s", path, strerror(errno));
    return add_path(m, path);
}

static int list_file(const char *campaign, const char *file, struct sl_members *m)
{
    char *text, *at;
    size_t n;
    SL_CHECK(access(file, R_OK) == 0, sl_file_status(errno),
             "cannot read the list of members %s: %s", file, strerror(errno));
    SL_TRY(sl_file_read(file, LIST_CAP, &text, &n));
    int code = SL_OK;
    for (at = text; *at && code == SL_OK;) {
        size_t length = strcspn(at, "\r\n");
        char *next = at + length + (at[length] != '\0');
        at[length] = '\0';
        if (length > 0) code = add_named(m, campaign, at);
        at = next;
    }
    free(text);
    return code;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_directory(const char *campaign, struct sl_members *m)
{
    char members[SL_PATH_MAX], path[SL_PATH_MAX], file[SL_PATH_MAX];
    SL_TRY(sl_path_join(members, campaign, "members"));
    DIR *dir = opendir(members);
    SL_CHECK(dir, sl_file_status(errno), "cannot read %s: %s", members, strerror(errno));
    int code = SL_OK;
    struct dirent *entry;
    while (code == SL_OK && (code = sl_dir_next(dir, members, &entry)) == SL_OK && entry) {
        if (entry->d_name[0] == '.') continue;
        code = sl_path_join(path, members, entry->d_name);
        if (code == SL_OK) code = sl_path_join(file, path, "stats/summary.csv");
        bool done = code == SL_OK && access(file, R_OK) == 0;
        if (code == SL_OK && !done && sl_file_status(errno) == SL_EIO)
            code = SL_FAIL(SL_EIO, "cannot look for %s: %s", file, strerror(errno));
        if (done) code = add_path(m, path);
    }
    closedir(dir);
    SL_TRY(code);
    if (m->n > 0) qsort(m->path, (size_t)m->n, sizeof *m->path, compare_paths);
    return SL_OK;
}

static int own_line(const char *line)
{
    static const char *const own[] = {"seed:", "run.", "run:", "campaign:", "ic.paired:"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (strncmp(line, own[i], strlen(own[i])) == 0) return 1;
    return 0;
}

/* run.yaml without the lines that are a member's own and, unless `all`, without those that results
 * do not depend on; "" when the member has none. */
static int read_key(const char *member, bool all, char **key, struct sl_own *own)
{
    char path[SL_PATH_MAX], *text = NULL;
    size_t n = 0;
    SL_TRY(sl_path_join(path, member, "run.yaml"));
    if (access(path, F_OK) != 0) {
        SL_CHECK(sl_file_status(errno) == SL_EINPUT, SL_EIO, "cannot look for %s: %s", path,
                 strerror(errno));
        *key = strdup("");
        SL_CHECK(*key, SL_EMEM, "out of memory");
        return SL_OK;
    }
    SL_TRY(sl_file_read(path, RUN_CAP, &text, &n));
    char *to = text;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        length += at[length] == '\n';
        if (strncmp(at, "seed:", 5) == 0) own->seed = strtoll(at + 5, NULL, 10);
        if (strncmp(at, "ic.paired: true", 15) == 0) own->paired = true;
        if (!own_line(at) && (all || !sl_key_line_is_means(at))) {
            memmove(to, at, length);
            to += length;
        }
        at += length;
    }
    *to = '\0';
    *key = text;
    return SL_OK;
}

static void release_keys(struct sl_members *m)
{
    for (int i = 0; m->key && i < m->n; i++)
        free(m->key[i]);
    free(m->key);
    free(m->group);
    free(m->unit);
    free(m->own);
    m->own = NULL;
    m->key = NULL;
    m->group = NULL;
    m->unit = NULL;
    m->ngroup = 0;
}

/* The group of member i among those before it, and its pair; *twice: it is one of them again. */
static void find_group(struct sl_members *m, int i, bool *twice)
{
    const struct sl_own *own = m->own;
    m->group[i] = -1;
    m->unit[i] = i;
    for (int j = i - 1; j >= 0 && m->group[i] < 0; j--)
        if (strcmp(m->key[i], m->key[j]) == 0) m->group[i] = m->group[j];
    for (int j = i - 1; j >= 0 && m->group[i] >= 0 && !*twice; j--) {
        if (m->group[j] != m->group[i] || own[j].seed != own[i].seed) continue;
        *twice = own[j].paired == own[i].paired;
        m->unit[i] = m->unit[j];
    }
    if (m->group[i] < 0) m->group[i] = m->ngroup++;
}

static int set_keys(struct sl_members *m, bool all, bool *twice)
{
    m->own = calloc((size_t)m->n + 1, sizeof *m->own);
    m->key = calloc((size_t)m->n + 1, sizeof *m->key);
    m->group = calloc((size_t)m->n + 1, sizeof *m->group);
    m->unit = calloc((size_t)m->n + 1, sizeof *m->unit);
    int code = m->own && m->key && m->group && m->unit
                   ? SL_OK
                   : SL_FAIL(SL_EMEM, "out of memory for %d members", m->n);
    *twice = false;
    for (int i = 0; i < m->n && code == SL_OK; i++) {
        code = read_key(m->path[i], all, &m->key[i], &m->own[i]);
        if (code == SL_OK) find_group(m, i, twice);
    }
    return code;
}

/* Runs that differ in their means alone, one on more ranks since `sluice set`, say, are of one
 * group; but where a recipe sweeps the means, the same seed comes twice, and these are no
 * independent members. */
static int set_groups(struct sl_members *m)
{
    bool twice;
    SL_TRY(set_keys(m, false, &twice));
    if (!twice) return SL_OK;
    release_keys(m);
    return set_keys(m, true, &twice);
}

int sl_members_read(const char *campaign, const char *file, struct sl_members *out)
{
    struct sl_members m = {.n = 0};
    int code = file ? list_file(campaign, file, &m) : list_directory(campaign, &m);
    if (code == SL_OK) code = set_groups(&m);
    if (code == SL_OK)
        *out = m;
    else
        sl_members_release(&m);
    return code;
}

void sl_members_release(struct sl_members *m)
{
    release_keys(m);
    for (int i = 0; i < m->n; i++)
        free(m->path[i]);
    free(m->path);
    *m = (struct sl_members){.n = 0};
}

/* ---- one group ---- */

static bool group_room(struct sl_group *g, int n)
{
    g->path = calloc((size_t)n + 1, sizeof *g->path);
    g->unit = calloc((size_t)n + 1, sizeof *g->unit);
    g->seed = calloc((size_t)n + 1, sizeof *g->seed);
    g->halves = calloc((size_t)n + 1, sizeof *g->halves);
    return g->path && g->unit && g->seed && g->halves;
}

/* Adds member i; number[j]: the realisation that begins with member j. */
static void group_add(const struct sl_members *m, int i, int *number, struct sl_group *g)
{
    if (m->unit[i] == i) {
        g->seed[g->units] = m->own[i].seed;
        number[i] = g->units++;
    }
    int unit = number[m->unit[i]];
    g->halves[unit] |= m->own[i].paired ? 2 : 1;
    g->key = m->key[i];
    g->unit[g->n] = unit;
    g->path[g->n++] = m->path[i];
}

int sl_group_make(const struct sl_members *m, int group, struct sl_group *out)
{
    struct sl_group g = {.key = ""};
    int *number = calloc((size_t)m->n + 1, sizeof *number);
    bool room = number && group_room(&g, m->n);
    for (int i = 0; i < m->n && room; i++)
        if (m->group[i] == group) group_add(m, i, number, &g);
    free(number);
    if (!room) sl_group_release(&g);
    SL_CHECK(room, SL_EMEM, "out of memory");
    *out = g;
    return SL_OK;
}

void sl_group_release(struct sl_group *g)
{
    free(g->path);
    free(g->unit);
    free(g->seed);
    free(g->halves);
    *g = (struct sl_group){.n = 0};
}

/* ---- which tables there are ---- */

static int is_curve(const struct dirent *entry)
{
    static const char *const kind[] = {"spectrum_",
                                       "matter_",
                                       "correlation_",
                                       "pdf_",
                                       "sigma_",
                                       "structure_",
                                       "clump_masses_",
                                       "tree_masses_",
                                       "decay.csv",
                                       "energies.csv",
                                       "expansion.csv",
                                       "growth.csv",
                                       "mass_function_",
                                       "levels.csv",
                                       "halo_mass_function_",
                                       "halo_profiles_",
                                       "halo_bias_",
                                       "bispectrum_",
                                       "multipoles_",
                                       "profile_",
                                       "level_shares.csv",
                                       "halo_accretion.csv",
                                       "counts_"};
    size_t n = strlen(entry->d_name);
    if (n < 5 || n >= SL_TABLE_NAME || strcmp(entry->d_name + n - 4, ".csv") != 0) return 0;
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++)
        if (strncmp(entry->d_name, kind[i], strlen(kind[i])) == 0) return 1;
    return 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int sl_group_files(const char *member, char ***name, int *n)
{
    char dir[SL_PATH_MAX];
    struct dirent **entry = NULL;
    SL_TRY(sl_path_join(dir, member, "stats"));
    int found = scandir(dir, &entry, is_curve, by_name), kept = 0;
    SL_CHECK(found >= 0, sl_file_status(errno), "cannot read %s: %s", dir, strerror(errno));
    char **list = calloc((size_t)found + 1, sizeof *list);
    for (int i = 0; i < found; i++) {
        if (list && (list[kept] = strdup(entry[i]->d_name)) != NULL) kept++;
        free(entry[i]);
    }
    free(entry);
    if (kept < found) sl_group_files_release(list, kept);
    SL_CHECK(list && kept == found, SL_EMEM, "out of memory");
    *name = list;
    *n = kept;
    return SL_OK;
}

void sl_group_files_release(char **name, int n)
{
    for (int i = 0; i < n; i++)
        free(name[i]);
    free(name);
}
