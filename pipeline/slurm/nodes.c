/* nodes.c - see slurm/nodes.h. */
#include "pipeline/slurm/nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pipeline/campaign/stage.h"

static const double memory = 24 * 3600.0;

/* ---- the count ------------------------------------------------------------------------------- */

static int find(const struct sl_bad_nodes *bad, const char *name)
{
    for (int i = 0; i < bad->n; i++)
        if (strcmp(bad->node[i].name, name) == 0) return i;
    return -1;
}

static int oldest(const struct sl_bad_nodes *bad)
{
    int k = 0;
    for (int i = 1; i < bad->n; i++)
        if (bad->node[i].last < bad->node[k].last) k = i;
    return k;
}

/* Attempts that one failure of a node has ended had all begun before the first of them told of
 * it. */
static void count(struct sl_bad_nodes *bad, const char *name, double begin, double t)
{
    int i = find(bad, name);
    if (i < 0) {
        i = bad->n < SL_NODES_MAX ? bad->n++ : oldest(bad);
        memset(&bad->node[i], 0, sizeof bad->node[i]);
        snprintf(bad->node[i].name, sizeof bad->node[i].name, "%s", name);
    }
    if (t - bad->node[i].last > memory) bad->node[i].failures = 0;
    if (begin < bad->node[i].last) return;
    bad->node[i].failures++;
    bad->node[i].last = t;
}

void sl_nodes_readmit(struct sl_bad_nodes *bad, const char *name)
{
    int i = *name ? find(bad, name) : -1;
    if (i >= 0) bad->node[i] = bad->node[--bad->n];
    if (!*name) bad->n = 0;
}

void sl_nodes_count_end(struct sl_bad_nodes *bad, const struct sl_fact *f, double begin)
{
    int result = sl_result_find(f->result);
    bool by_node = result == SL_RESULT_taken || result == SL_RESULT_unfit;
    if (!by_node) return;
    char names[sizeof f->node], *save = NULL;
    snprintf(names, sizeof names, "%s", f->node);
    for (char *w = strtok_r(names, ",", &save); w; w = strtok_r(NULL, ",", &save))
        count(bad, w, begin, f->t);
}

/* ---- the policy ------------------------------------------------------------------------------ */

static double left(const struct sl_bad_nodes *bad, int i, const struct sl_site *site, double now)
{
    if (site->exclude_after <= 0 || bad->node[i].failures < site->exclude_after) return 0;
    double rest = bad->node[i].last + (double)site->exclude_hours * 3600 - now;
    return rest > 0 ? rest : 0;
}

/* More than exclude_max at once is no matter of nodes: those that failed last stay out. */
static bool out(const struct sl_bad_nodes *bad, int i, const struct sl_site *site, double now)
{
    int later = 0;
    if (left(bad, i, site, now) <= 0) return false;
    for (int k = 0; k < bad->n; k++)
        if (left(bad, k, site, now) > 0 && (bad->node[k].last > bad->node[i].last ||
                                            (bad->node[k].last >= bad->node[i].last && k < i)))
            later++;
    return later < site->exclude_max;
}

int sl_nodes_exclude(const struct sl_bad_nodes *bad, const struct sl_site *site, double now,
                     char *text, size_t size)
{
    size_t used = 0;
    int n = 0;
    *text = '\0';
    for (int i = 0; i < bad->n; i++) {
        if (!out(bad, i, site, now) || used + strlen(bad->node[i].name) + 2 > size) continue;
        used += (size_t)snprintf(text + used, size - used, "%s%s", n ? "," : "", bad->node[i].name);
        n++;
    }
    return n;
}

void sl_nodes_sentence(const struct sl_bad_nodes *bad, const struct sl_site *site, double now,
                       char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < bad->n && used < size; i++)
        if (out(bad, i, site, now))
            used += (size_t)snprintf(text + used, size - used, "%s%s (%d failures, %.0f h left)",
                                     used ? ", " : "", bad->node[i].name, bad->node[i].failures,
                                     left(bad, i, site, now) / 3600 + 0.5);
}

json_t *sl_nodes_json(const struct sl_bad_nodes *bad, const struct sl_site *site, double now)
{
    json_t *list = json_array();
    for (int i = 0; i < bad->n; i++)
        if (out(bad, i, site, now))
            json_array_append_new(list, json_pack("{s:s, s:i, s:f}", "node", bad->node[i].name,
                                                  "failures", bad->node[i].failures, "left_s",
                                                  left(bad, i, site, now)));
    return list;
}

/* ---- lists of nodes -------------------------------------------------------------------------- */

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

bool sl_nodes_match(const char *list, const char *name)
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

bool sl_nodes_meet(const char *list, const char *plain)
{
    char name[SL_NODE_NAME];
    for (const char *p = plain; *p;) {
        size_t n = strcspn(p, ",");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        if (sl_nodes_match(list, name)) return true;
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
    return time_of(start) + 1 > since || time_of(boot) + 1 > since; /* told in whole seconds */
}

int sl_nodes_failed(char *text, double since, char *names, size_t size)
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
