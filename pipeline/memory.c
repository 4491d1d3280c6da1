/* memory.c - see memory.h. */
#include "pipeline/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/file.h"

/* The number in a file of one word; INFINITY: there is none, or it is no number ("max"). */
static double limit_in(const char *path)
{
    char word[64] = "", *end;
    FILE *f = fopen(path, "re");
    if (!f) return INFINITY;
    double limit = fgets(word, sizeof word, f) ? strtod(word, &end) : INFINITY;
    fclose(f);
    return *word && end > word && limit > 0 ? limit : INFINITY;
}

/* The lowest limit of a group and of those above it. In a container the group may have a name of outside: then only those
 * above it are there. group: changed. */
static double lowest(const char *mount, char *group, const char *file)
{
    char path[SL_PATH_MAX];
    double limit = INFINITY;
    for (;;) {
        int n = snprintf(path, sizeof path, "%s%s/%s", mount, group, file);
        if (n > 0 && n < (int)sizeof path) limit = fmin(limit, limit_in(path));
        char *last = strrchr(group, '/');
        if (!last) return limit;
        *last = '\0';
    }
}

/* Is memory in a list "cpu,memory"? */
static int names_memory(const char *list, size_t n)
{
    const size_t length = strlen("memory");
    for (const char *at = list; at + length <= list + n; at++)
        if (strncmp(at, "memory", length) == 0 && (at == list || at[-1] == ',') &&
            (at + length == list + n || at[length] == ','))
            return 1;
    return 0;
}

/* A line "number:controllers:/group" of /proc/self/cgroup; version 2 names no controllers. */
static double limit_of_line(const char *root, char *line)
{
    char mount[SL_PATH_MAX];
    char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
    if (!group) return INFINITY;
    list++;
    size_t n = (size_t)(group++ - list);
    group[strcspn(group, "\n")] = '\0';
    if (n > 0 && !names_memory(list, n)) return INFINITY;
    snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, n > 0 ? "/memory" : "");
    return lowest(mount, group, n > 0 ? "memory.limit_in_bytes" : "memory.max");
}

double sl_memory_limit(const char *root)
{
    char path[SL_PATH_MAX], line[SL_PATH_MAX];
    double limit = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (!(limit > 0)) limit = INFINITY;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *f = fopen(path, "re");
    if (!f) return limit;
    while (fgets(line, sizeof line, f))
        limit = fmin(limit, limit_of_line(root, line));
    fclose(f);
    return limit;
}

long long sl_memory_kills(const char *root)
{
    char path[SL_PATH_MAX], line[256];
    long long kills = 0;
    snprintf(path, sizeof path, "%s/proc/vmstat", root);
    FILE *f = fopen(path, "re");
    if (!f) return 0;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "oom_kill ", 9) == 0) kills = strtoll(line + 9, NULL, 10);
    fclose(f);
    return kills;
}
