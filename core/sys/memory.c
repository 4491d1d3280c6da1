/* memory.c - see memory.h. */
#include "core/sys/memory.h"

#include <math.h>
#include <stdbool.h>
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

/* The lowest limit of a group and of those above it. In a container the group may have a name of
 * outside: then only those above it are there. group: changed. */
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

/* A line "number:controllers:/group" of /proc/self/cgroup; version 2 names no controllers. The
 * group, and where it is mounted; NULL: it does not count memory. */
static char *group_of_line(const char *root, char *line, char mount[SL_PATH_MAX], bool *second)
{
    char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
    if (!group) return NULL;
    list++;
    size_t n = (size_t)(group++ - list);
    group[strcspn(group, "\n")] = '\0';
    if (n > 0 && !names_memory(list, n)) return NULL;
    *second = n == 0;
    snprintf(mount, SL_PATH_MAX, "%s/sys/fs/cgroup%s", root, *second ? "" : "/memory");
    return group;
}

static double limit_of_line(const char *root, char *line)
{
    char mount[SL_PATH_MAX];
    bool second;
    char *group = group_of_line(root, line, mount, &second);
    return group ? lowest(mount, group, second ? "memory.max" : "memory.limit_in_bytes") : INFINITY;
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

/* The number of a line "oom_kill N"; -1: there is none. */
static long long kills_in(const char *path)
{
    char line[256];
    long long kills = -1;
    FILE *f = fopen(path, "re");
    if (!f) return -1;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "oom_kill ", 9) == 0) kills = strtoll(line + 9, NULL, 10);
    fclose(f);
    return kills;
}

/* Of a group, or of the lowest above it that is there; -1: none counts them. */
static long long kills_of_line(const char *root, char *line)
{
    char mount[SL_PATH_MAX], path[SL_PATH_MAX];
    bool second;
    char *group = group_of_line(root, line, mount, &second);
    while (group) {
        int n = snprintf(path, sizeof path, "%s%s/%s", mount, group,
                         second ? "memory.events" : "memory.oom_control");
        long long kills = n > 0 && n < (int)sizeof path ? kills_in(path) : -1;
        char *last = strrchr(group, '/');
        if (kills >= 0 || !last) return kills;
        *last = '\0';
    }
    return -1;
}

long long sl_memory_kills(const char *root)
{
    char path[SL_PATH_MAX], line[SL_PATH_MAX];
    long long kills = -1;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *f = fopen(path, "re");
    while (f && kills < 0 && fgets(line, sizeof line, f))
        kills = kills_of_line(root, line);
    if (f) fclose(f);
    snprintf(path, sizeof path, "%s/proc/vmstat", root);
    if (kills < 0) kills = kills_in(path);
    return kills > 0 ? kills : 0;
}

double sl_memory_reported(const char *text)
{
    static const char head[] = SL_MEMORY_HEAD, tail[] = SL_MEMORY_TAIL;
    double most = 0;
    for (const char *at = text; (at = strstr(at, head)); at += sizeof head - 1) {
        char *end;
        double value = strtod(at + sizeof head - 1, &end);
        if (value > 0 && value < 1e12 && strncmp(end, tail, sizeof tail - 1) == 0)
            most = value * 0x1p20;
    }
    return most;
}
