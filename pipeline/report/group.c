/* group.c - the groups of a campaign and their results; see report/data.h. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/report/data.h"

/* Makes room for group `number`, counted from 0. */
static int group_need(struct sl_report *r, long number)
{
    SL_CHECK(number >= 0 && number < r->members, SL_EINPUT, "groups.csv names a group %ld",
             number + 1);
    if (number < r->groups) return SL_OK;
    void *more = realloc(r->group, (size_t)(number + 1) * sizeof *r->group);
    SL_CHECK(more, SL_EMEM, "no memory for groups");
    r->group = more;
    memset(&r->group[r->groups], 0, (size_t)(number + 1 - r->groups) * sizeof *r->group);
    r->groups = (int)number + 1;
    return SL_OK;
}

/* Rows group,member,what. */
static int table_take(struct sl_report *r, const struct sl_csv *t)
{
    for (long i = 0; i < t->rows; i++) {
        long number = strtol(sl_csv_text(t, i, 0), NULL, 10) - 1;
        int row = sl_campaign_find(&r->campaign, sl_csv_text(t, i, 1));
        SL_TRY(group_need(r, number));
        if (row >= 0) r->member[row].group = (int)number;
        snprintf(r->group[number].what, sizeof r->group[number].what, "%s", sl_csv_text(t, i, 2));
    }
    return SL_OK;
}

bool sl_report_makes_group(const char *key)
{
    static const char *const own[] = {"seed",   "ic.paired", "mesh.block", "resources.",
                                      "slurm.", "output.",   "stages.",    "notify."};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strncmp(key, own[i], strlen(own[i]))) return false;
    return true;
}

static bool alike(const struct sl_report *r, int a, int b)
{
    for (int k = 0; k < r->varieds; k++)
        if (sl_report_makes_group(r->varied[k]) &&
            strcmp(sl_report_key(&r->member[a], r->varied[k]),
                   sl_report_key(&r->member[b], r->varied[k])))
            return false;
    return true;
}

static void what_of(const struct sl_report *r, int member, char *what, size_t capacity)
{
    size_t used = 0;
    for (int k = 0; k < r->varieds && used + 1 < capacity; k++)
        if (sl_report_makes_group(r->varied[k]))
            used += (size_t)snprintf(what + used, capacity - used, "%s%s: %s", used ? ", " : "",
                                     r->varied[k], sl_report_key(&r->member[member], r->varied[k]));
}

/* Before there are results of an ensemble: by the keys of the members that began. */
static int by_keys(struct sl_report *r)
{
    int groups = 0;
    for (int i = 0; i < r->members; i++) {
        int like = 0;
        if (!r->member[i].keys.n) continue;
        while (like < i && (!r->member[like].keys.n || !alike(r, like, i)))
            like++;
        r->member[i].group = like < i ? r->member[like].group : groups++;
        if (like < i) continue;
        SL_TRY(group_need(r, r->member[i].group));
        struct sl_report_group *g = &r->group[r->member[i].group];
        what_of(r, i, g->what, sizeof g->what);
    }
    return SL_OK;
}

static int table_read(struct sl_report *r)
{
    char path[PATH_MAX + 32];
    struct sl_csv t;
    snprintf(path, sizeof path, "%s/ensemble/groups.csv", r->dir);
    if (access(path, F_OK)) return by_keys(r);
    SL_TRY(sl_csv_read(&t, path, SL_CSV_NAMED));
    int code = table_take(r, &t);
    sl_csv_release(&t);
    return code;
}

static int results_read(struct sl_report *r, int number)
{
    struct sl_report_group *g = &r->group[number];
    char path[PATH_MAX + 64];
    if (r->groups > 1)
        snprintf(g->dir, sizeof g->dir, "ensemble/group-%d", number + 1);
    else
        snprintf(g->dir, sizeof g->dir, "ensemble");
    snprintf(path, sizeof path, "%s/%s/summary.csv", r->dir, g->dir);
    if (!access(path, F_OK)) return sl_csv_read(&g->summary, path, SL_CSV_NAMED);
    g->dir[0] = '\0';
    return SL_OK;
}

int sl_report_groups_read(struct sl_report *r)
{
    SL_TRY(group_need(r, 0));
    SL_TRY(table_read(r));
    for (int i = 0; i < r->groups; i++) {
        r->group[i].first = -1;
        SL_TRY(results_read(r, i));
    }
    for (int i = 0; i < r->members; i++) {
        struct sl_report_group *g = &r->group[r->member[i].group];
        g->members++;
        if (g->first < 0 && r->member[i].measured) g->first = i;
    }
    return SL_OK;
}

void sl_report_mean(const struct sl_report *r, int group, const char *quantity, double *mean,
                    double *error)
{
    const struct sl_report_group *g = &r->group[group];
    long row = sl_csv_row(&g->summary, quantity);
    *mean = sl_csv_number(&g->summary, row, sl_csv_column(&g->summary, "mean"));
    *error = sl_csv_number(&g->summary, row, sl_csv_column(&g->summary, "standard_error"));
    if (!*g->dir && g->first >= 0) *mean = sl_report_value(&r->member[g->first], quantity);
}

int sl_report_counterpart(const struct sl_report *r, int group)
{
    const struct sl_report *other = r->against;
    for (int i = 0; other && i < other->groups; i++) {
        bool same = other->groups == 1 || !strcmp(other->group[i].what, r->group[group].what);
        if (same && *other->group[i].dir) return i;
    }
    return -1;
}
