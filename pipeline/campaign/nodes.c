/* nodes.c - see nodes.h. */
#include "pipeline/campaign/nodes.h"

#include <stdio.h>
#include <string.h>

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

/* Attempts that one failure of a node has ended had all begun before the first of them reported
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
