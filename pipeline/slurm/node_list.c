/* node_list.c - see node_list.h. */
#include "pipeline/slurm/node_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pipeline/campaign/nodes.h"

/* Does the number "08" lie in "3-5,08-10"? Numbers are of the same width, as Slurm writes them. */
static bool in_ranges(const char *ranges, size_t n, const char *number)
{
    for (const char *p = ranges; p < ranges + n;) {
        char *end;
        long first = strtol(p, &end, 10), last = first, x = strtol(number, NULL, 10);
        size_t width = (size_t)(end - p);
        if (end == p) return false;
        if (*end == '-') last = strtol(end + 1, &end, 10);
        bool padded = *p == '0' && width > 1;
        if (x >= first && x <= last && (!padded || strlen(number) == width)) return true;
        p = end + (*end == ',');
    }
    return false;
}

/* One word of a list: "n7" or "n[3-5]". */
static bool word_matches(const char *word, size_t n, const char *name)
{
    const char *open = memchr(word, '[', n);
    if (!open) return strlen(name) == n && strncmp(word, name, n) == 0;
    size_t head = (size_t)(open - word), inner = n - head - 1;
    const char *number = name + head, *close = memchr(open, ']', inner + 1);
    if (!close || strncmp(word, name, head) != 0 || !*number) return false;
    if (strspn(number, "0123456789") != strlen(number)) return false;
    return in_ranges(open + 1, (size_t)(close - open - 1), number);
}

bool sl_node_list_match(const char *list, const char *name)
{
    for (const char *p = list; *p;) {
        size_t n = 0;
        bool inside = false;
        for (; p[n] && (inside || p[n] != ','); n++)
            inside = p[n] == '[' || (inside && p[n] != ']');
        if (word_matches(p, n, name)) return true;
        p += n + (p[n] == ',');
    }
    return false;
}

bool sl_node_list_meet(const char *list, const char *plain)
{
    char name[SL_NODE_NAME];
    for (const char *p = plain; *p;) {
        size_t n = strcspn(p, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        if (sl_node_list_match(list, name)) return true;
        p += n + (p[n] == ',');
    }
    return false;
}

/* ---- what scontrol tells --------------------------------------------------------------------- */

/* Value of " key=value" in a line; "" when it is not there. */
static void value_of(const char *line, const char *key, char *value, size_t size)
{
    size_t n = strlen(key);
    *value = '\0';
    for (const char *p = line; (p = strstr(p, key)); p += n)
        if ((p == line || p[-1] == ' ') && p[n] == '=') {
            snprintf(value, size, "%.*s", (int)strcspn(p + n + 1, " \n"), p + n + 1);
            return;
        }
}

static double time_of(const char *text)
{
    struct tm tm = {.tm_isdst = -1};
    int year, month;
    if (sscanf(text, "%d-%d-%dT%d:%d:%d", &year, &month, &tm.tm_mday, &tm.tm_hour, &tm.tm_min,
               &tm.tm_sec) != 6)
        return 0;
    tm.tm_year = year - 1900;
    tm.tm_mon = month - 1;
    return (double)mktime(&tm);
}

static bool has_failed(const char *line, double since)
{
    static const char *const bad[] = {"DOWN", "FAIL", "NOT_RESPONDING", "UNKNOWN", "*"};
    char state[160], start[40], boot[40];
    value_of(line, "State", state, sizeof state);
    value_of(line, "SlurmdStartTime", start, sizeof start);
    value_of(line, "BootTime", boot, sizeof boot);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (strstr(state, bad[i])) return true;
    return time_of(start) + 1 > since || time_of(boot) + 1 > since; /* given in whole seconds */
}

int sl_node_list_failed(char *text, double since, char *names, size_t size)
{
    char *save = text, name[SL_NODE_NAME];
    size_t used = 0;
    int n = 0;
    *names = '\0';
    for (char *line; (line = strsep(&save, "\n"));) {
        value_of(line, "NodeName", name, sizeof name);
        if (!*name || !has_failed(line, since) || used + strlen(name) + 2 > size) continue;
        used += (size_t)snprintf(names + used, size - used, "%s%s", n ? "," : "", name);
        n++;
    }
    return n;
}
